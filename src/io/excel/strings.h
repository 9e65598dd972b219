/* Strings: those that cells share, and how a cell writes what XML cannot hold. */
#ifndef KANON_IO_EXCEL_STRINGS_H
#define KANON_IO_EXCEL_STRINGS_H

#include "io/excel/package.h"

/* Bytes of one string in a file: 32,767 characters, each of them escaped. */
enum { KAN_STRING_MOST = 32767 * 7 };

typedef struct kan_strings {
    char *bytes; /* all of them, one after the other */
    size_t used, capacity;
    uint64_t *start; /* n + 1 offsets */
    size_t n, start_capacity;
} kan_strings;

KAN_MUST_USE kan_status kan_strings_read(kan_package *package, const char *part, kan_strings *out);
void kan_strings_destroy(kan_strings *strings, kan_run *run);

static inline kan_slice kan_strings_at(const kan_strings *strings, size_t index) {
    return (kan_slice){strings->bytes + strings->start[index],
                       strings->start[index + 1] - strings->start[index]};
}

/* Replaces _xHHHH_ by the character of that number, in place; returns the new size. */
size_t kan_string_decode(char *bytes, size_t size);
/* Adds a string with such escapes for what XML cannot hold, and for what looks like one. */
void kan_string_encode(kan_slice value, kan_text *out);

#endif
