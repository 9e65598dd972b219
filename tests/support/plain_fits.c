#include "support/plain_fits.h"

#include <stdio.h>
#include <string.h>

void plain_fits_all(const plain_table *plain, uint64_t k, plain_fits *out) {
    *out = (plain_fits){.plain = plain, .n_sets = 1, .n_ranks = 1};
    out->sets[0] = (kan_fits_set){(UINT64_C(1) << plain->n_attributes) - 1, k};
}

bool plain_fits_is_missing(const plain_table *plain, size_t row, unsigned a) {
    return plain_cell(plain, row, a)[0] == '\0';
}

static bool is_same(const plain_table *plain, size_t row, size_t other, unsigned a) {
    return strcmp(plain_cell(plain, row, a), plain_cell(plain, other, a)) == 0;
}

static bool fits(const plain_fits *s, size_t row, size_t person, uint64_t columns) {
    if (s->has_strata && !is_same(s->plain, row, person, s->stratum))
        return false;
    for (unsigned a = 0; a < s->plain->n_attributes; a++)
        if ((columns >> a & 1) && !(s->hidden[row] >> a & 1) &&
            !plain_fits_is_missing(s->plain, row, a) && !is_same(s->plain, row, person, a))
            return false;
    return true;
}

static bool holds_by(const plain_fits *s, const kan_fits_set *set) {
    for (size_t i = 0; i < s->plain->n_rows; i++) {
        uint64_t n_people = 0, n_rows = 0;
        for (size_t j = 0; j < s->plain->n_rows && s->hidden[i] != PLAIN_LEFT_OUT; j++) {
            if (s->hidden[j] == PLAIN_LEFT_OUT)
                continue;
            n_people += fits(s, i, j, set->columns);
            n_rows += fits(s, j, i, set->columns);
        }
        if (s->hidden[i] != PLAIN_LEFT_OUT && (n_people < set->k || n_rows < set->k))
            return false;
    }
    return true;
}

bool plain_fits_holds(const plain_fits *s) {
    for (size_t i = 0; i < s->n_sets; i++)
        if (!holds_by(s, &s->sets[i]))
            return false;
    return true;
}

uint64_t plain_fits_hidden(const plain_fits *s) {
    uint64_t n = 0;
    for (size_t row = 0; row < s->plain->n_rows; row++)
        for (unsigned a = 0; a < s->plain->n_attributes && s->hidden[row] != PLAIN_LEFT_OUT; a++)
            n += (s->hidden[row] >> a & 1) && !plain_fits_is_missing(s->plain, row, a);
    return n;
}

static uint64_t key_of(const plain_fits *s, size_t row) {
    uint64_t key = 0;
    for (unsigned a = 0; a < s->plain->n_attributes && s->hidden[row] != PLAIN_LEFT_OUT; a++)
        if ((s->hidden[row] >> a & 1) && !plain_fits_is_missing(s->plain, row, a))
            key += UINT64_C(1) << 8 * (7 - s->rank[a]);
    return key;
}

uint64_t plain_fits_key(const plain_fits *s) {
    uint64_t key = 0;
    for (size_t row = 0; row < s->plain->n_rows; row++)
        key += key_of(s, row);
    return key;
}

/* From row `row` on; those before cost `key`. */
static uint64_t least(plain_fits *s, size_t row, uint64_t key, uint64_t best) {
    if (key >= best)
        return best;
    if (row == s->plain->n_rows)
        return plain_fits_holds(s) ? key : best;
    if (s->hidden[row] == PLAIN_LEFT_OUT)
        return least(s, row + 1, key, best);
    for (int hidden = 0; hidden < 1 << s->plain->n_attributes; hidden++) {
        bool is_needless = false;
        for (unsigned a = 0; a < s->plain->n_attributes; a++)
            is_needless |= (hidden >> a & 1) && plain_fits_is_missing(s->plain, row, a);
        s->hidden[row] = hidden;
        if (!is_needless)
            best = least(s, row + 1, key + key_of(s, row), best);
    }
    return best;
}

uint64_t plain_fits_least(plain_fits *s, uint64_t best) {
    return least(s, 0, 0, best);
}

/* ---- tables --------------------------------------------------------------------------------- */

void plain_fits_table(uint64_t *random, size_t n_rows, unsigned n_columns, plain_table *out) {
    const bool has_missing = once_in(random, 2);
    plain_init(out);
    out->is_weighted = n_rows > PLAIN_FITS_CELLS && once_in(random, 2);
    for (unsigned a = 0; a < n_columns; a++) {
        const size_t n = (size_t)between(random, 1, 4);
        plain_attribute *attribute = plain_add_attribute(out, n, 1);
        attribute->weight = out->is_weighted ? (double)between(random, 0, 4) / 2 : 1;
        for (size_t leaf = 0; leaf < n; leaf++) {
            snprintf(attribute->leaves[leaf].at[0], PLAIN_LABEL, "v%zu", leaf);
            strcpy(attribute->leaves[leaf].at[1], "*");
        }
        if (has_missing && once_in(random, 2))
            attribute->leaves[0].at[0][0] = '\0';
    }
    plain_add_rows(out, n_rows);
    for (size_t row = 0; row < n_rows; row++)
        for (unsigned a = 0; a < n_columns; a++)
            strcpy(plain_cell(out, row, a),
                   out->attributes[a]
                       .leaves[kan_random_below(random, out->attributes[a].n_leaves)]
                       .at[0]);
}

/* ---- the answer, row by row ------------------------------------------------------------------ */

static bool is_of(const test_problem *made, const plain_table *plain, size_t tuple, size_t row) {
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const uint32_t leaf = kan_problem_tuple_value(&made->problem, tuple, a);
        if (!kan_slice_is(made->hierarchies[a]->levels[0].label[leaf], plain_cell(plain, row, a)))
            return false;
    }
    return true;
}

static int hidden_in(const kan_regions *regions, uint32_t region) {
    int hidden = 0;
    if (region >= kan_regions_released(regions))
        return PLAIN_LEFT_OUT;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        const uint32_t cell = regions->cell_of[region * regions->n_attributes + a];
        hidden |= (regions->cells[a].cells[cell].a > 0) << a;
    }
    return hidden;
}

void plain_fits_read(const test_problem *made, const kan_answer *answer, plain_fits *out) {
    const kan_regions *regions = answer->recoding.regions;
    uint64_t n_handed = 0;
    assert_int_equal(regions->n_tuples, kan_problem_tuples(&made->problem));
    for (size_t t = 0; t < regions->n_tuples; t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(&made->problem, t),
                                              &single, &portions);
        size_t row = 0;
        for (size_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < portions[i].n_rows; j++, row++, n_handed++) {
                while (row < out->plain->n_rows && !is_of(made, out->plain, t, row))
                    row++;
                assert_true(row < out->plain->n_rows);
                out->hidden[row] = hidden_in(regions, portions[i].region);
            }
    }
    assert_int_equal(n_handed, out->plain->n_rows);
}
