#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "job/registry/registry.h"

const char *const world_columns[] = {"number", "word", "day", "ill", "wage", "group", "note"};
struct world_seen world_seen;

size_t world_below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static size_t skewed(world *w, size_t bound) {
    return world_below(w, world_below(w, bound) + 1);
}

/* ---- tables --------------------------------------------------------------------------------- */

void world_put_value(world *w, size_t column, char *out) {
    static const char *const odd[] = {"", "-7", "30.5", "123"};
    static const char *const words[] = {"aa", "ab", "ba", "bb", "", "ca"};
    const size_t n = skewed(w, 9);
    switch (column) {
    case NUMBER:
        if (world_below(w, 15) == 0)
            snprintf(out, TEXT, "%s", odd[world_below(w, 4)]);
        else
            snprintf(out, TEXT, "%zu", 20 + n);
        break;
    case WORD:
        snprintf(out, TEXT, "%s", words[skewed(w, 6)]);
        break;
    case DAY:
        snprintf(out, TEXT, "200%zu-0%zu-11", skewed(w, 4), 1 + world_below(w, 2));
        break;
    case ILL:
        snprintf(out, TEXT, "i%zu", skewed(w, 4));
        break;
    case WAGE:
        snprintf(out, TEXT, "%zu", 1000 + 250 * skewed(w, 5));
        break;
    case GROUP:
        snprintf(out, TEXT, "g%zu", skewed(w, 3));
        break;
    default:
        snprintf(out, TEXT, "n%zu", world_below(w, 6));
    }
}

void world_make_tuples(world *w) {
    w->n_tuples = 2 + world_below(w, MOST_TUPLES - 2);
    w->n_rows = 0;
    for (size_t t = 0; t < w->n_tuples; t++) {
        for (size_t c = 0; c < N_COLUMNS; c++)
            world_put_value(w, c, w->cells[t][c]);
        w->times[t] = 1 + (world_below(w, 3) == 0 ? world_below(w, 9) : 0);
        w->n_rows += w->times[t];
    }
}

static void write_row(const world *w, FILE *file, size_t tuple) {
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s%s", c > 0 ? "," : "", w->cells[tuple][c]);
    fputc('\n', file);
}

void world_write(world *w, const char *path) {
    size_t rows[MOST_TUPLES * 10], n = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s%s", c > 0 ? "," : "", world_columns[c]);
    fputc('\n', file);
    for (size_t t = 0; t < w->n_tuples; t++)
        for (uint64_t i = 0; i < w->times[t]; i++)
            rows[n++] = t;
    for (size_t i = n; i > 1; i--) {
        const size_t other = world_below(w, i), row = rows[other];
        rows[other] = rows[i - 1];
        rows[i - 1] = row;
    }
    for (size_t i = 0; i < n; i++)
        write_row(w, file, rows[i]);
    fclose(file);
}

/* ---- settings ------------------------------------------------------------------------------- */

void world_add(world *w, const char *name, const char *value) {
    assert_true(w->n_set < MOST_SET);
    w->set[w->n_set].name = name;
    snprintf(w->set[w->n_set++].value, TEXT, "%s", value);
}

void world_add_one(world *w, const char *name, const char *const *values, size_t n) {
    world_add(w, name, values[world_below(w, n)]);
}

static void choose_models(world *w) {
    ADD_ONE(w, "k", "1", "2", "2", "3", "5");
    if (world_below(w, 2) == 0)
        ADD_ONE(w, "suppress", "2", "20%", "50%", "all");
    if (world_below(w, 3) == 0)
        world_add(w, "sensitive", world_below(w, 2) ? "ill" : "ill,wage");
    else if (world_below(w, 3) == 0)
        world_add(w, "sensitive", "wage");
    else
        return;
    switch (w->search->cuts ? 6 : world_below(w, 6)) {
    case 0:
        ADD_ONE(w, "l", "2", "3");
        break;
    case 1:
        ADD_ONE(w, "l", "1.5", "2");
        world_add(w, "l-kind", "entropy");
        break;
    case 2:
        world_add(w, "l", "2");
        world_add(w, "l-kind", "recursive");
        ADD_ONE(w, "c", "1", "2.5");
        break;
    case 3:
        ADD_ONE(w, "t", "0.2", "0.4", "0.7");
        break;
    case 4:
        ADD_ONE(w, "beta", "1", "3");
        break;
    case 5:
        ADD_ONE(w, "alpha", "0.5", "0.8");
        break;
    default: /* released as it is */
        break;
    }
}

bool world_has(const world *w, const char *name, const char *part) {
    for (size_t i = 0; i < w->n_set; i++)
        if (strcmp(w->set[i].name, name) == 0 && strstr(w->set[i].value, part))
            return true;
    return false;
}

void world_choose_settings(world *w) {
    const size_t n = kan_registry_count(KAN_FAMILY_SEARCH);
    const size_t n_costs = kan_registry_count(KAN_FAMILY_COST);
    w->n_set = 0;
    w->search = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, world_below(w, n));
    world_add(w, "algorithm", w->search->kind.name);
    const char *const numbers[] = {"number=intervals:5,10", "number=quantiles:4,2", "number",
                                   "number=frequency:3"};
    world_add(w, "qi", numbers[world_below(w, 4)]);
    if (world_below(w, 4) > 0)
        world_add(w, "qi", world_below(w, 2) ? "word=digits:2" : "word=frequency:2,4");
    if (world_below(w, 3) == 0)
        world_add(w, "qi", "day=date:month,year");
    if (world_below(w, 3) == 0)
        world_add(w, "class", "group");
    choose_models(w);
    if (world_below(w, 3) == 0 && !w->search->cuts)
        world_add(w, "cost", kan_registry_at(KAN_FAMILY_COST, world_below(w, n_costs))->name);
    if (world_below(w, 4) == 0 && !w->search->cuts && !w->search->regions)
        world_add(w, "average-risk", "0.5");
    if (world_below(w, 2) == 0 && world_has(w, "sensitive", "wage"))
        world_add(w, "round", "wage=500");
    if (world_below(w, 6) == 0)
        world_add(w, "cap", "number=..25");
}

static void set(kan_run *run, kan_job *job, const char *name, const char *value) {
    if (kan_job_set(job, name, value) != KAN_OK)
        fail_msg("%s=%s: %s", name, value, kan_run_error(run));
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Takes what a clock and a memory tell out of a value. */
static void forget_times(json_t *value) {
    static const char *const keys[] = {"time_ms", "seconds", "peak_memory_bytes", "ms"};
    const char *key;
    json_t *member;
    size_t i;
    for (size_t k = 0; json_is_object(value) && k < sizeof keys / sizeof *keys; k++)
        json_object_del(value, keys[k]);
    json_object_foreach(value, key, member) forget_times(member);
    json_array_foreach(value, i, member) forget_times(member);
}

static char *timeless(const char *text) {
    json_error_t where;
    json_t *object = json_loads(text, 0, &where);
    assert_non_null(object);
    forget_times(object);
    char *dump = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    json_decref(object);
    return dump;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The rows of a release, each as often as it stands there. */
static void take_rows(const kan_table *table, outcome *out) {
    out->rows = calloc(kan_table_total(table) + 1, sizeof *out->rows);
    assert_non_null(out->rows);
    for (uint64_t row = 0; row < table->n_rows; row++)
        for (uint64_t i = 0; i < kan_table_count(table, row); i++) {
            char text[1024] = "";
            size_t at = 0, size;
            for (size_t c = 0; c < table->n_columns; c++) {
                const char *value = kan_table_value(table, row, c, &size);
                at += (size_t)snprintf(text + at, sizeof text - at, "%.*s;", (int)size, value);
            }
            out->rows[out->n_rows++] = strdup(text);
        }
    qsort(out->rows, out->n_rows, sizeof *out->rows, compare_texts);
}

static kan_table *read_table(kan_run *run, const char *path, bool is_counted) {
    const kan_source_options options = {0};
    bool encode[N_COLUMNS];
    kan_source *source;
    kan_table *table;
    for (size_t c = 0; c < N_COLUMNS; c++)
        encode[c] = true;
    assert_int_equal(kan_source_open(run, is_counted ? &kan_source_counted : &kan_source_csv, path,
                                     &options, &source),
                     KAN_OK);
    source->takes_counts = true;
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    kan_source_close(source);
    return table;
}

void world_run(const world *w, const char *command, const char *path, bool is_counted,
               bool is_in_memory, outcome *out) {
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result = NULL;
    kan_table *table = NULL;
    *out = (outcome){0};
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (size_t i = 0; i < w->n_set; i++)
        set(run, job, w->set[i].name, w->set[i].value);
    if (is_in_memory) {
        table = read_table(run, path, is_counted);
        assert_int_equal(kan_job_use_table(job, table), KAN_OK);
    } else {
        set(run, job, "input", path);
        if (is_counted)
            set(run, job, "format", "counted");
    }
    out->status = kan_job_run(job, command, &result);
    if (out->status == KAN_OK) {
        out->json = timeless(kan_result_json(result));
        out->summary = strdup(kan_result_summary(result));
        if (kan_result_table(result))
            take_rows(kan_result_table(result), out);
    } else {
        out->error = strdup(kan_run_error(run));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

void outcome_destroy(outcome *old) {
    for (size_t i = 0; i < old->n_rows; i++)
        free(old->rows[i]);
    free(old->rows);
    free(old->error);
    free(old->json);
    free(old->summary);
}

void world_tell(const world *w, uint64_t seed, const char *command) {
    fprintf(stderr, "seed %llu: kanon %s", (unsigned long long)seed, command);
    for (size_t i = 0; i < w->n_set; i++)
        fprintf(stderr, " --%s %s", w->set[i].name, w->set[i].value);
    fprintf(stderr, "\n");
}

void world_expect_same(const world *w, uint64_t seed, const char *command, const outcome *plain,
                       const outcome *counted) {
    const char *left = plain->error ? plain->error : plain->json;
    const char *right = counted->error ? counted->error : counted->json;
    if (plain->status != counted->status || strcmp(left, right) != 0) {
        size_t at = 0;
        while (left[at] && left[at] == right[at])
            at++;
        at = at < 40 ? 0 : at - 40;
        world_tell(w, seed, command);
        fail_msg("rows gave %d\n...%.300s\ncounts gave %d\n...%.300s", plain->status, left + at,
                 counted->status, right + at);
    }
    if (plain->n_rows != counted->n_rows) {
        world_tell(w, seed, command);
        fail_msg("%zu rows instead of %zu", counted->n_rows, plain->n_rows);
    }
    for (size_t i = 0; i < plain->n_rows; i++)
        if (strcmp(plain->rows[i], counted->rows[i]) != 0) {
            world_tell(w, seed, command);
            fail_msg("another release: %s instead of %s", counted->rows[i], plain->rows[i]);
        }
    world_seen.n_same += plain->status == KAN_OK;
    world_seen.n_refused += plain->status == KAN_BAD_INPUT;
    world_seen.n_unsatisfied += plain->status == KAN_UNSATISFIED;
    world_seen.n_regions += plain->status == KAN_OK && w->search && w->search->regions;
    if (plain->json && strstr(plain->json, "\"suppression\"")) {
        const char *rows = strstr(strstr(plain->json, "\"suppression\""), "\"rows\": ");
        world_seen.n_suppressed += rows && rows[8] != '0';
    }
}

size_t world_n_rounds(size_t most) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    const size_t n = rounds ? (size_t)strtoul(rounds, NULL, 10) : most;
    return n < most ? n : most;
}
