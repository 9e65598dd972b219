/* Branch and bound over sets of choices, by people: see cut_people_tree.h. */
#include "search/cuts/cut_people_tree.h"

#include <stdlib.h>
#include <string.h>

#include "search/cuts/cut_people.h"

typedef struct {
    const kan_cut_people_plan *plan;
    const kan_cut_space *space;
    kan_cut_record *record;
    uint64_t n_work;
    /* Open nodes; the last is next. */
    size_t n_open, bound_room, decision_room;
    uint64_t *bounds;
    uint8_t *decisions; /* [node * n_choices + choice]: kan_cut_decision */
    /* The node in hand: the sets that make least and most, and one of each with a choice more or
     * less. */
    uint8_t *decision, *is_made;
    uint64_t bound;
    kan_cut_counter *least, *most, *more, *less;
    uint64_t *cell_rows, *cell_stay; /* scratch by cell, a group of the finer set */
    uint32_t *cell_classes;          /* [cell * n_classes + class] */
} tree;

static uint64_t cost_to_beat(const tree *t) {
    const kan_cut_record *record = t->record;
    return record->is_found && record->cost < t->plan->below ? record->cost : t->plan->below;
}

/* ---- what is decided ------------------------------------------------------------------------ */

/* A choice needs those above it. */
static void make_choice(const tree *t, uint8_t *decision, unsigned choice) {
    for (int c = (int)choice; c >= 0; c = t->space->choices[c].parent)
        decision[c] = KAN_CUT_MADE;
}

static bool is_below(const kan_cut_space *space, unsigned choice, unsigned above) {
    int c = (int)choice;
    while (c >= 0 && (unsigned)c != above)
        c = space->choices[c].parent;
    return c >= 0;
}

/* Without it those below it cannot be made. */
static void leave_choice(const tree *t, uint8_t *decision, unsigned choice) {
    for (unsigned c = 0; c < t->space->n_choices; c++)
        if (decision[c] == KAN_CUT_OPEN && is_below(t->space, c, choice))
            decision[c] = KAN_CUT_LEFT;
}

/* Into is_made: what every set below makes, and what some may. */
static void take_least(const tree *t) {
    for (unsigned c = 0; c < t->space->n_choices; c++)
        t->is_made[c] = t->decision[c] == KAN_CUT_MADE;
}

static void take_most(const tree *t) {
    for (unsigned c = 0; c < t->space->n_choices; c++)
        t->is_made[c] = t->decision[c] != KAN_CUT_LEFT;
}

/* ---- bounds --------------------------------------------------------------------------------- */

static bool is_allowed(const tree *t, const kan_cut_counter *counted) {
    return counted->n_lost <= t->space->limit &&
           !(t->space->wants_release && counted->n_lost == kan_cut_space_all(t->space));
}

static uint64_t classes_bound(const tree *t, size_t cell) {
    const unsigned n = t->space->n_classes;
    uint32_t majority = 0;
    for (unsigned i = 0; i < n; i++)
        if (t->cell_classes[cell * n + i] > majority)
            majority = t->cell_classes[cell * n + i];
    return t->cell_rows[cell] - majority;
}

/* No set between the two costs less: who leaves at the coarser one has left, and the cells of the
 * finer one stay whole. UINT64_MAX where every such set leaves out too many. */
static uint64_t find_bound(tree *t, const kan_cut_counter *coarse, const kan_cut_counter *fine) {
    const kan_cut_people *people = t->space->people;
    const unsigned n = t->space->n_classes;
    uint64_t bound = 0;
    if (!is_allowed(t, coarse))
        return UINT64_MAX;
    memset(t->cell_rows, 0, fine->n_groups * sizeof *t->cell_rows);
    memset(t->cell_stay, 0, fine->n_groups * sizeof *t->cell_stay);
    memset(t->cell_classes, 0, fine->n_groups * n * sizeof *t->cell_classes);
    for (size_t u = 0; u < people->n_units; u++) {
        const size_t cell = fine->group_of[people->tuple[u]];
        t->cell_rows[cell] += people->rows[u];
        if (!kan_cut_unit_stays(coarse, u))
            continue;
        t->cell_stay[cell] += people->rows[u];
        if (n > 0)
            t->cell_classes[cell * n + people->class_of[u]] += people->rows[u];
    }
    t->n_work += people->n_units;
    for (size_t cell = 0; cell < fine->n_groups; cell++)
        bound += t->space->cost == KAN_CUT_CLASSIFICATION
                     ? classes_bound(t, cell)
                     : kan_cut_cell_bound(t->space, t->cell_rows[cell], t->cell_stay[cell]);
    return bound;
}

static uint64_t bound_with(tree *t, unsigned choice) {
    take_least(t);
    for (int c = (int)choice; c >= 0; c = t->space->choices[c].parent)
        t->is_made[c] = 1;
    kan_cut_counter_count(t->more, t->is_made);
    return find_bound(t, t->more, t->most);
}

static uint64_t bound_without(tree *t, unsigned choice) {
    take_most(t);
    for (unsigned c = 0; c < t->space->n_choices; c++)
        if (t->is_made[c] && is_below(t->space, c, choice))
            t->is_made[c] = 0;
    kan_cut_counter_group(t->less, t->is_made);
    return find_bound(t, t->least, t->less);
}

/* ---- one node ------------------------------------------------------------------------------- */

/* Counts the node in hand, and offers the least of its sets, which is one of them. */
static kan_status count_node(tree *t) {
    take_least(t);
    kan_cut_counter_measure(t->least, t->is_made);
    if (is_allowed(t, t->least))
        KAN_TRY(kan_cut_record_offer(t->record, t->is_made, t->least->cost));
    take_most(t);
    kan_cut_counter_group(t->most, t->is_made);
    const uint64_t bound = find_bound(t, t->least, t->most);
    t->bound = bound > t->bound ? bound : t->bound;
    return KAN_OK;
}

/* Where to go on: the choice, and the bounds of both ways. */
typedef struct {
    bool is_there;
    unsigned choice;
    uint64_t made, left;
} branch;

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static bool is_better(const branch *a, const branch *b) {
    const uint64_t least = lesser(a->made, a->left), other = lesser(b->made, b->left);
    if (!b->is_there || least != other)
        return !b->is_there || least > other;
    return a->made - least + (a->left - least) > b->made - other + (b->left - other);
}

/* Looks at both ways of each open choice. What cannot be better is decided at once; then
 * *is_changed, and the others may have better bounds. */
static kan_status look_at_choices(tree *t, bool *is_changed, branch *best) {
    *is_changed = false;
    *best = (branch){.is_there = false};
    for (unsigned c = 0; c < t->space->n_choices && !kan_should_stop(t->space->run); c++) {
        if (t->decision[c] != KAN_CUT_OPEN)
            continue;
        branch way = {.is_there = true, .choice = c, .made = bound_with(t, c), .left = t->bound};
        if (way.made < cost_to_beat(t) && !t->plan->in_order)
            way.left = bound_without(t, c);
        if (way.made >= cost_to_beat(t))
            leave_choice(t, t->decision, c);
        else if (way.left >= cost_to_beat(t))
            make_choice(t, t->decision, c);
        *is_changed |= t->decision[c] != KAN_CUT_OPEN;
        if (t->decision[c] != KAN_CUT_OPEN)
            continue;
        if (t->plan->in_order ? !best->is_there : is_better(&way, best))
            *best = way;
    }
    return kan_run_is_cancelled(t->space->run) ? kan_check_cancel(t->space->run) : KAN_OK;
}

static kan_status push(tree *t, const uint8_t *decision, uint64_t bound) {
    const size_t n = t->space->n_choices;
    kan_run *run = t->space->run;
    KAN_TRY(kan_reserve(run, t->n_open + 1, sizeof *t->bounds, &t->bound_room, &t->bounds));
    KAN_TRY(kan_reserve(run, (t->n_open + 1) * n + 1, 1, &t->decision_room, &t->decisions));
    memcpy(t->decisions + t->n_open * n, decision, n);
    t->bounds[t->n_open++] = bound > t->bound ? bound : t->bound;
    return KAN_OK;
}

/* Both ways are open; the one with the lesser bound is next, or in order the one that makes it. */
static kan_status divide(tree *t, const branch *way) {
    const size_t n = t->space->n_choices;
    const bool left_is_next = !t->plan->in_order && way->left < way->made;
    for (unsigned i = 0; i < 2; i++) {
        const bool leaves = (i == 1) == left_is_next;
        memcpy(t->is_made, t->decision, n); /* as scratch */
        if (leaves)
            leave_choice(t, t->is_made, way->choice);
        else
            make_choice(t, t->is_made, way->choice);
        KAN_TRY(push(t, t->is_made, leaves ? way->left : way->made));
    }
    return KAN_OK;
}

/* A node that was not looked at to its end stays open, with what was decided about it. */
static kan_status explore_node(tree *t) {
    const size_t n = t->space->n_choices;
    bool is_changed = true;
    branch way = {.is_there = false};
    t->n_open--;
    t->bound = t->bounds[t->n_open];
    memcpy(t->decision, t->decisions + t->n_open * n, n);
    t->record->n_states++;
    while (is_changed) {
        KAN_TRY(count_node(t));
        if (t->bound >= cost_to_beat(t))
            return KAN_OK;
        KAN_TRY(look_at_choices(t, &is_changed, &way));
        if (kan_should_stop(t->space->run))
            return push(t, t->decision, t->bound);
    }
    return way.is_there ? divide(t, &way) : KAN_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static kan_status push_all(tree *t) {
    const kan_cut_space *space = t->space;
    const kan_proof *from = t->plan->from;
    if (!from) {
        for (unsigned c = 0; c < space->n_choices; c++)
            t->decision[c] = kan_cut_is_forced(space, c) ? KAN_CUT_MADE : KAN_CUT_OPEN;
        return push(t, t->decision, t->record->bound);
    }
    for (size_t i = from->n_open; i-- > 0;)
        KAN_TRY(push(t, from->decisions + i * space->n_choices, from->bounds[i]));
    return KAN_OK;
}

static kan_status begin(tree *t) {
    const kan_cut_space *space = t->space;
    kan_run *run = space->run;
    const size_t n = space->n_tuples + 1;
    KAN_TRY(kan_alloc_zero(run, space->n_choices + (size_t)1, 1, &t->decision));
    KAN_TRY(kan_alloc_zero(run, space->n_choices + (size_t)1, 1, &t->is_made));
    KAN_TRY(kan_alloc(run, n, sizeof *t->cell_rows, &t->cell_rows));
    KAN_TRY(kan_alloc(run, n, sizeof *t->cell_stay, &t->cell_stay));
    KAN_TRY(kan_alloc(run, n * space->n_classes, sizeof *t->cell_classes, &t->cell_classes));
    KAN_TRY(kan_cut_counter_create(space, &t->least));
    KAN_TRY(kan_cut_counter_create(space, &t->most));
    KAN_TRY(kan_cut_counter_create(space, &t->more));
    KAN_TRY(kan_cut_counter_create(space, &t->less));
    return push_all(t);
}

static void end(tree *t) {
    kan_run *run = t->space->run;
    const void *const all[] = {t->bounds,    t->decisions, t->decision,    t->is_made,
                               t->cell_rows, t->cell_stay, t->cell_classes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kan_free(run, all[i]);
    kan_cut_counter_destroy(t->least);
    kan_cut_counter_destroy(t->most);
    kan_cut_counter_destroy(t->more);
    kan_cut_counter_destroy(t->less);
}

/* What is proven: nothing open, and nothing found, costs less. */
static kan_status prove(tree *t) {
    uint64_t bound = cost_to_beat(t);
    for (size_t i = 0; i < t->n_open; i++)
        bound = lesser(bound, t->bounds[i]);
    return bound == UINT64_MAX ? KAN_OK : kan_cut_record_prove(t->record, bound);
}

typedef struct {
    uint64_t bound;
    size_t node;
} part;

static int compare_parts(const void *a, const void *b) {
    const part *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* What is open becomes parts of a proof, the least bound first. */
static kan_status list_open(const tree *t, kan_proof *to) {
    const size_t n = t->space->n_choices;
    kan_run *run = t->space->run;
    part *parts = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_proof_make(run, t->space->n_choices, t->n_open, to));
    KAN_TRY_DONE(kan_alloc(run, t->n_open, sizeof *parts, &parts));
    for (size_t i = 0; i < t->n_open; i++)
        parts[i] = (part){t->bounds[i], i};
    if (t->n_open > 1)
        qsort(parts, t->n_open, sizeof *parts, compare_parts);
    for (size_t i = 0; i < t->n_open; i++) {
        to->bounds[i] = parts[i].bound;
        memcpy(to->decisions + i * n, t->decisions + parts[i].node * n, n);
    }
done:
    kan_free(run, parts);
    return status;
}

/* For a run that does not come to its end. */
static kan_status keep_proof(const tree *t, double *last_ms) {
    const kan_cut_people_plan *plan = t->plan;
    if (!plan->to || !plan->keep || kan_now_ms() - *last_ms < plan->keep_ms)
        return KAN_OK;
    kan_proof proof = {.n_open = 0};
    kan_status status = list_open(t, &proof);
    if (status == KAN_OK)
        status = plan->keep(plan->keep_context, &proof);
    kan_proof_destroy(t->space->run, &proof);
    *last_ms = kan_now_ms();
    return status;
}

kan_status kan_cut_people_explore(const kan_cut_people_plan *plan, kan_cut_record *record,
                                  bool *is_complete) {
    kan_status status;
    double kept_ms = kan_now_ms();
    tree t = {.plan = plan, .space = record->space, .record = record};
    *is_complete = false;
    KAN_TRY_DONE(begin(&t));
    while (t.n_open > 0 && !kan_should_stop(t.space->run) &&
           (plan->n_work == 0 || t.n_work < plan->n_work)) {
        KAN_TRY_DONE(explore_node(&t));
        KAN_TRY_DONE(prove(&t));
        kan_cut_record_report(record);
        KAN_TRY_DONE(keep_proof(&t, &kept_ms));
    }
    *is_complete = t.n_open == 0;
    status = plan->to ? list_open(&t, plan->to) : KAN_OK;
done:
    end(&t);
    return status;
}
