/* iterate: every row leaves at the cheapest node of the lattice at which it can, and what comes of
 * that is improved. It follows any cost.
 *
 * ARX repeats the full-domain optimum on the rows that the optimum before it would suppress. Here
 * the rows that are left visit all nodes of the lattice instead, those first at which rows give up
 * least (local_stops.c); at each node whoever keeps the promise leaves (local_walk.c). So many nodes
 * can be visited because few rows are left soon, and because groups that are too small are only
 * counted (local_sift.c). Where even that would be too much work, every second node is visited, or
 * every tenth.
 *
 * Then rows move between clusters, as --improve has it (local_improve.c), until a fixed amount of
 * work is done, so that the answer is the same in every run. At last the full-domain optimum by the
 * same cost is asked for. If it costs less it is taken, and improved: so this is never worse than
 * full-domain recoding. The same with what `progressive` makes, which is asked first. */
#include "search/levels/levels.h"
#include "search/local/local.h"
#include "search/local/local_inside.h"

/* Tuples that are looked at on the way, and what is done afterwards: a few seconds each. */
enum { WALK = 400000000, IMPROVE = 120000000 };

/* ---- the way --------------------------------------------------------------------------------- */

typedef struct {
    const kan_local_space *space;
    kan_local_sift sift;
    kan_local_stops stops;
    size_t at;
    uint64_t work; /* tuples that may still be looked at */
} journey;

/* How far it is to the next stop. */
static size_t stride_of(const journey *j, const kan_local_chain *chain) {
    const uint64_t n_left = j->stops.n - j->at, cost = n_left * chain->n;
    const size_t stride = j->work > 0 ? (size_t)(cost / j->work) + 1 : n_left;
    return stride < n_left ? stride : n_left;
}

static kan_status next_stop(void *context, kan_local_chain *chain, bool *is_there) {
    journey *j = context;
    const kan_local_space *space = j->space;
    chain->n_groups = 0;
    for (unsigned i = 1; j->at < j->stops.n && chain->n_groups == 0; i++) {
        if (i % 64 == 0)
            KAN_TRY(kan_check_cancel(space->run));
        kan_report_progress(space->run, "search", j->at, j->stops.n);
        kan_local_sift_at(&j->sift, chain, j->stops.levels + j->at * space->n_attributes,
                          space->question->promise->least_size);
        j->work -= chain->n < j->work ? chain->n : j->work;
        j->at += stride_of(j, chain);
    }
    *is_there = chain->n_groups > 0;
    return KAN_OK;
}

static kan_status make_clusters(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    const kan_local_space *space = clusters->space;
    journey j = {.space = space, .sift = {.space = space}, .work = WALK / space->n_blocks};
    const kan_local_route route = {next_stop, &j, KAN_PICK_SMALLEST, true};
    kan_status status;
    KAN_TRY_DONE(kan_local_sift_make(space, &j.sift));
    KAN_TRY_DONE(kan_local_stops_make(space, rows, &j.stops));
    KAN_TRY_DONE(kan_local_walk(clusters, rows, passes, &route));
done:
    kan_local_sift_destroy(&j.sift);
    kan_local_stops_destroy(space, &j.stops);
    return status;
}

/* ---- the optimum ----------------------------------------------------------------------------- */

static kan_status leave_out_if_failing(kan_local_clusters *clusters, size_t c) {
    const kan_local_space *space = clusters->space;
    kan_local_cluster *cluster = &clusters->clusters[c];
    if (space->question->promise->by_person || kan_local_tally_passes(space, &cluster->tally))
        return KAN_OK;
    for (size_t i = 0; i < cluster->members.n; i++)
        KAN_TRY(kan_bundles_add(space, &clusters->lost, cluster->members.bundles[i].tuple,
                                cluster->members.bundles[i].n_rows));
    clusters->n_lost += cluster->tally.n_rows;
    cluster->members.n = 0;
    kan_local_tally_clear(space, &cluster->tally);
    return KAN_OK;
}

/* The rows of a group as a cluster, or with pasts as one for each. clusters_of: by past, the cluster of the
 * group in hand, plus one; all 0 between calls. */
static kan_status take_group(kan_local_clusters *clusters, const kan_local_chain *chain, size_t g,
                             size_t *cluster_of) {
    const kan_problem *problem = clusters->space->question->problem;
    const size_t first = clusters->n;
    for (size_t i = chain->start[g]; i < chain->start[g + 1]; i++) {
        const uint32_t t = chain->grouped[i];
        const uint32_t past = problem->has_pasts
                                  ? kan_problem_tuple_value(problem, t, problem->space.n_attributes)
                                  : 0;
        size_t c = cluster_of[past] - 1;
        if (cluster_of[past] == 0)
            KAN_TRY(kan_local_clusters_add(clusters, &c));
        cluster_of[past] = c + 1;
        KAN_TRY(kan_local_cluster_add(clusters, c, t, chain->left[t]));
    }
    for (size_t i = chain->start[g]; i < chain->start[g + 1]; i++)
        cluster_of[problem->has_pasts ? kan_problem_tuple_value(problem, chain->grouped[i],
                                                                problem->space.n_attributes)
                                      : 0] = 0;
    for (size_t c = first; c < clusters->n; c++)
        KAN_TRY(leave_out_if_failing(clusters, c));
    return KAN_OK;
}

/* The groups of a node as clusters; those that fail are left out, as the node's release does, by
 * person with all rows of whoever has one there. */
static kan_status take_groups(kan_local_clusters *clusters, const kan_local_chain *chain,
                              bool *is_within) {
    const kan_local_space *space = clusters->space;
    const kan_problem *problem = space->question->problem;
    uint64_t n_gone = 0;
    size_t *cluster_of;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(space->run, problem->has_pasts ? (size_t)problem->n_people : 1,
                           sizeof *cluster_of, &cluster_of));
    for (size_t g = 0; g < chain->n_groups && status == KAN_OK; g++)
        status = take_group(clusters, chain, g, cluster_of);
    kan_free(space->run, cluster_of);
    KAN_TRY(status);
    if (space->question->promise->by_person)
        KAN_TRY(kan_local_send_away(clusters, &n_gone));
    *is_within = !space->question->promise->by_person ||
                 n_gone + space->n_departed <= space->question->promise->limit;
    if (!problem->has_pasts)
        return kan_local_clusters_unite(clusters);
    uint64_t n_departed = 0;
    for (size_t i = 0; i < space->departed.n; i++)
        n_departed += space->departed.bundles[i].n_rows;
    *is_within = clusters->n_lost + n_departed <= space->question->promise->limit;
    return kan_local_clusters_tidy(clusters);
}

static kan_status take_node(kan_local_clusters *clusters, const uint8_t *levels, bool *is_within) {
    const kan_local_space *space = clusters->space;
    kan_local_chain chain = {.space = space};
    kan_local_sift sift = {.space = space};
    kan_status status;
    KAN_TRY_DONE(kan_local_sift_make(space, &sift));
    KAN_TRY_DONE(kan_local_chain_make(space, space->rows, &chain));
    kan_local_sift_at(&sift, &chain, levels, 1);
    KAN_TRY_DONE(take_groups(clusters, &chain, is_within));
done:
    kan_local_chain_destroy(&chain);
    kan_local_sift_destroy(&sift);
    return status;
}

static kan_status find_optimum(kan_local_clusters *clusters, bool *is_found) {
    const kan_local_space *space = clusters->space;
    kan_question question = *space->question;
    kan_answer answer = {.n_nodes = 0};
    kan_status status;
    question.wants_release = true;
    question.wants_costs = question.wants_all = question.wants_failing = question.wants_proof =
        false;
    *is_found = false;
    KAN_TRY_DONE(kan_levels_best(space->run, &question, &answer));
    if (answer.is_found) {
        uint8_t levels[KAN_MAX_ATTRIBUTES];
        for (unsigned a = 0; a < space->n_attributes; a++)
            levels[a] = (uint8_t)answer.recoding.levels[a];
        KAN_TRY_DONE(take_node(clusters, levels, is_found));
        *is_found &= clusters->n > 0;
    }
done:
    kan_answer_destroy(space->run, &answer);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_local_method method = {.make = make_clusters,
                                     .follows = KAN_FOLLOWS_ALL,
                                     .work = IMPROVE,
                                     .rival = find_optimum,
                                     .peer = &kan_local_progressive};
    return kan_local_search(run, question, &method, out);
}

static const kan_option_spec options[] = {KAN_LOCAL_OPTIONS};

const kan_search_kind kan_search_iterate = {
    .kind = {.name = "iterate",
             .summary =
                 "every row at the cheapest levels at which it keeps the promise; follows any cost",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "kanon's own",
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
