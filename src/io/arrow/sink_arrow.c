/* A release as one batch in memory.
 *
 * What each code of a column is as a value is found out once: its palette. Rows then cost a look-up
 * per cell. Columns that show values of the input have its type where all that is shown fits, and a
 * dictionary stays one: of the values that are shown, and of no other.
 * What is generalized is text, or a dictionary of text. Columns that pass through are taken as they
 * are (arrow_take.c, arrow_take_codes.c). */
#include <stdlib.h>
#include <string.h>

#include "data/encoder.h"
#include "io/arrow/arrow_inside.h"

enum { BLOCK_ROWS = 1 << 14, VIEW_SIZE = 16, MOST_IN_VIEW = 12 };

typedef struct {
    const kan_sink_column *from;
    kan_arrow_type type; /* of the values; index_size > 0: rows have indices of them */
    uint32_t n_codes;    /* one more than there are labels: the last is a hidden cell */
    kan_slice *texts;    /* by code */
    char *words;         /* by code */
    bool *is_null;       /* by code */
    char *indices;       /* by code, of a dictionary */
    char *long_bytes;    /* of views: texts that are too long for them */
    size_t n_long;
    kan_arrow_builder rows;
    const char *format;    /* of a column that passes through without codes; NULL: it has them */
    kan_arrow_taken taken; /* the codes of one that passes through, a dictionary */
} made_column;

typedef struct {
    kan_run *run;
    const kan_sink_plan *plan;
    const kan_release *release;
    const kan_arrow *source; /* where the rows came from; NULL: not from here */
    kan_arrow *out;
    kan_arena arena;
    made_column *columns; /* those of the release */
    struct ArrowArray *batch;
    uint64_t *input_rows; /* of a block */
    uint32_t *codes;
} making;

/* ---- types ---------------------------------------------------------------------------------- */

/* Whether a row may show it. */
static bool is_shown(const making *m, const made_column *column, uint32_t code) {
    if (column->taken.is_there)
        return true;
    return code + 1 < column->n_codes ? column->from->is_shown[code] : m->release->keeps_suppressed;
}

/* Whether all that is shown has its own text in that type; the values are left in words. */
static bool fits(const making *m, const made_column *column, const kan_scalar_type *type) {
    for (uint32_t code = 0; code < column->n_codes; code++)
        if (is_shown(m, column, code) && !column->is_null[code] &&
            !kan_scalar_value(type, column->texts[code], column->words + (size_t)code * type->size))
            return false;
    return true;
}

/* The index stays what it was. */
static void set_type(made_column *column, const kan_arrow_type *type) {
    const kan_arrow_type before = column->type;
    column->type = *type;
    column->type.index_size = before.index_size;
    column->type.index_is_signed = before.index_is_signed;
    column->type.is_ordered = before.is_ordered;
}

static void set_values(made_column *column, const char *format) {
    const kan_arrow_type type = kan_arrow_type_find(format);
    set_type(column, &type);
}

static bool take_type(const making *m, made_column *column, const kan_arrow_type *type) {
    if (type->layout == KAN_ARROW_OTHER || type->layout == KAN_ARROW_EMPTY ||
        (!kan_arrow_is_text(type) && !fits(m, column, &type->scalar)))
        return false;
    set_type(column, type);
    return true;
}

static const kan_arrow_type *type_in_source(const making *m, const made_column *column) {
    return m->source ? &m->source->types[column->from->column->source_column] : NULL;
}

/* What the input had; else the common types of what is shown; else text. */
static void choose_type(const making *m, made_column *column) {
    static const char *const common[][3] = {
        [KAN_FIELD_TEXT] = {NULL},         [KAN_FIELD_NUMBER] = {"l", "g"},
        [KAN_FIELD_DATE] = {"tdD"},        [KAN_FIELD_TIMESTAMP] = {"tsu:", "tsu:UTC", "tsn:"},
        [KAN_FIELD_TIME] = {"ttu", "ttn"}, [KAN_FIELD_BOOLEAN] = {"b"},
    };
    const kan_arrow_type *before = type_in_source(m, column), text = kan_arrow_type_find("u");
    const bool shows_values = column->from->column->shows_values && !m->release->keeps_suppressed;
    if (before && before->index_size > 0) {
        column->type.index_size = before->index_size;
        column->type.index_is_signed = before->index_is_signed;
        column->type.is_ordered = before->is_ordered && shows_values;
    }
    if (before && shows_values && take_type(m, column, before))
        return;
    const char *const *names = common[column->from->field.type];
    for (size_t i = 0; shows_values && i < 3 && names[i]; i++) {
        const kan_arrow_type type = kan_arrow_type_find(names[i]);
        if (take_type(m, column, &type))
            return;
    }
    (void)take_type(m, column, before && kan_arrow_is_text(before) ? before : &text);
}

/* ---- palettes ------------------------------------------------------------------------------- */

/* Codes that are shown; those that were taken are numbered as released rows have them. */
static kan_status order_codes(making *m, const made_column *column, uint32_t **codes, uint32_t *n) {
    if (!column->taken.is_there) {
        uint32_t *shown;
        KAN_TRY(kan_sink_order_shown(&m->arena, column->from, &shown, n));
        KAN_TRY(kan_arena_alloc(&m->arena, (size_t)*n + 1, sizeof **codes, codes));
        memcpy(*codes, shown, *n * sizeof **codes);
        if (m->release->keeps_suppressed)
            (*codes)[(*n)++] = column->n_codes - 1;
        return KAN_OK;
    }
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof **codes, codes));
    for (*n = 0; *n < column->n_codes; ++*n)
        (*codes)[*n] = *n;
    return KAN_OK;
}

/* Views point into one buffer of all texts that are longer than they can hold, each of them once. */
static kan_status make_views(making *m, made_column *column) {
    uint32_t *codes, n_shown;
    size_t n_bytes = 0;
    for (uint32_t code = 0; code < column->n_codes; code++)
        if (is_shown(m, column, code) && column->texts[code].size > MOST_IN_VIEW)
            n_bytes += column->texts[code].size;
    if (n_bytes > INT32_MAX) {
        set_values(column, "U");
        return KAN_OK;
    }
    column->type.scalar.size = VIEW_SIZE;
    KAN_TRY(kan_arrow_buffer(m->run, n_bytes, &column->long_bytes));
    memset(column->words, 0, (size_t)column->n_codes * VIEW_SIZE);
    KAN_TRY(order_codes(m, column, &codes, &n_shown));
    for (uint32_t i = 0; i < n_shown; i++) {
        char *view = column->words + (size_t)codes[i] * VIEW_SIZE;
        const kan_slice text = column->texts[codes[i]];
        const int32_t size = (int32_t)text.size, at = (int32_t)column->n_long;
        memcpy(view, &size, 4);
        memcpy(view + 4, text.bytes, text.size > MOST_IN_VIEW ? 4 : text.size);
        if (text.size <= MOST_IN_VIEW)
            continue;
        memcpy(view + 12, &at, 4);
        memcpy(column->long_bytes + at, text.bytes, text.size);
        column->n_long += text.size;
    }
    return KAN_OK;
}

static kan_status alloc_palette(making *m, made_column *column) {
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof *column->texts, &column->texts));
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, KAN_SCALAR_MOST_SIZE, &column->words));
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof *column->is_null, &column->is_null));
    memset(column->words, 0, (size_t)column->n_codes * KAN_SCALAR_MOST_SIZE);
    return KAN_OK;
}

static kan_status make_palette(making *m, const kan_sink_column *from, made_column *column) {
    const uint32_t n = from->column->n_labels;
    column->from = from;
    column->n_codes = n + 1;
    KAN_TRY(alloc_palette(m, column));
    for (uint32_t code = 0; code <= n; code++) {
        column->texts[code] = code < n ? from->values[code] : (kan_slice){"*", 1};
        column->is_null[code] = column->texts[code].size == 0; /* to kanon it is missing */
    }
    choose_type(m, column);
    return column->type.layout == KAN_ARROW_VIEWS ? make_views(m, column) : KAN_OK;
}

/* The same of what was taken; the last code is a null. */
static kan_status take_palette(making *m, made_column *column) {
    const size_t at = column->from->column->source_column;
    KAN_TRY(kan_arrow_take_codes(m->source, at, m->release, &column->taken));
    const uint32_t n = column->taken.values.n;
    column->type = m->source->types[at];
    if (column->type.layout == KAN_ARROW_EMPTY)
        set_values(column, "u"); /* of which there are none */
    column->n_codes = n + 1;
    KAN_TRY(alloc_palette(m, column));
    for (uint32_t code = 0; code < n; code++) {
        const kan_slice bytes = kan_encoder_value(&column->taken.values, code);
        column->texts[code] = bytes;
        column->is_null[code] = false;
        if (!kan_arrow_is_text(&column->type))
            memcpy(column->words + code * bytes.size, bytes.bytes, bytes.size);
    }
    column->texts[n] = (kan_slice){"", 0};
    column->is_null[n] = true;
    return column->type.layout == KAN_ARROW_VIEWS ? make_views(m, column) : KAN_OK;
}

static kan_arrow_palette palette_of(const made_column *column) {
    return (kan_arrow_palette){column->texts, column->words, column->is_null};
}

/* The buffers that views have beside those of words. */
static kan_status add_view_parts(const making *m, made_column *column, struct ArrowArray *array) {
    const void **buffers;
    int64_t *sizes;
    if (column->type.layout != KAN_ARROW_VIEWS)
        return KAN_OK;
    KAN_TRY(kan_arrow_buffer(m->run, sizeof *sizes, &sizes));
    *sizes = (int64_t)column->n_long;
    kan_status status = kan_arrow_alloc(m->run, 4 * sizeof *buffers, &buffers);
    if (status != KAN_OK) {
        kan_arrow_buffer_free(sizes);
        return status;
    }
    buffers[0] = array->buffers[0];
    buffers[1] = array->buffers[1];
    buffers[2] = column->long_bytes;
    buffers[3] = sizes;
    column->long_bytes = NULL; /* the array's */
    free(array->buffers);
    array->buffers = buffers;
    array->n_buffers = 4;
    return KAN_OK;
}

/* ---- dictionaries --------------------------------------------------------------------------- */

/* Values of a dictionary: texts that are shown, each once, with a code that is it. */
typedef struct {
    kan_encoder texts;
    uint32_t *code_of; /* a code, by text */
    uint32_t *order;   /* texts, in the order of the dictionary */
    uint32_t *place;   /* the other way round; UINT32_MAX: not yet */
    uint32_t n, n_placed;
} value_list;

static void place_value(value_list *list, uint32_t text) {
    if (text >= list->n || list->place[text] != UINT32_MAX)
        return;
    list->place[text] = list->n_placed;
    list->order[list->n_placed++] = text;
}

static kan_status list_values(making *m, const made_column *column, value_list *list) {
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof *list->code_of, &list->code_of));
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof *list->order, &list->order));
    KAN_TRY(kan_arena_alloc(&m->arena, column->n_codes, sizeof *list->place, &list->place));
    for (uint32_t code = 0; code < column->n_codes; code++) {
        uint32_t text;
        if (!is_shown(m, column, code) || column->is_null[code])
            continue;
        KAN_TRY(kan_encoder_add(&list->texts, column->texts[code], &text));
        list->code_of[text] = code;
        list->place[text] = UINT32_MAX;
    }
    list->n = list->texts.n;
    return KAN_OK;
}

/* As the input's dictionaries have them. */
static kan_status place_as_in_source(const making *m, const made_column *column, value_list *list) {
    char room[KAN_SCALAR_ROOM];
    for (size_t b = 0; b < m->source->n_batches; b++) {
        const kan_arrow_values rows =
            kan_arrow_column(m->source, b, column->from->column->source_column);
        const kan_arrow_values values = kan_arrow_dictionary(&rows);
        for (size_t i = 0; i < values.n && list->n_placed < list->n; i++) {
            kan_slice text;
            uint32_t at;
            if (kan_arrow_is_missing(&values, i))
                continue;
            KAN_TRY(column->taken.is_there ? kan_arrow_bytes(m->source, &values, i, room, &text)
                                           : kan_arrow_show(m->source, &values, i, room, &text));
            KAN_TRY(kan_encoder_add(&list->texts, text, &at));
            place_value(list, at);
        }
    }
    return KAN_OK;
}

typedef struct {
    const kan_encoder *values;
    const kan_scalar_type *type; /* NULL: they are texts */
} value_order;

/* By what people see; of words that look alike, by their bytes. */
static int compare_values(const void *a, const void *b, void *context) {
    const value_order *order = context;
    char rooms[2][KAN_SCALAR_ROOM];
    const kan_slice values[2] = {kan_encoder_value(order->values, *(const uint32_t *)a),
                                 kan_encoder_value(order->values, *(const uint32_t *)b)};
    kan_slice texts[2] = {values[0], values[1]};
    for (int i = 0; i < 2 && order->type; i++) {
        char word[KAN_SCALAR_MOST_SIZE] = {0}; /* aligned or not, the bytes are the value */
        memcpy(word, values[i].bytes, values[i].size);
        texts[i] = (kan_slice){rooms[i], kan_scalar_text(order->type, word, rooms[i])};
    }
    const int compared = kan_slice_compare(texts[0], texts[1]);
    return compared ? compared : kan_slice_compare(values[0], values[1]);
}

/* Producers number values as rows come, so that the order of a dictionary tells that of the rows, which
 * may be secret. Only one that means something stays. */
static kan_status order_values(const making *m, const made_column *column, value_list *list) {
    if (column->type.is_ordered)
        KAN_TRY(place_as_in_source(m, column, list));
    const uint32_t n_before = list->n_placed;
    for (uint32_t text = 0; text < list->n; text++)
        place_value(list, text);
    const bool are_words = column->taken.is_there && !kan_arrow_is_text(&column->type);
    value_order order = {&list->texts, are_words ? &column->type.scalar : NULL};
    qsort_r(list->order + n_before, list->n - n_before, sizeof *list->order, compare_values,
            &order);
    for (uint32_t i = n_before; i < list->n; i++)
        list->place[list->order[i]] = i;
    return KAN_OK;
}

/* The index that the input had, or a wider one where it has too few numbers. */
static const char *index_format(made_column *column, uint32_t n) {
    const uint64_t limit = (uint64_t)1
                           << (8 * (column->type.index_size < 4 ? column->type.index_size : 4) -
                               column->type.index_is_signed);
    if (n > limit) {
        column->type.index_size = 4;
        column->type.index_is_signed = true;
    }
    const unsigned size = column->type.index_size;
    return column->type.index_is_signed ? size == 1   ? "c"
                                          : size == 2 ? "s"
                                          : size == 4 ? "i"
                                                      : "l"
           : size == 1                  ? "C"
           : size == 2                  ? "S"
           : size == 4                  ? "I"
                                        : "L";
}

static kan_status fill_dictionary(making *m, made_column *column, const value_list *list,
                                  struct ArrowArray *array) {
    kan_arrow_builder builder;
    const kan_arrow_palette palette = palette_of(column);
    KAN_TRY(kan_arrow_build_begin(m->run, &column->type, list->n, array, &builder));
    for (uint32_t i = 0; i < list->n; i++)
        KAN_TRY(kan_arrow_build_add(&builder, &palette, &list->code_of[list->order[i]], 1));
    kan_arrow_build_end(&builder);
    if (builder.type.layout != column->type.layout)
        column->type.layout = builder.type.layout, column->type.format = builder.type.format;
    return add_view_parts(m, column, array);
}

static kan_status make_dictionary(making *m, made_column *column, struct ArrowArray *values,
                                  const char **format) {
    value_list list = {0};
    kan_status status;
    KAN_TRY(kan_encoder_init(&list.texts, m->run));
    KAN_TRY_DONE(list_values(m, column, &list));
    KAN_TRY_DONE(order_values(m, column, &list));
    *format = index_format(column, list.n);
    KAN_TRY_DONE(
        kan_arena_alloc(&m->arena, column->n_codes, column->type.index_size, &column->indices));
    for (uint32_t code = 0; code < column->n_codes; code++) {
        uint32_t text = 0;
        uint64_t index = 0;
        if (is_shown(m, column, code) && !column->is_null[code]) {
            KAN_TRY_DONE(kan_encoder_add(&list.texts, column->texts[code], &text));
            index = list.place[text];
        }
        memcpy(column->indices + (size_t)code * column->type.index_size, &index,
               column->type.index_size);
    }
    status = fill_dictionary(m, column, &list, values);
done:
    kan_encoder_destroy(&list.texts);
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Makes what a column needs before its rows come. */
static kan_status begin_column(making *m, size_t i) {
    made_column *column = &m->columns[i];
    struct ArrowArray *array = m->batch->children[i], dictionary = {0};
    struct ArrowArray *kept;
    const size_t n = m->release->n_released;
    const char *format = NULL;
    column->from = &m->plan->columns[i];
    const bool passes = column->from->column->passes_through;
    if (passes && m->source->types[column->from->column->source_column].index_size == 0)
        return kan_arrow_take(m->source, column->from->column->source_column, m->release, array,
                              &column->format);
    KAN_TRY(passes ? take_palette(m, column) : make_palette(m, &m->plan->columns[i], column));
    if (column->type.index_size == 0)
        return kan_arrow_build_begin(m->run, &column->type, n, array, &column->rows);
    kan_status status = make_dictionary(m, column, &dictionary, &format);
    if (status == KAN_OK)
        status = kan_arrow_alloc(m->run, sizeof *kept, &kept);
    if (status == KAN_OK) {
        const kan_arrow_type index = kan_arrow_type_find(format);
        *kept = dictionary;
        status = kan_arrow_build_begin(m->run, &index, n, array, &column->rows);
        if (status != KAN_OK)
            free(kept);
        else
            array->dictionary = kept;
    }
    if (status != KAN_OK && dictionary.release)
        dictionary.release(&dictionary);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The input rows that come next; `at` is a place of the release's order. */
static size_t next_rows(const making *m, uint64_t *at) {
    const kan_release *release = m->release;
    size_t n = 0;
    for (; n < BLOCK_ROWS && *at < release->n_rows; ++*at) {
        const uint64_t row = release->order ? release->order[*at] : *at;
        m->input_rows[n] = row;
        n += !release->is_suppressed || !release->is_suppressed[row] || release->keeps_suppressed;
    }
    return n;
}

static void take_codes(const making *m, const made_column *from, size_t n) {
    const kan_release *release = m->release;
    const kan_release_column *column = from->from->column;
    if (from->taken.is_there) {
        const uint32_t *codes = from->taken.codes + from->rows.n;
        for (size_t i = 0; i < n; i++)
            m->codes[i] = codes[i] == KAN_ARROW_NULL ? from->n_codes - 1 : codes[i];
        return;
    }
    for (size_t i = 0; i < n; i++)
        m->codes[i] = kan_release_code(release, column, m->input_rows[i]);
    if (release->is_suppressed && release->keeps_suppressed)
        for (size_t i = 0; i < n; i++)
            if (kan_release_hides(release, column, m->input_rows[i]))
                m->codes[i] = column->n_labels;
}

static kan_status add_rows(making *m) {
    for (uint64_t at = 0; at < m->release->n_rows;) {
        KAN_TRY(kan_check_cancel(m->run));
        const size_t n = next_rows(m, &at);
        for (size_t i = 0; i < m->release->n_columns; i++) {
            made_column *column = &m->columns[i];
            if (column->format)
                continue;
            kan_arrow_palette palette = palette_of(column);
            if (column->indices)
                palette.words = column->indices;
            take_codes(m, column, n);
            KAN_TRY(kan_arrow_build_add(&column->rows, &palette, m->codes, n));
        }
        kan_report_progress(m->run, "write", at, m->release->n_rows);
    }
    return KAN_OK;
}

static kan_status end_columns(making *m) {
    for (size_t i = 0; i < m->release->n_columns; i++) {
        made_column *column = &m->columns[i];
        if (column->format)
            continue;
        kan_arrow_build_end(&column->rows);
        if (!column->indices)
            KAN_TRY(add_view_parts(m, column, m->batch->children[i]));
    }
    return KAN_OK;
}

/* ---- the schema ----------------------------------------------------------------------------- */

static kan_status make_schema(making *m) {
    kan_run *run = m->run;
    struct ArrowSchema *schema = &m->out->schema;
    KAN_TRY(kan_arrow_make_schema(run, "+s", "", m->release->n_columns, schema));
    schema->flags = 0;
    for (size_t i = 0; i < m->release->n_columns; i++) {
        const made_column *column = &m->columns[i];
        struct ArrowSchema *child = schema->children[i];
        const char *name = column->from->column->name;
        const char *format = column->format ? column->format : column->rows.type.format;
        KAN_TRY(kan_arrow_make_schema(run, format, name, 0, child));
        if (!column->indices)
            continue;
        if (column->type.is_ordered)
            child->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
        KAN_TRY(kan_arrow_alloc(run, sizeof *child->dictionary, &child->dictionary));
        KAN_TRY(kan_arrow_make_schema(run, column->type.format, "", 0, child->dictionary));
    }
    return kan_arrow_take_schema(m->out);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status make_batch(making *m) {
    kan_run *run = m->run;
    const size_t n_columns = m->release->n_columns;
    KAN_TRY(kan_arena_alloc(&m->arena, n_columns, sizeof *m->columns, &m->columns));
    memset(m->columns, 0, n_columns * sizeof *m->columns);
    KAN_TRY(kan_arena_alloc(&m->arena, BLOCK_ROWS, sizeof *m->input_rows, &m->input_rows));
    KAN_TRY(kan_arena_alloc(&m->arena, BLOCK_ROWS, sizeof *m->codes, &m->codes));
    KAN_TRY(kan_reserve(run, 1, sizeof *m->out->batches, &m->out->capacity, &m->out->batches));
    m->batch = m->out->batches;
    KAN_TRY(kan_arrow_make_array(run, 1, n_columns, m->batch));
    m->out->n_batches = 1;
    m->out->n_rows = m->release->n_released;
    m->batch->length = (int64_t)m->release->n_released;
    for (size_t i = 0; i < n_columns; i++)
        KAN_TRY(begin_column(m, i));
    KAN_TRY(add_rows(m));
    KAN_TRY(end_columns(m));
    return make_schema(m);
}

static bool passes(const kan_source_kind *source) {
    return source == &kan_source_arrow;
}

static kan_status write_arrow(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                              kan_source_options *readback, kan_formulas *formulas) {
    making m = {.run = run,
                .plan = plan,
                .release = plan->release,
                .source = plan->source && plan->source->kind == &kan_source_arrow
                              ? plan->source->state
                              : NULL};
    (void)target;
    (void)formulas;
    readback->spellings = NULL; /* missing ones are null, numbers are numbers */
    KAN_TRY(kan_arrow_create(run, "the release", &m.out));
    kan_arena_init(&m.arena, run);
    const kan_status status = make_batch(&m);
    for (size_t i = 0; m.columns && i < m.release->n_columns; i++) {
        kan_arrow_buffer_free(m.columns[i].long_bytes);
        kan_arrow_taken_destroy(run, &m.columns[i].taken);
    }
    kan_arena_destroy(&m.arena);
    if (status == KAN_OK)
        readback->arrow = m.out;
    else
        kan_arrow_destroy(m.out);
    return status;
}

const kan_sink_kind kan_sink_arrow = {
    .kind = {.name = "arrow", .summary = "a batch of Arrow in memory"},
    .reader = &kan_source_arrow,
    .passes = passes,
    .is_typed = true,
    .in_memory = true,
    .write = write_arrow,
    .forget = kan_arrow_destroy,
};
