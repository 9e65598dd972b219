/* Means of regions: what --summary shows of numbers.
 *
 * Sums are exact decimals. A mean is written with at most six digits after the point, rounded half
 * away from zero; unknown values do not count, and where there is no number it is *. Two regions
 * whose means are written alike have, taken together, a mean that is written so, too: it lies
 * between theirs. So groups may be formed of regions by what they show. */
#include <string.h>

#include "data/decimal.h"
#include "job/solution/solution.h"

enum { MEAN_SCALE = 6 };

typedef struct {
    kan_solution *solution;
    unsigned attribute;
    unsigned scale;
    kan_wide *units;  /* by leaf */
    kan_wide *sums;   /* by region, or cell: kan_solution_pile */
    uint64_t *n_rows; /* the same: those with a number */
    uint32_t *slots;  /* labels by their means: label + 1; 0 is free */
    size_t mask;
    kan_slice *labels;
    kan_wide *means; /* by label */
    uint32_t n_labels;
} averaging;

static kan_status fail_digits(const kan_setup *setup, unsigned a) {
    const bool is_median = kan_setup_summary(setup) == KAN_SUMMARY_MEDIAN;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--summary: the numbers of column '%s' have too many digits for an exact %s; "
                    "use --summary range",
                    setup->domains[a]->column->name, is_median ? "median" : "mean");
}

/* Every number of an attribute as a whole number of units, by leaf; NULL: whether they are. */
static kan_status read_units(const kan_setup *setup, unsigned a, unsigned *scale, kan_wide *units) {
    const kan_hierarchy *h = setup->domains[a]->hierarchy;
    *scale = 0;
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++)
        if (!kan_value_is_unknown(h->levels[0].label[leaf]) &&
            !kan_decimal_scale(h->levels[0].label[leaf], scale))
            return fail_digits(setup, a);
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        bool is_exact;
        kan_wide number;
        if (kan_value_is_unknown(h->levels[0].label[leaf]))
            continue;
        if (!kan_decimal_floor(h->levels[0].label[leaf], *scale, &number, &is_exact))
            return fail_digits(setup, a);
        if (units)
            units[leaf] = number;
    }
    return KAN_OK;
}

kan_status kan_solution_check_digits(const kan_setup *setup) {
    unsigned scale;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (kan_setup_summary(setup) != KAN_SUMMARY_RANGE && kan_setup_has_mean(setup, a))
            KAN_TRY(read_units(setup, a, &scale, NULL));
    return KAN_OK;
}

/* What has one mean: a region, or where columns are grouped by themselves its cell. */
static uint32_t pile_of(const averaging *v, size_t region) {
    return kan_solution_pile(v->solution, region, v->attribute);
}

static kan_status add_up(averaging *v) {
    const kan_regions *regions = v->solution->answer.recoding.regions;
    const kan_problem *problem = v->solution->problem;
    const kan_hierarchy *h = v->solution->setup->hierarchies[v->attribute];
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const uint32_t leaf = kan_problem_tuple_value(problem, t, v->attribute);
        kan_portion single;
        const kan_portion *portions;
        if (kan_value_is_unknown(h->levels[0].label[leaf]))
            continue;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++) {
            const uint32_t r = pile_of(v, portions[i].region);
            kan_wide part;
            v->n_rows[r] += portions[i].n_rows;
            if (!kan_wide_multiply(v->units[leaf], (kan_wide)portions[i].n_rows, &part) ||
                __builtin_add_overflow(v->sums[r], part, &v->sums[r]))
                return fail_digits(v->solution->setup, v->attribute);
        }
    }
    return KAN_OK;
}

/* The mean of n numbers with that sum, in units of MEAN_SCALE; false when it is out of reach. */
static bool divide(kan_wide sum, uint64_t n, unsigned scale, kan_wide *out) {
    kan_wide above = sum < 0 ? -sum : sum, below = (kan_wide)n;
    for (unsigned s = scale; s < MEAN_SCALE; s++)
        if (!kan_wide_multiply(above, 10, &above))
            return false;
    for (unsigned s = MEAN_SCALE; s < scale; s++)
        if (!kan_wide_multiply(below, 10, &below))
            return false;
    const kan_wide whole = above / below, rest = above % below;
    const kan_wide mean = whole + (rest >= below - rest);
    *out = sum < 0 ? -mean : mean;
    return true;
}

/* The label of a mean; a new one when there is none yet. */
static kan_status find_label(averaging *v, bool is_known, kan_wide mean, uint32_t *out) {
    const uint64_t words[] = {(uint64_t)mean, (uint64_t)(mean >> 64), is_known};
    size_t at = (size_t)kan_hash_words(words, 3) & v->mask;
    char text[KAN_DECIMAL_BYTES];
    const char *copy;
    for (; v->slots[at] != 0; at = (at + 1) & v->mask) {
        const uint32_t label = v->slots[at] - 1;
        if (is_known ? v->means[label] == mean && !kan_slice_is(v->labels[label], "*")
                     : kan_slice_is(v->labels[label], "*")) {
            *out = label;
            return KAN_OK;
        }
    }
    const char *end = is_known ? kan_decimal_write(mean, MEAN_SCALE, text) : text;
    if (is_known)
        KAN_TRY(kan_arena_copy(&v->solution->by_group.arena, text, (size_t)(end - text), &copy));
    v->labels[v->n_labels] = is_known ? (kan_slice){copy, (size_t)(end - text)} : kan_slice_of("*");
    v->means[v->n_labels] = mean;
    *out = v->n_labels++;
    v->slots[at] = v->n_labels;
    return KAN_OK;
}

static kan_status label_means(averaging *v, uint32_t *codes) {
    const size_t n_regions = v->solution->answer.recoding.regions->n_regions;
    for (size_t r = 0; r < n_regions; r++) {
        const uint32_t p = pile_of(v, r);
        kan_wide mean = 0;
        if (v->n_rows[p] > 0 && !divide(v->sums[p], v->n_rows[p], v->scale, &mean))
            return fail_digits(v->solution->setup, v->attribute);
        KAN_TRY(find_label(v, v->n_rows[p] > 0, mean, &codes[r]));
    }
    return KAN_OK;
}

kan_status kan_solution_means(kan_solution *solution, unsigned a, kan_group_column *column,
                              uint32_t *codes) {
    kan_status status;
    kan_run *run = solution->setup->run;
    const size_t n_regions = solution->answer.recoding.regions->n_regions;
    averaging v = {.solution = solution, .attribute = a};
    size_t n_slots = 8;
    while (n_slots < 2 * n_regions)
        n_slots *= 2;
    v.mask = n_slots - 1;
    KAN_TRY_DONE(
        kan_alloc_zero(run, solution->setup->hierarchies[a]->n_codes, sizeof *v.units, &v.units));
    KAN_TRY_DONE(kan_alloc_zero(run, n_regions, sizeof *v.sums, &v.sums));
    KAN_TRY_DONE(kan_alloc_zero(run, n_regions, sizeof *v.n_rows, &v.n_rows));
    KAN_TRY_DONE(kan_alloc_zero(run, n_slots, sizeof *v.slots, &v.slots));
    KAN_TRY_DONE(kan_alloc(run, n_regions, sizeof *v.means, &v.means));
    KAN_TRY_DONE(
        kan_arena_alloc(&solution->by_group.arena, n_regions, sizeof *v.labels, &v.labels));
    KAN_TRY_DONE(read_units(solution->setup, a, &v.scale, v.units));
    KAN_TRY_DONE(add_up(&v));
    KAN_TRY_DONE(label_means(&v, codes));
    column->labels = v.labels;
    column->n_labels = v.n_labels;
done:
    kan_free(run, v.units);
    kan_free(run, v.sums);
    kan_free(run, v.n_rows);
    kan_free(run, v.slots);
    kan_free(run, v.means);
    return status;
}

/* ---- what means give away ------------------------------------------------------------------- */

/* Marks the groups that have two or three numbers in an attribute. */
static kan_status mark_few(const kan_solution *solution, unsigned a, uint8_t *fewest) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    const kan_slice *values = solution->setup->hierarchies[a]->levels[0].label;
    const size_t n_groups = solution->by_group.n_groups;
    kan_run *run = solution->setup->run;
    uint64_t *n_numbers;
    KAN_TRY(kan_alloc_zero(run, n_groups, sizeof *n_numbers, &n_numbers));
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const uint32_t leaf = kan_problem_tuple_value(problem, t, a);
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n && !kan_value_is_unknown(values[leaf]); i++)
            n_numbers[solution->by_group.group_of_region[portions[i].region]] += portions[i].n_rows;
    }
    for (size_t g = 0; g < n_groups; g++)
        if ((n_numbers[g] == 2 || n_numbers[g] == 3) &&
            (fewest[g] == 0 || n_numbers[g] < fewest[g]))
            fewest[g] = (uint8_t)n_numbers[g];
    kan_free(run, n_numbers);
    return KAN_OK;
}

kan_status kan_solution_note_means(const kan_solution *solution) {
    const kan_group_release *release = &solution->by_group;
    kan_run *run = solution->setup->run;
    kan_status status;
    uint64_t n_pairs = 0, n_triples = 0;
    char pairs[32], triples[32];
    bool has_mean = false;
    uint8_t *fewest;
    KAN_TRY(kan_alloc_zero(run, release->n_groups, sizeof *fewest, &fewest));
    for (size_t c = 0; c < release->n_columns; c++)
        if (release->middle[c] == KAN_MIDDLE_MEAN) {
            has_mean = true;
            KAN_TRY_DONE(mark_few(solution, release->attribute_of[c], fewest));
        }
    for (size_t g = 0; g < release->n_groups; g++) {
        n_pairs += fewest[g] == 2;
        n_triples += fewest[g] == 3;
    }
    if (has_mean && n_pairs + n_triples == 0)
        kan_note(run, "--summary both: a range and a mean together reveal more than either; those "
                      "of two or three numbers determine each of them, and no group has as few");
    else if (has_mean)
        kan_note(run,
                 "--summary both: the least, the greatest and the mean of two or three numbers "
                 "determine each of them; groups that show those of 2: %s, of 3: %s; use --summary "
                 "range or mean, or --k 4 or more",
                 kan_count_text(n_pairs, pairs), kan_count_text(n_triples, triples));
    status = KAN_OK;
done:
    kan_free(run, fewest);
    return status;
}
