/* Searches over cuts on the 30,162-row Adult: what was measured, kept in a file and read again, as
 * tables, and as pictures after Figures 6 and 7 of the K-Optimize paper.
 *
 * A cell is one question (data, k, suppression limit, cost) put to one search; its row is what came
 * of it. A question is made of places in the lists below, so that the rows of all cells are one
 * array. */
#ifndef KANON_BENCH_CUTS_H
#define KANON_BENCH_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUTS_DATA = 2, CUTS_KS = 8, CUTS_LIMITS = 3, CUTS_COSTS = 2, CUTS_SEARCHES = 8 };
enum { CUTS_FINE, CUTS_COARSE };
enum { CUTS_K1000, CUTS_K500, CUTS_K250, CUTS_K100, CUTS_K50, CUTS_K25, CUTS_K10, CUTS_K5 };
enum { CUTS_LIMIT_0, CUTS_LIMIT_100, CUTS_LIMIT_ALL };
enum { CUTS_DISCERNIBILITY, CUTS_CLASSIFICATION };
enum { CUTS_K_OPTIMIZE, CUTS_UNSEEDED }; /* then its rivals */

extern const char *const cuts_data[CUTS_DATA];     /* every age, or ages of five years */
extern const char *const cuts_ks[CUTS_KS];         /* from the largest on */
extern const char *const cuts_limits[CUTS_LIMITS]; /* each allows what the one before it does */
extern const char *const cuts_costs[CUTS_COSTS];

typedef struct cuts_search {
    const char *name;
    const char *algorithm;      /* as the registry knows it */
    const char *option, *value; /* of that algorithm; NULL: none */
} cuts_search;
extern const cuts_search cuts_searches[CUTS_SEARCHES];

typedef struct cuts_cell {
    unsigned data, k, limit, cost, search; /* places in the lists above */
} cuts_cell;

typedef enum cuts_state {
    CUTS_UNKNOWN, /* not measured */
    CUTS_PROVEN,  /* the optimum */
    CUTS_ENDED,   /* the search came to its end by itself, and proved nothing */
    CUTS_STOPPED, /* the time was up */
    CUTS_NOTHING, /* nothing was found by then */
} cuts_state;

typedef struct cuts_moment {
    double seconds;
    uint64_t n_states, cost, bound;
} cuts_moment;

typedef struct cuts_row {
    cuts_state state;
    bool is_fresh;     /* measured just now, or good for it */
    unsigned threads;  /* all members from here on are saved */
    double budget_s;   /* that it was given; wall time, as the next */
    double seconds;    /* of the search alone */
    double cpu_s;      /* of all threads in that time; 0: not known */
    uint64_t n_states; /* sets of cuts looked at */
    uint64_t cost, bound, n_suppressed;
    uint64_t early_bytes,
        peak_bytes; /* the library's most memory: by a tenth of the budget, in all */
    size_t n_moments;
    cuts_moment *moments; /* how the answer got better, with time */
} cuts_row;

typedef struct cuts_rows {
    cuts_row at[CUTS_DATA][CUTS_KS][CUTS_LIMITS][CUTS_COSTS][CUTS_SEARCHES];
} cuts_rows;

/* NULL when memory is out, which is printed. */
cuts_rows *cuts_rows_create(void);
void cuts_rows_destroy(cuts_rows *rows);
cuts_row *cuts_rows_find(cuts_rows *rows, cuts_cell cell);
/* Takes the moments of a row over in place of what was there. */
void cuts_rows_take(cuts_rows *rows, cuts_cell cell, cuts_row *row);

/* Appends one cell to a file, at once. 0 on success; failures are printed. */
int cuts_row_save(const char *path, cuts_cell cell, const cuts_row *row);
/* Adds what such a file holds; of a cell that stands there twice, the last. 0 on success, and where
 * there is no such file when that is allowed; failures are printed. */
int cuts_rows_read(const char *path, bool may_be_missing, cuts_rows *rows);

bool cuts_row_is_found(const cuts_row *row);
/* (cost - bound) / cost, in percent: 0 where it is proven. */
double cuts_row_gap(const cuts_row *row);
/* Whether nothing is known of the row after its end: its time was up. */
bool cuts_row_is_cut_short(const cuts_row *row);
/* The moment that holds at a time; NULL before the first, and where nothing is known any more. */
const cuts_moment *cuts_row_moment(const cuts_row *row, double seconds);
/* The first moment after a time; NULL when there is none. */
const cuts_moment *cuts_row_next(const cuts_row *row, double seconds);

/* When the table and the picture of the race begin. */
#define CUTS_FIRST_SECONDS 0.1

/* Whether what is known of the cells can be true together: no bound is above what was found for
 * the same question, or for one that allows less. 1, and the cells are printed, when it cannot. */
int cuts_check(cuts_rows *rows);

/* Whether the answer of a cell is proven, by itself or by a question that allows more and costs as
 * much; and those cells that were stopped, and are proven nevertheless. */
bool cuts_is_implied(cuts_rows *rows, cuts_cell cell);
void cuts_print_implied(cuts_rows *rows);

/* Tables in Markdown, of the cells that are there. */
void cuts_print_grid(cuts_rows *rows);
void cuts_print_seeding(cuts_rows *rows);
void cuts_print_race(cuts_rows *rows);

/* Pictures k-optimize-*.svg in a directory, of the cells that are there. 0 on success. */
int cuts_draw_grid(cuts_rows *rows, const char *dir);
int cuts_draw_seeding(cuts_rows *rows, const char *dir);
int cuts_draw_race(cuts_rows *rows, const char *dir);

#endif
