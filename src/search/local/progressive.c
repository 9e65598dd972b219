/* progressive: all rows that are left go up one level of one attribute, again and again, and rows
 * whose class keeps the promise leave with what they show by then (alpha-k.txt 4.1, Algorithm 1).
 *
 * At each step, of every group:
 *   1. the trunk leaves (Definitions 8 and 9): of a group that passes, all rows whose sensitive
 *      values are limited, and only as many others as they need; of one that fails because a value
 *      is too frequent, all rows but those that are too many (local_thin.c). So the rows that stay
 *      are no worse off than before.
 *   2. what is left of it leaves, too, if it passes by itself, and as long as the rows that stay
 *      keep the promise as one class. For alpha, Lemma 5 bounds the number of such rows by
 *      |D_r| - |(D_r,s)| / alpha; asking the promise itself is exact, allows no fewer of them as
 *      long as k rows stay, and holds for every model.
 * Where every value is limited (the general model), a group that passes leaves whole or not at all.
 * Because the rows that stay always keep the promise as one class, the last of them can be shown at
 * the top, and every row is released.
 *
 * Where even all rows together fail (Definition 5 allows that), every group that passes leaves, and
 * what is left over is completed by kan_local_complete.
 *
 * Linear in tuples for each of the steps, which are as many as the hierarchies have levels. */
#include <stdlib.h>
#include <string.h>

#include "search/local/local.h"
#include "search/local/local_inside.h"

typedef enum { PICK_LARGEST, PICK_SMALLEST, PICK_FIRST } pick;

static const kan_option_spec options[] = {
    {.name = "pick",
     .argument = "NAME",
     .summary = "whose rows leave first, where not all can: those of the largest or the smallest "
                "groups, or the first in the order of values",
     .type = KAN_OPTION_CHOICE,
     .fallback = "smallest",
     .choices = "largest|smallest|first"},
    KAN_LOCAL_OPTIONS,
};

typedef struct {
    kan_local_classes *classes;
    const kan_local_space *space;
    kan_local_chain chain;
    kan_census rest;            /* the rows that stay */
    kan_census leaving;         /* those of the group looked at that leave */
    kan_kind_rows group, gone;  /* the rows of that group; see kan_local_thin */
    uint64_t n_free, n_limited; /* of the group */
    uint64_t *taken;            /* by kind: rows of it that may leave; 0 of kinds it has not */
    uint64_t *held;             /* by kind: limited rows that may not; the same */
    bool rest_matters;          /* the rows that stay must keep the promise */
    pick pick;
    size_t *class_of; /* by group: what has left of it; SIZE_MAX: nothing */
    uint64_t (*order)[2];
} progress;

/* ---- rows that leave ------------------------------------------------------------------------ */

static bool rest_passes(const progress *p) {
    return !p->rest_matters || p->rest.n_rows == 0 || kan_census_passes(p->space, &p->rest) ||
           p->rest.n_rows <= p->space->limit - p->classes->n_lost;
}

/* Looks at a group: none of its rows is taken yet. */
static void look_at(progress *p, size_t group) {
    const kan_local_chain *chain = &p->chain;
    for (uint32_t i = 0; i < p->group.n_used; i++)
        p->taken[p->group.used[i]] = p->held[p->group.used[i]] = 0;
    kan_kind_rows_clear(&p->group);
    p->n_free = p->n_limited = 0;
    for (size_t i = chain->start[group]; i < chain->start[group + 1]; i++) {
        const uint32_t t = chain->tuple[i], kind = p->space->kind[t];
        kan_kind_rows_add(&p->group, kind, chain->left[t]);
        *(p->space->is_free[kind] ? &p->n_free : &p->n_limited) += chain->left[t];
    }
}

/* Takes all limited rows that are not held back, and so many free ones: kinds in the order in which
 * they came. */
static void take_rows(progress *p, uint64_t n_free) {
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        p->taken[kind] = p->group.rows[kind] - p->held[kind];
        if (!p->space->is_free[kind])
            continue;
        if (p->taken[kind] > n_free)
            p->taken[kind] = n_free;
        n_free -= p->taken[kind];
    }
}

/* Moves what is taken between the rows that stay and those that leave. */
static kan_status move_rows(progress *p, bool leaves) {
    kan_census *from = leaves ? &p->rest : &p->leaving, *to = leaves ? &p->leaving : &p->rest;
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        kan_census_remove(p->space, from, p->space->example[kind], p->taken[kind]);
        KAN_TRY(kan_census_add(p->space, to, p->space->example[kind], p->taken[kind]));
    }
    return KAN_OK;
}

/* What is taken goes to the group's class for good: of each kind the first rows. */
static kan_status release(progress *p, size_t group) {
    kan_local_chain *chain = &p->chain;
    kan_census_clear(p->space, &p->leaving);
    KAN_TRY(move_rows(p, true));
    chain->has_changed = true;
    if (p->class_of[group] == SIZE_MAX)
        KAN_TRY(kan_local_classes_add(p->classes, &p->class_of[group]));
    for (size_t i = chain->start[group]; i < chain->start[group + 1]; i++) {
        const uint32_t t = chain->tuple[i];
        uint64_t *wanted = &p->taken[p->space->kind[t]];
        const uint64_t n = chain->left[t] < *wanted ? chain->left[t] : *wanted;
        KAN_TRY(kan_local_class_add(p->classes, p->class_of[group], t, n));
        chain->left[t] -= n;
        *wanted -= n;
    }
    return KAN_OK;
}

typedef struct {
    bool leaves_hold; /* the rows that leave keep the promise as one class */
    bool stays_hold;  /* so do those that stay */
} outcome;

static kan_status try_rows(progress *p, outcome *out) {
    kan_census_clear(p->space, &p->leaving);
    KAN_TRY(move_rows(p, true));
    out->leaves_hold = kan_census_passes(p->space, &p->leaving);
    out->stays_hold = rest_passes(p);
    return move_rows(p, false);
}

static bool is_large(const progress *p) {
    return p->n_free + p->n_limited >= p->space->question->promise->least_size;
}

/* ---- trunks --------------------------------------------------------------------------------- */

/* The fewest free rows with which the limited ones pass: more of them never hurt. */
static kan_status take_fewest_free(progress *p) {
    uint64_t low = 0, high = p->n_free;
    outcome verdict;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        take_rows(p, middle);
        KAN_TRY(try_rows(p, &verdict));
        if (verdict.leaves_hold)
            high = middle;
        else
            low = middle + 1;
    }
    take_rows(p, high);
    return KAN_OK;
}

static bool has_limited(const progress *p) {
    for (uint32_t i = 0; i < p->group.n_used; i++)
        if (!p->space->is_free[p->group.used[i]] && p->taken[p->group.used[i]] > 0)
            return true;
    return false;
}

/* Holds rows of values back that are too frequent, until the others pass. */
static kan_status hold_frequent(progress *p, bool *passes) {
    const uint64_t least = p->space->question->promise->least_size;
    kan_census_clear(p->space, &p->leaving);
    kan_kind_rows_clear(&p->gone);
    KAN_TRY(kan_census_add_kinds(p->space, &p->leaving, &p->group));
    KAN_TRY(kan_local_thin(p->space, &p->leaving, &p->group, p->leaving.n_rows - least, &p->gone,
                           passes));
    for (uint32_t i = 0; i < p->gone.n_used; i++) {
        const uint32_t kind = p->gone.used[i];
        p->held[kind] = p->gone.rows[kind];
        p->group.rows[kind] += p->gone.rows[kind];
    }
    return KAN_OK;
}

/* Holds one more row back, of the limited kind that most rows would leave of; false when the last
 * is held. */
static bool hold_one(progress *p) {
    uint64_t most = 0, n_limited = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        const uint64_t n = p->space->is_free[kind] ? 0 : p->group.rows[kind] - p->held[kind];
        n_limited += n;
        if (n > most) {
            most = n;
            best = kind;
        }
    }
    if (n_limited <= 1)
        return false;
    p->held[best]++;
    return true;
}

/* Takes a trunk: whether it leaves rows that hold, and holds itself. */
static kan_status take_trunk(progress *p, outcome *verdict) {
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, verdict));
    if (!verdict->leaves_hold)
        return KAN_OK;
    if (p->n_free > 0)
        KAN_TRY(take_fewest_free(p));
    return try_rows(p, verdict);
}

/* Where alpha allows 3 rows of 5, a trunk of 7 in 12 is not quite full, and takes more free rows
 * with it than the others can miss: then a smaller one may do. */
static kan_status remove_trunk(progress *p, size_t group) {
    enum { MOST_HELD = 10 };
    outcome verdict;
    bool passes = true;
    p->class_of[group] = SIZE_MAX;
    look_at(p, group);
    if (p->n_limited == 0 || !is_large(p))
        return KAN_OK;
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, &verdict));
    if (verdict.leaves_hold && p->n_free == 0)
        return KAN_OK; /* the whole group, if anything: further removal */
    if (!verdict.leaves_hold)
        KAN_TRY(hold_frequent(p, &passes));
    for (unsigned i = 0; passes && i <= MOST_HELD; i++) {
        KAN_TRY(take_trunk(p, &verdict));
        if (verdict.leaves_hold && verdict.stays_hold && has_limited(p))
            return release(p, group);
        if (p->n_free == 0 || !hold_one(p))
            break;
    }
    return KAN_OK;
}

/* ---- further removal ------------------------------------------------------------------------ */

/* The most free rows that may leave so that the rest still holds. */
static kan_status take_most_free(progress *p) {
    uint64_t low = 0, high = p->n_free;
    outcome verdict;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        take_rows(p, middle);
        KAN_TRY(try_rows(p, &verdict));
        if (verdict.stays_hold)
            low = middle;
        else
            high = middle - 1;
    }
    take_rows(p, low);
    return KAN_OK;
}

static kan_status remove_further(progress *p, size_t group) {
    outcome verdict;
    look_at(p, group);
    if (!is_large(p))
        return KAN_OK;
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, &verdict));
    if (!verdict.leaves_hold)
        return KAN_OK;
    if (!verdict.stays_hold && p->n_free > 0) {
        KAN_TRY(take_most_free(p));
        KAN_TRY(try_rows(p, &verdict));
    }
    return verdict.leaves_hold && verdict.stays_hold ? release(p, group) : KAN_OK;
}

static int compare_pairs(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : x[1] > y[1]);
}

static void order_groups(progress *p) {
    const kan_local_chain *chain = &p->chain;
    for (size_t g = 0; g < chain->n_groups; g++) {
        uint64_t n_rows = 0;
        for (size_t i = chain->start[g]; i < chain->start[g + 1]; i++)
            n_rows += chain->left[chain->tuple[i]];
        p->order[g][0] = p->pick == PICK_FIRST      ? 0
                         : p->pick == PICK_SMALLEST ? n_rows
                                                    : UINT64_MAX - n_rows;
        p->order[g][1] = g;
    }
    if (p->pick != PICK_FIRST)
        qsort(p->order, chain->n_groups, sizeof *p->order, compare_pairs);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status remove_groups(progress *p) {
    kan_local_chain_group(&p->chain);
    for (size_t g = 0; g < p->chain.n_groups; g++)
        KAN_TRY(remove_trunk(p, g));
    order_groups(p);
    for (size_t i = 0; i < p->chain.n_groups; i++)
        KAN_TRY(remove_further(p, (size_t)p->order[i][1]));
    return KAN_OK;
}

static unsigned count_steps(const kan_local_space *space) {
    unsigned n = 1;
    for (unsigned a = 0; a < space->n_attributes; a++)
        n += space->attributes[a].hierarchy->height;
    return n;
}

static kan_status walk(progress *p, const uint64_t *rows) {
    const kan_local_space *space = p->space;
    const unsigned n_steps = count_steps(space);
    size_t c;
    KAN_TRY(kan_census_make(space, &p->rest));
    KAN_TRY(kan_census_make(space, &p->leaving));
    KAN_TRY(kan_kind_rows_make(space, &p->group));
    KAN_TRY(kan_kind_rows_make(space, &p->gone));
    KAN_TRY(kan_alloc_zero(space->run, space->n_kinds, sizeof *p->taken, &p->taken));
    KAN_TRY(kan_alloc_zero(space->run, space->n_kinds, sizeof *p->held, &p->held));
    KAN_TRY(kan_local_chain_make(space, rows, &p->chain));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->class_of, &p->class_of));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->order, &p->order));
    for (size_t t = 0; t < space->n_tuples; t++)
        KAN_TRY(kan_census_add(space, &p->rest, t, rows[t]));
    for (unsigned step = 0; p->rest.n_rows > 0; step++) {
        KAN_TRY(kan_check_cancel(space->run));
        kan_report_progress(space->run, "search", step, n_steps);
        KAN_TRY(remove_groups(p));
        if (p->rest.n_rows == 0 || !kan_local_chain_step(&p->chain))
            break;
    }
    if (p->rest.n_rows == 0)
        return KAN_OK;
    KAN_TRY(kan_local_classes_add(p->classes, &c));
    for (size_t t = 0; t < space->n_tuples; t++)
        KAN_TRY(kan_local_class_add(p->classes, c, (uint32_t)t, p->chain.left[t]));
    return KAN_OK;
}

static pick pick_of(const kan_question *question) {
    const char *name = kan_options_find(question->options, "pick");
    return !name || strcmp(name, "smallest") == 0 ? PICK_SMALLEST
           : strcmp(name, "first") == 0           ? PICK_FIRST
                                                  : PICK_LARGEST;
}

static kan_status make_classes(kan_local_classes *classes, const uint64_t *rows, bool passes) {
    const kan_local_space *space = classes->space;
    progress p = {.classes = classes,
                  .space = space,
                  .chain = {.space = space},
                  .rest_matters = passes,
                  .pick = pick_of(space->question)};
    const kan_status status = walk(&p, rows);
    kan_census_destroy(space, &p.rest);
    kan_census_destroy(space, &p.leaving);
    kan_kind_rows_destroy(space, &p.group);
    kan_kind_rows_destroy(space, &p.gone);
    kan_free(space->run, p.taken);
    kan_free(space->run, p.held);
    kan_local_chain_destroy(&p.chain);
    kan_free(space->run, p.class_of);
    kan_free(space->run, p.order);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_local_search(run, question, make_classes, out);
}

const kan_search_kind kan_search_progressive = {
    .kind = {"progressive", "generalizes step by step the rows that do not yet keep the promise",
             options, sizeof options / sizeof *options},
    .paper = "alpha-k 4.1",
    .models = {&kan_model_cell_generalization, &kan_model_cell_suppression},
    .regions = true,
    .local = true,
    .divides = true,
    .is_anytime = true,
    .search = search,
};
