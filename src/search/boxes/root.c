/* Raising the root: see root.h. */
#include "search/boxes/root.h"

#include <string.h>

#include "group/margins.h"

/* Rows of groups that are too small when one attribute alone stands below its top. */
static uint64_t count_alone(const kan_question *question, unsigned attribute, unsigned level,
                            uint64_t *rows) {
    const kan_hierarchy *hierarchy = question->problem->space.dimensions[attribute].hierarchy;
    const uint64_t *leaf_rows = question->problem->leaf_rows[attribute];
    const uint32_t n_groups = hierarchy->levels[level].n_groups;
    uint64_t n_failing = 0;
    memset(rows, 0, n_groups * sizeof *rows);
    for (uint32_t leaf = 0; leaf < hierarchy->levels[0].n_groups; leaf++)
        rows[hierarchy->levels[level].from_leaf[leaf]] += leaf_rows[leaf];
    for (uint32_t g = 0; g < n_groups; g++)
        n_failing += rows[g] < question->promise->least_size ? rows[g] : 0;
    return n_failing;
}

/* Whether all others are one group each at their highest levels. */
static bool stands_alone(const kan_space *space, unsigned attribute, const uint8_t *high) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (a != attribute && kan_dimension_groups(&space->dimensions[a], high[a]) > 1)
            return false;
    return true;
}

kan_status kan_root_raise(const kan_question *question, const uint8_t *high, uint8_t *low,
                          uint64_t *tight) {
    const kan_space *space = &question->problem->space;
    if (!question->promise->size_decides)
        return KAN_OK;
    for (unsigned a = 0; a < space->n_attributes && stands_alone(space, a, high); a++) {
        uint64_t *rows;
        bool fails = true;
        KAN_TRY(kan_alloc(space->run, kan_dimension_groups(&space->dimensions[a], 0), sizeof *rows,
                          &rows));
        while (fails && low[a] < high[a]) {
            fails = count_alone(question, a, low[a], rows) > question->promise->limit;
            low[a] = (uint8_t)(low[a] + fails);
        }
        kan_free(space->run, rows);
        *tight |= UINT64_C(1) << a;
    }
    return KAN_OK;
}

static kan_status raise_attribute(kan_strict *strict, const kan_freqset *margin, unsigned attribute,
                                  const uint8_t *high, uint8_t *low, uint64_t *n_checked,
                                  kan_effort *effort) {
    const kan_question *question = strict->question;
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    bool fails = true;
    for (unsigned a = 0; a < question->problem->space.n_attributes; a++)
        levels[a] = high[a];
    while (fails && low[attribute] < high[attribute]) {
        levels[attribute] = low[attribute];
        ++*n_checked;
        KAN_TRY(kan_strict_check_from(strict, margin, levels, question->promise->limit, effort));
        fails = strict->n_least > question->promise->limit;
        low[attribute] = (uint8_t)(low[attribute] + fails);
    }
    return KAN_OK;
}

kan_status kan_root_raise_strictly(kan_strict *strict, const uint8_t *high, uint8_t *low,
                                   uint64_t *tight, uint64_t *n_checked, kan_effort *effort) {
    const kan_problem *problem = strict->question->problem;
    kan_margins margins;
    kan_status status;
    bool fits;
    *tight = 0;
    KAN_TRY_DONE(kan_margins_make(&margins, problem, &fits));
    if (fits) {
        effort->n_scans++;
        effort->n_tuples += problem->base.n;
    }
    for (unsigned a = 0; fits && a < problem->space.n_attributes; a++) {
        if (!stands_alone(&problem->space, a, high))
            continue;
        KAN_TRY_DONE(raise_attribute(strict, &margins.sets[a], a, high, low, n_checked, effort));
        *tight |= UINT64_C(1) << a;
    }
done:
    kan_strict_restart(strict);
    kan_margins_destroy(&margins);
    return status;
}
