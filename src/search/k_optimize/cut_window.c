/* Windows: see cut_window.h. A few at a time begin with the same best, and what they find is
 * offered in their order: so the result does not depend on threads. */
#include "search/k_optimize/cut_window.h"

#include "core/pool.h"
#include "search/k_optimize/cut_tree.h"

enum {
    /* Tuples that a window may look at: all of them so many times, */
    TIMES_PAIR = 2,        /* with two attributes open, */
    TIMES_TRIPLE = 12,     /* or with three, */
    MOST_WORK = 1 << 18,   /* but then no more than so many, */
    LEAST_WORK = 1 << 15,  /* and these in any case. */
    MOST_TRIPLED = 8,      /* attributes that are opened three at a time: those with most places */
    AT_ONCE = 4,           /* windows that begin with the same best */
    BYTES_PER_TUPLE = 8192 /* of a budget, for windows to be looked through beside all else */
};

typedef struct {
    unsigned attribute[KAN_CUT_MOST_OPEN];
} window;

typedef struct {
    kan_cut_record *record;
    kan_run *run;
    unsigned n_open; /* attributes of a window */
    size_t n_windows;
    window *all;  /* those with most choices first */
    size_t first; /* of those that are looked through now */
    kan_cut_task tasks[AT_ONCE];
    struct glazier { /* by thread */
        kan_cut_tree *tree;
        uint8_t *packed;
    } * glaziers;
} windows;

/* ---- which ---------------------------------------------------------------------------------- */

static bool has_choices(const kan_cut_space *space, unsigned attribute) {
    for (uint32_t place = 1; place < space->n_places[attribute]; place++)
        if (space->choice_at[attribute][place] >= 0)
            return true;
    return false;
}

/* By what there is to choose. */
static uint64_t weight(const windows *w, const window *one) {
    uint64_t product = 1;
    for (unsigned i = 0; i < w->n_open; i++)
        product *= w->record->space->n_places[one->attribute[i]];
    return product;
}

static void insert(windows *w, window new) {
    size_t at = w->n_windows++;
    for (; at > 0 && weight(w, &new) > weight(w, &w->all[at - 1]); at--)
        w->all[at] = w->all[at - 1];
    w->all[at] = new;
}

/* The attributes that have choices, those with most places first. */
static unsigned list_attributes(const kan_cut_space *space, unsigned *chosen) {
    unsigned n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        if (!has_choices(space, a))
            continue;
        unsigned at = n++;
        for (; at > 0 && space->n_places[a] > space->n_places[chosen[at - 1]]; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = a;
    }
    return n;
}

/* All sets that begin with the attributes of `one` and go on with n_some others. */
static void list_windows(windows *w, const unsigned *chosen, unsigned n_some, window one,
                         unsigned n) {
    if (n == w->n_open || n == KAN_CUT_MOST_OPEN) {
        insert(w, one);
        return;
    }
    for (unsigned i = 0; i < n_some; i++) {
        one.attribute[n] = chosen[i];
        list_windows(w, chosen + i + 1, n_some - i - 1, one, n + 1);
    }
}

/* All sets of so many attributes; where there are not as many, one of all there are. */
static kan_status list_all(windows *w) {
    unsigned chosen[KAN_MAX_ATTRIBUTES], n_some = list_attributes(w->record->space, chosen);
    size_t room = 1;
    if (w->n_open > 2 && n_some > MOST_TRIPLED)
        n_some = MOST_TRIPLED;
    w->n_open = w->n_open < n_some ? w->n_open : n_some;
    for (unsigned i = 0; i < w->n_open; i++)
        room *= n_some - i;
    KAN_TRY(kan_alloc(w->run, room, sizeof *w->all, &w->all));
    if (n_some > 0)
        list_windows(w, chosen, n_some, (window){{0}}, 0);
    return KAN_OK;
}

/* ---- one window ----------------------------------------------------------------------------- */

/* The best so far, with all choices of its attributes open. */
static void open_window(const windows *w, const window *one, uint8_t *packed) {
    const kan_cut_record *record = w->record;
    const kan_cut_space *space = record->space;
    for (size_t i = 0; i < kan_cut_packed_size(space); i++)
        packed[i] = 0;
    for (unsigned c = 0; c < space->n_choices; c++) {
        kan_cut_decision decision = record->is_made[c] ? KAN_CUT_MADE : KAN_CUT_LEFT;
        for (unsigned i = 0; i < w->n_open; i++)
            if (space->choices[c].attribute == one->attribute[i] && !kan_cut_is_forced(space, c))
                decision = KAN_CUT_OPEN;
        packed[c / 4] |= (uint8_t)(decision << (c % 4 * 2));
    }
}

/* There are many windows of three: in a large table each takes no more work than one of two. */
static uint64_t most_work(const windows *w) {
    const uint64_t n = w->record->space->n_tuples;
    uint64_t most = n * TIMES_PAIR;
    if (w->n_open > 2 && most < MOST_WORK)
        most = n * TIMES_TRIPLE < MOST_WORK ? n * TIMES_TRIPLE : MOST_WORK;
    return most > LEAST_WORK ? most : LEAST_WORK;
}

static kan_status look_through(void *context, size_t number, unsigned worker) {
    windows *w = context;
    struct glazier *glazier = &w->glaziers[worker];
    const kan_cut_space *space = w->record->space;
    kan_cut_task *task = &w->tasks[number];
    if (kan_should_stop(w->run))
        return KAN_OK;
    if (!glazier->packed)
        KAN_TRY(kan_alloc(w->run, kan_cut_packed_size(space) + 1, 1, &glazier->packed));
    if (!glazier->tree)
        KAN_TRY(kan_cut_tree_create(space, space->limit, KAN_CUT_NO_AXIS, &glazier->tree));
    open_window(w, &w->all[w->first + number], glazier->packed);
    task->packed = glazier->packed;
    task->best = w->record->is_found ? w->record->cost : UINT64_MAX;
    task->n_states_most = UINT64_MAX;
    task->n_work_most = most_work(w);
    return kan_cut_tree_explore(glazier->tree, task);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The next few; *is_better: the best is a new one. */
static kan_status look_through_some(windows *w, bool *is_better) {
    kan_cut_record *record = w->record;
    const size_t left = w->n_windows - w->first, n = left < AT_ONCE ? left : AT_ONCE;
    const bool was_found = record->is_found;
    const uint64_t before = record->cost;
    KAN_TRY(kan_parallel(w->run, n, look_through, w));
    for (size_t i = 0; i < n; i++) {
        kan_cut_task *task = &w->tasks[i];
        if (task->is_better)
            KAN_TRY(kan_cut_record_offer(record, task->is_made, task->cost));
        task->is_better = false;
        kan_cut_task_destroy(w->run, task); /* what was left open */
    }
    kan_cut_record_report(record);
    w->first = w->first + n < w->n_windows ? w->first + n : 0;
    *is_better = record->is_found && (!was_found || record->cost < before);
    return KAN_OK;
}

/* Until all of them, one after another, had no effect. */
static kan_status look_through_all(windows *w) {
    size_t n_useless = 0;
    while (n_useless < w->n_windows && !kan_should_stop(w->run)) {
        const size_t first = w->first;
        bool is_better;
        KAN_TRY(look_through_some(w, &is_better));
        n_useless =
            is_better ? 0 : n_useless + (w->first > first ? w->first : w->n_windows) - first;
    }
    return KAN_OK;
}

static kan_status windows_begin(windows *w) {
    KAN_TRY(list_all(w));
    for (size_t i = 0; i < AT_ONCE; i++)
        KAN_TRY(
            kan_alloc(w->run, w->record->space->n_choices + (size_t)1, 1, &w->tasks[i].is_made));
    return kan_alloc_zero(w->run, kan_run_threads(w->run), sizeof *w->glaziers, &w->glaziers);
}

static void windows_end(windows *w) {
    for (unsigned i = 0; w->glaziers && i < kan_run_threads(w->run); i++) {
        kan_cut_tree_destroy(w->glaziers[i].tree);
        kan_free(w->run, w->glaziers[i].packed);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        kan_cut_task_destroy(w->run, &w->tasks[i]);
        kan_free(w->run, w->tasks[i].is_made);
    }
    kan_free(w->run, w->glaziers);
    kan_free(w->run, w->all);
}

kan_status kan_cut_windows(kan_cut_record *record, unsigned n_open) {
    windows w = {.record = record, .run = record->space->run, .n_open = n_open};
    const uint64_t budget = kan_run_memory_budget(w.run);
    if (budget > 0 && record->space->n_tuples > budget / BYTES_PER_TUPLE)
        return KAN_OK; /* it would be a pity if the search failed for them */
    kan_status status = windows_begin(&w);
    if (status == KAN_OK)
        status = look_through_all(&w);
    windows_end(&w);
    return status;
}
