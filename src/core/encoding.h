/* Encodings of text: how characters are written as bytes. Inside all text is UTF-8; other encodings
 * are turned into it, and back, by the C library (iconv). */
#ifndef KANON_CORE_ENCODING_H
#define KANON_CORE_ENCODING_H

#include "core/text.h"

/* Whether there is an encoding of that name. A name with a / is none: what iconv takes behind it
 * replaces characters silently. */
bool kan_encoding_is_known(const char *name);
/* Whether it is UTF-16 or UTF-32, by the bytes of a unit (2 or 4), in either order of these. */
bool kan_encoding_has_units(const char *name, unsigned bytes);

/* The first byte that is not UTF-8; the size where all are. A character that is cut off at the end
 * is not. */
size_t kan_utf8_find_bad(const char *bytes, size_t size);

/* Turns bytes of one encoding into those of another, piece by piece. One thread. */
typedef struct kan_converter {
    void *handle;
    bool is_open;
} kan_converter;

typedef enum kan_converted {
    KAN_CONVERTED_ALL,  /* no bytes are left */
    KAN_CONVERTED_ROOM, /* more room is needed */
    KAN_CONVERTED_CUT,  /* what is left is the beginning of a character */
    KAN_CONVERTED_BAD   /* what is left begins with no character, or with one that cannot be had */
} kan_converted;

/* KAN_BAD_INPUT where there is no such encoding. */
KAN_MUST_USE kan_status kan_converter_open(kan_run *run, const char *from, const char *to,
                                           kan_converter *out);
/* Moves *in and *out behind what was converted. */
kan_converted kan_converter_take(kan_converter *converter, kan_slice *in, char **out, size_t *room);
/* What an encoding with a memory ends its text with; KAN_CONVERTED_ALL or KAN_CONVERTED_ROOM. The
 * next bytes are those of another text. */
kan_converted kan_converter_end(kan_converter *converter, char **out, size_t *room);
void kan_converter_close(kan_converter *converter);

#endif
