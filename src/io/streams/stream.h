/* An input: a file, a decompressed one, or what a pipe delivered. Its bytes can be addressed, or,
 * of a table in a plain file, are read window by window. */
#ifndef KANON_IO_STREAMS_STREAM_H
#define KANON_IO_STREAMS_STREAM_H

#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/streams/spool.h"

/* Bytes that can be read beyond the end of every stream: scanners need not look where they load. */
enum { KAN_STREAM_PAD = 64 };

/* How the text of a file is encoded, as its user said. A byte order mark wins over it. */
typedef struct kan_stream_encoding {
    const char *name; /* as iconv has it; NULL: UTF-8, and bytes that are not are kept */
    bool if_needed;   /* only where the text is not UTF-8 */
} kan_stream_encoding;

typedef struct kan_stream {
    kan_run *run;
    const char *name;  /* for messages: the path, or "standard input" */
    const char *bytes; /* size + KAN_STREAM_PAD can be read; NULL: in windows alone */
    size_t size;
    size_t mapped_bytes; /* of a temporary file of ours; 0: the bytes are allocated */
    int file;            /* open while it is read in windows or mapped, else -1 */
    struct stat state;   /* of the file when it was opened */
    uint64_t spooled;    /* bytes of a temporary file of ours that is mapped */
    char *name_copy;
    /* Of a table from a pipe or a packed file, until kan_stream_complete: `bytes` and `size` are
     * its beginning alone, so that a wrong name is told before all of it has come. */
    bool is_partial;
    const char *rest_encoding; /* NULL: no conversion */
    bool owns_rest;
    int rest;       /* where more comes from */
    kan_spool come; /* what has come, packed or not */
} kan_stream;

/* Opens a path ("-" is standard input); .gz and .zst are recognised by their first bytes, and other
 * encodings than UTF-8 by a byte order mark; where the text is not UTF-8, it is that of the run
 * (kan_run_encoding). A missing, unreadable, empty or corrupt file is KAN_BAD_INPUT with a text. */
KAN_MUST_USE kan_status kan_stream_open(kan_run *run, const char *path, kan_stream *out);
/* The same for a table, however large: a plain file stays where it is, and only windows of it are
 * in memory. Anything else may be partial: half a MiB of its beginning or more. */
KAN_MUST_USE kan_status kan_stream_open_table(kan_run *run, const char *path,
                                              kan_stream_encoding encoding, kan_stream *out);
/* The same for a table that is not text; it is complete. */
KAN_MUST_USE kan_status kan_stream_open_binary(kan_run *run, const char *path, kan_stream *out);
/* Reads the rest of a partial stream; others are complete. Corrupt and truncated files are found
 * out here. */
KAN_MUST_USE kan_status kan_stream_complete(kan_stream *stream);
/* A stream of bytes that are in memory, copied, treated as a file's would be. */
KAN_MUST_USE kan_status kan_stream_open_bytes(kan_run *run, const char *name, const char *bytes,
                                              size_t size, kan_stream_encoding encoding,
                                              kan_stream *out);
void kan_stream_close(kan_stream *stream);

/* Some bytes of a stream: those of the stream itself where it has them, else a copy. */
typedef struct kan_window {
    const char *bytes; /* KAN_STREAM_PAD more than were asked for can be read */
    char *room;
    size_t capacity;
} kan_window;

/* The bytes from `first` to `end`; the same window may be used again and again. KAN_FAILED when the
 * file has become shorter. Any thread, with a window of its own. */
KAN_MUST_USE kan_status kan_window_take(kan_window *window, const kan_stream *stream, size_t first,
                                        size_t end);
void kan_window_free(kan_window *window, kan_run *run);

/* The bytes from `first` to `end` are not needed for a while: where there is a memory budget and
 * they are mapped, they leave resident memory, and come back when they are read. A reader of
 * neighbouring bytes drops what it touched itself. For a MiB or so at a time; any thread. */
void kan_stream_done(const kan_stream *stream, size_t first, size_t end);

/* KAN_FAILED when a file is not what it was when it was opened: what was read cannot be
 * trusted then. */
KAN_MUST_USE kan_status kan_stream_check_unchanged(const kan_stream *stream);

/* Whether a text file whose first value this is would be taken for something else, were it not in
 * quotes: a compressed file, another format, UTF-16, text behind a byte order mark, or behind a
 * line that tells the separator. */
bool kan_stream_is_marked(kan_slice first_bytes);

#endif
