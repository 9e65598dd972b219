/* Kinds and their options: what a registered thing is called, and what can be said to it.
 *
 * A kind (privacy model, cost, search, generator) lists its options as specs. The flags of the
 * command line, the keys of a job file, `kanon list` and the checks of values all come from these
 * specs. */
#ifndef KANON_CORE_OPTIONS_H
#define KANON_CORE_OPTIONS_H

#include "core/memory.h"
#include "core/run.h"
#include "core/text.h"

typedef enum kan_option_type {
    KAN_OPTION_SWITCH, /* true or false */
    KAN_OPTION_COUNT,  /* whole number */
    KAN_OPTION_REAL,
    KAN_OPTION_BYTES, /* 512M */
    KAN_OPTION_TEXT,
    KAN_OPTION_PATH,  /* of a file; in a job file, relative to that file */
    KAN_OPTION_CHOICE /* one of `choices` */
} kan_option_type;

typedef struct kan_option_spec {
    const char *name;     /* "k" */
    const char *argument; /* "N"; NULL for a switch */
    const char *summary;
    kan_option_type type;
    double least, most;   /* bounds of a number, both inclusive; most 0: none */
    const char *choices;  /* "distinct|entropy|recursive" */
    const char *fallback; /* NULL: not set */
    bool repeats;
    /* [NAME=]VALUE: for that sensitive column; without a name, for all that are not named. No value
     * holds a =. */
    bool is_per_column;
    kan_file_use file; /* of a path; KAN_FILE_NONE: it is read */
    /* The path is of a library, whose code runs: the variable that can name it instead. No job file
     * may name one. NULL: it is no library. */
    const char *library_variable;
    unsigned traits; /* what the setting is (kan_trait); without any it is kept as a secret */
    /* On a form that people fill in: what its field is called, and what is asked for, in plain words.
     * NULL: the name; the summary. */
    const char *label, *words;
} kan_option_spec;

typedef struct kan_kind {
    const char *name, *summary;
    const kan_option_spec *options;
    size_t n_options;
    const char *paper; /* which describes it, and where in it; NULL: none */
    bool is_everyday;  /* what most users choose from: `kanon list` shows it without --all */
} kan_kind;

/* Whether the kind lists an option of that name. */
bool kan_kind_has_option(const kan_kind *kind, const char *name);

/* What was said: values by name, in the order in which they were given. Texts live in the arena. */
typedef struct kan_options {
    kan_arena *arena;
    size_t n, capacity;
    struct kan_option_value {
        const char *name, *value;
        bool is_from_file; /* a job file said it, and no flag */
    } * values;
    /* Whether there is an option of that name at all: in a debug build it is an assertion to ask for
     * one that there is not. NULL: nobody knows. */
    bool (*is_known)(const char *name);
} kan_options;

void kan_options_init(kan_options *options, kan_arena *arena);
void kan_options_destroy(kan_options *options);
/* Appends; checks nothing. */
KAN_MUST_USE kan_status kan_options_add(kan_options *options, const char *name, const char *value);
/* Checks a value against its spec: KAN_BAD_INPUT with a text that names the flag and the remedy. */
KAN_MUST_USE kan_status kan_option_check(kan_run *run, const kan_option_spec *spec,
                                         const char *value);

/* The value that was given last, NULL when none was. */
const char *kan_options_find(const kan_options *options, const char *name);
/* The `index`-th value given for that name, NULL when there are fewer. */
const char *kan_options_at(const kan_options *options, const char *name, size_t index);
/* Whether it was given, and not by a job file alone. */
bool kan_options_is_flag(const kan_options *options, const char *name);
/* "[NAME=]VALUE": the last = splits; the name is empty where there is none. */
void kan_option_split(const char *text, kan_slice *column, const char **value);
/* What was given for the column, or else for all that are not named; NULL: nothing. */
const char *kan_options_for(const kan_options *options, const char *name, kan_slice column);
size_t kan_options_count_of(const kan_options *options, const char *name);
bool kan_options_switch(const kan_options *options, const char *name);
/* The value as a number; `otherwise` when it was not given. Values were checked when they were set.
 */
uint64_t kan_options_count(const kan_options *options, const char *name, uint64_t otherwise);
double kan_options_real(const kan_options *options, const char *name, double otherwise);

#endif
