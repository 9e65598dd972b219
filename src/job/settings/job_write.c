/* The settings of a job as a job file: YAML that reads back as what was set.
 *
 * A setting that repeats is a list in any case, because the items of a list are taken whole: no
 * comma and no equals sign in them splits anything that was not split before. A library that a setting
 * names is left out, and so is an address that no job file may hold. Of a secret there is the path of
 * its file, so that the job makes the same release; one that is no path is left out. Linear in the
 * size of the text. */
#include <stdlib.h>

#include "core/signs.h"
#include "job/settings/job.h"
#include "job/settings/settings.h"

/* ---- scalars -------------------------------------------------------------------------------- */

static bool is_word_of_yaml(const char *text) {
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Signs that mean nothing to YAML between letters; a colon does at the end. */
static bool is_plain(const char *text) {
    const size_t size = strlen(text);
    if (size == 0 || is_word_of_yaml(text) || text[size - 1] == ':' ||
        !(kan_is_name_sign(text[0]) || text[0] == '/'))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!kan_is_name_sign(text[i]) && !strchr("-./%=@:", text[i]))
            return false;
    return true;
}

static unsigned code_point(const char *at, size_t size) {
    unsigned point = (unsigned char)at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        point = point << 6 | ((unsigned char)at[i] & 0x3fu);
    return point;
}

/* What YAML would refuse, or take for a line break, unless it is escaped. */
static bool needs_escape(unsigned point) {
    return (point >= 0x7f && point <= 0xa0) || point == 0x2028 || point == 0x2029 ||
           point == 0xfeff || point == 0xfffe || point == 0xffff;
}

void kan_yaml_add_scalar(kan_text *text, const char *scalar) {
    if (is_plain(scalar)) {
        kan_text_add(text, scalar, strlen(scalar));
        return;
    }
    kan_text_add(text, "\"", 1);
    for (size_t left = strlen(scalar), size; left > 0; scalar += size, left -= size) {
        const size_t length = kan_utf8_length(scalar, left);
        size = length ? length : 1;
        const unsigned point = size > 1 ? code_point(scalar, size) : (unsigned char)*scalar;
        if (*scalar == '"' || *scalar == '\\')
            kan_text_print(text, "\\%c", *scalar);
        else if (point < 0x20)
            kan_text_print(text, "\\x%02x", point);
        else if (needs_escape(point))
            kan_text_print(text, "\\u%04x", point);
        else
            kan_text_add(text, scalar, size);
    }
    kan_text_add(text, "\"", 1);
}

bool kan_yaml_is_sayable(const char *text) {
    for (size_t left = strlen(text), size; left > 0; text += size, left -= size) {
        size = kan_utf8_length(text, left);
        if (size == 0)
            return false;
    }
    return true;
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool is_first_of_name(size_t index) {
    return kan_setting_entry_find(kan_setting_at(index)->name) == kan_setting_entry_at(index);
}

static kan_status add_value(const kan_job *job, const kan_setting *setting, const char *value,
                            kan_text *text) {
    char quoted[256];
    if (!kan_yaml_is_sayable(value))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--%s: %s is not UTF-8, which a job file must be; rename what it names",
                        setting->name,
                        kan_quote(kan_slice_of(kan_setting_shown(setting->name, value)), quoted));
    if (kan_setting_takes_path(setting) &&
        kan_setting_check_shared_address(job->run, setting->name, value) != KAN_OK) {
        kan_text_print(text,
                       "# %s: an address that a job file may not contain; give it as a flag\n",
                       setting->name);
        return KAN_OK;
    }
    kan_text_print(text, setting->repeats ? "  - " : "%s: ", setting->name);
    if (setting->argument)
        kan_yaml_add_scalar(text, value);
    else
        kan_text_print(text, "%s", value);
    kan_text_print(text, "\n");
    return KAN_OK;
}

static kan_status add_setting(const kan_job *job, const kan_setting *setting, kan_text *text) {
    const char *value;
    if (setting->traits & KAN_TRAIT_LOADS_CODE)
        return KAN_OK; /* no job file names a library */
    if (!kan_setting_may_be_kept(setting)) {
        if (kan_job_get(job, setting->name, 0))
            kan_text_print(text,
                           "# %s: a secret that a job file may not contain; give it as a flag\n",
                           setting->name);
        return KAN_OK;
    }
    for (size_t i = 0; (value = kan_job_get(job, setting->name, i)) != NULL; i++) {
        if (i == 0 && setting->repeats)
            kan_text_print(text, "%s:\n", setting->name);
        KAN_TRY(add_value(job, setting, value, text));
    }
    return KAN_OK;
}

kan_status kan_job_write(kan_job *job, const char **out) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, out);
    kan_status status = KAN_OK;
    kan_text text;
    if (job->parts)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "%s: a job over several tables is written in its file alone; keep that file, "
            "and run kanon anonymize --job FILE -o FOLDER",
            job->parts->place);
    kan_text_init(&text, job->run);
    if (job->command)
        kan_text_print(&text, "command: %s\n", job->command);
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (is_first_of_name(i))
            KAN_TRY_DONE(add_setting(job, kan_setting_at(i), &text));
    if (text.size == 0)
        kan_text_print(&text, "{}\n");
    KAN_TRY_DONE(kan_text_status(&text));
    if (text.size > KAN_JOB_FILE_BYTES)
        KAN_TRY_DONE(kan_fail(job->run, KAN_BAD_INPUT,
                              "the settings take more than 1 MiB, which a job file cannot have; "
                              "leave out columns that are not needed"));
    KAN_TRY_DONE(kan_arena_copy(&job->arena, text.bytes, text.size, out));
done:
    kan_text_destroy(&text);
    return status;
}

/* ---- paths ---------------------------------------------------------------------------------- */

kan_status kan_job_add_path(const kan_job *job, const char *setting, const char *path,
                            kan_text *text, bool *is_named) {
    const char *input = kan_options_find(&job->options, setting);
    const char *slash = strrchr(path, '/');
    const size_t size = slash && strcmp(path, "-") != 0 ? (size_t)(slash + 1 - path) : 0;
    char *whole = NULL;
    const bool is_relative = input[0] != '/' && !kan_path_is_address(input);
    if (is_relative && strncmp(input, path, size) == 0) {
        input += size;
    } else if (is_relative && strcmp(input, "-") != 0) {
        whole = realpath(input, NULL);
        if (!whole)
            return kan_fail(job->run, KAN_FAILED,
                            "--job-out: no full path of %s was found; name the table with its full "
                            "path",
                            input);
        input = whole;
    }
    *is_named = kan_setting_check_shared_address(job->run, setting, input) == KAN_OK;
    if (*is_named)
        kan_yaml_add_scalar(text, input);
    free(whole);
    return KAN_OK;
}
