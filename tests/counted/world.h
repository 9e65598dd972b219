/* A random table with settings of a job, and what the job gives of its rows and of its counts. */
#ifndef KANON_TESTS_COUNTED_WORLD_H
#define KANON_TESTS_COUNTED_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kanon.h>

#include "core/hash.h"
#include "io/source.h"
#include "search/search.h"

extern const kan_source_kind kan_source_counted;

enum { MOST_TUPLES = 40, MOST_SET = 24, TEXT = 64 };
enum { NUMBER, WORD, DAY, ILL, WAGE, GROUP, NOTE, N_COLUMNS };

extern const char *const world_columns[];

typedef struct {
    uint64_t random;
    size_t n_tuples;
    char cells[MOST_TUPLES][N_COLUMNS][TEXT];
    uint64_t times[MOST_TUPLES];
    uint64_t n_rows;
    bool keeps_note; /* which rows of a tuple go where can be seen: they stand in order then */
    const kan_search_kind *search;
    struct {
        const char *name;
        char value[TEXT];
    } set[MOST_SET];
    size_t n_set;
} world;

size_t world_below(world *w, size_t bound);
/* A value of a column, of TEXT bytes. */
void world_put_value(world *w, size_t column, char *out);
void world_make_tuples(world *w);
/* All rows, in any order, or those of a tuple one after the other. */
void world_write(world *w, const char *path);

/* ---- settings ------------------------------------------------------------------------------- */

void world_add(world *w, const char *name, const char *value);
void world_add_one(world *w, const char *name, const char *const *values, size_t n);
#define ADD_ONE(w, name, ...)                                                                      \
    world_add_one(w, name, (const char *const[]){__VA_ARGS__},                                     \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Whether a setting of that name has this in its value. */
bool world_has(const world *w, const char *name, const char *part);
/* A search, and what goes with it. */
void world_choose_settings(world *w);

/* ---- runs ----------------------------------------------------------------------------------- */

typedef struct {
    kan_status status;
    char *error, *json, *summary;
    char **rows; /* released ones, sorted; NULL: there is no release */
    size_t n_rows;
} outcome;

void world_run(const world *w, const char *command, const char *path, bool is_counted,
               bool is_in_memory, outcome *out);
void outcome_destroy(outcome *old);
void world_tell(const world *w, uint64_t seed, const char *command);
/* Fails unless both are the same, and counts what they were. */
void world_expect_same(const world *w, uint64_t seed, const char *command, const outcome *plain,
                       const outcome *counted);
extern struct world_seen {
    size_t n_same, n_refused, n_unsatisfied, n_suppressed, n_divided, n_regions;
} world_seen;
/* KANON_TEST_ROUNDS, but no more than that. */
size_t world_n_rounds(size_t most);

/* ---- large.c -------------------------------------------------------------------------------- */

void five_billion_rows_are_counted_right(void **state);
void large_counts_change_nothing_but_their_size(void **state);

#endif
