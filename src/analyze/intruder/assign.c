/* All rows handed out at once, each to one person, so that the distances add up to the least (global linkage): tuples
 * of people send what they have to groups, which take as many as they have rows.
 *
 * Shortest augmenting paths with potentials: from a tuple that is not wholly assigned to the nearest group with a row
 * left, over groups that give back what they took. Where people are more than rows, a group of nobody's takes the rest. O(tuples^2 * groups) as a rule, memory for tuples * groups.
 * Where several assignments are best, one of them is found, the same on every machine. */
#include <math.h>
#include <string.h>

#include "analyze/intruder/register_inside.h"

typedef struct {
    kan_run *run;
    size_t n_tuples, n_groups; /* with that of nobody, the last, where there is one */
    double *cost;              /* by tuple and group */
    uint32_t *sent;            /* the same */
    uint64_t *supply, *room;
    double *at_tuple, *at_group;       /* potentials */
    double *to_tuple, *to_group;       /* of one search */
    size_t *tuple_before, *group_from; /* the group, or tuple, before it on the shortest path */
    uint8_t *done_tuple, *done_group;
} assigning;

static kan_status make_room(assigning *a) {
    const size_t n = a->n_tuples, m = a->n_groups;
    KAN_TRY(kan_alloc(a->run, n * m, sizeof *a->cost, &a->cost));
    KAN_TRY(kan_alloc_zero(a->run, n * m, sizeof *a->sent, &a->sent));
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *a->supply, &a->supply));
    KAN_TRY(kan_alloc_zero(a->run, m, sizeof *a->room, &a->room));
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *a->at_tuple, &a->at_tuple));
    KAN_TRY(kan_alloc_zero(a->run, m, sizeof *a->at_group, &a->at_group));
    KAN_TRY(kan_alloc(a->run, n, sizeof *a->to_tuple, &a->to_tuple));
    KAN_TRY(kan_alloc(a->run, m, sizeof *a->to_group, &a->to_group));
    KAN_TRY(kan_alloc(a->run, n, sizeof *a->tuple_before, &a->tuple_before));
    KAN_TRY(kan_alloc(a->run, m, sizeof *a->group_from, &a->group_from));
    KAN_TRY(kan_alloc(a->run, n, 1, &a->done_tuple));
    return kan_alloc(a->run, m, 1, &a->done_group);
}

static void free_room(assigning *a) {
    kan_free(a->run, a->cost);
    kan_free(a->run, a->sent);
    kan_free(a->run, a->supply);
    kan_free(a->run, a->room);
    kan_free(a->run, a->at_tuple);
    kan_free(a->run, a->at_group);
    kan_free(a->run, a->to_tuple);
    kan_free(a->run, a->to_group);
    kan_free(a->run, a->tuple_before);
    kan_free(a->run, a->group_from);
    kan_free(a->run, a->done_tuple);
    kan_free(a->run, a->done_group);
}

/* ---- one path ------------------------------------------------------------------------------------ */

static void relax_groups(assigning *a, size_t tuple) {
    const double here = a->to_tuple[tuple] + a->at_tuple[tuple];
    const double *cost = a->cost + tuple * a->n_groups;
    a->done_tuple[tuple] = 1;
    for (size_t g = 0; g < a->n_groups; g++) {
        /* rounding must not make a step shorter than nothing */
        const double there = fmax(here + cost[g] - a->at_group[g], a->to_tuple[tuple]);
        if (!a->done_group[g] && there < a->to_group[g]) {
            a->to_group[g] = there;
            a->group_from[g] = tuple;
        }
    }
}

/* Tuples whose people a group could give back, at no length. */
static void relax_tuples(assigning *a, size_t group) {
    a->done_group[group] = 1;
    for (size_t t = 0; t < a->n_tuples; t++)
        if (!a->done_tuple[t] && a->sent[t * a->n_groups + group] > 0 &&
            a->to_group[group] < a->to_tuple[t]) {
            a->to_tuple[t] = a->to_group[group];
            a->tuple_before[t] = group;
        }
}

/* The nearest group with a row left; n_groups: there is none. */
static size_t find_path(assigning *a, size_t from) {
    for (size_t t = 0; t < a->n_tuples; t++)
        a->to_tuple[t] = INFINITY;
    for (size_t g = 0; g < a->n_groups; g++)
        a->to_group[g] = INFINITY;
    memset(a->done_tuple, 0, a->n_tuples);
    memset(a->done_group, 0, a->n_groups);
    a->to_tuple[from] = 0;
    a->tuple_before[from] = a->n_groups;
    relax_groups(a, from);
    for (;;) {
        size_t nearest = a->n_groups;
        for (size_t g = 0; g < a->n_groups; g++)
            if (!a->done_group[g] && isfinite(a->to_group[g]) &&
                (nearest == a->n_groups || a->to_group[g] < a->to_group[nearest]))
                nearest = g;
        if (nearest == a->n_groups || a->room[nearest] > 0)
            return nearest;
        relax_tuples(a, nearest);
        for (size_t t = 0; t < a->n_tuples; t++)
            if (!a->done_tuple[t] && a->to_tuple[t] <= a->to_group[nearest])
                relax_groups(a, t);
    }
}

static void move_potentials(assigning *a, double length) {
    for (size_t t = 0; t < a->n_tuples; t++)
        if (a->to_tuple[t] < length)
            a->at_tuple[t] += a->to_tuple[t] - length;
    for (size_t g = 0; g < a->n_groups; g++)
        if (a->to_group[g] < length)
            a->at_group[g] += a->to_group[g] - length;
}

/* As many as the path lets through. */
static void send(assigning *a, size_t from, size_t to) {
    uint64_t n = a->supply[from] < a->room[to] ? a->supply[from] : a->room[to];
    for (size_t g = to, t; (t = a->group_from[g]) != from; g = a->tuple_before[t]) {
        const uint32_t back = a->sent[t * a->n_groups + a->tuple_before[t]];
        n = back < n ? back : n;
    }
    for (size_t g = to;; g = a->tuple_before[a->group_from[g]]) {
        const size_t t = a->group_from[g];
        a->sent[t * a->n_groups + g] += (uint32_t)n;
        if (t == from)
            break;
        a->sent[t * a->n_groups + a->tuple_before[t]] -= (uint32_t)n;
    }
    a->supply[from] -= n;
    a->room[to] -= n;
}

static kan_status assign(assigning *a) {
    for (size_t t = 0; t < a->n_tuples; t++) {
        while (a->supply[t] > 0) {
            KAN_TRY(kan_check_cancel(a->run));
            const size_t to = find_path(a, t);
            if (to == a->n_groups)
                return KAN_OK; /* all rows are handed out */
            move_potentials(a, a->to_group[to]);
            send(a, t, to);
        }
        kan_report_units(a->run, "assign", "people", t + 1, a->n_tuples);
    }
    return KAN_OK;
}

/* ---- what comes of it ------------------------------------------------------------------------------ */

/* Of a tuple's people some are sent to the group of their own row, and there are found by chance. */
static void conclude(const kan_asking *asked, const assigning *a, const uint64_t *row_of,
                     kan_assigned *out) {
    const kan_folded *people = &asked->people, *groups = &asked->groups;
    for (size_t t = 0; t < a->n_tuples; t++)
        for (size_t g = 0; g < groups->n; g++) {
            const uint32_t n = a->sent[t * a->n_groups + g];
            out->n_assigned += n;
            out->distance += n > 0 ? a->cost[t * a->n_groups + g] * n : 0;
        }
    for (uint64_t p = 0; p < asked->r->question.people->n_rows; p++) {
        if (row_of[p] == UINT64_MAX)
            continue;
        const size_t t = people->of_row[p], g = groups->of_row[row_of[p]];
        out->right += (double)a->sent[t * a->n_groups + g] / (double)people->rows[t] /
                      (double)groups->rows[g];
    }
}

bool kan_assign_is_possible(kan_run *run, size_t n_tuples, size_t n_groups) {
    const double tuples = (double)n_tuples, groups = (double)n_groups + 1;
    const double bytes = tuples * groups * (sizeof(double) + sizeof(uint32_t));
    return tuples * groups <= (double)(1 << 22) &&
           tuples * tuples * groups <= (double)((uint64_t)1 << 34) &&
           2 * bytes <= (double)kan_run_memory_left(run);
}

static void fill(const kan_asking *asked, assigning *a) {
    for (size_t t = 0; t < a->n_tuples; t++) {
        a->supply[t] = asked->people.rows[t];
        for (size_t g = 0; g < a->n_groups; g++)
            a->cost[t * a->n_groups + g] =
                g < asked->groups.n ? kan_near_distance(asked, t, g, INFINITY) : 0;
    }
    for (size_t g = 0; g < asked->groups.n; g++)
        a->room[g] = asked->groups.rows[g];
}

kan_status kan_assign(const kan_asking *asked, const uint64_t *row_of, kan_assigned *out) {
    const kan_register_question *question = &asked->r->question;
    const bool lacks_rows = question->people->n_rows > question->release->n_rows;
    assigning a = {
        .run = asked->run, .n_tuples = asked->people.n, .n_groups = asked->groups.n + lacks_rows};
    kan_assigned found = {.n_assigned = 0};
    kan_status status;
    KAN_TRY_DONE(make_room(&a));
    fill(asked, &a);
    if (lacks_rows)
        a.room[asked->groups.n] = question->people->n_rows - question->release->n_rows;
    KAN_TRY_DONE(assign(&a));
    conclude(asked, &a, row_of, &found);
    *out = found;
done:
    free_room(&a);
    return status;
}
