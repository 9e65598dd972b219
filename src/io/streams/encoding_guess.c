/* One pass over the bytes: what is UTF-8 throughout is taken for that, since other text hardly ever
 * looks so. Else which bytes occur tells Latin-1 from what Windows writes, which has letters and
 * signs where Latin-1 has controls that nobody uses; and zeros tell UTF-16. */
#include "io/streams/encoding_guess.h"

#include "io/streams/decode.h"
#include "io/streams/stream.h"

typedef struct {
    uint64_t n_bytes;
    uint64_t n_zeros[2]; /* at even and odd places */
    bool has_bad;        /* bytes that are not UTF-8 */
    bool occurs[256];
} bytes_seen;

static void look_at(bytes_seen *seen, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        seen->occurs[byte] = true;
        seen->n_zeros[(seen->n_bytes + i) & 1] += byte == 0;
    }
    seen->n_bytes += size;
}

static kan_status look_at_all(const kan_stream *stream, kan_window *window, bytes_seen *seen) {
    enum { STEP = 1 << 20, LONGEST = 4 };
    for (size_t at = 0; at < stream->size;) {
        const size_t end = stream->size - at > STEP ? at + STEP : stream->size;
        KAN_TRY(kan_check_cancel(stream->run));
        KAN_TRY(kan_window_take(window, stream, at, end));
        size_t used = kan_utf8_find_bad(window->bytes, end - at);
        const bool may_be_cut = end < stream->size && end - at - used < LONGEST;
        if (used < end - at && !may_be_cut) {
            seen->has_bad = true;
            used = end - at;
        }
        look_at(seen, window->bytes, used);
        kan_stream_done(stream, at, end);
        at += used;
    }
    return KAN_OK;
}

/* Text in UTF-16 that has digits and separators has zeros in one half of its places. */
static bool is_utf16(const bytes_seen *seen, unsigned zeros_at) {
    return seen->n_bytes % 2 == 0 && 10 * seen->n_zeros[zeros_at] > 2 * seen->n_bytes &&
           100 * seen->n_zeros[1 - zeros_at] < seen->n_bytes;
}

static kan_encoding_guess choose(const bytes_seen *seen) {
    static const unsigned char unused[] = {0x81, 0x8d, 0x8f, 0x90, 0x9d};
    bool is_windows = false, is_neither = false;
    for (unsigned byte = 0x80; byte < 0xa0; byte++)
        is_windows |= seen->occurs[byte];
    for (size_t i = 0; i < sizeof unused; i++)
        is_neither |= seen->occurs[unused[i]];
    if (is_utf16(seen, 1))
        return (kan_encoding_guess){"utf-16le", false, "every other byte is zero"};
    if (is_utf16(seen, 0))
        return (kan_encoding_guess){"utf-16be", false, "every other byte is zero"};
    if (!seen->has_bad || is_neither || seen->occurs[0])
        return (kan_encoding_guess){NULL, false, NULL};
    if (is_windows)
        return (kan_encoding_guess){"windows-1252", false,
                                    "it is not UTF-8, and has characters as Windows writes them"};
    return (kan_encoding_guess){
        "latin1", false, "it is not UTF-8, and all of its bytes are letters or symbols there"};
}

kan_status kan_encoding_guess_find(kan_run *run, const char *path, kan_encoding_guess *out) {
    kan_stream stream;
    kan_window window = {.room = NULL};
    bytes_seen seen = {0};
    char first[4] = "";
    kan_status status;
    struct stat state;
    *out = (kan_encoding_guess){NULL, false, NULL};
    /* A pipe can be read only once; what is wrong with a file is told by those who read it. */
    if (stat(path, &state) != 0 || !S_ISREG(state.st_mode) || state.st_size == 0)
        return KAN_OK;
    KAN_TRY(kan_stream_open_binary(run, path, &stream));
    const size_t size = stream.size < sizeof first ? stream.size : sizeof first;
    KAN_TRY_DONE(kan_window_take(&window, &stream, 0, size));
    memcpy(first, window.bytes, size);
    const char *mark = kan_decode_find_mark((kan_slice){first, size});
    if (mark) {
        *out = (kan_encoding_guess){mark, true, "a byte order mark says so"};
        if (strcmp(mark, "UTF-8") == 0)
            out->name = NULL;
        goto done;
    }
    KAN_TRY_DONE(look_at_all(&stream, &window, &seen));
    *out = choose(&seen);
done:
    kan_window_free(&window, run);
    kan_stream_close(&stream);
    return status;
}
