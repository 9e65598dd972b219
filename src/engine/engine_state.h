/* What the files of this room share about an open table of an engine. */
#ifndef KANON_ENGINE_STATE_H
#define KANON_ENGINE_STATE_H

#include "data/encoder.h"
#include "engine/engine.h"
#include "engine/sql/sql.h"
#include "engine/transport.h"

/* The texts of a column of reals as the engine wrote them, and what each is in kanon's form. */
typedef struct kan_engine_reals {
    kan_encoder given;     /* the engine's texts */
    kan_text written;      /* kanon's, one after the other */
    size_t *start;         /* given.n + 1 offsets into it */
    size_t start_capacity; /* of start */
    bool is_there;
} kan_engine_reals;

/* A release that is being made, and is not yet named. */
typedef struct kan_engine_release {
    bool is_aimed;                /* the members below are set */
    const char *text;             /* of the target, as the user wrote it */
    kan_address target;           /* of the table that it becomes */
    bool is_file;                 /* or it is a file at `text` */
    bool overwrite;               /* what is there is replaced */
    const char *name, *place;     /* its name until then, and as SQL has it */
    const char *part_name, *part; /* on each node from 1 on; else the same as `name`, `place` */
    const char *last_name, *last; /* what they are called once it has its name, for good */
    const char **kept;            /* names of columns that are as they are in the input */
    size_t n_kept;
    bool is_made;          /* it was begun */
    kan_sql_table counted; /* its columns that do not pass through */
} kan_engine_release;

/* A table that is made in a schema. */
typedef struct kan_engine_made {
    const char *name, *hidden, *place; /* the last as SQL has it, under the hidden name */
} kan_engine_made;

struct kan_engine {
    kan_run *run;
    kan_arena arena;
    const kan_engine_kind *kind;
    const kan_transport *transport;
    kan_address address;
    void *connection;
    kan_sql_table table;
    const char *
        rows; /* the same as table.place, without a name of its own, where rows were chosen; NULL */
    const char **names; /* of its columns */
    kan_field *fields;
    kan_engine_reals *reals; /* by column */
    const bool *compared;    /* by column: only held against another table's; NULL: none are */
    /* By column: the value whose rows speak for each of its values, where rows were counted at levels
     * (star/star.h); NULL: each for itself. NULL: so of all columns. */
    const uint32_t **stand_ins;
    bool is_in_transaction;
    uint64_t n_rows_received;
    kan_engine_release release;
    uint64_t *n_rows_of_part; /* by node - 1; NULL: not yet counted */
    const char **leftovers;   /* tables that stay unless they are dropped, as SQL has them */
    size_t n_leftovers, leftovers_capacity;
    bool is_borrowed;         /* the connection is that of a schema, which outlives it */
    kan_engine_made *several; /* of a schema, once they were made; in the arena */
    size_t n_several;
    bool replaces; /* tables of their names */
};

/* Runs a statement on one node, on each that has rows, or for its rows. `sql` is spent. */
KAN_MUST_USE kan_status kan_engine_execute(kan_engine *engine, size_t node, kan_text *sql,
                                           const char *what);
/* The statement that makes a release seen: a run that is cancelled does not begin it, and knows of one
 * that was begun whether it was done (kan_statement.is_final). */
KAN_MUST_USE kan_status kan_engine_execute_final(kan_engine *engine, const char *sql,
                                                 const char *what);
KAN_MUST_USE kan_status kan_engine_execute_parts(kan_engine *engine, kan_text *sql,
                                                 const char *what);
KAN_MUST_USE kan_status kan_engine_query(kan_engine *engine, kan_text *sql, const char *what,
                                         size_t n_columns, const kan_row_taker *taker);
/* kan_transport.check_rows. */
KAN_MUST_USE kan_status kan_engine_check_rows(kan_engine *engine);
/* Servers among which the table is divided, 0: it is not. */
size_t kan_engine_n_parts(const kan_engine *engine);

/* parts.c: KAN_FAILED unless the parts of a divided table have n rows together, each as many as it had
 * when this was first asked. */
KAN_MUST_USE kan_status kan_engine_check_parts(kan_engine *engine, uint64_t n_rows);

/* aim.c: where the release goes. */
/* A name of ours that nobody can guess. */
KAN_MUST_USE kan_status kan_engine_draw_name(kan_engine *engine, const char **out);
/* A table as SQL has it, in the arena. */
KAN_MUST_USE kan_status kan_engine_place_of(kan_engine *engine, const char *schema,
                                            const char *name, const char **out);
KAN_MUST_USE kan_status kan_engine_aim(kan_engine *engine, const char *target, bool overwrite);
/* The release is about to be made: it is taken away from here on unless it is committed. */
KAN_MUST_USE kan_status kan_engine_begin_release(kan_engine *engine);
/* The place of a table of ours; what outlives a failure unless it is dropped is remembered. */
KAN_MUST_USE kan_status kan_engine_own_place(kan_engine *engine, const char *name,
                                             bool is_temporary, const char **out);
/* A place that outlives a failure unless it is dropped. */
KAN_MUST_USE kan_status kan_engine_remember(kan_engine *engine, const char *place);
/* It was dropped, or got its name. */
void kan_engine_forget(kan_engine *engine, const char *place);
/* The schema of tables that are counted in, NULL: that of the connection, or of temporary ones. */
const char *kan_engine_scratch(const kan_engine *engine);
kan_status kan_engine_refuse_division(kan_engine *engine);
/* Whether rows that are alike can be numbered. */
bool kan_engine_can_divide(const kan_engine *engine);
/* Whether there is a table of that name. */
KAN_MUST_USE kan_status kan_engine_find_table(kan_engine *engine, const kan_address *address,
                                              bool *out);

/* keep.c: what a table that is replaced has beside its rows, such as comments and grants, as statements that
 * give it to the release; before the old one goes, and once the release has its name. What cannot be given
 * is noted. */
typedef struct kan_engine_kept {
    const char **statements;
    size_t n, capacity;
} kan_engine_kept;
KAN_MUST_USE kan_status kan_engine_find_kept(kan_engine *engine, kan_engine_kept *out);
KAN_MUST_USE kan_status kan_engine_give_kept(kan_engine *engine, const kan_engine_kept *kept);
void kan_engine_kept_destroy(kan_engine *engine, kan_engine_kept *kept);

/* columns.c: the columns of the address' table. */
KAN_MUST_USE kan_status kan_engine_find_columns(kan_engine *engine);

/* fold.c: a counted table of the encoded columns of `table`, sorted by codes; `reals`, by column,
 * keeps what the engine wrote, NULL: nobody asks. */
typedef struct kan_engine_count_plan {
    const kan_sql_table *table;
    const bool *encode;
    kan_engine_reals *reals;
    const char *what, *stage; /* "count the rows of people", "fold" */
    const kan_sql_some *some; /* NULL: all */
} kan_engine_count_plan;
KAN_MUST_USE kan_status kan_engine_count(kan_engine *engine, const kan_engine_count_plan *plan,
                                         kan_table **out);
/* Whether a text is one, in UTF-8 and without a byte 0. */
bool kan_engine_is_text(kan_slice text);
/* The size of a group as the engine writes it. */
bool kan_engine_read_count(kan_slice text, uint64_t *out);
/* The text of a value that kan_sql_form_rewrites, in kanon's form; `room` has KAN_NUMBER_ROOM bytes. */
kan_slice kan_engine_rewrite(const kan_sql_form *form, kan_slice text, char *room);
void kan_engine_reals_destroy(kan_run *run, kan_engine_reals *reals);

#endif
