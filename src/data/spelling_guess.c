/* Guessing by trial: every way to write numbers and dates that people use is tried on some values,
 * those that do well are tried on all, and the one that leaves the fewest over wins. Of equals the
 * first of the list does, and the next one is told as a doubt. */
#include "data/spelling_guess.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/mixture.h"

enum {
    LEAST_FITTING = 3,
    MOST_ODD_SHARE = 10, /* one in ten may be odd */
    SAMPLE = 40,
    MOST_WAYS = 512
};

/* Where a year has two digits somebody has to say more; this holds most who live. */
#define FIRST_YEAR "@1930"

/* A way to write the values of a column. */
typedef struct {
    kan_type type;
    kan_spelling spelling; /* its date refers to `format` */
    char format[KAN_GUESS_FORMAT];
} way;

/* ---- ways ----------------------------------------------------------------------------------- */

static way number_way(unsigned i) {
    static const struct {
        char decimal, thousands;
    } signs[] = {{0, 0},     {0, ','},  {',', 0},    {',', '.'},
                 {',', ' '}, {0, '\''}, {',', '\''}, {0, ' '}};
    return (way){.type = KAN_TYPE_NUMBER,
                 .spelling = {.decimal = signs[i].decimal, .thousands = signs[i].thousands}};
}

enum { N_NUMBERS = 8 };

static const char *const days[] = {
    "%Y-%m-%d",  "%d.%m.%Y",  "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d",
    "%Y.%m.%d",  "%m.%d.%Y",  "%d %m %Y", "%Y%m%d",   "%d-%b-%Y", "%d %b %Y", "%d%b%Y",
    "%d. %b %Y", "%b %d, %Y", "%b %d %Y", "%Y-%b-%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
    "%d-%m-%y",  "%y-%m-%d",  "%y/%m/%d", "%d-%b-%y", "%d%b%y"};
static const char *const times[] = {"",
                                    " %H:%M",
                                    " %H:%M:%S",
                                    "T%H:%M:%S",
                                    "T%H:%M",
                                    "T%H:%M:%S%z",
                                    " %H:%M:%S%z",
                                    " %H:%M:%S.%f",
                                    "T%H:%M:%S.%f",
                                    "T%H:%M:%S.%f%z",
                                    " %I:%M %p",
                                    " %I:%M:%S %p",
                                    ", %H:%M"};
enum { N_DAYS = sizeof days / sizeof *days, N_TIMES = sizeof times / sizeof *times };
_Static_assert(N_NUMBERS + N_DAYS * N_TIMES <= MOST_WAYS, "room for all");

static void set_format(way *w, const char *day, const char *time) {
    w->type = KAN_TYPE_DATE;
    snprintf(w->format, sizeof w->format, "%s%s", day, time);
    w->spelling.date.first_year = strstr(day, "%y") ? atoi(&FIRST_YEAR[1]) : -1;
}

static bool fits(way *w, kan_slice value) {
    double number;
    kan_date date;
    if (w->type == KAN_TYPE_DATE) {
        w->spelling.date.text = w->format;
        return *w->format ? kan_spelling_is_date(&w->spelling, value)
                          : kan_date_parse(value, &date);
    }
    return w->spelling.decimal || w->spelling.thousands
               ? kan_spelling_is_number(&w->spelling, value)
               : kan_value_exact(KAN_TYPE_NUMBER, value, &number);
}

/* ---- values --------------------------------------------------------------------------------- */

typedef struct {
    const kan_dictionary *dictionary;
    const uint64_t *counts;
    kan_slice sample[SAMPLE];
    uint32_t n_sample;
} looked_at;

static uint64_t rows_of(const looked_at *l, uint32_t code) {
    return l->counts ? l->counts[code] : 1;
}

static void add_value(kan_guess_values *list, uint64_t *counts, kan_slice value, uint64_t n_rows) {
    size_t at = list->n < KAN_GUESS_MOST ? list->n : KAN_GUESS_MOST;
    list->n++;
    list->n_rows += n_rows;
    for (; at > 0 && counts[at - 1] < n_rows; at--)
        if (at < KAN_GUESS_MOST) {
            counts[at] = counts[at - 1];
            list->values[at] = list->values[at - 1];
        }
    if (at < KAN_GUESS_MOST) {
        counts[at] = n_rows;
        list->values[at] = value;
    }
}

/* What a value is, when the column is written in that way. */
typedef enum { IS_NOTHING, IS_FITTING, IS_MISSING, IS_ODD } part;

static part part_of(way *w, kan_slice value) {
    if (value.size == 0)
        return IS_NOTHING;
    if (w->type != KAN_TYPE_TEXT && fits(w, value))
        return IS_FITTING;
    return kan_missing_code(value) ? IS_MISSING : IS_ODD;
}

/* Whether half of the sample fits. */
static bool is_worth_trying(const looked_at *l, way *w) {
    uint32_t n_fitting = 0;
    for (uint32_t i = 0; i < l->n_sample; i++)
        n_fitting += fits(w, l->sample[i]);
    return 2 * n_fitting >= l->n_sample;
}

/* Values from all over the dictionary that do not stand for missing ones. */
static void take_sample(looked_at *l) {
    const uint32_t n = l->dictionary->n, step = n > SAMPLE ? n / SAMPLE : 1;
    for (uint32_t code = 0; code < n && l->n_sample < SAMPLE; code += step) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        if (value.size > 0 && !kan_missing_code(value))
            l->sample[l->n_sample++] = value;
    }
}

/* How many of all values it does not fit; UINT32_MAX where these are too many. */
static uint32_t try_all(const looked_at *l, way *w) {
    uint32_t n_odd = 0, n_fitting = 0;
    uint64_t odd_rows = 0, fitting_rows = 0;
    if (!is_worth_trying(l, w))
        return UINT32_MAX;
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const part p = part_of(w, kan_dictionary_value(l->dictionary, code));
        n_odd += p == IS_ODD;
        odd_rows += p == IS_ODD ? rows_of(l, code) : 0;
        n_fitting += p == IS_FITTING;
        fitting_rows += p == IS_FITTING ? rows_of(l, code) : 0;
    }
    const bool is_one = n_fitting >= LEAST_FITTING && n_odd <= n_fitting / MOST_ODD_SHARE &&
                        odd_rows <= fitting_rows / MOST_ODD_SHARE;
    return is_one ? n_odd : UINT32_MAX;
}

/* ---- choosing ------------------------------------------------------------------------------- */

typedef struct {
    way best, second; /* the second is as good */
    uint32_t n_odd;   /* of the best; UINT32_MAX: there is none */
    bool has_second;
} choice;

static void consider(const looked_at *l, way *w, choice *out) {
    if (out->n_odd == 0 && out->has_second)
        return;
    const uint32_t n_odd = try_all(l, w);
    if (n_odd == UINT32_MAX || n_odd > out->n_odd)
        return;
    if (n_odd < out->n_odd) {
        *out = (choice){.best = *w, .n_odd = n_odd};
    } else if (!out->has_second) {
        out->second = *w;
        out->has_second = true;
    }
}

static choice choose_dates(const looked_at *l) {
    choice found = {.n_odd = UINT32_MAX};
    way plain = {.type = KAN_TYPE_DATE}, compact = {.type = KAN_TYPE_DATE};
    if (l->dictionary->type == KAN_TYPE_NUMBER) { /* no other date is a number */
        set_format(&compact, "%Y%m%d", "");
        consider(l, &compact, &found);
        return found;
    }
    consider(l, &plain, &found);
    if (found.n_odd == 0)
        return found;
    for (size_t t = 0; t < N_TIMES; t++)
        for (size_t d = 0; d < N_DAYS; d++) {
            way w = {.type = KAN_TYPE_DATE};
            set_format(&w, days[d], times[t]);
            consider(l, &w, &found);
        }
    return found;
}

/* Whether two ways to write numbers read some value of the column differently. */
static bool differ(const looked_at *l, const way *a, const way *b) {
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        char rooms[2][KAN_SPELLING_ROOM];
        kan_spelling s[2] = {a->spelling, b->spelling};
        s[0].is_settled = s[1].is_settled = true;
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        if (!kan_slice_equal(kan_spelling_take(&s[0], value, rooms[0]),
                             kan_spelling_take(&s[1], value, rooms[1])))
            return true;
    }
    return false;
}

static choice choose_numbers(const looked_at *l) {
    choice found = {.n_odd = UINT32_MAX};
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        way w = number_way(i);
        const choice before = found;
        const bool is_plain =
            found.n_odd == 0 && !found.best.spelling.decimal && !found.best.spelling.thousands;
        if (is_plain && w.spelling.thousands != '.')
            continue; /* 1.234 may be a thousand and some; there is no other doubt */
        consider(l, &w, &found);
        /* another sign for groups that no value has is no other reading */
        if (found.has_second && !before.has_second && !differ(l, &found.best, &found.second))
            found.has_second = false;
    }
    return found;
}

/* 19800314 is a number, too; a date only where all of them are, of years that people live in. */
static bool are_compact_dates(const looked_at *l, choice *dates) {
    if (dates->n_odd != 0 || strcmp(dates->best.format, "%Y%m%d") != 0)
        return dates->n_odd != UINT32_MAX;
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        if (part_of(&dates->best, value) == IS_FITTING &&
            (memcmp(value.bytes, "1850", 4) < 0 || memcmp(value.bytes, "2150", 4) > 0))
            return false;
    }
    return true;
}

/* ---- padding -------------------------------------------------------------------------------- */

static void strip_padding(const char *format, char *out) {
    for (; *format; format++) {
        *out++ = *format;
        if (*format == '%' && strchr("dmHI", format[1]))
            *out++ = '-';
    }
    *out = '\0';
}

static uint32_t count_same(const looked_at *l, way *w) {
    uint32_t n = 0;
    w->spelling.date.text = w->format;
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        char read[KAN_DATE_ROOM], written[KAN_DATE_ROOM];
        const size_t size = kan_date_format_read(&w->spelling.date, value, read);
        const size_t again =
            size ? kan_date_format_write(&w->spelling.date, (kan_slice){read, size}, written) : 0;
        n += again > 0 && kan_slice_equal((kan_slice){written, again}, value);
    }
    return n;
}

/* 3/4/1980 rather than 03/04/1980, where more of the values are written so. */
static void fit_padding(const looked_at *l, way *w) {
    way bare = *w;
    if (!*w->format || 2 * strlen(w->format) >= sizeof w->format)
        return;
    strip_padding(w->format, bare.format);
    if (count_same(l, &bare) > count_same(l, w))
        *w = bare;
}

static void write_format(const way *w, char out[KAN_GUESS_FORMAT]) {
    snprintf(out, KAN_GUESS_FORMAT, "%.40s%s", w->format,
             strstr(w->format, "%y") ? FIRST_YEAR : "");
}

/* ---- codes ---------------------------------------------------------------------------------- */

/* The number that a value is, in that way. */
static bool number_of(const way *w, kan_slice value, double *out) {
    char room[KAN_SPELLING_ROOM];
    kan_spelling settled = w->spelling;
    settled.is_settled = true;
    const kan_slice taken = kan_spelling_take(&settled, value, room);
    return kan_value_exact(KAN_TYPE_NUMBER, taken, out);
}

static bool is_all_nines(kan_slice value) {
    size_t n = 0;
    while (n < value.size && value.bytes[n] == '9')
        n++;
    return n == value.size;
}

/* The greatest number that is not all nines, and whether some number is below zero that is none of
 * the usual codes. */
static double greatest_of(const looked_at *l, const way *w, bool *has_negative) {
    double greatest = 0, number;
    *has_negative = false;
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        if (value.size == 0 || !number_of(w, value, &number))
            continue;
        const bool is_code = kan_missing_code(value) != NULL;
        *has_negative |= number < 0 && !is_code;
        if (number > greatest && !is_all_nines(value))
            greatest = number;
    }
    return greatest;
}

/* -9 where nothing else is below zero; 99 or 999 where nothing else has as many digits. */
static void find_suspects(const looked_at *l, const way *w, kan_spelling_guess *guess) {
    uint64_t counts[KAN_GUESS_MOST] = {0};
    bool has_negative;
    const double greatest = greatest_of(l, w, &has_negative);
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        double number;
        if (value.size < 2 || !number_of(w, value, &number))
            continue;
        const bool is_far = is_all_nines(value) && greatest > 0 && number / 10 >= greatest;
        const bool is_below =
            number < 0 && !has_negative && kan_missing_code(value) && !kan_slice_is(value, "-1");
        if (is_far || is_below)
            add_value(&guess->suspects, counts, value, rows_of(l, code));
    }
}

/* ---- the guess ------------------------------------------------------------------------------ */

static void sort_values(const looked_at *l, way *w, kan_spelling_guess *guess) {
    uint64_t missing[KAN_GUESS_MOST] = {0}, odd[KAN_GUESS_MOST] = {0};
    uint64_t n_known = 0;
    for (uint32_t code = 0; code < l->dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(l->dictionary, code);
        const uint64_t n_rows = rows_of(l, code);
        switch (part_of(w, value)) {
        case IS_NOTHING:
            break;
        case IS_FITTING:
            if (guess->n_fitting++ == 0)
                guess->example = value;
            guess->n_fitting_rows += n_rows;
            n_known += n_rows;
            break;
        case IS_MISSING:
            add_value(&guess->missing, missing, value, n_rows);
            break;
        case IS_ODD:
            add_value(&guess->odd, odd, value, n_rows);
            n_known += n_rows;
            break;
        }
    }
    if (n_known > 0)
        guess->percent = (unsigned)(100 * guess->n_fitting_rows / n_known);
}

static void tell_way(const looked_at *l, choice *c, kan_spelling_guess *guess) {
    way *best = &c->best;
    guess->type = best->type;
    guess->decimal = best->spelling.decimal;
    guess->thousands = best->spelling.thousands;
    guess->is_plain = !*best->format && !guess->decimal && !guess->thousands;
    if (c->has_second && best->type == KAN_TYPE_DATE) {
        fit_padding(l, &c->second);
        write_format(&c->second, guess->other_format);
    } else if (c->has_second) {
        guess->has_other_numbers = true;
        guess->other_decimal = c->second.spelling.decimal;
        guess->other_thousands = c->second.spelling.thousands;
    }
    fit_padding(l, best);
    write_format(best, guess->date_format);
    if (best->type == KAN_TYPE_NUMBER)
        find_suspects(l, best, guess);
}

kan_spelling_guess kan_spelling_guess_find(const kan_dictionary *dictionary,
                                           const uint64_t *counts) {
    looked_at l = {.dictionary = dictionary, .counts = counts};
    kan_spelling_guess guess = {.type = KAN_TYPE_TEXT};
    take_sample(&l);
    choice dates = choose_dates(&l), numbers = {.n_odd = UINT32_MAX};
    const bool are_dates = are_compact_dates(&l, &dates);
    if (!are_dates || dates.n_odd > 0)
        numbers = choose_numbers(&l);
    choice *best = are_dates && dates.n_odd <= numbers.n_odd ? &dates : &numbers;
    way none = {.type = KAN_TYPE_TEXT};
    const bool has_best = best->n_odd != UINT32_MAX;
    if (has_best)
        tell_way(&l, best, &guess);
    sort_values(&l, has_best ? &best->best : &none, &guess);
    guess.is_sure = has_best && guess.odd.n == 0 && !best->has_second &&
                    !strstr(guess.date_format, "%y") && guess.suspects.n == 0;
    return guess;
}

bool kan_spelling_guess_helps(const kan_spelling_guess *guess) {
    return guess->type != KAN_TYPE_TEXT &&
           (!guess->is_plain || guess->missing.n > 0 || guess->odd.n > 0);
}

void kan_missing_add(kan_text *text, const kan_guess_values *values) {
    const uint32_t n = values->n < KAN_GUESS_MOST ? values->n : KAN_GUESS_MOST;
    for (uint32_t i = 0; i < n; i++) {
        const kan_slice value = values->values[i];
        bool needs_quotes = value.bytes[0] == ' ' || value.bytes[value.size - 1] == ' ';
        for (size_t at = 0; at < value.size; at++)
            needs_quotes |= strchr(",=\"", value.bytes[at]) != NULL;
        kan_text_add(text, ",", i > 0);
        kan_text_add(text, "\"", needs_quotes);
        for (size_t at = 0; at < value.size; at++)
            kan_text_add(text, value.bytes[at] == '"' ? "\"\"" : value.bytes + at,
                         value.bytes[at] == '"' ? 2 : 1);
        kan_text_add(text, "\"", needs_quotes);
    }
}
