/* The inside of the table of settings: its parts, one file each, in the order of the help texts.
 *
 * An entry says with named fields what it is. Where several commands mean the same by a name they
 * share an entry; where they mean something else each has its own. */
#ifndef KANON_JOB_SETTINGS_SETTINGS_INSIDE_H
#define KANON_JOB_SETTINGS_SETTINGS_INSIDE_H

#include "job/settings/settings.h"

/* Commands that share settings, for `.commands`. None: all commands. */
#define ON_DATA       "anonymize search compare verify"
#define ON_SEARCH     "anonymize search compare"
#define ON_TABLES     "anonymize search compare verify utility risk"
#define ON_HIERARCHY  "hierarchy-build hierarchy-check hierarchy-show"
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

typedef struct kan_setting_list {
    const kan_setting_entry *entries;
    size_t n;
} kan_setting_list;

#define KAN_SETTING_LIST(list)                                                                     \
    { list, sizeof(list) / sizeof *(list) }

extern const kan_setting_list kan_settings_tables, kan_settings_columns, kan_settings_beside,
    kan_settings_privacy, kan_settings_search, kan_settings_output;

#endif
