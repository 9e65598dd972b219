#include "engine/apply_plan.h"

static bool is_suppressed(const kan_apply_plan *plan, uint64_t row) {
    return plan->order->release->is_suppressed && plan->order->release->is_suppressed[row];
}

/* The number of the label that a row shows in a column. */
static uint32_t number_of_row(const kan_apply_plan *plan, const kan_apply_column *column,
                              uint64_t row) {
    return column->number_of_label[kan_release_code(plan->order->release, column->release, row)];
}

static const kan_column *source_of(const kan_apply_plan *plan, const kan_apply_column *column) {
    return &plan->order->table->columns[column->source];
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status number_labels(kan_apply_plan *plan, kan_apply_column *column) {
    const kan_release_column *const release = column->release;
    KAN_TRY(kan_encoder_init(&column->texts, plan->run));
    column->has_texts = true;
    KAN_TRY(kan_alloc(plan->run, release->n_labels, sizeof *column->number_of_label,
                      &column->number_of_label));
    for (uint32_t code = 0; code < release->n_labels; code++) {
        KAN_TRY(
            kan_encoder_add(&column->texts, release->labels[code], &column->number_of_label[code]));
        column->has_empty = column->has_empty || release->labels[code].size == 0;
    }
    return KAN_OK;
}

/* Where rows were counted at levels, a value shows what the one shows that stands for it. */
static void follow_stand_ins(const kan_apply_plan *plan, size_t source, uint32_t n,
                             uint32_t *number_of) {
    const uint32_t *const stand_in = plan->stand_ins ? plan->stand_ins[source] : NULL;
    for (uint32_t code = 0; stand_in && code < n; code++)
        if (number_of[code] == UINT32_MAX)
            number_of[code] = number_of[stand_in[code]];
}

/* Whether a label follows from the value: *out then has them. */
static kan_status follow_values(kan_apply_plan *plan, kan_apply_column *column, bool *follows) {
    const kan_column *const source = source_of(plan, column);
    const uint32_t n = source->dictionary.n;
    uint32_t *number_of;
    KAN_TRY(kan_alloc(plan->run, n, sizeof *number_of, &number_of));
    for (uint32_t code = 0; code < n; code++)
        number_of[code] = UINT32_MAX;
    *follows = true;
    for (uint64_t row = 0; row < plan->order->table->n_rows && *follows; row++) {
        uint32_t *const number = &number_of[kan_column_code(source, row)];
        const uint32_t label = number_of_row(plan, column, row);
        *follows = *number == UINT32_MAX || *number == label;
        *number = label;
    }
    follow_stand_ins(plan, column->source, n, number_of);
    column->number_of_value = number_of;
    return KAN_OK;
}

static bool shows_its_values(const kan_apply_plan *plan, const kan_apply_column *column) {
    const kan_dictionary *const dictionary = &source_of(plan, column)->dictionary;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const uint32_t number = column->number_of_value[code];
        if (number != UINT32_MAX && !kan_slice_equal(kan_encoder_value(&column->texts, number),
                                                     kan_dictionary_value(dictionary, code)))
            return false;
    }
    return true;
}

/* What is no number has many forms in the bits of a real, which a release as it is would show, and one
 * text. */
static bool has_nan(const kan_apply_plan *plan, const kan_apply_column *column) {
    const kan_dictionary *const dictionary = &source_of(plan, column)->dictionary;
    if (!plan->input->columns[column->source].form->is_real)
        return false;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (kan_sql_text_is_nan(kan_dictionary_value(dictionary, code)))
            return true;
    return false;
}

/* Whether who sees the values themselves can tell no more apart than who sees their texts. */
static bool may_stay(const kan_apply_plan *plan, const kan_apply_column *column) {
    return !plan->input->columns[column->source].form->is_lossy && !has_nan(plan, column);
}

static kan_status choose_way(kan_apply_plan *plan, kan_apply_column *column) {
    bool follows = false;
    KAN_TRY(number_labels(plan, column));
    if (!column->release->by_group)
        KAN_TRY(follow_values(plan, column, &follows));
    if (!follows)
        column->way = KAN_APPLY_GROUP;
    else if (may_stay(plan, column) && shows_its_values(plan, column))
        column->way = KAN_APPLY_RAW;
    else
        column->way = KAN_APPLY_VALUE;
    return kan_check_cancel(plan->run);
}

static kan_status plan_columns(kan_apply_plan *plan) {
    const kan_release *const release = plan->order->release;
    KAN_TRY(kan_alloc_zero(plan->run, release->n_columns, sizeof *plan->columns, &plan->columns));
    plan->n_columns = release->n_columns;
    KAN_TRY(kan_alloc(plan->run, plan->n_columns, sizeof *plan->tested, &plan->tested));
    KAN_TRY(kan_alloc(plan->run, plan->n_columns, sizeof *plan->grouped, &plan->grouped));
    for (size_t i = 0; i < plan->n_columns; i++) {
        kan_apply_column *const column = &plan->columns[i];
        column->release = &release->columns[i];
        column->source = column->release->source_column;
        column->passes = column->release->passes_through;
        if (!column->passes)
            KAN_TRY(choose_way(plan, column));
        if (!column->passes && column->way == KAN_APPLY_GROUP)
            plan->grouped[plan->n_grouped++] = i;
        if (!column->passes && column->release->is_quasi)
            plan->tested[plan->n_tested++] = i;
    }
    return KAN_OK;
}

/* ---- suppression by labels ------------------------------------------------------------------ */

/* What a tested column shows of a row: the same number, from 1, where it shows the same. */
static uint32_t shown_by(const kan_apply_plan *plan, const kan_apply_column *column, uint64_t row) {
    return 1 + (column->way == KAN_APPLY_RAW ? kan_column_code(source_of(plan, column), row)
                                             : number_of_row(plan, column, row));
}

static uint32_t n_shown_by(const kan_apply_plan *plan, const kan_apply_column *column) {
    return 1 +
           (column->way == KAN_APPLY_RAW ? source_of(plan, column)->dictionary.n : column->texts.n);
}

/* Tuples whose last column is not the only thing in which two neighbours differ: the others decide
 * it. They are sorted. */
static bool is_decided(const kan_engine_tuples *tuples) {
    const size_t n = tuples->n_columns - 1;
    for (uint64_t i = 1; i < tuples->n; i++)
        if (kan_engine_tuples_are_alike(tuples, i - 1, i, n))
            return false;
    return true;
}

/* Labels of the quasi-identifiers, and whether the row is suppressed. */
static kan_status list_labels(const kan_apply_plan *plan, kan_engine_tuples *out) {
    uint32_t *n_codes, *codes;
    for (uint64_t row = 0; row < plan->order->table->n_rows; row++) {
        KAN_TRY(kan_engine_tuples_add(out, kan_table_count(plan->order->table, row), &codes));
        for (size_t i = 0; i < plan->n_tested; i++)
            codes[i] = shown_by(plan, &plan->columns[plan->tested[i]], row);
        codes[plan->n_tested] = is_suppressed(plan, row);
    }
    KAN_TRY(kan_alloc(plan->run, plan->n_tested + 1, sizeof *n_codes, &n_codes));
    for (size_t i = 0; i < plan->n_tested; i++)
        n_codes[i] = n_shown_by(plan, &plan->columns[plan->tested[i]]);
    n_codes[plan->n_tested] = 2;
    const kan_status status = kan_engine_tuples_sort(out, n_codes, NULL);
    kan_free(plan->run, n_codes);
    return status;
}

static bool suppresses_any(const kan_apply_plan *plan) {
    for (uint64_t row = 0; row < plan->order->table->n_rows; row++)
        if (is_suppressed(plan, row))
            return true;
    return false;
}

/* *is_done is false where labels do not decide who is suppressed. */
static kan_status plan_suppression(kan_apply_plan *plan, bool *is_done) {
    *is_done = true;
    if (!suppresses_any(plan))
        return KAN_OK;
    kan_engine_tuples_init(&plan->suppressed, plan->run, plan->n_tested + 1);
    KAN_TRY(list_labels(plan, &plan->suppressed));
    *is_done = plan->has_suppressed = is_decided(&plan->suppressed);
    if (!*is_done)
        kan_engine_tuples_destroy(&plan->suppressed);
    return KAN_OK;
}

/* ---- outcomes of tuples --------------------------------------------------------------------- */

/* Numbers the groups of labels; `room` has a number per grouped column. */
static kan_status outcome_of(kan_apply_plan *plan, uint64_t row, uint32_t *room, uint32_t *out) {
    uint32_t code;
    if (is_suppressed(plan, row)) {
        *out = KAN_OUTCOME_SUPPRESSED;
        return KAN_OK;
    }
    for (size_t i = 0; i < plan->n_grouped; i++)
        room[i] = number_of_row(plan, &plan->columns[plan->grouped[i]], row);
    KAN_TRY(kan_encoder_add(
        &plan->groups, (kan_slice){(const char *)room, plan->n_grouped * sizeof *room}, &code));
    *out = KAN_OUTCOME_FIRST + code;
    return KAN_OK;
}

static kan_status add_outcomes(kan_apply_plan *plan, uint32_t *room) {
    const kan_table *const table = plan->order->table;
    kan_engine_tuples_init(&plan->outcomes, plan->run, plan->n_keys + 1);
    for (uint64_t row = 0; row < table->n_rows; row++) {
        uint32_t *codes;
        KAN_TRY(kan_engine_tuples_add(&plan->outcomes, kan_table_count(table, row), &codes));
        for (size_t i = 0; i < plan->n_keys; i++)
            codes[i] = kan_column_code(&table->columns[plan->keys[i]], row);
        KAN_TRY(outcome_of(plan, row, room, &codes[plan->n_keys]));
    }
    return KAN_OK;
}

static kan_status list_outcomes(kan_apply_plan *plan) {
    uint32_t *room = NULL, *n_codes = NULL;
    kan_status status;
    kan_engine_tuples_destroy(&plan->outcomes);
    KAN_TRY_DONE(kan_alloc(plan->run, plan->n_grouped + 1, sizeof *room, &room));
    KAN_TRY_DONE(kan_alloc(plan->run, plan->n_keys + 1, sizeof *n_codes, &n_codes));
    KAN_TRY_DONE(add_outcomes(plan, room));
    for (size_t i = 0; i < plan->n_keys; i++)
        n_codes[i] = plan->order->table->columns[plan->keys[i]].dictionary.n;
    n_codes[plan->n_keys] = KAN_OUTCOME_FIRST + plan->groups.n;
    KAN_TRY_DONE(kan_engine_tuples_sort(&plan->outcomes, n_codes, NULL));
done:
    kan_free(plan->run, room);
    kan_free(plan->run, n_codes);
    return status;
}

/* The columns by which an outcome is looked for: quasi-identifiers, or all that are encoded. */
static void choose_keys(kan_apply_plan *plan, bool takes_all) {
    const kan_table *const table = plan->order->table;
    plan->n_keys = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        bool is_key = takes_all && table->columns[i].is_encoded;
        for (size_t j = 0; j < plan->n_tested && !is_key; j++)
            is_key = plan->columns[plan->tested[j]].source == i;
        if (is_key)
            plan->keys[plan->n_keys++] = i;
    }
}

static kan_status plan_outcomes(kan_apply_plan *plan) {
    KAN_TRY(kan_alloc(plan->run, plan->order->table->n_columns, sizeof *plan->keys, &plan->keys));
    KAN_TRY(kan_encoder_init(&plan->groups, plan->run));
    plan->has_groups = plan->has_outcomes = true;
    choose_keys(plan, false);
    KAN_TRY(list_outcomes(plan));
    if (is_decided(&plan->outcomes))
        return KAN_OK;
    choose_keys(plan, true);
    KAN_TRY(list_outcomes(plan));
    plan->divides = !is_decided(&plan->outcomes);
    return KAN_OK;
}

const uint32_t *kan_apply_plan_group(const kan_apply_plan *plan, uint32_t outcome, uint32_t *room) {
    const kan_slice bytes = kan_encoder_value(&plan->groups, outcome - KAN_OUTCOME_FIRST);
    KAN_ASSERT(bytes.size == plan->n_grouped * sizeof *room);
    if (bytes.size > 0)
        memcpy(room, bytes.bytes, bytes.size);
    return room;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status check_order(const kan_engine *engine, const kan_engine_order *order) {
    const kan_release *const release = order->release;
    KAN_ASSERT(release->n_rows == order->table->n_rows);
    if (release->keeps_suppressed || release->shows_suppressed || release->guards_formulas)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: a release in a database has no suppressed rows and no guard against "
                        "formulas; leave out --keep-suppressed, --show-suppressed and "
                        "--guard-formulas",
                        kan_engine_name(engine));
    return KAN_OK;
}

kan_status kan_apply_plan_make(kan_engine *engine, const kan_engine_order *order,
                               kan_apply_plan *out) {
    kan_apply_plan plan = {.run = engine->run,
                           .order = order,
                           .input = &engine->table,
                           .stand_ins = engine->stand_ins};
    bool is_done = false;
    kan_status status;
    plan.suppressed.run = plan.outcomes.run = engine->run;
    KAN_TRY(check_order(engine, order));
    KAN_TRY_DONE(plan_columns(&plan));
    if (plan.n_grouped == 0)
        KAN_TRY_DONE(plan_suppression(&plan, &is_done));
    if (!is_done)
        KAN_TRY_DONE(plan_outcomes(&plan));
    *out = plan;
done:
    if (status != KAN_OK)
        kan_apply_plan_destroy(&plan);
    return status;
}

void kan_apply_plan_destroy(kan_apply_plan *plan) {
    for (size_t i = 0; plan->columns && i < plan->n_columns; i++) {
        if (plan->columns[i].has_texts)
            kan_encoder_destroy(&plan->columns[i].texts);
        kan_free(plan->run, plan->columns[i].number_of_label);
        kan_free(plan->run, plan->columns[i].number_of_value);
    }
    kan_free(plan->run, plan->columns);
    kan_free(plan->run, plan->tested);
    kan_free(plan->run, plan->grouped);
    kan_free(plan->run, plan->keys);
    kan_engine_tuples_destroy(&plan->suppressed);
    kan_engine_tuples_destroy(&plan->outcomes);
    if (plan->has_groups)
        kan_encoder_destroy(&plan->groups);
}
