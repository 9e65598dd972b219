/* The door of job/settings: the job, what it understands, and how the values are written; job
 * files, and the files that settings name. May touch what job/registry may, job/registry, data/treat
 * and engine/address.h.
 *
 * The table is a fixed list plus the options of every registered kind, so a new kind's options
 * become flags and job-file keys by themselves. A name may stand in the table twice, for different
 * commands, where it means something else to them (`hierarchies` is read by anonymize and written
 * by generate); how its value is checked is the same, save where its form says that it cannot be. */
#ifndef KANON_JOB_SETTINGS_SETTINGS_H
#define KANON_JOB_SETTINGS_SETTINGS_H

#include "core/encoding.h"
#include "core/options.h"
#include "core/text.h"
#include "job/registry/registry.h"
#include "job/settings/job.h"
#include "job/settings/named_files.h"
#include "job/settings/said_columns.h"
#include "job/settings/search_choice.h"

/* How the value of a setting is written. */
typedef enum kan_setting_form {
    KAN_FORM_SPEC,      /* as an option spec says: switches, numbers, choices */
    KAN_FORM_TEXT,      /* any text that is not empty */
    KAN_FORM_PATH,      /* in a job file, relative to that file */
    KAN_FORM_K,         /* a whole number, at least 1 */
    KAN_FORM_COLUMN,    /* one column */
    KAN_FORM_COLUMNS,   /* columns */
    KAN_FORM_QUASI,     /* NAME[=HIERARCHY] */
    KAN_FORM_SUPPRESS,  /* N, P% or all */
    KAN_FORM_EFFORT,    /* N or all */
    KAN_FORM_SUBSETS,   /* M or M:K,M:K (core/column_sets.h) */
    KAN_FORM_FORMULA,   /* NAME, or NAME ~ NAME + NAME (data/formula/formula.h) */
    KAN_FORM_WHERE,     /* which rows (data/cohort/cohort.h) */
    KAN_FORM_BYTES,     /* 512M */
    KAN_FORM_SEPARATOR, /* one character, or tab */
    KAN_FORM_ENCODING,  /* the name of an encoding (core/encoding.h) */
    KAN_FORM_WEIGHT,    /* NAME=W */
    KAN_FORM_BINS,      /* NAME=WIDTH[@ORIGIN] */
    KAN_FORM_LEVELS,    /* 2,0,1: a whole number per quasi-identifier */
    KAN_FORM_LEVEL,     /* NAME=N, NAME=LOW..HIGH, NAME=..HIGH or NAME=LOW.. */
    KAN_FORM_ORDER,     /* NAME=FILE; the path as KAN_FORM_PATH */
    KAN_FORM_CAP,       /* NAME=LOW..HIGH, one of them may be left out */
    KAN_FORM_STEP,      /* NAME=STEP */
    KAN_FORM_DAYS,      /* a whole number of days, from 1 to KAN_DAYS_MOST */
    KAN_FORM_SPELLING,  /* [NAME=]..., how values are written; a comma is part of it */
    KAN_FORM_NAMED,     /* [NAME=]VALUE, the value as an option spec says */
    KAN_FORM_VALUES,    /* values of the table as they are: a comma is part of one */
    /* A whole number to one command, as its spec says, and a path to another: any text will do until
     * the command is known. In a job file what is no number is a path. */
    KAN_FORM_COUNT_OR_PATH,
    KAN_FORM_KIND, /* the name of a registered kind */
    KAN_N_FORMS
} kan_setting_form;

typedef struct kan_setting_entry {
    kan_setting setting; /* what the public header shows */
    kan_setting_form form;
    kan_option_spec spec;  /* for KAN_FORM_SPEC and KAN_FORM_NAMED */
    kan_family family;     /* for KAN_FORM_KIND */
    const char *automatic; /* for KAN_FORM_KIND: a name that leaves the choice to us, or NULL */
    const char *remedy, *example; /* NULL: those of its form */
    /* Why `anonymize` cannot use it where the release is made in a database, and the remedy; NULL: it
     * can. */
    const char *not_in_database;
    const char
        *not_with_codes; /* why it is not taken with --codes; NULL: nothing more is to be said */
    const char *not_with_epsilon; /* the same, with --epsilon */
    const char
        *not_with_ledger; /* why it is not taken with --ledger, and the remedy; NULL: it is */
    /* Of files: */
    const char *what;      /* "release": what messages call it, after "the"; NULL: --NAME says it */
    bool is_table;         /* rows come from it, or go there: it may be an address */
    bool may_be_folder;    /* where it is a folder, files are written into it */
    bool is_checked_later; /* the walk itself checks the file */
} kan_setting_entry;

/* The entry of that name (its first), or NULL. */
const kan_setting_entry *kan_setting_entry_find(const char *name);
/* The entry of that name which `command` understands, or NULL. */
const kan_setting_entry *kan_setting_entry_for(const char *name, const char *command);
/* The entry behind kan_setting_at. */
const kan_setting_entry *kan_setting_entry_at(size_t index);

/* The traits of a setting as that command understands it; where it does not, as the first that does:
 * a job file serves several. KAN_TRAIT_SECRET is among them where kan_setting_is_secret says so, and
 * stands alone for a name that no setting has. */
unsigned kan_setting_traits(const char *name, const char *command);
/* The name of the `index`-th setting that has a trait, each name once, whichever command understands
 * it so (NULL: any); NULL: there are fewer. */
const char *kan_setting_with(unsigned trait, const char *command, size_t index);

/* Whether the job has it; a switch when it is on. */
bool kan_setting_is_given(const kan_job *job, const char *name);

/* What a printed command says for a value: the value, or in place of a secret what help shows, such
 * as FILE. */
const char *kan_setting_shown(const char *name, const char *value);
/* Whether a job file may hold its value: not that of a library, and of a secret only the path. */
bool kan_setting_may_be_kept(const kan_setting *setting);

/* The names of all commands, for messages: "anonymize, search ... and generate". Returns `room`. */
enum { KAN_COMMAND_NAMES = 512 };
const char *kan_command_names(char room[KAN_COMMAND_NAMES]);
/* The name of the command that somebody wrote, `hierarchy build` or `hierarchy-build`; empty: there is
 * none. */
kan_slice kan_command_meant(const char *written);

/* Checks one value (one item of a list): KAN_BAD_INPUT with a text that starts with --NAME. */
KAN_MUST_USE kan_status kan_setting_check(kan_run *run, const kan_setting_entry *entry,
                                          const char *value);

/* The same of a path: one that is an address must be a good one, without a password, where the
 * setting takes one at all. */
KAN_MUST_USE kan_status kan_setting_check_address(kan_run *run, const char *setting,
                                                  const char *value);

/* The same of one that a job file names: it must not make anybody load code, either. */
KAN_MUST_USE kan_status kan_setting_check_shared_address(kan_run *run, const char *setting,
                                                         const char *value);

/* The same of KAN_FORM_COUNT_OR_PATH for the command to which it is a number, once that is known. */
KAN_MUST_USE kan_status kan_setting_check_count(kan_run *run, const kan_setting_entry *entry,
                                                const char *value);

/* The same of choices that mean something else to other commands: they are this one's. */
KAN_MUST_USE kan_status kan_job_check_choices(const kan_job *job, const char *command);

/* Every column of a setting of the form [NAME=]VALUE is a sensitive one, and what says more about a
 * model is of columns that have the model: else KAN_BAD_INPUT. */
KAN_MUST_USE kan_status kan_per_column_check(const kan_job *job);

/* Whether a value of `rules` is the name of a rule: what has a dot or a slash in it is a file. */
bool kan_setting_is_plain_name(const char *value);

/* Whether values of the setting are about columns, NAME=VALUE. */
bool kan_setting_takes_pairs(const kan_setting_entry *entry);
/* Whether such a value can name the column. */
bool kan_pair_is_sayable(const kan_setting_entry *entry, const char *column);
/* The value that says so of a column, its name in quotes where it needs them, as text of the job's
 * arena; an empty `value` leaves the column alone. KAN_BAD_INPUT where it cannot be named. */
KAN_MUST_USE kan_status kan_pair_join(kan_job *job, const kan_setting_entry *entry,
                                      const char *column, const char *value, const char **out);

/* ---- reading checked values ----------------------------------------------------------------- */

/* `suppress`: how many rows may be left out. */
typedef struct kan_suppress_limit {
    bool is_percent; /* `percent` of the rows counts, not `rows` */
    double percent;  /* 0 .. 100 */
    uint64_t rows;   /* UINT64_MAX for `all` */
} kan_suppress_limit;

bool kan_suppress_parse(const char *text, kan_suppress_limit *out);
/* The limit in rows, of a table of that size; never more than the table has. */
uint64_t kan_suppress_rows(const kan_suppress_limit *limit, uint64_t n_rows);

/* `effort`: how many steps a search makes at most; UINT64_MAX for `all`. */
bool kan_effort_parse(const char *text, uint64_t *out);

bool kan_separator_parse(const char *text, char *out);

/* "NAME=W": the last = splits; W is at least 0. */
bool kan_weight_parse(const char *text, kan_slice *name, double *weight);
/* For whoever names the column of a survey's weights there. */
#define KAN_NO_SURVEY_WEIGHTS                                                                      \
    "weights of a survey, which say how many people a row stands for, are named with "             \
    "--sampling-weight NAME"

/* "NAME=WIDTH[@ORIGIN]": the last = splits; both are numbers, the width is above 0. */
bool kan_bins_parse(const char *text, kan_slice *name, const char **bins);

/* "NAME=N", "NAME=LOW..HIGH", "NAME=..HIGH" or "NAME=LOW..": the last = splits. `range` is what
 * follows it; what it leaves open is 0 and UINT64_MAX. LOW may be above HIGH. */
bool kan_level_parse(const char *text, kan_slice *name, const char **range, uint64_t *low,
                     uint64_t *high);

/* "NAME=LOW..HIGH" of --cap: the last = splits; both are numbers or days, the first below the
 * second; one of them may be empty. */
bool kan_cap_parse(const char *text, kan_slice *name, kan_slice *low, kan_slice *high);

/* Days of --within; ten thousand years and no date would be left. */
enum { KAN_DAYS_MOST = 1000000 };
bool kan_days_parse(const char *text, uint64_t *days);

/* "NAME=STEP" of --round: the last = splits; the step is a number above 0 of at most 17 decimals. */
bool kan_step_parse(const char *text, kan_slice *name, kan_slice *step);

/* --missing, --decimal, --thousands and --date-format: how columns are written. */
typedef enum kan_writing {
    KAN_WRITING_MISSING,
    KAN_WRITING_DECIMAL,
    KAN_WRITING_THOUSANDS,
    KAN_WRITING_DATES,
    KAN_N_WRITINGS
} kan_writing;
extern const char *const kan_writing_names[KAN_N_WRITINGS];

/* "[NAME=]REST", of --missing, --decimal, --thousands and --date-format: the first = splits, unless
 * it stands in quotes; a name may stand in quotes, too. The name is empty where there is none. */
void kan_spelled_parse(const char *text, kan_slice *name, const char **rest);
/* Takes the next value off the list of --missing, its quotes undone, into `room`, which is as long
 * as the list; *list is NULL when the last was taken. False when there was none left. */
bool kan_missing_next(const char **list, char *room, kan_slice *value);
bool kan_decimal_sign_parse(const char *text, char *out);
bool kan_thousands_sign_parse(const char *text, char *out); /* 0: none */
/* As kan_setting_check, for these settings. */
KAN_MUST_USE kan_status kan_spelled_check(kan_run *run, const char *setting, const char *text);

/* The closing quote of a name in double quotes: the first one with the end of the text or one of the
 * signs `behind` it behind it. NULL where the text does not begin with such a name. */
const char *kan_quoted_end(const char *text, const char *behind);

/* "NAME=FILE": as kan_quasi_parse. */
bool kan_order_parse(const char *text, kan_slice *name, const char **path);

/* "NAME[=HIERARCHY]": the first = splits, unless the name stands in double quotes; *hierarchy is NULL when none is named. */
void kan_quasi_parse(const char *text, kan_slice *name, const char **hierarchy);

/* Takes the next item off a comma list, the blanks around it left out; *list starts as the whole
 * list and is NULL when the last item was taken. False when there was none left. A name in double
 * quotes may hold commas. In a list of
 * quasi-identifiers a builder keeps the arguments that belong to it: after `intervals:`,
 * `prefix:`, `quantiles:` and `frequency:` the items that are numbers, after `date:` those that are
 * parts of a date, after `age:` numbers and the day at their end. */
bool kan_list_next(const char **list, bool is_quasi, kan_slice *item);
/* Whether there is one item, and it is not blank: then blanks around it are part of it, because a
 * column may be called so. */
bool kan_list_is_one(const char *list, bool is_quasi);
/* An item of a comma list as the setting stores it: a name that holds a comma loses the double
 * quotes that it needed in the list, unless the setting reads them itself. */
KAN_MUST_USE kan_status kan_list_take(kan_arena *arena, const kan_setting_entry *entry,
                                      kan_slice item, const char **out);

/* Whether a name fits a pattern: * stands for any bytes, ? for one. */
bool kan_name_is_like(const char *name, const char *pattern);

#endif
