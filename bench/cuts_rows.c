/* The rows of `cuts`: see cuts.h.
 *
 * The file has a line for each cell, `cell,` and its values, each followed by a line `moment,` for
 * each of its moments. Lines that begin with # are for people. A cell is written at once when it is
 * done, so that a run that is ended loses no more than the cell in hand. */
#include "cuts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cuts_data[CUTS_DATA] = {"fine", "coarse"};
const char *const cuts_ks[CUTS_KS] = {"1000", "500", "250", "100", "50", "25", "10", "5"};
const char *const cuts_limits[CUTS_LIMITS] = {"0", "100", "all"};
const char *const cuts_costs[CUTS_COSTS] = {"discernibility", "classification"};
const cuts_search cuts_searches[CUTS_SEARCHES] = {
    {"k-optimize", "k-optimize", NULL, NULL},
    {"k-optimize-unseeded", "k-optimize", "unseeded", "true"},
    {"k-optimize-paper", "k-optimize-paper", NULL, NULL},
    {"hill-climb", "hill-climb", NULL, NULL},
    {"hill-climb-perturb", "hill-climb", "restart-kind", "perturb"},
    {"anneal", "anneal", NULL, NULL},
    {"genetic", "genetic", NULL, NULL},
    {"greedy", "greedy", NULL, NULL},
};

static const char *const state_names[] = {"unknown", "proven", "ended", "stopped", "nothing"};
enum { N_STATES = sizeof state_names / sizeof *state_names };

static const char head[] =
    "# kanon-bench cuts: cell,data,k,limit,cost,search,state,threads,budget_s,seconds,cpu_s,"
    "states,best,bound,suppressed,early_bytes,peak_bytes\n"
    "# and its moments: moment,seconds,states,best,bound\n";

/* ---- rows ----------------------------------------------------------------------------------- */

cuts_rows *cuts_rows_create(void) {
    cuts_rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        fputs("kanon-bench: out of memory\n", stderr);
    return rows;
}

void cuts_rows_destroy(cuts_rows *rows) {
    cuts_row *all = rows ? &rows->at[0][0][0][0][0] : NULL;
    for (size_t i = 0; rows && i < sizeof *rows / sizeof *all; i++)
        free(all[i].moments);
    free(rows);
}

cuts_row *cuts_rows_find(cuts_rows *rows, cuts_cell cell) {
    return &rows->at[cell.data][cell.k][cell.limit][cell.cost][cell.search];
}

void cuts_rows_take(cuts_rows *rows, cuts_cell cell, cuts_row *row) {
    cuts_row *place = cuts_rows_find(rows, cell);
    free(place->moments);
    *place = *row;
    *row = (cuts_row){.state = CUTS_UNKNOWN};
}

bool cuts_row_is_found(const cuts_row *row) {
    return row->state == CUTS_PROVEN || row->state == CUTS_ENDED || row->state == CUTS_STOPPED;
}

double cuts_row_gap(const cuts_row *row) {
    if (row->state == CUTS_PROVEN || row->bound >= row->cost)
        return 0;
    return 100 * (double)(row->cost - row->bound) / (double)row->cost;
}

bool cuts_row_is_cut_short(const cuts_row *row) {
    return row->state != CUTS_PROVEN && row->state != CUTS_ENDED;
}

const cuts_moment *cuts_row_moment(const cuts_row *row, double seconds) {
    const cuts_moment *found = NULL;
    if (cuts_row_is_cut_short(row) && seconds > row->seconds)
        return NULL;
    for (size_t i = 0; i < row->n_moments && row->moments[i].seconds <= seconds; i++)
        found = &row->moments[i];
    return found;
}

const cuts_moment *cuts_row_next(const cuts_row *row, double seconds) {
    for (size_t i = 0; i < row->n_moments; i++)
        if (row->moments[i].seconds > seconds)
            return &row->moments[i];
    return NULL;
}

/* ---- the file ------------------------------------------------------------------------------- */

int cuts_row_save(const char *path, cuts_cell cell, const cuts_row *row) {
    FILE *to = fopen(path, "a");
    if (!to) {
        fprintf(stderr, "kanon-bench: %s: %s\n", path, strerror(errno));
        return 1;
    }
    if (fseek(to, 0, SEEK_END) == 0 && ftell(to) == 0)
        fputs(head, to);
    fprintf(to,
            "cell,%s,%s,%s,%s,%s,%s,%u,%.17g,%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 "\n",
            cuts_data[cell.data], cuts_ks[cell.k], cuts_limits[cell.limit], cuts_costs[cell.cost],
            cuts_searches[cell.search].name, state_names[row->state], row->threads, row->budget_s,
            row->seconds, row->cpu_s, row->n_states, row->cost, row->bound, row->n_suppressed,
            row->early_bytes, row->peak_bytes);
    for (size_t i = 0; i < row->n_moments; i++)
        fprintf(to, "moment,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", row->moments[i].seconds,
                row->moments[i].n_states, row->moments[i].cost, row->moments[i].bound);
    const bool is_written = !ferror(to);
    if (fclose(to) == 0 && is_written)
        return 0;
    fprintf(stderr, "kanon-bench: %s: could not be written\n", path);
    return 1;
}

enum { CELL_FIELDS = 17, MOMENT_FIELDS = 5, MOST_FIELDS = 20 };

/* Cuts a line at its commas, in place. How many fields it has, or MOST_FIELDS when too many. */
static size_t split(char *line, char **fields) {
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < MOST_FIELDS; n++) {
        fields[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return n;
}

static bool take_count(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && end > text && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

static bool take_real(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end > text && *end == '\0' && *out >= 0 && *out < 1e12;
}

static bool take_name(const char *text, const char *const *names, unsigned n, unsigned *out) {
    for (*out = 0; *out < n; ++*out)
        if (strcmp(names[*out], text) == 0)
            return true;
    return false;
}

static bool take_search(const char *text, unsigned *out) {
    for (*out = 0; *out < CUTS_SEARCHES; ++*out)
        if (strcmp(cuts_searches[*out].name, text) == 0)
            return true;
    return false;
}

static bool take_cell(char *const *f, cuts_cell *cell, cuts_row *row) {
    unsigned state;
    uint64_t threads;
    *row = (cuts_row){.state = CUTS_UNKNOWN};
    const bool is_good =
        take_name(f[1], cuts_data, CUTS_DATA, &cell->data) &&
        take_name(f[2], cuts_ks, CUTS_KS, &cell->k) &&
        take_name(f[3], cuts_limits, CUTS_LIMITS, &cell->limit) &&
        take_name(f[4], cuts_costs, CUTS_COSTS, &cell->cost) && take_search(f[5], &cell->search) &&
        take_name(f[6], state_names, N_STATES, &state) && take_count(f[7], &threads) &&
        take_real(f[8], &row->budget_s) && take_real(f[9], &row->seconds) &&
        take_real(f[10], &row->cpu_s) && take_count(f[11], &row->n_states) &&
        take_count(f[12], &row->cost) && take_count(f[13], &row->bound) &&
        take_count(f[14], &row->n_suppressed) && take_count(f[15], &row->early_bytes) &&
        take_count(f[16], &row->peak_bytes);
    if (!is_good)
        return false;
    row->state = (cuts_state)state;
    row->threads = (unsigned)threads;
    return true;
}

static bool take_moment(char *const *f, cuts_row *row) {
    cuts_moment moment;
    if (!take_real(f[1], &moment.seconds) || !take_count(f[2], &moment.n_states) ||
        !take_count(f[3], &moment.cost) || !take_count(f[4], &moment.bound) ||
        (row->n_moments > 0 && moment.seconds < row->moments[row->n_moments - 1].seconds))
        return false;
    cuts_moment *more = realloc(row->moments, (row->n_moments + 1) * sizeof *more);
    if (!more)
        return false;
    row->moments = more;
    row->moments[row->n_moments++] = moment;
    return true;
}

static bool take_line(char *line, cuts_rows *rows, cuts_row **latest) {
    char *fields[MOST_FIELDS];
    cuts_cell cell;
    cuts_row row;
    if (line[0] == '#')
        return true;
    const size_t n = split(line, fields);
    if (strcmp(fields[0], "moment") == 0)
        return n == MOMENT_FIELDS && *latest && take_moment(fields, *latest);
    if (strcmp(fields[0], "cell") != 0 || n != CELL_FIELDS || !take_cell(fields, &cell, &row))
        return false;
    cuts_rows_take(rows, cell, &row);
    *latest = cuts_rows_find(rows, cell);
    return true;
}

int cuts_rows_read(const char *path, bool may_be_missing, cuts_rows *rows) {
    char line[512];
    FILE *from = fopen(path, "r");
    cuts_row *latest = NULL;
    int failed = 0;
    if (!from) {
        if (may_be_missing && errno == ENOENT)
            return 0;
        fprintf(stderr, "kanon-bench: %s: %s\n", path, strerror(errno));
        return 1;
    }
    for (unsigned number = 1; !failed && fgets(line, sizeof line, from); number++)
        if (!strchr(line, '\n') || !take_line(line, rows, &latest)) {
            fprintf(stderr, "kanon-bench: %s:%u: no line that `cuts --save` writes; remove it\n",
                    path, number);
            failed = 1;
        }
    if (ferror(from)) {
        fprintf(stderr, "kanon-bench: %s: could not be read\n", path);
        failed = 1;
    }
    fclose(from);
    return failed;
}

/* ---- what must hold ------------------------------------------------------------------------- */

/* Whether every answer to the question `inner` answers `outer`, and costs no more there: ages of
 * five years are among all intervals of ages, a group of at least k rows has at least a smaller k,
 * and what is within a limit is within a larger one. With a smaller k groups that were suppressed
 * are released, which is never dearer. */
static bool allows(const cuts_cell *outer, const cuts_cell *inner) {
    return outer->cost == inner->cost && outer->data <= inner->data && outer->k >= inner->k &&
           outer->limit >= inner->limit;
}

static void print_cell(const char *before, const cuts_cell *cell) {
    printf("%s%s, %s, k = %s, limit %s, %s", before, cuts_searches[cell->search].name,
           cuts_data[cell->data], cuts_ks[cell->k], cuts_limits[cell->limit],
           cuts_costs[cell->cost]);
}

/* The i-th of all cells. */
static cuts_cell cell_at(size_t i) {
    cuts_cell cell;
    cell.search = (unsigned)(i % CUTS_SEARCHES);
    i /= CUTS_SEARCHES;
    cell.cost = (unsigned)(i % CUTS_COSTS);
    i /= CUTS_COSTS;
    cell.limit = (unsigned)(i % CUTS_LIMITS);
    i /= CUTS_LIMITS;
    cell.k = (unsigned)(i % CUTS_KS);
    cell.data = (unsigned)(i / CUTS_KS);
    return cell;
}

int cuts_check(cuts_rows *rows) {
    const size_t n = sizeof *rows / sizeof(cuts_row);
    int failed = 0;
    for (size_t i = 0; i < n; i++) {
        const cuts_cell outer = cell_at(i);
        const cuts_row *bounded = cuts_rows_find(rows, outer);
        for (size_t j = 0; cuts_row_is_found(bounded) && j < n; j++) {
            const cuts_cell inner = cell_at(j);
            const cuts_row *found = cuts_rows_find(rows, inner);
            if (!cuts_row_is_found(found) || !allows(&outer, &inner) ||
                bounded->bound <= found->cost)
                continue;
            print_cell("DIFFERS: ", &outer);
            printf(": less than %" PRIu64 " is impossible, but", bounded->bound);
            print_cell(" ", &inner);
            printf(", found %" PRIu64 "\n", found->cost);
            failed = 1;
        }
    }
    return failed;
}

bool cuts_is_implied(cuts_rows *rows, cuts_cell cell) {
    const size_t n = sizeof *rows / sizeof(cuts_row);
    const cuts_row *found = cuts_rows_find(rows, cell);
    for (size_t i = 0; cuts_row_is_found(found) && i < n; i++) {
        const cuts_cell outer = cell_at(i);
        const cuts_row *proven = cuts_rows_find(rows, outer);
        if (allows(&outer, &cell) && proven->state == CUTS_PROVEN && proven->cost == found->cost)
            return true;
    }
    return false;
}

void cuts_print_implied(cuts_rows *rows) {
    const size_t n = sizeof *rows / sizeof(cuts_row);
    for (size_t i = 0; i < n; i++) {
        const cuts_cell cell = cell_at(i);
        const cuts_row *row = cuts_rows_find(rows, cell);
        if (cell.search != CUTS_K_OPTIMIZE || row->state == CUTS_PROVEN ||
            !cuts_is_implied(rows, cell))
            continue;
        print_cell("\nproven as well, by a question that allows more: ", &cell);
        printf(": %" PRIu64 "\n", row->cost);
    }
}
