/* Classes of people with equal histories: see histories.h. */
#include "search/histories.h"

#include <string.h>

void kan_histories_init(kan_histories *histories, kan_run *run) {
    *histories = (kan_histories){.run = run};
}

void kan_histories_destroy(kan_histories *histories) {
    kan_run *run = histories->run;
    kan_free(run, histories->steps);
    kan_free(run, histories->slots);
    kan_free(run, histories->class_of);
    kan_free(run, histories->n_people);
    kan_histories_init(histories, run);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static kan_status begin(kan_histories *h, size_t n_tuples, size_t n_people) {
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

/* A person may have several tuples in a group, where the set has more tails: they are one step. */
static void take_group(kan_histories *h, const kan_head_count *heads, size_t g) {
    const uint64_t *counts = heads->set->counts;
    for (size_t first = heads->start[g], end; first < heads->start[g + 1]; first = end) {
        const uint32_t person = kan_head_count_person(heads, first);
        struct kan_history_step step = {.before = h->class_of[person], .group = (uint32_t)g};
        for (end = first; end < heads->start[g + 1] && kan_head_count_person(heads, end) == person;
             end++)
            step.n_rows += counts[end];
        h->class_of[person] = find_class(h, &step);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_histories_mark_rare(kan_histories *h, const kan_head_count *heads, uint64_t k,
                                   uint8_t *is_rare, uint64_t *n_rare) {
    const size_t n_people = (size_t)heads->problem->n_people;
    if (heads->set->n >= UINT32_MAX / 2)
        return kan_fail(h->run, KAN_FAILED,
                        "too many different rows for histories of people: the maximum is 2^31");
    KAN_TRY(begin(h, heads->set->n, n_people));
    for (size_t g = 0; g < heads->n_groups; g++)
        take_group(h, heads, g);
    KAN_TRY(kan_reserve(h->run, h->n_classes, sizeof *h->n_people, &h->size_room, &h->n_people));
    memset(h->n_people, 0, h->n_classes * sizeof *h->n_people);
    for (size_t p = 0; p < n_people; p++)
        h->n_people[h->class_of[p]]++;
    *n_rare = 0;
    for (size_t p = 0; p < n_people; p++) {
        is_rare[p] = h->n_people[h->class_of[p]] < k;
        *n_rare += is_rare[p];
    }
    return KAN_OK;
}
