/* Reports of random tables, as whoever gets one with the release sees it: no value that the release
 * hides, numbers that a naive recount finds as well, and no number of people below k that could be
 * had by subtracting. Raw values are texts that are not part of anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>

#include "core/hash.h"
#include "support/page.h"
#include "support/random_problem.h"

enum { N_QUASI = 3, SENSITIVE = 3, ROW = 4, WHO = 5, N_COLUMNS = 6, MOST_ROWS = 120, TEXT = 24 };

static const char *const names[] = {"number", "word", "other", "disease", "row", "who"};

typedef enum { BY_ROWS, GROUPS_BY_PERSON, GROUPS_BY_ROW, HISTORIES } what_counts;

typedef struct {
    kan_run *run;
    uint64_t random, k;
    size_t n_rows;
    char cells[MOST_ROWS][N_COLUMNS][TEXT];
    char dir[48], page_path[80];
    bool is_internal, keeps_suppressed, has_matches;
    what_counts counts;
    uint64_t size_before[MOST_ROWS], size_after[MOST_ROWS]; /* by person; 0: not in the release */
    kan_table *table;
    kan_job *job;
    kan_result *result;
    json_t *json;
    char *page;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

static size_t skewed(world *w, size_t bound) {
    return below(w, below(w, bound) + 1);
}

static void make_table(world *w) {
    const size_t spread = 2 + below(w, 12);
    w->n_rows = 12 + below(w, MOST_ROWS - 11);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &w->table));
    for (size_t row = 0; row < w->n_rows; row++) {
        const char *cells[N_COLUMNS];
        /* never the bound of an interval */
        snprintf(w->cells[row][0], TEXT, "7703%zu7", 11 + skewed(w, spread));
        snprintf(w->cells[row][1], TEXT, "%czq%zuqz", "vxyz"[skewed(w, 4)], 2 + skewed(w, spread));
        snprintf(w->cells[row][2], TEXT, "jj%zujj", skewed(w, 1 + spread / 2));
        snprintf(w->cells[row][3], TEXT, "kk%zukk", skewed(w, 5));
        snprintf(w->cells[row][ROW], TEXT, "ss%uss", (unsigned)row);
        snprintf(w->cells[row][WHO], TEXT, "ww%zuww", below(w, 1 + w->n_rows / 2));
        for (int c = 0; c < N_COLUMNS; c++)
            cells[c] = w->cells[row][c];
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
}

static void set(world *w, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(w->job, name, value));
}

/* People are counted by searches over levels. */
static void set_people(world *w, const char *search) {
    const bool has_levels = strcmp(search, "bisect") == 0 || strcmp(search, "exhaustive") == 0;
    w->counts = has_levels ? (what_counts)below(w, 4) : BY_ROWS;
    set(w, w->counts == BY_ROWS ? "id" : "person", "who");
    if (w->counts == GROUPS_BY_ROW)
        set(w, "suppress-by", "row");
    if (w->counts == HISTORIES)
        set(w, "person-promise", "histories");
    if (w->counts != BY_ROWS && below(w, 3) == 0)
        set(w, "count", "people");
}

/* Hidden cells match anything, in place of groups. */
static void set_matches(world *w, const char *k) {
    static const char *const limits[] = {"1", "3", "10%", "40%"};
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    for (size_t c = 0; c < N_QUASI; c++)
        set(w, "qi", names[c]);
    set(w, "sensitive", "disease");
    set(w, "keep", "row");
    set(w, "id", "who");
    set(w, "k", k);
    set(w, "recoding", "cell-suppression");
    set(w, "missing-matches", NULL);
    set(w, "threads", "1");
    set(w, "suppress", limits[below(w, 4)]);
    w->is_internal = below(w, 5) == 0;
    if (w->is_internal)
        set(w, "report-internal", NULL);
    set(w, "report", w->page_path);
}

static void make_job(world *w) {
    static const char *const searches[] = {"bisect",   "exhaustive",       "greedy",
                                           "mondrian", "mondrian-relaxed", "hill-climb",
                                           "top-down", "progressive"};
    static const char *const limits[] = {"1", "3", "10%", "40%"};
    const char *search = searches[below(w, 8)];
    const bool is_local = strcmp(search, "top-down") == 0 || strcmp(search, "progressive") == 0;
    char k[TEXT];
    w->k = 2 + below(w, 4);
    snprintf(k, sizeof k, "%llu", (unsigned long long)w->k);
    w->has_matches = w->n_rows % 4 == 0; /* other tables stay what they were */
    if (w->has_matches) {
        set_matches(w, k);
        return;
    }
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    set(w, "qi", "number=intervals:20,100@7703000");
    set(w, "qi", "word=prefix:1");
    set(w, "qi", "other");
    set(w, "sensitive", "disease");
    set(w, "keep", "row");
    set(w, "k", k);
    set(w, "algorithm", search);
    set(w, "threads", "1");
    if (strcmp(search, "hill-climb") == 0)
        set(w, "restarts", "2");
    if (strncmp(search, "mondrian", 8) != 0)
        set(w, "suppress", limits[below(w, 4)]);
    set_people(w, search);
    /* rows that a local recoding shows as * alone, and suppressed ones, would look alike */
    w->keeps_suppressed = !is_local && below(w, 2);
    if (w->keeps_suppressed)
        set(w, "keep-suppressed", NULL);
    /* the whole table may break it: then rows must be suppressed, also by local recodings */
    if ((is_local && below(w, 3) > 0) || (strcmp(search, "exhaustive") == 0 && below(w, 2)))
        set(w, "alpha", below(w, 2) ? "0.4" : "0.6");
    w->is_internal = below(w, 5) == 0;
    if (w->is_internal)
        set(w, "report-internal", NULL);
    set(w, "report", w->page_path);
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(4 << 20);
    assert_non_null(file);
    assert_non_null(text);
    const size_t size = fread(text, 1, (4 << 20) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* ---- what must hold ------------------------------------------------------------------------- */

static void copy_cell(const kan_table *table, uint64_t row, size_t column, char *out, size_t room) {
    size_t size;
    const char *value = kan_table_value(table, row, column, &size);
    assert_in_range(size, 0, room - 1);
    memcpy(out, value, size);
    out[size] = '\0';
}

/* Whether some released cell shows the value: is it, or has it in a list or a range. */
static bool is_released(const kan_table *release, const char *value) {
    char cell[MOST_ROWS * TEXT];
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++)
        for (size_t c = 0; c < kan_table_n_columns(release); c++) {
            copy_cell(release, row, c, cell, sizeof cell);
            if (strstr(cell, value))
                return true;
        }
    return false;
}

static void expect_hidden(const world *w) {
    const kan_table *release = kan_result_table(w->result);
    char *told = json_dumps(json_object_get(w->json, "report"), JSON_COMPACT);
    assert_non_null(told);
    for (size_t row = 0; row < w->n_rows; row++)
        for (size_t c = 0; c < N_COLUMNS; c++) {
            const char *value = w->cells[row][c];
            if (!strstr(told, value) && (w->is_internal || !strstr(w->page, value)))
                continue;
            if (!is_released(release, value))
                fail_msg("%s is told, and the release hides it", value);
        }
    free(told);
}

static size_t n_not_suppressed(const world *w) {
    const json_t *suppression = json_object_get(w->json, "suppression");
    return w->n_rows - (size_t)json_integer_value(json_object_get(suppression, "rows"));
}

/* Rows of the release that are not suppressed ones that were kept. */
static bool is_kept(const world *w, const kan_table *release, uint64_t row) {
    char cell[MOST_ROWS * TEXT];
    if (!w->keeps_suppressed || w->n_rows == n_not_suppressed(w))
        return true;
    for (size_t c = 0; c < N_QUASI; c++) {
        copy_cell(release, row, c, cell, sizeof cell);
        if (strcmp(cell, "*") != 0)
            return true;
    }
    return false;
}

static json_int_t count_label(const world *w, const char *column, const char *label) {
    const kan_table *release = kan_result_table(w->result);
    json_int_t n = 0;
    size_t at = 0;
    while (strcmp(kan_table_column_name(release, at), column) != 0)
        at++;
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
        char cell[MOST_ROWS * TEXT];
        copy_cell(release, row, at, cell, sizeof cell);
        n += strcmp(cell, label) == 0 && is_kept(w, release, row);
    }
    return n;
}

static json_int_t whole(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static bool is_small(const world *w, const json_t *object) {
    const json_int_t n_lost = whole(object, "before") - whole(object, "released");
    return json_is_integer(json_object_get(object, "before")) && n_lost > 0 &&
           n_lost < (json_int_t)w->k;
}

static void expect_column(const world *w, const json_t *column) {
    const char *name = json_string_value(json_object_get(column, "name"));
    const json_t *values = json_object_get(column, "values");
    const json_t *parts[] = {json_object_get(column, "rest"), json_object_get(column, "hidden")};
    const bool tells = json_is_true(json_object_get(column, "tells_before"));
    json_int_t told = 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        const char *label = json_string_value(json_object_get(value, "label"));
        if (strlen(label) < 140) /* else it is cut */
            assert_int_equal(whole(value, "released"), count_label(w, name, label));
        assert_false(is_small(w, value));
        assert_true(tells || json_is_null(json_object_get(value, "before")));
        told += whole(value, "before");
    }
    for (size_t i = 0; i < 2; i++) {
        assert_false(json_is_object(parts[i]) && is_small(w, parts[i]));
        told += whole(parts[i], "before");
    }
    if (tells)
        assert_int_equal(told, w->n_rows);
    /* what suppressed rows have is not told */
    assert_true(!tells || n_not_suppressed(w) == w->n_rows);
    if (strcmp(name, "disease") != 0)
        return;
    /* nor is it told that there is a value that only suppressed rows have */
    assert_int_equal(whole(column, "distinct_before"), whole(column, "labels"));
}

/* ---- risk ----------------------------------------------------------------------------------- */

static bool is_few(const world *w, size_t n) {
    return n > 0 && n < w->k;
}

static double real(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static bool is_near(double a, double b) {
    return a - b < 1e-6 && b - a < 1e-6;
}

/* By row of the table: whether it is in the release, and not kept as * there. */
static void find_released(const world *w, bool *is_there) {
    const kan_table *release = kan_result_table(w->result);
    char cell[MOST_ROWS * TEXT];
    memset(is_there, 0, MOST_ROWS * sizeof *is_there);
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
        if (!is_kept(w, release, row))
            continue;
        copy_cell(release, row, ROW, cell, sizeof cell);
        is_there[strtoul(cell + 2, NULL, 10)] = true;
    }
}

/* Shares before are those of released rows, and neither they nor their difference are of few
 * people. */
static void expect_risk(const world *w) {
    const json_t *risk = json_object_get(json_object_get(w->json, "report"), "risk");
    const json_t *before = json_object_get(risk, "before");
    const bool tells_risk = json_is_number(json_object_get(before, "share_at_risk"));
    const bool tells_unique = json_is_number(json_object_get(before, "share_unique"));
    /* alpha may ask for larger groups than k does */
    const size_t threshold = (size_t)whole(risk, "threshold");
    size_t n_at_risk = 0, n_unique = 0, n_rows = 0;
    bool is_there[MOST_ROWS];
    assert_true(threshold >= w->k);
    find_released(w, is_there);
    for (size_t row = 0; row < w->n_rows; row++) {
        size_t n_alike = 0;
        if (!is_there[row])
            continue;
        n_rows++;
        for (size_t other = 0; other < w->n_rows; other++)
            n_alike +=
                is_there[other] && memcmp(w->cells[row], w->cells[other], N_QUASI * TEXT) == 0;
        n_at_risk += n_alike < threshold;
        n_unique += n_alike == 1;
    }
    if (tells_risk) {
        assert_true(is_near(real(before, "share_at_risk") * (double)n_rows, (double)n_at_risk));
        assert_false(is_few(w, n_at_risk) || is_few(w, n_rows - n_at_risk));
    }
    if (tells_unique) {
        assert_true(is_near(real(before, "share_unique") * (double)n_rows, (double)n_unique));
        assert_false(is_few(w, n_unique) || (tells_risk && is_few(w, n_at_risk - n_unique)));
    }
    assert_true(tells_risk || n_at_risk < threshold || n_rows - n_at_risk < threshold);
}

static bool looks_like(const kan_table *release, uint64_t row, uint64_t other, size_t n_columns) {
    char a[MOST_ROWS * TEXT], b[MOST_ROWS * TEXT];
    for (size_t c = 0; c < n_columns; c++) {
        copy_cell(release, row, c, a, sizeof a);
        copy_cell(release, other, c, b, sizeof b);
        if (strcmp(a, b) != 0)
            return false;
    }
    return true;
}

/* ---- people --------------------------------------------------------------------------------- */

static size_t person_of(const world *w, size_t row) {
    return strtoul(w->cells[row][WHO] + 2, NULL, 10);
}

/* Whether two rows look the same, before or after. By row of the table: where it is released. */
static bool is_alike(const world *w, const size_t *row_of, size_t a, size_t b, bool is_after,
                     size_t n_columns) {
    const kan_table *release = kan_result_table(w->result);
    return is_after ? looks_like(release, row_of[a], row_of[b], n_columns)
                    : memcmp(w->cells[a], w->cells[b], n_columns * TEXT) == 0;
}

static void find_rows(const world *w, size_t *row_of) {
    const kan_table *release = kan_result_table(w->result);
    char cell[MOST_ROWS * TEXT];
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
        if (!is_kept(w, release, row))
            continue;
        copy_cell(release, row, ROW, cell, sizeof cell);
        row_of[strtoul(cell + 2, NULL, 10)] = (size_t)row;
    }
}

/* Different people with a released row like this one, in so many columns. */
static uint64_t count_like(const world *w, const bool *is_there, const size_t *row_of, size_t row,
                           bool is_after, size_t n_columns) {
    bool is_seen[MOST_ROWS] = {false};
    uint64_t n = 0;
    for (size_t other = 0; other < w->n_rows; other++) {
        const size_t person = person_of(w, other);
        if (!is_there[other] || is_seen[person] ||
            !is_alike(w, row_of, row, other, is_after, n_columns))
            continue;
        is_seen[person] = true;
        n++;
    }
    return n;
}

/* Rows of a person like this one. */
static size_t count_own(const world *w, const bool *is_there, const size_t *row_of, size_t person,
                        size_t row, bool is_after) {
    size_t n = 0;
    for (size_t other = 0; other < w->n_rows; other++)
        n += is_there[other] && person_of(w, other) == person &&
             is_alike(w, row_of, row, other, is_after, N_QUASI);
    return n;
}

static bool has_same_history(const world *w, const bool *is_there, const size_t *row_of, size_t a,
                             size_t b, bool is_after) {
    for (size_t row = 0; row < w->n_rows; row++) {
        const size_t person = person_of(w, row);
        if (is_there[row] && (person == a || person == b) &&
            count_own(w, is_there, row_of, a, row, is_after) !=
                count_own(w, is_there, row_of, b, row, is_after))
            return false;
    }
    return true;
}

static void measure_people(const world *w, const bool *is_there, const size_t *row_of,
                           bool is_after, uint64_t *sizes) {
    bool has_row[MOST_ROWS] = {false};
    for (size_t row = 0; row < w->n_rows; row++) {
        const size_t person = person_of(w, row);
        if (!is_there[row])
            continue;
        has_row[person] = true;
        const uint64_t n = count_like(w, is_there, row_of, row, is_after, N_QUASI);
        if (sizes[person] == 0 || n < sizes[person])
            sizes[person] = n;
    }
    for (size_t a = 0; w->counts == HISTORIES && a < MOST_ROWS; a++) {
        sizes[a] = 0;
        for (size_t b = 0; has_row[a] && b < MOST_ROWS; b++)
            sizes[a] += has_row[b] && has_same_history(w, is_there, row_of, a, b, is_after);
    }
}

/* Every person once in the band of her size, and no band of few. */
static void expect_bands(const world *w, const json_t *report) {
    const json_t *band;
    size_t i;
    json_array_foreach(json_object_get(report, "group_sizes"), i, band) {
        const uint64_t least = (uint64_t)whole(band, "least"), most = (uint64_t)whole(band, "most");
        json_int_t before = 0, after = 0;
        for (size_t p = 0; p < MOST_ROWS; p++) {
            before += w->size_before[p] >= least && w->size_before[p] <= most;
            after += w->size_after[p] >= least && w->size_after[p] <= most;
        }
        assert_int_equal(whole(band, "people_before"), before);
        assert_int_equal(whole(band, "people_released"), after);
        assert_false(is_few(w, (size_t)before) || is_few(w, (size_t)after));
        assert_null(json_object_get(band, "groups_before"));
    }
}

static void expect_people_risk(const world *w, const json_t *risk, const uint64_t *sizes) {
    const uint64_t threshold =
        (uint64_t)whole(json_object_get(json_object_get(w->json, "report"), "risk"), "threshold");
    size_t n = 0, n_at_risk = 0, n_unique = 0;
    double sum = 0, highest = 0;
    for (size_t p = 0; p < MOST_ROWS; p++) {
        if (sizes[p] == 0)
            continue;
        n++;
        n_at_risk += sizes[p] < threshold;
        n_unique += sizes[p] == 1;
        sum += 1 / (double)sizes[p];
        highest = 1 / (double)sizes[p] > highest ? 1 / (double)sizes[p] : highest;
    }
    assert_true(is_near(real(risk, "average") * (double)n, sum));
    assert_true(is_near(real(risk, "highest"), highest));
    if (json_is_number(json_object_get(risk, "share_at_risk"))) {
        assert_true(is_near(real(risk, "share_at_risk") * (double)n, (double)n_at_risk));
        assert_false(is_few(w, n_at_risk) || is_few(w, n - n_at_risk));
    }
    if (json_is_number(json_object_get(risk, "share_unique"))) {
        assert_true(is_near(real(risk, "share_unique") * (double)n, (double)n_unique));
        assert_false(is_few(w, n_unique) || is_few(w, n - n_unique));
    }
}

/* The largest share of the people of a group who have one value. */
static void expect_people_confidence(const world *w, const bool *is_there, const size_t *row_of) {
    const json_t *list = json_object_get(json_object_get(w->json, "report"), "sensitive");
    bool is_certain[MOST_ROWS] = {false};
    json_int_t n_certain = 0;
    double most = 0;
    for (size_t row = 0; row < w->n_rows; row++) {
        if (!is_there[row])
            continue;
        const double part = (double)count_like(w, is_there, row_of, row, true, SENSITIVE + 1);
        const double all = (double)count_like(w, is_there, row_of, row, true, N_QUASI);
        most = part / all > most ? part / all : most;
        for (size_t other = 0; part >= all && other < w->n_rows; other++)
            if (is_there[other] && is_alike(w, row_of, row, other, true, N_QUASI))
                is_certain[person_of(w, other)] = true;
    }
    for (size_t p = 0; p < MOST_ROWS; p++)
        n_certain += is_certain[p];
    assert_true(is_near(real(json_array_get(list, 0), "confidence"), most));
    assert_int_equal(whole(json_array_get(list, 0), "people_certain"), n_certain);
    assert_false(is_few(w, (size_t)n_certain));
}

static void expect_people(world *w) {
    const json_t *report = json_object_get(w->json, "report");
    const json_t *risk = json_object_get(report, "risk");
    json_int_t n_people = 0;
    bool is_there[MOST_ROWS];
    size_t row_of[MOST_ROWS] = {0};
    find_released(w, is_there);
    find_rows(w, row_of);
    measure_people(w, is_there, row_of, false, w->size_before);
    measure_people(w, is_there, row_of, true, w->size_after);
    for (size_t p = 0; p < MOST_ROWS; p++) {
        n_people += w->size_after[p] > 0;
        assert_true(w->size_after[p] == 0 || w->size_after[p] >= w->k);
    }
    assert_int_equal(whole(json_object_get(report, "people"), "released"), n_people);
    expect_bands(w, report);
    expect_people_risk(w, json_object_get(risk, "before"), w->size_before);
    expect_people_risk(w, json_object_get(risk, "released"), w->size_after);
    expect_people_confidence(w, is_there, row_of);
}

/* The largest share of a group that has one sensitive value, row by row. */
static void expect_confidence(const world *w) {
    const kan_table *release = kan_result_table(w->result);
    const json_t *list = json_object_get(json_object_get(w->json, "report"), "sensitive");
    const json_t *found = json_array_get(list, 0);
    json_int_t n_certain = 0;
    double most = 0;
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
        size_t n_group = 0, n_same = 0;
        if (!is_kept(w, release, row))
            continue;
        for (uint64_t other = 0; other < kan_table_n_rows(release); other++) {
            const bool is_alike =
                is_kept(w, release, other) && looks_like(release, row, other, N_QUASI);
            n_group += is_alike;
            n_same += is_alike && looks_like(release, row, other, SENSITIVE + 1);
        }
        n_certain += n_same == n_group;
        most = (double)n_same / (double)n_group > most ? (double)n_same / (double)n_group : most;
    }
    assert_int_equal(json_array_size(list), 1);
    assert_true(is_near(real(found, "confidence"), most));
    assert_int_equal(whole(found, "rows_certain"), n_certain);
}

/* Where an alternative would suppress few, it tells nothing from which their number follows. */
static void expect_alternatives(const world *w, const json_t *report) {
    const json_t *nodes = json_object_get(json_object_get(report, "alternatives"), "nodes"), *node;
    size_t i;
    json_array_foreach(nodes, i, node) {
        const json_t *costs = json_object_get(node, "costs");
        const bool is_told = json_is_integer(json_object_get(node, "suppressed"));
        assert_true(json_is_integer(json_object_get(costs, "height")));
        if (w->counts != BY_ROWS && !json_is_true(json_object_get(node, "chosen")))
            assert_true(json_is_null(json_object_get(costs, "discernibility")) ||
                        (is_told && whole(node, "suppressed") == 0));
        else if (!json_is_true(json_object_get(node, "chosen")))
            assert_true(is_told == json_is_number(json_object_get(costs, "discernibility")) &&
                        is_told == json_is_number(json_object_get(costs, "ncp")));
    }
}

/* ---- matches -------------------------------------------------------------------------------- */

static bool is_matched(const world *w, uint64_t row, size_t person) {
    char cell[MOST_ROWS * TEXT];
    for (size_t c = 0; c < N_QUASI; c++) {
        copy_cell(kan_result_table(w->result), row, c, cell, sizeof cell);
        if (strcmp(cell, "*") != 0 && strcmp(cell, w->cells[person][c]) != 0)
            return false;
    }
    return true;
}

static void measure_matches(world *w) {
    const kan_table *release = kan_result_table(w->result);
    bool is_there[MOST_ROWS];
    find_released(w, is_there);
    for (size_t p = 0; p < w->n_rows; p++) {
        for (size_t other = 0; is_there[p] && other < w->n_rows; other++)
            w->size_before[p] +=
                is_there[other] && memcmp(w->cells[p], w->cells[other], N_QUASI * TEXT) == 0;
        for (uint64_t row = 0; is_there[p] && row < kan_table_n_rows(release); row++)
            w->size_after[p] += is_matched(w, row, p);
        assert_true(!is_there[p] || w->size_after[p] >= w->k);
    }
}

/* Nothing is told by groups, and no number of few people. */
static void expect_matches(world *w) {
    const json_t *report = json_object_get(w->json, "report"), *part;
    const json_t *risk = json_object_get(report, "risk");
    const json_t *sure = json_array_get(json_object_get(report, "sensitive"), 0);
    size_t i;
    measure_matches(w);
    expect_people_risk(w, json_object_get(risk, "before"), w->size_before);
    expect_people_risk(w, json_object_get(risk, "released"), w->size_after);
    json_array_foreach(json_object_get(report, "group_sizes"), i, part) {
        const uint64_t least = (uint64_t)whole(part, "least"), most = (uint64_t)whole(part, "most");
        json_int_t before = 0, after = 0;
        for (size_t p = 0; p < w->n_rows; p++) {
            before += w->size_before[p] >= least && w->size_before[p] <= most;
            after += w->size_after[p] >= least && w->size_after[p] <= most;
        }
        assert_int_equal(whole(part, "rows_before"), before);
        assert_int_equal(whole(part, "rows_released"), after);
        assert_false(is_few(w, (size_t)before) || is_few(w, (size_t)after));
        assert_true(json_is_null(json_object_get(part, "groups_before")));
        assert_true(json_is_null(json_object_get(part, "groups_released")));
    }
    json_array_foreach(json_object_get(report, "hidden_cells"), i, part)
        assert_int_equal(whole(part, "hidden"), count_label(w, names[i], "*"));
    assert_int_equal(i, N_QUASI);
    assert_true(json_is_null(json_object_get(sure, "confidence")));
    assert_true(json_is_null(json_object_get(sure, "rows_certain")));
    assert_true(json_is_null(json_object_get(report, "partition")));
    assert_true(
        json_is_null(json_object_get(json_object_get(report, "metrics"), "discernibility")));
}

static void expect_report(world *w) {
    const json_t *report = json_object_get(w->json, "report");
    const json_t *sizes = json_object_get(report, "group_sizes");
    json_int_t before = 0, after = 0;
    size_t i;
    const json_t *part;
    json_array_foreach(json_object_get(report, "columns"), i, part) expect_column(w, part);
    expect_alternatives(w, report);
    if (w->counts != BY_ROWS || w->has_matches) {
        w->has_matches ? expect_matches(w) : expect_people(w);
        return;
    }
    json_array_foreach(sizes, i, part) {
        before += whole(part, "rows_before");
        after += whole(part, "rows_released");
        assert_true(whole(part, "rows_before") == 0 ||
                    whole(part, "rows_before") >= (json_int_t)w->k);
    }
    assert_int_equal(before, n_not_suppressed(w));
    assert_int_equal(after, (json_int_t)w->n_rows -
                                whole(json_object_get(w->json, "suppression"), "rows"));
    expect_risk(w);
    expect_confidence(w);
    json_array_foreach(json_object_get(report, "most_hit"), i, part)
        assert_true(whole(part, "suppressed") >= (json_int_t)w->k);
}

/* Takes out where a line may end within a value: what is looked for would not be found. */
static void join_lines(char *page) {
    for (char *at = page; (at = strstr(at, "<wbr>")) != NULL;)
        memmove(at, at + 5, strlen(at + 5) + 1);
}

static void expect_page(const world *w) {
    json_t *document = json_deep_copy(w->json);
    expect_safe_page(w->page);
    /* what is internal is in no result */
    assert_null(json_object_get(w->json, "internal"));
    assert_true(w->is_internal == (strstr(w->page, "<title>INTERNAL") != NULL));
    if (!w->is_internal)
        assert_true(expect_page_numbers(w->page, document) > 20);
    json_decref(document);
}

static void one(kan_run *run, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    *w = (world){.run = run, .random = seed, .dir = "/tmp/kanon-report-XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->page_path, sizeof w->page_path, "%s/page.html", w->dir);
    make_table(w);
    make_job(w);
    const kan_status status = kan_job_run(w->job, "anonymize", &w->result);
    if (status == KAN_OK) {
        w->json = json_loads(kan_result_json(w->result), 0, NULL);
        w->page = read_file(w->page_path);
        join_lines(w->page);
        assert_non_null(w->json);
        expect_hidden(w);
        expect_report(w);
        expect_page(w);
        assert_int_equal(unlink(w->page_path), 0);
        json_decref(w->json);
        free(w->page);
        kan_result_destroy(w->result);
    } else {
        if (status != KAN_UNSATISFIED && !strstr(kan_run_error(run), "--alpha"))
            fail_msg("%s", kan_run_error(run));
    }
    assert_int_equal(rmdir(w->dir), 0); /* nothing is left of a job that failed */
    kan_job_destroy(w->job);
    kan_table_destroy(w->table);
    free(w);
}

static void a_report_shows_nothing_that_the_release_hides(void **state) {
    (void)state;
    random_rounds(80, one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_report_shows_nothing_that_the_release_hides, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
