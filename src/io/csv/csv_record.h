/* The careful reader of CSV: one record at a time, byte by byte. It is the authority on what is
 * well formed; the fast walk (csv_walk.h) hands over to it whatever is not plain. */
#ifndef KANON_IO_CSV_CSV_RECORD_H
#define KANON_IO_CSV_CSV_RECORD_H

#include "io/streams/streams.h"

/* No record may be longer: behind one that is, a quote or all line breaks are missing. */
#define KAN_RECORD_LIMIT ((size_t)64 << 20)

typedef enum kan_csv_fault {
    KAN_CSV_FINE,
    KAN_CSV_RAGGED,  /* not as many fields as the header (found by the callers) */
    KAN_CSV_LONE_CR, /* a carriage return that ends no line */
    /* From here on nobody knows where the next record begins. */
    KAN_CSV_QUOTE_INSIDE,     /* a quote within an unquoted field */
    KAN_CSV_TEXT_AFTER_QUOTE, /* something between a closing quote and the separator */
    KAN_CSV_UNTERMINATED,     /* the end of the file within quotes */
    KAN_CSV_TOO_LONG
} kan_csv_fault;

/* What is wrong, and where: the place is a byte's offset, turned into a line when it is told. */
typedef struct kan_csv_problem {
    kan_csv_fault fault;
    size_t at;
    size_t opened_at; /* of the quote that was closed or never was */
    size_t n_fields;  /* of a ragged record */
} kan_csv_problem;

typedef struct kan_csv_field {
    size_t start, size; /* as it stands in the file, quotes included */
} kan_csv_field;

typedef struct kan_csv_cursor {
    kan_run *run;
    const char *bytes;
    size_t size; /* where the records end */
    size_t at;   /* of the next record */
    char separator;
    size_t record_at; /* of the last record */
    kan_csv_problem problem;
    size_t n_fields;
    kan_csv_field *raw;
    kan_slice *fields; /* the values; they hold until the next record */
    size_t raw_capacity, fields_capacity;
    kan_text unquoted; /* values that had doubled quotes */
} kan_csv_cursor;

void kan_csv_cursor_init(kan_csv_cursor *cursor, kan_run *run, const char *bytes, size_t size,
                         char separator);
void kan_csv_cursor_destroy(kan_csv_cursor *cursor);
/* Reads the record at cursor->at, which must be below size, and moves on. A malformed record is not
 * a failure: cursor->problem tells, and fields are empty. After KAN_CSV_LONE_CR the cursor stands
 * at the next record, after graver faults at the next line break behind the fault. */
KAN_MUST_USE kan_status kan_csv_cursor_next(kan_csv_cursor *cursor);

/* The value of a raw field of well-formed CSV. Points into `bytes`, or, when quotes were doubled,
 * into `room`, which is cleared first. */
KAN_MUST_USE kan_status kan_csv_unquote(const char *bytes, size_t size, kan_text *room,
                                        kan_slice *out);

/* Adds the problem to the run's (kan_problem_add) as `NAME:LINE: what; remedy`. */
typedef struct kan_csv_lines {
    size_t at;     /* lines are counted up to here */
    uint64_t line; /* from 1 */
} kan_csv_lines;

/* The line of an offset that is not below that of the call before. */
uint64_t kan_csv_line_of(kan_csv_lines *lines, const kan_stream *stream, size_t at);
void kan_csv_problem_tell(kan_run *run, const kan_stream *stream, char separator, size_t n_columns,
                          const kan_csv_problem *problem, kan_csv_lines *lines);

#endif
