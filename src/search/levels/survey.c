/* The survey of a lattice: see survey.h. */
#include "search/levels/survey.h"

#include <string.h>

#include "search/levels/survey_node.h"

enum {
    RUN_NODES = 32,    /* a task has at least so many nodes, where the lattice has */
    BATCH_NODES = 8192 /* and a batch at most about so many, or one task */
};

typedef struct {
    kan_survey_scratch scratch;
    kan_freqset sets[KAN_MAX_ATTRIBUTES][2]; /* by wheel: this level's and the one before */
    unsigned levels[KAN_MAX_ATTRIBUTES];
} survey_worker;

typedef struct {
    kan_run *run;
    const kan_survey *survey;
    kan_workers workers;
    survey_worker *each;
    unsigned first_wheel; /* the attributes from here on turn within a task */
    uint64_t run_nodes;   /* nodes of a task */
    size_t batch_tasks;
    uint64_t first_node; /* of the batch in hand */
    kan_node_figures *figures;
    kan_score *scores;
    atomic_uint_fast64_t n_done;
} survey_state;

/* ---- a task --------------------------------------------------------------------------------- */

static kan_status visit(survey_state *s, unsigned index, const kan_freqset *set, uint64_t *node) {
    const size_t at = (size_t)(*node - s->first_node);
    enum { STEP = 64 };
    KAN_TRY(kan_check_cancel(s->run));
    KAN_TRY(kan_survey_node(s->survey, &s->workers.each[index].judge, &s->each[index].scratch, set,
                            &s->figures[at], s->scores + at * s->survey->n_objectives));
    const uint64_t n_done = atomic_fetch_add(&s->n_done, 1) + 1;
    if (n_done % STEP == 0)
        kan_report_units(s->run, "nodes", "nodes", n_done, s->workers.lattice.n_nodes);
    ++*node;
    return KAN_OK;
}

/* Turns the wheel and those behind it, from their lowest levels on. */
static kan_status turn(survey_state *s, unsigned index, unsigned wheel, const kan_freqset *set,
                       uint64_t *node) {
    const kan_lattice *lattice = &s->workers.lattice;
    survey_worker *worker = &s->each[index];
    if (wheel == lattice->n_attributes)
        return visit(s, index, set, node);
    for (unsigned step = 0; step <= lattice->heights[wheel]; step++) {
        worker->levels[wheel] = lattice->low[wheel] + step;
        if (step > 0) {
            kan_freqset *next = &worker->sets[wheel][step & 1];
            KAN_TRY(kan_freqset_rollup(&s->survey->question->problem->space, set, worker->levels,
                                       s->workers.each[index].workspace, next));
            set = next;
        }
        KAN_TRY(turn(s, index, wheel + 1, set, node));
    }
    worker->levels[wheel] = lattice->low[wheel];
    return KAN_OK;
}

static kan_status do_task(void *context, size_t task, unsigned index) {
    survey_state *s = context;
    survey_worker *worker = &s->each[index];
    kan_worker *shared = &s->workers.each[index];
    uint64_t node = s->first_node + task * s->run_nodes;
    kan_lattice_levels(&s->workers.lattice, node, worker->levels);
    KAN_TRY(kan_freqset_rollup(&s->survey->question->problem->space, &s->workers.base,
                               worker->levels, shared->workspace, &shared->set));
    return turn(s, index, s->first_wheel, &shared->set, &node);
}

/* ---- batches -------------------------------------------------------------------------------- */

static kan_status hand_over(survey_state *s, uint64_t n_nodes) {
    const kan_survey *survey = s->survey;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    for (uint64_t i = 0; i < n_nodes; i++) {
        kan_lattice_levels(&s->workers.lattice, s->first_node + i, levels);
        KAN_TRY(survey->take(survey->context, levels, &s->figures[i],
                             s->scores + i * survey->n_objectives));
    }
    return KAN_OK;
}

static kan_status do_batches(survey_state *s) {
    const uint64_t n_nodes = s->workers.lattice.n_nodes;
    kan_report_units(s->run, "nodes", "nodes", 0, n_nodes);
    for (; s->first_node < n_nodes; s->first_node += s->batch_tasks * s->run_nodes) {
        const uint64_t left = (n_nodes - s->first_node) / s->run_nodes;
        const size_t n_tasks = left < s->batch_tasks ? (size_t)left : s->batch_tasks;
        KAN_TRY(kan_workers_run(&s->workers, n_tasks, do_task, s));
        KAN_TRY(hand_over(s, n_tasks * s->run_nodes));
    }
    return KAN_OK;
}

static kan_status prepare(survey_state *s) {
    const kan_lattice *lattice = &s->workers.lattice;
    KAN_TRY(kan_workers_init(&s->workers, s->run, s->survey->question, "exhaustive"));
    KAN_TRY(kan_alloc_zero(s->run, s->workers.n, sizeof *s->each, &s->each));
    s->run_nodes = 1;
    s->first_wheel = lattice->n_attributes;
    while (s->first_wheel > 0 && s->run_nodes < RUN_NODES)
        s->run_nodes *= lattice->heights[--s->first_wheel] + UINT64_C(1);
    s->batch_tasks = s->run_nodes < BATCH_NODES ? (size_t)(BATCH_NODES / s->run_nodes) : (size_t)1;
    const size_t n = s->batch_tasks * (size_t)s->run_nodes;
    KAN_TRY(kan_alloc(s->run, n, sizeof *s->figures, &s->figures));
    return kan_alloc(s->run, n * s->survey->n_objectives, sizeof *s->scores, &s->scores);
}

static void clean_up(survey_state *s) {
    for (unsigned i = 0; s->each && i < s->workers.n; i++) {
        survey_worker *worker = &s->each[i];
        kan_free(s->run, worker->scratch.nobody);
        kan_free(s->run, worker->scratch.passes);
        kan_free(s->run, worker->scratch.sizes);
        for (unsigned a = 0; a < s->workers.lattice.n_attributes; a++) {
            kan_freqset_destroy(s->run, &worker->sets[a][0]);
            kan_freqset_destroy(s->run, &worker->sets[a][1]);
        }
    }
    kan_free(s->run, s->each);
    kan_free(s->run, s->figures);
    kan_free(s->run, s->scores);
    kan_workers_destroy(&s->workers);
}

kan_status kan_survey_run(kan_run *run, const kan_survey *survey) {
    survey_state s = {.run = run, .survey = survey};
    kan_status status = prepare(&s);
    if (status == KAN_OK)
        status = do_batches(&s);
    clean_up(&s);
    return status;
}

kan_status kan_survey_one(kan_run *run, const kan_question *question, const unsigned *levels,
                          kan_node_figures *out) {
    const kan_survey survey = {.question = question};
    kan_survey_scratch scratch = {.nobody = NULL};
    kan_workers workers;
    kan_status status;
    KAN_TRY_DONE(kan_workers_init(&workers, run, question, "exhaustive"));
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
