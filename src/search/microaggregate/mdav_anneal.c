/* Simulated annealing of groups: a row goes to the group of one that is near it, or changes places
 * with a row of it; a group is dissolved, and its rows go to the nearest; a row makes a group of near
 * ones that their groups can spare. What raises the sum of squares is done as well, the less often the
 * more it raises it, and less and less often.
 *
 * A round takes STEPS tries for each row, the next one twice as many; each begins with the best groups
 * so far, and none once MOST_IDLE in a row gained nearly nothing. The first one takes nothing
 * but what lowers the sum, so that large tables gain from little time. Everything but the time depends on
 * the table alone. A try takes k times columns at most, most of them columns. */
#include <math.h>
#include <string.h>

#include "search/microaggregate/mdav_anneal.h"

enum {
    STEPS = 500,  /* of the first round, for each row */
    SLICES = 200, /* of a round: it gets colder, and the best is kept */
    MOST_IDLE = 2,
    CHANCES = 4096,     /* different luck */
    BETWEEN_LOOKS = 512 /* tries between looks at the clock */
};
/* The temperature at the beginning of a round, in mean squares of a row, and how it falls from slice to
 * slice: to a fiftieth. */
static const double HOT = 0.5, COOLER = 0.98053;
static const double LEAST_GAIN = 0.0001;

typedef struct {
    kan_mdav_crowd crowd;
    uint64_t random;
    double luck[CHANCES]; /* how much may be lost, in temperatures: exponentially distributed */
    double temperature;
    double squares; /* of the groups as they are, up to rounding */
    double best;
    uint32_t *best_group;
    uint32_t n_best;
    double end_ms;
    uint64_t n_left; /* tries */
} annealing;

/* ---- luck ------------------------------------------------------------------------------------ */

static void draw_luck(annealing *w) {
    for (int i = 0; i < CHANCES; i++)
        w->luck[i] = round(-log((i + 0.5) / CHANCES) * 65536) / 65536;
}

static uint32_t below(annealing *w, uint32_t bound) {
    return (uint32_t)kan_random_below(&w->random, bound);
}

/* Takes a change on, or does not. */
static bool accepts(annealing *w, double change) {
    if (change > 0 && change > w->temperature * w->luck[below(w, CHANCES)])
        return false;
    w->squares += change;
    return true;
}

/* ---- one row --------------------------------------------------------------------------------- */

static double gain_of_leaving(const kan_mdav_crowd *crowd, uint32_t row, uint32_t group) {
    const double size = (double)crowd->size[group];
    return kan_mdav_crowd_distance(crowd, row, group) * size / (size - 1);
}

static double price_of_coming(const kan_mdav_crowd *crowd, uint32_t row, uint32_t group) {
    const double size = (double)crowd->size[group];
    return kan_mdav_crowd_distance(crowd, row, group) * size / (size + 1);
}

static void try_move(annealing *w, uint32_t row, uint32_t to) {
    kan_mdav_crowd *crowd = &w->crowd;
    if (!accepts(w,
                 price_of_coming(crowd, row, to) - gain_of_leaving(crowd, row, crowd->group[row])))
        return;
    kan_mdav_crowd_take(crowd, row);
    kan_mdav_crowd_put(crowd, row, to);
}

/* A sum S of n rows becomes S + t; the squares of its group fall by (2 S + t) t / n, and those of single
 * rows are as before. */
static void try_swap(annealing *w, uint32_t row, uint32_t other) {
    kan_mdav_crowd *crowd = &w->crowd;
    const uint32_t a = crowd->group[row], b = crowd->group[other];
    const int64_t *x = crowd->at + (size_t)row * crowd->d,
                  *y = crowd->at + (size_t)other * crowd->d;
    const int64_t *of_a = crowd->sum + (size_t)a * crowd->d;
    const int64_t *of_b = crowd->sum + (size_t)b * crowd->d;
    double in_a = 0, in_b = 0;
    for (unsigned c = 0; c < crowd->d; c++) {
        const double t = (double)(y[c] - x[c]);
        in_a += (2 * (double)of_a[c] + t) * t;
        in_b += (t - 2 * (double)of_b[c]) * t;
    }
    if (!accepts(w, -(in_a / (double)crowd->size[a] + in_b / (double)crowd->size[b])))
        return;
    kan_mdav_crowd_take(crowd, row);
    kan_mdav_crowd_take(crowd, other);
    kan_mdav_crowd_put(crowd, row, b);
    kan_mdav_crowd_put(crowd, other, a);
}

/* ---- whole groups ---------------------------------------------------------------------------- */

/* The last group gets the number of one that is empty. */
static void close_gap(kan_mdav_crowd *crowd, uint32_t gap) {
    const uint32_t last = --crowd->n_groups;
    while (crowd->size[last] > 0 && last != gap) {
        const uint32_t row = crowd->member[(size_t)last * crowd->most + crowd->size[last] - 1];
        kan_mdav_crowd_take(crowd, row);
        kan_mdav_crowd_put(crowd, row, gap);
    }
}

/* The group near a row that it raises least, with room for it; UINT32_MAX: there is none. */
static kan_status find_home(kan_mdav_crowd *crowd, uint32_t row, uint32_t without, double *price,
                            uint32_t *out) {
    const kan_mdav_near *near;
    KAN_TRY(kan_mdav_crowd_near(crowd, crowd->tuple[row], &near));
    *out = UINT32_MAX;
    *price = HUGE_VAL;
    for (uint32_t i = 0; i < near->n; i++) {
        const uint32_t group = crowd->group[crowd->first[near->tuple[i]]];
        if (group == without || crowd->size[group] == 0 || crowd->size[group] >= crowd->most)
            continue;
        const double raises = price_of_coming(crowd, row, group);
        if (raises < *price) {
            *price = raises;
            *out = group;
        }
    }
    return KAN_OK;
}

static kan_status try_dissolve(annealing *w, uint32_t group) {
    kan_mdav_crowd *crowd = &w->crowd;
    const uint32_t n = crowd->size[group];
    uint32_t n_moved = 0;
    double change = 0;
    kan_status status = KAN_OK;
    if (crowd->n_groups < 2)
        return KAN_OK;
    memcpy(crowd->rows, crowd->member + (size_t)group * crowd->most, n * sizeof *crowd->rows);
    for (uint32_t i = 0; i < n; i++)
        change -= kan_mdav_crowd_distance(crowd, crowd->rows[i], group);
    for (uint32_t i = 0; i < n; i++)
        kan_mdav_crowd_take(crowd, crowd->rows[i]);
    while (n_moved < n && status == KAN_OK) {
        double price;
        uint32_t home;
        status = find_home(crowd, crowd->rows[n_moved], group, &price, &home);
        if (status != KAN_OK || home == UINT32_MAX)
            break;
        change += price;
        kan_mdav_crowd_put(crowd, crowd->rows[n_moved++], home);
    }
    if (status == KAN_OK && n_moved == n && accepts(w, change)) {
        close_gap(crowd, group);
        return KAN_OK;
    }
    while (n_moved > 0)
        kan_mdav_crowd_take(crowd, crowd->rows[--n_moved]);
    for (uint32_t i = 0; i < n; i++)
        kan_mdav_crowd_put(crowd, crowd->rows[i], group);
    return status;
}

/* Takes a row out for a new group, where its own can spare it. */
static void spare(kan_mdav_crowd *crowd, uint32_t row, uint32_t *n, double *change) {
    const uint32_t group = crowd->group[row];
    if (group == crowd->n_groups || crowd->size[group] <= crowd->k)
        return;
    *change -= gain_of_leaving(crowd, row, group);
    crowd->from[*n] = group;
    crowd->rows[(*n)++] = row;
    kan_mdav_crowd_take(crowd, row);
    crowd->group[row] = crowd->n_groups; /* in none so far */
}

/* k rows that are near each other, as one group more. */
static kan_status try_found(annealing *w, uint32_t row) {
    kan_mdav_crowd *crowd = &w->crowd;
    const uint32_t group = crowd->n_groups;
    const kan_mdav_near *near;
    uint32_t n = 0, n_put = 0;
    double change = 0;
    if (crowd->size[crowd->group[row]] <= crowd->k || group == crowd->n_room)
        return KAN_OK;
    KAN_TRY(kan_mdav_crowd_near(crowd, crowd->tuple[row], &near));
    spare(crowd, row, &n, &change);
    for (uint32_t i = 0; i < near->n && n < crowd->k; i++)
        for (uint32_t r = crowd->first[near->tuple[i]];
             r < crowd->first[near->tuple[i] + 1] && n < crowd->k; r++)
            spare(crowd, r, &n, &change);
    if (n == crowd->k) {
        while (n_put < n)
            kan_mdav_crowd_put(crowd, crowd->rows[n_put++], group);
        for (uint32_t i = 0; i < n; i++)
            change += kan_mdav_crowd_distance(crowd, crowd->rows[i], group);
        if (accepts(w, change)) {
            crowd->n_groups++;
            return KAN_OK;
        }
        while (n_put > 0)
            kan_mdav_crowd_take(crowd, crowd->rows[--n_put]);
    }
    while (n-- > 0)
        kan_mdav_crowd_put(crowd, crowd->rows[n], crowd->from[n]);
    return KAN_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static kan_status try_one(annealing *w) {
    kan_mdav_crowd *crowd = &w->crowd;
    const kan_mdav_near *near;
    const uint32_t row = below(w, crowd->n_rows), group = crowd->group[row], what = below(w, 100);
    if (what < 2)
        return try_dissolve(w, group);
    if (what < 4)
        return try_found(w, row);
    KAN_TRY(kan_mdav_crowd_near(crowd, crowd->tuple[row], &near));
    if (near->n == 0)
        return KAN_OK;
    const uint32_t tuple = near->tuple[below(w, near->n)];
    const uint32_t other =
        crowd->group[crowd->first[tuple] + below(w, crowd->first[tuple + 1] - crowd->first[tuple])];
    if (other == group)
        return KAN_OK;
    if (what < 60 && crowd->size[group] > crowd->k && crowd->size[other] < crowd->most)
        try_move(w, row, other);
    else
        try_swap(w, row, crowd->member[(size_t)other * crowd->most + below(w, crowd->size[other])]);
    return KAN_OK;
}

static void keep_best(annealing *w) {
    w->squares = kan_mdav_crowd_squares(&w->crowd);
    if (w->squares >= w->best)
        return;
    w->best = w->squares;
    w->n_best = w->crowd.n_groups;
    memcpy(w->best_group, w->crowd.group, w->crowd.n_rows * sizeof *w->best_group);
}

static kan_status look_at_clock(annealing *w, bool *is_over) {
    KAN_TRY(kan_check_cancel(w->crowd.run));
    *is_over = w->n_left == 0 || kan_should_stop(w->crowd.run) || kan_now_ms() > w->end_ms;
    return KAN_OK;
}

static kan_status try_many(annealing *w, uint64_t n, bool *is_over) {
    for (uint64_t i = 0; i < n && !*is_over; i++) {
        KAN_TRY(try_one(w));
        w->n_left--;
        if (i % BETWEEN_LOOKS == 0 || w->n_left == 0)
            KAN_TRY(look_at_clock(w, is_over));
    }
    return KAN_OK;
}

static kan_status run_round(annealing *w, uint64_t n_steps, bool is_cold, bool *is_over) {
    kan_mdav_crowd_place(&w->crowd, w->best_group, w->n_best);
    w->squares = w->best;
    w->temperature = is_cold ? 0 : w->best / (double)w->crowd.n_rows * HOT;
    for (int slice = 0; slice < SLICES && !*is_over; slice++) {
        KAN_TRY(try_many(w, n_steps / SLICES + 1, is_over));
        keep_best(w);
        w->temperature *= COOLER;
    }
    return KAN_OK;
}

static kan_status run_rounds(annealing *w) {
    uint64_t n_steps = (uint64_t)STEPS * w->crowd.n_rows;
    bool is_over = false;
    KAN_TRY(run_round(w, n_steps, true, &is_over));
    for (int n_idle = 0; n_idle < MOST_IDLE && !is_over && w->best > 0; n_steps *= 2) {
        const double before = w->best;
        KAN_TRY(run_round(w, n_steps, false, &is_over));
        n_idle = w->best < before * (1 - LEAST_GAIN) ? 0 : n_idle + 1;
    }
    return KAN_OK;
}

static kan_status improve(annealing *w) {
    kan_mdav_crowd *crowd = &w->crowd;
    KAN_TRY(kan_alloc(crowd->run, crowd->n_rows, sizeof *w->best_group, &w->best_group));
    draw_luck(w);
    w->best = HUGE_VAL;
    keep_best(w);
    KAN_TRY(run_rounds(w));
    kan_mdav_crowd_place(crowd, w->best_group, w->n_best);
    return KAN_OK;
}

kan_status kan_mdav_improve(const kan_mdav_scale *scale, double end_ms, uint64_t most_steps,
                            kan_mdav_groups *groups) {
    annealing *w;
    kan_run *run = scale->space->run;
    kan_mdav_groups improved = {.run = run};
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *w, &w));
    w->end_ms = end_ms;
    w->n_left = most_steps;
    kan_report_progress(run, "improve", 0, 0);
    status = kan_mdav_crowd_make(scale, groups, &w->crowd);
    if (status == KAN_OK)
        status = improve(w);
    if (status == KAN_OK)
        status = kan_mdav_crowd_groups(&w->crowd, &improved);
    if (status == KAN_OK) {
        const kan_mdav_groups before = *groups;
        *groups = improved;
        improved = before;
    }
    kan_mdav_groups_destroy(&improved);
    kan_free(run, w->best_group);
    kan_mdav_crowd_destroy(&w->crowd);
    kan_free(run, w);
    return status;
}
