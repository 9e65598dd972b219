/* Writing the nodes of a lattice: see nodes_file.h. */
#include "job/release/nodes_file.h"

#include <math.h>
#include <string.h>

#include "job/release/node_lines.h"
#include "job/settings/settings.h"
#include "search/levels/levels.h"

/* Each takes a line of some hundred bytes, and about as long as to read the table once: more are
 * written only where somebody says how many. */
enum { MOST_NODES = 1000000, BLOCK_BYTES = 1 << 16 };

static const char *wanted_path(const kan_setup *setup) {
    return kan_options_find(&setup->job->options, "nodes");
}

/* Lines that are wanted; 0: all. */
static uint64_t wanted_lines(const kan_setup *setup) {
    return kan_options_count(&setup->job->options, "most-nodes", 0);
}

kan_status kan_nodes_file_is_possible(const kan_setup *setup) {
    kan_lattice lattice;
    char nodes[32], most[32];
    if (!wanted_path(setup)) {
        if (kan_options_find(&setup->job->options, "most-nodes"))
            kan_note(setup->run, "--most-nodes does nothing without --nodes");
        return KAN_OK;
    }
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--nodes: a node is one level of the hierarchy for each quasi-identifier, "
                        "and --algorithm %s has none; %suse --algorithm auto, or leave --nodes out",
                        setup->search->kind.name, kan_setup_before_levels(setup));
    kan_lattice_make(&setup->problem.space, &lattice);
    if (wanted_lines(setup) > 0 || (lattice.is_countable && lattice.n_nodes <= MOST_NODES))
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--nodes: there are %s%s nodes, and the maximum is %s; say how many of those "
                    "that cost least are wanted, such as --most-nodes 1000, or rule levels out "
                    "with --level, such as --level NAME=1..3",
                    kan_count_text(lattice.n_nodes, nodes), lattice.is_countable ? "" : " or more",
                    kan_count_text(MOST_NODES, most));
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_setup *setup;
    kan_objective objectives[KAN_MAX_METRICS];
    size_t n_objectives, order; /* lines are in the order of that one */
    kan_target *target;
    kan_text text; /* lines that are not written yet */
    kan_text line; /* in the making */
    kan_node_lines waiting;
    uint64_t most; /* lines that are wanted */
    kan_nodes_listed *listed;
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
    kan_text *text = &w->line;
    unsigned height = 0;
    text->size = 0;
    for (unsigned a = 0; a < w->setup->n_quasi; a++) {
        kan_text_print(text, a ? ",%u" : "\"%u", levels[a]);
        height += levels[a];
    }
    kan_text_print(text, "\",%u,%s", height, figures->satisfies ? "true" : "false");
    add_count(text, problem->n_rows - figures->n_suppressed);
    add_count(text, figures->n_suppressed);
    add_real(text, kan_setup_leaves_people(w->setup) ? (double)figures->n_left_out : (double)NAN);
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
    KAN_TRY(kan_text_status(text));
    return kan_node_lines_add(&w->waiting, &scores[w->order], levels, w->setup->n_quasi,
                              (kan_slice){text->bytes, text->size});
}

/* Writes the first line that waits. */
static kan_status write_first(nodes_writer *w) {
    const kan_node_line *line = kan_node_lines_first(&w->waiting);
    kan_text_add(&w->text, line->bytes, line->size);
    kan_node_lines_drop_first(&w->waiting);
    w->listed->n_written++;
    return w->text.size < BLOCK_BYTES ? KAN_OK : write_text(w);
}

/* Lines that no other can come before. */
static kan_status settle(void *context, const kan_score *floor, bool *is_enough) {
    nodes_writer *w = context;
    const kan_node_line *line;
    while (w->listed->n_written < w->most && (line = kan_node_lines_first(&w->waiting)) &&
           kan_survey_is_below(&line->score, floor))
        KAN_TRY(write_first(w));
    w->listed->n_in_order = w->listed->n_written;
    *is_enough = w->listed->n_written == w->most;
    return KAN_OK;
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
        const kan_cost_kind *kind = setup->costs[i];
        if (!kan_setup_can_measure(setup, kind))
            continue;
        if (kind == setup->objective.kind)
            w->order = w->n_objectives;
        KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, kind, &setup->job->options,
                                     setup->promise.k, &setup->problem,
                                     &w->objectives[w->n_objectives++]));
    }
    return KAN_OK;
}

/* When it is stopped, what was looked at is written all the same: in the order of its cost, too, but
 * others may cost less. */
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
                            .settle = settle,
                            .context = w};
    bool is_complete;
    kan_run_set_time_limit(setup->run, kan_options_real(&setup->job->options, "time-limit", 0));
    kan_anytime_begin(setup->run);
    kan_status status = kan_survey_run(setup->run, &all, &is_complete);
    w->listed->is_interrupted = kan_anytime_end(setup->run);
    kan_run_set_time_limit(setup->run, 0);
    KAN_TRY(status);
    while (w->waiting.n > 0 && w->listed->n_written < w->most)
        KAN_TRY(write_first(w));
    w->listed->is_complete = is_complete && w->waiting.n == 0;
    if (is_complete)
        w->listed->n_in_order = w->listed->n_written;
    return write_text(w);
}

kan_status kan_nodes_file_write(const kan_setup *setup, kan_nodes_listed *listed,
                                kan_target **out) {
    const char *path = wanted_path(setup);
    const uint64_t most = wanted_lines(setup);
    nodes_writer w = {.setup = setup,
                      .waiting = {.run = setup->run},
                      .most = most > 0 ? most : UINT64_MAX,
                      .listed = listed};
    kan_status status;
    *out = NULL;
    *listed = (kan_nodes_listed){.n_written = 0};
    if (!path)
        return KAN_OK;
    kan_text_init(&w.text, setup->run);
    kan_text_init(&w.line, setup->run);
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
    kan_node_lines_destroy(&w.waiting);
    kan_text_destroy(&w.text);
    kan_text_destroy(&w.line);
    return status;
}

/* ---- what is told of it --------------------------------------------------------------------- */

static void tell_stop(const kan_setup *setup, const kan_nodes_listed *listed) {
    char ordered[32], others[32];
    if (listed->is_complete || listed->n_written == wanted_lines(setup))
        return;
    kan_note(setup->run,
             "--nodes was stopped: the first %s lines are those that cost least; %s more were "
             "looked at and follow, but others may cost less than these",
             kan_count_text(listed->n_in_order, ordered),
             kan_count_text(listed->n_written - listed->n_in_order, others));
}

kan_status kan_nodes_file_commit(const kan_setup *setup, const kan_nodes_listed *listed,
                                 kan_target *target, kan_result *result) {
    const char *path = wanted_path(setup);
    const bool is_output = path && strcmp(path, "-") == 0;
    char lines[32];
    if (!target)
        return KAN_OK;
    tell_stop(setup, listed);
    kan_note(setup->run,
             "%s has figures of all rows: it is for those who may see the table, and must not be "
             "shared",
             is_output ? "what is on standard output" : path);
    kan_text_print(&result->summary,
                   "\n  nodes       %s: ", is_output ? "on standard output" : path);
    if (listed->is_complete)
        kan_text_print(&result->summary, "a line for every combination of levels\n");
    else
        kan_text_print(&result->summary, "%s combinations of levels\n",
                       kan_count_text(listed->n_written, lines));
    KAN_TRY(kan_text_status(&result->summary));
    return kan_target_commit(target);
}
