/* Streams: bytes in memory, in a temporary file that is mapped, or in windows of a plain file.
 *
 * A file that is mapped and cut short by somebody else makes the system end the program (SIGBUS),
 * so only files without a name are mapped, which nobody else can reach: temporary ones of ours,
 * with what came from a pipe or out of a compressed file and does not fit the budget (spool.h), and
 * a release that is read again before it gets its name. Behind their last page lies one more, of
 * zeros: that is how KAN_STREAM_PAD is kept. Any other table in a plain file is read by pread, a
 * block at a time, into the buffer of the thread that works on that block; the copy stays in the
 * cache. A file that is shorter than it was is found out by the read, one that was changed in place
 * by kan_stream_check_unchanged. Everything else is read into memory that counts against the
 * budget. */
#include "io/streams/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/spill.h"
#include "io/streams/decode.h"
#include "io/streams/foreign.h"
#include "io/streams/unpack.h"

bool kan_stream_is_marked(kan_slice first_bytes) {
    const bool is_separator_line =
        first_bytes.size == 5 && strncasecmp(first_bytes.bytes, "sep=", 4) == 0;
    return kan_decode_find_mark(first_bytes) != NULL ||
           kan_unpack_find(first_bytes) != KAN_PACKED_NOT || is_separator_line ||
           kan_foreign_find(first_bytes) != NULL;
}

static kan_status fail_errno(kan_run *run, const char *name, int error) {
    const char *remedy = error == ENOENT || error == ENOTDIR ? "check the path"
                         : error == EACCES || error == EPERM ? "check its permissions"
                                                             : "check the file and its disk";
    /* What the user named wrongly is hers to correct; a broken disk or a lack of memory is not. */
    bool is_hers = error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
                   error == ENAMETOOLONG || error == ELOOP || error == ENXIO;
    return kan_fail(run, is_hers ? KAN_BAD_INPUT : KAN_FAILED, "%s: cannot be read: %s; %s", name,
                    strerror(error), remedy);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static kan_status map_file(kan_stream *stream, int file) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)stream->state.st_size;
    size_t mapped = (size + page - 1) / page * page + page;
    char *bytes = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return fail_errno(stream->run, stream->name, errno);
    if (mmap(bytes, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
        int error = errno;
        (void)munmap(bytes, mapped);
        return fail_errno(stream->run, stream->name, error);
    }
    stream->bytes = bytes;
    stream->size = size;
    stream->mapped_bytes = mapped;
    stream->file = file;
    return KAN_OK;
}

/* ---- windows -------------------------------------------------------------------------------- */

static kan_status fail_changed(const kan_stream *stream) {
    return kan_fail(
        stream->run, KAN_FAILED,
        "%s: the file was changed while it was read; try again when nothing writes to it",
        stream->name);
}

/* Exactly so many bytes of the file. */
static kan_status read_at(const kan_stream *stream, size_t at, char *out, size_t size) {
    while (size > 0) {
        const ssize_t n = pread(stream->file, out, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(stream->run, stream->name, errno);
        if (n == 0)
            return fail_changed(stream);
        at += (size_t)n;
        out += n;
        size -= (size_t)n;
    }
    return KAN_OK;
}

kan_status kan_window_take(kan_window *window, const kan_stream *stream, size_t first, size_t end) {
    const size_t size = end - first;
    if (stream->bytes) {
        window->bytes = stream->bytes + first;
        return KAN_OK;
    }
    KAN_TRY(kan_reserve(stream->run, size + KAN_STREAM_PAD, 1, &window->capacity, &window->room));
    KAN_TRY(read_at(stream, first, window->room, size));
    memset(window->room + size, 0, KAN_STREAM_PAD);
    window->bytes = window->room;
    return KAN_OK;
}

void kan_window_free(kan_window *window, kan_run *run) {
    kan_free(run, window->room);
    *window = (kan_window){.room = NULL};
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Gives back the bytes and the file, not the name. */
static void release_bytes(kan_stream *stream) {
    if (stream->mapped_bytes) /* else NULL, or allocated */
        (void)munmap((void *)(uintptr_t)stream->bytes, stream->mapped_bytes);
    else
        kan_free(stream->run, stream->bytes);
    if (stream->file >= 0)
        (void)close(stream->file);
    kan_spill_uncount(stream->run, stream->spooled);
    stream->bytes = NULL;
    stream->mapped_bytes = 0;
    stream->file = -1;
    stream->spooled = 0;
}

/* The stream's bytes become what was spooled. */
static kan_status take_spool(kan_stream *stream, kan_spool *spool) {
    if (spool->file < 0) {
        stream->bytes = spool->bytes;
        stream->size = spool->used;
        spool->bytes = NULL;
        return KAN_OK;
    }
    if (fstat(spool->file, &stream->state) != 0)
        return fail_errno(stream->run, stream->name, errno);
    KAN_TRY(map_file(stream, spool->file));
    stream->spooled = spool->n_in_file;
    spool->file = -1;
    return KAN_OK;
}

/* Waits until there is something to read. An interrupt that comes just before a read does not wake
 * it up, so it is looked for every now and then. */
static kan_status await(kan_run *run, int file) {
    enum { LOOK_AGAIN_MS = 50 };
    struct pollfd on = {.fd = file, .events = POLLIN};
    for (;;) {
        KAN_TRY(kan_check_cancel(run));
        const int n = poll(&on, 1, LOOK_AGAIN_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            return KAN_OK; /* also when it cannot be waited for: reading tells why */
    }
}

/* Reads until `most` bytes have come in all, or to the end. */
static kan_status read_some(const char *name, int file, uint64_t most, kan_spool *spool,
                            bool *is_end) {
    *is_end = false;
    while (!*is_end && spool->n_in_file + spool->used < most) {
        char *at;
        size_t room;
        KAN_TRY(await(spool->run, file));
        KAN_TRY(kan_spool_room(spool, &at, &room));
        ssize_t n = read(file, at, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(spool->run, name, errno);
        *is_end = n == 0;
        kan_spool_add(spool, (size_t)n);
        kan_report_units(spool->run, "read", "bytes", spool->n_in_file + spool->used, 0);
    }
    return KAN_OK;
}

/* Swaps packed bytes for what is packed in them. */
static kan_status unpack(kan_stream *stream) {
    kan_slice packed = {stream->bytes, stream->size};
    kan_packed kind = stream->bytes ? kan_unpack_find(packed) : KAN_PACKED_NOT;
    kan_spool spool;
    if (kind == KAN_PACKED_NOT)
        return KAN_OK;
    kan_spool_init(&spool, stream->run, stream->name, KAN_STREAM_PAD);
    kan_spool_set_limit(&spool);
    kan_status status = kan_unpack(stream->name, kind, packed, stream->mapped_bytes > 0, &spool);
    if (status == KAN_OK) {
        release_bytes(stream);
        status = take_spool(stream, &spool);
    }
    kan_spool_destroy(&spool);
    return status;
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Whether bytes stand in it that no text in UTF-8 has: invalid ones, or a NUL. */
static kan_status is_other_text(const kan_stream *stream, kan_window *window, bool *out) {
    enum { STEP = 1 << 20, LONGEST = 4 };
    *out = false;
    for (size_t at = 0; at < stream->size && !*out;) {
        const size_t end = stream->size - at > STEP ? at + STEP : stream->size;
        KAN_TRY(kan_check_cancel(stream->run));
        KAN_TRY(kan_window_take(window, stream, at, end));
        const size_t good = kan_utf8_find_bad(window->bytes, end - at);
        const bool may_be_cut = end < stream->size && end - at - good < LONGEST;
        *out = (good < end - at && !may_be_cut) || memchr(window->bytes, '\0', good);
        kan_stream_done(stream, at, end);
        at += good;
    }
    return KAN_OK;
}

/* What to convert from; NULL: nothing is to be done. */
static kan_status choose_encoding(const kan_stream *stream, kan_slice first,
                                  kan_stream_encoding said, bool is_table, const char **out) {
    const char *mark = kan_decode_find_mark(first);
    const unsigned unit = mark && mark[4] == '1' ? 2 : 4;
    *out = NULL;
    if (mark && !said.name && strcmp(mark, "UTF-8") == 0)
        return KAN_OK;
    if (mark) {
        *out = mark;
        if (is_table && !said.if_needed &&
            !(said.name &&
              (kan_encoding_has_units(said.name, unit) || strncasecmp(said.name, "utf-8", 5) == 0)))
            kan_note(stream->run, "%s: the file is read as %s, as its byte order mark says",
                     stream->name, mark);
        return KAN_OK;
    }
    bool is_needed = said.name && !said.if_needed;
    if (said.name && said.if_needed) {
        kan_window window = {.room = NULL};
        const kan_status status = is_other_text(stream, &window, &is_needed);
        kan_window_free(&window, stream->run);
        KAN_TRY(status);
    }
    if (is_needed)
        *out = kan_decode_find_order(said.name, first);
    return KAN_OK;
}

/* Swaps text of another encoding for UTF-8. */
static kan_status decode(kan_stream *stream, const char *encoding) {
    kan_spool spool;
    kan_status status;
    if (!encoding)
        return KAN_OK;
    kan_spool_init(&spool, stream->run, stream->name, KAN_STREAM_PAD);
    kan_spool_set_limit(&spool);
    KAN_TRY_DONE(kan_decode(stream, encoding, &spool));
    KAN_TRY_DONE(kan_stream_check_unchanged(stream));
    release_bytes(stream);
    KAN_TRY_DONE(take_spool(stream, &spool));
done:
    kan_spool_destroy(&spool);
    return status;
}

/* The same with the beginning of a partial stream; all of it is read where it is not text. */
static kan_status decode_head(kan_stream *stream, const char *encoding) {
    const kan_slice head = {stream->bytes, stream->size};
    size_t size = stream->size;
    bool is_text = false;
    char *text;
    stream->rest_encoding = encoding;
    if (!encoding)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(stream->run, size + KAN_STREAM_PAD, 1, &text));
    const kan_status status = kan_decode_head(stream->run, encoding, head, text, &size, &is_text);
    kan_free(stream->run, stream->bytes);
    stream->bytes = text;
    stream->size = size;
    return status == KAN_OK && !is_text ? kan_stream_complete(stream) : status;
}

static kan_status take_text(kan_stream *stream, kan_slice first, kan_stream_encoding said,
                            bool is_table) {
    const kan_foreign *foreign = kan_foreign_find(first);
    const char *encoding;
    if (foreign)
        return kan_fail(stream->run, KAN_BAD_INPUT, "%s: this is %s; %s", stream->name,
                        foreign->what, foreign->remedy);
    KAN_TRY(choose_encoding(stream, first, said, is_table, &encoding));
    return stream->is_partial ? decode_head(stream, encoding) : decode(stream, encoding);
}

/* What a stream begins with tells what it is. */
static kan_status check_content(kan_stream *stream, kan_stream_encoding said, bool is_table) {
    kan_window window = {.room = NULL};
    const size_t size = stream->size < KAN_FOREIGN_BYTES ? stream->size : KAN_FOREIGN_BYTES;
    if (stream->size == 0)
        return kan_fail(stream->run, KAN_BAD_INPUT,
                        "%s: the file is empty; a table needs a header line and rows",
                        stream->name);
    kan_status status = kan_window_take(&window, stream, 0, size);
    if (status == KAN_OK)
        status = take_text(stream, (kan_slice){window.bytes, size}, said, is_table);
    kan_window_free(&window, stream->run);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Whether a plain file is a table that can stay where it is. */
static kan_status stays_in_file(const kan_stream *stream, int file, bool *out) {
    char first[4];
    const kan_stream peek = {.run = stream->run, .name = stream->name, .file = file};
    const size_t size = (size_t)stream->state.st_size;
    const kan_slice mark = {first, size < sizeof first ? size : sizeof first};
    KAN_TRY(read_at(&peek, 0, first, mark.size));
    *out = kan_unpack_find(mark) == KAN_PACKED_NOT;
    return KAN_OK;
}

/* Half a MiB of what a table begins with, if as much can be had from what has come: what is looked
 * at in a header, and for its separator, is less. */
static kan_status show_head(kan_stream *stream, bool *is_shown) {
    enum { HEAD = 1 << 19 };
    const kan_spool *come = &stream->come;
    const kan_slice first = {come->bytes, come->used};
    const kan_packed kind = kan_unpack_find(first);
    char *head;
    size_t size = first.size < HEAD ? first.size : HEAD;
    KAN_TRY(kan_alloc_zero(stream->run, HEAD + KAN_STREAM_PAD, 1, &head));
    if (kind == KAN_PACKED_NOT)
        memcpy(head, first.bytes, size);
    else
        size = kan_unpack_head(kind, first, head, HEAD);
    *is_shown = size == HEAD;
    if (*is_shown) {
        stream->bytes = head;
        stream->size = size;
    } else {
        kan_free(stream->run, head);
    }
    return KAN_OK;
}

/* A table is looked at when a MiB of it has come; all else is read to its end. */
static kan_status read_stream(kan_stream *stream, int file, bool is_table) {
    enum { FIRST = 1 << 20 };
    bool is_end = false, is_shown = false;
    kan_spool_init(&stream->come, stream->run, stream->name, KAN_STREAM_PAD);
    if (!S_ISREG(stream->state.st_mode))
        kan_spool_set_limit(&stream->come);
    stream->is_partial = true;
    stream->rest = file;
    if (is_table) {
        KAN_TRY(read_some(stream->name, file, FIRST, &stream->come, &is_end));
        const kan_slice first = {stream->come.bytes, stream->come.used};
        if (stream->come.file < 0 && (!is_end || kan_unpack_find(first) != KAN_PACKED_NOT))
            KAN_TRY(show_head(stream, &is_shown));
    }
    return is_shown ? KAN_OK : kan_stream_complete(stream);
}

static kan_status read_file(kan_stream *stream, int file, bool is_standard, bool is_table) {
    bool stays = false;
    if (fstat(file, &stream->state) != 0)
        return fail_errno(stream->run, stream->name, errno);
    if (S_ISDIR(stream->state.st_mode))
        return kan_fail(stream->run, KAN_BAD_INPUT,
                        "%s: this is a directory; name a file inside it, or for a folder of "
                        "Parquet files use --engine duckdb",
                        stream->name);
    if (is_table && !is_standard && S_ISREG(stream->state.st_mode) && stream->state.st_size > 0)
        KAN_TRY(stays_in_file(stream, file, &stays));
    if (!stays)
        return read_stream(stream, file, is_table);
    if (stream->state.st_nlink == 0) /* a release of ours before it has its name */
        return map_file(stream, file);
    stream->size = (size_t)stream->state.st_size;
    stream->file = file;
    return KAN_OK;
}

/* Takes the open file over, also when it fails; standard input stays open, and is read from where
 * it stands. */
static kan_status take_file(kan_stream *stream, int file, bool is_standard, bool is_table) {
    const kan_status status = read_file(stream, file, is_standard, is_table);
    stream->owns_rest = stream->is_partial && !is_standard;
    if (stream->file != file && !is_standard && !stream->owns_rest)
        (void)close(file);
    return status;
}

/* Opening a pipe that nobody writes to waits. */
static kan_status open_file(kan_run *run, const char *path, int *out) {
    while ((*out = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 && errno == EINTR)
        KAN_TRY(kan_check_cancel(run));
    return *out < 0 ? fail_errno(run, path, errno) : KAN_OK;
}

/* `said` is NULL for what is not text. */
static kan_status open_stream(kan_run *run, const char *path, bool is_table,
                              const kan_stream_encoding *said, kan_stream *out) {
    bool is_standard = strcmp(path, "-") == 0;
    kan_stream stream = {.run = run, .name = is_standard ? "standard input" : path, .file = -1};
    kan_status status;
    int file = STDIN_FILENO;
    if (!is_standard)
        KAN_TRY(open_file(run, path, &file));
    /* Whether all of it is UTF-8 cannot be seen in its beginning. */
    KAN_TRY_DONE(take_file(&stream, file, is_standard, is_table && !(said && said->if_needed)));
    if (said)
        KAN_TRY_DONE(check_content(&stream, *said, is_table));
    size_t name_bytes = strlen(stream.name) + 1;
    KAN_TRY_DONE(kan_alloc(run, name_bytes, 1, &stream.name_copy));
    stream.name = stream.come.name = memcpy(stream.name_copy, stream.name, name_bytes);
    *out = stream;
done:
    if (status != KAN_OK)
        kan_stream_close(&stream);
    return status;
}

/* What a program handed over in place of a file. */
static kan_status open_memory(kan_run *run, const char *path, kan_stream *out) {
    const kan_memory_file *file = kan_memory_file_find(run, path);
    if (!file)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "%s: whoever began this job handed over no such file; a file on disk that is "
            "called so is ./%s",
            path, path);
    return kan_stream_open_bytes(run, file->name, file->bytes, file->size,
                                 (kan_stream_encoding){.name = NULL}, out);
}

kan_status kan_stream_open(kan_run *run, const char *path, kan_stream *out) {
    if (kan_memory_file_is_name(path))
        return open_memory(run, path, out);
    const kan_stream_encoding said = {.name = kan_run_encoding(run), .if_needed = true};
    return open_stream(run, path, false, &said, out);
}

kan_status kan_stream_open_table(kan_run *run, const char *path, kan_stream_encoding encoding,
                                 kan_stream *out) {
    return open_stream(run, path, true, &encoding, out);
}

kan_status kan_stream_open_binary(kan_run *run, const char *path, kan_stream *out) {
    kan_stream stream;
    KAN_TRY(open_stream(run, path, true, NULL, &stream));
    kan_status status = kan_stream_complete(&stream);
    if (status == KAN_OK && stream.size == 0)
        status = kan_fail(run, KAN_BAD_INPUT, "%s: the file is empty", stream.name);
    if (status == KAN_OK)
        *out = stream;
    else
        kan_stream_close(&stream);
    return status;
}

kan_status kan_stream_open_bytes(kan_run *run, const char *name, const char *bytes, size_t size,
                                 kan_stream_encoding encoding, kan_stream *out) {
    kan_stream stream = {.run = run, .name = name, .size = size, .file = -1};
    kan_status status;
    char *copy = NULL;
    KAN_TRY(kan_alloc_zero(run, size + KAN_STREAM_PAD, 1, &copy));
    if (size)
        memcpy(copy, bytes, size);
    stream.bytes = copy;
    KAN_TRY_DONE(unpack(&stream));
    KAN_TRY_DONE(check_content(&stream, encoding, true));
    *out = stream;
done:
    if (status != KAN_OK)
        kan_stream_close(&stream);
    return status;
}

/* No more comes. */
static void end_partial(kan_stream *stream) {
    if (stream->is_partial)
        kan_spool_destroy(&stream->come);
    if (stream->owns_rest)
        (void)close(stream->rest);
    stream->is_partial = stream->owns_rest = false;
}

kan_status kan_stream_complete(kan_stream *stream) {
    bool is_end;
    kan_status status;
    if (!stream->is_partial)
        return KAN_OK;
    release_bytes(stream);
    KAN_TRY_DONE(read_some(stream->name, stream->rest, UINT64_MAX, &stream->come, &is_end));
    KAN_TRY_DONE(kan_spool_end(&stream->come));
    KAN_TRY_DONE(take_spool(stream, &stream->come));
    KAN_TRY_DONE(unpack(stream));
    KAN_TRY_DONE(decode(stream, stream->rest_encoding));
done:
    end_partial(stream);
    return status;
}

void kan_stream_close(kan_stream *stream) {
    end_partial(stream);
    release_bytes(stream);
    kan_free(stream->run, stream->name_copy);
    *stream = (kan_stream){.run = stream->run, .file = -1};
}

void kan_stream_done(const kan_stream *stream, size_t first, size_t end) {
    const uintptr_t window = KAN_SPILL_WINDOW, base = (uintptr_t)stream->bytes;
    if (!stream->mapped_bytes || first >= end)
        return;
    uintptr_t from = (base + first) / window * window;
    uintptr_t to = (base + end + window - 1) / window * window;
    from = from > base ? from : base;
    to = to < base + stream->mapped_bytes ? to : base + stream->mapped_bytes;
    kan_spill_drop(stream->run, (const void *)from, to - from);
}

kan_status kan_stream_check_unchanged(const kan_stream *stream) {
    struct stat now;
    if (stream->file < 0)
        return KAN_OK;
    if (fstat(stream->file, &now) == 0 && now.st_size == stream->state.st_size &&
        now.st_mtim.tv_sec == stream->state.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == stream->state.st_mtim.tv_nsec)
        return KAN_OK;
    return fail_changed(stream);
}
