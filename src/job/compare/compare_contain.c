/* Containment: a recoding model that contains another has all of its releases, so that at its best
 * it costs no more. Searches that do not find the best, or that do not follow the cost, may break
 * that; whoever compares models is told where. */
#include <math.h>
#include <stdio.h>

#include "job/compare/compare_inside.h"
#include "job/settings/settings.h"

static bool is_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const kan_recoding_kind *model_of(const kan_compare_trial *trial) {
    return trial->recoding
               ? (const kan_recoding_kind *)kan_registry_find(KAN_FAMILY_RECODING, trial->recoding)
               : NULL;
}

/* What it was asked to lose least of. */
static double cost_of(const kan_compare_trial *trial) {
    char path[64];
    snprintf(path, sizeof path, "metrics.%s", trial->cost);
    return kan_compare_number(trial, path);
}

bool kan_compare_breaks(const kan_compare_trial *outer, const kan_compare_trial *inner) {
    const kan_recoding_kind *o = model_of(outer), *i = model_of(inner);
    const double most = cost_of(inner), cost = cost_of(outer);
    const kan_cost_kind *by =
        (const kan_cost_kind *)kan_registry_find(KAN_FAMILY_COST, outer->cost);
    if (by && by->needs_levels)
        return false; /* counts levels, and models of * have hierarchies of their own */
    return o && i && o != i && kan_model_contains(o, i) && is_same(outer->k, inner->k) &&
           is_same(outer->cost, inner->cost) && is_same(outer->suppress, inner->suppress) &&
           isfinite(most) && cost > most * (1 + 1e-12);
}

void kan_compare_add_breaks(const kan_compare *compare, kan_text *text) {
    size_t n_told = 0;
    for (size_t o = 0; o < compare->n_trials; o++)
        for (size_t i = 0; i < compare->n_trials; i++) {
            const kan_compare_trial *outer = &compare->trials[o], *inner = &compare->trials[i];
            if (!kan_compare_breaks(outer, inner))
                continue;
            if (n_told++ == 0)
                kan_text_print(text, "\n  A model that contains another is never worse at its "
                                     "best; here a search was:\n");
            kan_text_print(text, "  %s%s%s%s: %s %.6g, %s, which it contains, %.6g\n",
                           outer->k ? "k = " : "", outer->k ? outer->k : "", outer->k ? ", " : "",
                           outer->cost, outer->recoding, cost_of(outer), inner->recoding,
                           cost_of(inner));
        }
}
