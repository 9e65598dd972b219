/* What becomes of a column, in the words of what is done to its values. Methods that build a hierarchy
 * say by their numbers what each level is; of a file only the level is known. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

/* The number-th of a list with commas between them; false: there are fewer. */
static bool item_at(const char *list, size_t number, char *out, size_t size) {
    for (; number > 0 && list; number--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    const size_t n = list ? strcspn(list, ",@") : 0;
    if (n == 0 || n >= size)
        return false;
    memcpy(out, list, n);
    out[n] = '\0';
    return true;
}

/* The words before and behind the number of a level. */
static const struct {
    const char *method, *before, *behind;
} methods[] = {
    {"intervals:", "in steps of ", ""},
    {"quantiles:", "in ", " parts with about as many rows each"},
    {"date:", "by ", ""},
    {"age:", "by age in steps of ", " years"},
    {"prefix:", "by its first ", " characters"},
    {"digits:", "without its last ", " characters"},
    {"frequency:", "with rare values together, of fewer than ", " rows"},
};

static bool put_method(sv_text *out, const char *spec, unsigned level) {
    char item[32];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const size_t n = strlen(methods[i].method);
        if (strncmp(spec, methods[i].method, n) != 0)
            continue;
        /* digits:N masks one character more on each level */
        if (strcmp(methods[i].method, "digits:") == 0)
            snprintf(item, sizeof item, "%u", level);
        else if (!item_at(spec + n, level - 1, item, sizeof item))
            return false;
        sv_html(out, "%s%s%s", methods[i].before,
                strcmp(item, "five-years") == 0 ? "five years" : item, methods[i].behind);
        return true;
    }
    return false;
}

/* The level of a quasi-identifier of the result; 0: it is not known, or none. */
static unsigned level_of(const json_t *result, const char *name) {
    const json_t *names = json_object_get(result, "quasi_identifiers"),
                 *levels = json_object_get(json_object_get(result, "solution"), "levels"), *one;
    size_t i;
    json_array_foreach(names, i, one) {
        const char *text = json_string_value(one);
        if (text && strcmp(text, name) == 0)
            return (unsigned)json_integer_value(json_array_get(levels, i));
    }
    return 0;
}

void sv_answer_words(const sv_project *project, sv_text *out, const json_t *result,
                     const json_t *column) {
    const char *name = sv_json_text(column, "name"), *became = sv_json_text(column, "became");
    if (strcmp(became, "removed") == 0) {
        sv_raw(out, "hidden in every row (*)");
    } else if (strcmp(became, "left out") == 0) {
        sv_raw(out, "left out");
    } else if (strcmp(became, "generalized") != 0) {
        sv_raw(out, "as it is");
    } else {
        const unsigned level = level_of(result, name);
        char *spec = sv_column_hierarchy(project, name);
        if (level == 0)
            sv_raw(out, "coarser where it must be");
        else if (!spec || !put_method(out, spec, level))
            sv_html(out, "coarser by %u level%s", level, level == 1 ? "" : "s");
        free(spec);
    }
}
