/* The door of engine: where the rows of a table stay.
 *
 * An engine holds a table and can count. It folds the rows for the search: one GROUP BY, of which
 * the distinct combinations come here and nothing else (kan_engine_fold, behind kan_source_read). It
 * makes the release beside the input, by a join with what each value becomes (kan_engine_apply), and
 * counts the groups of the release for the recount (kan_engine_recount), under a name that nobody
 * knows; only kan_engine_commit gives it its own.
 *
 * An engine is a transport (transport.h) and a dialect (dialect.h): one file, and one line in the
 * registry. The rest is written once: columns.c, choose.c, fold.c, apply.c, recount.c, predict.c. */
#ifndef KANON_ENGINE_ENGINE_H
#define KANON_ENGINE_ENGINE_H

#include "data/release.h"
#include "engine/address.h"
#include "io/source.h"

struct kan_dialect;
struct kan_transport;

typedef struct kan_engine_kind {
    const char *name; /* "postgres" */
    const struct kan_dialect *dialect;
    const struct kan_transport *transport;
} kan_engine_kind;

/* A table of an engine, opened; it is the state of its kan_source. */
typedef struct kan_engine kan_engine;

extern const kan_source_kind kan_source_postgres, kan_source_clickhouse, kan_source_duckdb,
    kan_source_odbc;
/* Of no address: what writes statements, and runs none (script/script.h). */
extern const kan_source_kind kan_source_script;

/* The engine behind a source; NULL: it is none. */
kan_engine *kan_engine_of(const kan_source *source);

/* ---- the release ---------------------------------------------------------------------------- */

typedef struct kan_engine_order {
    const char *target; /* the address of the release */
    bool overwrite;     /* a table of that name is replaced; else it is KAN_BAD_INPUT */
    /* What kan_source_read gave, counted, and what becomes of it: rows of the release are rows of
     * the table, each for as many rows of the input as it counts. Where several rows of the table
     * have the same values in all encoded columns, their rows are divided among them by these
     * numbers, any row to any of them: that needs an engine with window functions. Columns that pass
     * through stay as they are, of their own type; a column of which every label is its value, too.
     * A label "" becomes NULL. So does '' in a column of texts that somebody looks at: NULL and '' are
     * one missing value to whoever counted, and what was counted as one comes out alike. Suppressed
     * rows are left out. */
    const kan_table *table;
    const kan_release *release;
    const char *shuffle; /* the key of the order of its rows, a text; NULL: any order */
    /* Without it: they are stored in the order of what they show, where the engine can do that
     * (kan_engine_sorts), so that nobody's rows stand together because they do in the table. */
    bool is_sorted;
} kan_engine_order;

/* Before the search: whether the release can be made at all. KAN_BAD_INPUT where the target is not
 * in reach of the input's connection, exists, is the input itself, or may not be created; where
 * `divides` and the engine cannot divide the rows of one tuple. */
KAN_MUST_USE kan_status kan_engine_prepare(kan_engine *engine, const char *target, bool overwrite,
                                           bool divides);
/* KAN_BAD_INPUT where rows cannot be put in a secret order. */
KAN_MUST_USE kan_status kan_engine_check_shuffle(kan_engine *engine);
bool kan_engine_sorts(const kan_engine *engine);
/* Makes the release under another name. */
KAN_MUST_USE kan_status kan_engine_apply(kan_engine *engine, const kan_engine_order *order);
/* Counts the release: a counted table of its columns that do not pass through, in their order. */
KAN_MUST_USE kan_status kan_engine_recount(kan_engine *engine, kan_table **out);
/* KAN_FAILED unless what was counted is what the order says: the same groups with the same number of
 * rows, one by one. It says how many differ and shows none. */
KAN_MUST_USE kan_status kan_engine_compare(kan_engine *engine, const kan_engine_order *order,
                                           const kan_table *counted);
/* Gives the release its name; the last step. */
KAN_MUST_USE kan_status kan_engine_commit(kan_engine *engine);
/* Takes away what was not committed; also done by kan_source_close. Where the engine is gone, a note
 * names what stays behind. */
void kan_engine_discard(kan_engine *engine);

/* ---- tables that somebody else made ---------------------------------------------------------- */

/* out[i]: whether the table shows values of a column apart that the fold takes for one, such as NULL and
 * ''. Where columns[i] is false, it is not asked. Whoever counts groups of a release by kan_source_read
 * would find them larger than they are. */
KAN_MUST_USE kan_status kan_engine_find_apart(void *engine, const bool *columns, bool *out);
#define KAN_ENGINE_APART                                                                           \
    { "NULL and ''", "NULL for '', a column of texts for other types" }
/* Opens the file of a source of Parquet once more, as a table of DuckDB, which can be asked that; *out is
 * NULL where the source is another one. */
KAN_MUST_USE kan_status kan_engine_open_parquet(const kan_source *source, const kan_options *given,
                                                kan_source **out);

/* Whether there is a place for tables that are counted in (engine/star): temporary ones, or the schema
 * of the release, or that which the address names (scratch=..). Never that of the input by itself:
 * whoever reads it need not be allowed to make anything there. */
bool kan_engine_has_scratch(const kan_engine *engine);

/* Bytes and rows that came from the engine so far. */
uint64_t kan_engine_received(const kan_engine *engine);
uint64_t kan_engine_rows_received(const kan_engine *engine);

/* ---- for engines ---------------------------------------------------------------------------- */

/* The functions of kan_source_kind but `open`, which calls this with its kind. */
KAN_MUST_USE kan_status kan_engine_open(kan_run *run, const kan_engine_kind *kind, const char *path,
                                        const kan_source_options *options, void **out);
/* The table of a schema that is open, over its connection (engine/schema). */
KAN_MUST_USE kan_status kan_engine_open_within(kan_engine *schema, const char *table, void **out);
void kan_engine_close(void *state);
const char *kan_engine_name(const void *state);
size_t kan_engine_n_columns(const void *state);
const char *kan_engine_column_name(const void *state, size_t column);
const kan_field *kan_engine_field(const void *state, size_t column);
kan_status kan_engine_fold(void *state, const bool *encode, kan_table **out);
kan_status kan_engine_fold_some(void *state, const bool *encode, const kan_source_some *some,
                                kan_table **out);
kan_status kan_engine_sum_up(void *state, size_t column, uint64_t most, kan_source_sum *out);
void kan_engine_hold(void *state, const bool *columns);
kan_status kan_engine_choose(void *state, const kan_cohort *cohort);

#endif
