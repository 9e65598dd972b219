/* The cut space: see cut_space.h.
 *
 * Choices come from the domains. The places p - 1 and p meet in one lowest node of the hierarchy:
 * cutting between them takes apart the children of that node, so each place above 0 belongs to one
 * choice, and walking the places upwards meets the choices in the order of their first places.
 *
 * Tuples come from the base: its groups become places, and tuples with equal places become one.
 * Bins may bring together tuples that stood apart, so equal ones are found by hashing; they keep
 * the order in which the base has them first. Cost: one pass over the base. */
#include "search/cuts/cut_space.h"

#include <string.h>

#include "core/text.h"
#include "search/cuts/cut_people.h"
#include "search/pasts.h"

/* ---- what can be cut ------------------------------------------------------------------------ */

const kan_search_costs kan_cut_costs = {
    .shapes = 1u << KAN_SHAPE_SIZES | 1u << KAN_SHAPE_CLASSES,
    .why = ": searches that cut ordered domains minimize discernibility or classification; use one "
           "of these, or for any cost, without --algorithm, --recoding unrestricted or "
           "full-subgraph, which contain whole subtrees, or full-domain"};

/* Whether the rows of a group decide, or of a past in it, or its people, and nothing else. */
static bool is_of_size(const kan_problem *problem, const kan_promise *promise) {
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (promise->least_values[t] > 1)
            return false;
    return promise->size_decides || promise->people_decide ||
           (problem->has_pasts && kan_pasts_by_size(promise));
}

static kan_status check_question(kan_cut_space *space) {
    const kan_question *question = space->question;
    const kan_problem *problem = question->problem;
    const kan_cost_kind *cost = question->objective->kind;
    char rows[32];
    if (!is_of_size(problem, question->promise))
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "searches that cut ordered domains can promise only what the size of "
                        "groups decides, which is k-anonymity; for other privacy models use, "
                        "without --algorithm, --recoding unrestricted or full-subgraph, which "
                        "contain whole subtrees, or full-domain");
    KAN_TRY(kan_costs_check(space->run, &kan_cut_costs, cost));
    space->cost = cost->shape == KAN_SHAPE_SIZES ? KAN_CUT_DISCERNIBILITY : KAN_CUT_CLASSIFICATION;
    if (problem->n_rows >> 31)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "%s rows are too many for a search that cuts ordered domains, which takes "
                        "fewer than 2,147,483,648; use --algorithm bisect without --recoding",
                        kan_count_text(problem->n_rows, rows));
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        if (!problem->domains[a])
            return kan_fail(space->run, KAN_FAILED,
                            "column '%s' has no ordered domain to cut; the search was not set up "
                            "as one that cuts",
                            problem->space.dimensions[a].name);
    return KAN_OK;
}

/* ---- choices -------------------------------------------------------------------------------- */

/* The places of an attribute: those of its domain, or the nodes of the lowest level. */
static kan_status join_places(kan_cut_space *space, unsigned a) {
    const kan_domain *domain = space->question->problem->domains[a];
    const unsigned lowest = space->question->problem->space.dimensions[a].lowest;
    const uint32_t *group_of = domain->hierarchy->levels[lowest].from_leaf;
    const uint32_t n = domain->n_places;
    uint32_t n_joined = 0;
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof **space->first_place, &space->first_place[a]));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof **space->place_in, &space->place_in[a]));
    for (uint32_t place = 0; place < n; place++) {
        const uint32_t leaf = domain->first_leaf[place];
        if (place == 0 || lowest == 0 || group_of[leaf] != group_of[leaf - 1])
            space->first_place[a][n_joined++] = place;
        space->place_in[a][place] = n_joined - 1;
    }
    space->n_places[a] = n_joined;
    return KAN_OK;
}

static kan_status map_places(kan_cut_space *space) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(join_places(space, a));
        const uint32_t n = space->n_places[a];
        KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof **space->choice_at, &space->choice_at[a]));
        for (uint32_t place = 0; place < n; place++)
            space->choice_at[a][place] = -1;
    }
    return KAN_OK;
}

/* The lowest level at which both leaves are in one group. */
static unsigned meeting_level(const kan_hierarchy *hierarchy, uint32_t leaf, uint32_t other) {
    unsigned level = 0;
    while (level < hierarchy->height &&
           hierarchy->levels[level].from_leaf[leaf] != hierarchy->levels[level].from_leaf[other])
        level++;
    return level;
}

/* The first leaf of a place. */
static uint32_t leaf_of(const kan_cut_space *space, unsigned a, uint32_t place) {
    return space->question->problem->domains[a]->first_leaf[space->first_place[a][place]];
}

/* The level at which what stands at a place and before it falls together. */
static unsigned level_at(const kan_cut_space *space, unsigned a, uint32_t place) {
    const uint32_t leaf = leaf_of(space, a, place);
    return meeting_level(space->question->problem->domains[a]->hierarchy, leaf - 1, leaf);
}

/* Above the highest level that may be chosen nothing stands together. */
static bool must_cut(const kan_cut_space *space, unsigned a, uint32_t place) {
    const kan_dimension *dimension = &space->question->problem->space.dimensions[a];
    return dimension->highest < dimension->height && level_at(space, a, place) > dimension->highest;
}

static kan_status reserve_choices(kan_cut_space *space, uint8_t **is_forced) {
    size_t most = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        most += space->n_places[a];
    KAN_TRY(kan_arena_alloc(&space->arena, most, sizeof *space->choices, &space->choices));
    KAN_TRY(kan_arena_alloc(&space->arena, most, sizeof **is_forced, is_forced));
    memset(*is_forced, 0, most);
    space->is_forced = *is_forced;
    return KAN_OK;
}

/* Every place above 0 is a choice of its own. */
static kan_status choose_places(kan_cut_space *space) {
    unsigned n = 0;
    uint8_t *is_forced;
    KAN_TRY(reserve_choices(space, &is_forced));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t *places;
        KAN_TRY(kan_arena_alloc(&space->arena, space->n_places[a], sizeof *places, &places));
        for (uint32_t place = 1; place < space->n_places[a]; place++) {
            places[place] = place;
            space->choice_at[a][place] = (int)n;
            is_forced[n] = must_cut(space, a, place);
            space->choices[n++] = (kan_choice){a, 1, &places[place], -1};
        }
    }
    space->n_choices = n;
    return KAN_OK;
}

/* Numbers the nodes that have several children, in the order of their first place: of_node[level]
 * is by group, -1 where a node has one child. */
static void number_nodes(kan_cut_space *space, unsigned a, int **of_node, uint8_t *is_forced) {
    const kan_hierarchy *hierarchy = space->question->problem->domains[a]->hierarchy;
    for (unsigned level = 0; level <= hierarchy->height; level++)
        for (uint32_t g = 0; g < hierarchy->levels[level].n_groups; g++)
            of_node[level][g] = -1;
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        const unsigned level = level_at(space, a, place);
        int *choice = &of_node[level][hierarchy->levels[level].from_leaf[leaf_of(space, a, place)]];
        if (*choice < 0) {
            *choice = (int)space->n_choices;
            is_forced[space->n_choices] = must_cut(space, a, place);
            space->choices[space->n_choices++] = (kan_choice){.attribute = a, .parent = -1};
        }
        space->choice_at[a][place] = *choice;
        space->choices[*choice].n_places++;
    }
}

static void find_parents(kan_cut_space *space, unsigned a, int *const *of_node) {
    const kan_hierarchy *hierarchy = space->question->problem->domains[a]->hierarchy;
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        kan_choice *choice = &space->choices[space->choice_at[a][place]];
        const uint32_t leaf = leaf_of(space, a, place);
        unsigned level = level_at(space, a, place);
        while (choice->parent < 0 && ++level <= hierarchy->height)
            choice->parent = of_node[level][hierarchy->levels[level].from_leaf[leaf]];
    }
}

static kan_status choose_nodes_of(kan_cut_space *space, unsigned a, int **of_node,
                                  uint8_t *is_forced) {
    const kan_hierarchy *hierarchy = space->question->problem->domains[a]->hierarchy;
    for (unsigned level = 0; level <= hierarchy->height; level++)
        KAN_TRY(kan_arena_alloc(&space->arena, hierarchy->levels[level].n_groups, sizeof **of_node,
                                &of_node[level]));
    const unsigned first = space->n_choices;
    uint32_t **places;
    number_nodes(space, a, of_node, is_forced);
    find_parents(space, a, of_node);
    const unsigned n = space->n_choices - first;
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *places, &places));
    for (unsigned c = 0; c < n; c++) {
        kan_choice *choice = &space->choices[first + c];
        KAN_TRY(
            kan_arena_alloc(&space->arena, choice->n_places, sizeof *choice->places, &places[c]));
        choice->places = places[c];
        choice->n_places = 0;
    }
    for (uint32_t place = 1; place < space->n_places[a]; place++) {
        const unsigned choice = (unsigned)space->choice_at[a][place];
        places[choice - first][space->choices[choice].n_places++] = place;
    }
    return KAN_OK;
}

/* A choice for every node of a hierarchy with several children. */
static kan_status choose_nodes(kan_cut_space *space) {
    uint8_t *is_forced;
    KAN_TRY(reserve_choices(space, &is_forced));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_domain *domain = space->question->problem->domains[a];
        int **of_node;
        if (domain->has_bins)
            return kan_fail(space->run, KAN_BAD_INPUT,
                            "--bins %s=.. does not go with --recoding full-subtree: bins are not "
                            "nodes of a hierarchy; use --recoding ordered-set",
                            domain->column->name);
        KAN_TRY(kan_arena_alloc(&space->arena, domain->hierarchy->height + 1u, sizeof *of_node,
                                &of_node));
        KAN_TRY(choose_nodes_of(space, a, of_node, is_forced));
    }
    return KAN_OK;
}

bool kan_cut_is_by_place(const kan_cut_space *space, unsigned a) {
    unsigned n_choices = 0;
    for (unsigned c = 0; c < space->n_choices; c++) {
        const kan_choice *choice = &space->choices[c];
        if (choice->attribute != a)
            continue;
        if (choice->n_places != 1 || choice->parent >= 0)
            return false;
        n_choices++;
    }
    return n_choices > 0 && n_choices + 1 == space->n_places[a] &&
           space->n_places[a] <= KAN_CUT_MOST_PLACES;
}

/* ---- tuples --------------------------------------------------------------------------------- */

/* Distinct rows of numbers, by hashing. */
typedef struct {
    kan_run *run;
    unsigned width;
    size_t n, n_slots;
    uint32_t *rows;  /* n rows of `width` numbers */
    uint32_t *slots; /* row + 1, or 0 */
} row_set;

static kan_status row_set_open(kan_run *run, unsigned width, size_t most, row_set *out) {
    row_set set = {.run = run, .width = width, .n_slots = 16};
    while (set.n_slots < 2 * most)
        set.n_slots *= 2;
    KAN_TRY(kan_alloc(run, most * width + 1, sizeof *set.rows, &set.rows));
    kan_status status = kan_alloc_zero(run, set.n_slots, sizeof *set.slots, &set.slots);
    if (status == KAN_OK)
        *out = set;
    else
        kan_free(run, set.rows);
    return status;
}

static void row_set_close(row_set *set) {
    kan_free(set->run, set->rows);
    kan_free(set->run, set->slots);
}

/* The row to look for stands behind the last one; it is kept when it is new. */
static uint32_t row_set_take(row_set *set) {
    const size_t size = set->width * sizeof *set->rows;
    const uint32_t *row = set->rows + set->n * set->width;
    for (size_t at = kan_hash_bytes(row, size);; at++) {
        uint32_t *slot = &set->slots[at & (set->n_slots - 1)];
        if (*slot == 0) {
            *slot = (uint32_t)++set->n;
            return *slot - 1;
        }
        if (memcmp(set->rows + (size_t)(*slot - 1) * set->width, row, size) == 0)
            return *slot - 1;
    }
}

/* Copies the rows of places into a column per attribute. */
static kan_status keep_places(kan_cut_space *space, const row_set *set) {
    space->n_tuples = set->n;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(
            kan_arena_alloc(&space->arena, set->n, sizeof *space->places[a], &space->places[a]));
        for (size_t t = 0; t < set->n; t++)
            space->places[a][t] = set->rows[t * set->width + a];
    }
    return KAN_OK;
}

static const kan_key_field *field_of(const kan_layout *layout, unsigned dimension) {
    const kan_key_field *field = layout->fields;
    while (field->dimension != dimension)
        field++;
    return field;
}

/* Rows, and rows by class, of each tuple; of[i] is the tuple of the base's i-th. */
static kan_status count_rows(kan_cut_space *space, const uint32_t *of) {
    const kan_problem *problem = space->question->problem;
    const kan_freqset *base = &problem->base;
    KAN_TRY(kan_arena_alloc(&space->arena, space->n_tuples, sizeof *space->rows, &space->rows));
    memset(space->rows, 0, space->n_tuples * sizeof *space->rows);
    for (size_t i = 0; i < base->n; i++)
        space->rows[of[i]] += (uint32_t)base->counts[i];
    if (space->cost != KAN_CUT_CLASSIFICATION)
        return KAN_OK;
    const unsigned class = problem->space.n_attributes + (unsigned)problem->class_tail;
    const kan_key_field *field = field_of(&base->layout, class);
    space->n_classes = kan_dimension_groups(&problem->space.dimensions[class], 0);
    const size_t n = space->n_tuples * space->n_classes;
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *space->class_rows, &space->class_rows));
    memset(space->class_rows, 0, n * sizeof *space->class_rows);
    for (size_t i = 0; i < base->n; i++) {
        const uint32_t value = kan_key_field_value(field, base->keys + i * base->layout.n_words);
        space->class_rows[(size_t)of[i] * space->n_classes + value] += (uint32_t)base->counts[i];
    }
    return KAN_OK;
}

static kan_status make_tuples(kan_cut_space *space) {
    kan_status status;
    const kan_problem *problem = space->question->problem;
    const kan_freqset *base = &problem->base;
    const kan_key_field *fields[KAN_MAX_ATTRIBUTES];
    uint32_t *of = NULL;
    row_set set = {.n = 0};
    for (unsigned a = 0; a < space->n_attributes; a++)
        fields[a] = field_of(&base->layout, a);
    KAN_TRY(row_set_open(space->run, space->n_attributes, base->n + 1, &set));
    KAN_TRY_DONE(kan_alloc(space->run, base->n, sizeof *of, &of));
    for (size_t i = 0; i < base->n; i++) {
        uint32_t *row = set.rows + set.n * set.width;
        for (unsigned a = 0; a < space->n_attributes; a++)
            row[a] = space->place_in[a][problem->domains[a]->place_of[kan_key_field_value(
                fields[a], base->keys + i * base->layout.n_words)]];
        of[i] = row_set_take(&set);
    }
    KAN_TRY_DONE(keep_places(space, &set));
    KAN_TRY_DONE(count_rows(space, of));
    if (problem->has_person)
        KAN_TRY_DONE(kan_cut_people_make(space, of));
done:
    kan_free(space->run, of);
    row_set_close(&set);
    return status;
}

/* ---- the space ------------------------------------------------------------------------------ */

kan_status kan_cut_space_make(kan_run *run, const kan_question *question, kan_cut_space *out) {
    const kan_problem *problem = question->problem;
    *out = (kan_cut_space){.run = run,
                           .question = question,
                           .start_ms = kan_now_ms(),
                           .recoding = question->model ? question->model->type : KAN_RECODING_CUTS,
                           .k = question->promise->least_size,
                           .limit = question->promise->limit,
                           .n_people = question->promise->by_person ? problem->n_people : 0,
                           .n_rows = problem->n_rows,
                           .wants_release = question->wants_release,
                           .n_attributes = problem->space.n_attributes};
    kan_arena_init(&out->arena, run);
    KAN_TRY(check_question(out));
    KAN_TRY(map_places(out));
    KAN_TRY(out->recoding == KAN_RECODING_CUTS ? choose_places(out) : choose_nodes(out));
    return make_tuples(out);
}

void kan_cut_space_destroy(kan_cut_space *space) {
    kan_arena_destroy(&space->arena);
}

/* ---- the cost of a set of choices ----------------------------------------------------------- */

typedef struct {
    uint32_t *intervals[KAN_MAX_ATTRIBUTES]; /* by place */
    uint32_t *group_of;                      /* by tuple */
    uint64_t *rows, *class_rows;             /* by group */
    row_set set;
} grouping;

static void grouping_close(kan_run *run, grouping *groups) {
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_free(run, groups->intervals[a]);
    kan_free(run, groups->group_of);
    kan_free(run, groups->rows);
    kan_free(run, groups->class_rows);
    if (groups->set.run)
        row_set_close(&groups->set);
}

static kan_status number_intervals(const kan_cut_space *space, const uint8_t *is_made,
                                   grouping *groups) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t n = 0;
        KAN_TRY(kan_alloc(space->run, space->n_places[a], sizeof **groups->intervals,
                          &groups->intervals[a]));
        for (uint32_t place = 0; place < space->n_places[a]; place++) {
            const int choice = space->choice_at[a][place];
            n += choice >= 0 && is_made[choice];
            groups->intervals[a][place] = n;
        }
    }
    return KAN_OK;
}

static kan_status group_tuples(const kan_cut_space *space, const uint8_t *is_made,
                               grouping *groups) {
    KAN_TRY(number_intervals(space, is_made, groups));
    KAN_TRY(row_set_open(space->run, space->n_attributes, space->n_tuples + 1, &groups->set));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *groups->group_of, &groups->group_of));
    row_set *set = &groups->set;
    for (size_t t = 0; t < space->n_tuples; t++) {
        uint32_t *row = set->rows + set->n * set->width;
        for (unsigned a = 0; a < space->n_attributes; a++)
            row[a] = groups->intervals[a][space->places[a][t]];
        groups->group_of[t] = row_set_take(set);
    }
    const size_t n_classes = space->n_classes;
    KAN_TRY(kan_alloc_zero(space->run, set->n, sizeof *groups->rows, &groups->rows));
    KAN_TRY(
        kan_alloc_zero(space->run, set->n * n_classes, sizeof *groups->rows, &groups->class_rows));
    for (size_t t = 0; t < space->n_tuples; t++) {
        groups->rows[groups->group_of[t]] += space->rows[t];
        for (size_t i = 0; i < n_classes; i++)
            groups->class_rows[groups->group_of[t] * n_classes + i] +=
                space->class_rows[t * n_classes + i];
    }
    return KAN_OK;
}

static uint64_t cost_of_released(const kan_cut_space *space, const grouping *groups, size_t g) {
    uint64_t majority = 0;
    if (space->cost == KAN_CUT_DISCERNIBILITY)
        return groups->rows[g] * groups->rows[g];
    for (size_t i = 0; i < space->n_classes; i++) {
        const uint64_t rows = groups->class_rows[g * space->n_classes + i];
        majority = rows > majority ? rows : majority;
    }
    return groups->rows[g] - majority;
}

static kan_status cost_by_rows(const kan_cut_space *space, const uint8_t *is_made, uint64_t *lost,
                               uint64_t *cost) {
    kan_status status;
    grouping groups = {.group_of = NULL};
    *cost = *lost = 0;
    KAN_TRY_DONE(group_tuples(space, is_made, &groups));
    for (size_t g = 0; g < groups.set.n; g++)
        if (groups.rows[g] >= space->k)
            *cost += cost_of_released(space, &groups, g);
        else
            *lost += groups.rows[g];
    *cost += *lost * (space->cost == KAN_CUT_DISCERNIBILITY ? space->n_rows : 1);
done:
    grouping_close(space->run, &groups);
    return status;
}

static kan_status cost_by_people(const kan_cut_space *space, const uint8_t *is_made, uint64_t *lost,
                                 uint64_t *cost) {
    kan_cut_counter *counter;
    KAN_TRY(kan_cut_counter_create(space, &counter));
    kan_cut_counter_measure(counter, is_made);
    *lost = counter->n_lost;
    *cost = counter->cost;
    kan_cut_counter_destroy(counter);
    return KAN_OK;
}

kan_status kan_cut_space_cost(const kan_cut_space *space, const uint8_t *is_made,
                              uint64_t *n_suppressed, uint64_t *out) {
    uint64_t lost;
    KAN_TRY(space->people ? cost_by_people(space, is_made, &lost, out)
                          : cost_by_rows(space, is_made, &lost, out));
    if (lost > space->limit || (space->wants_release && lost == kan_cut_space_all(space)))
        *out = UINT64_MAX;
    if (n_suppressed)
        *n_suppressed = lost;
    return KAN_OK;
}

kan_status kan_cut_space_answer(const kan_cut_space *space, const uint8_t *is_made, uint64_t cost,
                                kan_answer *answer) {
    uint32_t *cuts;
    size_t n = 0;
    for (unsigned c = 0; c < space->n_choices; c++)
        n += is_made[c] ? space->choices[c].n_places : 0;
    KAN_TRY(kan_alloc(space->run, n, sizeof *cuts, &cuts));
    kan_recoding *recoding = &answer->recoding;
    *recoding =
        (kan_recoding){.type = space->recoding, .n_attributes = space->n_attributes, .cuts = cuts};
    n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        recoding->first_cut[a] = n;
        for (uint32_t place = 1; place < space->n_places[a]; place++) {
            const int choice = space->choice_at[a][place];
            if (choice >= 0 && is_made[choice])
                cuts[n++] = space->first_place[a][place];
        }
    }
    recoding->first_cut[space->n_attributes] = n;
    answer->is_found = true;
    answer->score = kan_score_whole(cost);
    answer->n_cuts = space->n_choices;
    return KAN_OK;
}
