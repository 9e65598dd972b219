/* The inside of the table of settings: its parts, one file each, in the order of the help texts.
 *
 * An entry says with named fields what it is. Where several commands mean the same by a name they
 * share an entry; where they mean something else each has its own. */
#ifndef KANON_JOB_SETTINGS_SETTINGS_INSIDE_H
#define KANON_JOB_SETTINGS_SETTINGS_INSIDE_H

#include "job/settings/settings.h"

/* Commands that share settings, for `.commands`. None: all commands, in the order of help texts, which is
 * that of their table (job/commands.c). */
#define ON_ALL                                                                                     \
    "anonymize search compare verify check utility risk attack profile hierarchy-build "           \
    "hierarchy-check hierarchy-show hierarchy-convert ledger-show ledger-check ledger-forget "     \
    "report import generate"
#define ON_DATA       "anonymize search compare verify"
#define ON_SEARCH     "anonymize search compare"
#define ON_TABLES     "anonymize search compare verify check utility risk attack"
#define ON_HIERARCHY  "hierarchy-build hierarchy-check hierarchy-show"
#define ON_LEDGER     "ledger-show ledger-check ledger-forget"
#define ON_ALL_TABLES ON_TABLES " profile " ON_HIERARCHY

/* What entries say of themselves (kan_trait). One of the first two stands in each of them: a setting
 * that says neither is kept as a secret, and fails the tests. */
#define SHOWN       KAN_TRAIT_SHOWN
#define SECRET      KAN_TRAIT_SECRET
#define OUTPUT      KAN_TRAIT_OUTPUT
#define ONE_RELEASE KAN_TRAIT_ONE_RELEASE
#define DISPLAY     KAN_TRAIT_DISPLAY
#define MACHINE     KAN_TRAIT_MACHINE
#define READING     KAN_TRAIT_READING
#define COMPARED    KAN_TRAIT_COMPARED
#define CUTS        KAN_TRAIT_CUTS
#define NEEDS_ROWS  KAN_TRAIT_NEEDS_ROWS
#define ROWS_ALONE  KAN_TRAIT_ROWS_ALONE
#define EVERYDAY    KAN_TRAIT_EVERYDAY
#define PEOPLE      KAN_TRAIT_PEOPLE
#define TABLES      KAN_TRAIT_TABLES
#define EACH_TABLE  KAN_TRAIT_EACH_TABLE
#define OF_CODES    KAN_TRAIT_CODES
#define WITH_CODES  KAN_TRAIT_BESIDE_CODES
#define OPERANDS    KAN_TRAIT_OPERANDS
#define OF_DRAWS    KAN_TRAIT_EPSILON
#define WITH_DRAWS  KAN_TRAIT_BESIDE_EPSILON

/* How values of a form are written (setting_forms.c). */
typedef struct kan_form {
    /* Whether the text is such a value; where it is about a column, which. NULL where `check` says
     * all. */
    bool (*parse)(const char *text, kan_slice *column);
    const char *remedy; /* what a message names where it is not */
    /* In place of parser and remedy, where there is more to say. NULL: there is not. */
    kan_status (*check)(kan_run *run, const kan_setting_entry *entry, const char *value);
    bool is_any;         /* any text will do */
    bool takes_columns;  /* it is, or begins with, the name of a column of the input */
    bool takes_pairs;    /* NAME=VALUE: about one column */
    bool reads_quotes;   /* the first = ends the name, so that it needs quotes where it holds one */
    bool names_file;     /* it is, or ends with, the name of a file */
    bool is_whole;       /* a comma is part of it, also where the setting repeats */
    const char *example; /* of what follows the name of a column */
} kan_form;

const kan_form *kan_form_of(const kan_setting_entry *entry);
/* The column that a value is about; else the value. */
kan_slice kan_form_column(const kan_setting_entry *entry, const char *value);
/* "2,0,1": whole numbers. */
bool kan_levels_are(const char *list);

/* The value of a spec: of a choice that several commands have, each with values of its own, it is one of
 * any. kan_job_check_choices asks which, once the command is known. */
KAN_MUST_USE kan_status kan_setting_check_choice(kan_run *run, const kan_setting_entry *entry,
                                                 const char *value);

typedef struct kan_setting_list {
    const kan_setting_entry *entries;
    size_t n;
} kan_setting_list;

#define KAN_SETTING_LIST(list)                                                                     \
    { list, sizeof(list) / sizeof *(list) }

extern const kan_setting_list kan_settings_tables, kan_settings_columns, kan_settings_beside,
    kan_settings_privacy, kan_settings_search, kan_settings_output;

#endif
