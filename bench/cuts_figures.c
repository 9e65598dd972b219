/* The pictures of `cuts`: k-optimize-6a-COST.svg, time by k; k-optimize-6b-COST.svg, cost by k;
 * k-optimize-7a.svg, seeded against unseeded; k-optimize-7b.svg, cost by time with the lower bound,
 * and k-optimize-7b-near.svg, the same near the best. A cell that was not proven has a ring. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "cuts.h"

static const char *const data_words[CUTS_DATA] = {"every age", "ages by 5"};

/* DIR/k-optimize-NAME.svg; 0 on success, and when there is nothing to draw. */
static int save(const char *dir, const char *name, const line_chart *chart) {
    char path[1024];
    snprintf(path, sizeof path, "%s/k-optimize-%s.svg", dir, name);
    if (chart->n_series == 0)
        return 0;
    if (!chart_save(chart, path))
        return 1;
    printf("wrote %s\n", path);
    return 0;
}

/* ---- by k ----------------------------------------------------------------------------------- */

enum { MOST_LINES = CUTS_DATA * CUTS_LIMITS };

/* The lines of one chart by k, with what they point to. */
typedef struct k_lines {
    size_t n;
    bool has_ring;
    double ks[CUTS_KS], x[MOST_LINES][CUTS_KS], y[MOST_LINES][CUTS_KS];
    uint8_t marks[MOST_LINES][CUTS_KS];
    char names[MOST_LINES][48];
    chart_series series[MOST_LINES];
    char caption[320];
} k_lines;

static void k_lines_init(k_lines *lines) {
    memset(lines, 0, sizeof *lines);
    for (unsigned k = 0; k < CUTS_KS; k++)
        lines->ks[k] = strtod(cuts_ks[k], NULL);
}

/* What a line by k shows. */
typedef struct k_line {
    const char *name;
    unsigned look;
    double unit;     /* of the cost; 0: the time is shown */
    unsigned fellow; /* a search: only where it has an answer, too */
} k_line;

/* One more line, of the cells that are there. */
static void k_lines_add(k_lines *lines, cuts_rows *rows, cuts_cell cell, const k_line *line) {
    const size_t l = lines->n;
    size_t n = 0;
    for (cell.k = 0; cell.k < CUTS_KS; cell.k++) {
        cuts_cell fellow = cell;
        fellow.search = line->fellow;
        const cuts_row *row = cuts_rows_find(rows, cell);
        if (!cuts_row_is_found(row) || !cuts_row_is_found(cuts_rows_find(rows, fellow)))
            continue;
        lines->x[l][n] = lines->ks[cell.k];
        lines->y[l][n] = line->unit > 0 ? (double)row->cost / line->unit : row->seconds;
        /* A cost may be known to be the least where no time to a proof is. */
        const bool is_proven =
            line->unit > 0 ? cuts_is_implied(rows, cell) : row->state == CUTS_PROVEN;
        lines->marks[l][n++] = is_proven ? CHART_MARK : CHART_RING;
        lines->has_ring |= !is_proven;
    }
    if (n == 0)
        return;
    snprintf(lines->names[l], sizeof lines->names[l], "%s", line->name);
    lines->series[lines->n++] = (chart_series){.name = lines->names[l],
                                               .look = line->look,
                                               .n = n,
                                               .x = lines->x[l],
                                               .y = lines->y[l],
                                               .marks = lines->marks[l]};
}

static void k_lines_add_all(k_lines *lines, cuts_rows *rows, unsigned cost, double unit) {
    char name[48];
    k_lines_init(lines);
    for (unsigned data = 0; data < CUTS_DATA; data++)
        for (unsigned limit = 0; limit < CUTS_LIMITS; limit++) {
            const cuts_cell cell = {data, 0, limit, cost, CUTS_K_OPTIMIZE};
            snprintf(name, sizeof name, "%s, %s %s", data_words[data],
                     limit == CUTS_LIMIT_ALL ? "no" : "limit",
                     limit == CUTS_LIMIT_ALL ? "limit" : cuts_limits[limit]);
            /* The full marks of a line and the hollow ones of its fellow with the other ages. */
            const k_line line = {name, limit + (data ? 6 : 0), unit, CUTS_K_OPTIMIZE};
            k_lines_add(lines, rows, cell, &line);
        }
}

/* What a ring means is said where there is one. */
static line_chart k_chart(k_lines *lines, const char *title, const char *caption,
                          const char *ringed) {
    snprintf(lines->caption, sizeof lines->caption, "%s%s", caption, lines->has_ring ? ringed : "");
    return (line_chart){
        .title = title,
        .caption = lines->caption,
        .ring = lines->has_ring ? "not proven" : NULL,
        .x = {.label = "k (logarithmic)", .is_log = true, .n_ticks = CUTS_KS, .ticks = lines->ks},
        .n_series = lines->n,
        .series = lines->series};
}

static int draw_times(cuts_rows *rows, unsigned cost, const char *dir) {
    char title[128], name[64];
    k_lines lines;
    k_lines_add_all(&lines, rows, cost, 0);
    snprintf(title, sizeof title, "Figure 6a: k-optimize on Adult, %s: time by k",
             cuts_costs[cost]);
    snprintf(name, sizeof name, "6a-%s", cuts_costs[cost]);
    line_chart chart =
        k_chart(&lines, title,
                "30,162 rows, eight quasi-identifiers; wall time of the search to the proof of the "
                "optimum. The limit is of suppressed rows.",
                " Ringed: it was stopped then, without proof.");
    chart.description = "Time to the proven optimum for growing k, by data and suppression limit; "
                        "the numbers stand in the tables that kanon-bench cuts prints.";
    chart.y = (chart_axis){.label = "seconds", .is_log = true};
    return save(dir, name, &chart);
}

static int draw_costs(cuts_rows *rows, unsigned cost, const char *dir) {
    char title[128], name[64];
    k_lines lines;
    const bool is_large = cost == CUTS_DISCERNIBILITY;
    k_lines_add_all(&lines, rows, cost, is_large ? 1e6 : 1);
    snprintf(title, sizeof title, "Figure 6b: k-optimize on Adult, %s: least cost by k",
             cuts_costs[cost]);
    snprintf(name, sizeof name, "6b-%s", cuts_costs[cost]);
    line_chart chart =
        k_chart(&lines, title,
                is_large ? "30,162 rows, eight quasi-identifiers. The limit is of suppressed rows."
                         : "30,162 rows, eight quasi-identifiers. The limit is of suppressed rows. "
                           "The vertical axis does not begin at 0.",
                " Ringed: the best that was found, not proven to be the least.");
    chart.description = "Cost of the best set of cuts for growing k, by data and suppression "
                        "limit; the numbers stand in the tables that kanon-bench cuts prints.";
    chart.y = (chart_axis){.label = is_large ? "discernibility, millions" : "classification, rows",
                           .is_log = is_large,
                           .is_tight = true};
    return save(dir, name, &chart);
}

int cuts_draw_grid(cuts_rows *rows, const char *dir) {
    int failed = 0;
    for (unsigned cost = 0; cost < CUTS_COSTS; cost++)
        failed |= draw_times(rows, cost, dir) | draw_costs(rows, cost, dir);
    return failed;
}

/* ---- seeding -------------------------------------------------------------------------------- */

int cuts_draw_seeding(cuts_rows *rows, const char *dir) {
    static const char *const words[CUTS_COSTS] = {"discern.", "classif."};
    char name[48];
    k_lines lines;
    k_lines_init(&lines);
    for (unsigned cost = 0; cost < CUTS_COSTS; cost++)
        for (unsigned search = CUTS_K_OPTIMIZE; search <= CUTS_UNSEEDED; search++) {
            const bool is_seeded = search == CUTS_K_OPTIMIZE;
            const cuts_cell cell = {CUTS_COARSE, 0, CUTS_LIMIT_ALL, cost, search};
            const k_line line = {name, cost + (is_seeded ? 0 : 6), 0,
                                 is_seeded ? CUTS_UNSEEDED : CUTS_K_OPTIMIZE};
            snprintf(name, sizeof name, "%s, %s", words[cost], is_seeded ? "seeded" : "unseeded");
            k_lines_add(&lines, rows, cell, &line);
        }
    line_chart chart = k_chart(
        &lines, "Figure 7a: k-optimize with and without its seeding",
        "Adult, ages by 5, no suppression limit; wall time of the search to the proof of the "
        "optimum by discernibility or classification.",
        " Ringed: stopped then, without proof.");
    chart.description = "Time to the proven optimum for growing k, with the short hill climb and "
                        "the look at no suppression before, and without.";
    chart.y = (chart_axis){.label = "seconds", .is_log = true};
    return save(dir, "7a", &chart);
}

/* ---- the race ------------------------------------------------------------------------------- */

/* A line of steps, with marks at some times to tell it from the others. */
typedef struct step_line {
    size_t n;
    double *x, *y;
    uint8_t *marks;
} step_line;

enum { MOST_RACERS = CUTS_SEARCHES + 1, MARKS_PER_LINE = 40 };

static bool step_line_create(const cuts_row *row, step_line *out) {
    const size_t room = 2 * row->n_moments + 2 * MARKS_PER_LINE + 4;
    *out = (step_line){.x = malloc(room * sizeof(double)),
                       .y = malloc(room * sizeof(double)),
                       .marks = malloc(room)};
    return out->x && out->y && out->marks;
}

static void step_line_destroy(step_line *line) {
    free(line->x);
    free(line->y);
    free(line->marks);
}

/* Out of the picture until it is below `most`, where it enters from the edge. */
static void step_line_add(step_line *line, double x, double y, bool has_mark, double most) {
    const bool enters = line->n > 0 && !(line->y[line->n - 1] <= most);
    if (enters && y <= most)
        line->y[line->n - 1] = most;
    line->x[line->n] = x;
    line->y[line->n] = y <= most ? y : NAN;
    line->marks[line->n++] = has_mark && y <= most ? CHART_MARK : CHART_BARE;
}

/* What is drawn: the best so far, or what nothing is below, in units. */
static double height(const cuts_row *row, double seconds, bool is_bound, double unit) {
    const cuts_moment *moment = cuts_row_moment(row, seconds);
    return moment ? (double)(is_bound ? moment->bound : moment->cost) / unit : NAN;
}

typedef struct race_view {
    double end;        /* of the axis of time */
    double unit, most; /* of the costs */
} race_view;

/* From CUTS_FIRST_SECONDS on. The marks of the lines stand at different times, so that one is not
 * hidden by another where lines meet. */
static void step_line_fill(step_line *line, const cuts_row *row, bool is_bound, unsigned place,
                           const race_view *view) {
    const double apart = pow(10, 0.5), start = pow(10, 0.5 * (place + 0.3) / MOST_RACERS);
    const double end =
        cuts_row_is_cut_short(row) && row->seconds < view->end ? row->seconds : view->end;
    double mark = CUTS_FIRST_SECONDS * start, before = NAN;
    for (double now = CUTS_FIRST_SECONDS; now <= end;) {
        const cuts_moment *next = cuts_row_next(row, now);
        const double y = height(row, now, is_bound, view->unit);
        const bool is_mark = now >= mark;
        if (isfinite(y) && isfinite(before) && y != before)
            step_line_add(line, now, before, false, view->most);
        if (isfinite(y))
            step_line_add(line, now, y, is_mark, view->most);
        before = y;
        mark = is_mark ? mark * apart : mark;
        if (now >= end)
            break;
        now = next && next->seconds < mark ? next->seconds : mark;
        now = now < end ? now : end;
    }
}

static bool is_racer(cuts_rows *rows, cuts_cell cell, unsigned search) {
    cell.search = search;
    return search != CUTS_UNSEEDED && cuts_row_is_found(cuts_rows_find(rows, cell));
}

/* The lines of all searches and, unless they are seen from near, the lower bound. */
static bool add_racers(cuts_rows *rows, cuts_cell cell, const race_view *view, step_line *lines,
                       chart_series *series, size_t *n) {
    const bool has_bound = !isfinite(view->most);
    for (unsigned place = 0; place < CUTS_SEARCHES + (has_bound ? 1u : 0u); place++) {
        const bool is_bound = place == CUTS_SEARCHES;
        cell.search = is_bound ? CUTS_K_OPTIMIZE : place;
        const cuts_row *row = cuts_rows_find(rows, cell);
        if (!is_racer(rows, cell, cell.search))
            continue;
        step_line *line = &lines[place];
        if (!step_line_create(row, line))
            return false;
        step_line_fill(line, row, is_bound, place, view);
        bool is_drawn = false;
        for (size_t i = 0; i < line->n; i++)
            is_drawn |= isfinite(line->y[i]);
        if (is_drawn)
            series[(*n)++] =
                (chart_series){.name = is_bound ? "lower bound" : cuts_searches[place].name,
                               .look = is_bound ? CHART_MOST_SERIES - 1 : place,
                               .n = line->n,
                               .x = line->x,
                               .y = line->y,
                               .marks = line->marks};
    }
    return true;
}

/* The least that any of them found. */
static double least_cost(cuts_rows *rows, cuts_cell cell) {
    double least = INFINITY;
    for (unsigned search = 0; search < CUTS_SEARCHES; search++)
        if (is_racer(rows, cell, search)) {
            cell.search = search;
            least = fmin(least, (double)cuts_rows_find(rows, cell)->cost);
        }
    return least;
}

static int draw_race_view(cuts_rows *rows, cuts_cell cell, const race_view *view,
                          const char *question, const char *dir, const char *name) {
    static const double ticks[] = {0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000};
    const bool is_near = isfinite(view->most);
    step_line lines[MOST_RACERS] = {{0, NULL, NULL, NULL}};
    chart_series series[MOST_RACERS];
    char title[160], caption[320], label[64];
    size_t n = 0;
    cell.search = CUTS_K_OPTIMIZE;
    const cuts_row *ours = cuts_rows_find(rows, cell);
    snprintf(title, sizeof title, "Figure 7b%s: %s: best so far", is_near ? " near the best" : "",
             question);
    if (ours->state == CUTS_PROVEN)
        snprintf(caption, sizeof caption, "k-optimize proved its answer after %.3g s.",
                 ours->seconds);
    else
        snprintf(caption, sizeof caption, "k-optimize had a gap of %.2g %% after %.3g s.",
                 cuts_row_gap(ours), ours->seconds);
    snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
             " All were given %u thread%s.%s", ours->threads, ours->threads == 1 ? "" : "s",
             is_near ? " A line enters from above when its search comes as near as that to the "
                       "best that any of them found; those that never do are not shown."
                     : " Nothing costs less than the lower bound.");
    snprintf(label, sizeof label, "%s",
             is_near                            ? "cost, times the best"
             : cell.cost == CUTS_DISCERNIBILITY ? "discernibility, millions"
                                                : "classification, rows");
    bool is_made = add_racers(rows, cell, view, lines, series, &n);
    const line_chart chart = {
        .title = title,
        .description = "Cost of the best answer that each search had found by a time; the numbers "
                       "stand in the table that kanon-bench cuts prints.",
        .caption = caption,
        .x = {.label = "seconds since the search began (logarithmic)",
              .is_log = true,
              .n_ticks = sizeof ticks / sizeof *ticks,
              .ticks = ticks},
        .y = {.label = label, .is_log = !is_near, .is_tight = true},
        .n_series = n,
        .series = series};
    int failed = is_made ? save(dir, name, &chart) : 1;
    for (unsigned i = 0; i < MOST_RACERS; i++)
        step_line_destroy(&lines[i]);
    return failed;
}

static int draw_race(cuts_rows *rows, cuts_cell cell, const char *dir) {
    char question[96], name[96];
    unsigned n = 0;
    race_view view = {.end = 0, .most = INFINITY};
    for (unsigned search = 0; search < CUTS_SEARCHES; search++) {
        cell.search = search;
        n += is_racer(rows, cell, search);
        view.end = fmax(view.end, cuts_rows_find(rows, cell)->budget_s);
    }
    if (n < 2 || !is_racer(rows, cell, CUTS_K_OPTIMIZE) || view.end <= CUTS_FIRST_SECONDS)
        return 0;
    const bool is_papers = cell.data == CUTS_FINE && cell.k == CUTS_K50 &&
                           cell.limit == CUTS_LIMIT_ALL && cell.cost == CUTS_DISCERNIBILITY;
    snprintf(question, sizeof question, "%s, k = %s, %s %s", data_words[cell.data], cuts_ks[cell.k],
             cell.limit == CUTS_LIMIT_ALL ? "no" : "limit",
             cell.limit == CUTS_LIMIT_ALL ? "limit" : cuts_limits[cell.limit]);
    if (is_papers)
        snprintf(name, sizeof name, "7b");
    else
        snprintf(name, sizeof name, "7b-%s-k%s-%s-%s", cuts_data[cell.data], cuts_ks[cell.k],
                 cuts_limits[cell.limit], cuts_costs[cell.cost]);
    view.unit = cell.cost == CUTS_DISCERNIBILITY ? 1e6 : 1;
    int failed = draw_race_view(rows, cell, &view, question, dir, name);
    strcat(name, "-near");
    view.unit = least_cost(rows, cell);
    view.most = 1.25;
    return failed | draw_race_view(rows, cell, &view, question, dir, name);
}

int cuts_draw_race(cuts_rows *rows, const char *dir) {
    int failed = 0;
    cuts_cell cell = {.search = CUTS_K_OPTIMIZE};
    for (cell.cost = 0; cell.cost < CUTS_COSTS; cell.cost++)
        for (cell.data = 0; cell.data < CUTS_DATA; cell.data++)
            for (cell.limit = 0; cell.limit < CUTS_LIMITS; cell.limit++)
                for (cell.k = 0; cell.k < CUTS_KS; cell.k++)
                    failed |= draw_race(rows, cell, dir);
    return failed;
}
