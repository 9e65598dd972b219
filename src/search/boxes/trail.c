/* How the best got better: see trail.h. */
#include "search/boxes/trail.h"

#include "core/memory.h"

kan_status kan_trail_note(kan_trail *trail, kan_run *run, uint64_t step, const kan_found *found) {
    const kan_found last = kan_trail_last(trail);
    if (!kan_found_is_better(found, &last))
        return KAN_OK;
    KAN_ASSERT(trail->n == 0 || trail->marks[trail->n - 1].step <= step);
    KAN_TRY(kan_reserve(run, trail->n + 1, sizeof *trail->marks, &trail->room, &trail->marks));
    trail->marks[trail->n++] = (struct kan_trail_mark){step, *found};
    return KAN_OK;
}

kan_status kan_trail_append(kan_trail *trail, kan_run *run, uint64_t step, const kan_trail *other,
                            uint64_t most) {
    for (size_t i = 0; i < other->n && other->marks[i].step <= most; i++)
        KAN_TRY(kan_trail_note(trail, run, step + other->marks[i].step, &other->marks[i].found));
    return KAN_OK;
}

kan_found kan_trail_at(const kan_trail *trail, uint64_t step) {
    size_t n = trail->n;
    while (n > 0 && trail->marks[n - 1].step > step)
        n--;
    return n > 0 ? trail->marks[n - 1].found : (kan_found){.is_found = false};
}

kan_found kan_trail_last(const kan_trail *trail) {
    return kan_trail_at(trail, UINT64_MAX);
}

void kan_trail_destroy(kan_trail *trail, kan_run *run) {
    kan_free(run, trail->marks);
    *trail = (kan_trail){.n = 0};
}
