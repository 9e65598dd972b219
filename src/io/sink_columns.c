/* Types of released columns.
 *
 * A column that shows values of the input keeps the type that the input's schema gives it. Where
 * there is no schema, the values that are shown decide: numbers or dates if all of them are, in the
 * form that they will be read in again. What is generalized is text.
 *
 * Rows that are left out must not show in this. So values that only they have are taken away first,
 * and nothing that a source guessed from all of its rows is believed. */
#include "io/sink_columns.h"

void kan_sink_columns_init(kan_sink_columns *columns, kan_run *run) {
    *columns = (kan_sink_columns){.run = run};
    kan_arena_init(&columns->arena, run);
}

void kan_sink_columns_destroy(kan_sink_columns *columns) {
    kan_arena_destroy(&columns->arena);
}

/* ---- what is shown -------------------------------------------------------------------------- */

/* No further than to the row that shows the last of the labels. */
static kan_status mark_shown(kan_run *run, const kan_release *release,
                             const kan_release_column *column, bool *is_shown) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 18 };
    uint32_t n_left = column->n_labels;
    for (uint64_t row = 0; row < release->n_rows && n_left > 0; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        if (!kan_release_tells(release, row) || kan_release_hides(release, column, row))
            continue;
        bool *const here = &is_shown[kan_release_code(release, column, row)];
        n_left -= !*here;
        *here = true;
    }
    return KAN_OK;
}

/* ---- types ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_release_column *column;
    const kan_slice *values;
    const bool *is_shown;
} shown_values;

/* The name of a missing code: .a to .z, or a point alone. */
static bool is_missing_name(kan_slice value) {
    return value.size > 0 && value.size <= 2 && value.bytes[0] == '.' &&
           (value.size == 1 || (value.bytes[1] >= 'a' && value.bytes[1] <= 'z'));
}

static bool all_are(const shown_values *shown, kan_field_type type, bool *any_is_known) {
    *any_is_known = false;
    for (uint32_t code = 0; code < shown->column->n_labels; code++) {
        if (!shown->is_shown[code])
            continue;
        const kan_slice value = shown->values[code];
        if (!kan_field_holds(type, value) && !(shown->column->is_as_is && is_missing_name(value)))
            return false;
        *any_is_known |= value.size > 0;
    }
    return true;
}

static kan_field_type guess_type(const shown_values *shown) {
    static const kan_field_type types[] = {KAN_FIELD_NUMBER, KAN_FIELD_DATE, KAN_FIELD_TIMESTAMP,
                                           KAN_FIELD_TIME, KAN_FIELD_BOOLEAN};
    bool any_is_known;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (all_are(shown, types[i], &any_is_known) && any_is_known)
            return types[i];
    return KAN_FIELD_TEXT;
}

static kan_field_type type_of(const kan_release *release, const shown_values *shown) {
    const kan_field *field = shown->column->field;
    bool any_is_known;
    if (release->keeps_suppressed || !shown->column->shows_values)
        return KAN_FIELD_TEXT;
    if (!field || field->is_guessed)
        return guess_type(shown);
    return all_are(shown, field->type, &any_is_known) ? field->type : KAN_FIELD_TEXT;
}

/* ---- labels --------------------------------------------------------------------------------- */

/* The one code that is called so, or a code that has no label; false where there is none, or more
 * than one. */
static bool find_code(const kan_field *field, kan_slice label, kan_slice *out) {
    size_t n = 0;
    for (size_t i = 0; i < field->n_labels; i++)
        if (kan_slice_equal(field->labels[i].label, label)) {
            *out = field->labels[i].value;
            n++;
        }
    if (n > 0)
        return n == 1;
    *out = label;
    return field->type != KAN_FIELD_TEXT && kan_field_holds(field->type, label);
}

/* Turns labels back into the codes that they stand for; a value without a label is its code. False
 * where something is neither. */
static bool take_codes(const shown_values *shown, kan_slice *out) {
    const kan_field *field = shown->column->field;
    for (uint32_t code = 0; code < shown->column->n_labels; code++) {
        const kan_slice value = shown->values[code];
        out[code] = value;
        if (shown->is_shown[code] && value.size > 0 && !find_code(field, value, &out[code]))
            return false;
    }
    return true;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_field plain_field(const kan_release_column *column, kan_field_type type) {
    return (kan_field){
        .name = column->name, .type = type, .label = column->field ? column->field->label : NULL};
}

static kan_status choose_field(kan_arena *arena, const kan_release *release,
                               const shown_values *shown, bool has_codes, kan_sink_column *out) {
    const kan_field *field = shown->column->field;
    kan_slice *codes;
    if (field && field->shows_labels && !shown->column->is_as_is && shown->column->shows_values &&
        !release->keeps_suppressed) {
        KAN_TRY(kan_arena_alloc(arena, shown->column->n_labels, sizeof *codes, &codes));
        if (has_codes && take_codes(shown, codes)) {
            out->field = *field;
            out->field.name = shown->column->name;
            out->values = codes;
            return KAN_OK;
        }
        out->field = plain_field(shown->column, KAN_FIELD_TEXT);
        return KAN_OK;
    }
    const kan_field_type type = type_of(release, shown);
    out->field = plain_field(shown->column, type);
    if (field && !field->is_guessed && type == field->type && shown->column->shows_values) {
        out->field = *field;
        out->field.name = shown->column->name;
        if (!shown->column->is_as_is) { /* missing codes are one value now */
            out->field.missing = NULL;
            out->field.n_missing = 0;
        }
    }
    return KAN_OK;
}

/* As the input writes it. */
static kan_status spell(kan_arena *arena, const kan_release_column *column, const bool *is_shown,
                        kan_slice *values) {
    for (uint32_t code = 0; column->spelling && code < column->n_labels; code++) {
        char room[KAN_SPELLING_ROOM];
        const char *copy;
        if (!is_shown[code])
            continue;
        const kan_slice put = kan_spelling_put(column->spelling, values[code], room);
        KAN_TRY(kan_arena_copy(arena, put.bytes, put.size, &copy));
        values[code] = (kan_slice){copy, put.size};
    }
    return KAN_OK;
}

static kan_status make_column(kan_run *run, kan_arena *arena, const kan_release *release,
                              const kan_release_column *column, bool is_spelled, bool has_codes,
                              kan_sink_column *out) {
    bool *is_shown;
    kan_slice *values;
    *out = (kan_sink_column){.column = column};
    if (column->passes_through) {
        out->field = plain_field(column, KAN_FIELD_TEXT);
        return KAN_OK;
    }
    KAN_TRY(kan_arena_alloc(arena, column->n_labels, sizeof *is_shown, &is_shown));
    KAN_TRY(kan_arena_alloc(arena, column->n_labels, sizeof *values, &values));
    memset(is_shown, 0, column->n_labels * sizeof *is_shown);
    KAN_TRY(mark_shown(run, release, column, is_shown));
    for (uint32_t code = 0; code < column->n_labels; code++)
        values[code] = is_shown[code] ? column->labels[code] : (kan_slice){"", 0};
    const shown_values shown = {column, values, is_shown};
    out->values = values;
    out->is_shown = is_shown;
    KAN_TRY(choose_field(arena, release, &shown, has_codes, out));
    return is_spelled && out->field.type == KAN_FIELD_TEXT && out->values == values
               ? spell(arena, column, is_shown, values)
               : KAN_OK;
}

kan_status kan_sink_columns_make(kan_run *run, const kan_release *release, bool is_spelled,
                                 bool has_codes, kan_sink_columns *out) {
    KAN_TRY(kan_arena_alloc(&out->arena, release->n_columns, sizeof *out->columns, &out->columns));
    for (size_t i = 0; i < release->n_columns; i++)
        KAN_TRY(make_column(run, &out->arena, release, &release->columns[i], is_spelled, has_codes,
                            &out->columns[i]));
    return KAN_OK;
}
