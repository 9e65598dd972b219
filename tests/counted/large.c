/* Counted tables of more rows than anybody can write down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "job/registry/registry.h"
#include "world.h"

#define BILLION UINT64_C(1000000000)

static void write_times(const char *path, const char *const *lines, size_t n) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "number,word,ill,times\n");
    for (size_t i = 0; i < n; i++)
        fprintf(file, "%s\n", lines[i]);
    fclose(file);
}

static json_t *run_times(const world *w, const char *command, const char *path, outcome *out) {
    json_error_t where;
    world_run(w, command, path, true, strcmp(command, "anonymize") == 0, out);
    if (out->status != KAN_OK)
        fail_msg("%s: %s", command, out->error);
    return json_loads(out->json, 0, &where);
}

static double number_at(const json_t *object, const char *outer, const char *inner) {
    return json_number_value(json_object_get(json_object_get(object, outer), inner));
}

void five_billion_rows_are_counted_right(void **state) {
    static const char *const lines[] = {"20,aa,i1,5000000000", "20,aa,i2,5000000000", "21,aa,i1,1",
                                        "30,bb,i1,7000000000", "31,bb,i2,7000000001", "45,cc,i1,1"};
    (void)state;
    write_times("big.times.csv", lines, 6);
    world w = {.random = 1};
    outcome out;
    world_add(&w, "qi", "number=intervals:10");
    world_add(&w, "qi", "word=suppress");
    world_add(&w, "k", "2");
    world_add(&w, "suppress", "1");
    json_t *json = run_times(&w, "search", "big.times.csv", &out);
    assert_true(number_at(json, "input", "rows") == 24e9 + 3);
    assert_true(number_at(json, "solution", "smallest_group") == 1e10 + 1);
    assert_true(number_at(json, "suppression", "rows") == 1);
    /* the squares of 10^10 + 1 and 1.4 * 10^10 + 1, and all rows for the one that is left out */
    const double discernibility = number_at(json, "metrics", "discernibility");
    assert_true(discernibility > 2.96000000071999e20 && discernibility < 2.96000000072001e20);
    json_decref(json);
    outcome_destroy(&out);
}

/* The table with `factor` times as many rows. */
static void write_scaled(const world *w, const char *path, uint64_t factor) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s,", world_columns[c]);
    fprintf(file, "times\n");
    for (size_t t = 0; t < w->n_tuples; t++) {
        for (size_t c = 0; c < N_COLUMNS; c++)
            fprintf(file, "%s,", w->cells[t][c]);
        fprintf(file, "%llu\n", (unsigned long long)(w->times[t] * factor));
    }
    fclose(file);
}

/* What must not depend on the size of a table of the same shape. */
static char *shape_of(const char *text, double factor) {
    json_error_t where;
    json_t *all = json_loads(text, 0, &where), *metrics = json_object_get(all, "metrics");
    const double n = number_at(all, "input", "rows") / factor;
    json_t *shape = json_pack("{s:O, s:O, s:f, s:f, s:f, s:f}", "levels",
                              json_object_get(json_object_get(all, "solution"), "levels"), "cuts",
                              json_object_get(json_object_get(all, "solution"), "cuts"), "rows", n,
                              "smallest", number_at(all, "solution", "smallest_group") / factor,
                              "suppressed", number_at(all, "suppression", "rows") / factor,
                              "groups", number_at(all, "solution", "groups"));
    const double ncp = json_number_value(json_object_get(metrics, "ncp"));
    const double squares = json_number_value(json_object_get(metrics, "discernibility"));
    json_object_set_new(shape, "ncp", json_real(ncp));
    json_object_set_new(shape, "discernibility", json_real(squares / factor / factor));
    char *dump = json_dumps(shape, JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    json_decref(all);
    json_decref(shape);
    return dump;
}

/* Every search, on tables of up to 10^12 rows: levels and cuts must be those of the small table,
 * regions a release that keeps its promise, which the recount decides. */
void large_counts_change_nothing_but_their_size(void **state) {
    size_t n_same = 0, n_regions = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(120); seed++) {
        world w = {.random = seed * 6700417};
        outcome small, large;
        char k[32];
        uint64_t factor = 5 * BILLION;
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        for (uint64_t least = 2 + world_below(&w, 3), i = 0; i == 0; i++) {
            const size_t n = kan_registry_count(KAN_FAMILY_SEARCH);
            w.search =
                (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, world_below(&w, n));
            if (w.search->cuts) /* they take fewer than 2^31 rows, and say so */
                factor = UINT64_C(4000000);
            if (w.search->regions) /* fewer than 2^32 rows that are alike, the same */
                factor = UINT64_C(10000000);
            if (w.search->regions && strncmp(w.search->kind.name, "mondrian", 8) != 0)
                factor = 2000; /* some of them move rows one by one */
            world_add(&w, "algorithm", w.search->kind.name);
            world_add(&w, "qi", "number=intervals:5,10");
            world_add(&w, "qi", "word=digits:2");
            if (world_below(&w, 2) == 0)
                world_add(&w, "suppress", "all");
            /* local searches move rows one by one until a model of values holds */
            if (!w.search->cuts && !w.search->local && world_below(&w, 2) == 0) {
                world_add(&w, "sensitive", "ill");
                ADD_ONE(&w, "t", "0.3", "0.6");
            }
            snprintf(k, sizeof k, "%llu", (unsigned long long)least);
            world_add(&w, "k", k);
            write_scaled(&w, "small.times.csv", 1);
            world_run(&w, "search", "small.times.csv", true, false, &small);
            snprintf(w.set[w.n_set - 1].value, TEXT, "%llu", (unsigned long long)(least * factor));
            write_scaled(&w, "large.times.csv", factor);
            world_run(&w, "search", "large.times.csv", true, false, &large);
        }
        if (strcmp(w.search->kind.name, "hash-minimal") == 0) { /* a bucket for each size below k */
            outcome_destroy(&small);
            outcome_destroy(&large);
            continue;
        }
        if (small.status != large.status) {
            world_tell(&w, seed, "search");
            fail_msg("%d %s, and %d %s", small.status, small.error ? small.error : "", large.status,
                     large.error ? large.error : "");
        }
        if (small.status == KAN_OK && !w.search->regions) {
            char *left = shape_of(small.json, 1), *right = shape_of(large.json, (double)factor);
            if (strcmp(left, right) != 0) {
                world_tell(&w, seed, "search");
                fail_msg("%s\n%s", left, right);
            }
            free(left);
            free(right);
            n_same++;
        }
        n_regions += small.status == KAN_OK && w.search->regions;
        outcome_destroy(&small);
        outcome_destroy(&large);
    }
    print_message("%zu of the same shape, %zu by regions\n", n_same, n_regions);
    assert_true(n_same > world_n_rounds(120) / 4);
}
