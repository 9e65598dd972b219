/* The inside of job/tables. */
#ifndef KANON_JOB_TABLES_TABLES_INSIDE_H
#define KANON_JOB_TABLES_TABLES_INSIDE_H

#include "analyze/forest/forest.h"
#include "group/kin/kin.h"
#include "io/sink.h"
#include "io/streams/streams.h"
#include "job/release/release.h"
#include "job/released/released.h"
#include "job/risk/risk.h"
#include "job/setup/setup.h"
#include "job/tables/tables.h"
#include "search/trees/trees.h"

enum { KAN_MOST_TABLES = KAN_KIN_TABLES, KAN_DRAWN_KEY = 32 };
_Static_assert((int)KAN_KIN_TABLES == (int)KAN_FOREST_TABLES, "what is released is recounted");

/* What the models of a table promise, and what a release keeps of it. */
typedef struct kan_clan_models_found {
    kan_claim claim;
    kan_models_recount models;
} kan_clan_models_found;

/* One of the tables. */
typedef struct kan_clan_table {
    const kan_job_part *part;
    size_t n_said;              /* settings of its job; what the clan adds goes with it */
    size_t parent;              /* its place; of people none */
    kan_setup setup;            /* of the part's job */
    bool is_open, is_unordered; /* its rows came in no order */
    size_t key, link;           /* columns; KAN_NO_COLUMN: it has none */
    const kan_table *raw;
    uint32_t *parent_row; /* by row; NULL: of people */
    kan_input plain;      /* with columns of the parent: the file without them */
    bool has_plain;
    kan_table widened; /* the same with them; columns are borrowed from both */
    kan_column whose;  /* where dates are shifted: the person of each row, by the people's key */
    uint8_t *is_left;  /* by row */
    uint64_t n_left;
    unsigned attribute[KAN_MAX_ATTRIBUTES]; /* by quasi-identifier: which of the clan's */
    double weights[KAN_MAX_ATTRIBUTES];     /* in the cost, by quasi-identifier */
    unsigned levels[KAN_MAX_ATTRIBUTES];    /* the answer, by quasi-identifier */
    bool has_models;                        /* of sensitive values */
    kan_table peopled; /* with models: the table, and a last column that says whose each row is */
    kan_clan_models_found *found; /* with models, once a release was counted again; in the arena */
    kan_released_column released[KAN_MAX_ATTRIBUTES]; /* by quasi-identifier */
} kan_clan_table;

typedef struct kan_clan {
    kan_job *job;
    kan_run *run;
    kan_arena arena;
    size_t n;
    kan_clan_table tables[KAN_MOST_TABLES]; /* people first, each behind its parent */
    uint8_t drawn_key[KAN_DRAWN_KEY];
    unsigned n_attributes;
    const char *attributes[KAN_MAX_ATTRIBUTES]; /* their names */
    unsigned heights[KAN_MAX_ATTRIBUTES];
    const kan_sink_kind *sink; /* of the release's files */
    const char *ending;        /* of their names */
    bool is_book;              /* all tables are in one file of that kind, or in one schema */
    kan_source *schema;        /* where they are in a database, while it is open; NULL: it is not */
    const char **names;        /* of the tables */
    const kan_cost_kind *cost;
    kan_kin kin;      /* of rows */
    size_t n_keys;    /* columns that tie tables together */
    bool uses_secret; /* --key is given, and something is made with it */
    bool drops_keys;  /* none is released: rows stand in a secret order */
    bool by_groups;   /* k people in each group of every table, and no trees; with drops_keys */
    bool has_models;
    kan_kin_secrets secrets[KAN_MOST_TABLES];
    double unit; /* a cost in units, as a share of what it is if nobody is released */
    kan_trees_question question;
    kan_trees_answer answer;
    uint64_t n_people, n_left; /* people of the input, and those who are left out */
    double read_ms, search_ms, write_ms, verify_ms;
    /* Of the release, counted again. */
    kan_forest_recount recount;
    kan_forest_groups groups;             /* by_groups */
    uint64_t n_released[KAN_MOST_TABLES]; /* rows */
    double released_cost;                 /* over released rows; NAN where it cannot be told */
    bool wants_figures;                   /* the recount is to find those of a report, too */
    uint64_t threshold;                   /* of the risk that the recount is to measure; 0: none */
    bool has_risk;
    kan_risk_trees
        risk; /* of the release, where it could be tied together; or of what it would be */
    struct {
        uint64_t n_alone, n_alone_with_kept; /* people whose tree nobody else has */
        double
            *sure[KAN_MOST_TABLES]; /* by column of the input: kan_forest_sure of sensitive ones */
    } figures;
} kan_clan;

/* The tables in order; KAN_BAD_INPUT where they are no tree. Initialises the clan, also when it fails:
 * always destroy it. */
KAN_MUST_USE kan_status kan_clan_order(kan_job *job, kan_clan *out);
void kan_clan_destroy(kan_clan *clan);
/* Reads the originals. */
KAN_MUST_USE kan_status kan_clan_read(kan_clan *clan);
/* KAN_BAD_INPUT where no table has a quasi-identifier. The tables were read. */
KAN_MUST_USE kan_status kan_clan_check_quasi(const kan_clan *clan);
/* All up to the question: read, linked, treated, with attributes and models. */
KAN_MUST_USE kan_status kan_clan_take(kan_clan *clan);
/* The same for a command that looks at a release, which is found first. */
KAN_MUST_USE kan_status kan_clan_take_release(kan_clan *clan, const char *command,
                                              const char *release);
/* The rows of one that come counted, in no order, in one of ours (tables_order.c); any other is just read. */
KAN_MUST_USE kan_status kan_clan_read_counted(kan_clan *clan, kan_clan_table *table);
/* Sets parent_row of each; KAN_BAD_INPUT where a key is missing or twice, or a row dangles. */
KAN_MUST_USE kan_status kan_clan_link(kan_clan *clan);
/* The same of one table, which and whose parent are read. */
KAN_MUST_USE kan_status kan_clan_link_table(kan_clan *clan, size_t t);
/* Makes a table that was read one in memory with the columns of its parent that it shows, too (`with`), as
 * quasi-identifiers; it is the job's own then, and has to be opened once more. Nothing where it has none. */
KAN_MUST_USE kan_status kan_clan_widen(kan_clan *clan, size_t t);
/* KAN_FAILED where an original row shows something else than its parent does. */
KAN_MUST_USE kan_status kan_clan_check_widened(const kan_clan *clan, const kan_forest *origin);
/* Treats what was read, and binds hierarchies to it; rows are linked. */
KAN_MUST_USE kan_status kan_clan_treat(kan_clan *clan);
/* "'stays' (stays.csv), row 7, line 8" into the text. */
KAN_MUST_USE kan_status kan_clan_add_place(const kan_clan_table *table, uint64_t row,
                                           kan_text *text);
/* Attributes, trees and prices. */
KAN_MUST_USE kan_status kan_clan_attributes(kan_clan *clan);
KAN_MUST_USE kan_status kan_clan_kin(kan_clan *clan);
/* Whether a setting is about a model of sensitive values, and goes to tables that have some. */
bool kan_clan_is_of_values(const char *setting);
/* The models of each table; they are read and linked. */
KAN_MUST_USE kan_status kan_clan_models(kan_clan *clan);
/* Whose a row is: a row of the first table. */
uint64_t kan_clan_person(const kan_clan *clan, size_t t, uint64_t row);
/* The question about these items, with parts that are the caller's. */
KAN_MUST_USE kan_status kan_clan_pose(kan_clan *clan, const kan_kin *items,
                                      uint32_t *const *item_of, kan_trees_question *q);
/* Ends what was posed. */
void kan_clan_forget(kan_clan *clan);
/* Searches; KAN_UNSATISFIED where nothing is within the limit. */
KAN_MUST_USE kan_status kan_clan_solve(kan_clan *clan);
/* People who may be left out. */
uint64_t kan_clan_limit(const kan_job *job, uint64_t n_people);
uint64_t kan_clan_k(const kan_job *job);

/* Sets the kind of the release's files: as settings say, and as those of a folder end. KAN_BAD_INPUT where
 * the target's name promises a file. */
KAN_MUST_USE kan_status kan_clan_choose_sink(kan_clan *clan, const char *target);
/* The same of a release that is there. */
KAN_MUST_USE kan_status kan_clan_find_sink(kan_clan *clan, const char *release);
/* KAN_BAD_INPUT where a table does not fit into a file of that kind. The tables were read. */
KAN_MUST_USE kan_status kan_clan_check_sink(kan_clan *clan, const char *target);
/* Who is left out is known: what released rows show and cost. */
KAN_MUST_USE kan_status kan_clan_measure(kan_clan *clan);
/* The level and the height of a quasi-identifier as released rows see them; where hierarchies are built by
 * everybody's rows they are not known. */
bool kan_clan_knows_levels(const kan_clan *clan, const kan_clan_table *table, unsigned q);
unsigned kan_clan_told_level(const kan_clan *clan, const kan_clan_table *table, unsigned q);
unsigned kan_clan_told_height(const kan_clan *clan, const kan_clan_table *table, unsigned q);
/* The same of an attribute, over all tables that have it; false: they are not known. */
bool kan_clan_told_attribute(const kan_clan *clan, unsigned a, unsigned *level, unsigned *height);

/* ---- a schema ------------------------------------------------------------------------------- */

/* What puts tables there. */
const kan_sink_kind *kan_clan_schema_sink(void);
/* KAN_BAD_INPUT where the address is none of a schema, or a table of the release would take the place of one
 * that is read. Nothing is asked of the database. */
KAN_MUST_USE kan_status kan_clan_check_schema_address(const kan_clan *clan, const char *target);
/* Opens the schema of an address; `setting` is for messages. */
KAN_MUST_USE kan_status kan_clan_open_schema(kan_clan *clan, const char *setting,
                                             const char *address);
void kan_clan_close_schema(kan_clan *clan);
/* NULL: none is open. */
struct kan_engine *kan_clan_engine(const kan_clan *clan);
/* Before the search: KAN_BAD_INPUT where the tables cannot be made there. The originals were read; nothing
 * stays open. */
KAN_MUST_USE kan_status kan_clan_check_schema(kan_clan *clan, const char *target);
/* Makes the tables of the release in the schema that is open, without rows. */
KAN_MUST_USE kan_status kan_clan_make_schema(kan_clan *clan);
/* All of them get their names, or none. */
KAN_MUST_USE kan_status kan_clan_name_schema(const kan_clan *clan);

/* ---- the folder ----------------------------------------------------------------------------- */

typedef struct kan_folder {
    kan_run *run;
    const kan_clan *clan;
    const char *target, *hidden; /* paths, in the clan's arena */
    bool replaces;               /* the target is there, with files that end so: */
    const char *old_ending;
} kan_folder;

/* KAN_BAD_INPUT where the target cannot be made, is there without --force, holds what no release of these
 * tables has, or has something in it that is read. */
KAN_MUST_USE kan_status kan_folder_check(const kan_clan *clan, const char *target);
KAN_MUST_USE kan_status kan_folder_begin(kan_clan *clan, const char *target, kan_folder *out);
/* A line for each thing in the folder that is no plain file of one of the tables. */
KAN_MUST_USE kan_status kan_folder_find_foreign(const kan_clan *clan, const char *path,
                                                kan_text *out);
/* KAN_BAD_INPUT where another file that the command writes would stand in the folder. */
KAN_MUST_USE kan_status kan_folder_check_written(const kan_clan *clan, const char *folder,
                                                 const char *command);
/* How the files of a folder end, by that of people; as our own do where it has none. */
const char *kan_clan_ending_of(const kan_clan *clan, const char *folder);
/* FOLDER/TABLE.csv */
KAN_MUST_USE kan_status kan_folder_path(kan_arena *arena, const char *folder, const char *table,
                                        const char *ending, const char **out);
/* The folder gets its name: all files, or none. */
KAN_MUST_USE kan_status kan_folder_commit(kan_folder *folder);
/* Removes what was not committed. */
void kan_folder_close(kan_folder *folder);

/* ---- the recount ---------------------------------------------------------------------------- */

typedef struct kan_clan_verdict {
    bool holds, is_read;
    kan_forest_recount recount;
    kan_forest_groups groups; /* by_groups */
    uint64_t n_rows[KAN_MOST_TABLES];
    bool within_limit;
    kan_text fault;     /* what is wrong, lines; empty: nothing */
    kan_text unchecked; /* what could not be checked */
} kan_clan_verdict;

/* Reads the files of a folder, or one that holds all tables, and counts them. The originals are read and
 * bound. */
KAN_MUST_USE kan_status kan_clan_recount(kan_clan *clan, const char *release,
                                         kan_clan_verdict *out);
/* Which row of the original each row of a release without keys may be, row_of[table][row]; is_found: people
 * stay at some levels whose rows show what the release shows. Nothing is claimed by it. */
KAN_MUST_USE kan_status kan_clan_match(kan_clan *clan, const kan_forest_table *released,
                                       const kan_forest_table *originals, uint64_t *const *row_of,
                                       bool *is_found);
/* A table of the originals, as trees are made of it; columns that are equal in both are the caller's. */
kan_forest_table kan_clan_origin(const kan_clan_table *table);
/* What a release would show, made in memory and counted: recount, groups, risk. KAN_FAILED where that is not
 * what was promised. Who is left out is known. */
KAN_MUST_USE kan_status kan_clan_recount_shown(kan_clan *clan);
/* Fills in what each table's models were found to be; the release is tied together. */
KAN_MUST_USE kan_status kan_clan_recount_models(kan_clan *clan, const kan_forest *release);
void kan_clan_verdict_destroy(kan_clan_verdict *verdict);

/* ---- telling -------------------------------------------------------------------------------- */

/* `hidden`: where the release can be read now. */
KAN_MUST_USE kan_status kan_clan_tell_release(kan_clan *clan, const char *output,
                                              const char *hidden, kan_result *out);
KAN_MUST_USE kan_status kan_clan_tell_verdict(kan_clan *clan, const char *folder,
                                              const kan_clan_verdict *verdict, kan_result *out);

/* Which tables there are; n_released: rows by table, NULL: nothing is released. */
json_t *kan_clan_tables_json(const kan_clan *clan, const uint64_t *n_released);
/* What was found: the promise, people, the tables, levels and costs. */
json_t *kan_clan_solution_json(const kan_clan *clan, const char *command);
/* The promise, people and levels. */
void kan_clan_add_solution(const kan_clan *clan, kan_text *text);
/* A line for each model: what was promised, and what is reached; `is_verdict` says whether it holds. */
void kan_clan_add_models(const kan_clan *clan, bool is_verdict, kan_text *text);
/* The same as JSON: a list by table. */
json_t *kan_clan_models_json(const kan_clan *clan, bool is_verdict);
/* The lines of a release as a list of texts. */
json_t *kan_clan_models_words(const kan_clan *clan);
/* Whether a model looks at that column of the input. */
bool kan_clan_protects(const kan_clan_table *table, size_t column);
/* A line for each model that does not hold. */
void kan_clan_add_failing(const kan_clan *clan, const char *const *names, kan_text *text);

/* ---- the report ----------------------------------------------------------------------------- */

/* The key `report` of the result; the release can be read at `hidden` now. */
KAN_MUST_USE kan_status kan_clan_report_make(const kan_clan *clan, const char *target,
                                             const char *hidden, json_t **out);
/* The page of the result beside its target; NULL where none is wanted. */
KAN_MUST_USE kan_status kan_clan_report_open(const kan_clan *clan, const char *target,
                                             const char *hidden, kan_result *result,
                                             kan_target **out);

#endif
