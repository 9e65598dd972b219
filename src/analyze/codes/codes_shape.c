/* Whether the labels that a release shows are those of a recoding. */
#include <string.h>

#include "analyze/codes/codes_inside.h"

typedef struct {
    const kan_code_sets *release;
    kan_label_covers covers;
    bool *is_seen;    /* by the first place of a label in the covers */
    kan_slice *shown; /* by leaf: the label that covers it; no bytes: none yet */
    bool *is_level;   /* whether all labels so far are there */
    kan_code_sets_shape *out;
} shaper;

static bool stands_at(const kan_level *level, uint32_t leaf, kan_slice label) {
    return kan_slice_equal(level->label[level->from_leaf[leaf]], label);
}

/* Levels at which this label is not drop out; false: none is left. A label stands for the same codes wherever
 * it is, so that one of them says all. */
static bool take_level(shaper *s, kan_slice label, uint32_t leaf) {
    const kan_hierarchy *h = s->release->hierarchy;
    bool is_any = false;
    for (unsigned level = 0; level <= h->height; level++) {
        s->is_level[level] = s->is_level[level] && stands_at(&h->levels[level], leaf, label);
        is_any |= s->is_level[level];
    }
    return is_any;
}

/* False: one of its codes is covered by another label, too. */
static bool take_codes(shaper *s, kan_slice label, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        kan_slice *shown = &s->shown[s->covers.all[i].leaf];
        if (shown->bytes) {
            s->out->other = *shown;
            return false;
        }
        *shown = label;
    }
    return true;
}

/* A label that nothing explains is told elsewhere. */
static bool take_label(shaper *s, kan_slice label, bool by_level) {
    size_t from, to;
    kan_label_covers_find(&s->covers, label, &from, &to);
    if (from == to || s->is_seen[from])
        return true;
    s->is_seen[from] = true;
    return by_level ? take_level(s, label, s->covers.all[from].leaf)
                    : take_codes(s, label, from, to);
}

static void look(shaper *s, bool by_level) {
    kan_slice rest, label;
    for (uint64_t row = 0; row < s->release->column->n_rows; row++)
        for (rest = kan_column_value(s->release->column, row);
             kan_code_sets_next(&rest, s->release->separator, &label);)
            if (!take_label(s, label, by_level)) {
                s->out->holds = false;
                s->out->row = row;
                s->out->label = label;
                return;
            }
}

kan_status kan_code_sets_shape_check(kan_run *run, const kan_code_sets *release, bool by_level,
                                     kan_code_sets_shape *out) {
    const kan_hierarchy *h = release->hierarchy;
    shaper s = {.release = release, .out = out};
    kan_status status;
    *out = (kan_code_sets_shape){.holds = true};
    KAN_TRY_DONE(kan_label_covers_make(run, h, &s.covers));
    KAN_TRY_DONE(kan_alloc_zero(run, s.covers.n, sizeof *s.is_seen, &s.is_seen));
    KAN_TRY_DONE(kan_alloc_zero(run, h->n_codes, sizeof *s.shown, &s.shown));
    KAN_TRY_DONE(kan_alloc(run, h->height + 1, sizeof *s.is_level, &s.is_level));
    memset(s.is_level, true, (h->height + 1) * sizeof *s.is_level);
    look(&s, by_level);
done:
    kan_label_covers_destroy(&s.covers);
    kan_free(run, s.is_seen);
    kan_free(run, s.shown);
    kan_free(run, s.is_level);
    return status;
}
