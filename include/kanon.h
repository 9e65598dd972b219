/* kanon: releases a table of people in which nobody can be singled out.
 *
 * The one public header of libkanon. Everything that a program needs (the command line uses nothing
 * else) goes through a few things:
 *
 *   kan_run     who is running: error text, progress, cancel, threads, memory. Create one first.
 *   kan_table   rows in memory: made by the program row by row, or by a job from a file.
 *   kan_job     what is wanted: settings by name, the same names as the flags of the command line
 *               and the keys of a job file.
 *   kan_result  what came out: JSON, a summary for people, the released rows.
 *   kan_setting what a job understands, and
 *   kan_command what it can be run for: for help texts and forms.
 *
 * Ownership: what a `create` or an out-parameter gives is the caller's, to be destroyed before the
 * run. Pointers that a getter returns are borrowed from the object. No call aborts or exits; what
 * can fail returns a kan_status, with a text in kan_run_error() that says where, what, and the
 * remedy. A NULL where nothing says what it means is such a failure (KAN_BAD_INPUT; without a run nobody
 * keeps the text), and getters answer it with NULL, 0, false or an empty text. A run, and all that was made with it, belongs to one thread at a time; kan_run_cancel,
 * kan_run_interrupt and kan_run_is_cancelled alone may be called from anywhere, a signal handler
 * included. */
#ifndef KANON_H
#define KANON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KANON_VERSION "0.2.0"
/* The same as a number, for #if: major * 10000 + minor * 100 + patch. */
#define KANON_VERSION_NUMBER 200

#if defined(__GNUC__)
#define KAN_MUST_USE __attribute__((warn_unused_result))
#define KAN_API      __attribute__((visibility("default")))
#else
#define KAN_MUST_USE
#define KAN_API
#endif

/* The values are the exit status of the program. */
typedef enum kan_status {
    KAN_OK = 0,
    KAN_FAILED = 1,      /* could not do it: input or output, memory, engine */
    KAN_BAD_INPUT = 2,   /* wrong use or bad data; the error text names place and remedy */
    KAN_UNSATISFIED = 3, /* the promise does not hold, or nothing within the limits satisfies it */
    KAN_CANCELLED = 130  /* kan_run_cancel or kan_run_interrupt was called */
} kan_status;

typedef struct kan_run kan_run;
typedef struct kan_table kan_table;
typedef struct kan_job kan_job;
typedef struct kan_result kan_result;

/* The version of the library that is linked, "0.2.0". */
KAN_API const char *kan_version(void);
/* The same as a number: KANON_VERSION_NUMBER of that library, which may be newer than this header. */
KAN_API int kan_version_number(void);

/* ---- run ------------------------------------------------------------------------------------- */

/* How far a long stage has come. `total` is 0 while it is unknown. A search that gets better with
 * time also tells what the best answer so far costs, and what no answer costs less than; `done` is
 * then the number of states that it has looked at. */
typedef struct kan_progress {
    const char *stage; /* "read", "fold", "search", "nodes", "apply", "verify", "write" */
    uint64_t done, total;
    bool has_best;
    double best;
    bool has_bound;
    double bound;
    const char *unit;      /* what `done` counts: "bytes", "rows", "nodes"; NULL: parts of work */
    uint64_t memory_bytes; /* that the library has allocated now */
    bool has_limit;        /* the time limit will end this stage at the latest in */
    double limit_ms;
} kan_progress;

/* Both are called from the thread that called the library. */
typedef void (*kan_progress_fn)(void *user, const kan_progress *progress);
typedef void (*kan_note_fn)(void *user, const char *note);

/* NULL only when memory is out. */
KAN_API kan_run *kan_run_create(void);
KAN_API void kan_run_destroy(kan_run *run);
/* The text of the last failure, never NULL; one line per problem. */
KAN_API const char *kan_run_error(const kan_run *run);
/* Whether the last failure was one of memory: the status was KAN_FAILED because the machine had no more, or
 * because the setting `memory` allowed no more. */
KAN_API bool kan_run_is_out_of_memory(const kan_run *run);
KAN_API void kan_run_on_progress(kan_run *run, kan_progress_fn fn, void *user);
/* Notes: what a careful person would want to know although nothing failed. */
KAN_API void kan_run_on_note(kan_run *run, kan_note_fn fn, void *user);
/* Ask the work in hand to stop soon. Safe in a signal handler and from any thread. */
KAN_API void kan_run_cancel(kan_run *run);
/* What Ctrl-C means: a search that gets better with time stops and its best so far is the answer,
 * which is then written as any other; anything else, and a search that is interrupted a second
 * time, is cancelled. Safe in a signal handler and from any thread. */
KAN_API void kan_run_interrupt(kan_run *run);
KAN_API bool kan_run_is_cancelled(const kan_run *run);
/* Takes a cancel or an interrupt back, so that the run can be used again. Not while it works. */
KAN_API void kan_run_resume(kan_run *run);
/* Most bytes that the library had allocated at one time. */
KAN_API uint64_t kan_run_peak_memory(const kan_run *run);

/* ---- table ----------------------------------------------------------------------------------- */

/* A table to be filled row by row. Names must differ from each other. */
KAN_API KAN_MUST_USE kan_status kan_table_create(kan_run *run, size_t n_columns,
                                                 const char *const *names, kan_table **out);
/* One value per column, NUL-terminated bytes; NULL is the empty value. */
KAN_API KAN_MUST_USE kan_status kan_table_add_row(kan_table *table, const char *const *values);
KAN_API void kan_table_destroy(kan_table *table);
KAN_API uint64_t kan_table_n_rows(const kan_table *table);
KAN_API size_t kan_table_n_columns(const kan_table *table);
KAN_API const char *kan_table_column_name(const kan_table *table, size_t column);
/* The bytes of one value, not NUL-terminated; `*size` is their number. */
KAN_API const char *kan_table_value(const kan_table *table, uint64_t row, size_t column,
                                    size_t *size);

/* ---- commands -------------------------------------------------------------------------------- */

/* One thing that a job can be run for. The command line has the same ones, and few more. */
typedef struct kan_command {
    const char *name;       /* for kan_job_run: "hierarchy-build" */
    const char *words;      /* what a user types: "hierarchy build" */
    const char *arguments;  /* and then: "INPUT --column NAME[=SPEC] [-o FILE|DIR/] [FLAGS]" */
    const char *summary;    /* one line */
    const char *about;      /* some sentences; lines are paragraphs */
    const char *positional; /* the setting that the argument without a flag gives */
} kan_command;

/* Every command, in the order of help texts. Its settings are those that kan_setting_is_for says so
 * of; the files that it reads and writes, those that kan_setting.file says so of. */
KAN_API size_t kan_command_count(void);
KAN_API const kan_command *kan_command_at(size_t index);
/* The command of that name, or NULL. */
KAN_API const kan_command *kan_command_find(const char *name);
/* Whether it never begins without that setting (a table in memory stands for `input`); NULL:
 * without a promise, such as `k`. */
KAN_API bool kan_command_needs(const kan_command *command, const char *setting);

/* ---- job ------------------------------------------------------------------------------------- */

/* What a command does with the file that the value of a setting names. */
typedef enum kan_file_use {
    KAN_FILE_NONE,     /* it names none */
    KAN_FILE_READ,     /* also those of a folder */
    KAN_FILE_WRITTEN,  /* `-` is standard output; an existing one is refused without `force` */
    KAN_FILE_EXTENDED, /* an existing one is read, and added to */
    KAN_FILE_FOLDER    /* files are made in it */
} kan_file_use;

/* What a setting is, as the setting itself says. Whoever shows, keeps or hands on settings asks for
 * these, and knows no names. */
typedef enum kan_trait {
    KAN_TRAIT_SHOWN = 1 << 0,  /* its value may be shown */
    KAN_TRAIT_SECRET = 1 << 1, /* it never is; nor is that of a setting that says neither */
    KAN_TRAIT_OUTPUT = 1 << 2, /* where results go, or what stands in them beside the release */
    KAN_TRAIT_ONE_RELEASE =
        1 << 3,                    /* where one release goes or which it is: the next has its own */
    KAN_TRAIT_DISPLAY = 1 << 4,    /* what is told, and how; what may be overwritten */
    KAN_TRAIT_MACHINE = 1 << 5,    /* decides how fast, never what */
    KAN_TRAIT_READING = 1 << 6,    /* how the table is read */
    KAN_TRAIT_COMPARED = 1 << 7,   /* each search of a comparison has its own, or a list has them */
    KAN_TRAIT_CUTS = 1 << 8,       /* for searches that cut into intervals */
    KAN_TRAIT_NEEDS_ROWS = 1 << 9, /* looks at the values of rows: counts will not do */
    KAN_TRAIT_ROWS_ALONE = 1 << 10, /* is about rows: what it means for people is not worked out */
    KAN_TRAIT_LOADS_CODE = 1 << 11, /* names a library, whose code runs: not in a job file */
    KAN_TRAIT_EVERYDAY = 1 << 12,   /* most jobs need it: help shows it without --all */
    KAN_TRAIT_PEOPLE = 1 << 13,     /* is about people who have several rows: needs `person` */
    KAN_TRAIT_TABLES = 1 << 14,     /* is taken by a job over several tables (`tables`), for all */
    KAN_TRAIT_EACH_TABLE = 1 << 15, /* the same, for each of them, by itself */
    KAN_TRAIT_CODES = 1 << 16,      /* is about sets of codes: needs `codes` */
    KAN_TRAIT_BESIDE_CODES = 1 << 17, /* is taken where there are sets of codes */
    KAN_TRAIT_OPERANDS = 1 << 18, /* arguments without a flag, behind the first, are its values */
    KAN_TRAIT_EPSILON = 1 << 19,  /* is about rows that are drawn: `epsilon` and `delta` */
    KAN_TRAIT_BESIDE_EPSILON = 1 << 20 /* is taken where rows are drawn */
} kan_trait;

/* One setting that jobs understand: a flag of the command line, a key of a job file. */
typedef struct kan_setting {
    const char *name;     /* "suppress" */
    const char *argument; /* "N|P%|all"; NULL for a switch */
    const char *summary;
    const char *group;    /* heading in help texts: "Privacy", "Output" ... */
    const char *fallback; /* what holds when it is not given; NULL: nothing */
    bool repeats;         /* may be given several times; as a list: kan_setting_takes_lists */
    const char *commands; /* "anonymize search verify": who understands it so; see below */
    kan_file_use file;
    unsigned traits; /* of kan_trait */
    /* On a form that people fill in: what its field is called, and what is asked for, or what a column
     * of that role is. Where its values are a closed list: what each of them means, in that order, with
     * | between. Without a label, forms do not ask for it. */
    const char *label, *words;
} kan_setting;

/* Every setting, in the order of help texts. Where commands mean something else by a name, it
 * stands there more than once, each time with other `commands`. */
KAN_API size_t kan_setting_count(void);
KAN_API const kan_setting *kan_setting_at(size_t index);
/* The first setting of that name, or NULL. */
KAN_API const kan_setting *kan_setting_find(const char *name);
/* Whether `command` is one of the words of `commands`. */
KAN_API bool kan_setting_is_for(const kan_setting *setting, const char *command);
/* Whether its value is a secret, to whichever command: job files alone may hold it, and only the path
 * of a file. True for what does not say that it may be shown. */
KAN_API bool kan_setting_is_secret(const kan_setting *setting);
/* Whether one value of a setting that repeats may be a comma list; else a comma is a part of it. */
KAN_API bool kan_setting_takes_lists(const kan_setting *setting);
/* The values that a setting can have, "range|mean|both", where the list is closed; else NULL. */
KAN_API const char *kan_setting_choices(const kan_setting *setting);
/* Whether its value is the path of a file or a folder. */
KAN_API bool kan_setting_takes_path(const kan_setting *setting);
/* Whether such a value is no path but the address of a table in a database. */
KAN_API bool kan_path_is_address(const char *path);
/* What people call the tables that a path's ending tells: "SPSS", "CSV". Nothing is opened. */
KAN_API const char *kan_path_format(const char *path);
/* Whether its value is, or begins with, the name of a column of the input. */
KAN_API bool kan_setting_takes_columns(const kan_setting *setting);
/* The settings of a command that give columns their roles, `qi` and `sensitive` among them, in the
 * order in which they count; NULL behind the last. */
KAN_API const char *kan_setting_role_at(const char *command, size_t index);
/* The known name that a misspelt one most likely means, among those of `command` (NULL: of any
 * command); NULL when none is near. */
KAN_API const char *kan_setting_nearest(const char *name, const char *command);

KAN_API KAN_MUST_USE kan_status kan_job_create(kan_run *run, kan_job **out);
KAN_API void kan_job_destroy(kan_job *job);
/* Sets `name` to `value` ("true" or NULL for a switch); a repeated setting is added to. Where it
 * takes comma lists, a name that holds commas stands in double quotes: "a,b" or "a,b"=2. So does one
 * that holds an equals sign before a hierarchy, an order or how it is written: "a=b"=digits:5. The
 * items of a job file's list are taken whole, and the names of its mappings need nothing. */
KAN_API KAN_MUST_USE kan_status kan_job_set(kan_job *job, const char *name, const char *value);
/* Adds a column to a setting that is about columns, with what holds for it ("intervals:5", "2") or
 * NULL where the name alone does. No sign in the name is special. */
KAN_API KAN_MUST_USE kan_status kan_job_set_column(kan_job *job, const char *name,
                                                   const char *column, const char *value);
/* Adds one value as kan_job_get gives it, whatever commas are in it: to copy settings from one job to
 * another. */
KAN_API KAN_MUST_USE kan_status kan_job_add(kan_job *job, const char *name, const char *value);
/* The `index`-th value that was given for a setting, NULL when there are fewer. */
KAN_API const char *kan_job_get(const kan_job *job, const char *name, size_t index);
/* Tables that belong together, which a job file named (`tables:`): how many; 0 is a job over one table. */
KAN_API size_t kan_job_n_tables(const kan_job *job);
/* The `index`-th value that a table has for a setting of its own, or of what it is: "name", "key" (a column),
 * "of" (a table), "by" (a column). NULL when there are fewer. */
KAN_API const char *kan_job_table_get(const kan_job *job, size_t table, const char *name,
                                      size_t index);
/* Takes every setting from a YAML file that has not been set before: flags win. The file may be
 * somebody else's: it can name no library (`duckdb`), and no driver of ODBC. When a command that only
 * looks is run (verify, risk, utility, profile, compare, search ..), what it says about files to write
 * is passed over, and so is its `force`; a note names them. */
KAN_API KAN_MUST_USE kan_status kan_job_load(kan_job *job, const char *path);
/* The settings of the job as the text of a job file: those that were given, in the order of
 * kan_setting_at, paths as they were given. kan_job_load reads the same settings back. What no job file
 * may hold is left out: a library (`duckdb`), an address with a driver. KAN_BAD_INPUT where YAML cannot
 * hold a value (bytes that are not UTF-8). The text lives as long as the job. */
KAN_API KAN_MUST_USE kan_status kan_job_write(kan_job *job, const char **out);
/* Reads rows from memory instead of from the setting `input`. The table is borrowed, is sealed by
 * this call (it takes no more rows) and must live until the job is destroyed. */
KAN_API KAN_MUST_USE kan_status kan_job_use_table(kan_job *job, kan_table *table);
/* The same for another setting that names a table: `original`, `population` or `register`. */
KAN_API KAN_MUST_USE kan_status kan_job_use_table_as(kan_job *job, const char *setting,
                                                     kan_table *table);
/* Gives a column a hierarchy that is in memory, as the setting `qi` (or `t-hierarchy`) does with the path of a
 * file: each row of the table is a value and its labels, from the lowest level to the top; names of its
 * columns mean nothing. The rows are copied; nothing is written to a disk. The setting then has the value
 * COLUMN=memory:COLUMN.csv, by which messages, results and job files call it: a file of these lines under a
 * name of yours takes its place in a job file. Not a table that came from Arrow. */
KAN_API KAN_MUST_USE kan_status kan_job_use_hierarchy(kan_job *job, const char *setting,
                                                      const char *column, const kan_table *lines);
/* Asks `anonymize` for the figures of a report: the key `report` of the result, without the page. They
 * may be shared as the release is, and `kanon report` makes a page of them. Where memory is short they
 * are left out, with a note, and so they are where a database makes the release. */
KAN_API void kan_job_want_figures(kan_job *job);
/* The names of the columns of the setting `input`, one a line, read from the header alone: quick
 * however large the file is. Empty where it is no plain file; names that are not one line are left
 * out. The text lives as long as the job. */
KAN_API KAN_MUST_USE kan_status kan_job_columns(kan_job *job, const char **out);
/* Does the work of one command, by its name: kan_command_at. */
KAN_API KAN_MUST_USE kan_status kan_job_run(kan_job *job, const char *command, kan_result **out);

/* ---- result ---------------------------------------------------------------------------------- */

KAN_API void kan_result_destroy(kan_result *result);
/* Whether the promise holds for what the job looked at. Only `verify` can say no. */
KAN_API bool kan_result_holds(const kan_result *result);
/* What `verify` was asked to check and could not, one line, while nothing else is wrong; NULL when
 * there is nothing of the kind. What was not checked is not verified: kan_result_holds says no. */
KAN_API const char *kan_result_unchecked(const kan_result *result);
/* The result of the contract, one JSON object, pretty-printed, with a final line break. */
KAN_API const char *kan_result_json(const kan_result *result);
/* The result for people: a few lines of plain text. */
KAN_API const char *kan_result_summary(const kan_result *result);
/* Of `anonymize` and `search`: the level at which a quasi-identifier is shown, 0 as it was; -1 where the
 * answer is not one of levels, or the column is no quasi-identifier. Each call reads the JSON. */
KAN_API int kan_result_level(const kan_result *result, const char *column);
/* What a cost (kan_list) says of the answer of `anonymize` and `search`: "ncp", "discernibility". False where
 * it says nothing. */
KAN_API bool kan_result_metric(const kan_result *result, const char *cost, double *value);
/* The released rows of `anonymize` when its input was a table in memory and no output was named;
 * otherwise NULL. */
KAN_API const kan_table *kan_result_table(const kan_result *result);

/* ---- what there is --------------------------------------------------------------------------- */

/* Every privacy model, cost, search and generator with its options and its paper, for people or as
 * JSON. The text is the run's and lives as long as it. */
KAN_API KAN_MUST_USE kan_status kan_list(kan_run *run, bool as_json, const char **out);
/* Those that most users choose from, for people: some lines each. */
KAN_API KAN_MUST_USE kan_status kan_list_everyday(kan_run *run, const char **out);

/* Whether a cost is a share, 0 to 1, which people read in per cent. */
KAN_API bool kan_cost_is_share(const char *name);

/* The style of the report, as CSS: for pages that look like it, light and dark. */
KAN_API const char *kan_page_style(void);

/* The name that a misspelt one most likely means; NULL when none is near. */
KAN_API const char *kan_nearest(const char *name, const char *const *names, size_t n);

#ifdef __cplusplus
}
#endif

#endif
