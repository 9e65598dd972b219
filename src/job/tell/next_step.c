/* The command line that a summary ends with: words for a shell, and names for files that are yet to
 * be written. */
#include "job/tell/next_step.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/signs.h"
#include "job/settings/settings.h"
#include "job/tell/words.h"

kan_next_step kan_next_begin(kan_text *text, const char *begin) {
    const kan_next_step next = {.text = text, .before = text->size, .is_sayable = true};
    kan_text_print(text, "%s", begin);
    return next;
}

/* Control characters, and bytes that are not UTF-8, would not be pasted as they were. */
static bool is_pastable(const char *word) {
    for (size_t left = strlen(word), size; left > 0; word += size, left -= size) {
        size = kan_utf8_length(word, left);
        if (size == 0 || kan_utf8_steers(word, size))
            return false;
    }
    return true;
}

void kan_next_word(kan_next_step *next, const char *word) {
    /* a leading dash would be read as a flag */
    next->is_sayable &= is_pastable(word) && *word != '-';
    kan_text_print(next->text, " ");
    kan_words_add_shell(next->text, word);
}

void kan_next_flag(kan_next_step *next, const char *flag, const char *value) {
    if (!value)
        return;
    kan_text_print(next->text, " --%s", flag);
    kan_next_word(next, value);
}

/* All values of a setting, each behind a flag of its own. */
static void add_values(kan_next_step *next, const kan_options *options, const char *flag) {
    for (size_t i = 0; i < kan_options_count_of(options, flag); i++) {
        const char *value = kan_setting_shown(flag, kan_options_at(options, flag, i));
        next->is_sayable &= is_pastable(value);
        kan_text_print(next->text, " --%s ", flag);
        kan_words_add_shell(next->text, value); /* a dash before it does no harm here */
    }
}

void kan_next_reading(kan_next_step *next, const kan_options *options) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_READING, NULL, i)) != NULL; i++)
        add_values(next, options, name);
}

static bool is_listable(const char *name, bool is_quasi) {
    const size_t size = strlen(name);
    return size > 0 && !strchr(name, ',') && !kan_is_blank(name[0]) &&
           !kan_is_blank(name[size - 1]) && !(is_quasi && strchr(name, '='));
}

/* More of the same word. Its parts may be quoted each by itself: a,'b c'. */
static void add_behind(kan_next_step *next, char sign, const char *part) {
    const size_t blank = next->text->size;
    kan_next_word(next, part);
    if (!next->text->failed)
        next->text->bytes[blank] = sign; /* in place of the blank */
}

void kan_next_name(kan_next_step *next, const char *flag, const char *name, bool is_quasi,
                   size_t *n) {
    next->is_sayable &= is_listable(name, is_quasi);
    if ((*n)++ == 0) {
        kan_next_flag(next, flag, name);
        return;
    }
    add_behind(next, ',', name);
}

void kan_next_value(kan_next_step *next, const char *value) {
    next->is_sayable &= !strchr(value, ',');
    add_behind(next, '=', value);
}

bool kan_next_end(kan_next_step *next) {
    kan_text_print(next->text, "\n");
    if (!next->is_sayable && !next->text->failed) {
        next->text->size = next->before;
        next->text->bytes[next->before] = '\0';
    }
    return next->is_sayable;
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Whether the path fits and names nothing. */
static bool is_free(int written, const char *path) {
    struct stat info;
    return written > 0 && written < KAN_NEXT_PATH && lstat(path, &info) != 0;
}

const char *kan_next_free_path(const char *beside, const char *name, char room[KAN_NEXT_PATH]) {
    enum { MOST_TRIES = 100 };
    if (kan_path_is_address(beside)) /* files stand here */
        beside = "";
    const char *slash = strrchr(beside, '/'), *dot = strchr(name, '.');
    const char *stem = slash ? slash + 1 : beside, *end = dot ? dot : name + strlen(name);
    const int in = slash ? (int)(stem - beside) : 0, stem_size = (int)strcspn(stem, ".");
    const int name_size = (int)(end - name);
    if (is_free(snprintf(room, KAN_NEXT_PATH, "%.*s%s", in, beside, name), room))
        return room;
    for (int i = 1; stem_size > 0 && i <= MOST_TRIES; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        if (is_free(snprintf(room, KAN_NEXT_PATH, "%.*s%.*s-%.*s%s%s", in, beside, stem_size, stem,
                             name_size, name, number, end),
                    room))
            return room;
    }
    snprintf(room, KAN_NEXT_PATH, "%s", name);
    return room;
}
