/* From settings to treated columns. */
#include "job/input/treatment_input.h"

#include <string.h>

#include "data/treat/treat.h"

/* ---- finding -------------------------------------------------------------------------------- */

/* The treatment of the column of that name, a new one where it has none; NULL, and a problem, where
 * the table has no such column. */
static kan_treatment *treatment_of(kan_input *input, const char *flag, kan_slice name) {
    size_t column;
    if (!kan_input_find(input, name, &column)) {
        kan_input_add_unknown(input, flag, name);
        return NULL;
    }
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].column == column)
            return &input->treatments[i];
    kan_treatment *made = &input->treatments[input->n_treatments++];
    *made = (kan_treatment){.name = input->columns[column], .column = column};
    input->encode[column] = true;
    return made;
}

static kan_status copy(kan_input *input, kan_slice text, kan_slice *out) {
    const char *bytes;
    KAN_TRY(kan_arena_copy(kan_run_arena(input->run), text.bytes, text.size, &bytes));
    *out = (kan_slice){bytes, text.size};
    return KAN_OK;
}

static kan_status name_end(kan_input *input, const char *sign, kan_slice bound, kan_slice *out) {
    char text[KAN_TREATED_ROOM + 2], room[KAN_TREATED_ROOM];
    const size_t size = strlen(sign);
    const kan_slice shown = kan_cap_bound_text(bound, room);
    if (bound.size == 0)
        return KAN_OK;
    memcpy(text, sign, size);
    memcpy(text + size, shown.bytes, shown.size);
    return copy(input, (kan_slice){text, size + shown.size}, out);
}

static kan_status take_caps(kan_input *input) {
    const kan_options *options = &input->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, "cap"); i++) {
        kan_slice name, low, high;
        kan_treatment *t;
        if (!kan_cap_parse(kan_options_at(options, "cap", i), &name, &low, &high) ||
            !(t = treatment_of(input, "cap", name)))
            continue;
        t->low = low;
        t->high = high;
        KAN_TRY(name_end(input, "<", low, &t->ends.low));
        KAN_TRY(name_end(input, ">=", high, &t->ends.high));
    }
    return KAN_OK;
}

static void take_steps(kan_input *input) {
    const kan_options *options = &input->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, "round"); i++) {
        kan_slice name, step;
        kan_treatment *t;
        if (kan_step_parse(kan_options_at(options, "round", i), &name, &step) &&
            (t = treatment_of(input, "round", name)))
            t->step = step;
    }
}

/* In the order of the table. */
static void sort_treatments(kan_input *input) {
    for (size_t i = 1; i < input->n_treatments; i++) {
        const kan_treatment moved = input->treatments[i];
        size_t at = i;
        for (; at > 0 && input->treatments[at - 1].column > moved.column; at--)
            input->treatments[at] = input->treatments[at - 1];
        input->treatments[at] = moved;
    }
}

/* Labels and missing codes of a schema are about what the values were. */
static kan_status strip_fields(kan_input *input) {
    KAN_TRY(kan_alloc_zero(input->run, input->n_treatments, sizeof *input->treated_fields,
                           &input->treated_fields));
    for (size_t i = 0; i < input->n_treatments; i++) {
        const kan_field *field = kan_source_field(input->source, input->treatments[i].column);
        kan_field *made = &input->treated_fields[i];
        if (!field)
            continue;
        *made = *field;
        made->labels = NULL;
        made->n_labels = 0;
        made->label_set = NULL;
        made->missing = NULL;
        made->n_missing = 0;
        made->shows_labels = false;
    }
    return KAN_OK;
}

kan_status kan_input_find_treatments(kan_input *input) {
    const kan_options *options = &input->job->options;
    const size_t n = kan_options_count_of(options, "cap") + kan_options_count_of(options, "round");
    if (n == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(input->run, n, sizeof *input->treatments, &input->treatments));
    kan_problems_begin(input->run);
    take_steps(input);
    KAN_TRY(take_caps(input));
    KAN_TRY(kan_problems_end(input->run));
    sort_treatments(input);
    return input->source ? strip_fields(input) : KAN_OK;
}

const kan_treatment *kan_input_treatment(const kan_input *input, size_t column) {
    for (size_t i = 0; i < input->n_treatments; i++)
        if (input->treatments[i].column == column)
            return &input->treatments[i];
    return NULL;
}

const char *kan_treatment_flags(const kan_treatment *treatment) {
    const bool rounds = treatment->step.size > 0;
    return !kan_treatment_caps(treatment) ? "--round" : rounds ? "--round and --cap" : "--cap";
}

void kan_treatment_add_words(const kan_treatment *t, kan_text *text) {
    const char *between = "";
    if (t->step.size > 0) {
        kan_text_print(text, "rounded to multiples of %.*s", (int)t->step.size, t->step.bytes);
        between = ", ";
    }
    if (t->low.size > 0) {
        kan_text_print(text, "%sbelow %.*s as %.*s", between, (int)t->low.size, t->low.bytes,
                       (int)t->ends.low.size, t->ends.low.bytes);
        between = ", ";
    }
    if (t->high.size > 0)
        kan_text_print(text, "%sfrom %.*s on as %.*s", between, (int)t->high.size, t->high.bytes,
                       (int)t->ends.high.size, t->ends.high.bytes);
}

/* ---- treating ------------------------------------------------------------------------------- */

kan_status kan_input_treat(kan_input *input) {
    if (input->n_treatments == 0)
        return KAN_OK;
    kan_problems_begin(input->run);
    KAN_TRY(kan_table_treat(input->run, input->raw, input->name, input->treatments,
                            input->n_treatments, &input->treated));
    KAN_TRY(kan_problems_end(input->run));
    input->table = input->treated;
    return KAN_OK;
}

kan_status kan_input_take_ends(kan_input *release) {
    for (size_t i = 0; i < release->n_treatments; i++) {
        kan_column *column = &release->owned->columns[release->treatments[i].column];
        if (kan_treatment_caps(&release->treatments[i]) && column->is_encoded)
            KAN_TRY(kan_column_take_ends(release->run, column, &release->treatments[i].ends));
    }
    return KAN_OK;
}
