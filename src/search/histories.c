/* Classes of people with equal histories: see histories.h. */
#include "search/histories.h"

#include <string.h>

#include "group/pasts.h"

void kan_histories_init(kan_histories *histories, const kan_problem *problem) {
    *histories = (kan_histories){.run = problem->run};
    kan_head_count_init(&histories->parts, problem);
}

void kan_histories_destroy(kan_histories *histories) {
    kan_run *run = histories->run;
    kan_free(run, histories->steps);
    kan_free(run, histories->slots);
    kan_free(run, histories->class_of);
    kan_free(run, histories->n_people);
    kan_free(run, histories->fails);
    kan_free(run, histories->passes);
    const kan_problem *problem = histories->parts.problem;
    kan_head_count_destroy(&histories->parts);
    kan_histories_init(histories, problem);
}

/* ---- the tree ------------------------------------------------------------------------------- */

kan_status kan_histories_begin(kan_histories *h, size_t n_tuples, size_t n_people) {
    KAN_TRY(kan_reserve(h->run, n_tuples + 1, sizeof *h->steps, &h->class_room, &h->steps));
    KAN_TRY(kan_reserve(h->run, n_people, sizeof *h->class_of, &h->person_room, &h->class_of));
    memset(h->class_of, 0, n_people * sizeof *h->class_of);
    h->n_classes = 1;
    h->n_slots = 16;
    while (h->n_slots < 2 * (n_tuples + 1))
        h->n_slots *= 2;
    KAN_TRY(kan_reserve(h->run, h->n_slots, sizeof *h->slots, &h->slot_room, &h->slots));
    memset(h->slots, 0, h->n_slots * sizeof *h->slots);
    return KAN_OK;
}

static size_t slot_of(const kan_histories *h, const struct kan_history_step *step) {
    uint64_t mixed = ((uint64_t)step->before << 32 | step->group) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 29 ^ step->n_rows) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(mixed ^ mixed >> 32) & (h->n_slots - 1);
}

static uint32_t find_class(kan_histories *h, const struct kan_history_step *step) {
    size_t slot = slot_of(h, step);
    for (; h->slots[slot] != 0; slot = (slot + 1) & (h->n_slots - 1)) {
        const struct kan_history_step *other = &h->steps[h->slots[slot]];
        if (other->before == step->before && other->group == step->group &&
            other->n_rows == step->n_rows)
            return h->slots[slot];
    }
    const uint32_t made = (uint32_t)h->n_classes++;
    h->steps[made] = *step;
    h->slots[slot] = made;
    return made;
}

void kan_histories_step(kan_histories *h, uint32_t person, uint32_t group, uint64_t n_rows) {
    const struct kan_history_step step = {
        .before = h->class_of[person], .group = group, .n_rows = n_rows};
    h->class_of[person] = find_class(h, &step);
}

/* A person may have several tuples in a group, where the set has more tails: they are one step. */
static void take_group(kan_histories *h, const kan_head_count *heads, size_t g) {
    const uint64_t *counts = heads->set->counts;
    for (size_t first = heads->start[g], end; first < heads->start[g + 1]; first = end) {
        const uint32_t person = kan_head_count_person(heads, first);
        uint64_t n_rows = 0;
        for (end = first; end < heads->start[g + 1] && kan_head_count_person(heads, end) == person;
             end++)
            n_rows += counts[end];
        kan_histories_step(h, person, (uint32_t)g, n_rows);
    }
}

/* ---- all people ----------------------------------------------------------------------------- */

kan_status kan_histories_count(kan_histories *h, size_t n_people) {
    KAN_TRY(kan_reserve(h->run, h->n_classes, sizeof *h->n_people, &h->size_room, &h->n_people));
    memset(h->n_people, 0, h->n_classes * sizeof *h->n_people);
    for (size_t p = 0; p < n_people; p++)
        h->n_people[h->class_of[p]]++;
    return KAN_OK;
}

/* Nothing leads to the first class of a past but the past. */
static void begin_with_pasts(kan_histories *h, const kan_pasts *pasts, size_t n_people) {
    for (uint32_t past = 0; past < pasts->n; past++)
        h->steps[h->n_classes++] = (struct kan_history_step){.n_rows = past};
    for (size_t p = 0; p < n_people; p++)
        h->class_of[p] = 1 + pasts->of_person[p];
}

kan_status kan_histories_find(kan_histories *h, const kan_head_count *heads) {
    const size_t n_people = (size_t)heads->problem->n_people;
    const kan_pasts *pasts = heads->problem->pasts;
    if (heads->set->n >= UINT32_MAX / 2)
        return kan_fail(h->run, KAN_FAILED,
                        "too many different rows for histories of people: the maximum is 2^31");
    KAN_TRY(kan_histories_begin(h, heads->set->n + (pasts ? pasts->n : 0), n_people));
    if (pasts)
        begin_with_pasts(h, pasts, n_people);
    for (size_t g = 0; g < heads->n_groups; g++)
        take_group(h, heads, g);
    return kan_histories_count(h, n_people);
}

/* ---- the promise ---------------------------------------------------------------------------- */

bool kan_histories_of_size(const kan_promise *promise) {
    bool is = true;
    for (unsigned m = 0; m < promise->n_models; m++)
        is &= promise->models[m].kind->size_decides;
    return is;
}

/* A class fails when one of its parts does. */
kan_status kan_histories_check_parts(kan_histories *h, const kan_head_count *heads,
                                     const kan_promise *promise, const uint8_t *is_gone) {
    kan_groups groups;
    KAN_ASSERT(!promise->is_of_table);
    KAN_TRY(kan_head_count_divide(&h->parts, heads, h->class_of));
    KAN_TRY(kan_head_count_groups(&h->parts, is_gone, promise->needs_tallies, &groups));
    KAN_TRY(kan_reserve(h->run, groups.n_groups, 1, &h->pass_room, &h->passes));
    kan_promise_check(promise, &groups, h->passes);
    for (size_t part = 0; part < groups.n_groups; part++) {
        const size_t first = kan_head_count_tuple(&h->parts, h->parts.start[part]);
        const uint32_t class = h->class_of[kan_head_count_person(&h->parts, first)];
        h->fails[class] |= groups.count[part] > 0 && !h->passes[part];
    }
    return kan_check_cancel(h->run);
}

kan_status kan_histories_check(kan_histories *h, const kan_head_count *heads,
                               const kan_promise *promise, uint8_t *is_gone, uint64_t *n_gone) {
    const size_t n_people = (size_t)heads->problem->n_people;
    KAN_TRY(kan_histories_find(h, heads));
    KAN_TRY(kan_reserve(h->run, h->n_classes, 1, &h->fail_room, &h->fails));
    for (size_t c = 0; c < h->n_classes; c++)
        h->fails[c] = h->n_people[c] < promise->k;
    if (!kan_histories_of_size(promise))
        KAN_TRY(kan_histories_check_parts(h, heads, promise, is_gone));
    *n_gone = 0;
    for (size_t p = 0; p < n_people; p++) {
        is_gone[p] = h->fails[h->class_of[p]];
        *n_gone += is_gone[p];
    }
    return KAN_OK;
}
