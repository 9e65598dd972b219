/* The roles of columns, between the settings and a form. */
#ifndef KANON_SERVER_COLUMN_ROLES_H
#define KANON_SERVER_COLUMN_ROLES_H

#include <jansson.h>

#include "server/project.h"

typedef struct sv_role {
    const char *name; /* of the setting; "" for undecided */
    const char *words;
} sv_role;

enum { SV_N_ROLES = 6 };
extern const sv_role sv_roles[SV_N_ROLES];

/* Whether the form can say it. */
bool sv_role_is_choice(const char *role);
/* What the profile suggests for a column, as the name of a setting; "" for undecided. */
const char *sv_suggested_role(const json_t *column);
/* Whether any column has a role. */
bool sv_has_roles(const sv_project *project);
/* What the setting says of the column, "10" of "income=10"; NULL: nothing. The caller's. */
char *sv_column_value(const sv_project *project, const char *setting, const char *column);
/* The name of a column of a value NAME=REST, its quotes left out, and the rest; false: it is no
 * such value. `name` is the caller's to free. */
bool sv_split_pair(const char *value, char **name, const char **rest);

#endif
