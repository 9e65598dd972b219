/* Branch and bound over boxes: see boxes.h. How a box is cut is in box_explorer.c.
 *
 * Threads: where there is enough to do, the first cuts are made before anything else, and what is
 * open then are tasks. They are done in waves of 1, 1, 2, 4, ... tasks; all tasks of a wave start
 * from the best that was known before it, so that neither the answer nor the number of checks
 * depends on threads. */
#include "search/boxes/boxes.h"

#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "search/boxes/box_cut.h"
#include "search/boxes/box_explorer.h"
#include "search/boxes/root.h"

/* ---- the whole lattice ---------------------------------------------------------------------- */

static kan_status explore_root(kan_box_explorer *e) {
    kan_box root = {.may_hold_best = true};
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        root.low[a] = (uint8_t)e->plan->boxes->lattice->low[a];
        root.high[a] = (uint8_t)kan_lattice_high(e->plan->boxes->lattice, a);
    }
    const double n_nodes = kan_box_nodes(e, &root);
    if (!e->plan->boxes->known)
        KAN_TRY(kan_root_raise(e->probe.question, root.high, root.low, &root.tight));
    if (e->probe.strict.question) {
        root.tight = 0; /* that was by k alone */
        if (e->plan->shaves && e->probe.strict.is_monotone && e->probe.strict.looks_early)
            KAN_TRY(kan_root_raise_strictly(&e->probe.strict, root.high, root.low, &root.tight,
                                            &e->probe.n_checked, &e->probe.effort));
    }
    kan_box_explorer_count_decided(e, n_nodes - kan_box_nodes(e, &root));
    KAN_TRY(kan_box_cut_spread(e->plan, e, &root));
    KAN_TRY(kan_alloc_zero(e->probe.run, 1, sizeof **e->sets, &e->sets[0]));
    kan_box_levels(e, root.low, levels);
    KAN_TRY(kan_probe_scan(&e->probe, levels, e->sets[0]));
    kan_box_levels(e, root.high, levels);
    e->probe.counts_all = true; /* where nothing keeps the promise it is told what is lost here */
    KAN_TRY(kan_probe_look(&e->probe, e->sets[0], levels, NULL, &groups));
    KAN_TRY(kan_probe_look_strictly(&e->probe, e->sets[0], &groups));
    e->probe.counts_all = false;
    root.at_high = kan_box_corner(e, &groups);
    KAN_TRY(kan_probe_measure(&e->probe, e->sets[0], NULL, &groups));
    if (e->plan->descends)
        KAN_TRY(kan_box_explorer_descend(e, &root, e->sets[0]));
    if (root.at_high.n_failing <= e->plan->promise->limit) {
        KAN_TRY(kan_probe_see(&e->probe, e->sets[0], &groups));
        e->probe.n_checked += !kan_box_is_node(e, &root);
        kan_box_explorer_bound(e, &root, &groups);
        if (e->plan->boxes->satisfies)
            KAN_TRY(kan_probe_look_strictly(&e->probe, e->sets[0], &groups));
        root.at_low = kan_box_corner(e, &groups);
        root.all_satisfy = groups.n_left_out <= e->plan->promise->limit;
        KAN_TRY(kan_probe_measure(&e->probe, e->sets[0], e->sets[0], &groups));
    }
    return kan_box_explorer_is_open(e, &root)
               ? kan_box_explorer_hand_on(e, &root, e->sets[0], true, 1)
               : KAN_OK;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

typedef struct {
    kan_box_plan *plan;
    kan_box_explorer *explorers; /* by thread */
    kan_box_task *first;         /* of the wave */
    kan_found best;              /* when it began */
    uint64_t least_suppressed;   /* when it began */
    uint64_t most_checked;       /* by each of its tasks */
} wave;

/* Explorers are set to a trail of nodes that are counted anew. */
static void begin_trail(kan_box_explorer *e, kan_trail *trail, uint64_t most_checked) {
    e->trail = trail;
    e->first_checked = e->probe.n_checked;
    e->most_checked = most_checked;
    e->has_left = false;
}

static kan_status do_task(void *context, size_t index, unsigned worker) {
    wave *w = context;
    kan_box_explorer *e = &w->explorers[worker];
    kan_box_task *t = &w->first[index];
    if (kan_run_is_cancelled(e->probe.run))
        return kan_check_cancel(e->probe.run);
    e->probe.judge.best = w->best;
    e->probe.judge.least_suppressed = w->least_suppressed;
    begin_trail(e, &t->trail, w->most_checked);
    if (e->probe.strict.question)
        kan_strict_restart(&e->probe.strict);
    kan_box here = t->box;
    if (here.is_bounded && here.may_hold_best)
        here.may_hold_best = !kan_judge_is_hopeless(&e->probe.judge, &here.bound, here.low);
    if (kan_box_explorer_is_open(e, &here))
        KAN_TRY(kan_box_explorer_cut(e, &here, t->set, t->is_low_set, w->plan->task_cuts));
    KAN_TRY(kan_box_explorer_note(e));
    t->least_suppressed = e->probe.judge.least_suppressed;
    t->n_checked = kan_box_explorer_checked(e);
    t->is_stopped = e->is_stopped;
    t->has_left = e->has_left;
    t->left_bound = e->left_bound;
    return KAN_OK;
}

/* The most promising first: it brings something good to compare with, and when the time is up the
 * bound of what is left is high. That is so where levels alone bound the cost; a bound by groups
 * says little of a box that large. Insertion keeps the order of equals. */
static void sort_tasks(kan_box_plan *p) {
    for (size_t i = 1; i < p->n_tasks; i++) {
        const kan_box_task task = p->tasks[i];
        size_t at = i;
        for (;
             at > 0 && task.box.is_bounded && p->tasks[at - 1].box.bound.real > task.box.bound.real;
             at--)
            p->tasks[at] = p->tasks[at - 1];
        p->tasks[at] = task;
    }
}

/* Sets that no task from `first_open` on refers to are not needed any more. */
static void drop_sets(kan_box_plan *p, kan_run *run, size_t first_open) {
    for (size_t i = 0; i < p->n_kept; i++) {
        bool is_used = false;
        for (size_t t = first_open; t < p->n_tasks && !is_used; t++)
            is_used = p->tasks[t].set == p->kept[i];
        if (!is_used)
            kan_freqset_destroy(run, p->kept[i]);
    }
}

/* Something was left open, or is taken as if it had been: no node of it costs less than the bound. */
static void leave(kan_box_plan *p, const kan_score *bound) {
    if (!p->has_left || bound->real < p->left_bound.real)
        p->left_bound = *bound;
    p->has_left = true;
}

/* A box that was not searched, or whose search does not count. */
static void leave_box(kan_box_plan *p, const kan_box *box) {
    const kan_score none = kan_score_real(-INFINITY);
    leave(p, box->is_bounded ? &box->bound : &none);
}

/* Takes over what a task has found by its first nodes, as far as they are within what may be checked.
 * What it found later does not count, but has settled boxes in it. */
static kan_status take_task(kan_box_plan *p, kan_run *run, const kan_box_task *t) {
    kan_boxes *boxes = p->boxes;
    const uint64_t left = p->most_checked - boxes->n_reached;
    KAN_TRY(kan_trail_append(&p->trail, run, boxes->n_reached, &t->trail, left));
    if (t->has_left)
        leave(p, &t->left_bound);
    if (t->n_checked > left) {
        const kan_found last = kan_trail_last(&t->trail), kept = kan_trail_at(&t->trail, left);
        if (kan_found_is_better(&last, &kept))
            leave(p, &last.score);
    }
    p->is_over |= t->is_stopped || t->n_checked > left;
    boxes->n_reached += t->n_checked < left ? t->n_checked : left;
    return KAN_OK;
}

/* The tasks of a wave in their order, until one has come to the end of what may be checked. */
static kan_status take_wave(kan_box_plan *p, kan_run *run, wave *w, size_t size) {
    for (size_t i = 0; i < size; i++) {
        kan_box_task *t = &w->first[i];
        if (p->is_over) {
            leave_box(p, &t->box);
            continue;
        }
        KAN_TRY(take_task(p, run, t));
        if (t->least_suppressed < w->least_suppressed)
            w->least_suppressed = t->least_suppressed;
    }
    return KAN_OK;
}

static bool is_large(const kan_box_task *task) {
    enum { LARGE_SET = 1 << 16 };
    return task->set->n >= LARGE_SET;
}

static kan_status do_small(void *context, size_t index, unsigned worker) {
    const wave *w = context;
    return is_large(&w->first[index]) ? KAN_OK : do_task(context, index, worker);
}

/* Tasks that are too few for all threads: those with large sets one after the other, so that the steps over
 * these are divided. Each begins from the same as it would among others. */
static kan_status do_few(wave *w, size_t size) {
    kan_workspace *workspace = w->explorers[0].probe.workspace;
    kan_status status = KAN_OK;
    kan_workspace_divide(workspace, KAN_LEAST_DIVIDED);
    for (size_t i = 0; i < size && status == KAN_OK; i++)
        if (is_large(&w->first[i]))
            status = do_task(w, i, 0);
    kan_workspace_divide(workspace, 0);
    return status == KAN_OK ? kan_parallel(w->explorers[0].probe.run, size, do_small, w) : status;
}

static kan_status do_waves(kan_box_plan *p, kan_box_explorer *explorers, unsigned n_explorers) {
    kan_run *run = explorers[0].probe.run;
    kan_judge *judge = &explorers[0].probe.judge;
    size_t size = 1;
    if (p->is_by_levels)
        sort_tasks(p);
    for (size_t done = 0; done < p->n_tasks; done += size) {
        /* The first two tasks go alone: their best prunes all others. */
        size = done < 2 ? 1 : done;
        if (size > p->n_tasks - done)
            size = p->n_tasks - done;
        wave w = {p,
                  explorers,
                  p->tasks + done,
                  judge->best,
                  judge->least_suppressed,
                  p->most_checked - p->boxes->n_reached};
        if (n_explorers > 1 && !p->is_over)
            KAN_TRY(size < n_explorers ? do_few(&w, size) : kan_parallel(run, size, do_task, &w));
        uint64_t n_checked = 0;
        for (size_t i = 0; n_explorers == 1 && i < size && !p->is_over; i++) {
            if (n_checked > w.most_checked)
                break;
            KAN_TRY(do_task(&w, i, 0));
            n_checked += w.first[i].n_checked;
        }
        KAN_TRY(take_wave(p, run, &w, size));
        judge->best = kan_trail_last(&p->trail);
        judge->least_suppressed = w.least_suppressed;
        drop_sets(p, run, done + size);
    }
    return KAN_OK;
}

static kan_status open_explorer(kan_box_plan *p, const kan_question *question,
                                kan_box_explorer *e) {
    e->plan = p;
    KAN_TRY(kan_probe_init(&e->probe, question));
    if (p->boxes->strict)
        KAN_TRY(kan_probe_be_strict(&e->probe, p->boxes->strict));
    return kan_alloc_zero(e->probe.run, p->n_depths, sizeof *e->sets, &e->sets);
}

static void close_explorer(kan_box_explorer *e) {
    kan_run *run = e->probe.run;
    for (unsigned i = 0; e->sets && i < e->plan->n_depths; i++)
        if (e->sets[i]) {
            kan_freqset_destroy(run, e->sets[i]);
            kan_free(run, e->sets[i]);
        }
    if (e->plan)
        kan_free(run, e->sets);
    kan_probe_destroy(&e->probe);
}

/* Threads pay where sets are large or boxes many; what is small is over before they have begun.
 * That depends on the problem alone, not on the threads there are. */
static void make_plan(kan_box_plan *p, kan_boxes *boxes, const kan_question *question) {
    enum { LARGE_BASE = 1 << 15, LARGE_LATTICE = 1 << 20, TASK_CUTS = 6 };
    const kan_problem *problem = question->problem;
    *p = (kan_box_plan){.boxes = boxes,
                        .promise = question->promise,
                        .n_attributes = problem->space.n_attributes,
                        .most_checked = boxes->most_checked ? boxes->most_checked : UINT64_MAX,
                        .is_by_levels = question->objective->kind->bound_is_by_levels};
    p->bounds_losses = !p->is_by_levels && kan_probe_bounds_losses(question);
    p->counts_all_losses = p->is_by_levels;
    p->wants_low =
        kan_probe_wants_sets(question) || (question->promise->limit > 0 && !p->is_by_levels);
    p->shaves = question->promise->limit == 0 && !p->wants_low;
    p->descends = question->promise->limit > 0 && p->is_by_levels &&
                  !question->objective->kind->needs_shares && !boxes->strict && !boxes->satisfies &&
                  !boxes->known && !kan_probe_wants_sets(question);
    p->n_depths = TASK_CUTS + 4;
    for (unsigned a = 0; a < p->n_attributes; a++) /* a cut, and perhaps a shave before it */
        p->n_depths += 2 * boxes->lattice->heights[a];
    p->task_cuts = boxes->task_cuts;
    if (p->task_cuts == 0 &&
        (problem->base.n >= LARGE_BASE || boxes->lattice->n_nodes >= LARGE_LATTICE))
        p->task_cuts = TASK_CUTS;
}

/* The first cuts, as far as they are within what may be checked. */
static kan_status take_root(kan_box_plan *p, kan_run *run, kan_box_explorer *e) {
    kan_box_task root = {.set = NULL};
    kan_status status;
    begin_trail(e, &root.trail, p->most_checked);
    KAN_TRY_DONE(explore_root(e));
    KAN_TRY_DONE(kan_box_explorer_note(e));
    root.n_checked = kan_box_explorer_checked(e);
    root.is_stopped = e->is_stopped;
    root.has_left = e->has_left;
    root.left_bound = e->left_bound;
    KAN_TRY_DONE(take_task(p, run, &root));
    e->probe.judge.best = kan_trail_last(&p->trail);
done:
    kan_trail_destroy(&root.trail, run);
    return status;
}

static kan_status run_plan(kan_box_plan *p, kan_box_explorer *explorers, unsigned n_explorers,
                           const kan_question *question) {
    kan_run *run = question->problem->run;
    for (unsigned i = 0; i < n_explorers; i++)
        KAN_TRY(open_explorer(p, question, &explorers[i]));
    if (explorers[0].probe.counts_people)
        KAN_TRY(kan_probe_make_crowd(&explorers[0].probe, &p->crowd));
    for (unsigned i = 0; i < n_explorers && explorers[0].probe.counts_people; i++)
        KAN_TRY(kan_probe_use_crowd(&explorers[i].probe, &p->crowd));
    KAN_TRY(kan_box_cut_price(p, &explorers[0]));
    explorers[0].is_collecting = p->task_cuts > 0;
    explorers[0].probe.judge.best = p->boxes->seed;
    kan_workspace_divide(explorers[0].probe.workspace, n_explorers > 1 ? KAN_LEAST_DIVIDED : 0);
    KAN_TRY(take_root(p, run, &explorers[0]));
    kan_workspace_divide(explorers[0].probe.workspace, 0);
    explorers[0].is_collecting = false;
    if (p->n_tasks > 0) {
        /* The root's own set is referred to as well. */
        KAN_TRY(kan_reserve(run, p->n_kept + 1, sizeof *p->kept, &p->kept_room, &p->kept));
        p->kept[p->n_kept++] = explorers[0].sets[0];
        explorers[0].sets[0] = NULL;
    }
    return do_waves(p, explorers, n_explorers);
}

static void conclude(kan_boxes *boxes, const kan_box_plan *p, const kan_box_explorer *explorers,
                     unsigned n_explorers, kan_judge *judge) {
    kan_judge_merge(judge, &explorers[0].probe.judge);
    boxes->is_proven = !p->has_left;
    boxes->bound = p->has_left ? p->left_bound : kan_score_real(INFINITY);
    for (unsigned i = 0; i < n_explorers; i++) {
        const kan_box_explorer *e = &explorers[i];
        boxes->n_checked += e->probe.n_checked;
        boxes->effort.n_scans += e->probe.effort.n_scans;
        boxes->effort.n_rollups += e->probe.effort.n_rollups;
        boxes->effort.n_tuples += e->probe.effort.n_tuples;
    }
    if (judge->best.is_found && (boxes->is_proven || judge->best.score.real < boxes->bound.real))
        boxes->bound = judge->best.score;
}

/* Each thread has sets and scratch of its own: under a budget that does not hold several of them
 * for each, one does the work. */
static unsigned count_explorers(const kan_box_plan *p, const kan_problem *problem) {
    const unsigned n_threads = kan_run_threads(problem->run);
    const uint64_t needed = 20 * kan_set_bytes(&problem->base);
    if (p->task_cuts == 0 || kan_run_memory_left(problem->run) / n_threads < needed)
        return 1;
    return n_threads;
}

kan_status kan_boxes_search(kan_boxes *boxes, kan_judge *judge) {
    kan_status status;
    const kan_question *question = judge->question;
    kan_run *run = question->problem->run;
    kan_box_plan p;
    make_plan(&p, boxes, question);
    const unsigned n_explorers = count_explorers(&p, question->problem);
    kan_box_explorer *explorers;
    kan_crowd_init(&p.crowd, run);
    KAN_TRY(kan_alloc_zero(run, n_explorers, sizeof *explorers, &explorers));
    KAN_TRY_DONE(run_plan(&p, explorers, n_explorers, question));
    conclude(boxes, &p, explorers, n_explorers, judge);
    if (boxes->trail)
        KAN_TRY_DONE(kan_trail_append(boxes->trail, run, 0, &p.trail, UINT64_MAX));
    if (!boxes->is_proven && !judge->best.is_found)
        status = kan_check_cancel(run);
done:
    kan_trail_destroy(&p.trail, run);
    for (unsigned i = 0; i < n_explorers; i++)
        close_explorer(&explorers[i]);
    for (size_t i = 0; i < p.n_kept; i++) {
        kan_freqset_destroy(run, p.kept[i]);
        kan_free(run, p.kept[i]);
    }
    kan_crowd_destroy(&p.crowd);
    kan_free(run, p.kept);
    for (size_t i = 0; i < p.n_tasks; i++)
        kan_trail_destroy(&p.tasks[i].trail, run);
    kan_free(run, p.tasks);
    for (unsigned a = 0; a < p.n_attributes; a++) {
        kan_free(run, p.dearer[a]);
        kan_free(run, p.widths[a]);
    }
    kan_free(run, explorers);
    return status;
}

/* The nodes are known, so that only the best of them is looked for. */
kan_status kan_judge_find_best(kan_judge *judge, const kan_lattice *lattice,
                               const uint64_t *satisfies, kan_effort *effort) {
    kan_boxes boxes = {.question = judge->question, .lattice = lattice, .known = satisfies};
    KAN_TRY(kan_boxes_search(&boxes, judge));
    effort->n_measured += boxes.n_checked;
    effort->n_tuples += boxes.effort.n_tuples;
    /* A search that knows every node promises the best of them: time is up without it. */
    return boxes.is_proven ? KAN_OK : kan_check_cancel(judge->question->problem->run);
}
