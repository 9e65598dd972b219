/* Ordered domains: places of values. Bins are made in domain_bins.c, orders in domain_order.c. */
#include "data/domain/domain.h"

bool kan_domain_number(const kan_domain *domain, kan_slice text, double *out) {
    return kan_value_number(domain->column->dictionary.type, text, out);
}

void kan_domain_destroy(kan_domain *domain) {
    if (!domain)
        return;
    kan_arena_destroy(&domain->arena);
    kan_free(domain->run, domain);
}

static kan_slice value_of_leaf(const kan_domain *domain, uint32_t leaf) {
    return kan_dictionary_value(&domain->column->dictionary, domain->hierarchy->code_of[leaf]);
}

/* A place per value. */
static kan_status fill_values(kan_domain *domain) {
    const uint32_t n = domain->n_places = domain->hierarchy->n_codes;
    KAN_TRY(kan_arena_alloc(&domain->arena, n, sizeof *domain->least, &domain->least));
    domain->greatest = domain->least;
    for (uint32_t leaf = 0; leaf < n; leaf++) {
        domain->place_of[leaf] = leaf;
        domain->least[leaf] = value_of_leaf(domain, leaf);
    }
    return KAN_OK;
}

static kan_status fill_first_leaves(kan_domain *domain) {
    const uint32_t n_leaves = domain->hierarchy->n_codes;
    KAN_TRY(kan_arena_alloc(&domain->arena, (size_t)domain->n_places + 1,
                            sizeof *domain->first_leaf, &domain->first_leaf));
    for (uint32_t leaf = n_leaves; leaf-- > 0;) {
        /* Places are numbered in the order of leaves. */
        KAN_ASSERT(leaf == 0 || domain->place_of[leaf - 1] <= domain->place_of[leaf]);
        domain->first_leaf[domain->place_of[leaf]] = leaf;
    }
    domain->first_leaf[domain->n_places] = n_leaves;
    return KAN_OK;
}

/* Codes are numbered in value order. */
static bool stands_by_value(const kan_domain *domain) {
    if (domain->column->dictionary.type == KAN_TYPE_TEXT)
        return false;
    for (uint32_t leaf = 0; leaf < domain->hierarchy->n_codes; leaf++)
        if (domain->hierarchy->code_of[leaf] != leaf)
            return false;
    return true;
}

static void find_bounds(kan_domain *domain) {
    while (domain->n_unknown < domain->n_places &&
           kan_value_is_unknown(domain->least[domain->n_unknown]))
        domain->n_unknown++;
    if (domain->n_unknown == domain->n_places)
        return;
    (void)kan_domain_number(domain, domain->least[domain->n_unknown], &domain->least_number);
    (void)kan_domain_number(domain, domain->greatest[domain->n_places - 1],
                            &domain->greatest_number);
}

kan_status kan_domain_make(kan_run *run, const kan_column *column, const kan_hierarchy *hierarchy,
                           bool has_tree, const char *bins, kan_domain **out) {
    kan_domain *domain;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *domain, &domain));
    domain->run = run;
    domain->column = column;
    domain->hierarchy = hierarchy;
    domain->has_tree = has_tree;
    domain->has_bins = bins != NULL;
    domain->highest = hierarchy->height;
    kan_arena_init(&domain->arena, run);
    domain->is_by_value = stands_by_value(domain);
    KAN_TRY_DONE(kan_arena_alloc(&domain->arena, hierarchy->n_codes, sizeof *domain->place_of,
                                 &domain->place_of));
    KAN_TRY_DONE(bins ? kan_domain_fill_bins(domain, bins) : fill_values(domain));
    KAN_TRY_DONE(fill_first_leaves(domain));
    if (domain->is_by_value)
        find_bounds(domain);
    *out = domain;
    domain = NULL;
done:
    kan_domain_destroy(domain);
    return status;
}
