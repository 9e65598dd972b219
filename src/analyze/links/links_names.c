/* Whether a column is named like a key. Names are read in words, at signs and where small letters turn
 * into capitals; words that every key has (id, nr, code) say nothing by themselves; singular and plural
 * are one. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/links/links.h"

enum { MOST_BYTES = 120, LEAST_STEM = 3 };

/* A name without its signs, and the same without the words that every key has. */
typedef struct {
    char all[MOST_BYTES + 1], own[MOST_BYTES + 1];
} read_name;

static const char *const common[] = {"id",     "ids",  "nr",     "no",   "num",       "number",
                                     "nummer", "key",  "code",   "fk",   "pk",        "ref",
                                     "uid",    "uuid", "numero", "kode", "schluessel"};
enum { N_COMMON = sizeof common / sizeof *common };

static bool is_common(const char *word, size_t size) {
    for (size_t i = 0; i < N_COMMON; i++)
        if (strlen(common[i]) == size && memcmp(common[i], word, size) == 0)
            return true;
    return false;
}

static bool is_letter(unsigned char byte) {
    return isalnum(byte) || byte >= 0x80;
}

/* `patientid`: what is left where such a word ends it. */
static size_t cut_common(const char *word, size_t size) {
    for (size_t i = 0; i < N_COMMON; i++) {
        const size_t n = strlen(common[i]);
        if (size >= n + LEAST_STEM && memcmp(word + size - n, common[i], n) == 0)
            return size - n;
    }
    return size;
}

/* One word, in small letters. */
static void add_word(read_name *name, const char *word, size_t size) {
    if (strlen(name->all) + size > MOST_BYTES)
        return;
    strncat(name->all, word, size);
    if (!is_common(word, size))
        strncat(name->own, word, cut_common(word, size));
}

static void read(const char *text, read_name *out) {
    char word[MOST_BYTES + 1];
    size_t size = 0;
    *out = (read_name){.all = ""};
    for (const char *at = text;; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool begins = at > text && isupper(byte) && islower((unsigned char)at[-1]);
        if ((begins || !is_letter(byte)) && size > 0) {
            add_word(out, word, size);
            size = 0;
        }
        if (!byte)
            return;
        if (is_letter(byte) && size < MOST_BYTES)
            word[size++] = (char)tolower(byte);
    }
}

static bool is_ending(const char *rest) {
    static const char *const endings[] = {"", "s", "es", "e", "n", "en", "er", "y", "ies"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(rest, endings[i]) == 0)
            return true;
    return false;
}

static bool is_person(const char *word) {
    return strcmp(word, "person") == 0 || strcmp(word, "people") == 0;
}

/* `patient` and `patients`, `Stay` and `stays`, `entry` and `entries`. */
static bool is_same_stem(const char *a, const char *b) {
    size_t n = 0;
    if (is_person(a) && is_person(b))
        return true;
    while (a[n] && a[n] == b[n])
        n++;
    return n > 0 && (n >= LEAST_STEM || (!a[n] && !b[n])) && is_ending(a + n) && is_ending(b + n);
}

/* Whether a word of a name is the own part of another; `last_stay` and `stay`. */
static bool has_word(const char *name, const char *own) {
    bool is_found = false;
    for (const char *at = name; *at && !is_found;) {
        char word[MOST_BYTES + 1];
        const size_t skipped = strcspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        const size_t size = strcspn(at + skipped, "_-. /:");
        read_name one;
        snprintf(word, sizeof word, "%.*s", (int)(size < MOST_BYTES ? size : MOST_BYTES),
                 at + skipped);
        read(word, &one);
        is_found = *one.own && is_same_stem(one.own, own);
        at += skipped + size;
    }
    return is_found;
}

kan_link_names kan_link_compare_names(const char *column, const char *key, const char *parent) {
    read_name a, b, table;
    read(column, &a);
    read(key, &b);
    read(parent, &table);
    if (!*a.own)
        return KAN_NAMES_DIFFER; /* `id` may be anybody's */
    if (strcmp(a.all, b.all) == 0 || is_same_stem(a.own, b.own) || is_same_stem(a.own, table.own))
        return KAN_NAMES_ALIKE;
    return (*b.own && has_word(column, b.own)) || (*table.own && has_word(column, table.own))
               ? KAN_NAMES_PART
               : KAN_NAMES_DIFFER;
}
