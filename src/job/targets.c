/* Checks before the walk: what is missing, and what writing would destroy. They come first because
 * a search may take an hour, and an hour is a bad moment to learn that the target exists. They are
 * a courtesy, not the lock: whoever writes checks again at that time. */
#include "job/targets.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/commands.h"
#include "job/settings/settings.h"
#include "job/tables/tables.h"

/* ---- complete ------------------------------------------------------------------------------- */

static bool is_met(const kan_job *job, const kan_need *need) {
    if ((need->when && !kan_setting_is_given(job, need->when)) ||
        (need->unless && kan_setting_is_given(job, need->unless)) ||
        (need->or_unless && kan_setting_is_given(job, need->or_unless)) ||
        (need->or_table && job->table) ||
        (job->wants_arrow && need->setting && strcmp(need->setting, "output") == 0))
        return true;
    if (!need->setting)
        return kan_registry_wants_any(KAN_FAMILY_PRIVACY, &job->options);
    return (kan_setting_is_given(job, need->setting) || kan_job_table(job, need->setting)) !=
           need->is_refused;
}

static void tell_need(const kan_job *job, const char *command, const kan_need *need) {
    const char *name;
    if (!need->when_trait)
        kan_problem_add(job->run, "%s", need->message);
    for (size_t i = 0;
         need->when_trait && (name = kan_setting_with(need->when_trait, command, i)) != NULL; i++)
        if (kan_setting_is_given(job, name))
            kan_problem_add(job->run, "--%s%s", name, need->message);
}

kan_status kan_job_check_complete(kan_job *job, const char *command) {
    const kan_command_entry *entry = kan_command_entry_find(command);
    kan_problems_begin(job->run);
    for (const kan_need *need = entry->needs; need->message; need++)
        if (!is_met(job, need))
            tell_need(job, command, need);
    if (entry->check)
        entry->check(job);
    return kan_problems_end(job->run);
}

/* ---- targets -------------------------------------------------------------------------------- */

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/* The file's directory, "." for a bare name, and the name within it. False when it is too long. */
static bool split_path(const char *path, char *directory, size_t room, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    size_t size = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (size == 0) {
        snprintf(directory, room, ".");
        return true;
    }
    if (size >= room)
        return false;
    memcpy(directory, path, size);
    directory[size] = '\0';
    return true;
}

/* Whether a file can be made there: that it cannot is better known before hours of searching. */
static void check_directory(kan_run *run, const char *flag, const char *path) {
    struct stat info;
    char directory[4096];
    const char *name;
    if (!split_path(path, directory, sizeof directory, &name))
        kan_problem_add(run, "%s: the path is too long", flag);
    else if (!*name)
        kan_problem_add(run, "%s %s names a directory; name a file in it", flag, path);
    else if (stat(directory, &info) != 0)
        kan_problem_add(run, "%s %s: %s: %s; create the directory first", flag, path, directory,
                        strerror(errno));
    else if (!S_ISDIR(info.st_mode))
        kan_problem_add(run, "%s %s: %s is not a directory", flag, path, directory);
    else if (access(directory, W_OK | X_OK) != 0)
        kan_problem_add(run, "%s %s: no file can be created in %s: %s; choose another directory",
                        flag, path, directory, strerror(errno));
}

/* What is extended (--save, --proof) is continued where it exists, and the next run needs a file.
 */
static void check_target(kan_run *run, const char *flag, const char *path, bool overwrite,
                         bool is_extended) {
    struct stat info;
    if (is_standard(path) || kan_path_is_address(path)) /* the engine is asked when it is open */
        return;
    if (stat(path, &info) != 0 && lstat(path, &info) == 0) {
        kan_problem_add(run, "%s %s is a link that leads nowhere; name another file", flag, path);
    } else if (stat(path, &info) != 0) {
        check_directory(run, flag, path);
    } else if (S_ISDIR(info.st_mode)) {
        kan_problem_add(run, "%s %s is a directory; name a file in it", flag, path);
    } else if (!S_ISREG(info.st_mode)) {
        kan_problem_add(run, "%s %s is not a plain file; %s", flag, path,
                        is_extended ? "name one that can be continued"
                                    : "- writes to standard output");
    } else if (!overwrite && !is_extended) {
        kan_problem_add(run,
                        "%s %s already exists; choose another name, or overwrite it with --force",
                        flag, path);
    } else if (!is_extended) {               /* what is complete is only read */
        char *behind = realpath(path, NULL); /* a link stays, the file behind it is replaced */
        check_directory(run, flag, behind ? behind : path);
        free(behind);
    }
}

static bool is_table(const kan_named_file *file) {
    const kan_setting_entry *entry = kan_setting_entry_find(file->setting);
    return entry && entry->is_table;
}

static void check_read(kan_run *run, const kan_named_files *read) {
    const kan_named_file *first = NULL;
    for (size_t i = 0; i < read->n; i++) {
        const kan_named_file *file = &read->files[i];
        char a[512], b[512];
        if (!is_standard(file->path))
            continue;
        if (!first) {
            first = file;
        } else if (is_table(first) && is_table(file)) {
            kan_problem_add(run, "both tables come from standard input, which can be read only "
                                 "once; name a file for one of them");
        } else {
            kan_problem_add(run,
                            "both %s and %s come from standard input, which can be read only once; "
                            "name a file for one of them",
                            kan_named_file_what(first, a, sizeof a),
                            kan_named_file_what(file, b, sizeof b));
        }
    }
}

/* What goes to standard output, in words. */
static const char *word_of(const char *setting, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_for(setting, command);
    return entry && entry->what ? entry->what : "file";
}

static void check_written(kan_run *run, const char *command, const kan_named_files *written) {
    for (size_t i = 0; i < written->n; i++)
        for (size_t j = i + 1; j < written->n; j++) {
            const kan_named_file *a = &written->files[i], *b = &written->files[j];
            if (is_standard(a->path) && is_standard(b->path))
                kan_problem_add(run,
                                "the %s and the %s would both go to standard output; name a file "
                                "for one of them",
                                word_of(a->setting, command), word_of(b->setting, command));
            else if (kan_named_file_is_written(a, b))
                kan_problem_add(run, "--%s and --%s both name %s; choose two files", a->setting,
                                b->setting, is_standard(a->path) ? b->path : a->path);
        }
}

/* Whether a file lies in a folder, or would be one of a pattern, that is read as one table. */
static bool is_within(const char *path, const char *table) {
    char directory[4096];
    const char *name;
    if (!kan_is_directory(table))
        return strpbrk(table, "*?[") && fnmatch(table, path, 0) == 0;
    if (!split_path(path, directory, sizeof directory, &name))
        return false;
    char *inner = realpath(directory, NULL), *outer = realpath(table, NULL);
    const size_t size = outer ? strlen(outer) : 0;
    const bool is_inside =
        inner && outer && strncmp(inner, outer, size) == 0 && (!inner[size] || inner[size] == '/');
    free(inner);
    free(outer);
    return is_inside;
}

/* A release among the files of its input would be read with them the next time. */
static void check_apart(kan_run *run, const kan_named_files *read, const kan_named_files *written) {
    for (size_t i = 0; i < read->n; i++)
        for (size_t j = 0; j < written->n; j++)
            if (is_table(&read->files[i]) && !is_standard(read->files[i].path) &&
                !is_standard(written->files[j].path) && !kan_path_is_address(read->files[i].path) &&
                !kan_path_is_address(written->files[j].path) &&
                is_within(written->files[j].path, read->files[i].path))
                kan_problem_add(run,
                                "--%s %s would be one of the files of %s, which are read as one "
                                "table; name a file elsewhere",
                                written->files[j].setting, written->files[j].path,
                                read->files[i].path);
}

/* No switch allows this: a job that destroys what it is made from cannot be run again. Each file
 * that is read is told once. */
static void check_kept(kan_run *run, const kan_named_files *read, const kan_named_files *written) {
    for (size_t i = 0; i < read->n; i++)
        for (size_t j = 0; j < written->n; j++) {
            const kan_named_file *target = &written->files[j];
            char what[512];
            if (!kan_named_file_is_read(target, &read->files[i]))
                continue;
            kan_problem_add(run, "--%s %s is %s itself; choose another name", target->setting,
                            target->path, kan_named_file_what(&read->files[i], what, sizeof what));
            break;
        }
}

/* A table, or the release of `anonymize`, may be in a database; other files are files. */
static void check_addresses(kan_run *run, const char *command, const kan_named_files *list) {
    for (size_t i = 0; i < list->n; i++) {
        const kan_named_file *file = &list->files[i];
        const kan_setting_entry *entry = kan_setting_entry_for(file->setting, command);
        if (kan_path_is_address(file->path) && !(entry && entry->is_table))
            kan_problem_add(run, "--%s: this is the address of a table in a database; name a file",
                            file->setting);
    }
}

static void check_one(kan_run *run, const char *command, const kan_named_file *file,
                      bool overwrite) {
    const kan_setting_entry *entry = kan_setting_entry_for(file->setting, command);
    const bool is_extended = entry->setting.file == KAN_FILE_EXTENDED;
    char flag[64];
    if (entry->is_checked_later)
        return;
    snprintf(flag, sizeof flag, "--%s", file->setting);
    if (is_extended && is_standard(file->path))
        kan_problem_add(run, "%s - is not a file; the next run needs one to continue from", flag);
    check_target(run, flag, file->path, overwrite, is_extended);
}

kan_status kan_job_check_targets(kan_job *job, const char *command) {
    kan_run *run = job->run;
    const bool overwrite = kan_options_switch(&job->options, "force");
    kan_named_files read, written;
    KAN_TRY(kan_named_files_read(job, command, &read));
    KAN_TRY(kan_named_files_written(job, command, &written));
    kan_problems_begin(run);
    check_addresses(run, command, &read);
    check_addresses(run, command, &written);
    check_read(run, &read);
    check_written(run, command, &written);
    check_kept(run, &read, &written);
    if (kan_options_find(&job->options, "engine"))
        check_apart(run, &read, &written);
    const bool is_clear = kan_problems_count(run) == 0;
    for (size_t i = 0; is_clear && i < written.n; i++)
        if (!job->parts || strcmp(written.files[i].setting, "output") != 0 || /* else a folder */
            kan_tables_is_file(job))
            check_one(run, command, &written.files[i], overwrite);
    return kan_problems_end(run);
}
