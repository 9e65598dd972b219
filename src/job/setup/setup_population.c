/* The population that a promise is about: read, bound to the hierarchies of the quasi-identifiers,
 * folded, and its groups matched with those of the table.
 *
 * The recount reads labels, and knows no levels. So that both mean the same people, the groups of
 * both tables must have the same labels, and a label must stand for the same values wherever in its
 * hierarchy it stands. A hierarchy that is built from the rows is not the same for both tables, and
 * is refused. O(values * levels) beside reading and folding. */
#include <stdlib.h>
#include <string.h>

#include "group/freqsets/freqsets.h"
#include "group/head_count.h"
#include "group/viewer.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

/* The flag of the first model that needs a population; NULL: none was asked for. */
static const char *wanted_by(const kan_setup *setup) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (kind->needs_people && kan_registry_wants(&kind->kind, &setup->job->options))
            return kind->kind.options[0].name;
    }
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* What settings make of columns of the table becomes of those of the population, too. */
static kan_status read_people(kan_setup *setup, const char *flag) {
    KAN_TRY(kan_input_open(setup->job, "population", false, &setup->people));
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        (void)kan_input_take(&setup->people, "qi",
                             kan_slice_of(setup->table->columns[setup->quasi[a]].name),
                             &setup->people_columns[a]);
    KAN_TRY(kan_problems_end(setup->run));
    if (setup->person)
        KAN_TRY(kan_input_take_whose(&setup->people, kan_slice_of(setup->person->name),
                                     &setup->people_person));
    else
        kan_input_take_counts(&setup->people);
    KAN_TRY(kan_input_read(&setup->people));
    KAN_TRY(kan_input_treat_like(&setup->people, flag, &setup->input, setup->quasi,
                                 setup->people_columns, setup->n_quasi));
    if (setup->people.table->n_rows == 0)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "%s has no rows, so that nobody matches; name the table of everybody with "
                        "--population",
                        setup->people.name);
    if (setup->person)
        KAN_TRY(kan_input_check_person(&setup->people,
                                       &setup->people.table->columns[setup->people_person], NULL));
    return KAN_OK;
}

static kan_status bind_hierarchies(kan_setup *setup) {
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const size_t before = kan_problems_count(setup->run);
        const kan_status status =
            kan_input_hierarchy(setup->job, &setup->people.table->columns[setup->people_columns[a]],
                                setup->specs[a], &setup->people_hierarchies[a]);
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
    }
    if (kan_problems_count(setup->run) > 0)
        kan_problem_add(setup->run,
                        "%s: the hierarchies must know the values of the population, too; add "
                        "these to them",
                        setup->people.name);
    return kan_problems_end(setup->run);
}

/* ---- labels --------------------------------------------------------------------------------- */

/* A label and the leaves that it stands for, which are neighbours. */
typedef struct {
    kan_slice label;
    uint32_t first, end;
} node;

static int compare_nodes(const void *a, const void *b) {
    const node *x = a, *y = b;
    const size_t size = x->label.size < y->label.size ? x->label.size : y->label.size;
    const int order = size ? memcmp(x->label.bytes, y->label.bytes, size) : 0;
    return order ? order : x->label.size < y->label.size ? -1 : x->label.size > y->label.size;
}

static size_t list_nodes(const kan_hierarchy *hierarchy, node *nodes) {
    size_t n = 0;
    for (unsigned level = 0; level <= hierarchy->height; level++) {
        const kan_level *here = &hierarchy->levels[level];
        for (uint32_t g = 0; g < here->n_groups; g++)
            nodes[n++] = (node){here->label[g], kan_hierarchy_first_leaf(hierarchy, level, g),
                                kan_hierarchy_first_leaf(hierarchy, level, g + 1)};
    }
    return n;
}

/* A label that stands for different values in two places, or a * that does not stand for all; NULL:
 * there is none. */
static const node *find_ambiguous(const kan_hierarchy *hierarchy, node *nodes, size_t n) {
    qsort(nodes, n, sizeof *nodes, compare_nodes);
    for (size_t i = 0; i < n; i++) {
        const bool is_again = i > 0 && kan_slice_equal(nodes[i].label, nodes[i - 1].label);
        if (is_again && (nodes[i].first != nodes[i - 1].first || nodes[i].end != nodes[i - 1].end))
            return &nodes[i];
        if (kan_slice_is(nodes[i].label, "*") &&
            (nodes[i].first > 0 || nodes[i].end < hierarchy->n_codes))
            return &nodes[i];
    }
    return NULL;
}

static kan_status check_labels(const kan_setup *setup, const kan_hierarchy *hierarchy) {
    size_t n = 0;
    node *nodes;
    char quoted[256], label[256];
    kan_status status = KAN_OK;
    for (unsigned level = 0; level <= hierarchy->height; level++)
        n += hierarchy->levels[level].n_groups;
    KAN_TRY(kan_alloc(setup->run, n, sizeof *nodes, &nodes));
    const node *found = find_ambiguous(hierarchy, nodes, list_nodes(hierarchy, nodes));
    if (found)
        status = kan_fail(setup->run, KAN_BAD_INPUT,
                          "the hierarchy of column %s has the label %s in two places that stand "
                          "for different values; with --population a label must say whom it "
                          "matches: %s",
                          kan_quote(kan_slice_of(hierarchy->attribute), quoted),
                          kan_quote(found->label, label),
                          kan_hierarchy_is_spec(hierarchy->origin)
                              ? "mask fewer characters than the shortest value has, use prefix:N, "
                                "or write the hierarchy to a file (kanon hierarchy build), rename "
                                "one of them there, and name the file"
                              : "rename one of them");
    kan_free(setup->run, nodes);
    return status;
}

/* ---- groups of both tables ------------------------------------------------------------------ */

static kan_status fail_unlike(const kan_setup *setup, unsigned a) {
    char quoted[256];
    const kan_hierarchy *hierarchy = setup->hierarchies[a];
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "column %s: %s makes other groups, or other labels, of the values of %s than "
                    "of those of %s, so that people cannot be matched; write the hierarchy to a "
                    "file (kanon hierarchy build %s ...) and name that",
                    kan_quote(kan_slice_of(hierarchy->attribute), quoted), hierarchy->origin,
                    setup->people.name, setup->input.name, setup->people.name);
}

/* Which group of the table each group of the population is, by the values that both have. */
static kan_status map_level(const kan_setup *setup, unsigned a, unsigned level, uint32_t *map) {
    const kan_hierarchy *here = setup->hierarchies[a], *there = setup->people_hierarchies[a];
    const kan_dictionary *values = &setup->table->columns[setup->quasi[a]].dictionary;
    const kan_dictionary *known =
        &setup->people.table->columns[setup->people_columns[a]].dictionary;
    const kan_level *from = &there->levels[level], *to = &here->levels[level];
    uint32_t *back;
    bool is_alike = true;
    KAN_TRY(kan_alloc(setup->run, to->n_groups, sizeof *back, &back));
    memset(back, 0xff, to->n_groups * sizeof *back);
    memset(map, 0xff, from->n_groups * sizeof *map);
    for (uint32_t code = 0; code < values->n && is_alike; code++) {
        uint32_t other;
        if (!kan_dictionary_find(known, kan_dictionary_value(values, code), &other))
            continue; /* kan_setup_check_people tells of its rows */
        const uint32_t group = to->from_leaf[here->leaf_of[code]];
        const uint32_t people = from->from_leaf[there->leaf_of[other]];
        is_alike = (map[people] == KAN_NOBODY || map[people] == group) &&
                   (back[group] == KAN_NOBODY || back[group] == people) &&
                   kan_slice_equal(to->label[group], from->label[people]);
        map[people] = group;
        back[group] = people;
    }
    kan_free(setup->run, back);
    return is_alike ? KAN_OK : fail_unlike(setup, a);
}

static kan_status map_groups(kan_setup *setup, unsigned a) {
    const kan_hierarchy *here = setup->hierarchies[a], *there = setup->people_hierarchies[a];
    char quoted[256];
    uint32_t **maps;
    if (here->height != there->height)
        return fail_unlike(setup, a);
    /* Who is suppressed decides what such intervals are called, and so whom they match. */
    if (kan_hierarchy_has_open_names(there))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "column %s: %s has numbers with fractions, for which intervals are named "
                        "by what is released; for --population write the hierarchy to a file "
                        "(kanon hierarchy build) and name that",
                        kan_quote(kan_slice_of(here->attribute), quoted), setup->people.name);
    KAN_TRY(check_labels(setup, there));
    KAN_TRY(kan_arena_alloc(&setup->job->arena, here->height + 1u, sizeof *maps, &maps));
    for (unsigned level = 0; level <= here->height; level++) {
        KAN_TRY(kan_arena_alloc(&setup->job->arena, there->levels[level].n_groups, sizeof **maps,
                                &maps[level]));
        KAN_TRY(map_level(setup, a, level, maps[level]));
    }
    setup->population.maps[a] = maps;
    return KAN_OK;
}

static kan_status fold(kan_setup *setup) {
    kan_population *population = &setup->population;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        KAN_TRY(map_groups(setup, a));
        KAN_TRY(kan_space_add_attribute(&population->space,
                                        &setup->people.table->columns[setup->people_columns[a]],
                                        setup->people_hierarchies[a]));
    }
    population->n_people = kan_table_total(setup->people.table);
    if (setup->person) {
        const kan_column *person = &setup->people.table->columns[setup->people_person];
        population->has_person = true;
        population->n_people = person->dictionary.n;
        setup->claimed.person = person;
        KAN_TRY(kan_space_add_tail(&population->space, person));
    }
    return kan_freqset_fold(&population->space, setup->people.table->n_rows, &population->base);
}

kan_status kan_setup_population(kan_setup *setup) {
    const char *flag = wanted_by(setup);
    const bool is_named = kan_job_names_table(setup->job, "population");
    if (is_named && !flag)
        kan_note(setup->run, "--population does nothing without a promise about it: --k-map or "
                             "--presence");
    if (!is_named || !flag)
        return KAN_OK;
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--%s: people are matched by the levels of hierarchies, and --algorithm %s "
                        "shows others in every group; %suse --algorithm auto or exhaustive",
                        flag, setup->search->kind.name, kan_setup_before_levels(setup));
    kan_space_init(&setup->population.space, setup->run);
    kan_freqset_init(&setup->population.base);
    kan_freqset_init(&setup->population.joint);
    setup->has_people = true;
    KAN_TRY(read_people(setup, flag));
    KAN_TRY(bind_hierarchies(setup));
    KAN_TRY(fold(setup));
    setup->claimed = (kan_claim_population){
        .table = setup->people.table,
        .person = setup->claimed.person,
        .raw = setup->people.raw,
        .treatments = setup->people.treatments,
        .n_treatments = setup->people.n_treatments,
        .n = setup->n_quasi,
        .columns = setup->people_columns,
        .hierarchies = (const kan_hierarchy *const *)setup->people_hierarchies};
    setup->problem.population = &setup->population;
    return KAN_OK;
}

void kan_setup_destroy_population(kan_setup *setup) {
    if (!setup->has_people)
        return;
    kan_freqset_destroy(setup->run, &setup->population.base);
    kan_freqset_destroy(setup->run, &setup->population.joint);
    kan_space_destroy(&setup->population.space);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        kan_hierarchy_destroy(setup->people_hierarchies[a]);
    kan_input_close(&setup->people);
}

/* ---- everybody is in it --------------------------------------------------------------------- */

static kan_status tell_missing(const kan_setup *setup, const kan_freqset *set,
                               const uint8_t *is_there, uint64_t n_missing) {
    const char *one = setup->person ? "person" : "row", *many = setup->person ? "people" : "rows";
    uint8_t *is_marked;
    uint64_t row = 0;
    char rows[32];
    KAN_TRY(kan_alloc(setup->run, setup->table->n_rows, 1, &is_marked));
    const kan_status status = kan_freqset_mark_rows(&setup->problem.space, set, is_there,
                                                    setup->table->n_rows, is_marked);
    while (status == KAN_OK && !is_marked[row])
        row++;
    kan_free(setup->run, is_marked);
    KAN_TRY(status);
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s: %s %s of %s %s no person left in it to match, such as row %llu; the "
                    "population must hold everybody who is in the table: are both written the same "
                    "way, and is it the right population?",
                    setup->people.name, kan_count_text(n_missing, rows),
                    kan_plural(n_missing, one, many), setup->input.name,
                    kan_plural(n_missing, "has", "have"), (unsigned long long)row + 1);
}

/* Puts the different people of each group in the place of its rows, and marks tuples whose people are there. */
static kan_status count_missing_people(const kan_setup *setup, const kan_groups *groups,
                                       const kan_freqset *set, uint8_t *is_there,
                                       uint64_t *n_missing) {
    kan_head_count heads;
    kan_groups people;
    uint8_t *is_gone = NULL;
    kan_status status;
    kan_head_count_init(&heads, &setup->problem);
    KAN_TRY_DONE(kan_alloc_zero(setup->run, (size_t)setup->problem.n_people, 1, &is_gone));
    KAN_TRY_DONE(kan_head_count_begin(&heads, set));
    KAN_TRY_DONE(kan_head_count_groups(&heads, is_gone, false, &people));
    for (size_t g = 0; g < groups->n_groups; g++) {
        const bool has_all = groups->people[g] >= people.count[g];
        *n_missing += has_all ? 0 : people.count[g] - groups->people[g];
        for (size_t i = heads.start[g]; i < heads.start[g + 1]; i++)
            is_there[i] = has_all;
    }
done:
    kan_free(setup->run, is_gone);
    kan_head_count_destroy(&heads);
    return status;
}

static kan_status find_missing_people(const kan_setup *setup, const kan_groups *groups,
                                      const kan_freqset *set) {
    uint8_t *is_there;
    uint64_t n_missing = 0;
    KAN_TRY(kan_alloc(setup->run, set->n, 1, &is_there));
    kan_status status = count_missing_people(setup, groups, set, is_there, &n_missing);
    if (status == KAN_OK && n_missing > 0)
        status = tell_missing(setup, set, is_there, n_missing);
    kan_free(setup->run, is_there);
    return status;
}

/* At the values themselves; what holds there of rows holds at every level. */
static kan_status count_missing(const kan_setup *setup, kan_viewer *viewer, kan_freqset *set) {
    kan_groups groups;
    kan_workspace *workspace = NULL;
    unsigned quasi[KAN_MAX_ATTRIBUTES + 1];
    uint64_t n_missing = 0;
    kan_status status;
    for (unsigned a = 0; a <= setup->n_quasi; a++)
        quasi[a] = a; /* the last is the person, where there is one */
    KAN_TRY_DONE(kan_workspace_create(setup->run, &workspace));
    KAN_TRY_DONE(kan_freqset_project(&setup->problem.space, &setup->problem.base, quasi,
                                     setup->n_quasi + (setup->person != NULL), workspace, set));
    KAN_TRY_DONE(kan_viewer_groups(viewer, set, &groups));
    if (setup->person) {
        status = find_missing_people(setup, &groups, set);
        goto done;
    }
    for (size_t g = 0; g < groups.n_groups; g++) {
        viewer->is_released[g] = groups.people[g] >= groups.count[g];
        n_missing += viewer->is_released[g] ? 0 : groups.count[g] - groups.people[g];
    }
    if (n_missing > 0)
        KAN_TRY_DONE(tell_missing(setup, set, viewer->is_released, n_missing));
done:
    kan_workspace_destroy(workspace);
    return status;
}

kan_status kan_setup_check_people(kan_setup *setup) {
    kan_viewer viewer;
    kan_freqset set;
    if (!setup->has_people)
        return KAN_OK;
    kan_viewer_init(&viewer, &setup->problem);
    kan_freqset_init(&set);
    const kan_status status = count_missing(setup, &viewer, &set);
    kan_freqset_destroy(setup->run, &set);
    kan_viewer_destroy(&viewer);
    KAN_TRY(status);
    return kan_population_join(&setup->population, &setup->problem.space, &setup->problem.base);
}
