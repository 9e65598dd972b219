/* Any bytes are read in any encoding without a crash, and what comes out is UTF-8; what can be
 * written in that encoding again is read again as the same text.
 *
 * The first byte of the input chooses the encoding; the rest is the file. */
#include <stdio.h>
#include <stdlib.h>

#include "core/encoding.h"
#include "io/streams/stream.h"
#include "io/streams/transcode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *claim, const kan_run *run) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", claim, kan_run_error(run));
        abort();
    }
}

static kan_status take(void *context, const char *bytes, size_t size) {
    kan_text_add(context, bytes, size);
    return kan_text_status(context);
}

/* A byte order mark is no part of the text. */
static kan_slice text_of(const kan_stream *stream) {
    const size_t mark = stream->size >= 3 && memcmp(stream->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (kan_slice){stream->bytes + mark, stream->size - mark};
}

static void write_and_read_again(kan_run *run, const kan_stream *stream, const char *encoding) {
    const kan_slice text = text_of(stream);
    kan_transcoder *transcoder;
    kan_text written;
    kan_stream again;
    kan_text_init(&written, run);
    require(kan_transcoder_create(run, encoding, take, &written, &transcoder) == KAN_OK, "create",
            run);
    require(kan_transcoder_add(transcoder, text.bytes, text.size) == KAN_OK, "add", run);
    const uint64_t n_lost = kan_transcoder_n_lost(transcoder);
    require(kan_transcoder_finish(transcoder) == KAN_OK, "finish", run);
    kan_transcoder_destroy(transcoder);
    const kan_slice bytes = {written.bytes, written.size};
    /* What looks like another kind of file is quoted by those who write it. */
    if (n_lost == 0 && bytes.size > 0 && !kan_stream_is_marked(text) &&
        (strcmp(encoding, "utf-16") == 0 || !kan_stream_is_marked(bytes)) &&
        kan_stream_open_bytes(run, "again", bytes.bytes, bytes.size,
                              (kan_stream_encoding){encoding, false}, &again) == KAN_OK) {
        require(kan_slice_equal(text_of(&again), text), "the same text", run);
        kan_stream_close(&again);
    }
    kan_text_destroy(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const encodings[8] = {"latin1",   "windows-1252", "utf-8",  "utf-16le",
                                             "utf-16be", "utf-16",       "utf-32", "gb18030"};
    if (size == 0)
        return 0;
    const char *encoding = encodings[data[0] & 7];
    const kan_stream_encoding said = {encoding, data[0] >> 3 & 1};
    kan_stream stream;
    kan_run *run = kan_run_create();
    if (!run)
        return 0;
    kan_run_set_threads(run, 1);
    kan_run_set_memory(run, 64 << 20); /* a few compressed bytes can stand for gigabytes */
    const kan_status status =
        kan_stream_open_bytes(run, "fuzz.csv", (const char *)data + 1, size - 1, said, &stream);
    require(status == KAN_OK || status == KAN_BAD_INPUT || status == KAN_FAILED, "a status", run);
    if (status == KAN_OK) {
        require(kan_utf8_find_bad(stream.bytes, stream.size) == stream.size, "UTF-8", run);
        /* Text with a NUL is refused by those who read it. */
        if (!said.if_needed && (data[0] & 7) < 6 && !memchr(stream.bytes, '\0', stream.size))
            write_and_read_again(run, &stream, encoding);
        kan_stream_close(&stream);
    }
    kan_run_destroy(run);
    return 0;
}
