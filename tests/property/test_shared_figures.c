/* What may be shared says nothing of fewer than k suppressed people.
 *
 * Random tables are released with suppressed rows; then what fewer than k of these rows have is
 * changed, in any column, also to values that nobody else has and away from those. Where the
 * release is the same byte for byte, so must be all that may go with it: the report and the
 * summary. Times are the one exception. Nor may releases differ by the way alone in which intervals
 * are written. Over all searches, costs, limits and models, with populations and with columns that
 * are changed.
 *
 * Sensitive, class and kept columns are words, numbers that are spelled in several ways, or dates; and
 * what is changed in a suppressed row makes text of them, codes, or the other way round: what a column
 * is follows from what is released.
 *
 * Weights of a survey are changed, too, also to ones that are far heavier, or cut to nothing.
 *
 * Where households leave whole it is fewer than k of these. Where a person may have several rows, it is fewer than k people whose suppressed rows are changed,
 * and also how many they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <kanon.h>

#include "core/hash.h"
#include "job/registry/registry.h"
#include "job/setup/setup.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 40, MORE_ROWS = 12, N_VARIANTS = 4, TEXT = 24, MOST_SET = 32, N_FAMILIES = 3 };
enum { MOST_PEOPLE = 24 };
enum { ROW, NUMBER, WORD, DAY, ILL, GROUP, NOTE, WEIGHT, AREA, PERSON, N_COLUMNS };

static const char *const names[] = {"row",   "number", "word",   "day",  "ill",
                                    "group", "note",   "weight", "area", "pid"};

typedef struct {
    size_t n_rows;
    char text[MOST_ROWS + MORE_ROWS][N_COLUMNS][TEXT];
} cells;

typedef enum {
    BY_ROWS,
    GROUPS_BY_PERSON,
    GROUPS_BY_ROW,
    HISTORIES,
    HOUSEHOLDS,
    N_COUNTS
} what_counts;

/* All that somebody gets who gets a release. */
typedef struct {
    char *release, *page, *summary;
    size_t n_suppressed;
} outcome;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows, n_quasi, k;
    cells cells;
    const kan_search_kind *search;
    struct {
        const char *name;
        char value[160];
    } set[MOST_SET];
    size_t n_set;
    char dir[48], input[80], output[80], page[80], workload[80], tree[80], population[80], key[80];
    what_counts counts;
    size_t kinds[N_COLUMNS]; /* of columns that are released as they are: words, numbers or dates */
    bool has_population, is_treated, has_table_model, has_sensitive_model, is_calibrated;
    cells people; /* of the population */
    bool is_suppressed[MOST_ROWS];
    size_t n_suppressed;
    bool keeps_suppressed;
} world;

/* Pairs that were compared, by what the search makes: levels, cuts, local recodings. */
static struct {
    size_t n_tables, n_refused, n_same, n_other, by_family[N_FAMILIES];
    size_t by_count[N_COUNTS], n_population, n_treated, n_table_model;
    size_t n_of_histories; /* with a model of sensitive values */
    size_t n_calibrated;
} seen;

/* What tables are about, beside all kinds of them: of these there are few otherwise. */
static enum { ALL, PEOPLE, MODELS, MATCHES, HOUSES, SURVEY } focus;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static size_t skewed(world *w, size_t bound) {
    return below(w, below(w, bound) + 1);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const char *const words[] = {"aa", "ab", "ac", "ba", "bb", "ca", "cb", "da"};

/* Unknown, negative, not whole, longer than others, and now and then no number at all. */
static const char *const odd[] = {"?", "-7", "30.5", "22.5", "41.5", "123", "n/a"};

/* What a column that is released as it is may have beside its own kind of values. */
static const char *const of_all_kinds[] = {
    "unknown", "2001-02-03", "2001-02-03 00:00:00", "007", "1e2", "1.0", "2", "?", "-0", "zz"};

static void put_plain(world *w, size_t column, bool is_rare, size_t n, const char *word,
                      char *out) {
    static const char *const ends[] = {"", "", ".0", ".00"};
    enum { N_KINDS = sizeof of_all_kinds / sizeof *of_all_kinds };
    if (is_rare && below(w, 2))
        snprintf(out, TEXT, "%s", of_all_kinds[below(w, N_KINDS)]);
    else if (w->kinds[column] == 1)
        snprintf(out, TEXT, "%zu%s", n, ends[below(w, 4)]);
    else if (w->kinds[column] == 2)
        snprintf(out, TEXT, "2001-01-%02zu%s", 1 + n % 28, below(w, 3) ? "" : " 00:00:00");
    else
        snprintf(out, TEXT, "%s%zu", word, n);
}

/* Of rows that are left out also one that is far heavier than all others, or has more decimals. */
static void put_weight(world *w, bool is_rare, char *out) {
    static const char *const odd_weights[] = {
        "3000000000000000000", "0.000000000000000001", "1e-30", "0.5", "7.123456789012345", "1e9"};
    if (is_rare && below(w, 2))
        snprintf(out, TEXT, "%s", odd_weights[below(w, 6)]);
    else
        snprintf(out, TEXT, "%zu%s", 1 + below(w, 90), below(w, 3) ? "" : ".25");
}

/* Values of the middle of a column, or, with `is_rare`, of anywhere. */
static void put_value(world *w, size_t column, bool is_rare, char *out) {
    const size_t n = is_rare ? 4 + below(w, 40) : skewed(w, 9);
    switch (column) {
    case NUMBER:
        if (is_rare && below(w, 3) == 0 && focus != MODELS) /* a population knows whole ones */
            snprintf(out, TEXT, "%s", odd[below(w, 7)]);
        else
            snprintf(out, TEXT, "%zu", 20 + n);
        break;
    case WORD:
        snprintf(out, TEXT, "%s", words[is_rare ? below(w, 8) : skewed(w, 5)]);
        break;
    case DAY:
        snprintf(out, TEXT, "20%02zu-0%zu-11", is_rare ? below(w, 30) : skewed(w, 3),
                 1 + below(w, is_rare ? 9 : 2));
        break;
    case ILL:
        put_plain(w, column, is_rare, is_rare ? below(w, 9) : skewed(w, 4), "i", out);
        break;
    case GROUP:
        put_plain(w, column, is_rare, is_rare ? below(w, 5) : skewed(w, 3), "g", out);
        break;
    case NOTE:
        put_plain(w, column, is_rare, n, is_rare ? "a longer note " : "n", out);
        break;
    case WEIGHT:
        put_weight(w, is_rare, out);
        break;
    case AREA:
        snprintf(out, TEXT, "%s", skewed(w, 3) ? "south" : "north");
        break;
    default:
        snprintf(out, TEXT, "p%zu", below(w, w->counts == BY_ROWS ? 1000000 : MOST_PEOPLE));
    }
}

static void make_table(world *w) {
    w->n_rows = w->cells.n_rows = 14 + below(w, MOST_ROWS - 13);
    for (size_t c = ILL; c <= NOTE; c++)
        w->kinds[c] = below(w, 3);
    for (size_t row = 0; row < w->n_rows; row++) {
        const bool is_odd = below(w, 6) == 0;
        snprintf(w->cells.text[row][ROW], TEXT, "r%zu", row);
        for (size_t c = NUMBER; c < N_COLUMNS; c++)
            put_value(w, c, is_odd && below(w, 2), w->cells.text[row][c]);
    }
}

static void write_table(const char *path, const cells *table) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(file, "%s%s", names[c], c + 1 < N_COLUMNS ? "," : "\n");
    for (size_t row = 0; row < table->n_rows; row++)
        for (size_t c = 0; c < N_COLUMNS; c++)
            fprintf(file, "%s%s", table->text[row][c], c + 1 < N_COLUMNS ? "," : "\n");
    assert_int_equal(fclose(file), 0);
}

/* Everybody of the table, and a few more, as whom suppressed people may be. */
static void make_population(world *w) {
    w->people = w->cells;
    for (size_t i = 0; i < MORE_ROWS; i++) {
        char(*fields)[TEXT] = w->people.text[w->people.n_rows++];
        for (size_t c = 0; c < N_COLUMNS; c++)
            put_value(w, c, true, fields[c]);
    }
    write_table(w->population, &w->people);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ---- the job -------------------------------------------------------------------------------- */

static void set(world *w, const char *name, const char *value) {
    assert_true(w->n_set < MOST_SET);
    w->set[w->n_set].name = name;
    snprintf(w->set[w->n_set].value, sizeof w->set[0].value, "%s", value ? value : "");
    w->n_set++;
}

static const char *any(world *w, const char *const *list, size_t n) {
    return list[below(w, n)];
}

static void set_hierarchies(world *w) {
    static const char *const numbers[] = {"number=intervals:5,20", "number=intervals:10", "number",
                                          "number=digits:2", "number=quantiles:6,3"};
    static const char *const days[] = {"day=date:month,year", "day=date:year,decade", "day"};
    char tree[120];
    const char *number = any(w, numbers, focus == MODELS ? 3 : 5);
    snprintf(tree, sizeof tree, "word=%s", w->tree);
    set(w, "qi", number);
    if (below(w, 3) > 0)
        set(w, "qi",
            focus == MODELS || below(w, 2) ? "word=prefix:1"
            : below(w, 3)                  ? tree
                                           : "word=frequency:3,6");
    if (below(w, 3) > 0)
        set(w, "qi", any(w, days, 3));
    for (size_t i = 0; i < w->n_set; i++)
        w->n_quasi += strcmp(w->set[i].name, "qi") == 0;
    if (kan_search_orders(w->search) && !w->search->local && below(w, 4) == 0 &&
        strcmp(number, "number") == 0)
        set(w, "bins", below(w, 2) ? "number=5@0" : "number=4@-10");
    if (below(w, 4) == 0)
        set(w, "weight", "number=3");
}

/* What looks at sensitive values; it counts people where they are counted, as models of the table do. */
static void set_sensitive_model(world *w) {
    w->has_sensitive_model = true;
    switch (below(w, 6)) {
    case 0:
        set(w, "l", "2");
        break;
    case 1:
        set(w, "t", below(w, 2) ? "0.5" : "0.7");
        break;
    case 2:
        set(w, "beta", below(w, 2) ? "1" : "0.5");
        break;
    case 3:
        set(w, "delta-disclosure", "1.5");
        break;
    default:
        set(w, "alpha", below(w, 2) ? "0.4" : "0.6");
    }
}

static void set_table_model(world *w) {
    w->has_table_model = true;
    if (below(w, 2)) {
        set(w, "average-risk", below(w, 2) ? "0.2" : "0.3");
        return;
    }
    set(w, "at-risk", below(w, 2) ? "0.1" : "0.3");
    set(w, "below", "4");
}

static void set_population(world *w) {
    w->has_population = true;
    make_population(w);
    set(w, "population", w->population);
    if (below(w, 2))
        set(w, "k-map", below(w, 2) ? "3" : "5");
    else
        set(w, "presence", below(w, 2) ? "0.1..0.95" : "0..0.9");
}

/* Risks by weights, alone or together, and weights that make up for rows that are left out. Over a mean
 * and over uniques only searches decide that look at whole tables. */
static void set_weights(world *w) {
    const bool is_whole = !w->search->local && !w->search->cuts && !w->search->needs_monotone;
    const size_t kind = below(w, is_whole ? 4 : 1);
    set(w, "sampling-weight", "weight");
    if (kind == 0 || below(w, 3) == 0)
        set(w, "individual-risk", below(w, 2) ? "0.02" : "0.05");
    if (kind == 1 || kind == 2)
        set(w, "global-risk", below(w, 2) ? "0.01" : "0.03");
    if (kind == 3)
        set(w, "population-uniques", below(w, 2) ? "0.001" : "0.05");
    if (below(w, 4) > 0)
        set(w, "keep", "weight");
    else
        return;
    w->is_calibrated = w->counts == BY_ROWS && below(w, 2);
    if (w->is_calibrated)
        set(w, "calibrate", "area");
    if (w->is_calibrated && below(w, 2))
        set(w, "keep", "area");
}

/* Searches over cuts know k alone; local ones need more, or nobody is left out. */
static void set_models(world *w) {
    const bool is_free = !w->search->cuts && !w->search->needs_monotone;
    if (w->counts == HISTORIES && !w->search->cuts && !is_free && below(w, 2)) {
        w->has_sensitive_model = true;
        set(w, "l", "2"); /* survives any merge */
    }
    if (!is_free || (!w->search->local && focus != MODELS && below(w, 3) == 0))
        return;
    const size_t kind = focus == MODELS                             ? 1 + below(w, 2)
                        : w->counts == BY_ROWS && !w->search->local ? below(w, 3)
                        : w->counts != BY_ROWS                      ? below(w, 2)
                                                                    : 0;
    if (kind == 0)
        set_sensitive_model(w);
    else if (kind == 1)
        set_table_model(w);
    else
        set_population(w);
}

/* Columns that are changed before anybody looks at them. */
static void set_treatments(world *w) {
    w->is_treated = !w->has_population && below(w, 3) == 0;
    if (!w->is_treated)
        return;
    if (below(w, 2))
        set(w, "cap", below(w, 2) ? "number=21..40" : "number=..30");
    else if (below(w, 2))
        set(w, "round", "number=5");
    const bool shifts = below(w, 2);
    bool has_day = false;
    for (size_t i = 0; i < w->n_set; i++)
        has_day = has_day || strncmp(w->set[i].value, "day", 3) == 0;
    if (shifts) {
        if (!has_day)
            set(w, "keep", "day");
        set(w, "shift-dates", "day");
        set(w, "by", "pid");
        set(w, "within", "20");
    }
    const bool is_pseudonym = below(w, 2) && (w->counts == BY_ROWS || w->counts == HISTORIES);
    if (is_pseudonym)
        set(w, "pseudonym", "pid");
    if (shifts || is_pseudonym)
        set(w, "key", w->key);
    if (!is_pseudonym && w->counts == BY_ROWS)
        set(w, "id", "pid");
}

/* Whose a row is: nobody asks, or people are counted. */
static void set_people(world *w) {
    static const char *const by[] = {[GROUPS_BY_PERSON] = "person", [GROUPS_BY_ROW] = "row"};
    if (w->counts == HOUSEHOLDS) {
        set(w, "household", "pid");
        return;
    }
    if (w->counts != BY_ROWS)
        set(w, "person", "pid");
    else if (!w->is_treated)
        set(w, "id", "pid");
    if (w->counts == HISTORIES)
        set(w, "person-promise", "histories");
    else if (w->counts != BY_ROWS)
        set(w, "suppress-by", by[w->counts]);
    if (w->counts != BY_ROWS && below(w, 3) == 0)
        set(w, "count", "people");
}

static unsigned family_of(const kan_search_kind *search) {
    return search->local ? 2 : search->cuts ? 1 : 0;
}

/* Each family as often as the others, but of people those that are local, which take longest. Regions
 * that are not local leave nobody out. */
static void choose_search(world *w) {
    const size_t n = kan_registry_count(KAN_FAMILY_SEARCH);
    if (focus == MATCHES || (focus == SURVEY && below(w, 20) == 0)) {
        w->search = (const kan_search_kind *)kan_registry_find(
            KAN_FAMILY_SEARCH, below(w, 3) ? "iterate" : "progressive");
        return;
    }
    const bool is_short = focus == PEOPLE && below(w, 5) > 0;
    const bool is_levels = focus == MODELS || focus == HOUSES || focus == SURVEY;
    const unsigned family = (unsigned)below(w, is_levels ? 1 : is_short ? 2 : N_FAMILIES);
    do
        w->search = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, below(w, n));
    while (family_of(w->search) != family || (w->search->regions && !w->search->local) ||
           (focus == PEOPLE && w->search->local && !w->search->counts_people) ||
           (focus == MODELS && w->search->needs_monotone));
}

/* Cuts are made by discernibility or classification; of height only levels know. */
static void choose_cost(world *w) {
    const size_t n = kan_registry_count(KAN_FAMILY_COST);
    const char *name = kan_registry_at(KAN_FAMILY_COST, below(w, n))->name;
    if (focus == MATCHES)
        name = below(w, 2) ? "precision" : "ncp";
    else if (w->search->cuts)
        name = below(w, 2) ? "discernibility" : "classification";
    else if (w->search->local && strcmp(name, "height") == 0)
        name = "ncp";
    set(w, "cost", name);
}

/* Cells that are hidden match anything. */
static void set_matches(world *w) {
    set(w, "recoding", "cell-suppression");
    set(w, "missing-matches", NULL);
    set(w, "qi", "number");
    set(w, "qi", "word");
    w->n_quasi = 2 + below(w, 2);
    if (w->n_quasi > 2)
        set(w, "qi", "day");
    set(w, "id", "pid");
}

static void make_job(world *w) {
    static const char *const limits[] = {"1", "3", "10%", "30%", "all"};
    char k[TEXT];
    w->k = 2 + below(w, 4);
    snprintf(k, sizeof k, "%zu", w->k);
    set(w, "algorithm", w->search->kind.name);
    choose_cost(w);
    set(w, "k", k);
    set(w, "threads", "1");
    set(w, "suppress", any(w, limits, 5));
    set(w, "keep", "row");
    set(w, "keep", "note");
    set(w, "sensitive", "ill");
    set(w, "class", "group");
    if (focus == ALL && !w->search->cuts && (w->random >> 32) % 4 == 0)
        set(w, "for", below(w, 2) ? "group ~ number" : "group ~ word + day");
    if (focus == MATCHES) {
        set_matches(w);
    } else {
        set_hierarchies(w);
        if (focus == SURVEY)
            set_weights(w);
        else
            set_models(w);
        set_treatments(w);
        set_people(w);
    }
    if (strcmp(w->search->kind.name, "hill-climb") == 0)
        set(w, "restarts", "2");
    if (below(w, 3) == 0)
        set(w, "cells", NULL);
    w->keeps_suppressed = !w->search->local && below(w, 6) == 0;
    if (w->keeps_suppressed)
        set(w, "keep-suppressed", NULL);
    if (below(w, 4) == 0)
        set(w, "workload", w->workload);
    set(w, "input", w->input);
    set(w, "output", w->output);
    set(w, "report", w->page);
    set(w, "force", NULL);
}

/* ---- running -------------------------------------------------------------------------------- */

static char *read_file(const char *path) {
    enum { MOST = 4 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = malloc(MOST);
    assert_non_null(file);
    assert_non_null(text);
    text[fread(text, 1, MOST - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Numbers of the line of times; all else of it stays. */
static void blank_times(char *summary) {
    static const char *const before[] = {"\n  ",   "read ",  "fold ",  "search ",
                                         "apply ", "write ", "verify "};
    char *line = strstr(summary, " s: read ");
    if (!line)
        return;
    while (line > summary && line[-1] != '\n')
        line--;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        char *at = i == 0 ? line + 2 : strstr(line, before[i]);
        at += at && i > 0 ? strlen(before[i]) : 0;
        while (at && (*at == '.' || (*at >= '0' && *at <= '9')))
            memmove(at, at + 1, strlen(at));
    }
}

static bool run_job(world *w, const cells *table, outcome *out) {
    kan_job *job;
    kan_result *result = NULL;
    write_table(w->input, table);
    *out = (outcome){.release = NULL};
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    for (size_t i = 0; i < w->n_set; i++)
        EXPECT_OK(w->run,
                  kan_job_set(job, w->set[i].name, *w->set[i].value ? w->set[i].value : NULL));
    const kan_status status = kan_job_run(job, "anonymize", &result);
    if (status == KAN_OK) {
        out->release = read_file(w->output);
        out->page = read_file(w->page);
        out->summary = strdup(kan_result_summary(result));
        assert_non_null(out->summary);
        const char *rows = strstr(strstr(kan_result_json(result), "\"suppression\""), "\"rows\": ");
        out->n_suppressed = strtoul(rows + strlen("\"rows\": "), NULL, 10);
        blank_times(out->summary);
        assert_int_equal(unlink(w->output), 0);
        assert_int_equal(unlink(w->page), 0);
    } else if (status == KAN_FAILED) {
        for (size_t i = 0; i < w->n_set; i++)
            print_error("  --%s %s\n", w->set[i].name, w->set[i].value);
        fail_msg("%s", kan_run_error(w->run));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status == KAN_OK;
}

static void outcome_free(outcome *out) {
    free(out->release);
    free(out->page);
    free(out->summary);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Who is not in the release; or, where suppressed rows are kept, is all stars there. A released row
 * of stars cannot be told from these: then nobody counts. */
static void find_suppressed(world *w, const outcome *out) {
    w->n_suppressed = 0;
    for (size_t row = 0; row < w->n_rows; row++) {
        char start[TEXT + 4];
        snprintf(start, sizeof start, "\nr%zu,", row);
        const char *line = strstr(out->release, start);
        bool is_star = w->keeps_suppressed && line;
        for (size_t i = 0; is_star && i < w->n_quasi; i++)
            is_star = strncmp(line + strlen(start) + 2 * i, "*,", 2) == 0;
        w->is_suppressed[row] = !line || is_star;
        w->n_suppressed += w->is_suppressed[row];
    }
    if (w->n_suppressed != out->n_suppressed)
        w->n_suppressed = 0;
}

/* Other values for a row of somebody; of those that the population has, where there is one. */
static void change_row(world *w, char (*fields)[TEXT]) {
    const size_t like = w->has_population ? below(w, w->people.n_rows) : 0;
    for (size_t c = NUMBER; c < PERSON; c++) {
        if (w->has_population && c <= DAY)
            memcpy(fields[c], w->people.text[like][c], TEXT);
        else if (below(w, 2))
            put_value(w, c, below(w, 3) > 0, fields[c]);
    }
    if (w->counts == BY_ROWS && below(w, 2))
        put_value(w, PERSON, true, fields[PERSON]);
}

/* Changes what some suppressed rows have, fewer than k. */
static void change_rows(world *w, cells *table) {
    const size_t most = w->k - 1 < w->n_suppressed ? w->k - 1 : w->n_suppressed;
    size_t n_left = 1 + below(w, most);
    *table = w->cells;
    while (n_left-- > 0) {
        size_t row = below(w, w->n_rows);
        while (!w->is_suppressed[row])
            row = (row + 1) % w->n_rows;
        w->is_suppressed[row] = false; /* once */
        change_row(w, table->text[row]);
    }
}

/* ---- pairs where people are counted --------------------------------------------------------- */

static bool is_of(const cells *table, size_t row, const char *person) {
    return strcmp(table->text[row][PERSON], person) == 0;
}

static size_t rows_of(const cells *table, const char *person) {
    size_t n = 0;
    for (size_t row = 0; row < table->n_rows; row++)
        n += is_of(table, row, person);
    return n;
}

/* Another row like this one, of the same person or of `other`. */
static void add_row(world *w, cells *table, size_t row, const char *other) {
    if (table->n_rows == MOST_ROWS + MORE_ROWS)
        return;
    char(*fields)[TEXT] = table->text[table->n_rows];
    memcpy(fields, table->text[row], sizeof table->text[row]);
    snprintf(fields[ROW], TEXT, "r%zu", table->n_rows);
    snprintf(fields[PERSON], TEXT, "%s", other);
    change_row(w, fields);
    table->n_rows++;
}

/* What becomes of a suppressed row of one of those who are changed; false: it goes. By person, who
 * they are is known, and nobody comes or goes. By row not even that: a row may be of somebody new.
 * That some row is suppressed is told. */
static bool change_persons_row(world *w, cells *table, size_t row, const char *other) {
    const bool by_row = w->counts == GROUPS_BY_ROW;
    const char *person = table->text[row][PERSON];
    switch (below(w, 5)) {
    case 0: /* it was never there */
        if (!by_row)
            return rows_of(table, person) == 1;
        if (w->n_suppressed == 1)
            return true;
        w->n_suppressed--;
        return false;
    case 1:
        for (size_t n = 1 + below(w, 4); n > 0; n--)
            add_row(w, table, row, below(w, 2) ? person : other);
        return true;
    case 2:
        if (by_row || rows_of(table, person) > 1)
            snprintf(table->text[row][PERSON], TEXT, "%s", by_row && below(w, 2) ? "new" : other);
        return true;
    default:
        change_row(w, table->text[row]);
        return true;
    }
}

/* Some people with suppressed rows, fewer than k; returns how many. */
static size_t choose_people(world *w, char people[][TEXT]) {
    size_t n = 0;
    for (size_t tries = 0; tries < 100 && n < w->k - 1 && (n == 0 || below(w, 4) > 0); tries++) {
        const size_t row = below(w, w->n_rows);
        bool is_new = w->is_suppressed[row];
        for (size_t i = 0; i < n; i++)
            is_new = is_new && !is_of(&w->cells, row, people[i]);
        if (is_new)
            snprintf(people[n++], TEXT, "%s", w->cells.text[row][PERSON]);
    }
    return n;
}

static void change_people(world *w, cells *table) {
    char people[MOST_PEOPLE][TEXT];
    const size_t n = choose_people(w, people);
    size_t n_kept = 0;
    *table = w->cells;
    for (size_t row = 0; row < w->n_rows; row++) {
        bool is_one = false;
        for (size_t i = 0; i < n; i++)
            is_one = is_one || is_of(&w->cells, row, people[i]);
        if (!is_one || !w->is_suppressed[row])
            continue;
        if (!change_persons_row(w, table, row, people[below(w, n)]))
            table->text[row][ROW][0] = '\0'; /* goes */
        if (!table->text[row][ROW][0])
            snprintf(table->text[row][PERSON], TEXT, "gone");
    }
    for (size_t row = 0; row < table->n_rows; row++)
        if (table->text[row][ROW][0])
            memmove(table->text[n_kept++], table->text[row], sizeof table->text[row]);
    table->n_rows = n_kept;
}

static void expect_same(const char *what, const world *w, const char *a, const char *b) {
    size_t at = 0, start;
    if (strcmp(a, b) == 0)
        return;
    while (a[at] == b[at])
        at++;
    for (size_t i = 0; i < w->n_set; i++)
        print_error("  --%s %s\n", w->set[i].name, w->set[i].value);
    start = at > 300 ? at - 300 : 0;
    fail_msg("the %s tells of suppressed people:\n%.420s\n---- and\n%.420s", what, a + start,
             b + start);
}

static void compare_pair(const world *w, const outcome *a, const outcome *b) {
    seen.n_same++;
    seen.by_family[family_of(w->search)]++;
    seen.by_count[w->counts]++;
    seen.n_population += w->has_population;
    seen.n_treated += w->is_treated;
    seen.n_table_model += w->has_table_model;
    seen.n_calibrated += w->is_calibrated;
    seen.n_of_histories += w->counts == HISTORIES && w->has_sensitive_model;
    expect_same("summary", w, a->summary, b->summary);
    expect_same("report", w, a->page, b->page);
}

/* ---- names of intervals --------------------------------------------------------------------- */

/* Bytes of an interval of whole numbers that is written in one of the ways; 0: there is none. */
static int read_interval(const char *at, long *lo, long *hi) {
    static const char *const closed[] = {"[%ld-%ld]%n", "[%ld..%ld]%n", "%ld..%ld%n"};
    int size = 0;
    if (sscanf(at, "\"[%ld, %ld)\"%n", lo, hi, &size) == 2 && size > 0) {
        --*hi;
        return size;
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        if (sscanf(at, closed[i], lo, hi, &size) == 2 && size > 0)
            return size;
    return 0;
}

/* A release with all intervals written in one way; the caller's to free. */
static char *in_one_style(const char *release) {
    const size_t room = 4 * strlen(release) + 1;
    char *out = malloc(room);
    size_t used = 0;
    assert_non_null(out);
    for (const char *at = release; *at;) {
        long lo, hi;
        const bool begins = at == release || at[-1] == ',' || at[-1] == '\n';
        const int size = begins ? read_interval(at, &lo, &hi) : 0;
        if (size > 0)
            used += (size_t)snprintf(out + used, room - used, lo < hi ? "%ld-%ld" : "%ld", lo, hi);
        else
            out[used++] = *at;
        at += size > 0 ? size : 1;
    }
    out[used] = '\0';
    return out;
}

/* What only suppressed rows have does not change how intervals are written. */
static void compare_styles(const world *w, const outcome *a, const outcome *b) {
    char *x = in_one_style(a->release), *y = in_one_style(b->release);
    seen.n_other++;
    if (strcmp(x, y) == 0)
        expect_same("style of the release", w, a->release, b->release);
    free(x);
    free(y);
}

static void try_variants(world *w, const outcome *first) {
    for (int i = 0; i < N_VARIANTS; i++) {
        cells changed;
        outcome second;
        find_suppressed(w, first);
        if (w->n_suppressed == 0)
            return;
        if (w->counts == BY_ROWS)
            change_rows(w, &changed);
        else
            change_people(w, &changed);
        const bool is_there = run_job(w, &changed, &second);
        if (is_there && strcmp(first->release, second.release) == 0)
            compare_pair(w, first, &second);
        else if (is_there)
            compare_styles(w, first, &second);
        outcome_free(&second);
    }
}

static void one(kan_run *run, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    outcome first;
    assert_non_null(w);
    *w = (world){.run = run, .random = seed, .dir = "/tmp/kanon-shared-XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->input, sizeof w->input, "%s/in.csv", w->dir);
    snprintf(w->output, sizeof w->output, "%s/out.csv", w->dir);
    snprintf(w->page, sizeof w->page, "%s/page.html", w->dir);
    snprintf(w->workload, sizeof w->workload, "%s/w.txt", w->dir);
    snprintf(w->tree, sizeof w->tree, "%s/word.csv", w->dir);
    snprintf(w->population, sizeof w->population, "%s/all.csv", w->dir);
    snprintf(w->key, sizeof w->key, "%s/key", w->dir);
    write_text(w->key, "a key that is long enough for all of this\n");
    assert_int_equal(chmod(w->key, 0600), 0);
    write_text(w->workload, "COUNT WHERE number <= 24\nCOUNT WHERE number > 22\n"
                            "COUNT WHERE number = 21\nCOUNT WHERE number < 40\n"
                            "COUNT WHERE number > 50\nCOUNT WHERE number <= 22\n");
    write_text(w->tree, "aa;a;ab;*\nab;a;ab;*\nac;a;ab;*\nba;b;ab;*\nbb;b;ab;*\nca;c;cd;*\n"
                        "cb;c;cd;*\nda;d;cd;*\n");
    choose_search(w);
    if (focus == PEOPLE)
        w->counts = (what_counts)(1 + below(w, N_COUNTS - 2 - w->search->local));
    if (focus == HOUSES)
        w->counts = HOUSEHOLDS;
    make_table(w);
    make_job(w);
    seen.n_tables++;
    if (run_job(w, &w->cells, &first))
        try_variants(w, &first);
    else
        seen.n_refused++;
    outcome_free(&first);
    unlink(w->input);
    unlink(w->workload);
    unlink(w->tree);
    unlink(w->population);
    unlink(w->key);
    assert_int_equal(rmdir(w->dir), 0); /* nothing is left of a job that failed */
    free(w);
}

static void try_tables(unsigned n_rounds) {
    memset(&seen, 0, sizeof seen);
    random_rounds(n_rounds, one);
    print_message("%zu tables, %zu refused; %zu pairs with the same release (levels %zu, cuts %zu, "
                  "local %zu), %zu with another\n",
                  seen.n_tables, seen.n_refused, seen.n_same, seen.by_family[0], seen.by_family[1],
                  seen.by_family[2], seen.n_other);
    print_message("by rows %zu, people by person %zu, by row %zu, histories %zu (%zu with models "
                  "of values); with a population "
                  "%zu, changed columns %zu, models of the whole table %zu\n",
                  seen.by_count[BY_ROWS], seen.by_count[GROUPS_BY_PERSON],
                  seen.by_count[GROUPS_BY_ROW], seen.by_count[HISTORIES], seen.n_of_histories,
                  seen.n_population, seen.n_treated, seen.n_table_model);
}

static void what_is_shared_tells_nothing_of_few_suppressed_people(void **state) {
    (void)state;
    focus = ALL;
    try_tables(400);
    if (seen.n_tables < 300)
        return; /* fewer were asked for */
    assert_true(seen.by_family[0] >= 60);
    assert_true(seen.by_family[1] >= 30);
    assert_true(seen.by_family[2] >= 20);
    assert_true(seen.n_treated >= 20);
}

static void nor_where_a_person_may_have_several_rows(void **state) {
    (void)state;
    focus = PEOPLE;
    try_tables(200);
    if (seen.n_tables < 200)
        return;
    assert_true(seen.by_family[1] >= 20 && seen.by_family[2] >= 3);
    assert_true(seen.by_count[GROUPS_BY_PERSON] >= 20);
    assert_true(seen.by_count[GROUPS_BY_ROW] >= 20);
    assert_true(seen.by_count[HISTORIES] >= 20);
    assert_true(seen.n_treated >= 12);
}

static void nor_where_households_leave_whole(void **state) {
    (void)state;
    focus = HOUSES;
    try_tables(150);
    print_message("households %zu\n", seen.by_count[HOUSEHOLDS]);
    assert_true(seen.n_tables < 150 || seen.by_count[HOUSEHOLDS] >= 30);
}

static void nor_with_a_population_or_a_model_of_the_whole_table(void **state) {
    (void)state;
    focus = MODELS;
    try_tables(100);
    if (seen.n_tables < 100)
        return;
    assert_true(seen.n_population >= 8);
    assert_true(seen.n_table_model >= 30);
}

static void nor_where_rows_match_in_place_of_groups(void **state) {
    (void)state;
    focus = MATCHES;
    try_tables(100);
    if (seen.n_tables < 100)
        return;
    assert_true(seen.by_family[2] >= 20);
}

static void nor_of_weights_of_a_survey(void **state) {
    (void)state;
    focus = SURVEY;
    try_tables(300);
    print_message("calibrated %zu\n", seen.n_calibrated);
    if (seen.n_tables < 300)
        return;
    assert_true(seen.n_same >= 100 && seen.n_calibrated >= 8 && seen.by_family[2] >= 3);
}

int main(void) {
    setenv("SOURCE_DATE_EPOCH", "0", 1); /* midnight is a time, too */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_shared_tells_nothing_of_few_suppressed_people,
                                  random_tear_down),
        cmocka_unit_test_teardown(nor_where_a_person_may_have_several_rows, random_tear_down),
        cmocka_unit_test_teardown(nor_where_households_leave_whole, random_tear_down),
        cmocka_unit_test_teardown(nor_with_a_population_or_a_model_of_the_whole_table,
                                  random_tear_down),
        cmocka_unit_test_teardown(nor_where_rows_match_in_place_of_groups, random_tear_down),
        cmocka_unit_test_teardown(nor_of_weights_of_a_survey, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
