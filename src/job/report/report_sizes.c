/* Sizes of groups beside those of the table, and the risk that follows from them.
 *
 * Where rows are counted, these are the rows of bands of sizes. Where people are, each counts once,
 * by the smallest group that she is in, or by how many have her history (outcome_people.c): so no
 * figure follows how many rows somebody has. */
#include <stdlib.h>

#include "analyze/risk/risk.h"
#include "group/viewer.h"
#include "job/outcome/outcome.h"
#include "job/report/report_data.h"

static bool is_released(const kan_groups *groups, size_t g) {
    return !groups->is_released || groups->is_released[g];
}

/* The sizes of the released groups. */
static kan_status sizes_after(const kan_report_source *source, kan_group_sizes *out) {
    const kan_groups *groups = kan_solution_groups(source->outcome->solution);
    kan_run *run = source->outcome->setup->run;
    uint64_t *sizes;
    size_t n = 0;
    KAN_TRY(kan_alloc(run, groups->n_groups, sizeof *sizes, &sizes));
    for (size_t g = 0; g < groups->n_groups; g++)
        if (is_released(groups, g))
            sizes[n++] = groups->count[g];
    const kan_status status = kan_group_sizes_make(run, sizes, n, 0, out);
    kan_free(run, sizes);
    return status;
}

/* The sizes of what the quasi-identifiers made of the table before; of released rows alone where
 * not all may be told. */
static kan_status sizes_before(const kan_report_source *source, kan_group_sizes *out) {
    const kan_setup *setup = source->outcome->setup;
    const kan_released *released = &source->outcome->released;
    kan_viewer viewer;
    kan_groups groups;
    if (!source->tells_all)
        return kan_group_sizes_make(setup->run, released->sizes, released->n_sizes, 0, out);
    kan_viewer_init(&viewer, &setup->problem);
    kan_status status = kan_viewer_groups(&viewer, &setup->problem.base, &groups);
    if (status == KAN_OK)
        status = kan_group_sizes_make(setup->run, groups.count, groups.n_groups, 0, out);
    kan_viewer_destroy(&viewer);
    return status;
}

/* One side, before or after: people or rows by size, and what that means. */
typedef struct {
    kan_size_band bands[KAN_SIZE_BANDS];
    size_t n_bands;
    kan_risk risk;
} side;

static void measure_rows(const kan_group_sizes *sizes, uint64_t threshold, side *out) {
    out->n_bands = kan_size_bands(sizes, threshold, out->bands);
    kan_risk_measure(sizes, threshold, &out->risk);
}

/* Each size is that of one person; a band's groups are then its people. */
static void measure_people(const kan_group_sizes *sizes, uint64_t threshold, side *out) {
    kan_people_risk(sizes, threshold, &out->risk);
    out->n_bands = kan_size_bands(sizes, threshold, out->bands);
    for (size_t i = 0; i < out->n_bands; i++)
        out->bands[i].n_rows = out->bands[i].n_groups;
}

static bool is_few(uint64_t n_rows, uint64_t merge_below) {
    return n_rows > 0 && n_rows < merge_below;
}

/* What is said in place of a share that is not told; NULL where it is. */
static const char *share_word(const kan_risk *risk, uint64_t n, uint64_t merge_below,
                              bool is_told) {
    if (is_told)
        return NULL;
    if (risk->n_rows < 2 * merge_below)
        return "few rows";
    return is_few(n, merge_below)                  ? "hardly any"
           : is_few(risk->n_rows - n, merge_below) ? "nearly all"
                                                   : "nearly as many as are at risk";
}

static json_t *word_json(const char *word) {
    return word ? json_string(word) : json_null();
}

/* Before, a number of people that is small is not told, nor two whose difference is: rows at risk
 * are told where neither they nor the others are few, and unique ones where neither they nor the
 * rest of those are. */
static json_t *risk_json(const kan_risk *risk, uint64_t merge_below, bool counts_people) {
    const uint64_t n_unique = risk->n_unique, n_at_risk = risk->n_rows_at_risk;
    const bool tells_risk =
        !is_few(n_at_risk, merge_below) && !is_few(risk->n_rows - n_at_risk, merge_below);
    const bool tells_unique =
        !is_few(n_unique, merge_below) && !is_few(risk->n_rows - n_unique, merge_below) &&
        (!tells_risk || n_unique > n_at_risk || !is_few(n_at_risk - n_unique, merge_below));
    const char *at_risk = share_word(risk, n_at_risk, merge_below, tells_risk);
    const char *unique = share_word(risk, n_unique, merge_below, tells_unique);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "groups",
                     counts_people ? json_null() : kan_json_count(risk->n_groups), "highest",
                     kan_json_real(risk->highest), "average", kan_json_real(risk->average),
                     "marketer", counts_people ? json_null() : kan_json_real(risk->marketer),
                     "share_at_risk", tells_risk ? kan_json_real(risk->share_at_risk) : json_null(),
                     "share_unique", tells_unique ? kan_json_real(risk->share_unique) : json_null(),
                     "word_at_risk", word_json(at_risk), "word_unique", word_json(unique));
}

/* ---- matches -------------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b) {
    const kan_size_count *x = a, *y = b;
    return (x->size > y->size) - (x->size < y->size);
}

/* People by how many rows match them, as a histogram of which each size is that of one person. */
static kan_status sizes_of_matches(kan_run *run, const kan_fits_sizes *from, kan_group_sizes *out) {
    kan_group_sizes sizes = {.run = run};
    size_t n = 0;
    KAN_TRY(kan_alloc(run, from->n, sizeof *sizes.counts, &sizes.counts));
    for (size_t i = 0; i < from->n; i++)
        sizes.counts[i] = (kan_size_count){from->rows[i], from->people[i]};
    if (from->n > 0)
        qsort(sizes.counts, from->n, sizeof *sizes.counts, compare_counts);
    for (size_t i = 0; i < from->n; i++)
        if (n > 0 && sizes.counts[n - 1].size == sizes.counts[i].size)
            sizes.counts[n - 1].n_groups += sizes.counts[i].n_groups;
        else
            sizes.counts[n++] = sizes.counts[i];
    sizes.n = n;
    *out = sizes;
    return KAN_OK;
}

/* The table held against itself, of released rows alone where not all may be told. */
static kan_status match_before(const kan_report_source *source, kan_fits_sizes *out) {
    const kan_setup *setup = source->outcome->setup;
    const uint8_t *gone = source->tells_all ? NULL : source->release->is_suppressed;
    kan_fits_recount found;
    size_t columns[KAN_MAX_ATTRIBUTES + 1], n = setup->n_quasi;
    memcpy(columns, setup->quasi, n * sizeof *columns);
    if (setup->stratum)
        columns[n++] = (size_t)(setup->stratum - setup->table->columns);
    const kan_fits_question question = {.release = setup->table,
                                        .original = setup->table,
                                        .released = columns,
                                        .originals = columns,
                                        .n_columns = n,
                                        .has_strata = setup->stratum != NULL,
                                        .is_left_out = gone,
                                        .is_unseen = gone,
                                        .k = setup->promise.least_size,
                                        .sizes = out};
    return kan_verify_fits(setup->run, &question, &found);
}

static kan_status match_sizes(const kan_report_source *source, bool is_after,
                              kan_group_sizes *out) {
    kan_run *run = source->outcome->setup->run;
    kan_fits_sizes before = {0};
    kan_status status = is_after ? KAN_OK : match_before(source, &before);
    if (status == KAN_OK)
        status = sizes_of_matches(run, is_after ? &source->outcome->match_sizes : &before, out);
    kan_fits_sizes_destroy(run, &before);
    return status;
}

/* ---- both sides ----------------------------------------------------------------------------- */

/* Both histograms in one list of bands. */
typedef struct {
    uint64_t least, most;
    uint64_t groups_before, rows_before, groups_after, rows_after;
} pair;

static size_t pair_bands(const side *before, const side *after, pair *out) {
    size_t i = 0, j = 0, n = 0;
    while (i < before->n_bands || j < after->n_bands) {
        const kan_size_band *x = i < before->n_bands ? &before->bands[i] : NULL;
        const kan_size_band *y = j < after->n_bands ? &after->bands[j] : NULL;
        const bool takes_x = x && (!y || x->least <= y->least);
        const bool takes_y = y && (!x || y->least <= x->least);
        pair *p = &out[n++];
        *p = (pair){.least = takes_x ? x->least : y->least, .most = takes_x ? x->most : y->most};
        if (takes_x) {
            p->groups_before = x->n_groups;
            p->rows_before = x->n_rows;
            i++;
        }
        if (takes_y) {
            p->groups_after = y->n_groups;
            p->rows_after = y->n_rows;
            j++;
        }
    }
    return n;
}

static void merge_into(pair *band, const pair *next) {
    band->most = next->most;
    band->groups_before += next->groups_before;
    band->rows_before += next->rows_before;
    band->groups_after += next->groups_after;
    band->rows_after += next->rows_after;
}

/* The lowest band with few people; n where there is none. What the release shows of rows anybody can
 * count; whose they are, nobody. */
static size_t find_small(const pair *bands, size_t n, uint64_t merge_below, bool hides_after) {
    for (size_t i = 0; i < n; i++)
        if (is_few(bands[i].rows_before, merge_below) ||
            (hides_after && is_few(bands[i].rows_after, merge_below)))
            return i;
    return n;
}

/* A band of few people is told together with those below it; where nobody is below, with those
 * above it. */
static size_t merge_bands(pair *bands, size_t n, uint64_t merge_below, bool hides_after) {
    for (size_t i; n > 1 && (i = find_small(bands, n, merge_below, hides_after)) < n; n--) {
        bool has_people = false;
        for (size_t j = 0; j < i; j++)
            has_people = has_people || bands[j].rows_before > 0;
        const size_t to = i > 0 && (has_people || i + 1 == n) ? i - 1 : i;
        merge_into(&bands[to], &bands[to + 1]);
        memmove(bands + to + 1, bands + to + 2, (n - to - 2) * sizeof *bands);
    }
    return n;
}

static json_t *band_count(uint64_t n, bool is_told) {
    return is_told ? kan_json_count(n) : json_null();
}

/* How many groups there were before follows how many rows somebody has. Where rows match there are
 * none. */
static json_t *bands_json(const kan_report_source *source, const pair *bands, size_t n,
                          bool has_before) {
    const bool counts_people = source->outcome->setup->person != NULL;
    const bool has_groups = !source->outcome->setup->matches_missing;
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        const pair *band = &bands[i];
        json_t *ends = json_pack("{s:o, s:o}", "least", kan_json_count(band->least), "most",
                                 kan_json_count(band->most));
        ends = kan_json_set(ends, counts_people ? "people_before" : "rows_before",
                            band_count(band->rows_before, has_before));
        ends = kan_json_set(ends, counts_people ? "people_released" : "rows_released",
                            band_count(band->rows_after, true));
        if (!counts_people) {
            ends = kan_json_set(ends, "groups_before",
                                band_count(band->groups_before, has_before && has_groups));
            ends =
                kan_json_set(ends, "groups_released", band_count(band->groups_after, has_groups));
        }
        array = kan_json_append(array, ends);
    }
    return array;
}

static kan_status show_groups(const kan_report_source *source, const side *before,
                              const side *after, json_t **sizes, json_t **risk) {
    static const side none;
    kan_run *run = source->outcome->setup->run;
    const uint64_t merge_below = kan_report_merge_below(source);
    /* whose rows are in a group nobody can count, nor whom they match */
    const bool of_people =
        source->outcome->setup->person || source->outcome->setup->matches_missing;
    pair bands[2 * KAN_SIZE_BANDS];
    json_t *shown = NULL;
    const size_t n = merge_bands(bands, pair_bands(before ? before : &none, after, bands),
                                 merge_below, of_people);
    KAN_TRY(kan_report_json(run, bands_json(source, bands, n, before != NULL), &shown));
    kan_status status = kan_report_json(
        run,
        json_pack("{s:o, s:o, s:o}", "threshold", kan_json_count(after->risk.threshold), "before",
                  before ? risk_json(&before->risk, merge_below, of_people) : json_null(),
                  "released", risk_json(&after->risk, of_people ? merge_below : 0, of_people)),
        risk);
    if (status == KAN_OK)
        *sizes = shown;
    else
        json_decref(shown);
    return status;
}

static kan_status measure_side(const kan_report_source *source, bool is_after, side *out) {
    const kan_setup *setup = source->outcome->setup;
    const kan_solution *solution = source->outcome->solution;
    const uint64_t threshold =
        setup->subsets.n > 0 ? kan_setup_least_told(setup) : kan_setup_of_groups(setup)->least_told;
    kan_group_sizes sizes;
    if (setup->matches_missing)
        KAN_TRY(match_sizes(source, is_after, &sizes));
    else if (setup->person)
        KAN_TRY(is_after ? kan_people_sizes_released(solution, &sizes)
                         : kan_people_sizes_before(solution, source->tells_all, &sizes));
    else
        KAN_TRY(is_after ? sizes_after(source, &sizes) : sizes_before(source, &sizes));
    if (setup->person || setup->matches_missing)
        measure_people(&sizes, threshold, out);
    else
        measure_rows(&sizes, threshold, out);
    kan_group_sizes_destroy(&sizes);
    return KAN_OK;
}

kan_status kan_report_groups(const kan_report_source *source, json_t **sizes, json_t **risk) {
    const bool has_before = !source->outcome->setup->problem.is_unfolded;
    side before, after;
    KAN_TRY(measure_side(source, true, &after));
    if (has_before)
        KAN_TRY(measure_side(source, false, &before));
    return show_groups(source, has_before ? &before : NULL, &after, sizes, risk);
}

json_t *kan_report_people(const kan_report_source *source) {
    const kan_setup *setup = source->outcome->setup;
    const uint64_t n_gone = source->outcome->solution->groups.n_left_out;
    const bool by_person = setup->promise.by_person;
    const char *limit = kan_options_find(&setup->job->options, "suppress");
    if (!setup->person)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o}", "released", kan_json_count(source->outcome->released.n_people),
        "left_out", by_person ? kan_json_count(n_gone) : json_null(), "share",
        by_person ? kan_json_real((double)n_gone / (double)setup->problem.n_people) : json_null(),
        "limit", limit ? kan_json_text(limit) : json_null());
}
