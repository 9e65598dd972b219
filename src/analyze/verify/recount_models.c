/* Counting again what the groups of a table tell of sensitive values.
 *
 * One pass over the rows: each gets the number of its group, and for each sensitive column the pair
 * of that number and the place of its value is counted in a table of its own. Then, column by
 * column, the pairs are put into the order of groups and places, and each group is held against
 * each model (recount_kind.h). A group that fails in two columns is one failing group. */
#include "analyze/cover/cover.h"
#include "analyze/verify/recount_model.h"
#include "analyze/verify/treated.h"

enum { GROUPS_BETWEEN_CHECKS = 1 << 14 };

_Static_assert(KAN_CLAIM_MODELS <= 32, "a group has a bit for each model");

typedef struct {
    kan_run *run;
    const kan_models_question *question;
    kan_model_groups by_group;
    kan_matched matched; /* people of each group, where a model needs them */
    uint32_t *fails;     /* by group: a bit for each model */
    uint64_t *near;      /* as in kan_groups_recount */
    size_t n_near;
    double *weights; /* the same */
    kan_set_recount sets;
    kan_households_recount households;
    bool has_households;
    uint64_t *size_room;
    kan_models_recount out;
} counting;

/* ---- counting ------------------------------------------------------------------------------- */

static kan_status check_question(const counting *c) {
    const kan_models_question *question = c->question;
    bool needs_columns = false;
    for (size_t m = 0; m < question->claim->n_models; m++)
        needs_columns |= question->claim->models[m].kind->check != NULL;
    if (question->claim->n_models > KAN_CLAIM_MODELS ||
        (needs_columns && question->claim->n_columns == 0))
        return kan_fail(c->run, KAN_FAILED,
                        "internal error: a promise about sensitive values without a column of "
                        "them; please report this");
    if (!question->claim->person != !question->person_of ||
        (question->claim->histories && !question->claim->person))
        return kan_fail(c->run, KAN_FAILED,
                        "internal error: a promise about people without knowing whose each row is; "
                        "please report this");
    for (size_t m = 0; m < question->claim->n_models; m++)
        if (question->claim->histories && !question->claim->models[m].kind->check)
            return kan_fail(
                c->run, KAN_FAILED,
                "internal error: a promise about histories that looks at groups; please "
                "report this");
    for (size_t i = 0; i < question->claim->n_columns; i++)
        if (!question->sensitive[i]->is_encoded)
            return kan_fail(c->run, KAN_FAILED, "column '%s' was not read, so it cannot be counted",
                            question->sensitive[i]->name);
    return KAN_OK;
}

static kan_status count_models(counting *c) {
    const kan_claim *claim = c->question->claim;
    kan_model_rows rows = {.table = c->question->release,
                           .quasi = c->question->quasi,
                           .n_quasi = c->question->n_quasi,
                           .columns = claim->columns,
                           .sensitive = c->question->sensitive,
                           .n_columns = claim->n_columns,
                           .person_of = c->question->person_of,
                           .by_history = claim->histories,
                           .k = claim->k};
    for (size_t m = 0; m < claim->n_models; m++)
        rows.uses_distance |= claim->models[m].kind->uses_distance;
    KAN_TRY(kan_model_groups_make(c->run, &rows, &c->by_group));
    kan_recount_sum(&c->by_group.groups, claim->k, &c->out.groups);
    c->out.groups.counts_people = rows.person_of != NULL;
    c->out.has_histories = claim->histories;
    c->out.histories = c->by_group.histories;
    if (rows.person_of && !claim->histories)
        KAN_TRY(kan_people_least(c->run, &c->by_group.people, c->by_group.groups.tuples.count,
                                 &c->near, &c->n_near));
    return kan_alloc_zero(c->run, kan_model_units(&c->by_group)->n, sizeof *c->fails, &c->fails);
}

static kan_status sum_weights(counting *c) {
    const kan_claim *claim = c->question->claim;
    bool is_needed = false;
    for (size_t m = 0; m < claim->n_models; m++)
        is_needed |= kan_claim_needs_weights(&claim->models[m]) &&
                     (claim->weight || !claim->models[m].kind->needs_no_weights);
    if (!is_needed)
        return KAN_OK;
    return kan_recount_weights(c->run, c->question, &c->by_group.groups.tuples, &c->weights);
}

static kan_status count_sets(counting *c) {
    const kan_claim *claim = c->question->claim;
    bool is_needed = false;
    for (size_t m = 0; m < claim->n_models; m++)
        is_needed |= claim->models[m].kind->uses_subsets;
    if (is_needed != (claim->subsets.n > 0 && claim->fits == 0) ||
        (is_needed && c->question->person_of))
        return kan_fail(c->run, KAN_FAILED,
                        "internal error: a promise about sets of columns without knowing of which; "
                        "please report this");
    return is_needed ? kan_recount_sets(c->run, c->question, &c->by_group.groups.tuples, &c->sets)
                     : KAN_OK;
}

static kan_status find_households(counting *c) {
    const kan_claim *claim = c->question->claim;
    for (size_t m = 0; m < claim->n_models; m++)
        c->has_households |= claim->models[m].kind->uses_households;
    return c->has_households ? kan_recount_households(c->run, c->question,
                                                      &c->by_group.groups.tuples, &c->households)
                             : KAN_OK;
}

/* The column of the population that has the name of a released one. */
static bool pair_columns(const kan_models_question *question, size_t released,
                         kan_match_pair *out) {
    const kan_claim_population *population = question->claim->population;
    const char *name = question->release->columns[released].name;
    for (size_t i = 0; i < population->n; i++)
        if (strcmp(population->table->columns[population->columns[i]].name, name) == 0) {
            *out = (kan_match_pair){released, population->columns[i], population->hierarchies[i]};
            return true;
        }
    return false;
}

/* Who has each row of the population; the caller's. NULL where rows are people. */
static kan_status population_person_of(const counting *c, uint32_t **out) {
    const kan_claim_population *population = c->question->claim->population;
    const uint64_t n_rows = population->table->n_rows;
    uint32_t *person_of;
    *out = NULL;
    if (!population->person)
        return KAN_OK;
    KAN_TRY(kan_alloc(c->run, (size_t)n_rows, sizeof *person_of, &person_of));
    for (uint64_t row = 0; row < n_rows; row++)
        person_of[row] = kan_column_code(population->person, row);
    *out = person_of;
    return KAN_OK;
}

/* Every row is one of the people who match it. */
static void count_missing(counting *c) {
    const kan_matched *matched = &c->matched;
    const uint64_t *sizes = c->by_group.groups.tuples.count; /* in rows, or people */
    c->out.missing_fault = SIZE_MAX;
    for (size_t g = 0; g < matched->n; g++) {
        if (matched->people[g] >= sizes[g])
            continue;
        c->out.n_missing_people += sizes[g] - matched->people[g];
        if (c->out.first_missing == 0) /* groups stand in the order of their first rows */
            c->out.first_missing = matched->first_row[g] + 1;
    }
    if (matched->first_unmatched > 0) {
        c->out.first_missing = matched->first_unmatched;
        c->out.missing_fault = matched->fault;
    }
}

static kan_status check_treated(kan_run *run, const kan_claim_population *population) {
    const char *fault = NULL;
    if (population->n_treatments > 0)
        KAN_TRY(kan_verify_treated(run, population->raw, population->table, population->treatments,
                                   population->n_treatments, &fault));
    if (!fault)
        return KAN_OK;
    return kan_fail(run, KAN_FAILED,
                    "internal error: column '%s' of the population was not treated as the settings "
                    "say; please report this",
                    fault);
}

/* The people whom the groups match. Both sides number groups as the release shows them. */
static kan_status match_people(counting *c) {
    const kan_models_question *question = c->question;
    const kan_claim_population *population = question->claim->population;
    bool is_needed = false;
    for (size_t m = 0; m < question->claim->n_models; m++)
        is_needed |= question->claim->models[m].kind->uses_population;
    if (!is_needed)
        return KAN_OK;
    kan_match_pair *pairs;
    uint32_t *person_of = NULL;
    /* people of the table are held against people, not against rows */
    bool is_complete = population && !population->person == !question->person_of;
    if (population)
        KAN_TRY(check_treated(c->run, population));
    KAN_TRY(kan_alloc_zero(c->run, question->n_quasi, sizeof *pairs, &pairs));
    for (size_t i = 0; i < question->n_quasi && is_complete; i++)
        is_complete = pair_columns(question, question->quasi[i], &pairs[i]);
    if (!is_complete) {
        kan_free(c->run, pairs);
        return kan_fail(c->run, KAN_FAILED,
                        "internal error: a promise about a population without the columns of one; "
                        "please report this");
    }
    kan_status status = population_person_of(c, &person_of);
    const kan_match_question match = {.release = question->release,
                                      .population = population->table,
                                      .quasi = pairs,
                                      .n_quasi = question->n_quasi,
                                      .person_of = person_of};
    if (status == KAN_OK)
        status = kan_match_people(c->run, &match, &c->matched);
    kan_free(c->run, pairs);
    kan_free(c->run, person_of);
    KAN_ASSERT(status != KAN_OK || c->matched.n == c->by_group.groups.tuples.n);
    if (status == KAN_OK)
        count_missing(c);
    return status;
}

/* ---- holding groups against models ---------------------------------------------------------- */

static kan_status check_groups(counting *c, size_t column, const size_t *start,
                               const struct kan_model_count *counts, uint64_t *room) {
    const kan_claim *claim = c->question->claim;
    const kan_tuples *tuples = kan_model_units(&c->by_group);
    for (size_t g = 0; g < tuples->n; g++) {
        const kan_model_tally tally = {
            .column = column,
            .n_rows = tuples->count[g],
            .total = kan_model_total(counts + start[g], start[g + 1] - start[g]),
            .n = start[g + 1] - start[g],
            .counts = counts + start[g],
            .room = room};
        if (g % GROUPS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(c->run));
        for (size_t m = 0; m < claim->n_models; m++)
            if (claim->models[m].kind->check && kan_claim_looks_at(&claim->models[m], column) &&
                !claim->models[m].kind->check(&claim->models[m], &c->by_group.values[column],
                                              &tally, &c->out.models[m]))
                c->fails[g] |= 1U << m;
    }
    return KAN_OK;
}

static kan_status check_column(counting *c, size_t column) {
    kan_run *run = c->run;
    kan_tuples *pairs = &c->by_group.pairs[column];
    const size_t n_groups = kan_model_units(&c->by_group)->n, n_pairs = pairs->n;
    size_t *start = NULL;
    struct kan_model_count *counts = NULL;
    uint64_t *room = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n_groups + 2, sizeof *start, &start));
    KAN_TRY_DONE(kan_alloc(run, n_pairs, sizeof *counts, &counts));
    kan_model_pairs_sort(pairs, n_groups, start, counts);
    kan_tuples_destroy(pairs);
    KAN_TRY_DONE(kan_alloc(run, c->by_group.values[column].n_places, sizeof *room, &room));
    KAN_TRY_DONE(check_groups(c, column, start, counts, room));
done:
    kan_free(run, start);
    kan_free(run, counts);
    kan_free(run, room);
    return status;
}

void kan_model_add_failing(const kan_groups_recount *groups, size_t group, kan_model_recount *out) {
    out->n_failing_groups++;
    out->n_failing_rows += groups->rows[group];
    out->star_fails |= group == groups->star;
    if (out->n_examples < KAN_RECOUNT_EXAMPLES)
        out->examples[out->n_examples++] = groups->first_row[group];
}

/* Histories of which a part fails: each counts once, with its people, who are the same in all of its
 * parts. */
static kan_status sum_failing_histories(counting *c) {
    const kan_tuples *parts = &c->by_group.parts;
    const size_t n = (size_t)c->out.histories.n_histories;
    uint32_t *fails; /* by history: a bit for each model */
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *fails, &fails));
    for (size_t i = 0; i < parts->n; i++) {
        const kan_people_part *part = kan_tuples_at(parts, i);
        for (size_t m = 0; m < c->out.n_models; m++) {
            kan_model_recount *model = &c->out.models[m];
            if (!(c->fails[i] >> m & 1))
                continue;
            model->star_fails |= part->group == c->by_group.groups.star;
            if (fails[part->history] >> m & 1)
                continue;
            fails[part->history] |= 1U << m;
            model->n_failing_groups++;
            model->n_failing_rows += parts->count[i];
            if (model->n_examples < KAN_RECOUNT_EXAMPLES)
                model->examples[model->n_examples++] = parts->first_row[i];
        }
    }
    for (size_t m = 0; m < c->out.n_models; m++)
        c->out.models[m].holds = c->out.models[m].n_failing_groups == 0;
    kan_free(c->run, fails);
    return KAN_OK;
}

/* The models that look at no column are held against the groups here. */
static void sum_failing(counting *c) {
    const kan_claim *claim = c->question->claim;
    const kan_tuples *tuples = &c->by_group.groups.tuples;
    const kan_groups_recount groups = {.n = tuples->n,
                                       .rows = tuples->count,
                                       .first_row = tuples->first_row,
                                       .star = c->by_group.groups.star,
                                       .people = c->matched.people,
                                       .weights = c->weights,
                                       .is_rare = c->sets.is_rare,
                                       .fewest_of_sets = c->sets.fewest,
                                       .size_room = c->size_room,
                                       .near = c->near,
                                       .n_near = c->n_near,
                                       .households = c->has_households ? &c->households : NULL};
    for (size_t m = 0; m < c->out.n_models; m++) {
        kan_model_recount *model = &c->out.models[m];
        if (claim->models[m].kind->check_groups) {
            claim->models[m].kind->check_groups(&claim->models[m], &groups, model);
            continue;
        }
        for (size_t g = 0; g < tuples->n; g++)
            if (c->fails[g] >> m & 1)
                kan_model_add_failing(&groups, g, model);
        model->holds = model->n_failing_groups == 0;
    }
}

void kan_models_recount_nothing(const kan_claim *claim, kan_models_recount *out) {
    *out = (kan_models_recount){.groups = {.k = claim->k}, .n_models = claim->n_models};
    for (size_t m = 0; m < out->n_models; m++)
        out->models[m].holds = true;
}

kan_status kan_verify_recount_models(kan_run *run, const kan_models_question *question,
                                     kan_models_recount *out) {
    counting c = {
        .run = run, .question = question, .by_group = {.run = run}, .matched = {.run = run}};
    kan_status status;
    c.out.n_models = question->claim->n_models;
    KAN_TRY_DONE(check_question(&c));
    KAN_TRY_DONE(count_models(&c));
    KAN_TRY_DONE(match_people(&c));
    KAN_TRY_DONE(sum_weights(&c));
    KAN_TRY_DONE(count_sets(&c));
    KAN_TRY_DONE(find_households(&c));
    KAN_TRY_DONE(
        kan_alloc(run, c.by_group.groups.tuples.n + 1, 2 * sizeof *c.size_room, &c.size_room));
    for (size_t i = 0; i < c.by_group.n_made; i++)
        KAN_TRY_DONE(check_column(&c, i));
    if (c.by_group.has_parts)
        KAN_TRY_DONE(sum_failing_histories(&c));
    else
        sum_failing(&c);
    if (question->claim->by_column > 0)
        KAN_TRY_DONE(kan_verify_columns(run, question, &c.out.columns));
    *out = c.out;
done:
    kan_model_groups_destroy(&c.by_group);
    kan_matched_destroy(&c.matched);
    kan_free(run, c.fails);
    kan_free(run, c.near);
    kan_free(run, c.weights);
    kan_free(run, c.sets.is_rare);
    kan_households_recount_destroy(run, &c.households);
    kan_free(run, c.size_room);
    return status;
}

bool kan_models_recount_holds(const kan_models_recount *recount) {
    for (size_t m = 0; m < recount->n_models; m++)
        if (!recount->models[m].holds)
            return false;
    return kan_recount_holds(&recount->groups) && kan_histories_hold(recount) &&
           (!recount->fits.is_counted || recount->fits.holds) &&
           (!recount->columns.is_counted || recount->columns.holds);
}
