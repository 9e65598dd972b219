/* Specs: what stands behind a column's name in the setting qi, and what a form says. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "column_roles.h"
#include "hierarchy_parts.h"

/* ---- what a spec is ------------------------------------------------------------------------- */

const char *sv_spec_relative(const sv_project *project, const char *spec) {
    const size_t n = strlen(project->folder);
    return strncmp(spec, project->folder, n) == 0 && spec[n] == '/' ? spec + n + 1 : spec;
}

const char *const sv_date_parts[SV_N_DATE_PARTS] = {"week", "month",      "quarter", "half",
                                                    "year", "five-years", "decade"};

static bool are_date_parts(const char *list) {
    while (*list) {
        const size_t size = strcspn(list, ",");
        bool is_known = false;
        for (size_t i = 0; i < SV_N_DATE_PARTS; i++)
            is_known |=
                strlen(sv_date_parts[i]) == size && strncmp(list, sv_date_parts[i], size) == 0;
        if (!is_known)
            return false;
        list += size;
        list += *list == ',';
    }
    return true;
}

bool sv_spec_is_builder(const char *spec) {
    static const char *const names[] = {
        "intervals:", "quantiles:", "digits:", "prefix:", "frequency:", "age:"};
    if (strcmp(spec, "suppress") == 0)
        return true;
    if (strncmp(spec, "date:", 5) == 0)
        return spec[5] && are_date_parts(spec + 5);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(spec, names[i], n) == 0)
            return spec[n] && !spec[n + strspn(spec + n, "0123456789.,@-")];
    }
    return false;
}

static bool is_plain_name(const char *name) {
    return *name && *name != '.' && !strchr(name, '/') &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")];
}

bool sv_spec_is_file(const char *spec) {
    static const char *const folders[] = {"hierarchies/", "work/draft-"};
    for (size_t i = 0; i < 2; i++) {
        const size_t n = strlen(folders[i]);
        if (strncmp(spec, folders[i], n) == 0)
            return is_plain_name(spec + n);
    }
    return false;
}

bool sv_spec_is_tree(const char *spec) {
    return sv_spec_is_file(spec) && sv_ends_with(spec, ".txt");
}

/* "5,10@17" as "5, then 10, starting at 17". What is no builder's is shown as it is. */
static void add_numbers_words(sv_text *out, const char *numbers, const char *behind) {
    const size_t end = strcspn(numbers, "@");
    for (size_t at = 0, size; at < end; at += size + 1) {
        char number[64];
        size = strcspn(numbers + at, ",@");
        snprintf(number, sizeof number, "%.*s", (int)size, numbers + at);
        sv_html(out, "%s%s", at > 0 ? ", then " : "",
                strcmp(number, "five-years") == 0 ? "five years" : number);
    }
    if (numbers[end])
        sv_html(out, "%s%s", behind, numbers + end + 1);
}

void sv_spec_words(sv_text *out, const char *spec) {
    static const char *const words[][2] = {
        {"intervals:", "intervals as wide as "},
        {"quantiles:", "intervals with about the same number of rows, how many: "},
        {"digits:", "the last characters are masked, up to "},
        {"prefix:", "the first characters are kept: "},
        {"date:", "dates become "},
        {"age:", "ages in steps of "},
        {"frequency:", "values are grouped if they have fewer rows than "},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i][0]);
        if (strncmp(spec, words[i][0], n) == 0) {
            sv_raw(out, words[i][1]);
            add_numbers_words(out, spec + n,
                              strncmp(spec, "age:", 4) == 0 ? " years, on " : ", starting at ");
            return;
        }
    }
    if (!*spec || strcmp(spec, "suppress") == 0)
        sv_raw(out, "the value itself, or nothing (*)");
    else if (sv_spec_is_tree(spec))
        sv_raw(out, "your own tree");
    else if (sv_spec_is_file(spec))
        sv_raw(out, "a file that you uploaded");
    else
        sv_raw(out, "a file outside of this project, which is not read here");
}

bool sv_hierarchy_kept(const sv_project *project, size_t number, const char *column, sv_text *out) {
    static const char *const endings[] = {".txt", ".csv"};
    for (size_t i = 0; i < 2; i++) {
        sv_text relative = {0}, path = {0};
        sv_hierarchy_file(number, column, &relative);
        sv_raw(&relative, endings[i]);
        const bool is_there = !relative.failed && sv_project_path(project, relative.bytes, &path) &&
                              access(path.bytes, R_OK) == 0;
        if (is_there)
            sv_raw(out, relative.bytes);
        sv_text_free(&relative);
        sv_text_free(&path);
        if (is_there)
            return true;
    }
    return false;
}

/* ---- what a form says ----------------------------------------------------------------------- */

/* Numbers with one comma between them, whatever stood there; false: something else does. */
static bool add_numbers(sv_text *out, const char *text, bool may_be_parts) {
    size_t n = 0;
    while (*(text += strspn(text, " ,;\t"))) {
        const size_t size = strcspn(text, " ,;\t");
        char *end;
        const double number = strtod(text, &end);
        if (strspn(text, may_be_parts ? "0123456789." : "0123456789") != size ||
            end != text + size || !(number > 0) || size > 15)
            return false;
        sv_raw(out, n++ > 0 ? "," : "");
        sv_bytes(out, text, size);
        text += size;
    }
    return n > 0;
}

static bool add_origin(sv_text *out, const char *text) {
    if (!text || !text[strspn(text, " ")])
        return true;
    text += strspn(text, " ");
    const size_t size = strcspn(text, " ");
    char *end;
    (void)strtod(text, &end);
    if (strspn(text, "0123456789.-") != size || end != text + size ||
        text[size + strspn(text + size, " ")])
        return false;
    sv_raw(out, "@");
    sv_bytes(out, text, size);
    return true;
}

static bool add_parts(const sv_request *request, sv_text *out) {
    size_t n = 0;
    for (size_t i = 0; i < SV_N_DATE_PARTS; i++)
        for (size_t at = 0; sv_field_at(request, "date-part", at); at++)
            if (strcmp(sv_field_at(request, "date-part", at), sv_date_parts[i]) == 0) {
                sv_html(out, "%s%s", n++ > 0 ? "," : "", sv_date_parts[i]);
                break;
            }
    return n > 0;
}

/* The day of an age, 2025-12-31. */
bool sv_spec_add_day(sv_text *out, const char *day) {
    if (!day || strlen(day) != 10 || day[4] != '-' || day[7] != '-' ||
        strspn(day, "0123456789-") != 10)
        return false;
    sv_html(out, "@%s", day);
    return true;
}

bool sv_spec_of_form(const sv_request *request, const char *now, sv_text *out, sv_text *wrong) {
    static const char *const numbered[] = {"intervals", "quantiles", "digits", "prefix",
                                           "frequency"};
    const char *builder = sv_field_of(request, "builder");
    if (!builder) {
        sv_raw(wrong, "Choose how the values become coarser.");
        return false;
    }
    if (strcmp(builder, "suppress") == 0 || strcmp(builder, SV_DRAFT_TREE) == 0) {
        sv_raw(out, builder);
        return true;
    }
    if (strcmp(builder, "file") == 0 && sv_spec_is_file(now)) {
        sv_raw(out, now);
        return true;
    }
    if (strcmp(builder, "age") == 0) {
        const char *years = sv_field_of(request, "age");
        sv_raw(out, "age:");
        if (years && add_numbers(out, years, false) &&
            sv_spec_add_day(out, sv_field_of(request, "day")))
            return true;
        sv_raw(wrong, "Ages need numbers of years, such as 1,5,10, and the day on which people "
                      "have their age.");
        return false;
    }
    if (strcmp(builder, "date") == 0) {
        sv_raw(out, "date:");
        if (add_parts(request, out))
            return true;
        sv_raw(wrong, "Choose at least one part of a date.");
        return false;
    }
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        if (strcmp(builder, numbered[i]) != 0)
            continue;
        const char *numbers = sv_field_of(request, builder);
        const bool has_origin = i == 0;
        sv_print(out, "%s:", builder);
        if (numbers && add_numbers(out, numbers, has_origin) &&
            (!has_origin || add_origin(out, sv_field_of(request, "origin"))))
            return true;
        sv_print(wrong, "%s needs numbers above zero with commas between them, such as 5,10,20.",
                 builder);
        return false;
    }
    sv_raw(wrong, "There is no way of that name to make values coarser.");
    return false;
}

/* ---- quasi-identifiers ---------------------------------------------------------------------- */

bool sv_quasi_find(const sv_project *project, const json_t *columns, size_t number, sv_quasi *out) {
    const json_t *column = number > 0 ? json_array_get(columns, number - 1) : NULL;
    const char *name = json_string_value(json_object_get(column, "name"));
    char *spec = name ? sv_column_hierarchy(project, name) : NULL;
    if (!spec)
        return false;
    *out = (sv_quasi){number, column, name, strdup(sv_spec_relative(project, spec))};
    free(spec);
    return out->spec != NULL;
}

/* All of them are set anew, in their order; one of no spec (NULL) is none any more. */
static bool set_quasi(sv_project *project, const char *name, const char *spec) {
    char *names[512], *specs[512];
    size_t n = 0;
    const char *value, *rest;
    for (size_t i = 0; n < 512 && (value = sv_setting(project, "qi", i)); i++) {
        if (!sv_split_quasi(value, &names[n], &rest)) {
            names[n] = NULL;
            rest = "";
        }
        const bool is_it = names[n] && strcmp(names[n], name) == 0;
        if (is_it && !spec) {
            free(names[n]);
            continue;
        }
        specs[n] = strdup(is_it ? spec : sv_spec_relative(project, rest));
        n++;
    }
    bool is_good = sv_set(project, "qi", NULL);
    for (size_t i = 0; i < n; i++) {
        is_good =
            is_good && names[i] && specs[i] &&
            kan_job_set_column(project->job, "qi", names[i], *specs[i] ? specs[i] : NULL) == KAN_OK;
        free(names[i]);
        free(specs[i]);
    }
    return is_good;
}

bool sv_quasi_set(sv_project *project, const char *name, const char *spec) {
    return set_quasi(project, name, spec);
}

bool sv_quasi_leave_out(sv_project *project, const char *name) {
    return set_quasi(project, name, NULL) &&
           kan_job_set_column(project->job, "drop", name, NULL) == KAN_OK;
}
