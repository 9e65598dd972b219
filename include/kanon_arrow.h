/* Tables of other programs, in memory: the Arrow C data interface beside kanon.h.
 *
 * A producer (pyarrow, polars, DuckDB, nanoarrow, ...) hands over a stream of batches; kanon reads
 * them where they are. What comes out is a stream again. The three structs are the public standard's,
 * https://arrow.apache.org/docs/format/CDataInterface.html, and stand beside other copies of it.
 *
 *   kan_table *table;                               // one table, for as many jobs as needed
 *   kan_table_from_arrow(run, &stream, &table);
 *   kan_job_use_table(job, table);
 *   kan_job_run(job, "anonymize", &result);
 *   kan_result_to_arrow(result, &released);
 */
#ifndef KANON_ARROW_H
#define KANON_ARROW_H

#include "kanon.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* The table that a stream gives: all of its batches are taken, nothing of them is copied, and the
 * stream is released, also when this fails. The batches are released with the table; nobody may
 * change them before that. Booleans, integers, floats of 32 and 64 bits, decimals of up to 128 bits,
 * dates, times, timestamps, text, and dictionaries of these can be read. Columns of other types
 * (lists, structs, bytes, durations) can only be left out. A null is a missing value.
 *
 * Such a table does for jobs what a file does (kan_job_use_table, kan_job_use_table_as).
 * kan_table_value gives NULL for all of it. */
KAN_API KAN_MUST_USE kan_status kan_table_from_arrow(kan_run *run, struct ArrowArrayStream *stream,
                                                     kan_table **out);

/* Asks for the release as Arrow, whatever the input is: `anonymize` needs no `output` then. A job
 * whose input came from Arrow does that by itself. */
KAN_API void kan_job_want_arrow(kan_job *job);

/* Hands over the released rows of `anonymize`, once: one batch, which was read again and recounted
 * before. KAN_BAD_INPUT where there are none (any more). They outlive the result, the run and the
 * table, and share no memory with it. Columns that are kept have their type and their values. A
 * dictionary has the values that are shown, each once, and no other. What is generalized is text. */
KAN_API KAN_MUST_USE kan_status kan_result_to_arrow(kan_result *result,
                                                    struct ArrowArrayStream *out);

#ifdef __cplusplus
}
#endif

#endif
