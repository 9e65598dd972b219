/* Whatever the child that reads a statistics file says, its parent makes a table of it or refuses
 * it.
 *
 * The first byte chooses the format and how columns are read; the rest are frames: those of columns
 * up to their end, then those of rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/stat/stat_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const uint8_t *at;
    size_t left;
} bytes_left;

static kan_status take(void *from, void *bytes, size_t size, size_t *n) {
    bytes_left *left = from;
    *n = size < left->left ? size : left->left;
    if (*n > 0)
        memcpy(bytes, left->at, *n);
    left->at += *n;
    left->left -= *n;
    return KAN_OK;
}

static kan_status end(void *from, const char **cause) {
    (void)from;
    *cause = "stopped (signal 11)";
    return KAN_OK;
}

static void require(bool holds, const char *claim, const kan_run *run) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", claim, kan_run_error(run));
        abort();
    }
}

static void read_rows(kan_stat_source *source, kan_stat_feed *feed, unsigned choice) {
    bool *encode = malloc(source->n_columns), *as_is = malloc(source->n_columns);
    kan_table *table = NULL;
    if (!encode || !as_is)
        abort();
    for (size_t i = 0; i < source->n_columns; i++) {
        encode[i] = (choice >> 4 & 1) || i % 2 == 0;
        as_is[i] = (choice >> 5 & 1) && i % 3 == 0;
    }
    const kan_status status = kan_stat_take_rows(source, feed, encode, as_is, &table);
    require(status == KAN_OK || status == KAN_BAD_INPUT || status == KAN_FAILED, "only bad input",
            source->run);
    require(status == KAN_OK || *kan_run_error(source->run), "an error has a text", source->run);
    require((status == KAN_OK) == (table != NULL), "a table or an error", source->run);
    kan_table_destroy(table);
    free(encode);
    free(as_is);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const unsigned choice = data[0];
    kan_run *run = kan_run_create();
    kan_stat_source source = {.run = run,
                              .stream = {.run = run, .name = "fuzz", .file = -1},
                              .format = (kan_stat_format)(choice % 5),
                              .vendor = (kan_stat_vendor)(choice % 3),
                              .ending = ".sav"};
    bytes_left left = {data + 1, size - 1};
    kan_stat_feed feed = {.take = take, .end = end, .from = &left};
    kan_run_set_threads(run, 1);
    kan_run_set_memory(run, (uint64_t)1 << 28);
    kan_arena_init(&source.arena, run);
    const kan_status status = kan_stat_take_columns(&source, &feed);
    if (status == KAN_OK) {
        require(kan_stat_choose_labels(&source, NULL) == KAN_OK, "labels are chosen", run);
        read_rows(&source, &feed, choice);
    } else {
        require(*kan_run_error(run), "an error has a text", run);
    }
    kan_free(run, feed.frame);
    kan_free(run, source.columns);
    kan_arena_destroy(&source.arena);
    kan_run_destroy(run);
    return 0;
}
