#include "releases.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NUMBER = 99999 };

/* The path of one of the files that stand for release N. */
typedef struct {
    char text[64];
} place;

static place result_of(unsigned number) {
    place at;
    snprintf(at.text, sizeof at.text, "releases/%u/result.json", number);
    return at;
}

static place gone_of(unsigned number) {
    place at;
    snprintf(at.text, sizeof at.text, "releases/%u.gone", number);
    return at;
}

static place folder_of(unsigned number) {
    place at;
    snprintf(at.text, sizeof at.text, "releases/%u", number);
    return at;
}

static place job_of(unsigned number) {
    place at;
    snprintf(at.text, sizeof at.text, "release-%u.yaml", number);
    return at;
}

static bool is_gone(const sv_project *project, unsigned number) {
    return sv_project_has(project, gone_of(number).text);
}

bool sv_release_is_there(const sv_project *project, unsigned number) {
    return number > 0 && !is_gone(project, number) &&
           sv_project_has(project, result_of(number).text);
}

/* "3" and "3.gone" are of release 3; 0: it is another file. */
static unsigned number_of(const char *name) {
    const size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 5 || name[0] == '0' ||
        (name[digits] != '\0' && strcmp(name + digits, ".gone") != 0))
        return 0;
    return (unsigned)strtoul(name, NULL, 10);
}

unsigned sv_release_last(const sv_project *project) {
    sv_text path = {0};
    unsigned last = 0;
    DIR *list = sv_project_path(project, "releases", &path) ? opendir(path.bytes) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const unsigned number = number_of(entry->d_name);
        if (number > last && (is_gone(project, number) || sv_release_is_there(project, number)))
            last = number;
    }
    if (list)
        closedir(list);
    sv_text_free(&path);
    return last;
}

bool sv_release_is_any(const sv_project *project) {
    for (unsigned i = sv_release_last(project); i > 0; i--)
        if (sv_release_is_there(project, i))
            return true;
    return false;
}

bool sv_release_gone(const sv_project *project, unsigned number, sv_text *when) {
    json_t *gone = when ? sv_project_json(project, gone_of(number).text) : NULL;
    const char *time = json_string_value(json_object_get(gone, "time"));
    if (time)
        sv_raw(when, time);
    json_decref(gone);
    return is_gone(project, number);
}

unsigned sv_release_free_number(const sv_project *project) {
    const unsigned number = sv_release_last(project) + 1;
    (void)sv_project_remove(project, folder_of(number).text);
    return number;
}

/* ---- deleting ------------------------------------------------------------------------------- */

/* Whether a text names a file of the release: "releases/3/", and neither of 13 nor of 30. */
static bool names(const char *text, unsigned number) {
    char folder[64];
    const size_t n = (size_t)snprintf(folder, sizeof folder, "releases/%u/", number);
    char escaped[64]; /* as JSON may have it */
    snprintf(escaped, sizeof escaped, "releases\\/%u\\/", number);
    return (n < sizeof folder && strstr(text, folder)) || strstr(text, escaped);
}

static void remove_work(const sv_project *project, const char *stem, size_t size,
                        const char *ending) {
    sv_text path = {0};
    sv_print(&path, "work/%.*s%s", (int)size, stem, ending);
    if (!path.failed && sv_project_has(project, path.bytes))
        (void)sv_project_remove(project, path.bytes);
    sv_text_free(&path);
}

/* What was found about the release, with its words and its picture. Results of searches name no release, and stay. */
static void remove_found(const sv_project *project, unsigned number, const char *file) {
    static const char *const endings[] = {".json", ".txt", ".svg"};
    sv_text path = {0};
    sv_print(&path, "work/%s", file);
    char *text = path.failed ? NULL : sv_project_text(project, path.bytes, &(size_t){0});
    const char *dot = strrchr(file, '.');
    if (text && dot && names(text, number))
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            remove_work(project, file, (size_t)(dot - file), endings[i]);
    free(text);
    sv_text_free(&path);
}

static void remove_all_found(const sv_project *project, unsigned number) {
    sv_text path = {0};
    DIR *list = sv_project_path(project, "work", &path) ? opendir(path.bytes) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (sv_ends_with(entry->d_name, ".json") || sv_ends_with(entry->d_name, ".txt"))
            remove_found(project, number, entry->d_name);
    if (list)
        closedir(list);
    sv_text_free(&path);
}

/* Whatever is still there of a release that is marked as gone. */
static bool remove_files(const sv_project *project, unsigned number) {
    const place folder = folder_of(number), job = job_of(number);
    const bool has_folder = sv_project_has(project, folder.text),
               has_job = sv_project_has(project, job.text);
    if (!has_folder && !has_job)
        return true;
    remove_all_found(project, number);
    const bool is_good = !has_folder || sv_project_remove(project, folder.text);
    return (!has_job || sv_project_remove(project, job.text)) && is_good;
}

static bool mark(const sv_project *project, unsigned number) {
    const time_t now = time(NULL);
    struct tm parts;
    char moment[32], text[64];
    strftime(moment, sizeof moment, "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
    const int size = snprintf(text, sizeof text, "{\"time\": \"%s\"}\n", moment);
    return sv_project_write(project, gone_of(number).text, text, (size_t)size);
}

/* A setting that names a file of the release would lead nowhere. */
static const char *setting_that_names(const sv_project *project, unsigned number) {
    const char *value;
    for (size_t i = 0; i < kan_setting_count(); i++)
        for (size_t at = 0; (value = sv_setting(project, kan_setting_at(i)->name, at)); at++)
            if (names(value, number))
                return kan_setting_at(i)->name;
    return NULL;
}

bool sv_release_delete(const sv_project *project, unsigned number, sv_text *error) {
    const char *setting = setting_that_names(project, number);
    if (number > MOST_NUMBER || !sv_release_is_there(project, number)) {
        sv_print(error, "There is no release %u. It may have been deleted in another tab.", number);
        return false;
    }
    if (setting) {
        sv_print(error,
                 "Release %u stays: the settings of the project (%s in kanon.yaml) name a file of "
                 "it. Change them first.",
                 number, setting);
        return false;
    }
    /* The mark comes first: what is gone in part is never shown, and the number is never given again. */
    if (!mark(project, number)) {
        sv_print(error,
                 "Release %u could not be deleted: nothing can be written in the folder of "
                 "the project.",
                 number);
        return false;
    }
    if (!remove_files(project, number))
        sv_print(error,
                 "Some files of release %u could not be deleted: they are in the folder "
                 "releases/%u of the project.",
                 number, number);
    return error->size == 0;
}

void sv_release_sweep(const sv_project *project) {
    for (unsigned i = sv_release_last(project); i > 0; i--)
        if (is_gone(project, i))
            (void)remove_files(project, i);
}
