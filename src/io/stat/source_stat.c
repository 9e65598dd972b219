/* Files of statistics programs as kinds of sources. */
#include <strings.h>

#include "core/signs.h"
#include "io/confined.h"
#include "io/stat/stat.h"
#include "io/stat/stat_dta.h"
#include "io/stat/stat_source.h"
#include "io/streams/streams.h"

/* ---- the child ------------------------------------------------------------------------------ */

static bool send_through(void *to, const void *bytes, size_t size) {
    return kan_confined_send(*(const int *)to, bytes, size);
}

static void act_as_child(void *context, int out) {
    kan_stat_child_act(context, send_through, &out);
}

static kan_status take_from_child(void *from, void *bytes, size_t size, size_t *n) {
    return kan_confined_read(from, bytes, size, n);
}

static kan_status end_child(void *from, const char **cause) {
    return kan_confined_end(from, cause);
}

/* What is done with the answers of a child. */
typedef struct {
    const bool *encode, *as_is; /* NULL: columns alone are read */
    bool is_exact;
    kan_table **out;
} stat_reading;

static kan_status listen(kan_stat_source *source, kan_confined *child, stat_reading *reading) {
    kan_stat_feed feed = {.take = take_from_child, .end = end_child, .from = child};
    const kan_status status =
        !reading->encode ? kan_stat_take_columns(source, &feed)
        : reading->is_exact
            ? kan_stat_take_exact(source, &feed, reading->encode, reading->out)
            : kan_stat_take_rows(source, &feed, reading->encode, reading->as_is, reading->out);
    kan_free(source->run, feed.frame);
    return status;
}

static kan_status read_in_child(kan_stat_source *source, stat_reading *reading) {
    enum { MIB = 1 << 20, MOST_MIB = 1024, SECONDS = 600 };
    const kan_stream *stream = &source->stream;
    const kan_stat_child_plan plan = {.format = source->format,
                                      .file = stream->bytes ? -1 : KAN_CONFINED_FILE,
                                      .bytes = stream->bytes,
                                      .size = stream->size,
                                      .encoding = source->encoding,
                                      .is_wanted = reading->encode,
                                      .is_exact = reading->is_exact,
                                      .n_columns = source->n_columns};
    kan_stat_child *work = NULL;
    kan_confined *child = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_stat_child_create(source->run, &plan, &work));
    const kan_confined_task task = {.act = act_as_child,
                                    .context = work,
                                    .file = stream->bytes ? -1 : stream->file,
                                    .memory_bytes = (uint64_t)MOST_MIB * MIB + 4 * stream->size,
                                    .cpu_seconds = SECONDS + stream->size / MIB * 10};
    KAN_TRY_DONE(kan_confined_start(source->run, &task, &child));
    KAN_TRY_DONE(listen(source, child, reading));
done:
    kan_confined_close(child);
    kan_stat_child_destroy(work);
    return status;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

typedef struct {
    kan_stat_format format;
    kan_stat_vendor vendor;
    const char *ending;
} stat_kind;

static void close_stat(void *state) {
    kan_stat_source *source = state;
    kan_run *run = source->run;
    kan_stream_close(&source->stream);
    kan_arena_destroy(&source->arena);
    kan_free(run, source->columns);
    kan_free(run, source);
}

/* A file that is of another kind than its name says: what it is helps more than what it is not. */
static kan_status explain(const kan_stat_source *source, kan_status status) {
    kan_window window = {.room = NULL};
    const size_t size =
        source->stream.size < KAN_FOREIGN_BYTES ? source->stream.size : KAN_FOREIGN_BYTES;
    if (status != KAN_BAD_INPUT || kan_window_take(&window, &source->stream, 0, size) != KAN_OK)
        return status;
    const kan_foreign *foreign = kan_foreign_find((kan_slice){window.bytes, size});
    if (foreign && !strstr(foreign->what, source->ending))
        status = kan_fail(source->run, KAN_BAD_INPUT, "%s: this is %s; %s", source->stream.name,
                          foreign->what, foreign->remedy);
    kan_window_free(&window, source->run);
    return status;
}

/* Of a .dta that was cut off behind its rows, libreadstat reads what is there and says nothing. */
static kan_status check_end(const kan_stat_source *source) {
    bool is_whole = true;
    if (source->format == KAN_STAT_DTA)
        KAN_TRY(kan_stat_dta_walk(source->run, &source->stream, NULL, &is_whole));
    return is_whole ? KAN_OK : kan_stat_fail_damaged(source, "its end is missing");
}

static kan_status open_columns(kan_stat_source *source, const char *path,
                               const kan_options *given) {
    stat_reading reading = {.encode = NULL};
    KAN_TRY(kan_stream_open_binary(source->run, path, &source->stream));
    const kan_status status = read_in_child(source, &reading);
    if (status != KAN_OK)
        return explain(source, status);
    KAN_TRY(check_end(source));
    return kan_stat_choose_labels(source, given);
}

static kan_status open_stat(kan_run *run, const char *path, const kan_source_options *options,
                            const stat_kind *kind, void **out) {
    kan_stat_source *source;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *source, &source));
    source->run = run;
    source->stream = (kan_stream){.run = run, .file = -1};
    source->format = kind->format;
    source->vendor = kind->vendor;
    source->ending = kind->ending;
    kan_arena_init(&source->arena, run);
    if (options->encoding)
        KAN_TRY_DONE(kan_arena_copy(&source->arena, options->encoding, strlen(options->encoding),
                                    &source->encoding));
    KAN_TRY_DONE(open_columns(source, path, options->given));
    *out = source;
done:
    if (status != KAN_OK)
        close_stat(source);
    return status;
}

static const char *stat_name(const void *state) {
    return ((const kan_stat_source *)state)->stream.name;
}

static size_t stat_n_columns(const void *state) {
    return ((const kan_stat_source *)state)->n_columns;
}

static const char *stat_column_name(const void *state, size_t column) {
    return ((const kan_stat_source *)state)->names[column];
}

static const kan_field *stat_field(const void *state, size_t column) {
    return &((const kan_stat_source *)state)->columns[column].field;
}

static void show_stat_like(void *state, size_t column, const kan_field *like) {
    kan_stat_show_like(&((kan_stat_source *)state)->columns[column], like);
}

static kan_status read_stat(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    kan_stat_source *source = state;
    stat_reading reading = {.encode = encode, .as_is = as_is, .out = out};
    return read_in_child(source, &reading);
}

static kan_status find_stat_apart(void *state, const bool *columns, bool *found) {
    kan_stat_source *source = state;
    kan_table *table = NULL;
    stat_reading reading = {.encode = columns, .is_exact = true, .out = &table};
    kan_status status;
    KAN_TRY(read_in_child(source, &reading));
    for (size_t i = 0; i < source->n_columns; i++)
        if (columns[i])
            KAN_TRY_DONE(kan_stat_is_apart(source, &source->columns[i],
                                           &table->columns[i].dictionary, &found[i]));
    status = KAN_OK;
done:
    kan_table_destroy(table);
    return status;
}

static kan_status find_stat_beside(void *state, bool book_is_public, kan_beside *out) {
    kan_stat_source *source = state;
    kan_table *table = NULL;
    bool *all;
    stat_reading reading = {.out = &table};
    kan_status status;
    KAN_TRY(kan_alloc(source->run, source->n_columns, sizeof *all, &all));
    for (size_t i = 0; i < source->n_columns; i++)
        all[i] = true;
    reading.encode = reading.as_is = all;
    KAN_TRY_DONE(read_in_child(source, &reading));
    KAN_TRY_DONE(kan_stat_find_beside(source, table, book_is_public, out));
done:
    kan_table_destroy(table);
    kan_free(source->run, all);
    return status;
}

/* Packed or not. */
static bool ends_in(const char *path, const char *ending) {
    size_t size = strlen(path);
    const size_t n = strlen(ending);
    if (kan_path_ends_with(path, ".gz"))
        size -= 3;
    else if (kan_path_ends_with(path, ".zst"))
        size -= 4;
    return size > n && strncasecmp(path + size - n, ending, n) == 0;
}

static const kan_option_spec options[] = {
    {.name = "labels",
     .argument = "HOW",
     .summary = "what is shown for a code that has a label in a file of SPSS, Stata or SAS: "
                "labels, codes, or auto (labels, for columns that have them for two values or "
                "more); COLUMN=HOW for one column",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_READING | KAN_TRAIT_TABLES | KAN_TRAIT_EACH_TABLE,
     .repeats = true,
     .label = "Labels of codes",
     .words = "of SPSS, Stata and SAS: labels, codes or auto; q1=codes is for one column"},
};

#define STAT_KIND(id, vendor_, format_, title_, summary_)                                          \
    static const stat_kind id##_kind = {format_, vendor_, "." #id};                                \
    static bool id##_takes(const char *path) {                                                     \
        return ends_in(path, "." #id);                                                             \
    }                                                                                              \
    static kan_status id##_open(kan_run *run, const char *path, const kan_source_options *given,   \
                                void **out) {                                                      \
        return open_stat(run, path, given, &id##_kind, out);                                       \
    }                                                                                              \
    const kan_source_kind kan_source_##id = {                                                      \
        .kind = {.name = #id,                                                                      \
                 .summary = summary_,                                                              \
                 .options = options,                                                               \
                 .n_options = sizeof options / sizeof *options,                                    \
                 .is_everyday = true},                                                             \
        .title = title_,                                                                           \
        .takes_encoding = true,                                                                    \
        .takes = id##_takes,                                                                       \
        .open = id##_open,                                                                         \
        .close = close_stat,                                                                       \
        .name = stat_name,                                                                         \
        .n_columns = stat_n_columns,                                                               \
        .column_name = stat_column_name,                                                           \
        .field = stat_field,                                                                       \
        .show_like = show_stat_like,                                                               \
        .read = read_stat,                                                                         \
        .find_apart = find_stat_apart,                                                             \
        .apart = {"two missing codes, or a missing code and an empty text",                        \
                  "one code for all that is missing"},                                             \
        .find_beside = find_stat_beside,                                                           \
    }

STAT_KIND(sav, KAN_STAT_SPSS, KAN_STAT_SAV, "SPSS", "SPSS");
STAT_KIND(zsav, KAN_STAT_SPSS, KAN_STAT_SAV, "SPSS", "SPSS, compressed");
STAT_KIND(por, KAN_STAT_SPSS, KAN_STAT_POR, "SPSS", "SPSS, portable");
STAT_KIND(dta, KAN_STAT_STATA, KAN_STAT_DTA, "Stata", "Stata");
STAT_KIND(sas7bdat, KAN_STAT_SAS, KAN_STAT_SAS7BDAT, "SAS", "SAS");
STAT_KIND(xpt, KAN_STAT_SAS, KAN_STAT_XPT, "SAS", "SAS transport");
