/* The space of a partition: dimensions from the domains of the problem, and what the user chose. */
#include <stdio.h>
#include <string.h>

#include "core/wording.h"
#include "search/regions/partition.h"

/* ---- options --------------------------------------------------------------------------------- */

/* Where nothing else is named a purpose decides, by its outcome or by the weights that it gives; then a
 * workload, unless there is nothing in it to cut by, or it is not looked at. */
static kan_partition_choice chosen(const kan_question *question, bool is_relaxed) {
    static const char *const names[] = {"widest", "entropy", "cost", "workload", "purpose"};
    const char *name = kan_options_find(question->options, "split");
    for (unsigned i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (kan_partition_choice)i;
    if (question->purpose)
        return KAN_PARTITION_PURPOSE;
    if (kan_options_find(question->options, "for"))
        return KAN_PARTITION_COST;
    if (kan_options_find(question->options, "workload") && question->n_queries > 0 && !is_relaxed)
        return KAN_PARTITION_WORKLOAD;
    return kan_options_find(question->options, "cost") ? KAN_PARTITION_COST : KAN_PARTITION_WIDEST;
}

const kan_search_costs kan_partition_costs = {
    .why = " counts levels, which regions do not have; use another, such as ncp or discernibility"};

static kan_partition_gain gain_of(const kan_cost_kind *kind) {
    const kan_cost_kind *cost = kan_cost_followed(kind);
    if (cost->shape == KAN_SHAPE_CLASSES)
        return KAN_PARTITION_CLASSES;
    if (cost->shape == KAN_SHAPE_CELLS)
        return cost->price->is_by_share ? KAN_PARTITION_SHARES : KAN_PARTITION_LEVELS;
    return KAN_PARTITION_BALANCE;
}

static kan_partition_gain gain_by(const kan_partition_space *space) {
    if (!kan_partition_has_outcome(space))
        return gain_of(space->question->objective->kind);
    return space->question->purpose && space->question->purpose->steps ? KAN_PARTITION_SQUARES
                                                                       : KAN_PARTITION_BITS;
}

static kan_status check_choice(const kan_partition_space *space) {
    KAN_TRY(kan_costs_check(space->run, &kan_partition_costs, space->question->objective->kind));
    if (space->choice == KAN_PARTITION_WORKLOAD && space->question->n_queries == 0)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--split workload needs queries about the quasi-identifiers: give them "
                        "with --workload FILE");
    if (kan_partition_has_outcome(space) && !space->question->purpose)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--split purpose needs an outcome that the cuts can follow: name it with "
                        "--for NAME, and with --class");
    return KAN_OK;
}

static kan_partition_cutting cutting_of(const kan_partition_space *space,
                                        const kan_domain *domain) {
    const char *name = kan_options_find(space->question->options, "categories");
    if (domain->is_by_value || domain->has_bins)
        return KAN_PARTITION_VALUES;
    /* models learn from names of nodes better than from lists of values (docs/benchmarks/purpose.md) */
    if (!name && kan_options_find(space->question->options, "for"))
        name = "tree";
    if (!name && space->choice == KAN_PARTITION_COST && !space->is_relaxed)
        name = "any";
    if (!name && space->choice == KAN_PARTITION_WORKLOAD)
        name = "order"; /* queries ask for values, which nodes seldom are */
    if (name && strcmp(name, "any") == 0 && space->is_tight && !space->is_relaxed)
        return KAN_PARTITION_ANY;
    if (name && strcmp(name, "tree") != 0)
        return KAN_PARTITION_ORDER;
    /* A tree of one level says no more than its leaves do. */
    return domain->has_tree && domain->hierarchy->height > 1 ? KAN_PARTITION_TREE
                                                             : KAN_PARTITION_ORDER;
}

/* ---- options without effect ------------------------------------------------------------------ */

static void note_queries(const kan_partition_space *space) {
    const char *split = kan_options_find(space->question->options, "split");
    const bool has_queries =
        kan_options_find(space->question->options, "workload") && space->question->n_queries > 0;
    if (has_queries && space->is_relaxed)
        kan_note(space->run,
                 "--workload: mondrian-relaxed halves the rows at every cut and does not look at "
                 "the queries; the columns are chosen as with --split %s",
                 space->choice == KAN_PARTITION_COST      ? "cost"
                 : space->choice == KAN_PARTITION_ENTROPY ? "entropy"
                 : kan_partition_has_outcome(space)       ? "purpose"
                                                          : "widest");
    else if (has_queries && space->choice != KAN_PARTITION_WORKLOAD)
        kan_note(space->run,
                 "--workload: --split %s does not look at the queries; without --%s the cuts "
                 "follow them",
                 split                                 ? split
                 : kan_partition_has_outcome(space)    ? "purpose"
                 : space->choice == KAN_PARTITION_COST ? "cost"
                                                       : "widest",
                 split ? "split" : "for");
}

/* "'city', 'job' and 2 more": the columns of text that --categories tree cannot cut by a tree.
 * Returns how many they are. */
static size_t list_without_tree(const kan_partition_space *space, char *room, size_t size) {
    enum { MOST_NAMED = 4 };
    kan_name_list names = kan_names_begin(room, size, MOST_NAMED);
    for (unsigned d = 0; d < space->n_dimensions; d++)
        if (space->dimensions[d].cutting == KAN_PARTITION_ORDER)
            kan_names_add_quoted(&names, space->dimensions[d].domain->column->name);
    (void)kan_names_end(&names);
    return names.n;
}

static void note_categories(const kan_partition_space *space) {
    const char *name = kan_options_find(space->question->options, "categories");
    char columns[512] = "";
    bool has_text = false;
    for (unsigned d = 0; d < space->n_dimensions; d++)
        has_text = has_text || space->dimensions[d].cutting != KAN_PARTITION_VALUES;
    if (!name)
        return;
    if (!has_text)
        kan_note(space->run,
                 "--categories %s changes nothing: every quasi-identifier is numbers "
                 "or dates, which are cut by value",
                 name);
    else if (strcmp(name, "any") == 0 && (space->is_relaxed || !space->is_tight))
        kan_note(space->run, "--categories any: with %s text is cut as with --categories order",
                 space->is_relaxed ? "mondrian-relaxed" : "--ranges global");
    else if (strcmp(name, "tree") == 0) {
        const size_t n = list_without_tree(space, columns, sizeof columns);
        if (n > 0)
            kan_note(space->run,
                     "--categories tree: no hierarchy of two levels or more for column%s %s, so "
                     "%s cut in the order of the values",
                     n > 1 ? "s" : "", columns, n > 1 ? "they are" : "it is");
    }
}

void kan_partition_space_note(const kan_partition_space *space) {
    note_queries(space);
    note_categories(space);
}

/* ---- dimensions ------------------------------------------------------------------------------ */

/* Numbers by value, unknown ones in equal steps before them; all else in equal steps. */
static kan_status place_values(kan_partition_space *space, kan_partition_dimension *dimension) {
    const kan_domain *domain = dimension->domain;
    const uint32_t n = dimension->n_places;
    const double step = n > 1 ? 1.0 / (double)(n - 1) : 1;
    double least = 0, greatest = 0, at;
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *dimension->position, &dimension->position));
    for (uint32_t p = 0; p < n; p++)
        dimension->position[p] = (double)p * step;
    if (!domain->is_by_value || domain->n_unknown >= n ||
        !kan_domain_number(domain, domain->least[domain->n_unknown], &least) ||
        !kan_domain_number(domain, domain->greatest[n - 1], &greatest))
        return KAN_OK;
    /* halves, so that no length is infinite */
    const double length = greatest * 0.5 - least * 0.5;
    for (uint32_t p = 0; p < domain->n_unknown; p++)
        dimension->position[p] = -step * (double)(domain->n_unknown - p);
    for (uint32_t p = domain->n_unknown; p < n; p++)
        if (kan_domain_number(domain, domain->least[p], &at))
            dimension->position[p] = length > 0 ? (at * 0.5 - least * 0.5) / length : 0;
    return KAN_OK;
}

static kan_status make_dimension(kan_partition_space *space, unsigned d) {
    const kan_problem *problem = space->question->problem;
    kan_partition_dimension *dimension = &space->dimensions[d];
    const kan_domain *domain = problem->domains[d];
    *dimension = (kan_partition_dimension){.cutting = cutting_of(space, domain),
                                           .domain = domain,
                                           .hierarchy = domain->hierarchy,
                                           .n_places = domain->n_places,
                                           .weight = problem->weights[d]};
    if (space->gain >= KAN_PARTITION_SHARES)
        dimension->weight = kan_cost_followed(space->question->objective->kind)
                                ->price->shown(domain->hierarchy->height, dimension->weight, 1);
    if (domain->n_places > space->most_places)
        space->most_places = domain->n_places;
    return place_values(space, dimension);
}

unsigned kan_partition_cover(const kan_partition_dimension *dimension, uint32_t low,
                             uint32_t high) {
    const kan_hierarchy *h = dimension->hierarchy;
    KAN_ASSERT(low <= high && high < dimension->domain->n_places);
    const uint32_t first = dimension->domain->first_leaf[low];
    const uint32_t last = dimension->domain->first_leaf[high + 1] - 1;
    unsigned level = 0;
    while (level < h->height &&
           h->levels[level].from_leaf[first] != h->levels[level].from_leaf[last])
        level++;
    return level;
}

uint32_t kan_partition_node(const kan_partition_dimension *dimension, unsigned level,
                            uint32_t place) {
    return dimension->hierarchy->levels[level].from_leaf[dimension->domain->first_leaf[place]];
}

/* Places as bits: a dimension of up to 64 within one word, a larger one in words of its own. None
 * when they are too many. */
static void place_bits(kan_partition_space *space) {
    unsigned word = 0, used = 0;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        kan_partition_dimension *dimension = &space->dimensions[d];
        const uint32_t n = dimension->n_places;
        if (n > KAN_PARTITION_MOST_WORDS * 64)
            return;
        if (used > 0 && used + n > 64) {
            word++;
            used = 0;
        }
        dimension->word = word;
        dimension->shift = used;
        used += n;
        word += used / 64;
        used %= 64;
        if (n > 64 && used > 0) {
            word++;
            used = 0;
        }
    }
    word += used > 0;
    if (word <= KAN_PARTITION_MOST_WORDS)
        space->n_words = word;
}

static void order_dimensions(kan_partition_space *space) {
    for (unsigned i = 0; i < space->n_dimensions; i++) {
        unsigned at = i;
        while (at > 0 && space->dimensions[space->by_places[at - 1]].n_places >
                             space->dimensions[i].n_places) {
            space->by_places[at] = space->by_places[at - 1];
            at--;
        }
        space->by_places[at] = i;
    }
}

static kan_status make(kan_partition_space *space) {
    const kan_problem *problem = space->question->problem;
    KAN_TRY(check_choice(space));
    for (unsigned d = 0; d < space->n_dimensions; d++)
        KAN_TRY(make_dimension(space, d));
    for (unsigned t = 0; t < space->n_tails; t++)
        space->n_values[t] = problem->space.dimensions[space->n_dimensions + t].n_values;
    order_dimensions(space);
    if (space->choice == KAN_PARTITION_COST && space->gain >= KAN_PARTITION_SHARES)
        place_bits(space);
    return kan_partition_records_make(space);
}

static kan_status make_of_people(kan_partition_space *space) {
    const kan_question *question = space->question;
    if (question->problem->is_unfolded)
        return kan_fail(space->run, KAN_FAILED,
                        "--%s: the people of a region are counted in memory, and --memory is "
                        "too small for the table; allow more",
                        question->problem->has_pasts ? "ledger" : "person");
    if (space->is_relaxed && !space->is_tight && question->problem->has_pasts)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--ranges global: with earlier releases people who were together go to one "
                        "side of a cut, whatever its bounds are; leave it out, or use --algorithm "
                        "mondrian");
    KAN_TRY(kan_owners_make(question->problem, question->promise->needs_tallies, &space->owners));
    return make(space);
}

kan_status kan_partition_space_make(kan_run *run, const kan_question *question, bool is_relaxed,
                                    kan_partition_space *out) {
    const char *ranges = kan_options_find(question->options, "ranges");
    memset(out, 0, sizeof *out);
    out->run = run;
    out->question = question;
    out->n_dimensions = question->problem->space.n_attributes;
    out->n_tails = question->problem->space.n_tails;
    out->choice = chosen(question, is_relaxed);
    out->gain = gain_by(out);
    out->is_relaxed = is_relaxed;
    out->is_tight = !ranges || strcmp(ranges, "global") != 0;
    out->least_size = question->promise->least_size;
    kan_arena_init(&out->arena, run);
    /* Whose a record is, and what she has, the owners say; classes are looked at where they gain. */
    if (question->problem->has_person && out->gain != KAN_PARTITION_CLASSES &&
        !kan_partition_has_outcome(out))
        out->n_tails = 0;
    return question->problem->has_person ? make_of_people(out) : make(out);
}

void kan_partition_space_destroy(kan_partition_space *space) {
    kan_free(space->run, space->records);
    kan_owners_destroy(&space->owners);
    kan_arena_destroy(&space->arena);
}

/* ---- workers --------------------------------------------------------------------------------- */

kan_status kan_partition_worker_make(const kan_partition_space *space, kan_partition_worker *out) {
    const size_t n = space->most_places;
    memset(out, 0, sizeof *out);
    out->space = space;
    kan_arena_init(&out->boxes, space->run);
    KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->dense, &out->dense));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->counts.place, &out->counts.place));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->counts.rows, &out->counts.rows));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->side, &out->side));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->order, &out->order));
    if (space->question->problem->has_pasts)
        KAN_TRY(kan_partition_pasts_make(space, &out->pasts));
    else if (space->question->problem->has_person)
        KAN_TRY(kan_partition_people_make(space, &out->people));
    else if (!space->question->promise->size_decides)
        KAN_TRY(kan_partition_tallies_make(space, &out->tallies));
    if (space->choice == KAN_PARTITION_COST || kan_partition_has_outcome(space))
        KAN_TRY(kan_partition_scales_make(space, &out->scales));
    if (kan_partition_has_outcome(space))
        KAN_TRY(kan_partition_outcome_make(space, &out->outcome));
    if (space->choice == KAN_PARTITION_WORKLOAD)
        KAN_TRY(kan_partition_queries_make(space, &out->queries));
    return KAN_OK;
}

void kan_partition_worker_destroy(kan_partition_worker *worker) {
    const kan_partition_space *space = worker->space;
    if (!space)
        return;
    kan_free(space->run, worker->dense);
    kan_free(space->run, worker->counts.place);
    kan_free(space->run, worker->counts.rows);
    kan_free(space->run, worker->sorted);
    kan_free(space->run, worker->side);
    kan_free(space->run, worker->order);
    kan_free(space->run, worker->scratch);
    kan_partition_queries_destroy(space, worker->queries);
    kan_free(space->run, worker->stack.regions);
    kan_free(space->run, worker->found.regions);
    kan_partition_tallies_destroy(space, worker->tallies);
    kan_partition_people_destroy(space, worker->people);
    kan_partition_pasts_destroy(space, worker->pasts);
    kan_partition_scales_destroy(space, worker->scales);
    kan_partition_outcome_destroy(space, worker->outcome);
    kan_arena_destroy(&worker->boxes);
}
