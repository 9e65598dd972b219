/* progressive: all rows are generalized together, one level of one attribute after the other, and
 * those that keep the promise leave with what they show by then (alpha-k.txt 4.1, Algorithm 1). Which
 * rows leave is decided in local_walk.c.
 *
 * Linear in tuples for each of the steps, which are as many as the hierarchies have levels. */
#include <string.h>

#include "search/local/local.h"
#include "search/local/local_inside.h"

static const kan_option_spec options[] = {
    {.name = "pick",
     .argument = "NAME",
     .summary = "whose rows are left out first, if not all can be: those of the largest or the "
                "smallest groups, or the first in the order of values",
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN,
     .fallback = "smallest",
     .choices = "largest|smallest|first"},
    KAN_LOCAL_OPTIONS,
};

typedef struct {
    unsigned step, n_steps;
    bool is_told; /* how far it is */
} steps;

static unsigned count_steps(const kan_local_space *space) {
    unsigned n = 1;
    for (unsigned a = 0; a < space->n_attributes; a++)
        n += space->attributes[a].hierarchy->height;
    return n;
}

/* One step further up, but for the first time. */
static kan_status take_step(void *context, kan_local_chain *chain, bool *is_there) {
    steps *s = context;
    if (s->is_told)
        kan_report_progress(chain->space->run, "search", s->step, s->n_steps);
    *is_there = true;
    if (s->step++ > 0)
        KAN_TRY(kan_local_chain_step(chain, is_there));
    if (*is_there)
        kan_local_chain_group(chain);
    return KAN_OK;
}

static kan_local_pick pick_of(const kan_question *question) {
    const char *name = kan_options_find(question->options, "pick");
    return !name || strcmp(name, "smallest") == 0 ? KAN_PICK_SMALLEST
           : strcmp(name, "first") == 0           ? KAN_PICK_FIRST
                                                  : KAN_PICK_LARGEST;
}

static kan_status walk_up(kan_local_clusters *clusters, const uint64_t *rows, bool passes,
                          bool is_told) {
    steps s = {.n_steps = count_steps(clusters->space), .is_told = is_told};
    const kan_local_route route = {take_step, &s, pick_of(clusters->space->question), false};
    return kan_local_walk(clusters, rows, passes, &route);
}

static kan_status make_clusters(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    return walk_up(clusters, rows, passes, true);
}

static kan_status make_quietly(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    return walk_up(clusters, rows, passes, false);
}

const kan_local_method kan_local_progressive = {.make = make_quietly};

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_local_method method = {.make = make_clusters};
    return kan_local_search(run, question, &method, out);
}

const kan_search_kind kan_search_progressive = {
    .kind = {.name = "progressive",
             .summary = "generalizes the rows that do not yet keep the promise, step by step",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Wong et al. 2006, 4.1",
             .is_everyday = true},
    .models = {&kan_model_cell_generalization, &kan_model_cell_suppression},
    .costs = &kan_local_costs,
    .regions = true,
    .local = true,
    .counts_people = true,
    .counts_pasts = true,
    .divides = true,
    .is_anytime = true,
    .search = search,
};
