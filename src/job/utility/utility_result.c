/* The result of `utility`: a table of queries and the distribution of their errors. The summary
 * shows all queries when they are few, else those with the largest errors; the JSON has all. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/wording.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

enum { MOST_SHOWN = 40, MOST_WORST = 20, TEXT_COLUMNS = 60 };

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *path_json(const kan_utility_walk *u, const char *setting) {
    const char *path = kan_options_find(&u->job->options, setting);
    return path ? kan_json_text(path) : json_null();
}

static json_t *answer_json(bool has_answer, double answer) {
    return has_answer ? kan_json_real(answer) : json_null();
}

static json_t *query_json(const kan_query *query, const kan_query_result *result) {
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "line",
                     kan_json_count(query->line), "query", kan_json_slice(query->text), "aggregate",
                     kan_aggregate_name(query->aggregate), "weight", kan_json_real(query->weight),
                     "truth", answer_json(result->has_truth, result->truth), "estimate",
                     answer_json(result->has_estimate, result->estimate), "error",
                     kan_json_real(result->error), "matches", (int)result->matches, "predicates",
                     kan_json_count(query->n_predicates), "matching_predicates",
                     kan_json_count(result->n_matching));
}

static json_t *queries_json(const kan_utility_walk *u) {
    json_t *queries = json_array();
    for (size_t i = 0; queries && i < u->workload->n_queries; i++)
        if (json_array_append_new(
                queries, query_json(&u->workload->queries[i], &u->utility.results[i])) != 0) {
            json_decref(queries);
            queries = NULL;
        }
    return queries;
}

static json_t *result_json(const kan_utility_walk *u) {
    const kan_utility *utility = &u->utility;
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(u->read_ms), "answer",
                  kan_json_time(u->answer_ms), "total", kan_json_time(kan_now_ms() - u->start_ms));
    json_t *input =
        json_pack("{s:o, s:o}", "path", u->release.is_file ? path_json(u, "input") : json_null(),
                  "rows", kan_json_count(u->release.table->n_rows));
    json_t *original = json_pack("{s:o, s:o}", "path", path_json(u, "original"), "rows",
                                 kan_json_count(u->original.table->n_rows));
    json_t *workload = json_pack("{s:o, s:o, s:o, s:o, s:o}", "path", path_json(u, "workload"),
                                 "queries", kan_json_count(u->workload->n_queries), "matching",
                                 kan_json_count(utility->n_matching), "predicates",
                                 kan_json_count(utility->n_predicates), "matching_predicates",
                                 kan_json_count(utility->n_matching_predicates));
    json_t *error = json_pack("{s:o, s:o, s:o, s:o}", "mean", kan_json_real(utility->mean),
                              "median", kan_json_real(utility->median), "percentile_90",
                              kan_json_real(utility->percentile_90), "largest",
                              kan_json_real(utility->largest));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION,
                     "command", "utility", "input", input, "original", original, "workload",
                     workload, "error", error, "queries", queries_json(u), "time_ms", times,
                     "peak_memory_bytes", kan_json_count(kan_run_peak_memory(u->run)));
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* Numbers as people write them: whole ones in full, others with six digits. */
static const char *number_text(bool has_answer, double number, char room[32]) {
    if (!has_answer)
        snprintf(room, 32, "none");
    else if (number == nearbyint(number) && fabs(number) < 1e15)
        snprintf(room, 32, "%.0f", number == 0 ? 0 : number);
    else if (fabs(number) >= 1e5 && fabs(number) < 1e15)
        snprintf(room, 32, "%.1f", number);
    else
        snprintf(room, 32, "%.6g", number);
    return room;
}

static const char *percent_text(double error, char room[32]) {
    return kan_percent_text(100 * error, KAN_PERCENT_ERROR, room);
}

typedef struct {
    const kan_query_result *result;
    size_t query;
} shown;

static int compare_shown(const void *a, const void *b) {
    const shown *x = a, *y = b;
    const double by_error = y->result->error - x->result->error;
    return by_error != 0 ? (by_error > 0) - (by_error < 0)
                         : (x->query > y->query) - (x->query < y->query);
}

static unsigned widest(unsigned width, const char *text) {
    const unsigned size = (unsigned)strlen(text);
    return size > width ? size : width;
}

/* The text of a query, cut where the line would be too long. */
static void add_query_text(kan_text *text, kan_slice query) {
    size_t size = query.size;
    if (kan_text_columns(query.bytes, query.size) > TEXT_COLUMNS) {
        for (size = 0; kan_text_columns(query.bytes, size) < TEXT_COLUMNS - 3;)
            size++;
        while (size < query.size && ((unsigned char)query.bytes[size] & 0xc0) == 0x80)
            size++;
    }
    for (size_t i = 0; i < size; i++) {
        const char c = query.bytes[i];
        kan_text_add(text, (unsigned char)c < ' ' || c == '\x7f' ? " " : &query.bytes[i], 1);
    }
    if (size < query.size)
        kan_text_print(text, "...");
}

static void add_table(const kan_utility_walk *u, const shown *rows, size_t n, kan_text *text) {
    unsigned line = 4, truth = 5, estimate = 8, error = 5;
    char room[32];
    for (size_t i = 0; i < n; i++) {
        const kan_query_result *r = rows[i].result;
        snprintf(room, sizeof room, "%" PRIu64, u->workload->queries[rows[i].query].line);
        line = widest(line, room);
        truth = widest(truth, number_text(r->has_truth, r->truth, room));
        estimate = widest(estimate, number_text(r->has_estimate, r->estimate, room));
        error = widest(error, percent_text(r->error, room));
    }
    kan_text_print(text, "  %*s  %*s  %*s  %*s  match  query\n", (int)line, "line", (int)truth,
                   "truth", (int)estimate, "estimate", (int)error, "error");
    for (size_t i = 0; i < n; i++) {
        const kan_query_result *r = rows[i].result;
        const kan_query *query = &u->workload->queries[rows[i].query];
        char a[32], b[32], c[32];
        kan_text_print(text, "  %*" PRIu64 "  %*s  %*s  %*s  %-5s  ", (int)line, query->line,
                       (int)truth, number_text(r->has_truth, r->truth, a), (int)estimate,
                       number_text(r->has_estimate, r->estimate, b), (int)error,
                       percent_text(r->error, c), r->matches ? "yes" : "no");
        add_query_text(text, query->text);
        kan_text_print(text, "\n");
    }
}

static kan_status add_queries(const kan_utility_walk *u, kan_text *text) {
    const size_t n = u->workload->n_queries;
    shown *rows;
    KAN_TRY(kan_alloc(u->run, n, sizeof *rows, &rows));
    for (size_t i = 0; i < n; i++)
        rows[i] = (shown){&u->utility.results[i], i};
    if (n > MOST_SHOWN)
        qsort(rows, n, sizeof *rows, compare_shown);
    add_table(u, rows, n > MOST_SHOWN ? MOST_WORST : n, text);
    if (n > MOST_SHOWN)
        kan_text_print(text,
                       "  The %d of %zu queries with the largest errors; --json FILE has all.\n",
                       MOST_WORST, n);
    kan_free(u->run, rows);
    return KAN_OK;
}

static void add_errors(const kan_utility_walk *u, kan_text *text) {
    const kan_utility *utility = &u->utility;
    char mean[32], median[32], most[32], largest[32];
    kan_text_print(text, "\n  error       mean %s, median %s, 90th percentile %s, largest %s\n",
                   percent_text(utility->mean, mean), percent_text(utility->median, median),
                   percent_text(utility->percentile_90, most),
                   percent_text(utility->largest, largest));
    kan_text_print(
        text, "  match       %zu of %zu %s and %zu of %zu %s follow the bounds of groups\n",
        utility->n_matching, u->workload->n_queries,
        kan_plural(u->workload->n_queries, "query", "queries"), utility->n_matching_predicates,
        utility->n_predicates, kan_plural(utility->n_predicates, "predicate", "predicates"));
}

kan_status kan_utility_write(const kan_utility_walk *u, kan_result *out) {
    kan_text *text = &out->summary;
    char rows[32], original[32], memory[32];
    const size_t n = u->workload->n_queries;
    KAN_TRY(kan_result_set_json(out, result_json(u)));
    kan_text_print(text, "%s: %zu quer%s of %s\n\n", u->release.name, n, n == 1 ? "y" : "ies",
                   u->workload->path);
    kan_text_print(text, "  rows        %s, of %s in %s\n\n",
                   kan_count_text(u->release.table->n_rows, rows),
                   kan_count_text(u->original.table->n_rows, original), u->original.name);
    KAN_TRY(add_queries(u, text));
    add_errors(u, text);
    kan_text_print(text, "\n  %.3f s: read %.0f ms, answer %.0f; %s of memory\n",
                   (kan_now_ms() - u->start_ms) / 1e3, u->read_ms, u->answer_ms,
                   kan_bytes_text(kan_run_peak_memory(u->run), memory));
    return kan_text_status(text);
}
