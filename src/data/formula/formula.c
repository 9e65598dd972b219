/* Formulas, read: see formula.h. */
#include "data/formula/formula.h"

#include <string.h>

static const char usage[] =
    "write the column to be predicted, alone or with those that it is predicted by: income, or "
    "\"income ~ age + sex\"";
static const char plain[] =
    "columns are joined by + alone, without interactions and functions; a name with one of "
    "~ + * : ^ ( ) stands between backticks";

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_spaces(const char *at) {
    while (is_space(*at))
        at++;
    return at;
}

static bool read_quoted(const char **text, kan_slice *out, const char **why) {
    const char *begin = *text + 1, *end = strchr(begin, '`');
    *why = "a backtick is not closed, or nothing is between two of them";
    if (!end || end == begin)
        return false;
    *out = (kan_slice){begin, (size_t)(end - begin)};
    *text = skip_spaces(end + 1);
    return true;
}

/* A name at *text, which moves behind it and the spaces that follow. */
static bool read_name(const char **text, kan_slice *out, const char **why) {
    const char *begin = skip_spaces(*text), *end;
    *text = begin;
    if (*begin == '`')
        return read_quoted(text, out, why);
    end = begin + strcspn(begin, "~+*:^()`");
    *text = end;
    while (end > begin && is_space(end[-1]))
        end--;
    *why = usage;
    *out = (kan_slice){begin, (size_t)(end - begin)};
    return end > begin;
}

static bool read_term(const char **text, kan_formula *formula, const char **why) {
    kan_slice name;
    if (!read_name(text, &name, why))
        return false;
    *why = "it names a column twice; each stands there once";
    if (kan_slice_equal(name, formula->outcome) || kan_formula_uses(formula, name))
        return false;
    *why = "more than 64 columns are named; leave them out, and the model has all there are";
    if (formula->n_terms == KAN_FORMULA_TERMS)
        return false;
    formula->terms[formula->n_terms++] = name;
    return true;
}

/* What follows the ~. */
static bool read_terms(const char *text, kan_formula *formula, const char **why) {
    const char *at = skip_spaces(text);
    if (*at == '.' && *skip_spaces(at + 1) == '\0') {
        formula->uses_all = true;
        return true;
    }
    for (;;) {
        if (!read_term(&at, formula, why))
            return false;
        if (*at == '\0')
            return true;
        *why = plain;
        if (*at++ != '+')
            return false;
    }
}

bool kan_formula_parse(const char *text, kan_formula *out, const char **why) {
    kan_formula read = {.n_terms = 0};
    if (!read_name(&text, &read.outcome, why))
        return false;
    read.uses_all = *text == '\0';
    *why = plain;
    if (!read.uses_all && (*text != '~' || !read_terms(text + 1, &read, why)))
        return false;
    *out = read;
    return true;
}

bool kan_formula_uses(const kan_formula *formula, kan_slice column) {
    if (formula->uses_all)
        return !kan_slice_equal(column, formula->outcome);
    for (size_t i = 0; i < formula->n_terms; i++)
        if (kan_slice_equal(formula->terms[i], column))
            return true;
    return false;
}
