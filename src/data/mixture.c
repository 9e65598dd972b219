/* Telling columns that are almost numbers or dates. A kind is one when at least three different
 * values fit, and those that are odd are at most a tenth of them; codes for missing values do
 * not count against it. */
#include "data/mixture.h"
#include "core/signs.h"
#include "data/spelling.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LEAST_FITTING = 3, MOST_ODD_SHARE = 10, HOPELESS = 200 };

/* ---- missing values ------------------------------------------------------------------------- */

const char *kan_missing_code(kan_slice value) {
    static const char *const codes[] = {"NA",
                                        "N/A",
                                        "n.a.",
                                        "#N/A",
                                        "NaN",
                                        "NaT",
                                        "NULL",
                                        "(null)",
                                        "#NULL!",
                                        "None",
                                        "nil",
                                        "-",
                                        "--",
                                        "---",
                                        ".",
                                        "..",
                                        "*",
                                        "-1",
                                        "-7",
                                        "-8",
                                        "-9",
                                        "-88",
                                        "-99",
                                        "-999",
                                        "-9999",
                                        "unknown",
                                        "unk",
                                        "not known",
                                        "not stated",
                                        "missing",
                                        "not available",
                                        "unbekannt",
                                        "k.A.",
                                        "k. A.",
                                        "kA",
                                        "keine Angabe",
                                        "fehlt",
                                        "fehlend",
                                        "inconnu",
                                        "inconnue",
                                        "nd",
                                        "n.d.",
                                        "desconocido",
                                        "sin dato",
                                        "sconosciuto",
                                        "desconhecido",
                                        "onbekend",
                                        "nieznane",
                                        "nieznany",
                                        "brak",
                                        "brak danych",
                                        "neznamy",
                                        "okänd",
                                        "ukjent",
                                        "ukendt",
                                        "tuntematon",
                                        "ismeretlen",
                                        "necunoscut",
                                        "agnosto",
                                        "–",
                                        "refused",
                                        "no answer",
                                        "not asked",
                                        "?",
                                        "??",
                                        "xx",
                                        "#VALUE!",
                                        "#WERT!"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strlen(codes[i]) == value.size && strncasecmp(codes[i], value.bytes, value.size) == 0)
            return codes[i];
    return NULL;
}

/* ---- dates that are written otherwise ------------------------------------------------------- */

typedef struct {
    bool is_word;
    unsigned size;
    unsigned number;
} part;

/* The runs of digits and of letters in a value, up to four; all else must be a sign that stands in
 * dates. Returns how many, or 0. */
static unsigned cut(const char *bytes, size_t size, part parts[4]) {
    unsigned n = 0;
    for (size_t i = 0; i < size;) {
        const size_t from = i;
        part here = {.is_word = kan_is_letter_byte(bytes[i])};
        if (!here.is_word && !kan_is_digit(bytes[i])) {
            if (!strchr("./- ,'", bytes[i]) || bytes[i] == '\0' || (n == 0 && bytes[i] != ' '))
                return 0;
            i++;
            continue;
        }
        for (; i < size && (here.is_word ? kan_is_letter_byte(bytes[i]) : kan_is_digit(bytes[i]));
             i++)
            if (!here.is_word && i - from < 8)
                here.number = here.number * 10 + (unsigned)(bytes[i] - '0');
        here.size = (unsigned)(i - from);
        if (n == 4)
            return 0;
        parts[n++] = here;
    }
    return n;
}

static bool is_year(part p) {
    return !p.is_word && p.size == 4 && p.number >= 1800 && p.number <= 2199;
}

static bool is_short(part p, unsigned most) {
    return !p.is_word && p.size <= 2 && p.number >= 1 && p.number <= most;
}

static bool are_day_and_month(part a, part b) {
    return (is_short(a, 31) && is_short(b, 12)) || (is_short(a, 12) && is_short(b, 31));
}

/* 14.03.1980, 3/14/80, 1980/3/14, 14-Mar-1980, March 14, 1980 */
static bool are_parts_of_a_date(const part *p) {
    for (unsigned i = 0; i < 3; i++)
        if (p[i].is_word) {
            const part a = p[(i + 1) % 3], b = p[(i + 2) % 3];
            return i < 2 && p[i].size >= 3 &&
                   ((is_short(a, 31) && is_year(b)) || (is_year(a) && is_short(b, 31)) ||
                    (i == 1 && is_short(b, 31) && !b.is_word && b.size == 2) ||
                    (i == 1 && is_short(p[0], 31) && !p[2].is_word && p[2].size == 2));
        }
    if (is_year(p[0]))
        return are_day_and_month(p[1], p[2]);
    return (is_year(p[2]) || p[2].size == 2) && are_day_and_month(p[0], p[1]);
}

/* 19800314 */
static bool is_compact(kan_slice value) {
    char spread[10];
    kan_date date;
    if (value.size != 8)
        return false;
    memcpy(spread, value.bytes, 4);
    memcpy(spread + 5, value.bytes + 4, 2);
    memcpy(spread + 8, value.bytes + 6, 2);
    spread[4] = spread[7] = '-';
    return kan_date_parse((kan_slice){spread, 10}, &date) && date.year >= 1850 && date.year <= 2150;
}

/* The end of the date where an hour follows: "1980-03-14T10:30", "14.03.1980 10:30". */
static size_t before_hour(kan_slice value) {
    const char *colon = value.size ? memchr(value.bytes, ':', value.size) : NULL;
    size_t end = colon ? (size_t)(colon - value.bytes) : 0;
    while (end > 0 && kan_is_digit(value.bytes[end - 1]))
        end--;
    return end > 6 && (value.bytes[end - 1] == ' ' || value.bytes[end - 1] == 'T') ? end - 1 : 0;
}

bool kan_value_is_other_date(kan_slice value) {
    part parts[4];
    kan_date date;
    const size_t hour = before_hour(value);
    const kan_slice day = {value.bytes, hour ? hour : value.size};
    if (kan_date_parse(day, &date))
        return hour > 0;
    if (day.size < 6 || day.size > 24)
        return false;
    if (is_compact(day))
        return true;
    const unsigned n = cut(day.bytes, day.size, parts);
    if (n == 2) /* 03.1980 */
        return (is_short(parts[0], 12) && is_year(parts[1])) ||
               (is_year(parts[0]) && is_short(parts[1], 12));
    return n == 3 && are_parts_of_a_date(parts);
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* 3,5 and 1.234,50: digits with a comma in them, nothing else but points and a sign. */
static bool is_other_number(kan_slice value) {
    unsigned n_digits = 0, n_commas = 0;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.bytes[i];
        n_digits += kan_is_digit(c);
        n_commas += c == ',';
        if (!kan_is_digit(c) && c != ',' && c != '.' && !(i == 0 && (c == '-' || c == '+')))
            return false;
    }
    return n_digits >= 2 && n_commas >= 1;
}

static bool is_number(kan_slice value) {
    double number;
    return kan_value_exact(KAN_TYPE_NUMBER, value, &number);
}

static bool is_date(kan_slice value) {
    kan_date date;
    return kan_date_parse(value, &date);
}

static bool is_any_date(kan_slice value) {
    return is_date(value) || kan_value_is_other_date(value);
}

static bool is_any_number(kan_slice value) {
    return is_number(value) || is_other_number(value);
}

/* ---- mixtures ------------------------------------------------------------------------------- */

static bool count(const kan_dictionary *dictionary, bool (*fits)(kan_slice value),
                  kan_mixture *out) {
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        const char *missing;
        if (kan_value_is_unknown(value))
            continue;
        if (fits(value)) {
            out->n_fitting++;
        } else if ((missing = kan_missing_code(value))) {
            out->n_codes++;
            out->code = out->code ? out->code : missing;
        } else if (++out->n_odd > HOPELESS && out->n_odd > out->n_fitting) {
            return false;
        }
    }
    return out->n_fitting >= LEAST_FITTING && out->n_odd <= out->n_fitting / MOST_ODD_SHARE;
}

/* Numbers of which those below zero are all -9, -99 and the like. */
static kan_mixture find_negative_codes(const kan_dictionary *dictionary) {
    kan_mixture found = {KAN_MIXTURE_NONE, 0, 0, 0, NULL};
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_value_is_unknown(value))
            continue;
        if (value.bytes[0] != '-') {
            found.n_fitting++;
            continue;
        }
        const char *missing = kan_missing_code(value);
        if (!missing || strcmp(missing, "-1") == 0)
            return (kan_mixture){KAN_MIXTURE_NONE, 0, 0, 0, NULL};
        found.n_codes++;
        found.code = missing;
    }
    return found;
}

kan_mixture kan_mixture_find(const kan_column *column) {
    const kan_dictionary *dictionary = &column->dictionary;
    static const struct {
        kan_mixture_kind kind;
        bool (*fits)(kan_slice value);
    } kinds[] = {{KAN_MIXTURE_DATES, is_date},
                 {KAN_MIXTURE_OTHER_DATES, is_any_date},
                 {KAN_MIXTURE_NUMBERS, is_number},
                 {KAN_MIXTURE_OTHER_NUMBERS, is_any_number}};
    if (kan_column_is_called_text(column))
        return (kan_mixture){KAN_MIXTURE_NONE, 0, 0, 0, NULL};
    for (size_t i = 0; dictionary->type != KAN_TYPE_DATE && i < sizeof kinds / sizeof *kinds; i++) {
        kan_mixture found = {kinds[i].kind, 0, 0, 0, NULL};
        /* all are numbers already; 19800314 may be a date */
        if (dictionary->type == KAN_TYPE_NUMBER && found.kind != KAN_MIXTURE_OTHER_DATES)
            continue;
        if (count(dictionary, kinds[i].fits, &found))
            return found;
    }
    if (dictionary->type == KAN_TYPE_NUMBER)
        return find_negative_codes(dictionary);
    return (kan_mixture){KAN_MIXTURE_NONE, 0, 0, 0, NULL};
}

const char *kan_mixture_text(const kan_mixture *mixture, char room[KAN_MIXTURE_BYTES]) {
    static const char *const what[] = {
        [KAN_MIXTURE_NUMBERS] = "numbers",
        [KAN_MIXTURE_DATES] = "dates",
        [KAN_MIXTURE_OTHER_NUMBERS] = "numbers, but written with a comma",
        [KAN_MIXTURE_OTHER_DATES] = "dates, but not written as 1980-03-14 (year-month-day)"};
    const uint32_t n = mixture->n_codes + mixture->n_odd;
    const bool is_written =
        mixture->kind == KAN_MIXTURE_DATES || mixture->kind == KAN_MIXTURE_NUMBERS;
    int size = snprintf(room, KAN_MIXTURE_BYTES, "%s", what[mixture->kind]);
    if (n > 0)
        size += snprintf(room + size, KAN_MIXTURE_BYTES - (size_t)size, ", %s for %u value%s",
                         is_written ? "but" : "except", n, n == 1 ? "" : "s");
    if (n > 0 && mixture->code)
        snprintf(room + size, KAN_MIXTURE_BYTES - (size_t)size, "%s%s", n == 1 ? ", " : " such as ",
                 mixture->code);
    return room;
}

const char *kan_mixture_remedy(const kan_mixture *mixture) {
    switch (mixture->kind) {
    case KAN_MIXTURE_OTHER_DATES:
        return "write dates as 1980-03-14, and leave missing ones empty";
    case KAN_MIXTURE_OTHER_NUMBERS:
        return "write numbers as 3.5, and leave missing ones empty";
    default:
        return "leave missing values empty, and correct or leave out the others";
    }
}
