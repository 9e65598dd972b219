/* The tables of `cuts`, in Markdown, so that they can stand in a document as they are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/text.h"
#include "cuts.h"

static const double paper_s = 5359; /* 7.3: k = 50, fine, no limit */
static const double goal_share = 20;
static const double mib = 1024.0 * 1024.0;

static cuts_row *row_of(cuts_rows *rows, unsigned data, unsigned k, unsigned limit, unsigned cost,
                        unsigned search) {
    return cuts_rows_find(rows, (cuts_cell){data, k, limit, cost, search});
}

static void print_seconds(double seconds) {
    printf("%.*f", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
}

/* Never 0 unless it is: what is not proven must not look so. */
static void print_gap(double gap) {
    printf("%.*f %%", gap < 1 ? 2 : 1, gap > 0 && gap < 0.01 ? 0.01 : gap);
}

/* ---- the grid ------------------------------------------------------------------------------- */

static unsigned count_rows(cuts_rows *rows, unsigned data, unsigned cost, bool is_proven) {
    unsigned n = 0;
    for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
        for (unsigned k = 0; k < CUTS_KS; k++) {
            const cuts_state state = row_of(rows, data, k, limit, cost, CUTS_K_OPTIMIZE)->state;
            n += is_proven ? state == CUTS_PROVEN : state != CUTS_UNKNOWN;
        }
    return n;
}

static void print_short_cell(const cuts_row *row) {
    if (row->state == CUTS_PROVEN) {
        putchar(' ');
        print_seconds(row->seconds);
        printf(" s |");
    } else if (cuts_row_is_found(row)) {
        printf(" gap ");
        print_gap(cuts_row_gap(row));
        printf(" |");
    } else {
        printf(row->state == CUTS_NOTHING ? " nothing |" : " |");
    }
}

/* Time to proof, or the gap that was left, by k. */
static void print_overview(cuts_rows *rows, unsigned cost) {
    printf("\nk-optimize, %s: time to the proven optimum, or the gap when time was up\n\n| k |",
           cuts_costs[cost]);
    for (unsigned data = 0; data < CUTS_DATA; data++)
        for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
            printf(" %s, limit %s |", cuts_data[data], cuts_limits[limit]);
    printf("\n|---|");
    for (unsigned i = 0; i < CUTS_DATA * CUTS_LIMITS; i++)
        printf("---|");
    for (unsigned k = 0; k < CUTS_KS; k++) {
        printf("\n| %s |", cuts_ks[k]);
        for (unsigned data = 0; data < CUTS_DATA; data++)
            for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
                print_short_cell(row_of(rows, data, k, limit, cost, CUTS_K_OPTIMIZE));
    }
    putchar('\n');
}

static void print_long_row(unsigned k, unsigned limit, const cuts_row *row) {
    char cost[32], states[32], lost[32];
    printf("| %s | %s | ", cuts_limits[limit], cuts_ks[k]);
    if (!cuts_row_is_found(row)) {
        printf("nothing was found | | | ");
    } else {
        printf("%s | ", kan_count_text(row->cost, cost));
        if (row->state == CUTS_PROVEN)
            printf("proven");
        else
            print_gap(cuts_row_gap(row));
        printf(" | %s | ", kan_count_text(row->n_suppressed, lost));
    }
    print_seconds(row->seconds);
    printf(" | ");
    if (row->cpu_s > 0)
        print_seconds(row->cpu_s);
    else
        printf("not known");
    printf(" | %s | %.1f | %.1f |\n", kan_count_text(row->n_states, states),
           (double)row->early_bytes / mib, (double)row->peak_bytes / mib);
}

static void print_long(cuts_rows *rows, unsigned data, unsigned cost) {
    printf("\nk-optimize, %s, %s: %u of %u cells proven; MiB: the peak by a tenth of the time that "
           "it was given, and in all\n\n"
           "| limit | k | cost | gap | rows suppressed | s | CPU s | states | MiB, early | MiB |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n",
           cuts_data[data], cuts_costs[cost], count_rows(rows, data, cost, true),
           count_rows(rows, data, cost, false));
    for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
        for (unsigned k = 0; k < CUTS_KS; k++) {
            const cuts_row *row = row_of(rows, data, k, limit, cost, CUTS_K_OPTIMIZE);
            if (row->state != CUTS_UNKNOWN)
                print_long_row(k, limit, row);
        }
}

/* The one time that the paper tells to the second. */
static void print_goal(cuts_rows *rows) {
    const cuts_row *row =
        row_of(rows, CUTS_FINE, CUTS_K50, CUTS_LIMIT_ALL, CUTS_DISCERNIBILITY, CUTS_K_OPTIMIZE);
    if (row->state == CUTS_UNKNOWN)
        return;
    printf("\nfine, k = 50, no limit, discernibility: the paper took %.0f s; a twentieth is %.0f "
           "s: ",
           paper_s, paper_s / goal_share);
    if (row->state != CUTS_PROVEN) {
        printf("not proven in ");
        print_seconds(row->seconds);
        printf(" s%s\n", row->seconds > paper_s / goal_share ? ": MISSED" : "");
    } else {
        print_seconds(row->seconds);
        printf(" s, %s\n", row->seconds <= paper_s / goal_share ? "ok" : "MISSED");
    }
}

void cuts_print_grid(cuts_rows *rows) {
    unsigned n = 0, n_proven = 0;
    for (unsigned cost = 0; cost < CUTS_COSTS; cost++) {
        unsigned n_here = 0;
        for (unsigned data = 0; data < CUTS_DATA; data++) {
            n_here += count_rows(rows, data, cost, false);
            n_proven += count_rows(rows, data, cost, true);
        }
        if (n_here > 0)
            print_overview(rows, cost);
        for (unsigned data = 0; data < CUTS_DATA; data++)
            if (count_rows(rows, data, cost, false) > 0)
                print_long(rows, data, cost);
        n += n_here;
    }
    if (n > 0)
        printf("\n%u of %u cells proven\n", n_proven, n);
    cuts_print_implied(rows);
    print_goal(rows);
}

/* ---- seeding -------------------------------------------------------------------------------- */

static void print_outcome(const cuts_row *row) {
    if (row->state == CUTS_UNKNOWN) {
        printf(" | |");
        return;
    }
    printf(row->state == CUTS_PROVEN ? " " : " > ");
    print_seconds(row->seconds);
    printf(" | ");
    if (row->state == CUTS_PROVEN)
        printf("proven");
    else if (cuts_row_is_found(row))
        print_gap(cuts_row_gap(row));
    else
        printf("nothing");
    printf(" |");
}

static bool has_seeding(cuts_rows *rows, unsigned cost) {
    for (unsigned data = 0; data < CUTS_DATA; data++)
        for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
            for (unsigned k = 0; k < CUTS_KS; k++)
                if (row_of(rows, data, k, limit, cost, CUTS_UNSEEDED)->state != CUTS_UNKNOWN)
                    return true;
    return false;
}

static void print_seeded_row(const cuts_row *seeded, const cuts_row *unseeded) {
    print_outcome(seeded);
    print_outcome(unseeded);
    if (seeded->state == CUTS_PROVEN && unseeded->state == CUTS_PROVEN && seeded->seconds > 0)
        printf(" %.2f", unseeded->seconds / seeded->seconds);
    printf(" |\n");
}

void cuts_print_seeding(cuts_rows *rows) {
    for (unsigned cost = 0; cost < CUTS_COSTS; cost++) {
        if (!has_seeding(rows, cost))
            continue;
        printf("\nk-optimize with and without its seeding, %s\n\n"
               "| data | limit | k | seeded, s | gap | unseeded, s | gap | times |\n"
               "|---|---|---|---|---|---|---|---|\n",
               cuts_costs[cost]);
        for (unsigned data = 0; data < CUTS_DATA; data++)
            for (unsigned limit = 0; limit < CUTS_LIMITS; limit++)
                for (unsigned k = 0; k < CUTS_KS; k++) {
                    const cuts_row *unseeded = row_of(rows, data, k, limit, cost, CUTS_UNSEEDED);
                    if (unseeded->state == CUTS_UNKNOWN)
                        continue;
                    printf("| %s | %s | %s |", cuts_data[data], cuts_limits[limit], cuts_ks[k]);
                    print_seeded_row(row_of(rows, data, k, limit, cost, CUTS_K_OPTIMIZE), unseeded);
                }
    }
}

/* ---- the race ------------------------------------------------------------------------------- */

static const double race_times[] = {CUTS_FIRST_SECONDS, 0.3, 1, 3, 10, 30, 100};
enum { N_TIMES = sizeof race_times / sizeof *race_times };

static void print_at_times(const char *name, const cuts_row *row, bool is_bound) {
    char text[32];
    printf("| %s |", name);
    for (unsigned i = 0; i < N_TIMES; i++) {
        const cuts_moment *moment = cuts_row_moment(row, race_times[i]);
        printf(" %s |",
               !moment ? "-" : kan_count_text(is_bound ? moment->bound : moment->cost, text));
    }
    printf("\n");
}

/* Where the answer of k-optimize costs more than a rival's at the same time: how long in all, until
 * when, and by how much at the worst. */
typedef struct race_lag {
    double seconds, until, worst;
} race_lag;

static race_lag lag_behind(const cuts_row *ours, const cuts_row *theirs, double end) {
    race_lag lag = {0, 0, 0};
    for (double now = CUTS_FIRST_SECONDS, next; now < end; now = next) {
        const cuts_moment *our_next = cuts_row_next(ours, now), *our = cuts_row_moment(ours, now);
        const cuts_moment *their_next = cuts_row_next(theirs, now);
        const cuts_moment *their = cuts_row_moment(theirs, now);
        next = our_next && our_next->seconds < end ? our_next->seconds : end;
        next = their_next && their_next->seconds < next ? their_next->seconds : next;
        if (!their || (our && our->cost <= their->cost))
            continue;
        const double more = our ? (double)our->cost / (double)their->cost - 1 : INFINITY;
        lag.seconds += next - now;
        lag.until = next;
        lag.worst = more > lag.worst ? more : lag.worst;
    }
    return lag;
}

static void print_verdict(const cuts_row *ours, const cuts_row *theirs, const char *name) {
    double end = ours->budget_s < theirs->budget_s ? ours->budget_s : theirs->budget_s;
    if (cuts_row_is_cut_short(ours) && ours->seconds < end)
        end = ours->seconds;
    if (cuts_row_is_cut_short(theirs) && theirs->seconds < end)
        end = theirs->seconds;
    const race_lag lag = lag_behind(ours, theirs, end);
    if (lag.seconds > 0)
        printf("- %s: k-optimize is worse for %.2f s in all, for the last time at %.2f s, by %.2f "
               "%% at the most: MISSED\n",
               name, lag.seconds, lag.until, 100 * lag.worst);
    else
        printf("- %s: k-optimize is never worse from %g s on, to %g s: ok\n", name,
               CUTS_FIRST_SECONDS, end);
}

static unsigned count_rivals(cuts_rows *rows, cuts_cell cell) {
    unsigned n = 0;
    for (cell.search = CUTS_UNSEEDED + 1; cell.search < CUTS_SEARCHES; cell.search++)
        n += cuts_row_is_found(cuts_rows_find(rows, cell));
    return n;
}

static void print_race(cuts_rows *rows, cuts_cell cell) {
    const cuts_row *ours = cuts_rows_find(rows, cell);
    if (!cuts_row_is_found(ours) || count_rivals(rows, cell) == 0)
        return;
    printf("\nThe best so far by time, %s, k = %s, limit %s, %s; - where the search was stopped "
           "before\n\n| search |",
           cuts_data[cell.data], cuts_ks[cell.k], cuts_limits[cell.limit], cuts_costs[cell.cost]);
    for (unsigned i = 0; i < N_TIMES; i++)
        printf(" %g s |", race_times[i]);
    printf("\n|---|");
    for (unsigned i = 0; i < N_TIMES; i++)
        printf("---|");
    putchar('\n');
    print_at_times("lower bound of k-optimize", ours, true);
    for (cell.search = 0; cell.search < CUTS_SEARCHES; cell.search++)
        if (cell.search != CUTS_UNSEEDED && cuts_row_is_found(cuts_rows_find(rows, cell)))
            print_at_times(cuts_searches[cell.search].name, cuts_rows_find(rows, cell), false);
    putchar('\n');
    for (cell.search = CUTS_UNSEEDED + 1; cell.search < CUTS_SEARCHES; cell.search++)
        if (cuts_row_is_found(cuts_rows_find(rows, cell)))
            print_verdict(ours, cuts_rows_find(rows, cell), cuts_searches[cell.search].name);
}

void cuts_print_race(cuts_rows *rows) {
    cuts_cell cell = {.search = CUTS_K_OPTIMIZE};
    for (cell.cost = 0; cell.cost < CUTS_COSTS; cell.cost++)
        for (cell.data = 0; cell.data < CUTS_DATA; cell.data++)
            for (cell.limit = 0; cell.limit < CUTS_LIMITS; cell.limit++)
                for (cell.k = 0; cell.k < CUTS_KS; cell.k++)
                    print_race(rows, cell);
}
