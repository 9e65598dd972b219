/* The survey of a lattice: see survey.h. */
#include "search/levels/survey.h"

#include <math.h>
#include <string.h>

#include "search/levels/survey_node.h"

enum {
    BOX_NODES = 32, /* a box of so many nodes is looked at, a larger one is cut */
    WAVE_BOXES = 64 /* boxes of a wave */
};

typedef struct {
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    uint64_t n_lost; /* rows that every node of it loses */
    kan_score bound; /* no node of it costs less */
} survey_box;

/* A box of a wave, and what became of it. */
typedef struct {
    survey_box box;
    bool is_done, is_cut;
    survey_box halves[2]; /* when it was cut */
    size_t n_nodes;       /* else: nodes that were looked at */
} survey_task;

typedef struct {
    kan_survey_scratch scratch;
    kan_freqset sets[KAN_MAX_ATTRIBUTES][2]; /* by wheel: this level's and the one before */
    kan_freqset corner;
    kan_judge judge; /* for bounds */
} survey_worker;

typedef struct {
    kan_run *run;
    const kan_survey *survey;
    kan_workers workers;
    survey_worker *each;
    /* Bounds are those of the part of the promise that sizes decide, whatever the limit: the whole of
     * it loses more (docs/papers/screen.md). Where people are counted only levels tell. */
    kan_promise by_size;
    kan_question relaxed;
    bool can_bound, bounds_losses;
    survey_box *heap; /* open boxes, the one with the lowest bound on top */
    size_t n_open, room;
    size_t box_nodes, wave_boxes;
    survey_task *wave;
    size_t n_wave;
    unsigned *levels; /* by task and node */
    kan_node_figures *figures;
    kan_score *scores;
    atomic_uint_fast64_t n_done;
} survey_state;

bool kan_survey_is_below(const kan_score *score, const kan_score *floor) {
    if (score->is_exact && floor->is_exact)
        return score->whole < floor->whole;
    return score->real + fabs(score->real) * 1e-9 < floor->real;
}

/* ---- open boxes ----------------------------------------------------------------------------- */

static bool is_before(const survey_box *a, const survey_box *b) {
    const int order = kan_score_compare(&a->bound, &b->bound);
    return order != 0 ? order < 0 : memcmp(a->low, b->low, sizeof a->low) < 0;
}

static kan_status push(survey_state *s, const survey_box *box) {
    KAN_TRY(kan_reserve(s->run, s->n_open + 1, sizeof *s->heap, &s->room, &s->heap));
    size_t at = s->n_open++;
    for (; at > 0 && is_before(box, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = *box;
    return KAN_OK;
}

static survey_box pop(survey_state *s) {
    const survey_box top = s->heap[0], last = s->heap[--s->n_open];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->n_open; at = child) {
        if (child + 1 < s->n_open && is_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!is_before(&s->heap[child], &last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

/* ---- a box is cut --------------------------------------------------------------------------- */

static kan_status see_corner(survey_state *s, unsigned index, const uint8_t *corner,
                             unsigned *levels, kan_groups *out) {
    survey_worker *worker = &s->each[index];
    for (unsigned a = 0; a < s->workers.lattice.n_attributes; a++)
        levels[a] = corner[a];
    KAN_TRY(kan_freqset_rollup(&s->relaxed.problem->space, &s->workers.base, levels,
                               s->workers.each[index].workspace, &worker->corner));
    return kan_judge_see(&worker->judge, &worker->corner, out);
}

static kan_status find_bound(survey_state *s, unsigned index, survey_box *b) {
    const kan_objective *objective = s->relaxed.objective;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups low = {.n_rows = s->relaxed.problem->n_rows, .levels = levels};
    if (!s->can_bound)
        return KAN_OK;
    if (objective->kind->bound_is_by_levels)
        for (unsigned a = 0; a < s->workers.lattice.n_attributes; a++)
            levels[a] = b->low[a];
    else
        KAN_TRY(see_corner(s, index, b->low, levels, &low));
    const kan_score bound = kan_objective_bound(objective, &low, b->n_lost);
    if (kan_score_compare(&bound, &b->bound) > 0) /* else what held for the larger box */
        b->bound = bound;
    return KAN_OK;
}

static kan_status cut(survey_state *s, unsigned index, survey_task *task) {
    const survey_box *b = &task->box;
    survey_box *lower = &task->halves[0], *upper = &task->halves[1];
    unsigned widest = 0;
    for (unsigned a = 1; a < s->workers.lattice.n_attributes; a++)
        if (b->high[a] - b->low[a] > b->high[widest] - b->low[widest])
            widest = a;
    const unsigned middle = (b->low[widest] + b->high[widest]) / 2U;
    *lower = *upper = *b;
    lower->high[widest] = (uint8_t)middle;
    upper->low[widest] = (uint8_t)(middle + 1);
    if (s->bounds_losses) {
        unsigned levels[KAN_MAX_ATTRIBUTES];
        kan_groups groups;
        KAN_TRY(see_corner(s, index, lower->high, levels, &groups));
        lower->n_lost = groups.n_suppressed;
    }
    KAN_TRY(find_bound(s, index, lower));
    KAN_TRY(find_bound(s, index, upper));
    task->is_done = task->is_cut = true;
    return KAN_OK;
}

/* ---- a box is looked at --------------------------------------------------------------------- */

static kan_status visit(survey_state *s, unsigned index, survey_task *task, const unsigned *levels,
                        const kan_freqset *set) {
    const size_t at = (size_t)(task - s->wave) * s->box_nodes + task->n_nodes++;
    const unsigned n = s->workers.lattice.n_attributes;
    memcpy(s->levels + at * n, levels, n * sizeof *levels);
    KAN_TRY(kan_survey_node(s->survey, &s->workers.each[index].judge, &s->each[index].scratch, set,
                            &s->figures[at], s->scores + at * s->survey->n_objectives));
    kan_report_units(s->run, "nodes", "nodes", atomic_fetch_add(&s->n_done, 1) + 1,
                     s->workers.lattice.is_countable ? s->workers.lattice.n_nodes : 0);
    return KAN_OK;
}

/* Turns the wheel and those behind it, from their lowest levels on. */
static kan_status turn(survey_state *s, unsigned index, survey_task *task, unsigned wheel,
                       unsigned *levels, const kan_freqset *set) {
    if (kan_should_stop(s->run))
        return KAN_OK;
    if (wheel == s->workers.lattice.n_attributes)
        return visit(s, index, task, levels, set);
    for (unsigned level = task->box.low[wheel]; level <= task->box.high[wheel]; level++) {
        levels[wheel] = level;
        if (level > task->box.low[wheel]) {
            kan_freqset *next = &s->each[index].sets[wheel][level & 1];
            KAN_TRY(kan_freqset_rollup(&s->relaxed.problem->space, set, levels,
                                       s->workers.each[index].workspace, next));
            set = next;
        }
        KAN_TRY(turn(s, index, task, wheel + 1, levels, set));
    }
    levels[wheel] = task->box.low[wheel];
    return KAN_OK;
}

static kan_status look(survey_state *s, unsigned index, survey_task *task) {
    kan_worker *shared = &s->workers.each[index];
    unsigned levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < s->workers.lattice.n_attributes; a++)
        levels[a] = task->box.low[a];
    KAN_TRY(kan_freqset_rollup(&s->relaxed.problem->space, &s->workers.base, levels,
                               shared->workspace, &shared->set));
    KAN_TRY(turn(s, index, task, 0, levels, &shared->set));
    task->is_done = !kan_should_stop(s->run);
    return KAN_OK;
}

/* Nodes of a box, and more than a task looks at where they are not counted any further. */
static uint64_t count_nodes(const survey_state *s, const survey_box *b) {
    uint64_t n = 1;
    for (unsigned a = 0; a < s->workers.lattice.n_attributes && n <= s->box_nodes; a++)
        n *= b->high[a] - b->low[a] + 1U;
    return n;
}

static kan_status do_task(void *context, size_t at, unsigned index) {
    survey_state *s = context;
    survey_task *task = &s->wave[at];
    if (kan_should_stop(s->run))
        return KAN_OK;
    return count_nodes(s, &task->box) > s->box_nodes ? cut(s, index, task) : look(s, index, task);
}

/* ---- waves ---------------------------------------------------------------------------------- */

/* What was looked at in part, because of a stop, is handed over as far as it goes. */
static kan_status hand_over(survey_state *s) {
    const kan_survey *survey = s->survey;
    const unsigned n = s->workers.lattice.n_attributes;
    for (const survey_task *task = s->wave; task < s->wave + s->n_wave; task++) {
        size_t at = (size_t)(task - s->wave) * s->box_nodes;
        for (size_t i = 0; i < task->n_nodes; i++, at++)
            KAN_TRY(survey->take(survey->context, s->levels + at * n, &s->figures[at],
                                 s->scores + at * survey->n_objectives));
        if (!task->is_done)
            KAN_TRY(push(s, &task->box));
        for (unsigned half = 0; half < 2 && task->is_cut; half++)
            KAN_TRY(push(s, &task->halves[half]));
    }
    return KAN_OK;
}

static kan_status settle(survey_state *s, bool *is_enough) {
    const kan_score all = kan_score_real((double)INFINITY);
    *is_enough = false;
    return s->survey->settle
               ? s->survey->settle(s->survey->context, s->n_open > 0 ? &s->heap[0].bound : &all,
                                   is_enough)
               : KAN_OK;
}

static kan_status do_waves(survey_state *s) {
    bool is_enough = false;
    while (s->n_open > 0 && !is_enough && !kan_should_stop(s->run)) {
        for (s->n_wave = 0; s->n_wave < s->wave_boxes && s->n_open > 0; s->n_wave++)
            s->wave[s->n_wave] = (survey_task){.box = pop(s)};
        KAN_TRY(kan_workers_run(&s->workers, s->n_wave, do_task, s));
        KAN_TRY(hand_over(s));
        KAN_TRY(settle(s, &is_enough));
    }
    return kan_run_is_cancelled(s->run) || atomic_load(&s->n_done) == 0 ? kan_check_cancel(s->run)
                                                                        : KAN_OK;
}

static kan_status push_root(survey_state *s) {
    const kan_lattice *lattice = &s->workers.lattice;
    survey_box root = {.bound = kan_score_real(-(double)INFINITY)};
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        root.low[a] = (uint8_t)lattice->low[a];
        root.high[a] = (uint8_t)kan_lattice_high(lattice, a);
    }
    return push(s, &root);
}

static kan_status prepare(survey_state *s) {
    const kan_survey *survey = s->survey;
    const kan_problem *problem = survey->question->problem;
    const kan_cost_kind *cost = survey->question->objective->kind;
    kan_promise_by_size(survey->question->promise, &s->by_size);
    s->relaxed = *survey->question;
    s->relaxed.promise = &s->by_size;
    s->can_bound = cost->bound && cost->grows_with_losses &&
                   (cost->bound_is_by_levels || !problem->has_person);
    s->bounds_losses =
        s->can_bound && !problem->has_person && s->by_size.size_decides && s->by_size.n_models == 1;
    KAN_TRY(kan_workers_init(&s->workers, s->run, survey->question, NULL));
    KAN_TRY(kan_alloc_zero(s->run, s->workers.n, sizeof *s->each, &s->each));
    for (unsigned i = 0; i < s->workers.n; i++)
        kan_judge_init(&s->each[i].judge, &s->relaxed);
    s->box_nodes = survey->box_nodes ? survey->box_nodes : BOX_NODES;
    s->wave_boxes = survey->wave_boxes ? survey->wave_boxes : WAVE_BOXES;
    const size_t n = s->wave_boxes * s->box_nodes;
    KAN_TRY(kan_alloc(s->run, s->wave_boxes, sizeof *s->wave, &s->wave));
    KAN_TRY(kan_alloc(s->run, n * s->workers.lattice.n_attributes, sizeof *s->levels, &s->levels));
    KAN_TRY(kan_alloc(s->run, n, sizeof *s->figures, &s->figures));
    KAN_TRY(kan_alloc(s->run, n * survey->n_objectives, sizeof *s->scores, &s->scores));
    return push_root(s);
}

static void clean_up(survey_state *s) {
    for (unsigned i = 0; s->each && i < s->workers.n; i++) {
        survey_worker *worker = &s->each[i];
        kan_free(s->run, worker->scratch.nobody);
        kan_free(s->run, worker->scratch.passes);
        kan_free(s->run, worker->scratch.sizes);
        kan_judge_destroy(&worker->judge);
        kan_freqset_destroy(s->run, &worker->corner);
        for (unsigned a = 0; a < s->workers.lattice.n_attributes; a++) {
            kan_freqset_destroy(s->run, &worker->sets[a][0]);
            kan_freqset_destroy(s->run, &worker->sets[a][1]);
        }
    }
    kan_free(s->run, s->each);
    kan_free(s->run, s->heap);
    kan_free(s->run, s->wave);
    kan_free(s->run, s->levels);
    kan_free(s->run, s->figures);
    kan_free(s->run, s->scores);
    kan_workers_destroy(&s->workers);
}

kan_status kan_survey_run(kan_run *run, const kan_survey *survey, bool *is_complete) {
    survey_state s = {.run = run, .survey = survey};
    kan_status status = prepare(&s);
    if (status == KAN_OK)
        status = do_waves(&s);
    *is_complete = status == KAN_OK && s.n_open == 0;
    clean_up(&s);
    return status;
}

kan_status kan_survey_one(kan_run *run, const kan_question *question, const unsigned *levels,
                          kan_node_figures *out) {
    const kan_survey survey = {.question = question};
    kan_survey_scratch scratch = {.nobody = NULL};
    kan_workers workers;
    kan_status status;
    KAN_TRY_DONE(kan_workers_init(&workers, run, question, NULL));
    kan_worker *worker = &workers.each[0];
    KAN_TRY_DONE(kan_freqset_rollup(&question->problem->space, &workers.base, levels,
                                    worker->workspace, &worker->set));
    KAN_TRY_DONE(kan_survey_node(&survey, &worker->judge, &scratch, &worker->set, out, NULL));
done:
    kan_free(run, scratch.nobody);
    kan_free(run, scratch.passes);
    kan_free(run, scratch.sizes);
    kan_workers_destroy(&workers);
    return status;
}
