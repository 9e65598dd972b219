/* Shuffling: the inside-out Fisher-Yates over a stream of secret numbers. Time and memory grow with
 * the number of rows (8 bytes each). */
#include "job/release/shuffle.h"

kan_status kan_shuffle_prepare(kan_job *job, kan_shuffle *out) {
    const char *path = kan_options_find(&job->options, "shuffle-key");
    out->is_wanted = path || kan_options_switch(&job->options, "shuffle");
    if (!out->is_wanted)
        return KAN_OK;
    return path ? kan_secret_read(job->run, path, "kanon: order of rows", &out->secret)
                : kan_secret_draw(job->run, &out->secret);
}

kan_status kan_shuffle_order(kan_run *run, kan_shuffle *shuffle, uint64_t n, uint64_t **out) {
    enum { LOOK_UP = 1 << 16 };
    uint64_t *order;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(run, n, sizeof *order, &order));
    for (uint64_t i = 0; i < n && status == KAN_OK; i++) {
        const uint64_t j = kan_secret_below(&shuffle->secret, i + 1);
        order[i] = order[j];
        order[j] = i;
        if (i % LOOK_UP == 0)
            status = kan_check_cancel(run);
    }
    kan_secret_forget(&shuffle->secret);
    if (status == KAN_OK)
        *out = order;
    else
        kan_free(run, order);
    return status;
}
