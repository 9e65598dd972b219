/* Fuzzing ledgers: whatever the bytes are, reading ends, leaks nothing, stays within them, and
 * refuses with a text. Since nobody guesses a sum, each input is also read with the right check,
 * size and sum put into it; what is read then is written as something that reads the same. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/ledger_inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void read_key(kan_run *run, kan_ledger_keys *keys) {
    char path[] = "/tmp/kanon-fuzz-XXXXXX";
    const int file = mkstemp(path);
    require(file >= 0 && write(file, "0123456789abcdefghijklmnopqrstuv", 32) == 32);
    require(kan_ledger_read_key(run, path, keys) == KAN_OK);
    (void)close(file);
    (void)unlink(path);
}

static uint8_t *copy_of(kan_run *run, const uint8_t *data, size_t size) {
    uint8_t *bytes;
    require(kan_alloc(run, size, 1, &bytes) == KAN_OK);
    if (size > 0)
        memcpy(bytes, data, size);
    return bytes;
}

/* All that was read is looked at. */
static void look(const kan_ledger_content *c) {
    size_t n = strlen(c->column);
    for (size_t r = 0; r < c->n_releases; r++) {
        const kan_ledger_release *release = &c->releases[r];
        n += strlen(release->name) + strlen(release->place) + strlen(release->content) +
             strlen(release->job) + strlen(release->settings);
        for (uint32_t i = 0; i < release->n_shown; i++)
            for (uint32_t t = 0; t < release->n_tuples; t++)
                n += release->shown[i].texts[release->shown[i].codes[t]].size;
        for (uint64_t i = 0; i < c->n_people; i++)
            require(c->groups[r * c->n_people + i] <= release->n_groups);
    }
    require(n < (size_t)1 << 40);
}

static void write_again(kan_run *run, const kan_ledger_keys *keys, const kan_ledger_content *c) {
    const kan_ledger_change change = {.from = c, .column = c->column, .left_out = SIZE_MAX};
    kan_ledger_content again;
    uint8_t *bytes;
    size_t size;
    require(kan_ledger_make_bytes(run, keys, &change, &bytes, &size) == KAN_OK);
    require(kan_ledger_parse(run, keys, "again", bytes, size, &again) == KAN_OK);
    require(again.n_people == c->n_people && again.n_releases == c->n_releases);
    require(c->n_people == 0 || memcmp(again.marks, c->marks, c->n_people * 16) == 0);
    require(c->n_people == 0 ||
            memcmp(again.groups, c->groups, c->n_people * c->n_releases * 4) == 0);
    kan_ledger_content_destroy(&again);
}

static void parse(kan_run *run, const kan_ledger_keys *keys, uint8_t *bytes, size_t size) {
    kan_ledger_content content;
    const kan_status status = kan_ledger_parse(run, keys, "fuzz", bytes, size, &content);
    require(status == KAN_OK || (status == KAN_BAD_INPUT && *kan_run_error(run)));
    if (status == KAN_OK) {
        look(&content);
        write_again(run, keys, &content);
    }
    kan_ledger_content_destroy(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static kan_ledger_keys keys;
    static bool has_keys;
    kan_run *run = kan_run_create();
    require(run != NULL);
    kan_run_set_threads(run, 1);
    if (!has_keys)
        read_key(run, &keys);
    has_keys = true;
    parse(run, &keys, copy_of(run, data, size), size);
    if (size >= KAN_LEDGER_LEAST) {
        uint8_t *bytes = copy_of(run, data, size);
        const uint64_t whole = size;
        memcpy(bytes, KAN_LEDGER_MAGIC, 16);
        memcpy(bytes + 16, keys.check, 16);
        memcpy(bytes + 32, &whole, 8);
        require(kan_ledger_sum(run, &keys, bytes, size - KAN_LEDGER_SUM,
                               bytes + size - KAN_LEDGER_SUM) == KAN_OK);
        parse(run, &keys, bytes, size);
    }
    kan_run_destroy(run);
    return 0;
}
