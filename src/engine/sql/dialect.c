#include "engine/sql/dialect.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Whether a type of `size` bytes is of a pattern in which * stands for anything. */
static bool is_of(const char *pattern, const char *type, size_t size) {
    const char *star = NULL;
    size_t at = 0, back = 0;
    while (at < size) {
        if (*pattern == '*') {
            star = ++pattern;
            back = at;
        } else if (*pattern &&
                   tolower((unsigned char)*pattern) == tolower((unsigned char)type[at])) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star;
            at = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Nullable(String) is a String. */
static bool unwrap(const kan_dialect *dialect, const char **type, size_t *size) {
    for (size_t i = 0; dialect->wrappers && dialect->wrappers[i]; i++) {
        const size_t name = strlen(dialect->wrappers[i]);
        if (*size > name + 2 && strncasecmp(*type, dialect->wrappers[i], name) == 0 &&
            (*type)[name] == '(' && (*type)[*size - 1] == ')') {
            *type += name + 1;
            *size -= name + 2;
            return true;
        }
    }
    return false;
}

bool kan_dialect_is_temporary(const kan_dialect *dialect, const char *schema) {
    return dialect->temporary_schema && is_of(dialect->temporary_schema, schema, strlen(schema));
}

const kan_sql_form *kan_dialect_form(const kan_dialect *dialect, const char *type) {
    size_t size = strlen(type);
    while (unwrap(dialect, &type, &size))
        continue;
    const kan_sql_rule *rule = dialect->rules;
    while (strcmp(rule->type, "*") != 0 && !is_of(rule->type, type, size))
        rule++;
    return &rule->form;
}

const kan_sql_form *kan_dialect_label_form(const kan_dialect *dialect) {
    char type[64];
    (void)snprintf(type, sizeof type, "%s%s", dialect->label_type,
                   dialect->by_bytes ? dialect->by_bytes : "");
    return kan_dialect_form(dialect, type);
}
