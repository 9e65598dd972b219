/* A transport without an engine: it writes down what it is asked, gives rows that a test laid out,
 * and fails at the call that a test names. */
#ifndef KANON_TESTS_TOY_TRANSPORT_H
#define KANON_TESTS_TOY_TRANSPORT_H

#include "engine/transport.h"

enum { TOY_MOST_COLUMNS = 8 };

/* Rows for statements that have `part` in them; a cell NULL is NULL. The first that fits is taken,
 * and where `n_times` is not 0 no more than so often. */
typedef struct toy_answer {
    const char *part;
    size_t n_rows;
    const char *const (*rows)[TOY_MOST_COLUMNS];
    size_t n_times;
} toy_answer;

typedef struct toy {
    const char *const (*columns)[3];
    size_t n_columns;
    toy_answer *answers;
    size_t n_answers;
    size_t fail_at; /* the number of the call that fails, from 1; 0: none */
    size_t
        cancel_at;  /* during this one the run is cancelled; what was asked is done all the same */
    size_t n_calls; /* of columns, execute, query and load so far */
    bool is_open;   /* connected */
    size_t n_failed_cleanups;
    kan_run *run;
    kan_text log;        /* a line per statement, and per row that was loaded */
    kan_text statements; /* each with a byte 0 behind it */
} toy;

/* The one that connections go to; a test sets it. Its log lives until toy_end. */
void toy_begin(toy *t, kan_run *run);
void toy_end(toy *t);
extern const kan_transport toy_transport;

#endif
