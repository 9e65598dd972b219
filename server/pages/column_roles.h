/* The roles of columns, between the settings and a form. */
#ifndef KANON_SERVER_PAGES_COLUMN_ROLES_H
#define KANON_SERVER_PAGES_COLUMN_ROLES_H

#include <jansson.h>

#include "request.h"

/* The index-th role that the form offers, in the order of help texts: its setting, with what it is called
 * there (`label`) and what a column of it is (`words`). NULL: there are fewer. */
const kan_setting *sv_role_at(size_t index);
/* Whether the form can say it. */
bool sv_role_is_choice(const char *role);
/* Whether the settings call the column text: what the profile found by itself is no setting yet. */
bool sv_is_called_text(const json_t *profile, const json_t *column);
/* What the profile suggests for a column, as the name of a setting; "" for undecided. */
const char *sv_suggested_role(const json_t *column);
/* Whether any column has a role. */
bool sv_has_roles(const sv_project *project);
/* The name of a column of a value NAME=REST, its quotes left out, and the rest; false: it is no
 * such value. `name` is the caller's to free. */
bool sv_split_pair(const char *value, char **name, const char **rest);
/* The same of a value NAME or NAME=REST, whose rest may be "". False: memory is out. */
bool sv_split_quasi(const char *value, char **name, const char **rest);

/* What all settings say of columns, read once: a table may have thousands of them. Texts are
 * borrowed from the settings, until one of these changes. */
typedef struct sv_part {
    char *name;
    size_t order; /* of its setting among those that say something; roles come first */
    const char *setting;
    bool is_role;
    const char *rest;
} sv_part;

typedef struct sv_parts {
    sv_part *list; /* by name */
    size_t n;
} sv_parts;

bool sv_parts_read(const sv_project *project, sv_parts *out);
void sv_parts_free(sv_parts *parts);
/* The setting that gives a column its role; NULL: none does. */
const char *sv_parts_role(const sv_parts *parts, const char *column);
/* What a setting says of the column, "10" of "income=10"; "" for the name alone; NULL: nothing. */
const char *sv_parts_value(const sv_parts *parts, const char *setting, const char *column);

#endif
