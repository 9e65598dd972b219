/* Counting margins: see margins.h. */
#include "group/margins.h"

static uint32_t n_groups_of(const kan_problem *problem, unsigned dimension) {
    return kan_dimension_groups(&problem->space.dimensions[dimension], 0);
}

static uint64_t count_counters(const kan_problem *problem) {
    uint64_t n = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        n += (uint64_t)n_groups_of(problem, a) * n_groups_of(problem, problem->space.n_attributes);
    return n;
}

static bool can_count(const kan_problem *problem) {
    enum { FEW = 1 << 12 };
    return problem->space.n_tails == 1 && problem->base.layout.n_words == 1 &&
           problem->n_rows <= UINT32_MAX && count_counters(problem) <= FEW + problem->base.n;
}

static uint64_t mask_of(const kan_key_field *field) {
    return field->bits ? ~UINT64_C(0) >> (64 - field->bits) : 0;
}

static void count_field(const kan_key_field *field, const uint64_t *restrict keys,
                        const uint64_t *restrict counts, const uint32_t *restrict values, size_t n,
                        uint32_t n_values, uint32_t *restrict counters) {
    const unsigned shift = field->shift;
    const uint64_t mask = mask_of(field);
    for (size_t i = 0; i < n; i++)
        counters[(keys[i] >> shift & mask) * n_values + values[i]] += (uint32_t)counts[i];
}

/* A few tuples at a time, which stay near while every attribute is counted. */
static void count_tuples(const kan_margins *margins) {
    enum { BLOCK = 512 };
    const kan_problem *problem = margins->problem;
    const kan_freqset *base = &problem->base;
    const unsigned n_attributes = problem->space.n_attributes;
    const kan_key_field *tail = &base->layout.fields[n_attributes];
    const uint32_t n_values = n_groups_of(problem, n_attributes);
    uint32_t values[BLOCK];
    for (size_t first = 0; first < base->n; first += BLOCK) {
        const size_t n = base->n - first < BLOCK ? base->n - first : BLOCK;
        uint32_t *counters = margins->counters;
        for (size_t i = 0; i < n; i++)
            values[i] = kan_key_field_value(tail, base->keys + first + i);
        for (unsigned a = 0; a < n_attributes; a++) {
            count_field(&base->layout.fields[a], base->keys + first, base->counts + first, values,
                        n, n_values, counters);
            counters += (size_t)n_groups_of(problem, a) * n_values;
        }
    }
}

static kan_status list_margin(const kan_problem *problem, unsigned attribute,
                              const uint32_t *counters, kan_freqset *out) {
    const unsigned tail = problem->space.n_attributes;
    const uint32_t n_values = n_groups_of(problem, tail);
    const size_t n_counters = (size_t)n_groups_of(problem, attribute) * n_values;
    const unsigned order[] = {attribute, tail}, levels[] = {0, 0};
    size_t n = 0;
    kan_layout_make(&problem->space, order, levels, 2, &out->layout);
    KAN_TRY(kan_freqset_reserve(problem->run, out, n_counters + 1));
    for (size_t i = 0; i < n_counters; i++) {
        out->keys[n] = (uint64_t)(i / n_values) << out->layout.fields[0].shift |
                       (uint64_t)(i % n_values) << out->layout.fields[1].shift;
        out->counts[n] = counters[i];
        n += counters[i] > 0;
    }
    out->n = n;
    KAN_ASSERT(kan_freqset_is_sound(out));
    return KAN_OK;
}

kan_status kan_margins_make(kan_margins *out, const kan_problem *problem, bool *fits) {
    kan_run *run = problem->run;
    *out = (kan_margins){.problem = problem};
    *fits = can_count(problem);
    if (!*fits)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, problem->space.n_attributes, sizeof *out->sets, &out->sets));
    KAN_TRY(kan_alloc_zero(run, (size_t)count_counters(problem) + 1, sizeof *out->counters,
                           &out->counters));
    count_tuples(out);
    const uint32_t *counters = out->counters;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        KAN_TRY(list_margin(problem, a, counters, &out->sets[a]));
        counters +=
            (size_t)n_groups_of(problem, a) * n_groups_of(problem, problem->space.n_attributes);
    }
    return KAN_OK;
}

void kan_margins_destroy(kan_margins *margins) {
    kan_run *run = margins->problem->run;
    for (unsigned a = 0; margins->sets && a < margins->problem->space.n_attributes; a++)
        kan_freqset_destroy(run, &margins->sets[a]);
    kan_free(run, margins->sets);
    kan_free(run, margins->counters);
}
