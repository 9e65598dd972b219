/* How the text of a file is encoded, by looking at all of its bytes. */
#ifndef KANON_IO_STREAMS_ENCODING_GUESS_H
#define KANON_IO_STREAMS_ENCODING_GUESS_H

#include "core/memory.h"

typedef struct kan_encoding_guess {
    const char *name; /* NULL: UTF-8, or nothing that is known */
    bool is_sure;     /* a byte order mark says so */
    const char *why;  /* in plain words; NULL without a name */
} kan_encoding_guess;

/* Reads the file once; what is not a file with a name is not looked at. */
KAN_MUST_USE kan_status kan_encoding_guess_find(kan_run *run, const char *path,
                                                kan_encoding_guess *out);

#endif
