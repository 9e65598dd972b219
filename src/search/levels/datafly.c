/* datafly: greedy generalization (after Sweeney; named in incognito.txt 6 and hash-minimal.txt 6).
 *
 * Starts at the lowest levels. While more rows than the suppression limit are in groups that
 * fail, the attribute with the most different values in the table as it is now goes up by one
 * level. Of equals the first attribute in the user's order does; one that stands at its top is
 * passed over. The first node that satisfies the promise is the answer. Where a release is wanted,
 * a node that would suppress every row is not an answer, and the walk goes on. Beyond the top there
 * is nothing: nothing was found then.
 *
 * Sweeney's Datafly stops when at most k rows are left over, and suppresses them; here it is the
 * limit that the user gave.
 *
 * Nothing is inferred: every node on the way is checked, and so is the one that is returned. So the
 * answer is right for any promise, monotone or not. It need not be minimal, nor cheap, and where a
 * promise is not monotone nodes beside the way may satisfy though none on it does.
 *
 * Cost: at most as many sets as the lattice is high, each rolled up from the one before. Memory:
 * two sets. */
#include "search/judge/judge.h"
#include "search/levels/levels.h"
#include "search/levels/lower_bound.h"

typedef struct {
    kan_run *run;
    const kan_question *question;
    kan_workspace *workspace;
    kan_judge judge;
    kan_freqset sets[2]; /* the node in hand is current, the other the next or the one before */
    unsigned current;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint32_t n_values[KAN_MAX_ATTRIBUTES]; /* different ones, at the node in hand */
    uint64_t *seen;                        /* a bit per value of any attribute */
    double lower_bound;
    kan_answer answer;
} greedy_walk;

/* ---- different values ----------------------------------------------------------------------- */

static kan_status make_room(greedy_walk *walk) {
    const kan_space *space = &walk->question->problem->space;
    size_t most = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        size_t n = kan_dimension_groups(&space->dimensions[a], 0);
        most = n > most ? n : most;
    }
    return kan_alloc_zero(walk->run, most / 64 + 1, sizeof *walk->seen, &walk->seen);
}

static const kan_key_field *field_of(const kan_layout *layout, unsigned attribute) {
    const kan_key_field *field = layout->fields;
    while (field->dimension != attribute)
        field++;
    return field;
}

static void count_values(greedy_walk *walk, unsigned attribute) {
    const kan_freqset *set = &walk->sets[walk->current];
    const kan_key_field *field = field_of(&set->layout, attribute);
    const kan_dimension *dimension = &walk->question->problem->space.dimensions[attribute];
    const size_t n_words = kan_dimension_groups(dimension, walk->levels[attribute]) / 64 + 1;
    uint32_t n = 0;
    for (size_t word = 0; word < n_words; word++)
        walk->seen[word] = 0;
    for (size_t i = 0; i < set->n; i++)
        kan_bit_set(walk->seen, kan_key_field_value(field, set->keys + i * set->layout.n_words));
    for (size_t word = 0; word < n_words; word++)
        n += (uint32_t)__builtin_popcountll(walk->seen[word]);
    walk->n_values[attribute] = n;
}

/* ---- the way up ----------------------------------------------------------------------------- */

/* KAN_MAX_ATTRIBUTES when all stand at their tops. */
static unsigned choose_attribute(const greedy_walk *walk) {
    const kan_space *space = &walk->question->problem->space;
    unsigned chosen = KAN_MAX_ATTRIBUTES;
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (walk->levels[a] < space->dimensions[a].highest &&
            (chosen == KAN_MAX_ATTRIBUTES || walk->n_values[a] > walk->n_values[chosen]))
            chosen = a;
    return chosen;
}

static kan_status go_up(greedy_walk *walk, unsigned attribute) {
    const kan_space *space = &walk->question->problem->space;
    const kan_freqset *from = &walk->sets[walk->current];
    walk->levels[attribute]++;
    KAN_TRY(kan_freqset_rollup(space, from, walk->levels, walk->workspace,
                               &walk->sets[1 - walk->current]));
    walk->answer.effort.n_rollups++;
    walk->answer.effort.n_tuples += from->n;
    walk->current = 1 - walk->current;
    count_values(walk, attribute);
    return KAN_OK;
}

static kan_status walk_up(greedy_walk *walk, const kan_lattice *lattice) {
    for (;;) {
        bool satisfies;
        KAN_TRY(kan_check_cancel(walk->run));
        KAN_TRY(kan_judge_node(&walk->judge, &walk->sets[walk->current], &satisfies));
        walk->answer.n_checked++;
        kan_report_units(walk->run, "search", "nodes", walk->answer.n_checked, lattice->height + 1);
        /* The judge takes what satisfies, unless a release is wanted and there is none. */
        if (walk->judge.best.is_found)
            return KAN_OK;
        unsigned attribute = choose_attribute(walk);
        if (attribute == KAN_MAX_ATTRIBUTES)
            return KAN_OK;
        KAN_TRY(go_up(walk, attribute));
    }
}

static kan_status begin(greedy_walk *walk) {
    const kan_problem *problem = walk->question->problem;
    unsigned order[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        order[a] = a;
        walk->levels[a] = problem->space.dimensions[a].lowest;
    }
    KAN_TRY(make_room(walk));
    KAN_TRY(kan_workspace_create(walk->run, &walk->workspace));
    KAN_TRY(kan_question_base(walk->question, order, walk->workspace, &walk->sets[0]));
    walk->answer.effort.n_scans = 1;
    walk->answer.effort.n_tuples = problem->base.n;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        count_values(walk, a);
    return kan_judge_lower_bound(&walk->judge, &walk->sets[0], &walk->lower_bound);
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    greedy_walk walk = {.run = run, .question = question};
    kan_lattice lattice;
    kan_lattice_make(&question->problem->space, &lattice);
    kan_judge_init(&walk.judge, question);
    KAN_TRY_DONE(begin(&walk));
    KAN_TRY_DONE(walk_up(&walk, &lattice));
    walk.answer.n_nodes = lattice.n_nodes;
    kan_judge_answer(&walk.judge, false, &walk.answer);
    walk.answer.bound = walk.lower_bound;
    *out = walk.answer;
done:
    kan_freqset_destroy(run, &walk.sets[0]);
    kan_freqset_destroy(run, &walk.sets[1]);
    kan_judge_destroy(&walk.judge);
    kan_workspace_destroy(walk.workspace);
    kan_free(run, walk.seen);
    return status;
}

const kan_search_kind kan_search_datafly = {
    .kind = {.name = "datafly",
             .summary = "one answer, quickly: the column with the most values goes up a level, "
                        "until that suffices",
             .paper = "Sweeney 2002"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .ignores_weights = true,
    .search = search,
};
