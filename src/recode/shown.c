/* What a column shows under a recoding. For cuts: a hierarchy of one level over the same leaves,
 * with a group for each interval. What the leaves are is borrowed from the column's own.
 *
 * Which rows are suppressed follows from the intervals, and what intervals are called from which
 * rows are released: they are made first, and named later. */
#include "recode/interval.h"
#include "recode/recoding.h"

static kan_status check_cuts(kan_run *run, const kan_domain *domain, const uint32_t *cuts,
                             size_t n) {
    bool is_right = domain && n < domain->n_places;
    for (size_t i = 0; i < n && is_right; i++)
        is_right = cuts[i] > (i > 0 ? cuts[i - 1] : 0) && cuts[i] < domain->n_places;
    if (is_right)
        return KAN_OK;
    return kan_fail(run, KAN_FAILED,
                    "internal error: the search cut a domain where it has no place; please report "
                    "this");
}

static kan_status create_hierarchy(const kan_domain *domain, uint32_t n, kan_hierarchy **out) {
    const kan_hierarchy *from = domain->hierarchy;
    kan_hierarchy *h;
    kan_status status;
    KAN_TRY(kan_alloc_zero(domain->run, 1, sizeof *h, &h));
    *h = (kan_hierarchy){.run = domain->run,
                         .attribute = from->attribute,
                         .origin = "intervals of an ordered domain",
                         .height = 1,
                         .n_codes = from->n_codes,
                         .leaf_of = from->leaf_of,
                         .code_of = from->code_of,
                         .n_leaves = from->n_leaves,
                         .length = domain->has_bins ? domain->greatest_number - domain->least_number
                                                    : from->length};
    kan_arena_init(&h->arena, domain->run);
    KAN_TRY_DONE(kan_arena_alloc(&h->arena, 2, sizeof *h->levels, &h->levels));
    h->levels[0] = from->levels[0];
    kan_level *shown = &h->levels[1];
    shown->n_groups = n;
    KAN_TRY_DONE(
        kan_arena_alloc(&h->arena, from->n_codes, sizeof *shown->from_leaf, &shown->from_leaf));
    KAN_TRY_DONE(kan_arena_alloc(&h->arena, n, sizeof *shown->label, &shown->label));
    KAN_TRY_DONE(kan_arena_alloc(&h->arena, n, sizeof *shown->share, &shown->share));
    /* until it has a name an interval says nothing */
    for (uint32_t i = 0; i < n; i++) {
        shown->label[i] = kan_slice_of("*");
        shown->share[i] = 1;
    }
    h->levels[0].up = shown->from_leaf;
    *out = h;
    h = NULL;
done:
    kan_hierarchy_destroy(h);
    return status;
}

static kan_status show_intervals(const kan_domain *domain, const uint32_t *cuts, uint32_t n,
                                 kan_shown *out) {
    kan_status status;
    kan_hierarchy *made;
    uint8_t *node_level;
    KAN_TRY(create_hierarchy(domain, n, &made));
    KAN_TRY_DONE(kan_arena_alloc(&made->arena, n, sizeof *node_level, &node_level));
    memset(node_level, (int)domain->hierarchy->height, n);
    for (uint32_t leaf = 0, i = 0; leaf < made->n_codes; leaf++) {
        while (i + 1 < n && domain->place_of[leaf] >= cuts[i])
            i++;
        made->levels[1].from_leaf[leaf] = i;
    }
    *out = (kan_shown){made, 1, made, node_level};
    made = NULL;
done:
    kan_hierarchy_destroy(made);
    return status;
}

kan_status kan_shown_make(kan_run *run, const kan_recoding *recoding, unsigned a,
                          const kan_hierarchy *hierarchy, const kan_domain *domain,
                          kan_shown *out) {
    if (!kan_recoding_has_cuts(recoding)) {
        *out = (kan_shown){.hierarchy = hierarchy, .level = recoding->levels[a]};
        return KAN_OK;
    }
    const size_t first = recoding->first_cut[a], n = recoding->first_cut[a + 1] - first;
    const uint32_t *cuts = n ? recoding->cuts + first : NULL;
    KAN_TRY(check_cuts(run, domain, cuts, n));
    return show_intervals(domain, cuts, (uint32_t)n + 1, out);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* What is seen, and of each interval; `leaves` has room for every value. */
static void find_seen(const kan_level *shown, const uint8_t *is_released, kan_seen *seen,
                      kan_interval *intervals) {
    const uint32_t n_leaves = seen->domain->hierarchy->n_codes;
    for (uint32_t i = 0; i < shown->n_groups; i++)
        intervals[i] = (kan_interval){.is_whole = shown->n_groups == 1};
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++) {
        kan_interval *interval = &intervals[shown->from_leaf[leaf]];
        if (!is_released[leaf])
            continue;
        if (interval->first == interval->end)
            interval->first = seen->n;
        seen->leaves[seen->n++] = leaf;
        interval->end = seen->n;
    }
}

kan_status kan_shown_name(kan_shown *shown, const kan_domain *domain, const uint8_t *is_released) {
    kan_status status;
    kan_seen seen = {.domain = domain};
    kan_interval *intervals = NULL;
    if (!shown->made)
        return KAN_OK;
    kan_run *run = shown->made->run;
    const kan_level *level = &shown->made->levels[1];
    KAN_TRY_DONE(kan_alloc(run, domain->hierarchy->n_codes, sizeof *seen.leaves, &seen.leaves));
    KAN_TRY_DONE(kan_alloc(run, level->n_groups, sizeof *intervals, &intervals));
    find_seen(level, is_released, &seen, intervals);
    KAN_TRY_DONE(
        kan_interval_labels(&seen, intervals, level->n_groups, &shown->made->arena, level->label));
    for (uint32_t i = 0; i < level->n_groups; i++) {
        if (intervals[i].first == intervals[i].end)
            continue;
        level->share[i] = kan_interval_share(&seen, &intervals[i]);
        shown->node_level[i] = (uint8_t)kan_interval_cover(&seen, &intervals[i]).level;
    }
done:
    kan_free(run, seen.leaves);
    kan_free(run, intervals);
    return status;
}

void kan_shown_destroy(kan_shown *shown) {
    kan_hierarchy_destroy(shown->made);
    *shown = (kan_shown){.made = NULL};
}
