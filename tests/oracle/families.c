/* Drawing families. See families.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/families.h"
#include "support/random_problem.h"

static uint64_t below(uint64_t *random, uint64_t bound) {
    return kan_random_below(random, bound);
}

static void draw_hierarchy(family *f, unsigned a, uint64_t *random) {
    f->heights[a] = 1 + (unsigned)below(random, HEIGHT);
    f->n_leaves[a] = 1 + (unsigned)below(random, LEAVES);
    for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++)
        f->group[a][0][leaf] = leaf;
    for (unsigned level = 1; level <= f->heights[a]; level++) {
        uint32_t up[LEAVES];
        for (unsigned i = 0; i < LEAVES; i++)
            up[i] = level == f->heights[a] ? 0 : (uint32_t)below(random, i + 1);
        for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++)
            f->group[a][level][leaf] = up[f->group[a][level - 1][leaf]];
    }
}

static void draw_prices(family *f, size_t t, size_t c, uint64_t *random) {
    const unsigned a = f->column[t][c];
    const uint64_t step = 1 + below(random, 4); /* few different prices make ties */
    uint64_t most = 0;
    for (unsigned level = 0; level <= f->heights[a]; level++) {
        uint64_t dearest[LEAVES] = {0}; /* by group: no group is cheaper than one below it */
        for (uint32_t leaf = 0; level > 0 && leaf < f->n_leaves[a]; leaf++) {
            uint64_t *of = &dearest[f->group[a][level][leaf]];
            *of = f->price[t][c][level - 1][leaf] > *of ? f->price[t][c][level - 1][leaf] : *of;
        }
        for (uint32_t group = 0; group < LEAVES; group++)
            dearest[group] += below(random, 3) * step;
        for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++) {
            f->price[t][c][level][leaf] = dearest[f->group[a][level][leaf]];
            most = f->price[t][c][level][leaf] > most ? f->price[t][c][level][leaf] : most;
        }
    }
    f->suppressed[t][c] = most + below(random, 2) * step;
}

/* Some rows copy another's values, so that people are alike. */
static void draw_rows(family *f, size_t t, uint64_t *random) {
    f->n_rows[t] = t == 0 ? 1 + (uint32_t)below(random, PEOPLE) : (uint32_t)below(random, ROWS);
    for (uint32_t row = 0; row < f->n_rows[t]; row++) {
        const uint32_t like = row > 0 && below(random, 2) ? (uint32_t)below(random, row) : row;
        if (t > 0 && f->n_rows[f->parent[t]] == 0) {
            f->n_rows[t] = 0;
            return;
        }
        f->above[t][row] = t > 0 ? (uint32_t)below(random, f->n_rows[f->parent[t]]) : 0;
        for (size_t c = 0; c < f->n_columns[t]; c++)
            f->value[t][c][row] = like < row
                                      ? f->value[t][c][like]
                                      : (uint32_t)below(random, f->n_leaves[f->column[t][c]]);
    }
}

static void draw_promise(people_question *q, uint64_t *random) {
    q->k = 1;
    q->l_kind = "ddder"[below(random, 5)];
    q->l = below(random, 2) ? 1 + (unsigned)below(random, 3) : 0;
    if (below(random, 2))
        return;
    q->alpha = below(random, 2) ? 3 + (unsigned)below(random, 8) : 0;
    q->t = below(random, 3) ? 0 : 1 + (unsigned)below(random, 9);
    q->beta = below(random, 3) ? 0 : 1 + (unsigned)below(random, 20);
    q->delta = below(random, 4) ? 0 : 1 + (unsigned)below(random, 3);
}

uint32_t family_person(const family *f, size_t t, uint32_t row) {
    return t == 0 ? row : family_person(f, f->parent[t], f->above[t][row]);
}

static void draw_secrets(family *f, size_t t, uint64_t *random) {
    _Static_assert((int)ROWS <= (int)PEOPLE_ROWS, "a table is a question");
    f->n_secrets[t] = f->n_rows[t] > 0 ? (size_t)below(random, SECRETS + 1) : 0;
    for (size_t i = 0; i < f->n_secrets[t]; i++) {
        people_question *q = &f->secret[t][i];
        const unsigned n_values = 1 + (unsigned)below(random, PEOPLE_VALUES);
        draw_promise(q, random);
        q->n_rows = f->n_rows[t];
        q->n_people = f->n_rows[0];
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            q->rows[row].person = family_person(f, t, row);
            q->rows[row].value = (unsigned)below(random, n_values);
        }
    }
}

bool family_has_models(const family *f) {
    for (size_t t = 0; t < f->n_tables; t++)
        if (f->n_secrets[t] > 0)
            return true;
    return false;
}

/* Whether who stays at a family_node stays above it. */
bool family_absorbs(const family *f) {
    for (size_t t = 0; t < f->n_tables; t++)
        for (size_t i = 0; i < f->n_secrets[t]; i++)
            if (!people_absorb(&f->secret[t][i]))
                return false;
    return true;
}

void family_draw(family *f, uint64_t *random) {
    memset(f, 0, sizeof *f);
    f->n_attributes = 1 + (unsigned)below(random, ATTRIBUTES);
    for (unsigned a = 0; a < f->n_attributes; a++)
        draw_hierarchy(f, a, random);
    f->n_tables = 1 + (size_t)below(random, TABLES);
    for (size_t t = 0; t < f->n_tables; t++) {
        f->parent[t] = t > 0 ? (size_t)below(random, t) : 0;
        for (unsigned a = 0; a < f->n_attributes; a++)
            if (below(random, 2)) {
                f->column[t][f->n_columns[t]] = a;
                draw_prices(f, t, f->n_columns[t]++, random);
            }
        draw_rows(f, t, random);
    }
    f->by_groups = below(random, 4) == 0;
    for (size_t t = 0, has_any = !f->by_groups && below(random, 2); t < f->n_tables && has_any; t++)
        draw_secrets(f, t, random);
    f->k = 1 + below(random, 4);
    f->limit = below(random, 2) ? 0 : below(random, f->n_rows[0] + 1);
    for (unsigned a = 0; a < f->n_attributes; a++) {
        f->high[a] = below(random, 4) ? f->heights[a] : (unsigned)below(random, f->heights[a] + 1);
        f->low[a] = below(random, 4) ? 0 : (unsigned)below(random, f->high[a] + 1);
    }
}
