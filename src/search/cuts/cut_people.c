/* Counting people in sets of choices: see cut_people.h. */
#include "search/cuts/cut_people.h"

#include <stdlib.h>
#include <string.h>

/* ---- the units of the space ----------------------------------------------------------------- */

typedef struct {
    uint32_t person, tuple, class_of, rows;
} unit;

static int compare_units(const void *a, const void *b) {
    const unit *x = a, *y = b;
    if (x->person != y->person)
        return x->person < y->person ? -1 : 1;
    if (x->tuple != y->tuple)
        return x->tuple < y->tuple ? -1 : 1;
    return x->class_of < y->class_of ? -1 : x->class_of > y->class_of;
}

static size_t list_units(const kan_cut_space *space, const uint32_t *of, unit *units) {
    const kan_problem *problem = space->question->problem;
    const unsigned n = problem->space.n_attributes;
    size_t n_units = 0;
    for (size_t i = 0; i < problem->base.n; i++)
        units[i] =
            (unit){kan_problem_tuple_value(problem, i, n), of[i],
                   space->n_classes == 0
                       ? 0
                       : kan_problem_tuple_value(problem, i, n + (unsigned)problem->class_tail),
                   (uint32_t)problem->base.counts[i]};
    if (problem->base.n > 1)
        qsort(units, problem->base.n, sizeof *units, compare_units);
    for (size_t i = 0; i < problem->base.n; i++)
        if (n_units > 0 && compare_units(&units[n_units - 1], &units[i]) == 0)
            units[n_units - 1].rows += units[i].rows;
        else
            units[n_units++] = units[i];
    return n_units;
}

static kan_status keep_units(kan_cut_space *space, const unit *units, size_t n,
                             kan_cut_people *people) {
    kan_arena *arena = &space->arena;
    people->n_units = n;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *people->person, &people->person));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *people->tuple, &people->tuple));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *people->rows, &people->rows));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *people->class_of, &people->class_of));
    KAN_TRY(kan_arena_alloc(arena, people->n_people + 1, sizeof *people->start, &people->start));
    memset(people->start, 0, (people->n_people + 1) * sizeof *people->start);
    for (size_t u = 0; u < n; u++) {
        people->person[u] = units[u].person;
        people->tuple[u] = units[u].tuple;
        people->rows[u] = units[u].rows;
        people->class_of[u] = units[u].class_of;
        people->start[units[u].person + 1]++;
    }
    for (size_t p = 0; p < people->n_people; p++) {
        if (people->start[p + 1] > people->most_units)
            people->most_units = people->start[p + 1];
        people->start[p + 1] += people->start[p];
    }
    return KAN_OK;
}

kan_status kan_cut_people_make(kan_cut_space *space, const uint32_t *of) {
    const kan_problem *problem = space->question->problem;
    kan_cut_people *people;
    unit *units;
    KAN_TRY(kan_arena_alloc(&space->arena, 1, sizeof *people, &people));
    *people = (kan_cut_people){.by_person = space->question->promise->by_person,
                               .histories = space->question->promise->histories,
                               .has_pasts = problem->has_pasts,
                               .n_people = (size_t)problem->n_people};
    KAN_TRY(kan_alloc(space->run, problem->base.n, sizeof *units, &units));
    const kan_status status = keep_units(space, units, list_units(space, of, units), people);
    kan_free(space->run, units);
    space->people = people;
    return status;
}

/* ---- counters ------------------------------------------------------------------------------- */

struct kan_cut_step {
    uint32_t before, group, rows;
};

struct kan_cut_shown {
    uint32_t group, rows;
};

static kan_status make_history_room(kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    kan_run *run = counter->space->run;
    const size_t n = people->n_units + 1;
    KAN_TRY(kan_alloc(run, n, sizeof *counter->steps, &counter->steps));
    KAN_TRY(kan_alloc(run, people->most_units, sizeof *counter->shown, &counter->shown));
    KAN_TRY(kan_alloc(run, people->n_people, sizeof *counter->history, &counter->history));
    return kan_alloc(run, n, sizeof *counter->n_alike, &counter->n_alike);
}

static kan_status make_room(kan_cut_counter *counter) {
    const kan_cut_space *space = counter->space;
    const kan_cut_people *people = space->people;
    kan_run *run = space->run;
    const size_t n = space->n_tuples + 1;
    uint32_t most_places = 1;
    for (unsigned a = 0; a < space->n_attributes; a++)
        most_places = space->n_places[a] > most_places ? space->n_places[a] : most_places;
    counter->n_slots = 16;
    while (counter->n_slots < 2 * (people->n_units + 1))
        counter->n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *counter->group_of, &counter->group_of));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *counter->people, &counter->people));
    KAN_TRY(kan_alloc_zero(run, people->n_people, 1, &counter->is_gone));
    KAN_TRY(kan_alloc_zero(run, people->n_units, 1, &counter->stays));
    KAN_TRY(kan_alloc(run, most_places, sizeof *counter->interval, &counter->interval));
    KAN_TRY(kan_alloc(run, counter->n_slots, sizeof *counter->pairs, &counter->pairs));
    KAN_TRY(kan_alloc(run, counter->n_slots, sizeof *counter->numbers, &counter->numbers));
    KAN_TRY(kan_alloc(run, n, sizeof *counter->met, &counter->met));
    KAN_TRY(kan_alloc(run, n, sizeof *counter->group_rows, &counter->group_rows));
    KAN_TRY(
        kan_alloc(run, n * space->n_classes, sizeof *counter->class_rows, &counter->class_rows));
    return people->histories ? make_history_room(counter) : KAN_OK;
}

kan_status kan_cut_counter_create(const kan_cut_space *space, kan_cut_counter **out) {
    kan_cut_counter *counter;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *counter, &counter));
    counter->space = space;
    const kan_status status = make_room(counter);
    if (status == KAN_OK)
        *out = counter;
    else
        kan_cut_counter_destroy(counter);
    return status;
}

void kan_cut_counter_destroy(kan_cut_counter *counter) {
    if (!counter)
        return;
    const void *const all[] = {counter->group_of, counter->people,     counter->is_gone,
                               counter->interval, counter->pairs,      counter->numbers,
                               counter->met,      counter->group_rows, counter->class_rows,
                               counter->steps,    counter->shown,      counter->history,
                               counter->n_alike,  counter->stays};
    kan_run *run = counter->space->run;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kan_free(run, all[i]);
    kan_free(run, counter);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* The intervals of an attribute; returns how many. */
static uint32_t number_intervals(kan_cut_counter *counter, const uint8_t *is_made, unsigned a) {
    const kan_cut_space *space = counter->space;
    uint32_t n = 0;
    for (uint32_t place = 0; place < space->n_places[a]; place++) {
        const int choice = space->choice_at[a][place];
        n += choice >= 0 && is_made[choice];
        counter->interval[place] = n;
    }
    return n + 1;
}

static size_t mix(uint64_t pair) {
    pair = (pair ^ pair >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(pair ^ pair >> 29);
}

/* The number of a pair, which is *n where it is new. */
static uint32_t take_pair(kan_cut_counter *counter, uint64_t pair, size_t *n) {
    const size_t mask = counter->n_slots - 1;
    size_t slot = mix(pair) & mask;
    for (; counter->numbers[slot] != 0; slot = (slot + 1) & mask)
        if (counter->pairs[slot] == pair)
            return counter->numbers[slot] - 1;
    counter->pairs[slot] = pair;
    counter->numbers[slot] = (uint32_t)++ * n;
    return (uint32_t)*n - 1;
}

void kan_cut_counter_group(kan_cut_counter *counter, const uint8_t *is_made) {
    const kan_cut_space *space = counter->space;
    memset(counter->group_of, 0, space->n_tuples * sizeof *counter->group_of);
    counter->n_groups = space->n_tuples > 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        size_t n = 0;
        if (number_intervals(counter, is_made, a) == 1)
            continue;
        memset(counter->numbers, 0, counter->n_slots * sizeof *counter->numbers);
        for (size_t t = 0; t < space->n_tuples; t++) {
            const uint64_t interval = counter->interval[space->places[a][t]];
            counter->group_of[t] =
                take_pair(counter, (uint64_t)counter->group_of[t] << 32 | interval, &n);
        }
        counter->n_groups = n;
    }
}

/* ---- who leaves ----------------------------------------------------------------------------- */

/* The different people of each group, but those who are gone. */
static void count_heads(kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    memset(counter->people, 0, counter->n_groups * sizeof *counter->people);
    memset(counter->met, 0xff, counter->n_groups * sizeof *counter->met);
    for (uint32_t p = 0; p < people->n_people; p++)
        for (size_t u = people->start[p]; u < people->start[p + 1] && !counter->is_gone[p]; u++) {
            const uint32_t g = counter->group_of[people->tuple[u]];
            counter->people[g] += counter->met[g] != p;
            counter->met[g] = p;
        }
}

/* Everybody with a row in a group of too few people leaves. Returns how many do. */
static uint64_t leave(kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    uint64_t n = 0;
    for (size_t p = 0; p < people->n_people; p++) {
        if (counter->is_gone[p])
            continue;
        for (size_t u = people->start[p]; u < people->start[p + 1] && !counter->is_gone[p]; u++)
            counter->is_gone[p] =
                counter->people[counter->group_of[people->tuple[u]]] < counter->space->k;
        n += counter->is_gone[p];
    }
    return n;
}

static int compare_shown(const void *a, const void *b) {
    const struct kan_cut_shown *x = a, *y = b;
    return x->group < y->group ? -1 : x->group > y->group;
}

/* What a person shows, by group; returns in how many groups she is. */
static size_t list_shown(kan_cut_counter *counter, size_t p) {
    const kan_cut_people *people = counter->space->people;
    struct kan_cut_shown *shown = counter->shown;
    size_t n = 0, n_groups = 0;
    for (size_t u = people->start[p]; u < people->start[p + 1]; u++)
        shown[n++] = (struct kan_cut_shown){counter->group_of[people->tuple[u]], people->rows[u]};
    if (n > 1)
        qsort(shown, n, sizeof *shown, compare_shown);
    for (size_t i = 0; i < n; i++)
        if (n_groups > 0 && shown[n_groups - 1].group == shown[i].group)
            shown[n_groups - 1].rows += shown[i].rows;
        else
            shown[n_groups++] = shown[i];
    return n_groups;
}

/* The class that follows another for so many rows in a group: no two histories are confused. */
static uint32_t take_step(kan_cut_counter *counter, struct kan_cut_step step, size_t *n_classes) {
    const size_t mask = counter->n_slots - 1;
    size_t slot = (mix((uint64_t)step.before << 32 | step.group) + step.rows) & mask;
    for (; counter->numbers[slot] != 0; slot = (slot + 1) & mask) {
        const struct kan_cut_step *other = &counter->steps[counter->numbers[slot]];
        if (other->before == step.before && other->group == step.group && other->rows == step.rows)
            return counter->numbers[slot];
    }
    counter->numbers[slot] = (uint32_t)*n_classes;
    counter->steps[*n_classes] = step;
    return (uint32_t)(*n_classes)++;
}

/* Whoever has a history that fewer than k people have leaves; nobody else's changes by it. */
static uint64_t leave_rare(kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    size_t n_classes = 1;
    uint64_t n_gone = 0;
    memset(counter->numbers, 0, counter->n_slots * sizeof *counter->numbers);
    memset(counter->n_alike, 0, (people->n_units + 1) * sizeof *counter->n_alike);
    for (size_t p = 0; p < people->n_people; p++) {
        const size_t n = list_shown(counter, p);
        uint32_t at = 0;
        for (size_t i = 0; i < n; i++) {
            const struct kan_cut_shown *shown = &counter->shown[i];
            at = take_step(counter, (struct kan_cut_step){at, shown->group, shown->rows},
                           &n_classes);
        }
        counter->history[p] = at;
        counter->n_alike[at]++;
    }
    for (size_t p = 0; p < people->n_people; p++) {
        counter->is_gone[p] = counter->n_alike[counter->history[p]] < counter->space->k;
        n_gone += counter->is_gone[p];
    }
    return n_gone;
}

/* The rows of a past in each group, one past after the other; those of too few leave. */
static void find_parts(kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    memset(counter->met, 0xff, counter->n_groups * sizeof *counter->met);
    for (uint32_t p = 0; p < people->n_people; p++) {
        for (size_t u = people->start[p]; u < people->start[p + 1]; u++) {
            const uint32_t g = counter->group_of[people->tuple[u]];
            counter->people[g] = counter->met[g] == p ? counter->people[g] : 0;
            counter->people[g] += people->rows[u];
            counter->met[g] = p;
        }
        for (size_t u = people->start[p]; u < people->start[p + 1]; u++)
            counter->stays[u] =
                counter->people[counter->group_of[people->tuple[u]]] >= counter->space->k;
    }
}

static uint64_t count_lost_rows(const kan_cut_counter *counter) {
    const kan_cut_people *people = counter->space->people;
    uint64_t n = 0;
    for (size_t u = 0; u < people->n_units; u++)
        n += kan_cut_unit_stays(counter, u) ? 0 : people->rows[u];
    return n;
}

void kan_cut_counter_count(kan_cut_counter *counter, const uint8_t *is_made) {
    const kan_cut_people *people = counter->space->people;
    kan_cut_counter_group(counter, is_made);
    memset(counter->is_gone, 0, people->n_people);
    if (people->histories) {
        counter->n_lost = leave_rare(counter);
        return;
    }
    if (people->has_pasts)
        find_parts(counter);
    else
        count_heads(counter);
    if (!people->by_person) {
        counter->n_lost = count_lost_rows(counter);
        return;
    }
    counter->n_lost = 0;
    for (uint64_t n; (n = leave(counter)) > 0;) {
        counter->n_lost += n;
        count_heads(counter);
    }
}

/* ---- what it costs -------------------------------------------------------------------------- */

static uint64_t cost_of_released(const kan_cut_counter *counter, size_t g) {
    const unsigned n = counter->space->n_classes;
    const uint64_t rows = counter->group_rows[g];
    uint32_t majority = 0;
    if (counter->space->cost == KAN_CUT_DISCERNIBILITY)
        return rows * rows;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t here = counter->class_rows[g * n + i];
        majority = here > majority ? here : majority;
    }
    return rows - majority;
}

void kan_cut_counter_measure(kan_cut_counter *counter, const uint8_t *is_made) {
    const kan_cut_space *space = counter->space;
    const kan_cut_people *people = space->people;
    uint64_t lost = 0;
    kan_cut_counter_count(counter, is_made);
    memset(counter->group_rows, 0, counter->n_groups * sizeof *counter->group_rows);
    memset(counter->class_rows, 0,
           counter->n_groups * space->n_classes * sizeof *counter->class_rows);
    for (size_t u = 0; u < people->n_units; u++) {
        const size_t g = counter->group_of[people->tuple[u]];
        if (!kan_cut_unit_stays(counter, u)) {
            lost += people->rows[u];
            continue;
        }
        counter->group_rows[g] += people->rows[u];
        if (space->n_classes > 0)
            counter->class_rows[g * space->n_classes + people->class_of[u]] += people->rows[u];
    }
    counter->cost = lost * (space->cost == KAN_CUT_DISCERNIBILITY ? space->n_rows : 1);
    for (size_t g = 0; g < counter->n_groups; g++)
        counter->cost += cost_of_released(counter, g);
}
