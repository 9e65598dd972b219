/* Writing the nodes of a lattice: see nodes_file.h. */
#include "job/release/nodes_file.h"

#include <math.h>
#include <string.h>

#include "job/settings/settings.h"
#include "search/levels/levels.h"

/* Each takes a line of some hundred bytes, and about as long as to read the table once. */
enum { MOST_NODES = 1000000, BLOCK_BYTES = 1 << 16 };

static const char *wanted_path(const kan_setup *setup) {
    return kan_options_find(&setup->job->options, "nodes");
}

kan_status kan_nodes_file_is_possible(const kan_setup *setup) {
    kan_lattice lattice;
    char nodes[32], most[32];
    if (!wanted_path(setup))
        return KAN_OK;
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--nodes: a node is one level of the hierarchy for each quasi-identifier, "
                        "and --algorithm %s has none; %suse --algorithm auto, or leave --nodes out",
                        setup->search->kind.name, kan_setup_before_levels(setup));
    kan_lattice_make(&setup->problem.space, &lattice);
    if (lattice.is_countable && lattice.n_nodes <= MOST_NODES)
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--nodes: there are %s%s nodes, and the maximum is %s; rule levels out with "
                    "--level, such as --level NAME=1..3, or leave --nodes out",
                    kan_count_text(lattice.n_nodes, nodes), lattice.is_countable ? "" : " or more",
                    kan_count_text(MOST_NODES, most));
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_setup *setup;
    kan_objective objectives[KAN_MAX_METRICS];
    size_t n_objectives;
    kan_target *target;
    kan_text text; /* lines that are not written yet */
} nodes_writer;

static kan_status write_text(nodes_writer *w) {
    KAN_TRY(kan_text_status(&w->text));
    KAN_TRY(kan_target_write(w->target, w->text.bytes, w->text.size));
    w->text.size = 0;
    return KAN_OK;
}

static void add_real(kan_text *text, double value) {
    if (isfinite(value))
        kan_text_print(text, ",%.15g", value);
    else
        kan_text_print(text, ",");
}

static void add_count(kan_text *text, uint64_t count) {
    kan_text_print(text, ",%llu", (unsigned long long)count);
}

/* A whole number is written out as far as it fits. */
static void add_score(kan_text *text, const kan_score *score) {
    if (score->is_whole && score->whole <= UINT64_MAX)
        add_count(text, (uint64_t)score->whole);
    else
        add_real(text, score->real);
}

static kan_status take_node(void *context, const unsigned *levels, const kan_node_figures *figures,
                            const kan_score *scores) {
    nodes_writer *w = context;
    const kan_problem *problem = &w->setup->problem;
    kan_text *text = &w->text;
    unsigned height = 0;
    for (unsigned a = 0; a < w->setup->n_quasi; a++) {
        kan_text_print(text, a ? ",%u" : "\"%u", levels[a]);
        height += levels[a];
    }
    kan_text_print(text, "\",%u,%s", height, figures->satisfies ? "true" : "false");
    add_count(text, problem->n_rows - figures->n_suppressed);
    add_count(text, figures->n_suppressed);
    add_real(text, w->setup->promise.by_person ? (double)figures->n_left_out : (double)NAN);
    add_count(text, figures->n_groups);
    add_count(text, figures->smallest_group);
    add_real(text, figures->highest_risk);
    add_real(text, figures->average_risk);
    for (size_t i = 0; i < w->n_objectives; i++)
        add_score(text, &scores[i]);
    add_count(text, figures->n_failing);
    add_count(text, figures->n_failing_rows);
    add_count(text, figures->n_failing_ones);
    add_count(text, figures->n_failing_twos);
    add_count(text, figures->smallest_failing);
    kan_text_print(text, "\n");
    return text->size < BLOCK_BYTES ? KAN_OK : write_text(w);
}

static void add_header(nodes_writer *w) {
    kan_text_print(&w->text, "levels,height,satisfies,released_rows,suppressed_rows,"
                             "suppressed_people,groups,smallest_group,highest_risk,average_risk");
    for (size_t i = 0; i < w->n_objectives; i++)
        kan_text_print(&w->text, ",cost_%s", w->objectives[i].kind->kind.name);
    kan_text_print(&w->text, ",failing_groups,failing_rows,groups_of_one,groups_of_two,"
                             "smallest_failing_group\n");
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Every cost that the table has what it needs for. */
static kan_status make_objectives(nodes_writer *w) {
    const kan_setup *setup = w->setup;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST) && i < KAN_MAX_METRICS; i++) {
        const kan_cost_kind *kind = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (kind->needs_class && setup->problem.class_tail == KAN_NO_TAIL)
            continue;
        KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, kind, &setup->job->options,
                                     setup->promise.k, &setup->problem,
                                     &w->objectives[w->n_objectives++]));
    }
    return KAN_OK;
}

static kan_status survey(nodes_writer *w) {
    const kan_setup *setup = w->setup;
    const kan_question question = {.problem = &setup->problem,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &setup->job->options,
                                   .wants_costs = true};
    const kan_survey all = {.question = &question,
                            .objectives = w->objectives,
                            .n_objectives = w->n_objectives,
                            .take = take_node,
                            .context = w};
    KAN_TRY(kan_survey_run(setup->run, &all));
    return write_text(w);
}

kan_status kan_nodes_file_write(const kan_setup *setup, kan_target **out) {
    const char *path = wanted_path(setup);
    nodes_writer w = {.setup = setup};
    kan_status status;
    *out = NULL;
    if (!path)
        return KAN_OK;
    kan_text_init(&w.text, setup->run);
    KAN_TRY_DONE(make_objectives(&w));
    KAN_TRY_DONE(kan_target_open(setup->run, path,
                                 kan_options_switch(&setup->job->options, "force"),
                                 KAN_TARGET_PRIVATE, &w.target));
    add_header(&w);
    KAN_TRY_DONE(survey(&w));
    KAN_TRY_DONE(kan_target_finish(w.target));
    KAN_TRY_DONE(kan_target_sync(w.target));
    *out = w.target;
done:
    if (status != KAN_OK)
        kan_target_close(w.target);
    kan_text_destroy(&w.text);
    return status;
}

kan_status kan_nodes_file_commit(const kan_setup *setup, kan_target *target, kan_result *result) {
    const char *path = wanted_path(setup);
    if (!target)
        return KAN_OK;
    kan_note(setup->run,
             "%s has figures of all rows: it is for those who may see the table, and must not be "
             "shared",
             strcmp(path, "-") == 0 ? "what is on standard output" : path);
    kan_text_print(&result->summary, "\n  nodes       %s: a line for every combination of levels\n",
                   strcmp(path, "-") == 0 ? "on standard output" : path);
    KAN_TRY(kan_text_status(&result->summary));
    return kan_target_commit(target);
}
