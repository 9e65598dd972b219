#include "confine.h"

#include <string.h>

/* A path, or what stands behind the name of a column: both may be a word that names no file, which
 * is as good. */
static bool is_inside(const sv_project *project, const char *path) {
    sv_text out = {0};
    if (kan_path_is_address(path)) /* a connection that the user of a page must not open */
        return false;
    const size_t n = strlen(path);
    /* A folder may be written with a slash behind it. */
    sv_text plain = {0};
    sv_bytes(&plain, path, n > 1 && path[n - 1] == '/' ? n - 1 : n);
    const bool is_good = n == 0 || (!plain.failed && sv_project_path(project, plain.bytes, &out));
    sv_text_free(&plain);
    sv_text_free(&out);
    return is_good;
}

/* The equals sign behind the name of a column, which may stand in double quotes; NULL: it is a name alone. */
static const char *find_equals(const char *value) {
    const char *end = value[0] == '"' && value[1] ? strchr(value + 2, '"') : NULL;
    while (end && end[1] && end[1] != '=')
        end = strchr(end + 1, '"');
    if (!end)
        return strchr(value, '=');
    return end[1] ? end + 1 : NULL;
}

/* Names of files have equals signs, too: whichever is taken for the one, what is behind it is inside. */
static bool is_value_inside(const sv_project *project, const kan_setting *setting,
                            const char *value) {
    const bool takes_columns = kan_setting_takes_columns(setting);
    const char *equals = takes_columns ? find_equals(value) : NULL;
    for (; equals; equals = strchr(equals + 1, '='))
        if (!is_inside(project, equals + 1))
            return false;
    return takes_columns || !kan_setting_takes_path(setting) || is_inside(project, value);
}

static bool refuse(sv_text *error, const char *name, const char *value) {
    if (kan_path_is_address(value)) { /* not repeated: a password may stand in it */
        sv_print(error,
                 "--%s: this is the address of a table in a database; the pages work on files of "
                 "the project; use kanon anonymize on the command line.",
                 name);
        return false;
    }
    const bool is_shown = !kan_setting_is_secret(kan_setting_find(name));
    sv_print(error, "--%s%s%s: this names a file outside of the project, which is not read.", name,
             is_shown ? " " : "", is_shown ? value : "");
    return false;
}

/* Patterns of files lead wherever links in the folder lead. */
static bool refuse_engine(sv_text *error) {
    sv_print(
        error,
        "--engine: the pages read tables themselves; use kanon anonymize on the command line.");
    return false;
}

/* What one of several tables says. */
static bool confine_table(const sv_project *project, size_t table, const kan_setting *setting,
                          sv_text *error) {
    bool is_good = true, is_more = true;
    for (size_t at = 0; is_good && is_more; at++) {
        sv_text value = {0};
        is_more = sv_table_setting(project, table, setting->name, at, &value);
        is_good = !value.failed &&
                  (!is_more || is_value_inside(project, setting, value.bytes ? value.bytes : ""));
        if (!is_good)
            (void)refuse(error, setting->name, value.bytes ? value.bytes : "");
        sv_text_free(&value);
    }
    return is_good;
}

static bool confine_tables(const sv_project *project, sv_text *error) {
    for (size_t t = 0; t < kan_job_n_tables(project->tables); t++) {
        if (kan_job_table_get(project->tables, t, "engine", 0))
            return refuse_engine(error);
        for (size_t i = 0; i < kan_setting_count(); i++)
            if (!confine_table(project, t, kan_setting_at(i), error))
                return false;
    }
    return true;
}

bool sv_confine_job(const sv_project *project, sv_text *error) {
    if (sv_setting(project, "engine", 0))
        return refuse_engine(error);
    if (!confine_tables(project, error))
        return false;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        const char *value;
        for (size_t at = 0; (value = sv_setting(project, setting->name, at)); at++)
            if (!is_value_inside(project, setting, value))
                return refuse(error, setting->name, value);
    }
    return true;
}

bool sv_confine_file(const sv_project *project, const char *file, sv_text *error) {
    sv_project *other = sv_project_open_job(project, file);
    const bool is_good = other && !other->error && sv_confine_job(other, error);
    if (!other)
        sv_print(error, "%s: this job file cannot be read.", file);
    else if (other->error)
        sv_raw(error, other->error);
    sv_project_close(other);
    return is_good;
}

static const kan_setting *flag_setting(const char *word) {
    if (strcmp(word, "-o") == 0)
        return kan_setting_find("output");
    return strncmp(word, "--", 2) == 0 ? kan_setting_find(word + 2) : NULL;
}

/* "--NAME=false" of a switch, which takes back what the job file says; no file is named by it. */
static bool takes_back(const char *word) {
    const char *equals = strchr(word, '=');
    char name[64];
    if (strncmp(word, "--", 2) != 0 || !equals || strcmp(equals, "=false") != 0 ||
        (size_t)(equals - word) - 2 >= sizeof name)
        return false;
    memcpy(name, word + 2, (size_t)(equals - word) - 2);
    name[equals - word - 2] = '\0';
    const kan_setting *setting = kan_setting_find(name);
    return setting && !setting->argument;
}

bool sv_confine_words(const sv_project *project, const char *const *words, sv_text *error) {
    for (size_t i = 0; words[i]; i++) {
        const kan_setting *setting = flag_setting(words[i]);
        if (setting && strcmp(setting->name, "engine") == 0)
            return refuse_engine(error);
        if (takes_back(words[i]))
            continue;
        if (words[i][0] == '-' && strchr(words[i], '=')) {
            sv_print(error, "%s: a flag and its value are two words here.", words[i]);
            return false;
        }
        if (!setting) {
            if (words[i][0] != '-' && !is_inside(project, words[i]))
                return refuse(error, "input", words[i]);
        } else if (setting->argument && words[i + 1]) {
            if (!is_value_inside(project, setting, words[i + 1]))
                return refuse(error, setting->name, words[i + 1]);
            i++;
        }
    }
    return true;
}
