/* kanon-bench downcoding: how much of a release somebody undoes who knows how it was made (Cohen
 * 2022), over all tables there are.
 *
 * Tables of six rows by two columns, one of four values below two pairs, and one of two values: 8 to
 * the power of 6 are 262,144 tables. Each is released with k = 2 and no row left out, its rows in no
 * order (--shuffle). Who reads the labels alone counts the tables that they fit; who knows the method
 * counts those of which it makes just this release. Both are told as bits, the logarithm to base 2
 * of the number of tables (as sets of rows: order is gone), on average over all tables; then the
 * share of tables of which one alone is left, though labels leave more open.
 *
 * The last two columns are the same row by row, for who knows which row is whose: tables whose rows each fit
 * the label in their place, and those that make this release in this order. `kanon attack --knowing-method`
 * counts these (docs/papers/downcoding.md).
 *
 * A release is made of each set of rows once, and of its rows in the opposite order: the sets are
 * weighted by the number of orders that they have, and what is shown may not depend on it. Rows of equal
 * values that show different labels get these in the order of the table. */
#include <kanon.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { N_ROWS = 6, N_VALUES = 8, N_SETS = 1716, N_TABLES = 1 << 18, N_COLUMNS = 2, PATH = 64 };

static const struct {
    const char *name, *recoding, *algorithm, *cost;
} methods[] = {
    {"levels", "full-domain", NULL, "ncp"}, {"full-subtree", "full-subtree", NULL, NULL},
    {"mondrian", NULL, "mondrian", "ncp"},  {"cell-suppression", "cell-suppression", NULL, "ncp"},
    {"top-down", NULL, "top-down", "ncp"},  {"iterate", NULL, "iterate", "ncp"},
};

/* What a cell may show, and which values it fits: bits of rows, whose number is column 0 * 2 +
 * column 1. */
static const struct {
    const char *label;
    unsigned rows;
} labels[N_COLUMNS][7] = {
    {{"a", 0x03}, {"b", 0x0c}, {"c", 0x30}, {"d", 0xc0}, {"ab", 0x0f}, {"cd", 0xf0}, {"*", 0xff}},
    {{"x", 0x55}, {"y", 0xaa}, {"*", 0xff}},
};

typedef struct {
    uint8_t rows[N_ROWS]; /* ascending */
    double n_orders;
    uint8_t shown[N_ROWS];    /* what each fits, a bit by value; ascending */
    uint8_t in_place[N_ROWS]; /* the same in the order of `rows` */
} set;

typedef struct {
    kan_run *run;
    char path[N_COLUMNS][PATH];
    set sets[N_SETS];
} world;

/* ---- sets of rows --------------------------------------------------------------------------- */

static double orders_of(const uint8_t *rows) {
    double n = 1;
    for (int i = 0, alike = 0; i < N_ROWS; i++) {
        alike = i > 0 && rows[i] == rows[i - 1] ? alike + 1 : 1;
        n *= (double)(i + 1) / alike;
    }
    return n;
}

static void make_sets(world *w) {
    uint8_t rows[N_ROWS] = {0};
    for (size_t n = 0; n < N_SETS; n++) {
        memcpy(w->sets[n].rows, rows, sizeof rows);
        w->sets[n].n_orders = orders_of(rows);
        int last = N_ROWS - 1;
        while (last > 0 && rows[last] == N_VALUES - 1)
            last--;
        const uint8_t next = (uint8_t)(rows[last] + 1);
        for (int i = last; i < N_ROWS; i++)
            rows[i] = next;
    }
}

/* ---- releases ------------------------------------------------------------------------------- */

static bool write_tree(char *path, const char *lines) {
    strcpy(path, "/tmp/kanon-bench-XXXXXX");
    const int file = mkstemp(path);
    const size_t size = strlen(lines);
    const bool is_written = file >= 0 && write(file, lines, size) == (ssize_t)size;
    return file >= 0 && close(file) == 0 && is_written;
}

static unsigned fits_one(size_t column, const char *label, size_t size) {
    for (size_t i = 0; i < 7 && labels[column][i].label; i++)
        if (strlen(labels[column][i].label) == size &&
            memcmp(labels[column][i].label, label, size) == 0)
            return labels[column][i].rows;
    return 0;
}

/* A label, or a list of them: {a, c}. */
static unsigned fits(size_t column, const char *label, size_t size) {
    unsigned rows = 0;
    if (size < 2 || label[0] != '{')
        return fits_one(column, label, size);
    for (size_t at = 1; at + 1 < size;) {
        size_t end = at;
        while (label[end] != ',' && end + 1 < size)
            end++;
        rows |= fits_one(column, label + at, end - at);
        at = end + 2;
    }
    return rows;
}

static int compare_bytes(const void *a, const void *b) {
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* In the order of the rows. */
static bool read_release(const kan_table *release, uint8_t *shown) {
    if (!release || kan_table_n_rows(release) != N_ROWS)
        return false;
    for (uint64_t row = 0; row < N_ROWS; row++) {
        unsigned rows = 0xff;
        for (size_t c = 0; c < N_COLUMNS; c++) {
            size_t size;
            const char *label = kan_table_value(release, row, c, &size);
            rows &= fits(c, label, size);
        }
        shown[row] = (uint8_t)rows;
        if (rows == 0)
            return false;
    }
    return true;
}

static kan_status set_job(const world *w, kan_job *job, size_t m) {
    char text[PATH + 8];
    kan_status status = kan_job_set(job, "k", "2");
    for (size_t c = 0; c < N_COLUMNS && status == KAN_OK; c++) {
        snprintf(text, sizeof text, "c%zu=%s", c, w->path[c]);
        status = kan_job_set(job, "qi", text);
    }
    if (status == KAN_OK && methods[m].recoding)
        status = kan_job_set(job, "recoding", methods[m].recoding);
    if (status == KAN_OK && methods[m].algorithm)
        status = kan_job_set(job, "algorithm", methods[m].algorithm);
    if (status == KAN_OK && methods[m].cost)
        status = kan_job_set(job, "cost", methods[m].cost);
    return status;
}

static bool make_release(const world *w, const uint8_t *rows, bool is_turned, size_t m,
                         uint8_t *shown) {
    static const char *const names[] = {"c0", "c1"};
    kan_table *table = NULL;
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = kan_table_create(w->run, N_COLUMNS, names, &table);
    for (int i = 0; i < N_ROWS && status == KAN_OK; i++) {
        const uint8_t row = rows[is_turned ? N_ROWS - 1 - i : i];
        const char *const cells[] = {labels[0][row / 2].label, labels[1][row % 2].label};
        status = kan_table_add_row(table, cells);
    }
    if (status == KAN_OK)
        status = kan_job_create(w->run, &job);
    if (status == KAN_OK)
        status = kan_job_use_table(job, table);
    if (status == KAN_OK)
        status = set_job(w, job, m);
    if (status == KAN_OK)
        status = kan_job_run(job, "anonymize", &result);
    const bool is_read = status == KAN_OK && read_release(kan_result_table(result), shown);
    if (!is_read)
        fprintf(stderr, "%s: %s\n", methods[m].name,
                status == KAN_OK ? "a release that cannot be read" : kan_run_error(w->run));
    kan_result_destroy(result);
    if (job)
        kan_job_destroy(job);
    kan_table_destroy(table);
    return is_read;
}

static bool make_releases(world *w, size_t m) {
    for (size_t n = 0; n < N_SETS; n++) {
        uint8_t turned[N_ROWS];
        if (!make_release(w, w->sets[n].rows, false, m, w->sets[n].in_place) ||
            !make_release(w, w->sets[n].rows, true, m, turned))
            return false;
        memcpy(w->sets[n].shown, w->sets[n].in_place, N_ROWS);
        qsort(w->sets[n].shown, N_ROWS, 1, compare_bytes);
        qsort(turned, N_ROWS, 1, compare_bytes);
        if (memcmp(turned, w->sets[n].shown, N_ROWS) != 0) {
            fprintf(stderr, "%s: what is shown depends on the order of rows\n", methods[m].name);
            return false;
        }
    }
    return true;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Whether each row can be given to a label of its own. */
static bool can_be(const uint8_t *rows, const uint8_t *shown, unsigned taken, int row) {
    if (row == N_ROWS)
        return true;
    for (int i = 0; i < N_ROWS; i++)
        if (!(taken >> i & 1) && (shown[i] >> rows[row] & 1) &&
            can_be(rows, shown, taken | 1u << i, row + 1))
            return true;
    return false;
}

static void count(const world *w, size_t n, size_t *n_fit, size_t *n_made) {
    *n_fit = *n_made = 0;
    for (size_t other = 0; other < N_SETS; other++) {
        *n_fit += can_be(w->sets[other].rows, w->sets[n].shown, 0, 0);
        *n_made += memcmp(w->sets[other].shown, w->sets[n].shown, N_ROWS) == 0;
    }
}

/* ---- row by row ----------------------------------------------------------------------------- */

static int compare_set(const void *key, const void *element) {
    return memcmp(key, ((const set *)element)->rows, N_ROWS);
}

/* What the rows of a table show, a byte each; its number has a digit for each row. */
static uint64_t show_table(const world *w, unsigned number) {
    uint8_t rows[N_ROWS], sorted[N_ROWS];
    uint64_t shown = 0;
    for (int i = 0; i < N_ROWS; i++, number /= N_VALUES)
        sorted[i] = rows[i] = (uint8_t)(number % N_VALUES);
    qsort(sorted, N_ROWS, 1, compare_bytes);
    const set *of = bsearch(sorted, w->sets, N_SETS, sizeof *w->sets, compare_set);
    for (int i = 0; i < N_ROWS; i++) {
        int at = 0;
        while (of->rows[at] != rows[i])
            at++;
        for (int before = 0; before < i; before++)
            at += rows[before] == rows[i];
        shown |= (uint64_t)of->in_place[at] << (8 * i);
    }
    return shown;
}

static int compare_words(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double open_bits(uint64_t shown) {
    double bits = 0;
    for (int i = 0; i < N_ROWS; i++)
        bits += log2((double)__builtin_popcountll(shown >> (8 * i) & 0xff));
    return bits;
}

static bool count_in_place(const world *w, double *open, double *left) {
    uint64_t *shown = malloc(N_TABLES * sizeof *shown);
    if (!shown)
        return false;
    for (unsigned n = 0; n < N_TABLES; n++)
        shown[n] = show_table(w, n);
    qsort(shown, N_TABLES, sizeof *shown, compare_words);
    *open = *left = 0;
    for (size_t first = 0, end; first < N_TABLES; first = end) {
        for (end = first + 1; end < N_TABLES && shown[end] == shown[first];)
            end++;
        const double n = (double)(end - first);
        *open += n * open_bits(shown[first]);
        *left += n * log2(n);
    }
    *open /= N_TABLES;
    *left /= N_TABLES;
    free(shown);
    return true;
}

static void tell(const world *w, size_t m) {
    double n_tables = 0, open = 0, left = 0, n_determined = 0, open_in_place, left_in_place;
    for (size_t n = 0; n < N_SETS; n++) {
        const double weight = w->sets[n].n_orders;
        size_t n_fit, n_made;
        count(w, n, &n_fit, &n_made);
        n_tables += weight;
        open += weight * log2((double)n_fit);
        left += weight * log2((double)n_made);
        n_determined += n_made == 1 && n_fit > 1 ? weight : 0;
    }
    printf("%-16s  %5.2f bits  %5.2f bits  %5.1f %%  of %.0f tables", methods[m].name,
           open / n_tables, left / n_tables, 100 * n_determined / n_tables, n_tables);
    if (count_in_place(w, &open_in_place, &left_in_place))
        printf("  %5.2f bits  %5.2f bits", open_in_place, left_in_place);
    printf("\n");
    fflush(stdout);
}

int bench_downcoding(int argc, char **argv) {
    bench_option options[] = {{NULL, NULL, NULL}};
    int status;
    if (!bench_options_read(argc, argv,
                            "what labels leave open, what is left to who knows the method, and "
                            "tables that are determined",
                            options, &status))
        return status;
    world *w = calloc(1, sizeof *w);
    if (!w || !write_tree(w->path[0], "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n") ||
        !write_tree(w->path[1], "x;*\ny;*\n")) {
        fprintf(stderr, "cannot write hierarchies to /tmp\n");
        free(w);
        return 1;
    }
    w->run = kan_run_create();
    make_sets(w);
    printf("%-16s  %10s  %10s  %7s  %17s  %10s  %10s\n", "", "open", "left", "all", "",
           "row by row", "left");
    bool is_made = w->run != NULL;
    for (size_t m = 0; m < sizeof methods / sizeof *methods && is_made; m++) {
        is_made = make_releases(w, m);
        if (is_made)
            tell(w, m);
    }
    for (size_t c = 0; c < N_COLUMNS; c++)
        unlink(w->path[c]);
    kan_run_destroy(w->run);
    free(w);
    return is_made ? 0 : 1;
}
