/* From settings to what the recount must find. Nothing here asks the privacy models: each recount
 * reads its own settings, and values are counted row by row.
 *
 * O(rows) per sensitive column, and memory for its values. */
#include "job/tell/claim_make.h"

#include <stdlib.h>

#include "analyze/verify/verify.h"
#include "data/hierarchies/hierarchies.h"
#include "data/spelling.h"
#include "job/input/input.h"

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t value, person;
} value_of_person;

static int compare_pairs(const void *a, const void *b) {
    const value_of_person *left = a, *right = b;
    const int order = (left->value > right->value) - (left->value < right->value);
    return order ? order : (left->person > right->person) - (left->person < right->person);
}

/* The people who have each value, and how many pairs of both there are. same_as says which value
 * each is; NULL: itself. */
static kan_status count_people(kan_run *run, const kan_column *from, const kan_column *person,
                               const size_t *same_as, uint64_t *people, uint64_t *n_pairs) {
    const size_t n_rows = (size_t)from->n_rows;
    value_of_person *pairs;
    KAN_TRY(kan_alloc(run, n_rows, sizeof *pairs, &pairs));
    for (size_t row = 0; row < n_rows; row++) {
        const uint32_t code = kan_column_code(from, row);
        pairs[row] = (value_of_person){same_as ? (uint32_t)same_as[code] : code,
                                       kan_column_code(person, row)};
    }
    qsort(pairs, n_rows, sizeof *pairs, compare_pairs);
    *n_pairs = 0;
    for (size_t i = 0; i < n_rows; i++)
        if (i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0) {
            people[pairs[i].value]++;
            ++*n_pairs;
        }
    kan_free(run, pairs);
    return KAN_OK;
}

static kan_status count_values(kan_arena *arena, const kan_column *from, const kan_column *person,
                               kan_claim_column *column) {
    const kan_dictionary *dictionary = &from->dictionary;
    kan_slice *values;
    uint64_t *rows;
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *values, &values));
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *rows, &rows));
    for (uint32_t code = 0; code < dictionary->n; code++)
        values[code] = kan_dictionary_value(dictionary, code);
    uint64_t n_pairs = kan_column_total(from);
    KAN_TRY(person ? count_people(arena->run, from, person, NULL, rows, &n_pairs)
                   : kan_column_count_codes(arena->run, from, rows));
    *column = (kan_claim_column){.name = from->name,
                                 .n_rows = n_pairs,
                                 .n_values = dictionary->n,
                                 .values = values,
                                 .spelling = from->spelling,
                                 .ends = from->ends,
                                 .rows = rows};
    return KAN_OK;
}

/* The same with all spellings of a number as one value; somebody who has two of them counts once. */
static kan_status join_spellings(kan_arena *arena, const kan_column *from, const kan_column *person,
                                 const kan_meant_list *meant, kan_claim_column *column) {
    size_t *same_as;
    uint64_t *rows;
    bool has_several;
    KAN_TRY(kan_arena_alloc(arena, meant->n, sizeof *same_as, &same_as));
    KAN_TRY(kan_meant_same(meant, same_as, &has_several));
    if (!has_several)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, meant->n, sizeof *rows, &rows));
    column->n_same_rows = column->n_rows;
    for (size_t i = 0; i < meant->n && !person; i++)
        rows[same_as[i]] += column->rows[i];
    if (person)
        KAN_TRY(count_people(arena->run, from, person, same_as, rows, &column->n_same_rows));
    column->same_as = same_as;
    column->same_rows = rows;
    return KAN_OK;
}

static kan_status rank_values(kan_arena *arena, const kan_meant_list *meant,
                              kan_claim_column *column) {
    uint32_t *rank;
    KAN_TRY(kan_arena_alloc(arena, meant->n, sizeof *rank, &rank));
    column->rank = rank;
    return kan_meant_rank(meant, column->ends, rank, &column->n_ranks);
}

static kan_status copy_tree(kan_arena *arena, const kan_hierarchy *tree, kan_claim_column *column) {
    const uint32_t **node;
    KAN_TRY(kan_arena_alloc(arena, (size_t)tree->height + 1, sizeof *node, &node));
    for (unsigned level = 0; level <= tree->height; level++) {
        uint32_t *here;
        KAN_TRY(kan_arena_alloc(arena, column->n_values, sizeof *here, &here));
        for (uint32_t code = 0; code < column->n_values; code++)
            here[code] = tree->levels[level].from_leaf[tree->leaf_of[code]];
        node[level] = here;
    }
    column->height = tree->height;
    column->node = node;
    return KAN_OK;
}

/* How far the values of a column are apart: where released ones are numbers or dates, and where they
 * are text. Problems of the hierarchy are the caller's. */
static kan_status measure_distance(kan_job *job, const kan_column *from,
                                   const kan_meant_list *meant, kan_claim_column *column) {
    const char *wanted = kan_options_for(&job->options, "t-distance", kan_slice_of(from->name));
    const bool is_auto = !wanted || strcmp(wanted, "auto") == 0;
    const bool is_text = kan_column_is_called_text(from) ||
                         kan_meant_kind(meant, NULL, column->ends) == KAN_TYPE_TEXT;
    const bool has_order = !is_text || from->dictionary.type != KAN_TYPE_TEXT; /* codes have one */
    const bool is_named = kan_input_names_tree(job, from);
    kan_hierarchy *tree;
    char quoted[256];
    KAN_TRY(kan_input_tree(job, from, is_text, &tree));
    if (tree) {
        column->distance_of_text = KAN_DISTANCE_HIERARCHICAL;
        const kan_status status = copy_tree(&job->arena, tree, column);
        kan_hierarchy_destroy(tree);
        KAN_TRY(status);
    } else if (!is_auto && ((strcmp(wanted, "ordered") == 0 && !has_order) ||
                            strcmp(wanted, "hierarchical") == 0)) {
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--t-distance %s: column %s has %s; leave it to auto", wanted,
                        kan_quote(kan_slice_of(from->name), quoted),
                        has_order ? "no hierarchy" : "neither an order nor a hierarchy");
    } else if (!is_auto && strcmp(wanted, "ordered") == 0) {
        column->distance_of_text = KAN_DISTANCE_ORDERED;
    }
    column->distance_of_numbers =
        is_auto && !(tree && is_named) ? KAN_DISTANCE_ORDERED : column->distance_of_text;
    return rank_values(&job->arena, meant, column);
}

/* Whose each row is; NULL where rows are counted. */
static const kan_column *person_of(const kan_job *job, const kan_table *whole) {
    const char *name =
        kan_options_find(&job->options, kan_job_by_composition(job) ? "household" : "person");
    const kan_column *person = name ? kan_table_find(whole, name, NULL) : NULL;
    return person && person->is_encoded ? person : NULL;
}

static kan_status add_column(kan_job *job, const kan_table *whole, const char *name,
                             bool needs_distance, kan_claim_column *out) {
    const kan_column *from = kan_table_find(whole, name, NULL);
    const size_t before = kan_problems_count(job->run);
    char quoted[256];
    if (!from || !from->is_encoded) {
        kan_problem_add(job->run, "no column %s (--sensitive)",
                        kan_quote(kan_slice_of(name), quoted));
        return KAN_OK;
    }
    const kan_column *person = person_of(job, whole);
    KAN_TRY(count_values(&job->arena, from, person, out));
    KAN_TRY(kan_arena_alloc(&job->arena, 1, sizeof *out->settled, &out->settled));
    kan_meant_list meant;
    KAN_TRY(kan_meant_read(job->run, out->values, out->n_values, &meant));
    kan_status status = join_spellings(&job->arena, from, person, &meant, out);
    if (status == KAN_OK && needs_distance)
        status = measure_distance(job, from, &meant, out);
    kan_meant_destroy(&meant);
    /* until something is recounted, which may be never: as where no value is known */
    *out->settled = (kan_claim_settled){.is_by_value = true, .distance = out->distance_of_numbers};
    return kan_problems_count(job->run) == before ? status : KAN_OK;
}

static bool uses_distance(const kan_claim *claim, size_t column) {
    for (size_t m = 0; m < claim->n_models; m++)
        if (claim->models[m].kind->uses_distance && kan_claim_looks_at(&claim->models[m], column))
            return true;
    return false;
}

kan_status kan_claim_columns(kan_job *job, const kan_table *whole, bool all_distances,
                             kan_claim *out) {
    const size_t n = kan_role_count(&job->options, KAN_ROLE_SENSITIVE);
    kan_claim_column *columns;
    if (n == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "no sensitive column; name what must not be learned about somebody with "
                        "--sensitive NAME");
    KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *columns, &columns));
    kan_problems_begin(job->run);
    for (size_t i = 0; i < n; i++)
        KAN_TRY(add_column(job, whole, kan_role_at(&job->options, KAN_ROLE_SENSITIVE, i).name.bytes,
                           all_distances || uses_distance(out, i), &columns[i]));
    KAN_TRY(kan_problems_end(job->run));
    out->columns = columns;
    out->n_columns = n;
    return KAN_OK;
}

void kan_claim_note_spellings(const kan_job *job, const kan_claim *claim) {
    char quoted[256];
    for (size_t i = 0; i < claim->n_columns; i++)
        if (claim->columns[i].settled->has_several)
            kan_note(job->run,
                     "the sensitive column %s spells some numbers or dates in several ways, such "
                     "as 1 and 1.0: they are counted by their value",
                     kan_quote(kan_slice_of(claim->columns[i].name), quoted));
}

/* ---- models --------------------------------------------------------------------------------- */

/* Nobody in the table has the value: a typing error, or in a release the work of suppression. */
static kan_status miss_value(const kan_job *job, const char *option, const char *value,
                             bool is_release) {
    char quoted[256];
    kan_quote(kan_slice_of(value), quoted);
    if (!is_release)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--%s: no sensitive column has the value %s; values are written as in the "
                        "table",
                        option, quoted);
    kan_note(job->run,
             "--%s: no sensitive column of the release has the value %s, so it is rare there; "
             "--original FILE tells whether it is written as in the table before",
             option, quoted);
    return KAN_OK;
}

static bool has_kind(const kan_claim *claim, const kan_recount_kind *kind, size_t column) {
    for (size_t m = 0; m < claim->n_models; m++)
        if (claim->models[m].kind == kind && kan_claim_looks_at(&claim->models[m], column))
            return true;
    return false;
}

/* Of several models of a kind one tells. */
static bool is_first(const kan_claim *claim, const kan_claim_model *model) {
    size_t m = 0;
    while (claim->models[m].kind != model->kind)
        m++;
    return &claim->models[m] == model;
}

/* A number that is named is meant however it is spelled. */
static kan_status name_value(kan_run *run, const kan_claim_column *column, kan_slice wanted,
                             bool *is_named, bool *any) {
    const size_t n = column->n_values;
    kan_meant_list meant = {.run = run};
    kan_slice *texts = NULL;
    size_t *same_as = NULL;
    bool has_several;
    kan_status status;
    *any = false;
    KAN_TRY_DONE(kan_alloc(run, n + 1, sizeof *texts, &texts));
    KAN_TRY_DONE(kan_alloc(run, n + 1, sizeof *same_as, &same_as));
    for (size_t v = 0; v <= n; v++)
        texts[v] = v < n ? column->values[v] : wanted;
    KAN_TRY_DONE(kan_meant_read(run, texts, n + 1, &meant));
    KAN_TRY_DONE(kan_meant_same(&meant, same_as, &has_several));
    for (size_t v = 0; v < n; v++)
        if (same_as[v] == same_as[n])
            *any = is_named[v] = true;
done:
    kan_meant_destroy(&meant);
    kan_free(run, texts);
    kan_free(run, same_as);
    return status;
}

/* Which values a model looks at. */
static kan_status name_values(kan_job *job, const kan_claim *claim, bool is_release,
                              kan_claim_model *model) {
    const char *option = model->kind->values_option;
    const size_t n_named = option ? kan_options_count_of(&job->options, option) : 0;
    const bool **by_column;
    bool *is_found, *is_named;
    if (n_named == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&job->arena, n_named, sizeof *is_found, &is_found));
    KAN_TRY(kan_arena_alloc(&job->arena, claim->n_columns, sizeof *by_column, &by_column));
    for (size_t c = 0; c < claim->n_columns; c++) {
        const kan_claim_column *column = &claim->columns[c];
        KAN_TRY(kan_arena_alloc(&job->arena, column->n_values, sizeof *is_named, &is_named));
        for (size_t i = 0; i < n_named; i++) {
            char room[KAN_SPELLING_ROOM];
            const kan_slice wanted = kan_spelling_take(
                column->spelling, kan_slice_of(kan_options_at(&job->options, option, i)), room);
            bool any;
            KAN_TRY(name_value(job->run, column, wanted, is_named, &any));
            is_found[i] |= any && has_kind(claim, model->kind, c);
        }
        by_column[c] = is_named;
    }
    for (size_t i = 0; i < n_named; i++)
        if (!is_found[i] && is_first(claim, model))
            KAN_TRY(miss_value(job, option, kan_options_at(&job->options, option, i), is_release));
    model->is_named = by_column;
    return KAN_OK;
}

static kan_status name_weight(const kan_job *job, const kan_recount_kind *kind, kan_claim *claim) {
    claim->weight = kan_options_find(&job->options, "sampling-weight");
    if (claim->weight || kind->needs_no_weights)
        return KAN_OK;
    return kan_fail(job->run, KAN_BAD_INPUT,
                    "--%s: how many people does each row stand for? name the column of the weights "
                    "with --sampling-weight NAME",
                    kind->name);
}

kan_status kan_claim_refuse(const kan_job *job, const char *name) {
    return kan_fail(job->run, KAN_FAILED,
                    "internal error: no recount knows the model %s, so nothing is released; "
                    "please report this",
                    name);
}

/* Matches are no groups: who matches a row has no other rows in common with those who match another. */
static kan_status take_matches(const kan_job *job, kan_claim *claim) {
    if (!kan_options_switch(&job->options, "missing-matches"))
        return KAN_OK;
    if (claim->n_models > 0)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--missing-matches promises that rows match k others, which form no groups, "
            "and %s looks at groups; promise --k alone, or leave --missing-matches out",
            claim->models[0].kind->name);
    if (kan_options_switch(&job->options, "per-column"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--missing-matches and --per-column are two promises, each in place of "
                        "groups of k rows; leave one out");
    if (claim->person)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--missing-matches is about rows: what it means for people who have several "
            "is not worked out; leave it out, or --person");
    claim->strata = kan_options_find(&job->options, "strata");
    claim->fits = claim->k;
    claim->k = 1;
    return KAN_OK;
}

/* Columns by themselves make no groups of rows. */
static kan_status take_by_column(const kan_job *job, kan_claim *claim) {
    if (!kan_options_switch(&job->options, "per-column"))
        return KAN_OK;
    if (claim->n_models > 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--per-column promises that each value of each column is shown by k rows, "
                        "which form no groups, and %s looks at groups; promise --k alone, or leave "
                        "--per-column out",
                        claim->models[0].kind->name);
    if (kan_options_find(&job->options, "subsets"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--per-column and --subsets are two promises, each in place of groups by "
                        "all columns; leave one out");
    if (claim->person)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--per-column is about rows: what it means for people who have several is "
                        "not worked out; leave it out, or --person");
    claim->by_column = claim->k;
    claim->k = 1;
    return KAN_OK;
}

/* What rows show by some of the columns, in place of all of them: k is that of the sets. */
static kan_status take_subsets(kan_job *job, kan_claim *claim) {
    const char *text = kan_options_find(&job->options, "subsets"), *why;
    if (!text)
        return KAN_OK;
    if (claim->fits == 0)
        KAN_TRY(kan_claim_add_subsets(job, claim));
    if (!kan_column_sets_parse(text, &claim->subsets, &why))
        return kan_fail(job->run, KAN_BAD_INPUT, "--subsets: %s", why);
    kan_column_sets_take_k(&claim->subsets, claim->fits > 0 ? claim->fits : claim->k);
    if (claim->fits > 0)
        claim->fits = kan_column_sets_most_k(&claim->subsets);
    claim->k = 1;
    return KAN_OK;
}

kan_status kan_claim_make(kan_job *job, const kan_table *whole, bool is_release, kan_claim *out) {
    const char *promised = kan_options_find(&job->options, "person-promise");
    kan_claim claim = {.k = kan_options_count(&job->options, "k", 1),
                       .person = kan_options_find(&job->options, "person"),
                       .histories = promised && strcmp(promised, "histories") == 0,
                       .household = kan_job_leaves_households(job)
                                        ? kan_options_find(&job->options, "household")
                                        : NULL};
    bool has_k = false, uses_columns = false;
    KAN_TRY(kan_job_check_household(job));
    /* people of several releases are told apart by all of their rows */
    claim.histories |= claim.person && kan_options_find(&job->options, "ledger");
    if (claim.household && kan_job_by_composition(job)) {
        claim.person = claim.household;
        claim.histories = true;
    }
    KAN_TRY(kan_per_column_check(job));
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        const bool is_k = strcmp(kind->name, KAN_CLAIM_K) == 0;
        bool is_wanted;
        KAN_TRY(kan_registry_ask(job->run, kind, &job->options, &is_wanted));
        has_k |= is_k && is_wanted;
        if (is_wanted && !is_k)
            KAN_TRY(kan_claim_add_kind(job, kind, &claim));
    }
    if (!has_k && claim.n_models == 0 && !kan_options_find(&job->options, "subsets"))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "nothing is promised: give the number of rows that must look alike with --k N");
    KAN_TRY(take_matches(job, &claim));
    KAN_TRY(take_by_column(job, &claim));
    KAN_TRY(take_subsets(job, &claim));
    for (size_t m = 0; m < claim.n_models; m++)
        uses_columns |= claim.models[m].kind->check != NULL;
    if (uses_columns)
        KAN_TRY(kan_claim_columns(job, whole, false, &claim));
    for (size_t m = 0; m < claim.n_models; m++)
        if (kan_claim_needs_weights(&claim.models[m]))
            KAN_TRY(name_weight(job, claim.models[m].kind, &claim));
    for (size_t m = 0; m < claim.n_models; m++)
        KAN_TRY(name_values(job, &claim, is_release, &claim.models[m]));
    *out = claim;
    return KAN_OK;
}
