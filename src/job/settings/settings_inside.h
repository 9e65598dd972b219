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

typedef struct kan_setting_list {
    const kan_setting_entry *entries;
    size_t n;
} kan_setting_list;

#define KAN_SETTING_LIST(list)                                                                     \
    { list, sizeof(list) / sizeof *(list) }

extern const kan_setting_list kan_settings_tables, kan_settings_columns, kan_settings_beside,
    kan_settings_privacy, kan_settings_search, kan_settings_output;

#endif
