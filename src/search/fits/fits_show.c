/* Which moves. First every hidden cell is shown that may be, row by row: showing a cell never makes
 * room for another, so one look at each is enough. Then exchanges: some cells near each other are
 * hidden, whatever may be shown because of it is shown, and what does not come out worse stays. One
 * that comes out even stays, too, so that the next begins elsewhere.
 *
 * What an exchange makes room for is known: cells of the rows in which something was hidden, and cells
 * that were blocked by a person whom one row more fits now. So each blocked cell waits at the first
 * person who was found to block it, and who has just k rows as long as it waits.
 *
 * Moves are drawn from numbers with a fixed seed, and effort is counted in tuples looked at. */
#include "core/hash.h"
#include "search/fits/fits_inside.h"

enum { MOST_HIDDEN = 3, TRIES_PER_ROW = 1500, MOVES_BETWEEN_CHECKS = 256 };

#define NOBODY UINT32_MAX

/* A cell that waits, or waited. */
typedef struct {
    kan_fits_cell cell;
    uint32_t at;   /* the place of a tuple; NOBODY: it is its row that changed */
    uint32_t next; /* of those who wait there; NOBODY: the last */
    bool is_shown; /* by the exchange in hand */
} waiting;

typedef struct {
    size_t n, room;
    waiting *list;
} waiting_list;

typedef struct {
    kan_fits *fits;
    kan_run *run;
    uint32_t *head; /* by place of a tuple: who waits there, one of `all`; NOBODY */
    waiting_list all;
    size_t n_free;
    uint32_t free;   /* places of `all` that nobody has */
    uint32_t *open;  /* rows with a hidden cell */
    uint32_t *place; /* by row: where it stands among these */
    size_t n_open;
    waiting_list tried; /* cells of the exchange in hand */
    size_t n_done;
    kan_fits_cell done[MOST_HIDDEN];
    double gain[KAN_MAX_ATTRIBUTES]; /* by rank */
    uint64_t random;
} exchange;

/* ---- who waits ------------------------------------------------------------------------------ */

static kan_status list_add(kan_run *run, waiting_list *list, waiting one) {
    KAN_TRY(kan_reserve(run, list->n + 1, sizeof *list->list, &list->room, &list->list));
    list->list[list->n++] = one;
    return KAN_OK;
}

static kan_status wait_at(exchange *x, kan_fits_cell cell, uint32_t place) {
    waiting one = {.cell = cell, .at = place, .next = x->head[place]};
    if (x->free != NOBODY) {
        const uint32_t at = x->free;
        x->free = x->all.list[at].next;
        x->all.list[at] = one;
        x->head[place] = at;
        return KAN_OK;
    }
    KAN_TRY(list_add(x->run, &x->all, one));
    x->head[place] = (uint32_t)(x->all.n - 1);
    return KAN_OK;
}

/* Those who wait at a tuple have something to try. */
static kan_status wake(exchange *x, uint32_t place) {
    for (uint32_t at = x->head[place]; at != NOBODY;) {
        const uint32_t next = x->all.list[at].next;
        KAN_TRY(list_add(x->run, &x->tried, x->all.list[at]));
        x->all.list[at].next = x->free;
        x->free = at;
        at = next;
    }
    x->head[place] = NOBODY;
    return KAN_OK;
}

/* ---- rows that hide something ---------------------------------------------------------------- */

static void note_row(exchange *x, uint32_t row) {
    const bool is_open = x->fits->hidden[row] != 0, was_open = x->place[row] != NOBODY;
    if (is_open == was_open)
        return;
    if (is_open) {
        x->place[row] = (uint32_t)x->n_open;
        x->open[x->n_open++] = row;
    } else {
        const uint32_t last = x->open[--x->n_open];
        x->open[x->place[row]] = last;
        x->place[last] = x->place[row];
        x->place[row] = NOBODY;
    }
}

/* ---- showing -------------------------------------------------------------------------------- */

static bool is_hidden(const kan_fits *fits, kan_fits_cell cell) {
    return fits->hidden[cell.row] >> cell.column & 1;
}

/* Every cell of these columns once; what is blocked waits. */
static kan_status show_columns(exchange *x, uint64_t columns) {
    kan_fits *fits = x->fits;
    for (uint32_t row = 0; row < fits->n_all; row++) {
        for (uint64_t left = fits->hidden[row] & columns; left; left &= left - 1) {
            const kan_fits_cell cell = {row, (unsigned)__builtin_ctzll(left)};
            kan_fits_answer answer;
            uint32_t by = NOBODY;
            if (fits->n_steps > fits->most_steps)
                return KAN_OK;
            KAN_TRY(kan_fits_may_show(fits, cell, &answer, &by));
            if (answer == KAN_FITS_CAN)
                KAN_TRY(kan_fits_show(fits, cell));
            else if (answer == KAN_FITS_BLOCKED)
                KAN_TRY(wait_at(x, cell, by));
        }
        if (row % MOVES_BETWEEN_CHECKS == 0 && kan_should_stop(x->run))
            return KAN_OK;
    }
    return KAN_OK;
}

/* What is worth most comes first. */
static kan_status show_all(exchange *x) {
    const kan_fits *fits = x->fits;
    for (unsigned r = 0; r < fits->n_ranks; r++) {
        uint64_t columns = 0;
        for (unsigned a = 0; a < fits->n_columns; a++)
            columns |= (uint64_t)(fits->rank[a] == r) << a;
        KAN_TRY(show_columns(x, columns & fits->may_show));
    }
    return KAN_OK;
}

/* ---- exchanges ------------------------------------------------------------------------------ */

/* The cells of a row whose hidden columns changed. */
static kan_status try_row(exchange *x, uint32_t row, uint64_t but) {
    for (uint64_t left = x->fits->hidden[row] & x->fits->may_show & ~but; left; left &= left - 1) {
        const kan_fits_cell cell = {row, (unsigned)__builtin_ctzll(left)};
        KAN_TRY(list_add(x->run, &x->tried, (waiting){.cell = cell, .at = NOBODY}));
    }
    return KAN_OK;
}

/* Those who differ from the row in the column, and whom it fits now. */
static kan_status wake_others(exchange *x, kan_fits_view *view, kan_fits_cell cell) {
    kan_fits *fits = x->fits;
    const uint32_t whole = fits->tuple_of[cell.row];
    const uint32_t own = kan_fits_value(fits, whole, cell.column);
    const kan_fits_pattern *pattern;
    KAN_TRY(
        kan_fits_find(fits, view, kan_fits_shown(fits, cell.row) & view->columns, true, &pattern));
    const uint32_t class = pattern->class_of[kan_fits_in_view(view, whole)];
    for (uint32_t i = pattern->start[class]; i < pattern->start[class + 1]; i++)
        if (kan_fits_view_value(fits, view, pattern->members[i], cell.column) != own)
            KAN_TRY(wake(x, view->first_place + pattern->members[i]));
    return KAN_OK;
}

/* Hides a cell, and wakes those who wait at the people whom its row fits now. */
static kan_status hide(exchange *x, kan_fits_cell cell) {
    kan_fits *fits = x->fits;
    bool is_done;
    KAN_TRY(kan_fits_hide(fits, cell, &is_done));
    if (!is_done)
        return KAN_OK;
    x->done[x->n_done++] = cell;
    for (size_t v = 0; v < fits->n_views; v++)
        if (fits->views[v].columns >> cell.column & 1)
            KAN_TRY(wake_others(x, &fits->views[v], cell));
    return try_row(x, cell.row, UINT64_C(1) << cell.column);
}

static unsigned nth_column(uint64_t columns, uint64_t n) {
    while (n-- > 0)
        columns &= columns - 1;
    return (unsigned)__builtin_ctzll(columns);
}

/* Some column of a row that may be hidden. */
static bool draw_column(exchange *x, uint32_t row, unsigned *out) {
    const uint64_t columns = kan_fits_shown(x->fits, row) & x->fits->may_hide;
    if (!columns)
        return false;
    *out =
        nth_column(columns, kan_random_below(&x->random, (uint64_t)__builtin_popcountll(columns)));
    return true;
}

/* A row near `row`: alike in what it shows, perhaps but for one column; of some view. */
static kan_status draw_near(exchange *x, uint32_t row, uint32_t *out) {
    kan_fits *fits = x->fits;
    kan_fits_view *view = fits->views;
    const kan_fits_pattern *pattern;
    uint64_t shown = kan_fits_shown(fits, row);
    unsigned but;
    if (fits->n_views > 1)
        view += kan_random_below(&x->random, fits->n_views);
    if (kan_random_below(&x->random, 4) > 0 && draw_column(x, row, &but))
        shown &= ~(UINT64_C(1) << but);
    *out = row;
    KAN_TRY(kan_fits_find(fits, view, shown & view->columns, true, &pattern));
    if (!pattern)
        return KAN_OK;
    const uint32_t class = pattern->class_of[kan_fits_in_view(view, fits->tuple_of[row])];
    const uint32_t n = pattern->start[class + 1] - pattern->start[class];
    uint32_t tuple = pattern->members[pattern->start[class] + kan_random_below(&x->random, n)];
    if (view->of)
        tuple = view->tuples[view->start[tuple] +
                             (uint32_t)kan_random_below(&x->random, view->start[tuple + 1] -
                                                                        view->start[tuple])];
    *out = fits->first[tuple] +
           (uint32_t)kan_random_below(&x->random, fits->first[tuple + 1] - fits->first[tuple]);
    return KAN_OK;
}

static kan_status hide_some(exchange *x) {
    const uint32_t focus = x->open[kan_random_below(&x->random, x->n_open)];
    const uint64_t n = 1 + kan_random_below(&x->random, MOST_HIDDEN);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t row = focus;
        unsigned column;
        if (kan_random_below(&x->random, 4) > 0)
            KAN_TRY(draw_near(x, focus, &row));
        if (draw_column(x, row, &column))
            KAN_TRY(hide(x, (kan_fits_cell){row, column}));
    }
    return KAN_OK;
}

static void shuffle(exchange *x) {
    for (size_t i = x->tried.n; i > 1; i--) {
        const size_t j = (size_t)kan_random_below(&x->random, i);
        const waiting one = x->tried.list[i - 1];
        x->tried.list[i - 1] = x->tried.list[j];
        x->tried.list[j] = one;
    }
}

static void count_gain(exchange *x, kan_fits_cell cell, double sign) {
    x->gain[x->fits->rank[cell.column]] += sign * x->fits->weight[cell.column];
}

/* Nothing of a later rank makes up for one of an earlier. */
static bool is_no_worse(const exchange *x) {
    static const double even = 1e-9; /* sums of weights are not exact */
    for (unsigned r = 0; r < x->fits->n_ranks; r++) {
        if (x->gain[r] > even)
            return true;
        if (x->gain[r] < -even)
            return false;
    }
    return true;
}

/* Shows what may be shown; what is blocked has its blocker in `next`. */
static kan_status show_some(exchange *x) {
    kan_fits *fits = x->fits;
    for (size_t i = 0; i < x->tried.n; i++) {
        waiting *one = &x->tried.list[i];
        kan_fits_answer answer;
        uint32_t by = NOBODY;
        one->next = NOBODY;
        one->is_shown = false;
        if (!is_hidden(fits, one->cell))
            continue;
        KAN_TRY(kan_fits_may_show(fits, one->cell, &answer, &by));
        if (answer == KAN_FITS_CAN) {
            KAN_TRY(kan_fits_show(fits, one->cell));
            one->is_shown = true;
            count_gain(x, one->cell, 1);
        } else if (answer == KAN_FITS_BLOCKED) {
            one->next = by;
        }
    }
    return KAN_OK;
}

/* What was hidden in vain may be shown again, where something else was shown in its place. */
static kan_status show_hidden(exchange *x) {
    for (size_t i = 0; i < x->n_done; i++)
        KAN_TRY(list_add(x->run, &x->tried, (waiting){.cell = x->done[i], .at = NOBODY}));
    return KAN_OK;
}

static kan_status keep(exchange *x) {
    for (size_t i = 0; i < x->tried.n; i++) {
        const waiting *one = &x->tried.list[i];
        note_row(x, one->cell.row);
        if (one->next != NOBODY && is_hidden(x->fits, one->cell))
            KAN_TRY(wait_at(x, one->cell, one->next));
    }
    return KAN_OK;
}

static kan_status take_back(exchange *x) {
    bool is_done;
    for (size_t i = x->tried.n; i-- > 0;)
        if (x->tried.list[i].is_shown)
            KAN_TRY(kan_fits_hide(x->fits, x->tried.list[i].cell, &is_done));
    for (size_t i = x->n_done; i-- > 0;)
        KAN_TRY(kan_fits_show(x->fits, x->done[i]));
    for (size_t i = 0; i < x->tried.n; i++)
        if (x->tried.list[i].at != NOBODY && is_hidden(x->fits, x->tried.list[i].cell))
            KAN_TRY(wait_at(x, x->tried.list[i].cell, x->tried.list[i].at));
    return KAN_OK;
}

static kan_status move(exchange *x) {
    x->n_done = x->tried.n = 0;
    memset(x->gain, 0, x->fits->n_ranks * sizeof *x->gain);
    KAN_TRY(hide_some(x));
    for (size_t i = 0; i < x->n_done; i++)
        count_gain(x, x->done[i], -1);
    shuffle(x);
    KAN_TRY(show_hidden(x));
    KAN_TRY(show_some(x));
    return is_no_worse(x) ? keep(x) : take_back(x);
}

/* Whether nothing can be better. */
static bool reached(const exchange *x, const kan_fits_found *bound) {
    const kan_fits *fits = x->fits;
    uint64_t hidden_by[KAN_MAX_ATTRIBUTES] = {0}, n = 0;
    if (!bound->has_least)
        return false;
    for (size_t i = 0; i < x->n_open && n <= bound->least; i++) {
        uint64_t left = fits->hidden[x->open[i]] & ~fits->missing[fits->tuple_of[x->open[i]]];
        for (; left; left &= left - 1, n++)
            hidden_by[fits->rank[__builtin_ctzll(left)]]++;
    }
    for (unsigned r = 0; r < fits->n_ranks; r++)
        if (hidden_by[r] != bound->least_by[r])
            return false;
    return true;
}

static kan_status exchange_all(exchange *x, const kan_fits_found *bound) {
    kan_fits *fits = x->fits;
    const uint64_t n_moves = (uint64_t)TRIES_PER_ROW * x->n_open;
    for (uint64_t i = 0; i < n_moves && x->n_open > 0; i++) {
        if (i % MOVES_BETWEEN_CHECKS == 0 &&
            (reached(x, bound) || fits->n_steps > fits->most_steps || kan_should_stop(x->run)))
            return KAN_OK;
        KAN_TRY(move(x));
    }
    return KAN_OK;
}

kan_status kan_fits_search(kan_fits *fits, const kan_fits_found *bound) {
    kan_status status;
    kan_run *run = fits->run;
    exchange x = {.fits = fits, .run = run, .free = NOBODY, .random = 1};
    KAN_TRY_DONE(kan_alloc(run, fits->n_places, sizeof *x.head, &x.head));
    KAN_TRY_DONE(kan_alloc(run, fits->n_all, sizeof *x.open, &x.open));
    KAN_TRY_DONE(kan_alloc(run, fits->n_all, sizeof *x.place, &x.place));
    memset(x.head, 0xff, fits->n_places * sizeof *x.head);
    memset(x.place, 0xff, fits->n_all * sizeof *x.place);
    KAN_TRY_DONE(show_all(&x));
    for (uint32_t row = 0; row < fits->n_all; row++)
        note_row(&x, row);
    status = exchange_all(&x, bound);
done:
    kan_free(run, x.head);
    kan_free(run, x.open);
    kan_free(run, x.place);
    kan_free(run, x.all.list);
    kan_free(run, x.tried.list);
    return status;
}
