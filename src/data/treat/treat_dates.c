/* Shifted dates: all dates of a person are moved by the same number of days, which follows from the
 * key, the domain and the person, and is one of -WITHIN .. WITHIN, each as likely as any other. Time
 * of day and zone stay. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/spill.h"
#include "data/encoder.h"
#include "data/treat/treat_inside.h"

/* ---- by how much ---------------------------------------------------------------------------- */

int64_t kan_treat_shift(const kan_treatment *t, kan_slice person) {
    const uint64_t n = 2 * t->within + 1;
    const uint64_t most = UINT64_MAX - UINT64_MAX % n; /* a multiple of n */
    char purpose[32] = "shift";
    uint8_t digest[KAN_TREAT_DIGEST];
    uint64_t word = UINT64_MAX;
    /* Words beyond the last multiple would prefer some numbers. */
    for (unsigned round = 1; word >= most; round++) {
        kan_treat_digest(t, purpose, person, digest);
        for (unsigned at = 0; at < KAN_TREAT_DIGEST && word >= most; at += 8) {
            word = 0;
            for (unsigned i = 0; i < 8; i++)
                word = word << 8 | digest[at + i];
        }
        snprintf(purpose, sizeof purpose, "shift %u", round);
    }
    explicit_bzero(digest, sizeof digest);
    return (int64_t)(word % n) - (int64_t)t->within;
}

/* ---- days ----------------------------------------------------------------------------------- */

enum { DAYS_OF_400_YEARS = 146097 };

/* The date that is so many days behind 1970-01-01; false outside of the years 0 to 9999. */
static bool date_of_days(int64_t days, kan_date *out) {
    const int64_t first = (int64_t)kan_date_days((kan_date){0, 1, 1});
    const int64_t end = (int64_t)kan_date_days((kan_date){9999, 12, 31}) + 1;
    if (days < first || days >= end)
        return false;
    /* the year: by the average, and then the next ones */
    kan_date date = {(int)((days - first) * 400 / DAYS_OF_400_YEARS), 1, 1};
    while (date.year > 0 && kan_date_days(date) > (double)days)
        date.year--;
    while ((int64_t)kan_date_days((kan_date){date.year + 1, 1, 1}) <= days)
        date.year++;
    int64_t left = days - (int64_t)kan_date_days(date);
    for (; left >= kan_days_of_month(date.year, date.month); date.month++)
        left -= kan_days_of_month(date.year, date.month);
    date.day = 1 + (int)left;
    *out = date;
    return true;
}

bool kan_treat_date(kan_slice value, int64_t shift, char room[KAN_TREATED_ROOM], kan_slice *out) {
    enum { DAY = 10 };
    kan_date date;
    if (!kan_date_parse(value, &date) || value.size >= KAN_TREATED_ROOM ||
        !date_of_days((int64_t)kan_date_days(date) + shift, &date))
        return false;
    snprintf(room, KAN_TREATED_ROOM, "%04d-%02d-%02d", date.year, date.month, date.day);
    memcpy(room + DAY, value.bytes + DAY, value.size - DAY);
    *out = (kan_slice){room, value.size};
    return true;
}

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    const kan_column *dates, *people;
    int64_t *shift;   /* by code of the person */
    kan_encoder made; /* the shifted dates */
    uint32_t *codes;  /* by row, of the encoder */
} shifting;

static kan_status find_shifts(shifting *s, const kan_treatment *t) {
    const kan_dictionary *people = &s->people->dictionary;
    KAN_TRY(kan_alloc(s->run, people->n, sizeof *s->shift, &s->shift));
    for (uint32_t code = 0; code < people->n; code++) {
        KAN_TRY(kan_check_cancel(s->run));
        s->shift[code] = kan_treat_shift(t, kan_dictionary_value(people, code));
    }
    return KAN_OK;
}

/* The date of a row, moved; false, and a problem, where that cannot be. */
static bool shift_row(const shifting *s, const kan_treatment *t, const char *origin, uint64_t row,
                      char room[KAN_TREATED_ROOM], kan_slice *out) {
    const uint32_t person = kan_column_code(s->people, row);
    char quoted[2][256];
    *out = kan_column_value(s->dates, row);
    if (kan_value_is_unknown(*out))
        return true;
    kan_quote(kan_slice_of(t->name), quoted[0]);
    if (kan_value_is_unknown(kan_column_value(s->people, row))) {
        kan_problem_add(
            s->run,
            "%s: column %s (--by) does not identify the person of row %" PRIu64
            ", so its date in column %s cannot be shifted; correct it, or leave such rows out",
            origin, kan_quote(kan_slice_of(s->people->name), quoted[1]), row + 1, quoted[0]);
        return false;
    }
    if (kan_treat_date(*out, s->shift[person], room, out))
        return true;
    kan_problem_add(s->run,
                    "%s: --shift-dates: a date of column %s would leave the years 0 to 9999; "
                    "correct it, or name it with --missing",
                    origin, quoted[0]);
    return false;
}

static kan_status shift_rows(shifting *s, const kan_treatment *t, const char *origin) {
    enum { WINDOW = 1 << 18 };
    for (uint64_t row = 0; row < s->dates->n_rows; row++) {
        char room[KAN_TREATED_ROOM];
        kan_slice shifted;
        if (row % WINDOW == 0) {
            const uint64_t behind = row < WINDOW ? row : WINDOW;
            KAN_TRY(kan_check_cancel(s->run));
            kan_column_done(s->run, s->dates, row - behind, behind);
            kan_column_done(s->run, s->people, row - behind, behind);
        }
        if (!shift_row(s, t, origin, row, room, &shifted))
            return KAN_OK;
        KAN_TRY(kan_encoder_add(&s->made, shifted, &s->codes[row]));
    }
    return KAN_OK;
}

static kan_status seal(shifting *s, kan_column *out) {
    enum { STEP = 1 << 20 };
    kan_column made = *s->dates;
    uint32_t *map;
    KAN_TRY(kan_dictionary_build(s->run, &s->made, 1, 1, &map, &made.dictionary));
    made.width = kan_code_width(made.dictionary.n);
    const kan_status status = kan_spill_alloc(s->run, made.n_rows, made.width, &made.codes);
    for (uint64_t row = 0; status == KAN_OK && row < made.n_rows; row += STEP) {
        const uint64_t n = made.n_rows - row < STEP ? made.n_rows - row : STEP;
        kan_codes_map(s->codes + row, sizeof *s->codes, map, n,
                      (char *)made.codes + row * made.width, made.width);
    }
    kan_free(s->run, map);
    if (status == KAN_OK)
        *out = made;
    else
        kan_dictionary_destroy(s->run, &made.dictionary);
    return status;
}

kan_status kan_treat_shift_column(kan_run *run, const kan_treatment *t, const kan_table *raw,
                                  const char *origin, bool *is_made, kan_column *out) {
    shifting s = {.run = run,
                  .dates = &raw->columns[t->column],
                  .people = t->whose ? t->whose : &raw->columns[t->person],
                  .made = {.run = run}};
    const size_t n_problems = kan_problems_count(run);
    kan_status status;
    *is_made = false;
    KAN_TRY_DONE(kan_encoder_init(&s.made, run));
    KAN_TRY_DONE(kan_spill_alloc(run, s.dates->n_rows, sizeof *s.codes, &s.codes));
    KAN_TRY_DONE(find_shifts(&s, t));
    KAN_TRY_DONE(shift_rows(&s, t, origin));
    if (kan_problems_count(run) > n_problems)
        goto done;
    KAN_TRY_DONE(seal(&s, out));
    *is_made = true;
done:
    kan_encoder_destroy(&s.made);
    kan_free(run, s.codes);
    kan_free(run, s.shift);
    return status;
}
