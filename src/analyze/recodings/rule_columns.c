/* Rules of models that recode each column by itself, and of those that look at single cells.
 *
 * All but one can be read off the labels alone: that what is shown stands above the value is a
 * matter of the cover, and is not looked at here. Full-subtree is such a rule, though it speaks of
 * values: if a value w below a shown node g were shown by another label h, both would stand above
 * w, so that one of them lies below the other; and of two shown labels one of which lies below the
 * other, the lower one is shown for a value below the upper. */
#include "analyze/recodings/extents.h"

static const kan_labels *column_of(const kan_shape *shape, size_t c) {
    return &shape->labels[c];
}

static const char no_node[] = "shows what is not a node of its hierarchy";

void kan_rule_shows_nodes(const kan_shape *shape, kan_shape_verdict *out) {
    for (size_t c = 0; c < shape->n_columns; c++) {
        const kan_labels *l = column_of(shape, c);
        for (uint32_t code = 0; code < l->n; code++)
            if (l->first_row[code] && l->levels[code] == 0)
                kan_shape_blame(out, l, l->first_row[code], 0, no_node);
    }
}

kan_status kan_rule_cell_generalization(const kan_shape *shape, kan_shape_verdict *out) {
    kan_rule_shows_nodes(shape, out);
    return KAN_OK;
}

kan_status kan_rule_cell_suppression(const kan_shape *shape, kan_shape_verdict *out) {
    for (size_t c = 0; c < shape->n_columns; c++) {
        const kan_labels *l = column_of(shape, c);
        for (uint32_t code = 0; code < l->n; code++)
            if (l->first_row[code] && !kan_labels_is_star(l, code) && !(l->levels[code] & 1))
                kan_shape_blame(out, l, l->first_row[code], 0,
                                "shows what is neither a value nor *");
    }
    return KAN_OK;
}

kan_status kan_rule_attribute_suppression(const kan_shape *shape, kan_shape_verdict *out) {
    KAN_TRY(kan_rule_cell_suppression(shape, out));
    for (size_t c = 0; c < shape->n_columns; c++) {
        const kan_labels *l = column_of(shape, c);
        const uint64_t star_row =
            l->relation.star != KAN_NO_CODE ? l->first_row[l->relation.star] : 0;
        for (uint32_t code = 0; code < l->n && star_row; code++)
            if (l->first_row[code] && !kan_labels_is_star(l, code))
                kan_shape_blame(out, l, l->first_row[code], star_row,
                                "shows values in some rows, and * in others");
    }
    return KAN_OK;
}

kan_status kan_rule_full_domain(const kan_shape *shape, kan_shape_verdict *out) {
    kan_rule_shows_nodes(shape, out);
    for (size_t c = 0; c < shape->n_columns; c++) {
        const kan_labels *l = column_of(shape, c);
        uint64_t levels = UINT64_MAX, before = 0; /* that all labels so far have, and whose row */
        for (uint32_t code = 0; code < l->n; code++) {
            if (!l->first_row[code] || l->any_levels[code] == 0)
                continue;
            if ((levels & l->any_levels[code]) == 0) {
                kan_shape_blame(out, l, before, l->first_row[code],
                                "shows labels of different levels");
                break;
            }
            levels &= l->any_levels[code];
            before = l->first_row[code];
        }
    }
    return KAN_OK;
}

/* A shown label above that one, KAN_NO_CODE where there is none. */
static uint32_t find_above(const kan_labels *l, uint32_t code) {
    const kan_relation *relation = &l->relation;
    if (relation->star != KAN_NO_CODE && code != relation->star && l->first_row[relation->star])
        return relation->star;
    for (unsigned level = kan_labels_lowest(l, code); level < relation->n_levels; level++) {
        const uint32_t above =
            relation->shown_as[l->leaf[code] * (size_t)relation->n_levels + level];
        if (above != KAN_NO_CODE && above != code && l->first_row[above])
            return above;
    }
    return KAN_NO_CODE;
}

kan_status kan_rule_full_subtree(const kan_shape *shape, kan_shape_verdict *out) {
    kan_rule_shows_nodes(shape, out);
    for (size_t c = 0; c < shape->n_columns; c++) {
        const kan_labels *l = column_of(shape, c);
        for (uint32_t code = 0; code < l->n; code++) {
            if (!l->first_row[code] || l->levels[code] == 0)
                continue;
            const uint32_t above = find_above(l, code);
            if (above != KAN_NO_CODE)
                kan_shape_blame(out, l, l->first_row[above], l->first_row[code],
                                "shows a node, and for some of its values another label");
        }
    }
    return KAN_OK;
}

/* ---- ordered sets --------------------------------------------------------------------------- */

/* The label of each value, where one is shown that covers it; of two, the first is blamed. Numbers
 * and dates stand in their order: what a label covers is not interrupted by another. Texts have
 * some order in which any sets without common values are intervals. */
static kan_status check_order(const kan_shape *shape, const kan_labels *l, const uint32_t *owner,
                              kan_shape_verdict *out) {
    const kan_dictionary *values = &l->relation.original->dictionary;
    uint32_t before = KAN_NO_CODE;
    uint8_t *is_over;
    if (values->type == KAN_TYPE_TEXT)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(shape->run, l->n, sizeof *is_over, &is_over));
    for (uint32_t value = 0; value < values->n; value++) {
        if (owner[value] == KAN_NO_CODE || owner[value] == before ||
            kan_value_is_unknown(kan_dictionary_value(values, value)))
            continue;
        if (is_over[owner[value]])
            kan_shape_blame(out, l, l->first_row[owner[value]], l->first_row[before],
                            "shows a set of values that is not an interval of their order");
        if (before != KAN_NO_CODE)
            is_over[before] = 1;
        before = owner[value];
    }
    kan_free(shape->run, is_over);
    return KAN_OK;
}

/* Ranges overlap by their bounds, whether or not there is a value. */
static kan_status check_ranges(const kan_shape *shape, const kan_labels *l,
                               kan_shape_verdict *out) {
    kan_spans s;
    const kan_status status = kan_spans_make(shape->run, l, &s);
    for (size_t i = 1, far = 0; i < s.n && status == KAN_OK; i++) { /* far: reaches highest */
        const kan_span *before = &s.spans[far], *here = &s.spans[i];
        if (before->code != here->code && kan_span_shares(before, here) > 0)
            kan_shape_blame(out, l, l->first_row[before->code], l->first_row[here->code],
                            "shows intervals that overlap");
        if (here->range.hi > before->range.hi ||
            (here->range.hi == before->range.hi && before->range.hi_is_open))
            far = i;
    }
    kan_spans_destroy(&s);
    return status;
}

/* Until two labels have a value in common, each value is looked at once, but for those in gaps. */
static void find_owners(const kan_extents *e, uint32_t *owner, kan_shape_verdict *out) {
    const kan_labels *l = e->labels;
    for (uint32_t code = 0; code < l->n; code++) {
        const kan_extent *extent = &e->of[code];
        const bool has_gap = extent->n != extent->last - extent->first + 1;
        for (uint32_t place = extent->first;
             l->first_row[code] && extent->n > 0 && place <= extent->last; place++) {
            const uint32_t value = e->value_at[place];
            if (has_gap && !kan_relation_covers(&l->relation, code, value))
                continue;
            if (owner[value] != KAN_NO_CODE) {
                kan_shape_blame(out, l, l->first_row[owner[value]], l->first_row[code],
                                "shows intervals that overlap");
                return;
            }
            owner[value] = code;
        }
    }
}

static kan_status check_ordered_column(const kan_shape *shape, const kan_labels *l,
                                       kan_shape_verdict *out) {
    kan_extents extents;
    uint32_t *owner = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_extents_make(shape->run, l, false, &extents));
    KAN_TRY_DONE(kan_alloc(shape->run, l->n_values, sizeof *owner, &owner));
    for (uint32_t value = 0; value < l->n_values; value++)
        owner[value] = KAN_NO_CODE;
    find_owners(&extents, owner, out);
    KAN_TRY_DONE(check_ranges(shape, l, out));
    KAN_TRY_DONE(check_order(shape, l, owner, out));
done:
    kan_free(shape->run, owner);
    kan_extents_destroy(&extents);
    return status;
}

kan_status kan_rule_ordered_set(const kan_shape *shape, kan_shape_verdict *out) {
    for (size_t c = 0; c < shape->n_columns; c++)
        KAN_TRY(check_ordered_column(shape, column_of(shape, c), out));
    return KAN_OK;
}

/* ---- unrestricted --------------------------------------------------------------------------- */

/* Each value is shown by one label. */
static kan_status check_values(const kan_shape *shape, size_t c, kan_shape_verdict *out) {
    const kan_labels *l = column_of(shape, c);
    const kan_column *original = l->relation.original;
    const kan_table *release = shape->question->release;
    uint64_t *row_of_value; /* a row that shows it, from 1 */
    KAN_TRY(kan_alloc_zero(shape->run, l->n_values, sizeof *row_of_value, &row_of_value));
    for (uint64_t row = 0; row < release->n_rows; row++) {
        const uint64_t from = shape->question->row_of[row];
        const uint32_t code = kan_column_code(l->column, row);
        if (from == KAN_NO_ROW || kan_shape_leaves_out(shape, row))
            continue;
        const uint32_t value = kan_column_code(original, from);
        if (row_of_value[value] == 0)
            row_of_value[value] = row + 1;
        else if (kan_column_code(l->column, row_of_value[value] - 1) != code)
            kan_shape_blame(out, l, row_of_value[value], row + 1,
                            "shows a value by different labels");
    }
    kan_free(shape->run, row_of_value);
    return KAN_OK;
}

/* A label counts for each shown one at and above it, once: those of its leaf from its level up, and *. */
static void count_above(const kan_labels *l, uint32_t code, uint32_t *n_labels) {
    const kan_relation *relation = &l->relation;
    const unsigned lowest = kan_labels_lowest(l, code);
    const uint32_t *path = relation->shown_as + l->leaf[code] * (size_t)relation->n_levels;
    if (relation->star != KAN_NO_CODE && l->first_row[relation->star])
        n_labels[relation->star]++;
    for (unsigned level = 0; level < relation->n_levels; level++) {
        const uint32_t above = path[level];
        bool is_counted = above == KAN_NO_CODE || above == relation->star;
        for (unsigned below = 0; below < level && !is_counted; below++)
            is_counted = path[below] == above;
        if (!is_counted && l->first_row[above] && l->levels[above] &&
            kan_labels_lowest(l, above) >= lowest)
            n_labels[above]++;
    }
}

/* Without the original: every shown label needs a value of its own below it. Nodes are nested or
 * apart, so there are such values exactly if no node has more shown labels at and below it than
 * values (Hall). */
static kan_status check_numbers(const kan_shape *shape, size_t c, kan_shape_verdict *out) {
    const kan_labels *l = column_of(shape, c);
    kan_extents extents;
    uint32_t *n_labels = NULL;
    kan_status status;
    if (shape->question->columns[c].lacks_values) /* who is shown as * had some other one */
        return KAN_OK;
    KAN_TRY_DONE(kan_extents_make(shape->run, l, false, &extents));
    KAN_TRY_DONE(kan_alloc_zero(shape->run, l->n, sizeof *n_labels, &n_labels));
    for (uint32_t code = 0; code < l->n; code++)
        if (l->first_row[code] && l->levels[code])
            count_above(l, code, n_labels);
    for (uint32_t code = 0; code < l->n; code++)
        if (n_labels[code] > extents.of[code].n)
            kan_shape_blame(out, l, l->first_row[code], 0,
                            "shows more labels at and below a node than it has values");
done:
    kan_free(shape->run, n_labels);
    kan_extents_destroy(&extents);
    return status;
}

kan_status kan_rule_unrestricted(const kan_shape *shape, kan_shape_verdict *out) {
    const kan_shape_question *q = shape->question;
    kan_rule_shows_nodes(shape, out);
    if (!q->row_of || !q->knows_all)
        out->unchecked = q->row_of
                             ? "whether a value is shown alike in rows whose original is not known"
                             : "whether a value is shown alike in all rows";
    for (size_t c = 0; c < shape->n_columns; c++)
        KAN_TRY(q->row_of ? check_values(shape, c, out) : check_numbers(shape, c, out));
    return KAN_OK;
}
