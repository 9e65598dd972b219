#include "io/excel/package.h"

#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <unistd.h>
#include <zip.h>

#include "io/streams/streams.h"

/* A part may unpack to so many times its size, and all of them to so many times the memory that
 * there is. Sheets of real tables unpack to 5 to 30 times their size. */
enum { MOST_TIMES = 250, MOST_MEMORIES = 64, ALWAYS_ALLOWED = 1 << 24 };
enum { PIECE = 1 << 16, MOST_DEPTH = 100, MOST_TOKEN = 1 << 23 };

const kan_package_words kan_package_workbook = {
    .noun = "workbook",
    .damaged = "copy it again, or open it in a spreadsheet program and save it again",
    .hostile =
        "which no spreadsheet program writes; open it in one and save it again, if you trust "
        "where it comes from",
    .smaller = "save the sheet as CSV"};

/* ---- the archive ---------------------------------------------------------------------------- */

static kan_status fail_damaged(const kan_package *package, const char *why) {
    if (package->read_error)
        return kan_fail(package->run, KAN_FAILED,
                        "%s: cannot be read: %s; check the file and its "
                        "disk",
                        package->stream.name, strerror(package->read_error));
    return kan_fail(package->run, KAN_BAD_INPUT, "%s: the %s is damaged or was cut off: %s; %s",
                    package->stream.name, package->words->noun, why, package->words->damaged);
}

static kan_status fail_memory(const kan_package *package) {
    return kan_fail(package->run, KAN_FAILED, "%s: out of memory while it was unpacked",
                    package->stream.name);
}

/* Some bytes of the stream, from where the archive is read. */
static zip_int64_t read_bytes(kan_package *package, void *out, uint64_t size) {
    const kan_stream *stream = &package->stream;
    const uint64_t left = package->at < stream->size ? stream->size - package->at : 0;
    ssize_t n = (ssize_t)(size < left ? size : left);
    if (n == 0)
        return 0;
    if (stream->bytes)
        memcpy(out, stream->bytes + package->at, (size_t)n);
    else
        n = pread(stream->file, out, (size_t)n, (off_t)package->at);
    if (n < 0)
        package->read_error = errno;
    package->at += n > 0 ? (uint64_t)n : 0;
    return n;
}

static zip_int64_t answer_zip(void *context, void *data, zip_uint64_t size,
                              zip_source_cmd_t command) {
    kan_package *package = context;
    zip_error_t error;
    zip_int64_t at;
    zip_error_init(&error);
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_OPEN:
        package->at = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return read_bytes(package, data, size);
    case ZIP_SOURCE_SEEK:
        at = zip_source_seek_compute_offset(package->at, package->stream.size, data, size, &error);
        package->at = at >= 0 ? (uint64_t)at : package->at;
        return at >= 0 ? 0 : -1;
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)package->at;
    case ZIP_SOURCE_STAT: {
        zip_stat_t *stat = data;
        zip_stat_init(stat);
        stat->size = package->stream.size;
        stat->valid = ZIP_STAT_SIZE;
        return sizeof *stat;
    }
    case ZIP_SOURCE_ERROR:
        zip_error_set(&error, ZIP_ER_READ, 0);
        return zip_error_to_data(&error, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return -1;
    }
}

static kan_status open_zip(kan_package *package) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(answer_zip, package, &error);
    if (source && !(package->zip = zip_open_from_source(source, ZIP_RDONLY, &error)))
        zip_source_free(source);
    if (package->zip)
        return KAN_OK;
    const kan_status status = zip_error_code_zip(&error) == ZIP_ER_MEMORY
                                  ? fail_memory(package)
                                  : fail_damaged(package, zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

/* ---- what is no archive --------------------------------------------------------------------- */

/* The entry that tells an encrypted workbook may stand anywhere in its container. */
static kan_status find_encrypted(const kan_package *package, const kan_foreign **out) {
    enum { STEP = 1 << 20, ENTRY = 64 };
    const kan_stream *stream = &package->stream;
    kan_window window = {.room = NULL};
    kan_status status = KAN_OK;
    const kan_foreign *found = NULL;
    for (size_t at = 0; at < stream->size && !found && status == KAN_OK; at += STEP) {
        const size_t left = stream->size - at, most = STEP + ENTRY;
        const size_t size = left < most ? left : most;
        status = kan_window_take(&window, stream, at, at + size);
        if (status == KAN_OK) {
            found = kan_foreign_find_encrypted((kan_slice){window.bytes, size});
            status = kan_check_cancel(package->run);
        }
    }
    kan_window_free(&window, package->run);
    *out = found ? found : *out;
    return status;
}

static kan_status fail_foreign(const kan_package *package, const kan_foreign *foreign,
                               bool is_container) {
    if (is_container)
        KAN_TRY(find_encrypted(package, &foreign));
    return kan_fail(package->run, KAN_BAD_INPUT,
                    "%s: this is %s, not a workbook (.xlsx) that can "
                    "be read; %s",
                    package->stream.name, foreign->what, foreign->remedy);
}

/* What the first bytes say. */
static kan_status check_bytes(const kan_package *package, kan_slice first) {
    const bool is_container = first.size >= 8 && memcmp(first.bytes, KAN_CONTAINER_MARK, 8) == 0;
    const kan_foreign *foreign = kan_foreign_find(first);
    if (first.size >= 2 && memcmp(first.bytes, "PK", 2) == 0)
        return KAN_OK;
    if (foreign)
        return fail_foreign(package, foreign, is_container);
    return kan_fail(package->run, KAN_BAD_INPUT, "%s: this is not an Excel workbook (.xlsx) but %s",
                    package->stream.name,
                    memchr(first.bytes, 0, first.size)
                        ? "something else; save the sheet as .xlsx or as CSV"
                        : "text; if it is CSV, give it such a name, or use --format csv");
}

static kan_status check_content(const kan_package *package) {
    const kan_stream *stream = &package->stream;
    kan_window window = {.room = NULL};
    const size_t size = stream->size < KAN_FOREIGN_BYTES ? stream->size : KAN_FOREIGN_BYTES;
    kan_status status = kan_window_take(&window, stream, 0, size);
    if (status == KAN_OK)
        status = check_bytes(package, (kan_slice){window.bytes, size});
    kan_window_free(&window, package->run);
    return status;
}

kan_status kan_package_open(kan_package *package, kan_run *run, const char *path) {
    return kan_package_open_as(package, run, path, &kan_package_workbook);
}

kan_status kan_package_open_as(kan_package *package, kan_run *run, const char *path,
                               const kan_package_words *words) {
    kan_status status;
    *package = (kan_package){.run = run, .words = words, .stream = {.run = run, .file = -1}};
    KAN_TRY(kan_stream_open_binary(run, path, &package->stream));
    if (words == &kan_package_workbook)
        KAN_TRY_DONE(check_content(package));
    KAN_TRY_DONE(open_zip(package));
done:
    if (status != KAN_OK)
        kan_package_close(package);
    return status;
}

void kan_package_close(kan_package *package) {
    if (package->zip)
        zip_discard(package->zip);
    package->zip = NULL;
    kan_stream_close(&package->stream);
}

static zip_int64_t locate(const kan_package *package, const char *part) {
    return zip_name_locate(package->zip, part, ZIP_FL_NOCASE | ZIP_FL_ENC_GUESS);
}

const char *kan_package_part_at(const kan_package *package, uint64_t index) {
    return zip_get_name(package->zip, index, 0);
}

bool kan_package_is_double(const kan_package *package, uint64_t index) {
    const char *name = zip_get_name(package->zip, index, 0);
    return name && zip_name_locate(package->zip, name, 0) != (zip_int64_t)index;
}

bool kan_package_has(const kan_package *package, const char *part) {
    return locate(package, part) >= 0;
}

/* ---- a part --------------------------------------------------------------------------------- */

typedef struct {
    kan_package *package;
    const char *part;
    const kan_xml_handlers *handlers;
    void *context;
    XML_Parser parser;
    unsigned depth;
    kan_status status;
} walk;

static const char *local(const char *name) {
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

const char *kan_xml_attribute(const char *const *attributes, const char *name) {
    for (; attributes[0]; attributes += 2)
        if (strcmp(local(attributes[0]), name) == 0)
            return attributes[1];
    return NULL;
}

static void stop(walk *w, kan_status status) {
    w->status = status;
    (void)XML_StopParser(w->parser, XML_FALSE);
}

static kan_status fail_hostile(const walk *w, const char *what) {
    return kan_fail(w->package->run, KAN_BAD_INPUT, "%s: %s %s, %s", w->package->stream.name,
                    w->part, what, w->package->words->hostile);
}

static void XMLCALL on_begin(void *context, const XML_Char *name, const XML_Char **attributes) {
    walk *w = context;
    if (w->status != KAN_OK)
        return;
    if (++w->depth > MOST_DEPTH) {
        stop(w, fail_hostile(w, "nests elements without end"));
        return;
    }
    const kan_status status =
        w->handlers->begin(w->context, local(name), (const char *const *)attributes);
    if (status != KAN_OK)
        stop(w, status);
}

static void XMLCALL on_end(void *context, const XML_Char *name) {
    walk *w = context;
    w->depth--;
    if (w->status != KAN_OK || !w->handlers->end)
        return;
    const kan_status status = w->handlers->end(w->context, local(name));
    if (status != KAN_OK)
        stop(w, status);
}

static void XMLCALL on_text(void *context, const XML_Char *bytes, int size) {
    walk *w = context;
    if (w->status != KAN_OK)
        return;
    const kan_status status = w->handlers->text(w->context, bytes, (size_t)size);
    if (status != KAN_OK)
        stop(w, status);
}

/* Entities are declared there and nowhere else. */
static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int has_internal) {
    walk *w = context;
    (void)name, (void)system, (void)public, (void)has_internal;
    if (w->status == KAN_OK)
        stop(w, fail_hostile(w, "has a document type declaration"));
}

static uint64_t memory_there_is(const kan_run *run) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t budget = kan_run_memory_budget(run);
    return budget                  ? budget
           : pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page
                                   : UINT64_C(1) << 30;
}

static kan_status check_size(const walk *w, uint64_t n_part, uint64_t n_packed) {
    const kan_package *package = w->package;
    char limit[32];
    if (n_packed > package->stream.size)
        n_packed = package->stream.size; /* what it says of itself is not to be believed */
    const uint64_t most = MOST_MEMORIES * memory_there_is(package->run);
    if (n_part > ALWAYS_ALLOWED && n_part / MOST_TIMES > n_packed)
        return kan_fail(package->run, KAN_BAD_INPUT,
                        "%s: %s unpacks to more than %d times its size: this is a zip bomb, or "
                        "nearly all of it is empty; %s",
                        package->stream.name, w->part, MOST_TIMES, package->words->smaller);
    if (package->n_unpacked > ALWAYS_ALLOWED && package->n_unpacked > most)
        return kan_fail(package->run, KAN_BAD_INPUT,
                        "%s: the %s unpacks to more than %s, which is %d times the memory that "
                        "there is for it; %s, or allow more with --memory",
                        package->stream.name, package->words->noun, kan_bytes_text(most, limit),
                        MOST_MEMORIES, package->words->smaller);
    return KAN_OK;
}

static kan_status fail_xml(const walk *w) {
    char why[256];
    const enum XML_Error error = XML_GetErrorCode(w->parser);
    if (w->status != KAN_OK)
        return w->status;
    if (error == XML_ERROR_NO_MEMORY)
        return fail_memory(w->package);
    snprintf(why, sizeof why, "%s, line %lu: %s", w->part, XML_GetCurrentLineNumber(w->parser),
             XML_ErrorString(error));
    return fail_damaged(w->package, why);
}

static kan_status fail_read(const walk *w, zip_error_t *error) {
    char why[256];
    if (zip_error_code_zip(error) == ZIP_ER_NOPASSWD)
        return kan_fail(w->package->run, KAN_BAD_INPUT,
                        "%s: the %s is encrypted; save it without a password",
                        w->package->stream.name, w->package->words->noun);
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
        return fail_memory(w->package);
    snprintf(why, sizeof why, "%s: %s", w->part, zip_error_strerror(error));
    return fail_damaged(w->package, why);
}

/* Feeds one piece; *size becomes 0 at the end. */
static kan_status feed(walk *w, zip_file_t *file, zip_int64_t *size) {
    void *room = XML_GetBuffer(w->parser, PIECE);
    if (!room)
        return fail_xml(w);
    *size = zip_fread(file, room, PIECE);
    if (*size < 0)
        return fail_read(w, zip_file_get_error(file));
    if (XML_ParseBuffer(w->parser, (int)*size, *size == 0) == XML_STATUS_ERROR)
        return fail_xml(w);
    return w->status;
}

static kan_status parse(walk *w, zip_file_t *file, const zip_stat_t *stat) {
    zip_int64_t size = 1;
    for (uint64_t n = 0; size > 0; n += (uint64_t)size) {
        KAN_TRY(kan_check_cancel(w->package->run));
        KAN_TRY(check_size(w, n, stat->comp_size));
        KAN_TRY(feed(w, file, &size));
        w->package->n_unpacked += (uint64_t)size;
        if ((int64_t)n - (int64_t)XML_GetCurrentByteIndex(w->parser) > MOST_TOKEN)
            return fail_hostile(w, "has a tag of many megabytes");
        if (stat->size > ALWAYS_ALLOWED)
            kan_report_units(w->package->run, "read", "bytes", n < stat->size ? n : stat->size,
                             stat->size);
    }
    return KAN_OK;
}

static kan_status walk_file(walk *w, zip_file_t *file, const zip_stat_t *stat) {
    w->parser = XML_ParserCreate(NULL);
    if (!w->parser)
        return fail_memory(w->package);
    XML_SetUserData(w->parser, w);
    XML_SetElementHandler(w->parser, on_begin, on_end);
    XML_SetStartDoctypeDeclHandler(w->parser, on_doctype);
    if (w->handlers->text)
        XML_SetCharacterDataHandler(w->parser, on_text);
    const kan_status status = parse(w, file, stat);
    XML_ParserFree(w->parser);
    return status;
}

static kan_status open_part(const walk *w, zip_stat_t *stat, zip_file_t **out) {
    kan_package *const package = w->package;
    const zip_int64_t index = locate(package, w->part);
    char why[256];
    if (index < 0 || zip_stat_index(package->zip, (zip_uint64_t)index, 0, stat) != 0) {
        snprintf(why, sizeof why, "%s is not in it", w->part);
        return fail_damaged(package, why);
    }
    *out = zip_fopen_index(package->zip, (zip_uint64_t)index, 0);
    return *out ? KAN_OK : fail_read(w, zip_get_error(package->zip));
}

kan_status kan_package_walk(kan_package *package, const char *part,
                            const kan_xml_handlers *handlers, void *context) {
    walk w = {.package = package, .part = part, .handlers = handlers, .context = context};
    zip_stat_t stat;
    zip_file_t *file;
    KAN_TRY(open_part(&w, &stat, &file));
    const kan_status status = walk_file(&w, file, &stat);
    (void)zip_fclose(file);
    return status;
}

static kan_status copy_file(walk *w, zip_file_t *file, const zip_stat_t *stat, char *room,
                            kan_package_taker take) {
    uint64_t n = 0;
    for (;;) {
        KAN_TRY(kan_check_cancel(w->package->run));
        const zip_int64_t size = zip_fread(file, room, PIECE);
        if (size < 0)
            return fail_read(w, zip_file_get_error(file));
        if (size == 0)
            return KAN_OK;
        n += (uint64_t)size;
        w->package->n_unpacked += (uint64_t)size;
        KAN_TRY(check_size(w, n, stat->comp_size));
        KAN_TRY(take(w->context, room, (size_t)size));
    }
}

kan_status kan_package_copy(kan_package *package, const char *part, kan_package_taker take,
                            void *context) {
    walk w = {.package = package, .part = part, .context = context};
    zip_stat_t stat;
    zip_file_t *file;
    char *room;
    KAN_TRY(kan_alloc(package->run, PIECE, 1, &room));
    kan_status status = open_part(&w, &stat, &file);
    if (status == KAN_OK) {
        status = copy_file(&w, file, &stat, room, take);
        (void)zip_fclose(file);
    }
    kan_free(package->run, room);
    return status;
}
