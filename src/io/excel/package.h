/* The package: a zip archive of XML parts, which may come from anybody.
 *
 * Parts are unpacked and parsed as a stream; nothing of them is kept here. What only an attack does
 * is refused: parts that unpack to far more than they take, declarations of entities, nesting
 * without end, and tags of megabytes. */
#ifndef KANON_IO_EXCEL_PACKAGE_H
#define KANON_IO_EXCEL_PACKAGE_H

#include "io/streams/streams.h"

/* What messages call the archive, and what they advise. */
typedef struct kan_package_words {
    const char *noun;    /* "workbook" */
    const char *damaged; /* what helps where it is damaged */
    const char *hostile; /* "which no spreadsheet program writes; ..." */
    const char *smaller; /* what helps where it unpacks to too much */
} kan_package_words;
extern const kan_package_words kan_package_workbook;

typedef struct kan_package {
    kan_run *run;
    const kan_package_words *words;
    kan_stream stream;
    struct zip *zip;
    uint64_t at;    /* where the archive is read */
    int read_error; /* of the system; 0: none */
    uint64_t n_unpacked;
} kan_package;

/* In place: its address must not change until it is closed. "-" is standard input. What is no
 * archive is KAN_BAD_INPUT that says what it is. */
KAN_MUST_USE kan_status kan_package_open(kan_package *package, kan_run *run, const char *path);
/* The same of an archive of another kind. */
KAN_MUST_USE kan_status kan_package_open_as(kan_package *package, kan_run *run, const char *path,
                                            const kan_package_words *words);
void kan_package_close(kan_package *package);
bool kan_package_has(const kan_package *package, const char *part);
/* Its parts, in any order; NULL behind the last. */
const char *kan_package_part_at(const kan_package *package, uint64_t index);
/* Whether an earlier one has its name: nobody reads it then. */
bool kan_package_is_double(const kan_package *package, uint64_t index);

/* What is told of a part. Names come without their prefix. What is not KAN_OK ends the walk. */
typedef struct kan_xml_handlers {
    kan_status (*begin)(void *context, const char *name, const char *const *attributes);
    kan_status (*end)(void *context, const char *name);
    kan_status (*text)(void *context, const char *bytes, size_t size); /* may come in pieces */
} kan_xml_handlers;

/* The value of an attribute, whatever its prefix; NULL: there is none. */
const char *kan_xml_attribute(const char *const *attributes, const char *name);

/* Hands over the bytes of a part that is no XML, within the same limits. */
typedef kan_status (*kan_package_taker)(void *context, const char *bytes, size_t size);
KAN_MUST_USE kan_status kan_package_copy(kan_package *package, const char *part,
                                         kan_package_taker take, void *context);
KAN_MUST_USE kan_status kan_package_walk(kan_package *package, const char *part,
                                         const kan_xml_handlers *handlers, void *context);

#endif
