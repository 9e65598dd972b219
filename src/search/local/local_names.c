/* What clusters show: a set of names, one for each choice of nodes. Two clusters that show the same
 * are one cluster to whoever reads the release. That changes no cost that is a sum over rows; where a
 * cost counts clusters or their rows, no change may make two clusters show the same.
 *
 * Names are hashes of 64 bits: where two choices of nodes have the same one, a change is left
 * undone that could have been made. */
#include "core/hash.h"
#include "search/local/local_inside.h"

uint64_t kan_local_name(const kan_local_space *space, const uint32_t *nodes) {
    uint64_t name = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        name = kan_hash_word(
            name ^ kan_hash_word(kan_local_shown(&space->attributes[a], nodes[a]) + UINT64_C(1)));
    return name;
}

void kan_local_names_destroy(kan_run *run, kan_local_names *names) {
    kan_free(run, names->slots);
}

static struct kan_local_name_slot *find_slot(const kan_local_names *names, uint64_t name) {
    size_t at = (size_t)(name >> 20) & (names->n_slots - 1);
    while (names->slots[at].is_used && names->slots[at].name != name)
        at = (at + 1) & (names->n_slots - 1);
    return &names->slots[at];
}

static kan_status grow(kan_run *run, kan_local_names *names) {
    kan_local_names larger = {.n_slots = names->n_slots ? 2 * names->n_slots : 64};
    KAN_TRY(kan_alloc_zero(run, larger.n_slots, sizeof *larger.slots, &larger.slots));
    for (size_t i = 0; i < names->n_slots; i++)
        if (names->slots[i].n > 0) {
            *find_slot(&larger, names->slots[i].name) = names->slots[i];
            larger.n_used++;
        }
    kan_free(run, names->slots);
    *names = larger;
    return KAN_OK;
}

kan_status kan_local_names_add(kan_run *run, kan_local_names *names, uint64_t name) {
    if (2 * (names->n_used + 1) > names->n_slots)
        KAN_TRY(grow(run, names));
    struct kan_local_name_slot *slot = find_slot(names, name);
    names->n_used += !slot->is_used;
    slot->name = name;
    slot->is_used = true;
    slot->n++;
    return KAN_OK;
}

void kan_local_names_remove(kan_local_names *names, uint64_t name) {
    struct kan_local_name_slot *slot = find_slot(names, name);
    KAN_ASSERT(slot->n > 0);
    slot->n--;
}

uint32_t kan_local_names_count(const kan_local_names *names, uint64_t name) {
    return names->n_slots == 0 ? 0 : find_slot(names, name)->n;
}
