/* Treated tables. The values of a column are treated once each; what became equal becomes one
 * value, and the codes of the rows follow. */
#include <inttypes.h>

#include "core/spill.h"
#include "data/encoder.h"
#include "data/spelling.h"
#include "data/treat/treat_inside.h"

typedef struct {
    kan_run *run;
    const kan_table *raw;
    const char *origin;
    kan_arena *arena; /* of the treated table */
} treating;

/* ---- what does not fit ---------------------------------------------------------------------- */

/* What the values should be. */
static bool wants_days(const kan_treatment *t) {
    bool day = false;
    (void)kan_cap_bound_parse(t->low.size ? t->low : t->high, &day);
    return t->is_shifted || (kan_treatment_caps(t) && day);
}

static void tell_type(const treating *job, const kan_treatment *t, const kan_column *column) {
    char quoted[256];
    kan_quote(kan_slice_of(column->name), quoted);
    if (t->step.size > 0)
        kan_problem_add(job->run,
                        "%s: column %s holds dates, and --round is for numbers; give it a "
                        "hierarchy such as --qi NAME=date:month,year",
                        job->origin, quoted);
    else if (t->is_shifted)
        kan_problem_add(job->run,
                        "%s: column %s holds numbers, and --shift-dates is for dates; leave it out",
                        job->origin, quoted);
    else
        kan_problem_add(job->run, "%s: column %s holds %s; write bounds of --cap such as %s",
                        job->origin, quoted, wants_days(t) ? "numbers" : "dates",
                        wants_days(t) ? "..90" : "1950-01-01..");
}

static const char *flag_of(const kan_treatment *t) {
    return t->is_shifted ? "shift-dates" : t->step.size > 0 ? "round" : "cap";
}

/* Codes are not measured. */
static void tell_text(const treating *job, const kan_treatment *t, const kan_column *column) {
    char quoted[256];
    kan_problem_add(job->run,
                    "%s: --text calls column %s text, and --%s is for %s; leave out one of them",
                    job->origin, kan_quote(kan_slice_of(column->name), quoted), flag_of(t),
                    wants_days(t) ? "dates" : "numbers");
}

static void tell_misfits(const treating *job, const kan_treatment *t, const kan_column *column,
                         uint32_t n, uint32_t first) {
    char quoted[2][256];
    const kan_slice value = kan_dictionary_value(&column->dictionary, first);
    double unused;
    const bool is_number = !wants_days(t) && kan_value_exact(KAN_TYPE_NUMBER, value, &unused);
    kan_problem_add(job->run,
                    "%s: --%s: %" PRIu32 " of the %" PRIu32 " %s of column %s %s %s, %s %s; "
                    "correct %s%s",
                    job->origin, flag_of(t), n, column->dictionary.n,
                    kan_plural(column->dictionary.n, "value", "values"),
                    kan_quote(kan_slice_of(column->name), quoted[0]),
                    is_number ? kan_plural(n, "has", "have") : kan_plural(n, "is not", "are not"),
                    is_number       ? "too many digits"
                    : wants_days(t) ? kan_plural(n, "a date", "dates")
                                    : kan_plural(n, "a number", "numbers"),
                    kan_plural(n, "namely", "the first is"), kan_quote(value, quoted[1]),
                    kan_plural(n, "it", "them"),
                    is_number ? ", or leave the flag out"
                              : ", or name what stands for missing values with --missing NAME=...");
}

/* An end that also stands for a missing value could not be told from one in a release. */
static void check_ends(const treating *job, const kan_treatment *t, const kan_column *column) {
    char quoted[2][256];
    const kan_slice ends[] = {t->ends.low, t->ends.high};
    for (size_t i = 0; column->spelling && i < 2; i++)
        if (ends[i].size > 0 && !kan_spelling_holds(column->spelling, ends[i]))
            kan_problem_add(job->run,
                            "%s: --cap: %s also stands for a missing value of column %s; leave it "
                            "out of --missing",
                            job->origin, kan_quote(ends[i], quoted[0]),
                            kan_quote(kan_slice_of(column->name), quoted[1]));
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The treated values in an encoder, and the way from the raw codes to the encoder's. */
static kan_status treat_values(const treating *job, const kan_treatment *t, const kan_column *raw,
                               kan_encoder *encoder, uint32_t *map) {
    const kan_dictionary *values = &raw->dictionary;
    const kan_type other = wants_days(t) ? KAN_TYPE_NUMBER : KAN_TYPE_DATE;
    uint32_t n_misfits = 0, first = 0;
    check_ends(job, t, raw);
    if (kan_column_is_called_text(raw) && !t->is_pseudonym) {
        tell_text(job, t, raw);
        return KAN_OK;
    }
    if (values->type == other && !t->is_pseudonym) {
        tell_type(job, t, raw);
        return KAN_OK;
    }
    for (uint32_t code = 0; code < values->n; code++) {
        KAN_TRY(kan_check_cancel(job->run));
        char room[KAN_TREATED_ROOM];
        kan_slice treated;
        if (kan_treat_value(t, kan_dictionary_value(values, code), room, &treated))
            KAN_TRY(kan_encoder_add(encoder, treated, &map[code]));
        else if (n_misfits++ == 0)
            first = code;
    }
    if (n_misfits > 0)
        tell_misfits(job, t, raw, n_misfits, first);
    return KAN_OK;
}

static void map_codes(kan_run *run, const kan_column *raw, const uint32_t *map, kan_column *out) {
    enum { STEP = 1 << 20 };
    for (uint64_t row = 0; row < raw->n_rows; row += STEP) {
        const uint64_t n = raw->n_rows - row < STEP ? raw->n_rows - row : STEP;
        kan_codes_map((const char *)raw->codes + row * raw->width, raw->width, map, n,
                      (char *)out->codes + row * out->width, out->width);
        kan_column_done(run, raw, row, n);
        kan_column_done(run, out, row, n);
    }
}

/* A capped column is written as before, and its ends, too. */
static kan_status spell(const treating *job, const kan_treatment *t, kan_column *out) {
    kan_spelling *spelling;
    kan_ends *ends;
    if (!kan_treatment_caps(t))
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(job->arena, 1, sizeof *ends, &ends));
    *ends = t->ends;
    out->ends = ends;
    if (!out->spelling)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(job->arena, 1, sizeof *spelling, &spelling));
    *spelling = *out->spelling;
    spelling->has_ends = true;
    out->spelling = spelling;
    return KAN_OK;
}

static kan_status map_column(const treating *job, const kan_treatment *t, const kan_column *raw,
                             kan_column *out) {
    kan_encoder encoder = {.run = job->run};
    kan_column made = *raw;
    uint32_t *map = NULL, *rank = NULL;
    const size_t n_problems = kan_problems_count(job->run);
    kan_status status;
    KAN_ASSERT(raw->is_encoded);
    made.dictionary = (kan_dictionary){0};
    made.codes = NULL;
    KAN_TRY_DONE(kan_encoder_init(&encoder, job->run));
    KAN_TRY_DONE(kan_alloc(job->run, raw->dictionary.n, sizeof *map, &map));
    KAN_TRY_DONE(treat_values(job, t, raw, &encoder, map));
    if (kan_problems_count(job->run) > n_problems)
        goto done;
    KAN_TRY_DONE(spell(job, t, &made));
    KAN_TRY_DONE(kan_dictionary_build_column(
        job->run, &encoder, made.ends, kan_column_is_called_text(raw), &rank, &made.dictionary));
    for (uint32_t code = 0; code < raw->dictionary.n; code++)
        map[code] = rank[map[code]];
    made.width = kan_code_width(made.dictionary.n);
    KAN_TRY_DONE(kan_spill_alloc(job->run, raw->n_rows, made.width, &made.codes));
    map_codes(job->run, raw, map, &made);
    *out = made;
    made.dictionary = (kan_dictionary){0};
done:
    kan_dictionary_destroy(job->run, &made.dictionary);
    kan_encoder_destroy(&encoder);
    kan_free(job->run, map);
    kan_free(job->run, rank);
    return status;
}

/* What is not a date is told by name, before any is moved. */
static bool has_dates(const treating *job, const kan_treatment *t, const kan_column *raw) {
    uint32_t n_misfits = 0, first = 0;
    if (kan_column_is_called_text(raw)) {
        tell_text(job, t, raw);
        return false;
    }
    if (raw->dictionary.type == KAN_TYPE_NUMBER) {
        tell_type(job, t, raw);
        return false;
    }
    for (uint32_t code = 0; code < raw->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&raw->dictionary, code);
        kan_date date;
        if (!kan_value_is_unknown(value) && !kan_date_parse(value, &date) && n_misfits++ == 0)
            first = code;
    }
    if (n_misfits > 0)
        tell_misfits(job, t, raw, n_misfits, first);
    return n_misfits == 0;
}

/* Shifted, and then capped if it is to be. */
static kan_status shift_column(const treating *job, const kan_treatment *t, const kan_column *raw,
                               kan_column *out) {
    kan_column moved;
    bool is_made;
    if (!has_dates(job, t, raw))
        return KAN_OK;
    KAN_TRY(kan_treat_shift_column(job->run, t, job->raw, job->origin, &is_made, &moved));
    if (!is_made)
        return KAN_OK;
    if (!kan_treatment_caps(t)) {
        *out = moved;
        return KAN_OK;
    }
    const kan_status status = map_column(job, t, &moved, out);
    kan_dictionary_destroy(job->run, &moved.dictionary);
    kan_free(job->run, moved.codes);
    return status;
}

static kan_status treat_column(const treating *job, const kan_treatment *t, kan_column *out) {
    const kan_column *raw = &job->raw->columns[t->column];
    return t->is_shifted ? shift_column(job, t, raw, out) : map_column(job, t, raw, out);
}

/* ---- tables --------------------------------------------------------------------------------- */

kan_status kan_table_treat(kan_run *run, const kan_table *raw, const char *origin,
                           const kan_treatment *treatments, size_t n, kan_table **out) {
    kan_table *table;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *table, &table));
    table->run = run;
    table->n_rows = raw->n_rows;
    table->counts = raw->counts; /* borrowed */
    table->n_counted = raw->n_counted;
    kan_arena_init(&table->arena, run);
    KAN_TRY_DONE(kan_alloc(run, raw->n_columns, sizeof *table->columns, &table->columns));
    memcpy(table->columns, raw->columns, raw->n_columns * sizeof *table->columns);
    table->n_columns = raw->n_columns;
    const treating job = {run, raw, origin, &table->arena};
    for (size_t i = 0; i < n; i++) {
        KAN_TRY_DONE(kan_check_cancel(run));
        KAN_TRY_DONE(treat_column(&job, &treatments[i], &table->columns[treatments[i].column]));
    }
    *out = table;
    table = NULL;
done:
    kan_treated_destroy(table, raw);
    return status;
}

/* Whether a column is the raw table's own. */
static bool is_shared(const kan_table *treated, const kan_table *raw, size_t column) {
    return treated->columns[column].dictionary.start == raw->columns[column].dictionary.start;
}

kan_status kan_treated_divide(kan_table *treated, const kan_table *raw, const uint64_t *row_of) {
    treated->counts = raw->counts;
    treated->n_counted = raw->n_counted;
    treated->n_rows = raw->n_rows;
    for (size_t i = 0; i < treated->n_columns; i++) {
        kan_column *column = &treated->columns[i];
        if (is_shared(treated, raw, i)) {
            *column = raw->columns[i];
            continue;
        }
        column->missing_of = NULL; /* the raw table's, which has them divided by now */
        KAN_TRY(kan_column_divide(treated->run, column, row_of, raw->n_rows));
        column->missing_of = raw->columns[i].missing_of;
        column->counts = raw->counts;
    }
    return KAN_OK;
}

void kan_treated_destroy(kan_table *treated, const kan_table *raw) {
    if (!treated)
        return;
    kan_run *run = treated->run;
    for (size_t i = 0; i < treated->n_columns; i++) {
        if (is_shared(treated, raw, i))
            continue; /* the raw table's */
        kan_dictionary_destroy(run, &treated->columns[i].dictionary);
        kan_free(run, treated->columns[i].codes);
    }
    kan_free(run, treated->columns);
    kan_arena_destroy(&treated->arena);
    kan_free(run, treated);
}
