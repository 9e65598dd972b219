/* Models of sensitive values: what is promised beside `tables` holds for each table that has sensitive
 * columns, unless the table says otherwise itself. Models are those of one table in which a person may
 * have several rows; what they look at are parts of trees (group/kin). */
#include <string.h>

#include "job/tables/tables_inside.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* The option of a model of sensitive values that has the name, or NULL. */
static const kan_option_spec *find_spec(const char *name) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        for (size_t o = 0; kind->needs_tallies && !kind->needs_weights && o < kind->kind.n_options;
             o++)
            if (strcmp(kind->kind.options[o].name, name) == 0)
                return &kind->kind.options[o];
    }
    return NULL;
}

bool kan_clan_is_of_values(const char *setting) {
    return find_spec(setting) != NULL;
}

/* The column that the value is about; empty: all. */
static kan_slice column_of(const kan_option_spec *spec, const char *text) {
    const char *value;
    kan_slice column = {"", 0};
    if (spec->is_per_column)
        kan_option_split(text, &column, &value);
    else if (spec->type == KAN_OPTION_PATH && !kan_order_parse(text, &column, &value))
        column = (kan_slice){"", 0};
    return column;
}

static bool has_sensitive(const kan_clan_table *table, kan_slice column) {
    kan_said_column unused;
    const kan_options *options = &table->part->job->options;
    return column.size == 0 ? kan_role_count(options, KAN_ROLE_SENSITIVE) > 0
                            : kan_role_names(options, KAN_ROLE_SENSITIVE, column, &unused);
}

/* A setting beside `tables`, for all tables that it is about. `said`: by table, how many settings it
 * has of its own. */
static kan_status hand_down(kan_clan *clan, const struct kan_option_value *given,
                            const kan_option_spec *spec, const size_t *said) {
    const kan_slice column = column_of(spec, given->value);
    bool is_taken = false;
    char quoted[256];
    for (size_t t = 0; t < clan->n; t++) {
        kan_options *own = &clan->tables[t].part->job->options;
        bool says_itself = false;
        if (!has_sensitive(&clan->tables[t], column))
            continue;
        is_taken = true;
        for (size_t i = 0; i < said[t]; i++)
            says_itself |= strcmp(own->values[i].name, given->name) == 0;
        if (!says_itself)
            KAN_TRY(kan_options_add(own, given->name, given->value));
    }
    if (!is_taken && column.size > 0)
        kan_problem_add(clan->run,
                        "--%s: %s is a sensitive column of no table; name it with `sensitive` "
                        "within its table",
                        given->name, kan_quote(column, quoted));
    else if (!is_taken)
        kan_problem_add(clan->run,
                        "--%s: no table has a sensitive column; write sensitive: [COLUMN] within a "
                        "table, and what must not be learned about somebody",
                        given->name);
    return KAN_OK;
}

static kan_status hand_down_all(kan_clan *clan) {
    const kan_options *all = &clan->job->options;
    size_t said[KAN_MOST_TABLES];
    for (size_t t = 0; t < clan->n; t++)
        said[t] = clan->tables[t].part->job->options.n;
    kan_problems_begin(clan->run);
    for (size_t i = 0; i < all->n; i++) {
        const kan_option_spec *spec = find_spec(all->values[i].name);
        if (spec)
            KAN_TRY(hand_down(clan, &all->values[i], spec, said));
    }
    return kan_problems_end(clan->run);
}

static kan_status wants_models(kan_clan *clan, size_t t, bool *out) {
    *out = false;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted = false;
        if (kind->needs_tallies && !kind->needs_weights)
            KAN_TRY(kan_registry_ask(clan->run, &kind->kind, &clan->tables[t].part->job->options,
                                     &is_wanted));
        *out |= is_wanted;
    }
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

/* Whose each row is, as a column that no file can have: its name is empty. A table with it beside its own
 * columns is what claims are made of. */
static kan_status add_person(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    const kan_table *own = table->setup.table;
    uint32_t *codes;
    kan_column *columns;
    KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)own->n_rows, sizeof *codes, &codes));
    KAN_TRY(kan_arena_alloc(&clan->arena, own->n_columns + 1, sizeof *columns, &columns));
    for (uint64_t row = 0; row < own->n_rows; row++)
        codes[row] = (uint32_t)kan_clan_person(clan, t, row);
    memcpy(columns, own->columns, own->n_columns * sizeof *columns);
    columns[own->n_columns] = (kan_column){.name = "",
                                           .is_encoded = true,
                                           .dictionary = {.n = (uint32_t)clan->n_people},
                                           .width = sizeof *codes,
                                           .codes = codes,
                                           .n_rows = own->n_rows};
    table->peopled = *own;
    table->peopled.columns = columns;
    table->peopled.n_columns = own->n_columns + 1;
    table->setup.problem.has_person = true;
    table->setup.problem.n_people = clan->n_people;
    KAN_TRY(kan_options_add(&table->part->job->options, "person", ""));
    return kan_space_add_tail(&table->setup.problem.space, &columns[own->n_columns]);
}

uint64_t kan_clan_person(const kan_clan *clan, size_t t, uint64_t row) {
    for (; t > 0; t = clan->tables[t].parent)
        row = clan->tables[t].parent_row[row];
    return row;
}

/* ---- what models look at -------------------------------------------------------------------- */

static kan_status list_values(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    const kan_space *space = &table->setup.problem.space;
    const uint64_t n_rows = table->setup.table->n_rows;
    const uint32_t **by_tail;
    KAN_TRY(kan_arena_alloc(&clan->arena, space->n_tails, sizeof *by_tail, &by_tail));
    for (unsigned tail = 1; tail < space->n_tails; tail++) {
        const kan_dimension *from = &space->dimensions[space->n_attributes + tail];
        uint32_t *values;
        KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)n_rows, sizeof *values, &values));
        for (uint64_t row = 0; row < n_rows; row++)
            values[row] = kan_dimension_value(from, kan_column_code(from->column, row));
        by_tail[tail] = values;
    }
    clan->secrets[t] = (kan_kin_secrets){space->n_tails, by_tail};
    return KAN_OK;
}

static kan_status take_table(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    const char *suppress = kan_options_find(&clan->job->options, "suppress");
    KAN_TRY(add_person(clan, t));
    if (suppress) /* whether the values of some rows may be gone */
        KAN_TRY(kan_options_add(&table->part->job->options, "suppress", suppress));
    KAN_TRY(kan_setup_tails(&table->setup));
    kan_promise_init(&table->setup.promise, kan_clan_limit(clan->job, clan->n_people));
    KAN_TRY(kan_setup_models(&table->setup));
    return list_values(clan, t);
}

kan_status kan_clan_models(kan_clan *clan) {
    KAN_TRY(hand_down_all(clan));
    for (size_t t = 0; t < clan->n; t++) {
        bool wants;
        KAN_TRY(wants_models(clan, t, &wants));
        if (!wants)
            continue;
        if (clan->by_groups)
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "--person-promise groups: over several tables models of sensitive "
                            "values are promised of histories alone so far, which keys that are "
                            "left out keep, too; leave --person-promise out, or the models");
        KAN_TRY(take_table(clan, t));
        clan->tables[t].has_models = clan->has_models = true;
    }
    return KAN_OK;
}

kan_status kan_clan_pose(kan_clan *clan, const kan_kin *items, uint32_t *const *item_of,
                         kan_trees_question *q) {
    static const unsigned none[KAN_MAX_ATTRIBUTES] = {0};
    q->kin = items;
    q->parts = NULL;
    q->heads = NULL;
    for (size_t t = 0; t < clan->n; t++)
        q->promises[t] = clan->tables[t].has_models ? &clan->tables[t].setup.promise : NULL;
    if (clan->by_groups)
        return kan_kin_heads_create(clan->run, &clan->kin, items, item_of ? item_of[0] : NULL,
                                    item_of ? q->lowest : none, &q->heads);
    if (!clan->has_models)
        return KAN_OK;
    return kan_kin_parts_create(clan->run, &clan->kin, item_of, clan->secrets, &q->parts);
}
