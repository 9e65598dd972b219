/* See group_sums.h. */
#include "search/boxes/group_sums.h"

#include "core/pool.h"

typedef struct {
    const kan_groups *groups;
    uint64_t least;
    const kan_objective *objective;
    size_t n_parts;
    kan_small_groups small[KAN_MOST_PARTS];
    kan_score bounds[KAN_MOST_PARTS];
} sums;

/* Some of the groups, for who looks at their sizes alone. */
static kan_groups part_of(const sums *s, size_t part) {
    const size_t n = s->groups->n_groups, first = kan_part_start(n, s->n_parts, part);
    kan_groups some = *s->groups;
    some.count += first;
    some.n_groups = kan_part_start(n, s->n_parts, part + 1) - first;
    return some;
}

/* ---- small groups --------------------------------------------------------------------------- */

static kan_status count_part(void *context, size_t part, unsigned worker) {
    sums *s = context;
    const kan_groups some = part_of(s, part);
    kan_small_groups small = {.n = 0};
    (void)worker;
    for (size_t g = 0; g < some.n_groups; g++) {
        const bool is_small = some.count[g] < s->least;
        small.n_rows += is_small ? some.count[g] : 0;
        small.n += is_small;
    }
    s->small[part] = small;
    return KAN_OK;
}

kan_small_groups kan_small_groups_of(const kan_workspace *workspace, const kan_groups *groups,
                                     uint64_t least) {
    sums s = {.groups = groups, .least = least};
    kan_small_groups all = {.n = 0};
    s.n_parts = kan_divides_loop(workspace, groups->n_groups) ? KAN_MOST_PARTS : 1;
    if (s.n_parts > 1 &&
        kan_parallel(kan_workspace_run(workspace), s.n_parts, count_part, &s) != KAN_OK)
        s.n_parts = 1; /* it was cancelled: the caller will see that */
    if (s.n_parts == 1)
        (void)!count_part(&s, 0, 0);
    for (size_t p = 0; p < s.n_parts; p++) {
        all.n += s.small[p].n;
        all.n_rows += s.small[p].n_rows;
    }
    return all;
}

/* ---- bounds --------------------------------------------------------------------------------- */

static kan_status bound_part(void *context, size_t part, unsigned worker) {
    sums *s = context;
    const kan_groups some = part_of(s, part);
    (void)worker;
    s->bounds[part] = kan_objective_bound(s->objective, &some, 0);
    return KAN_OK;
}

kan_score kan_bound_of(const kan_workspace *workspace, const kan_objective *objective,
                       const kan_groups *low, uint64_t n_lost) {
    sums s = {.groups = low, .objective = objective, .n_parts = KAN_MOST_PARTS};
    if (!objective->kind->bound_adds_up || !low->count ||
        !kan_divides_loop(workspace, low->n_groups) ||
        kan_parallel(kan_workspace_run(workspace), s.n_parts, bound_part, &s) != KAN_OK)
        return kan_objective_bound(objective, low, n_lost);
    kan_groups none = *low;
    none.n_groups = 0;
    kan_u128 sum = kan_objective_bound(objective, &none, n_lost).whole;
    for (size_t p = 0; p < s.n_parts; p++) {
        KAN_ASSERT(s.bounds[p].is_exact);
        sum += s.bounds[p].whole;
    }
    return kan_score_whole(sum);
}
