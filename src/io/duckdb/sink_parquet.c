/* Parquet as a kind of sink.
 *
 * The library asks for rows with a table function, and copies what it gets into the file: nothing
 * is kept in between but the row group that is being written. One thread does it, so rows stand in
 * their order and the bytes are the same each time.
 *
 * Text with few distinct values goes in as codes of an ENUM, which the library writes as a
 * dictionary without looking at a string; a reader finds plain text. The dictionary has the values
 * that are shown and no other. Numbers, dates and so on keep the type that the source had, where
 * all values that are shown have the same text in it; else they get a wider one, or become text. */
#include <strings.h>

#include "core/signs.h"
#include "data/encoder.h"
#include "io/duckdb/duck.h"
#include "io/duckdb/duck_type.h"
#include "io/duckdb/duckdb.h"

#define FUNCTION "kanon_release"

enum {
    ROW_GROUP = 122880, /* what the library itself takes */
    MOST_OF_ENUM = 4096 /* values of a dictionary that is written with every row group */
};

/* A column as the library gets it. */
typedef struct {
    const kan_sink_column *from;
    kan_duck_logical type;
    unsigned size; /* of a value */
    char *by_code; /* a value per code, and one more for a cell that is hidden */
    bool *is_null; /* the same */
    bool has_nulls;
    kan_encoder texts; /* of an ENUM: by its codes */
    bool has_texts;
} written_column;

typedef struct {
    kan_run *run;
    const kan_release *release;
    kan_duck *duck;
    size_t n_columns;
    written_column *columns;
    size_t n_at_once; /* rows that the library takes at once */
    uint64_t *rows;   /* their input rows */
    uint32_t *codes;  /* of one column */
    uint64_t at;      /* the next place of the release's order */
} writing;

/* ---- types ---------------------------------------------------------------------------------- */

static kan_slice value_of(const written_column *column, uint32_t code) {
    return code < column->from->column->n_labels ? column->from->values[code] : (kan_slice){"*", 1};
}

static bool is_used(const written_column *column, uint32_t code) {
    return code < column->from->column->n_labels && column->from->is_shown[code];
}

/* Whether all that is shown has its own text in that type; the values are left in by_code. */
static bool fits(written_column *column, const kan_scalar_type *type) {
    for (uint32_t code = 0; code < column->from->column->n_labels; code++) {
        const kan_slice value = column->from->values[code];
        column->is_null[code] = value.size == 0;
        if (is_used(column, code) && value.size > 0 &&
            !kan_scalar_value(type, value, column->by_code + (size_t)code * type->size))
            return false;
    }
    return true;
}

static bool take_type(const writing *writer, written_column *column, const char *sql) {
    const kan_duck_api *api = &writer->duck->api;
    const kan_scalar_type type = kan_duck_type_find(sql);
    if (type.form <= KAN_SCALAR_NONE || !fits(column, &type))
        return false;
    column->size = type.size;
    column->type = type.form == KAN_SCALAR_DECIMAL
                       ? api->create_decimal_type((uint8_t)type.width, (uint8_t)type.digits)
                       : api->create_logical_type(type.id);
    return true;
}

/* What a source of ours had; else the common types of the kind that the values have. */
static bool find_type(const writing *writer, written_column *column) {
    static const char *const common[][4] = {
        [KAN_FIELD_TEXT] = {NULL},
        [KAN_FIELD_NUMBER] = {"BIGINT", "DOUBLE"},
        [KAN_FIELD_DATE] = {"DATE"},
        [KAN_FIELD_TIMESTAMP] = {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS"},
        [KAN_FIELD_TIME] = {"TIME"},
        [KAN_FIELD_BOOLEAN] = {"BOOLEAN"},
    };
    const kan_field *field = column->from->column->field;
    if (writer->release->keeps_suppressed || !column->from->column->shows_values)
        return false;
    if (field && field->family && strcmp(field->family, "duckdb") == 0 && field->format &&
        !field->is_guessed && take_type(writer, column, field->format))
        return true;
    const char *const *names = common[column->from->field.type];
    for (size_t i = 0; i < 4 && names[i]; i++)
        if (take_type(writer, column, names[i]))
            return true;
    return false;
}

/* ---- text ----------------------------------------------------------------------------------- */

static kan_status check_text(const writing *writer, const written_column *column, kan_slice text,
                             bool *has_zero) {
    char name[256], quoted[256];
    for (size_t i = 0; i < text.size;) {
        const size_t n = kan_utf8_length(text.bytes + i, text.size - i);
        if (n == 0)
            return kan_fail(writer->run, KAN_BAD_INPUT,
                            "%s: column %s has the value %s, which is not UTF-8, as Parquet text "
                            "has to be; give the table's encoding with --encoding",
                            writer->duck->name,
                            kan_quote(kan_slice_of(column->from->column->name), name),
                            kan_quote(text, quoted));
        *has_zero |= text.bytes[i] == '\0';
        i += n;
    }
    return KAN_OK;
}

static kan_status gather_text(writing *writer, written_column *column, kan_slice text,
                              bool *has_zero) {
    uint32_t of_text;
    if (text.size == 0)
        return KAN_OK;
    KAN_TRY(check_text(writer, column, text, has_zero));
    return column->texts.n <= MOST_OF_ENUM ? kan_encoder_add(&column->texts, text, &of_text)
                                           : KAN_OK;
}

/* The distinct texts that are shown, in the order of the dictionary. */
static kan_status gather_texts(writing *writer, written_column *column, bool *is_enum) {
    const uint32_t n = column->from->column->n_labels;
    bool has_zero = false;
    uint32_t *shown, n_shown;
    kan_arena arena;
    kan_status status;
    kan_arena_init(&arena, writer->run);
    KAN_TRY_DONE(kan_encoder_init(&column->texts, writer->run));
    column->has_texts = true;
    for (uint32_t code = 0; code <= n; code++)
        column->is_null[code] = value_of(column, code).size == 0;
    KAN_TRY_DONE(kan_sink_order_shown(&arena, column->from, &shown, &n_shown));
    for (uint32_t i = 0; i < n_shown; i++)
        KAN_TRY_DONE(gather_text(writer, column, value_of(column, shown[i]), &has_zero));
    if (writer->release->keeps_suppressed)
        KAN_TRY_DONE(gather_text(writer, column, value_of(column, n), &has_zero));
    *is_enum = !has_zero && column->texts.n > 0 && column->texts.n <= MOST_OF_ENUM;
done:
    kan_arena_destroy(&arena);
    return status;
}

static kan_status make_enum(writing *writer, written_column *column) {
    const kan_duck_api *api = &writer->duck->api;
    const uint32_t n = column->from->column->n_labels;
    const char **names;
    kan_arena arena;
    kan_status status;
    kan_arena_init(&arena, writer->run);
    KAN_TRY_DONE(kan_arena_alloc(&arena, column->texts.n, sizeof *names, &names));
    for (uint32_t i = 0; i < column->texts.n; i++) {
        const kan_slice text = kan_encoder_value(&column->texts, i);
        KAN_TRY_DONE(kan_arena_copy(&arena, text.bytes, text.size, &names[i]));
    }
    column->type = api->create_enum_type(names, column->texts.n);
    column->size =
        column->type && api->enum_internal_type(column->type) == KAN_DUCK_UTINYINT ? 1 : 2;
    for (uint32_t code = 0; code <= n; code++) {
        uint32_t of_text = 0;
        const bool is_star = code == n && writer->release->keeps_suppressed;
        if ((is_star || is_used(column, code)) && !column->is_null[code])
            KAN_TRY_DONE(kan_encoder_add(&column->texts, value_of(column, code), &of_text));
        memcpy(column->by_code + (size_t)code * column->size,
               column->size == 1 ? (const void *)&(uint8_t){(uint8_t)of_text}
                                 : (const void *)&(uint16_t){(uint16_t)of_text},
               column->size);
    }
done:
    kan_arena_destroy(&arena);
    return status;
}

/* The bytes of longer texts stay where they are: they outlive the file's writing. */
static void make_strings(const writing *writer, written_column *column) {
    const uint32_t n = column->from->column->n_labels;
    column->type = writer->duck->api.create_logical_type(KAN_DUCK_VARCHAR);
    column->size = sizeof(kan_duck_string);
    for (uint32_t code = 0; code <= n; code++) {
        const kan_slice text = value_of(column, code);
        kan_duck_string string = {.inlined = {.size = (uint32_t)text.size}};
        if (text.size <= sizeof string.inlined.bytes) {
            memcpy(string.inlined.bytes, text.bytes, text.size);
        } else {
            memcpy(string.outside.prefix, text.bytes, sizeof string.outside.prefix);
            string.outside.bytes = text.bytes;
        }
        memcpy(column->by_code + (size_t)code * sizeof string, &string, sizeof string);
    }
}

static kan_status make_text(writing *writer, written_column *column) {
    bool is_enum;
    KAN_TRY(gather_texts(writer, column, &is_enum));
    if (is_enum)
        return make_enum(writer, column);
    make_strings(writer, column);
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status make_column(writing *writer, const kan_sink_column *from,
                              written_column *column) {
    kan_run *run = writer->run;
    const size_t n = (size_t)from->column->n_labels + 1;
    column->from = from;
    KAN_TRY(kan_alloc_zero(run, n, KAN_SCALAR_MOST_SIZE, &column->by_code));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *column->is_null, &column->is_null));
    if (!find_type(writer, column)) {
        memset(column->by_code, 0, n * KAN_SCALAR_MOST_SIZE);
        KAN_TRY(make_text(writer, column));
    }
    if (!column->type)
        return kan_fail(run, KAN_FAILED, "%s: DuckDB lacks the type of column '%s'",
                        writer->duck->name, from->column->name);
    for (uint32_t code = 0; code < from->column->n_labels; code++)
        column->has_nulls |= from->is_shown[code] && column->is_null[code];
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The input rows that come next; their number. */
static size_t next_rows(writing *writer) {
    const kan_release *release = writer->release;
    size_t n = 0;
    for (; n < writer->n_at_once && writer->at < release->n_rows; writer->at++) {
        const uint64_t row = release->order ? release->order[writer->at] : writer->at;
        writer->rows[n] = row;
        n += !release->is_suppressed || !release->is_suppressed[row] || release->keeps_suppressed;
    }
    return n;
}

static void take_codes(const writing *writer, const written_column *column, size_t n) {
    const kan_release *release = writer->release;
    const kan_release_column *from = column->from->column;
    for (size_t i = 0; i < n; i++)
        writer->codes[i] = kan_release_code(release, from, writer->rows[i]);
    if (release->is_suppressed && release->keeps_suppressed)
        for (size_t i = 0; i < n; i++)
            if (kan_release_hides(release, from, writer->rows[i]))
                writer->codes[i] = from->n_labels;
}

static inline __attribute__((always_inline)) void put_values(const written_column *column,
                                                             const uint32_t *codes, size_t n,
                                                             unsigned size, char *out) {
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * size, column->by_code + (size_t)codes[i] * size, size);
}

static void put_column(const writing *writer, const written_column *column, size_t n, char *out) {
    switch (column->size) {
    case 1:
        put_values(column, writer->codes, n, 1, out);
        break;
    case 2:
        put_values(column, writer->codes, n, 2, out);
        break;
    case 4:
        put_values(column, writer->codes, n, 4, out);
        break;
    case 8:
        put_values(column, writer->codes, n, 8, out);
        break;
    default:
        put_values(column, writer->codes, n, 16, out);
    }
}

static void put_nulls(const writing *writer, const written_column *column, size_t n,
                      kan_duck_vector vector) {
    const kan_duck_api *api = &writer->duck->api;
    api->vector_ensure_validity_writable(vector);
    uint64_t *validity = api->vector_get_validity(vector);
    for (size_t i = 0; i < n; i++)
        if (column->is_null[writer->codes[i]])
            validity[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* ---- what the library calls ----------------------------------------------------------------- */

/* A callback gets a handle, and needs the library's own functions to find out what it belongs to;
 * their addresses are known at run time alone. So the thread that copies remembers its writer: the
 * library has no other thread here, and calls back on this one. */
static _Thread_local writing *current;

static void bind(kan_duck_info info) {
    for (size_t i = 0; i < current->n_columns; i++)
        current->duck->api.bind_add_result_column(info, current->columns[i].from->column->name,
                                                  current->columns[i].type);
}

static void init(kan_duck_info info) {
    (void)info;
}

static void fill(kan_duck_info info, kan_duck_chunk chunk) {
    writing *writer = current;
    const kan_duck_api *api = &writer->duck->api;
    if (kan_should_stop(writer->run)) {
        api->function_set_error(info, "stopped");
        return;
    }
    const size_t n = next_rows(writer);
    for (size_t i = 0; n > 0 && i < writer->n_columns; i++) {
        const written_column *column = &writer->columns[i];
        kan_duck_vector vector = api->data_chunk_get_vector(chunk, i);
        take_codes(writer, column, n);
        put_column(writer, column, n, api->vector_get_data(vector));
        if (column->has_nulls)
            put_nulls(writer, column, n, vector);
    }
    api->data_chunk_set_size(chunk, n);
    kan_report_progress(writer->run, "write", writer->at, writer->release->n_rows);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status register_function(const writing *writer) {
    const kan_duck_api *api = &writer->duck->api;
    kan_duck_function function = api->create_table_function();
    if (!function)
        return kan_fail(writer->run, KAN_FAILED, "out of memory");
    api->table_function_set_name(function, FUNCTION);
    api->table_function_set_bind(function, bind);
    api->table_function_set_init(function, init);
    api->table_function_set_function(function, fill);
    const int state = api->register_table_function(writer->duck->connection, function);
    api->destroy_table_function(&function);
    return state == KAN_DUCK_OK ? KAN_OK
                                : kan_duck_fail(writer->duck, KAN_FAILED, "cannot be written", NULL,
                                                "try another version of the library");
}

static kan_status copy(writing *writer) {
    const kan_duck *duck = writer->duck;
    kan_duck_result result;
    kan_text sql;
    kan_text_init(&sql, writer->run);
    kan_text_print(&sql, "COPY (SELECT * FROM " FUNCTION "()) TO ");
    kan_duck_quote(&sql, duck->path, '\'');
    kan_text_print(&sql,
                   " (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE %d, USE_TMP_FILE false)",
                   ROW_GROUP);
    kan_status status = kan_text_status(&sql);
    const kan_duck_query query = {.sql = sql.bytes,
                                  .status = KAN_FAILED,
                                  .what = "cannot be written",
                                  .remedy = "free some space or write elsewhere; nothing was left "
                                            "behind"};
    if (status == KAN_OK) {
        writing *before = current;
        current = writer;
        status = kan_duck_run(duck, duck->connection, &query, &result);
        if (status == KAN_OK)
            duck->api.destroy_result(&result);
        current = before;
    }
    kan_text_destroy(&sql);
    return status;
}

static kan_status make_writer(writing *writer, const kan_sink_plan *plan) {
    kan_run *run = writer->run;
    KAN_TRY(
        kan_alloc_zero(run, plan->release->n_columns, sizeof *writer->columns, &writer->columns));
    for (; writer->n_columns < plan->release->n_columns; writer->n_columns++)
        KAN_TRY(make_column(writer, &plan->columns[writer->n_columns],
                            &writer->columns[writer->n_columns]));
    writer->n_at_once = writer->duck->api.vector_size();
    KAN_TRY(kan_alloc(run, writer->n_at_once, sizeof *writer->rows, &writer->rows));
    return kan_alloc(run, writer->n_at_once, sizeof *writer->codes, &writer->codes);
}

static void writer_free(writing *writer) {
    kan_run *run = writer->run;
    for (size_t i = 0; writer->columns && i < writer->release->n_columns; i++) {
        written_column *column = &writer->columns[i];
        if (column->type)
            writer->duck->api.destroy_logical_type(&column->type);
        if (column->has_texts)
            kan_encoder_destroy(&column->texts);
        kan_free(run, column->by_code);
        kan_free(run, column->is_null);
    }
    kan_free(run, writer->columns);
    kan_free(run, writer->rows);
    kan_free(run, writer->codes);
    kan_duck_close(writer->duck);
}

static kan_status write_parquet(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                                kan_source_options *readback, kan_formulas *formulas) {
    const kan_duck_plan database = {.name = kan_target_name(target),
                                    .what = "Parquet",
                                    .path = kan_target_path(target),
                                    .n_threads = 1,
                                    .given = plan->given};
    writing writer = {.run = run, .release = plan->release};
    kan_status status;
    (void)formulas;
    readback->spellings = NULL; /* missing ones are so in the file, numbers are numbers */
    KAN_TRY_DONE(kan_duck_open(run, &database, &writer.duck));
    KAN_TRY_DONE(make_writer(&writer, plan));
    KAN_TRY_DONE(register_function(&writer));
    KAN_TRY_DONE(copy(&writer));
done:
    writer_free(&writer);
    return status;
}

/* The library takes names that differ by case alone for the same. */
static kan_status check_names(kan_run *run, const kan_sink_sketch *sketch) {
    char one[256], other[256];
    for (size_t i = 0; i < sketch->n_columns; i++)
        for (size_t j = 0; j < i; j++)
            if (strcasecmp(sketch->columns[i], sketch->columns[j]) == 0)
                return kan_fail(run, KAN_BAD_INPUT,
                                "%s: columns %s and %s differ by case alone, which Parquet's "
                                "readers do not tell apart; rename one, or write CSV",
                                sketch->target, kan_quote(kan_slice_of(sketch->columns[j]), one),
                                kan_quote(kan_slice_of(sketch->columns[i]), other));
    return KAN_OK;
}

static kan_status check_parquet(kan_run *run, const kan_sink_sketch *sketch) {
    kan_duck_api api;
    if (kan_path_ends_with(sketch->target, ".gz") || kan_path_ends_with(sketch->target, ".zst"))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: Parquet is compressed internally; choose a name without .gz or .zst",
                        sketch->target);
    KAN_TRY(check_names(run, sketch));
    return kan_duck_load(run, sketch->target, "Parquet", sketch->given, &api);
}

static bool takes_parquet(const char *path) {
    return kan_path_ends_with(path, ".parquet") || kan_path_ends_with(path, ".pq");
}

const kan_sink_kind kan_sink_parquet = {
    .kind = {.name = "parquet",
             .summary = "Parquet files, with DuckDB's library",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS,
             .is_everyday = true},
    .files = {{"parquet", "Parquet"}},
    .missing = kan_duck_missing,
    .takes = takes_parquet,
    .reader = &kan_source_parquet,
    .is_typed = true,
    .check = check_parquet,
    .write = write_parquet,
};
