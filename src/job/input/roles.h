/* Which column of which table plays which part: what settings say (job/settings/said_columns.h), held
 * against the columns that tables have. Every command that gives columns roles reads them here.
 *
 * A column has one role. Names come before patterns: --keep 'q*' takes the columns that no setting names.
 * A column that two patterns want for different parts is a problem. */
#ifndef KANON_JOB_INPUT_ROLES_H
#define KANON_JOB_INPUT_ROLES_H

#include "job/input/table_input.h"

/* Sets of roles. */
#define KAN_ROLE_SET(role) (1U << (role))
enum { KAN_ROLES_ALL = (1U << KAN_ROLES) - 1 };

/* A table, and what is asked of it. */
typedef struct kan_role_table {
    kan_input *input;
    unsigned
        needs; /* roles whose columns it must have: a name or a pattern without one is a problem */
    unsigned reads;      /* roles whose columns will be read */
    bool may_have_means; /* beside quasi-identifiers: who names them is told so */
} kan_role_table;

/* Tables of a command: a release, what it was made from, everybody. */
enum { KAN_ROLE_TABLES = 3 };

/* A column that a setting names. */
typedef struct kan_role_column {
    kan_slice name;
    const char *hierarchy;      /* of a quasi-identifier, as the user wrote it, or NULL */
    size_t at[KAN_ROLE_TABLES]; /* its column in each table; KAN_NO_COLUMN: there is none */
} kan_role_column;
#define KAN_NO_COLUMN SIZE_MAX

typedef struct kan_role_list {
    size_t n;
    kan_role_column *columns; /* in the user's order; patterns are not among them */
} kan_role_list;

typedef struct kan_roles {
    kan_role_list named[KAN_ROLES];    /* by role */
    kan_role *of[KAN_ROLE_TABLES];     /* by table and column */
    bool *by_pattern[KAN_ROLE_TABLES]; /* the same: a pattern gave it its role, no name */
    bool shows_person;                 /* the column of --person is named by --pseudonym, too */
    bool shows_weight;                 /* that of --sampling-weight by --keep */
} kan_roles;

/* Reads the roles that `command` understands, for tables that are open: a job file may say more than
 * that. Problems are added with kan_problem_add, for whoever has begun them. All of it is in the job's
 * arena. O(columns * (names + patterns)). */
KAN_MUST_USE kan_status kan_roles_read(kan_job *job, const char *command,
                                       const kan_role_table *tables, size_t n_tables,
                                       kan_roles *out);
/* The column of a role that one column has; NULL: no setting names it. */
const kan_role_column *kan_roles_only(const kan_roles *roles, kan_role role);

#endif
