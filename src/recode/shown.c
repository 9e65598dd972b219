/* What a column shows under a recoding. For cuts: a hierarchy of one level over the same leaves,
 * with a group for each interval. What the leaves are is borrowed from the column's own. */
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

static void make_intervals(const kan_domain *domain, const uint32_t *cuts, uint32_t n,
                           kan_interval *intervals) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first = i > 0 ? cuts[i - 1] : 0;
        const uint32_t end = i + 1 < n ? cuts[i] : domain->n_places;
        intervals[i] =
            (kan_interval){first, end, domain->first_leaf[first], domain->first_leaf[end]};
    }
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
    h->levels[0].up = shown->from_leaf;
    *out = h;
    h = NULL;
done:
    kan_hierarchy_destroy(h);
    return status;
}

static kan_status show_intervals(const kan_domain *domain, const uint32_t *cuts, uint32_t n,
                                 kan_shown *out) {
    kan_run *run = domain->run;
    kan_status status;
    kan_hierarchy *made = NULL;
    kan_interval *intervals = NULL;
    uint8_t *node_level;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *intervals, &intervals));
    KAN_TRY_DONE(create_hierarchy(domain, n, &made));
    KAN_TRY_DONE(kan_arena_alloc(&made->arena, n, sizeof *node_level, &node_level));
    make_intervals(domain, cuts, n, intervals);
    kan_level *shown = &made->levels[1];
    KAN_TRY_DONE(kan_interval_labels(domain, intervals, n, &made->arena, shown->label));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t leaf = intervals[i].first_leaf; leaf < intervals[i].end_leaf; leaf++)
            shown->from_leaf[leaf] = i;
        shown->share[i] = kan_interval_share(domain, &intervals[i]);
        node_level[i] = (uint8_t)kan_interval_cover(domain, &intervals[i]).level;
    }
    *out = (kan_shown){made, 1, made, node_level};
    made = NULL;
done:
    kan_free(run, intervals);
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

void kan_shown_destroy(kan_shown *shown) {
    kan_hierarchy_destroy(shown->made);
    *shown = (kan_shown){.made = NULL};
}
