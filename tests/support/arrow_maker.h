/* A producer of Arrow streams for tests, made of texts, and a reader of streams into texts. It makes
 * all that real ones do: slices, several batches, a dictionary per batch with values that nobody has,
 * and it can fail. Everything that it hands out is counted until it is released. */
#ifndef KANON_TESTS_ARROW_MAKER_H
#define KANON_TESTS_ARROW_MAKER_H

#include "kanon_arrow.h"

typedef struct maker_column {
    const char *name, *format;
    const char *index; /* of a dictionary: its format; NULL: it is none */
} maker_column;

typedef struct maker {
    const maker_column *columns;
    size_t n_columns;
    const char *const *cells; /* row by row; NULL: a null */
    size_t n_rows;
    size_t batch_rows;      /* 0: all in one */
    size_t offset;          /* of the arrays: values that belong to nobody come before */
    size_t row_offset;      /* of the batches, the same */
    bool has_empty;         /* a batch without rows comes before each */
    bool repeats_values;    /* dictionaries have each value twice, and every other row the second */
    bool shares_dictionary; /* that of the first batch, made of all rows, serves all */
    size_t ordered;         /* the column whose dictionary is ordered, from 1; 0: none */
    int fails_at;           /* the number of the batch that cannot be made, from 1; 0: none */
    long *n_live;           /* what was handed out and is not released */
} maker;

/* The maker must live as long as the stream. */
void maker_stream(const maker *from, struct ArrowArrayStream *out);

/* What a stream gives: lines of "name:format", then rows with | between cells; a null is ~. The
 * stream is released; the caller frees the text. */
char *maker_text(struct ArrowArrayStream *stream);
/* The same, rows alone. */
char *maker_rows(struct ArrowArrayStream *stream);

#endif
