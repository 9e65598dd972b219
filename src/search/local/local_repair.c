/* Classes that fail when a local recoding is made: left out where the limit allows it, or joined
 * with others. */
#include "search/local/local_inside.h"

static bool fails(const kan_local_classes *classes, size_t c) {
    return classes->classes[c].census.n_rows > 0 &&
           !kan_census_passes(classes->space, &classes->classes[c].census);
}

static kan_status leave_out(kan_local_classes *classes, size_t c) {
    const kan_local_space *space = classes->space;
    kan_local_class *class = &classes->classes[c];
    for (size_t i = 0; i < class->members.n; i++)
        KAN_TRY(kan_bundles_add(space, &classes->lost, class->members.bundles[i].tuple,
                                class->members.bundles[i].n_rows));
    classes->n_lost += class->census.n_rows;
    class->members.n = 0;
    kan_census_clear(space, &class->census);
    return KAN_OK;
}

/* What joining two classes costs their rows. */
static double joining_loss(const kan_local_classes *classes, size_t c, size_t d) {
    const kan_local_space *space = classes->space;
    const kan_local_class *x = &classes->classes[c], *y = &classes->classes[d];
    double loss = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_local_attribute *attribute = &space->attributes[a];
        const double both = attribute->loss[kan_local_join(attribute, x->node[a], y->node[a])];
        loss += (both - attribute->loss[x->node[a]]) * (double)x->census.n_rows +
                (both - attribute->loss[y->node[a]]) * (double)y->census.n_rows;
    }
    return loss;
}

static kan_status passes_with(kan_local_classes *classes, size_t c, size_t d, bool *out) {
    const kan_local_space *space = classes->space;
    kan_census *census = &classes->classes[c].census;
    KAN_TRY(kan_census_add_all(space, census, &classes->classes[d].census));
    *out = kan_census_passes(space, census);
    kan_census_remove_all(space, census, &classes->classes[d].census);
    return KAN_OK;
}

/* The class that is best joined with `c`: one with which it passes, and of those, or of all where
 * there is none, the one that costs least. */
static kan_status find_partner(kan_local_classes *classes, size_t c, size_t *out) {
    double least = 0, least_passing = 0;
    size_t any = SIZE_MAX, passing = SIZE_MAX;
    for (size_t d = 0; d < classes->n; d++) {
        bool passes = false;
        if (d == c || classes->classes[d].census.n_rows == 0)
            continue;
        const double loss = joining_loss(classes, c, d);
        if (passing == SIZE_MAX || loss < least_passing)
            KAN_TRY(passes_with(classes, c, d, &passes));
        if (passes) {
            passing = d;
            least_passing = loss;
        }
        if (any == SIZE_MAX || loss < least) {
            any = d;
            least = loss;
        }
    }
    *out = passing != SIZE_MAX ? passing : any;
    return KAN_OK;
}

/* Joins `c` with what shows the same. */
static kan_status join_same(kan_local_classes *classes, size_t c) {
    const size_t size = classes->space->n_attributes * sizeof(uint32_t);
    for (size_t d = 0; d < classes->n; d++)
        if (d != c && classes->classes[d].census.n_rows > 0 &&
            memcmp(classes->classes[d].node, classes->classes[c].node, size) == 0)
            KAN_TRY(kan_local_class_merge(classes, c, d));
    return KAN_OK;
}

static kan_status join_failing(kan_local_classes *classes, size_t c, bool *is_complete) {
    size_t partner;
    while (fails(classes, c)) {
        KAN_TRY(kan_check_cancel(classes->space->run));
        KAN_TRY(find_partner(classes, c, &partner));
        if (partner == SIZE_MAX) {
            *is_complete = false;
            return KAN_OK;
        }
        KAN_TRY(kan_local_class_merge(classes, c, partner));
        KAN_TRY(join_same(classes, c));
    }
    return KAN_OK;
}

kan_status kan_local_complete(kan_local_classes *classes, bool *is_complete) {
    uint64_t n_failing = 0, n_rows = 0;
    KAN_TRY(kan_local_classes_unite(classes));
    for (size_t c = 0; c < classes->n; c++) {
        n_rows += classes->classes[c].census.n_rows;
        n_failing += fails(classes, c) ? classes->classes[c].census.n_rows : 0;
    }
    const bool may_leave_out =
        n_failing <= classes->space->limit - classes->n_lost && n_failing < n_rows;
    *is_complete = n_rows > 0;
    for (size_t c = 0; c < classes->n && n_failing > 0 && *is_complete; c++) {
        if (!fails(classes, c))
            continue;
        KAN_TRY(may_leave_out ? leave_out(classes, c) : join_failing(classes, c, is_complete));
    }
    return kan_local_classes_unite(classes);
}
