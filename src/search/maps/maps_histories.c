/* Histories of people as sums over their rows, and how many people have each. O(1) for a tuple that
 * comes or goes, and as much room as there are people. */
#include "search/maps/maps_inside.h"

static uint32_t high(uint64_t sum) {
    return (uint32_t)(sum >> 32);
}

static uint64_t number_of(uint32_t group) {
    uint64_t random = (uint64_t)group + UINT64_C(0x68697374);
    return kan_random(&random);
}

/* She leaves one history for another. Where one has k people, those with it are not rare; the others
 * become so when one goes, and no longer are when one comes. */
static void change(kan_maps_histories *h, uint32_t person, uint64_t sum) {
    const uint64_t old = h->sum[person];
    const uint32_t n = kan_maps_heads_count(&h->people, high(old), 0, (uint32_t)old);
    kan_maps_heads_remove(&h->people, high(old), 0, (uint32_t)old);
    if (n == h->k)
        h->n_rare += n - 1;
    else if (n < h->k)
        h->n_rare--;
    h->sum[person] = sum;
    const uint32_t now = kan_maps_heads_put(&h->people, high(sum), 0, (uint32_t)sum);
    if (now == h->k)
        h->n_rare -= now - 1;
    else if (now < h->k)
        h->n_rare++;
}

void kan_maps_histories_add(kan_maps_histories *h, uint32_t person, uint32_t group,
                            uint64_t n_rows) {
    change(h, person, h->sum[person] + n_rows * number_of(group));
}

void kan_maps_histories_remove(kan_maps_histories *h, uint32_t person, uint32_t group,
                               uint64_t n_rows) {
    change(h, person, h->sum[person] - n_rows * number_of(group));
}

bool kan_maps_histories_is_rare(const kan_maps_histories *h, uint32_t person) {
    const uint64_t sum = h->sum[person];
    return kan_maps_heads_count(&h->people, high(sum), 0, (uint32_t)sum) < h->k;
}

/* Nobody has a row yet: all have the same history. */
kan_status kan_maps_histories_make(kan_run *run, uint64_t k, uint64_t n_people,
                                   const uint8_t *is_gone, kan_maps_histories *out) {
    uint64_t n = 0;
    *out = (kan_maps_histories){.k = k};
    KAN_TRY(kan_alloc_zero(run, (size_t)n_people, sizeof *out->sum, &out->sum));
    KAN_TRY(kan_maps_heads_reserve(run, &out->people, (size_t)n_people + 1));
    for (uint64_t p = 0; p < n_people; p++)
        if (!is_gone || !is_gone[p])
            n = kan_maps_heads_put(&out->people, 0, 0, 0);
    out->n_rare = n < k ? n : 0;
    return KAN_OK;
}

void kan_maps_histories_destroy(kan_run *run, kan_maps_histories *h) {
    kan_free(run, h->sum);
    kan_free(run, h->people.slots);
    *h = (kan_maps_histories){.k = 0};
}
