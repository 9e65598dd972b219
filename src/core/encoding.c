#include "core/encoding.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdint.h>

/* ---- names ---------------------------------------------------------------------------------- */

bool kan_encoding_is_known(const char *name) {
    if (!*name || strchr(name, '/'))
        return false;
    iconv_t from = iconv_open("UTF-8", name), to = iconv_open(name, "UTF-8");
    const bool is_known = from != (iconv_t)-1 && to != (iconv_t)-1;
    if (from != (iconv_t)-1)
        (void)iconv_close(from);
    if (to != (iconv_t)-1)
        (void)iconv_close(to);
    return is_known;
}

bool kan_encoding_has_units(const char *name, unsigned bytes) {
    static const char *const two[] = {"UTF16", "UTF16LE", "UTF16BE", NULL};
    static const char *const four[] = {"UTF32", "UTF32LE", "UTF32BE", NULL};
    char plain[16];
    size_t n = 0;
    for (; *name && n + 1 < sizeof plain; name++)
        if (isalnum((unsigned char)*name))
            plain[n++] = (char)toupper((unsigned char)*name);
    plain[n] = '\0';
    for (const char *const *at = bytes == 2 ? two : four; !*name && *at; at++)
        if (strcmp(plain, *at) == 0)
            return true;
    return false;
}

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

size_t kan_utf8_find_bad(const char *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        uint64_t word = UINT64_MAX;
        if (size - at >= sizeof word)
            memcpy(&word, bytes + at, sizeof word);
        if (!(word & 0x8080808080808080u)) {
            at += sizeof word;
            continue;
        }
        const size_t length = kan_utf8_length(bytes + at, size - at);
        if (length == 0)
            return at;
        at += length;
    }
    return size;
}

/* ---- converting ----------------------------------------------------------------------------- */

kan_status kan_converter_open(kan_run *run, const char *from, const char *to, kan_converter *out) {
    iconv_t handle = iconv_open(to, from);
    if (handle == (iconv_t)-1)
        return errno == EINVAL
                   ? kan_fail(run, KAN_BAD_INPUT,
                              "text cannot be converted from %s to %s; `iconv -l` lists encodings",
                              from, to)
                   : kan_fail(run, KAN_FAILED, "text cannot be converted from %s to %s: %s", from,
                              to, strerror(errno));
    *out = (kan_converter){.handle = (void *)handle, .is_open = true};
    return KAN_OK;
}

kan_converted kan_converter_take(kan_converter *converter, kan_slice *in, char **out,
                                 size_t *room) {
    char *bytes = (char *)(uintptr_t)in->bytes;
    const size_t n = iconv((iconv_t)converter->handle, &bytes, &in->size, out, room);
    const int error = errno;
    in->bytes = bytes;
    if (n == 0)
        return KAN_CONVERTED_ALL;
    /* Any other number counts characters that were replaced by others. */
    return n != (size_t)-1   ? KAN_CONVERTED_BAD
           : error == E2BIG  ? KAN_CONVERTED_ROOM
           : error == EINVAL ? KAN_CONVERTED_CUT
                             : KAN_CONVERTED_BAD;
}

kan_converted kan_converter_end(kan_converter *converter, char **out, size_t *room) {
    const size_t n = iconv((iconv_t)converter->handle, NULL, NULL, out, room);
    return n == (size_t)-1 && errno == E2BIG ? KAN_CONVERTED_ROOM : KAN_CONVERTED_ALL;
}

void kan_converter_close(kan_converter *converter) {
    if (converter->is_open)
        (void)iconv_close((iconv_t)converter->handle);
    converter->is_open = false;
}
