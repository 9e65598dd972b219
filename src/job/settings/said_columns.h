/* What settings say of columns: which settings give a column its role, and the names that they give, in
 * the user's order. What tables have of them is found in job/input/roles.h. */
#ifndef KANON_JOB_SETTINGS_SAID_COLUMNS_H
#define KANON_JOB_SETTINGS_SAID_COLUMNS_H

#include "core/options.h"
#include "core/text.h"
#include "data/table.h"

/* A setting that gives columns a role. */
typedef struct kan_role_setting {
    const char *name;
    kan_role role;
    bool takes_patterns; /* * and ? in a name stand for other signs */
} kan_role_setting;

/* All of them, in the order in which they are read; NULL behind the last one. */
const kan_role_setting *kan_role_setting_at(size_t index);
/* The first one that gives that role; the first that a command understands, NULL where it has none. */
const kan_role_setting *kan_role_setting_of(kan_role role);
const kan_role_setting *kan_role_setting_for(kan_role role, const char *command);

/* A column as a setting names it. */
typedef struct kan_said_column {
    kan_slice name; /* or a pattern */
    const char
        *hierarchy; /* of a quasi-identifier or codes, as the user wrote it; NULL: none is named */
} kan_said_column;

/* How many columns a setting names, and each of them. O(settings). */
size_t kan_said_count(const kan_options *options, const kan_role_setting *setting);
kan_said_column kan_said_at(const kan_options *options, const kan_role_setting *setting, size_t i);
/* The same of the setting that gives a role, and whether it names a column. */
size_t kan_role_count(const kan_options *options, kan_role role);
kan_said_column kan_role_at(const kan_options *options, kan_role role, size_t i);
bool kan_role_names(const kan_options *options, kan_role role, kan_slice column,
                    kan_said_column *said);

#endif
