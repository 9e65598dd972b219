/* The file of --nodes where people are counted, line by line against brute force over the rows of
 * small tables: by person, by row and by histories, under k alone and with distinct l-diversity, and
 * under models of the whole table where rows are counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/plain.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 24, MOST_PEOPLE = 8, N_QUASI = 2, N_LEVELS = 3, N_VALUES = 3 };

typedef struct {
    unsigned n_rows, n_people, k, l, limit;
    double average_risk; /* above 0: promised of rows */
    bool has_person, by_person, histories, of_people;
    struct {
        unsigned person, value;
        char cells[N_QUASI][3];
    } rows[MOST_ROWS];
} question;

/* What a line must say. */
typedef struct {
    bool is_in[MOST_ROWS]; /* the rows that are released */
    unsigned n_left_out, n_groups, smallest;
    double highest, sum; /* of risks, of released rows or people; and how many these are */
    unsigned n_risks;
    unsigned n_failing, n_failing_rows, n_ones, n_twos, smallest_failing;
    double discernibility;
} line;

/* ---- brute force ---------------------------------------------------------------------------- */

static bool show_alike(const question *q, const unsigned *levels, unsigned a, unsigned b) {
    for (unsigned i = 0; i < N_QUASI; i++)
        if (strncmp(q->rows[a].cells[i], q->rows[b].cells[i], N_LEVELS - 1 - levels[i]) != 0)
            return false;
    return true;
}

/* The size of the group of a row among those that are in: people, or rows; and whether it passes. */
static unsigned size_of(const question *q, const unsigned *levels, const bool *is_in, unsigned row,
                        unsigned *n_rows, bool *passes) {
    unsigned people = 0, values = 0, n = 0;
    for (unsigned i = 0; i < q->n_rows; i++) {
        if (!is_in[i] || !show_alike(q, levels, row, i))
            continue;
        n++;
        people |= 1u << q->rows[i].person;
        values |= 1u << q->rows[i].value;
    }
    const unsigned size = q->has_person ? (unsigned)__builtin_popcount(people) : n;
    *n_rows = n;
    *passes = size >= q->k && (unsigned)__builtin_popcount(values) >= q->l;
    return size;
}

static bool is_first(const question *q, const unsigned *levels, const bool *is_in, unsigned row) {
    if (!is_in[row])
        return false;
    for (unsigned i = 0; i < row; i++)
        if (is_in[i] && show_alike(q, levels, row, i))
            return false;
    return true;
}

static bool has_same_history(const question *q, const unsigned *levels, unsigned a, unsigned b) {
    for (unsigned i = 0; i < q->n_rows; i++) {
        int difference = 0;
        for (unsigned j = 0; j < q->n_rows; j++)
            if (show_alike(q, levels, i, j))
                difference += (q->rows[j].person == a) - (q->rows[j].person == b);
        if (difference != 0)
            return false;
    }
    return true;
}

static void add_failing(line *out, unsigned size, unsigned n_rows) {
    out->n_failing++;
    out->n_failing_rows += n_rows;
    out->n_ones += size == 1;
    out->n_twos += size == 2;
    if (out->smallest_failing == 0 || size < out->smallest_failing)
        out->smallest_failing = size;
}

/* Whether each row passes among those that are in. */
static bool all_pass(const question *q, const unsigned *levels, const bool *is_in) {
    bool all = true;
    for (unsigned i = 0; i < q->n_rows; i++) {
        unsigned n_rows;
        bool passes = true;
        if (is_in[i])
            (void)size_of(q, levels, is_in, i, &n_rows, &passes);
        all &= passes;
    }
    return all;
}

static void leave_by_history(const question *q, const unsigned *levels, line *out) {
    for (unsigned a = 0; a < q->n_people; a++) {
        unsigned n_alike = 0, n_rows = 0;
        bool is_the_first = true, is_theirs[MOST_ROWS] = {false};
        for (unsigned b = 0; b < q->n_people; b++) {
            const bool is_same = has_same_history(q, levels, a, b);
            n_alike += is_same;
            is_the_first &= !is_same || b >= a;
            for (unsigned i = 0; i < q->n_rows && is_same; i++)
                is_theirs[i] |= q->rows[i].person == b;
        }
        for (unsigned i = 0; i < q->n_rows; i++)
            n_rows += is_theirs[i];
        if (all_pass(q, levels, is_theirs))
            continue;
        out->n_left_out++;
        if (is_the_first)
            add_failing(out, n_alike, n_rows);
        for (unsigned i = 0; i < q->n_rows; i++)
            out->is_in[i] &= q->rows[i].person != a;
    }
}

/* The groups that fail with everybody in them. */
static void count_failing(const question *q, const unsigned *levels, line *out) {
    for (unsigned i = 0; i < q->n_rows; i++) {
        unsigned n_rows;
        bool passes;
        const unsigned size = size_of(q, levels, out->is_in, i, &n_rows, &passes);
        if (is_first(q, levels, out->is_in, i) && !passes)
            add_failing(out, size, n_rows);
    }
}

/* Rows of groups that fail leave, or whoever has one, again and again. */
static void leave(const question *q, const unsigned *levels, line *out) {
    unsigned gone = 0, before;
    do {
        bool stays[MOST_ROWS];
        before = gone;
        for (unsigned i = 0; i < q->n_rows; i++) {
            unsigned n_rows;
            stays[i] = true;
            if (out->is_in[i])
                (void)size_of(q, levels, out->is_in, i, &n_rows, &stays[i]);
            gone |= stays[i] ? 0 : 1u << q->rows[i].person;
        }
        for (unsigned i = 0; i < q->n_rows; i++)
            out->is_in[i] &= q->by_person ? !(gone >> q->rows[i].person & 1) : stays[i];
    } while (q->by_person && gone != before);
    out->n_left_out = q->by_person ? (unsigned)__builtin_popcount(gone) : 0;
}

/* While there are too many groups for the rows, the smallest leaves. Ties are left to the program:
 * sizes alone are told. */
static void settle(const question *q, const unsigned *levels, line *out) {
    for (;;) {
        unsigned n_groups = 0, n_rows = 0, least = 0, least_row = 0, size;
        bool passes;
        for (unsigned i = 0; i < q->n_rows; i++) {
            if (!is_first(q, levels, out->is_in, i))
                continue;
            (void)size_of(q, levels, out->is_in, i, &size, &passes);
            n_groups++;
            n_rows += size;
            if (least == 0 || size < least) {
                least = size;
                least_row = i;
            }
        }
        if (n_groups == 0 || (double)n_groups <= q->average_risk * n_rows + 1e-12)
            return;
        add_failing(out, least, least);
        for (unsigned i = 0; i < q->n_rows; i++)
            if (i != least_row && show_alike(q, levels, least_row, i))
                out->is_in[i] = false;
        out->is_in[least_row] = false;
    }
}

static void add_risk(line *out, unsigned size) {
    out->n_risks++;
    out->sum += 1.0 / size;
    out->highest = 1.0 / size > out->highest ? 1.0 / size : out->highest;
}

/* The people among whom somebody is: the fewest of a group that she has a row in, or those who have
 * her history; 0 where no row of hers is released. */
static unsigned fewest_beside(const question *q, const unsigned *levels, const line *out,
                              unsigned person) {
    unsigned fewest = 0, alike = 0;
    for (unsigned b = 0; b < q->n_people; b++)
        alike += has_same_history(q, levels, person, b);
    for (unsigned i = 0; i < q->n_rows; i++) {
        unsigned n_rows;
        bool unused;
        if (!out->is_in[i] || q->rows[i].person != person)
            continue;
        const unsigned size =
            q->histories ? alike : size_of(q, levels, out->is_in, i, &n_rows, &unused);
        fewest = fewest == 0 || size < fewest ? size : fewest;
    }
    return fewest;
}

static void measure_risks(const question *q, const unsigned *levels, line *out) {
    for (unsigned p = 0; q->has_person && p < q->n_people; p++) {
        const unsigned fewest = fewest_beside(q, levels, out, p);
        if (fewest > 0)
            add_risk(out, fewest);
    }
    for (unsigned i = 0; !q->has_person && i < q->n_rows; i++) {
        unsigned n_rows;
        bool unused;
        if (out->is_in[i])
            add_risk(out, size_of(q, levels, out->is_in, i, &n_rows, &unused));
    }
}

/* The people of whom a row is not there. */
static unsigned count_left(const question *q, const bool *is_in) {
    unsigned left = 0;
    for (unsigned i = 0; i < q->n_rows; i++)
        left |= is_in[i] ? 0 : 1u << q->rows[i].person;
    return (unsigned)__builtin_popcount(left);
}

static void work_out(const question *q, const unsigned *levels, line *out) {
    unsigned n_in = 0;
    *out = (line){.n_groups = 0};
    memset(out->is_in, 1, sizeof out->is_in);
    if (q->histories) {
        leave_by_history(q, levels, out);
    } else {
        count_failing(q, levels, out);
        leave(q, levels, out);
    }
    if (q->average_risk > 0)
        settle(q, levels, out);
    for (unsigned i = 0; i < q->n_rows; i++) {
        unsigned n_rows;
        bool unused;
        n_in += out->is_in[i];
        if (!is_first(q, levels, out->is_in, i))
            continue;
        const unsigned size = size_of(q, levels, out->is_in, i, &n_rows, &unused);
        out->n_groups++;
        out->discernibility += q->of_people ? (double)size * size : (double)n_rows * n_rows;
        if (out->smallest == 0 || size < out->smallest)
            out->smallest = size;
    }
    measure_risks(q, levels, out);
    if (q->of_people)
        out->discernibility += (double)count_left(q, out->is_in) * q->n_people;
    else
        out->discernibility += (double)(q->n_rows - n_in) * q->n_rows;
    if (!q->by_person)
        out->n_left_out = q->n_rows - n_in;
}

/* ---- the program ---------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const question *q) {
    static const char *const names[] = {"who", "dx", "a", "b"};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, 4, names, &table));
    for (unsigned i = 0; i < q->n_rows; i++) {
        char who[8], value[8];
        snprintf(who, sizeof who, "p%u", q->rows[i].person);
        snprintf(value, sizeof value, "v%u", q->rows[i].value);
        const char *const cells[] = {who, value, q->rows[i].cells[0], q->rows[i].cells[1]};
        EXPECT_OK(run, kan_table_add_row(table, cells));
    }
    return table;
}

static void set_number(kan_run *run, kan_job *job, const char *name, double number) {
    char text[32];
    snprintf(text, sizeof text, "%g", number);
    EXPECT_OK(run, kan_job_set(job, name, text));
}

static char path[64];
static size_t n_files;

static void run_job(kan_run *run, const question *q, kan_table *table) {
    kan_job *job;
    kan_result *result = NULL;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "a=digits:2,b=digits:2"));
    EXPECT_OK(run, kan_job_set(job, "nodes", path));
    EXPECT_OK(run, kan_job_set(job, "force", NULL));
    EXPECT_OK(run, kan_job_set(job, "algorithm", "exhaustive"));
    set_number(run, job, "k", q->k);
    set_number(run, job, "suppress", q->limit);
    if (q->l > 1) {
        EXPECT_OK(run, kan_job_set(job, "sensitive", "dx"));
        set_number(run, job, "l", q->l);
    }
    if (q->average_risk > 0)
        set_number(run, job, "average-risk", q->average_risk);
    if (q->has_person) {
        EXPECT_OK(run, kan_job_set(job, "person", "who"));
        EXPECT_OK(run, kan_job_set(job, "count", q->of_people ? "people" : "rows"));
        EXPECT_OK(run, kan_job_set(job, "suppress-by", q->by_person ? "person" : "row"));
        EXPECT_OK(run, kan_job_set(job, "person-promise", q->histories ? "histories" : "groups"));
    }
    const kan_status status = kan_job_run(job, "search", &result);
    if (status != KAN_OK && status != KAN_UNSATISFIED)
        fail_msg("%s", kan_run_error(run));
    kan_result_destroy(result);
    kan_job_destroy(job);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static char header[1024];

/* The field of that name; the first field holds commas in quotes. */
static const char *field(const char *text, const char *name, char *room) {
    const char *at = header;
    for (bool is_quoted = false;
         strncmp(at, name, strlen(name)) != 0 || !strchr(",\n", at[strlen(name)]);) {
        at += strcspn(at, ",\n") + 1;
        assert_true(*at);
        for (; *text && (is_quoted || *text != ','); text++)
            is_quoted ^= *text == '"';
        text++;
    }
    size_t size = 0;
    for (bool is_quoted = false; *text && *text != '\n' && (is_quoted || *text != ','); text++) {
        is_quoted ^= *text == '"';
        room[size++] = *text;
    }
    room[size] = '\0';
    return room;
}

static void assert_number(const char *text, const char *name, double expected) {
    char room[256];
    field(text, name, room);
    if (isnan(expected) ? *room != '\0' : fabs(atof(room) - expected) > 1e-12 || !*room)
        fail_msg("%s is %s in place of %g:\n%s%s", name, room, expected, header, text);
}

static void assert_line(const question *q, const unsigned *levels, const char *text) {
    char room[256];
    line e;
    unsigned n_in = 0;
    work_out(q, levels, &e);
    for (unsigned i = 0; i < q->n_rows; i++)
        n_in += e.is_in[i];
    assert_string_equal(field(text, "satisfies", room),
                        e.n_left_out <= q->limit ? "true" : "false");
    assert_number(text, "height", levels[0] + levels[1]);
    assert_number(text, "cost_height", levels[0] + levels[1]);
    assert_number(text, "released_rows", n_in);
    assert_number(text, "suppressed_rows", q->n_rows - n_in);
    assert_number(text, "suppressed_people", q->by_person ? e.n_left_out : (double)NAN);
    assert_number(text, "groups", e.n_groups);
    assert_number(text, "smallest_group", e.smallest);
    assert_number(text, "highest_risk", e.n_risks ? e.highest : (double)NAN);
    assert_number(text, "average_risk", e.n_risks ? e.sum / e.n_risks : (double)NAN);
    assert_number(text, "cost_discernibility", e.discernibility);
    assert_number(text, "failing_groups", e.n_failing);
    assert_number(text, "failing_rows", e.n_failing_rows);
    assert_number(text, "groups_of_one", e.n_ones);
    assert_number(text, "groups_of_two", e.n_twos);
    assert_number(text, "smallest_failing_group", e.smallest_failing);
}

static void assert_file(const question *q) {
    char text[1024];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    bool is_listed[N_LEVELS][N_LEVELS] = {{false}};
    double last = -INFINITY;
    for (unsigned i = 0; i < N_LEVELS * N_LEVELS; i++) {
        unsigned levels[N_QUASI];
        char room[256];
        assert_non_null(fgets(text, sizeof text, file));
        assert_int_equal(sscanf(field(text, "levels", room), "\"%u,%u\"", &levels[0], &levels[1]),
                         2);
        assert_true(levels[0] < N_LEVELS && levels[1] < N_LEVELS);
        assert_false(is_listed[levels[0]][levels[1]]);
        is_listed[levels[0]][levels[1]] = true;
        assert_line(q, levels, text);
        const double cost = atof(field(text, "cost_discernibility", room));
        assert_true(cost >= last);
        last = cost;
    }
    assert_null(fgets(text, sizeof text, file));
    fclose(file);
}

static void make_question(uint64_t *random, question *q) {
    *q = (question){.n_rows = (unsigned)between(random, 4, MOST_ROWS),
                    .n_people = (unsigned)between(random, 3, MOST_PEOPLE),
                    .k = (unsigned)between(random, 1, 3),
                    .l = 1,
                    .limit = (unsigned)kan_random_below(random, 5)};
    if (q->n_people > q->n_rows)
        q->n_people = q->n_rows;
    q->has_person = kan_random_below(random, 4) > 0;
    q->by_person = q->has_person && kan_random_below(random, 3) > 0;
    q->histories = q->by_person && kan_random_below(random, 3) == 0;
    if (kan_random_below(random, 2))
        q->l = (unsigned)between(random, 1, 3);
    if (!q->has_person && kan_random_below(random, 2))
        q->average_risk = (double)between(random, 2, 9) / 10;
    for (unsigned i = 0; i < q->n_rows; i++) {
        q->rows[i].person = i < q->n_people ? i : (unsigned)kan_random_below(random, q->n_people);
        q->rows[i].value = (unsigned)kan_random_below(random, N_VALUES);
        for (unsigned a = 0; a < N_QUASI; a++)
            snprintf(q->rows[i].cells[a], 3, "%u%u", 1 + (unsigned)kan_random_below(random, 2),
                     (unsigned)kan_random_below(random, 3));
    }
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    question q;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    make_question(&random, &q);
    q.of_people = q.has_person && seed % 3 == 0;
    kan_table *table = make_table(run, &q);
    unlink(path);
    run_job(run, &q, table);
    /* What is certain before any search has no file. */
    if (access(path, F_OK) == 0) {
        assert_file(&q);
        n_files++;
    }
    kan_table_destroy(table);
}

static void every_line_is_what_brute_force_says(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/kanon-nodes-%ld.csv", (long)getpid());
    random_rounds(400, one_table);
    assert_true(is_slow_here() || n_files > 300);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_line_is_what_brute_force_says, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
