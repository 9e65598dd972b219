/* Checks before the walk: what is missing, and what writing would destroy. They come first because
 * a search may take an hour, and an hour is a bad moment to learn that the target exists. They are
 * a courtesy, not the guard: whoever writes checks again at that time. */
#include "job/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/hierarchies/hierarchies.h"
#include "job/named_files.h"
#include "job/settings/settings.h"

/* ---- complete ------------------------------------------------------------------------------- */

kan_status kan_job_check_complete(kan_job *job, const char *command) {
    kan_run *run = job->run;
    const kan_options *options = &job->options;
    kan_problems_begin(run);
    if (strncmp(command, "hierarchy-", 10) == 0)
        return kan_hierarchy_check_complete(job, command);
    if (strcmp(command, "generate") == 0) {
        if (!kan_options_find(options, "generator"))
            kan_problem_add(run, "no table was named; write kanon generate NAME, such as census");
        return kan_problems_end(run);
    }
    if (!job->table && !kan_options_find(options, "input"))
        kan_problem_add(run, "no table was named; write kanon %s INPUT (- is standard input)",
                        command);
    if (strcmp(command, "anonymize") == 0 && !job->table && !kan_options_find(options, "output"))
        kan_problem_add(run, "no target was named; write -o OUT for the release (- is standard "
                             "output)");
    if (strcmp(command, "anonymize") == 0 && kan_options_switch(options, "show-suppressed") &&
        !kan_options_switch(options, "keep-suppressed"))
        kan_problem_add(run, "--show-suppressed is about suppressed rows that are kept; say "
                             "--keep-suppressed, too, or leave it out");
    /* A certificate says itself what it is about. */
    if (strcmp(command, "verify") == 0 && kan_options_find(options, "certificate"))
        return kan_problems_end(run);
    if (strcmp(command, "profile") == 0)
        return kan_problems_end(run);
    if (strcmp(command, "report") == 0) {
        if (!kan_options_find(options, "output"))
            kan_problem_add(run, "no target was named; write -o FILE.html for the page (- is "
                                 "standard output)");
        return kan_problems_end(run);
    }
    if (strcmp(command, "utility") == 0) {
        if (!kan_options_find(options, "original"))
            kan_problem_add(run, "no original was named; write --original FILE, the table before "
                                 "it was anonymized");
        if (!kan_options_find(options, "workload"))
            kan_problem_add(run, "no queries were named; write --workload FILE, a query on each "
                                 "line");
        return kan_problems_end(run);
    }
    const bool promises = strcmp(command, "risk") != 0 && strcmp(command, "compare") != 0;
    if (!kan_options_find(options, "qi"))
        kan_problem_add(run, "no quasi-identifier was named; write --qi and the columns by which "
                             "somebody could be recognised, such as --qi age,gender,zip");
    if (promises && !kan_registry_wants_any(KAN_FAMILY_PRIVACY, options))
        kan_problem_add(run, "no promise was asked for; write --k N, such as --k 5");
    return kan_problems_end(run);
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
        kan_problem_add(run, "%s %s: %s: %s; make the directory first", flag, path, directory,
                        strerror(errno));
    else if (!S_ISDIR(info.st_mode))
        kan_problem_add(run, "%s %s: %s is not a directory", flag, path, directory);
    else if (access(directory, W_OK | X_OK) != 0)
        kan_problem_add(run, "%s %s: no file can be made in %s: %s; choose another directory", flag,
                        path, directory, strerror(errno));
}

/* A proof that is there is gone on with, and the next run needs a file. */
static void check_target(kan_run *run, const char *flag, const char *path, bool overwrite) {
    const bool is_proof = strcmp(flag, "--proof") == 0;
    struct stat info;
    if (is_standard(path))
        return;
    if (stat(path, &info) != 0 && lstat(path, &info) == 0) {
        kan_problem_add(run, "%s %s is a link that leads nowhere; name another file", flag, path);
    } else if (stat(path, &info) != 0) {
        check_directory(run, flag, path);
    } else if (S_ISDIR(info.st_mode)) {
        kan_problem_add(run, "%s %s is a directory; name a file in it", flag, path);
    } else if (!S_ISREG(info.st_mode)) {
        kan_problem_add(run, "%s %s is not a plain file; %s", flag, path,
                        is_proof ? "name one that can be gone on with"
                                 : "- writes to standard output");
    } else if (!overwrite && !is_proof) {
        kan_problem_add(run,
                        "%s %s exists already; choose another name, or overwrite it with --force",
                        flag, path);
    } else if (!is_proof) {                  /* a proof that is complete is only read */
        char *behind = realpath(path, NULL); /* a link stays, the file behind it is replaced */
        check_directory(run, flag, behind ? behind : path);
        free(behind);
    }
}

static bool is_table(const kan_named_file *file) {
    return strcmp(file->setting, "input") == 0 || strcmp(file->setting, "original") == 0 ||
           strcmp(file->setting, "population") == 0;
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
    static const char *const words[][2] = {
        {"output", "release"},   {"json", "JSON result"}, {"certificate", "certificate"},
        {"picture", "picture"},  {"save", "saved cells"}, {"chart", "chart"},
        {"job-out", "job file"}, {"report", "report"},    {"proof", "proof"}};
    if (strcmp(setting, "output") == 0 && strcmp(command, "compare") == 0)
        return "table";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], setting) == 0)
            return words[i][1];
    return "file";
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

static void check_one(kan_run *run, const char *command, const kan_named_file *file,
                      bool overwrite) {
    const bool is_proof = strcmp(file->setting, "proof") == 0;
    char flag[64];
    if (strcmp(file->setting, "save") == 0) /* what was saved is added to */
        return;
    if (is_proof && strcmp(command, "compare") == 0)
        kan_problem_add(run, "--proof is about one question, and kanon compare asks several; "
                             "use it with kanon search or kanon anonymize");
    else if (is_proof && is_standard(file->path))
        kan_problem_add(run, "--proof - is no file; the next run needs one to go on from");
    snprintf(flag, sizeof flag, "--%s", file->setting);
    check_target(run, flag, file->path, overwrite);
}

kan_status kan_job_check_targets(kan_job *job, const char *command) {
    kan_run *run = job->run;
    const bool overwrite = kan_options_switch(&job->options, "force");
    kan_named_files read, written;
    KAN_TRY(kan_named_files_read(job, command, &read));
    KAN_TRY(kan_named_files_written(job, command, &written));
    kan_problems_begin(run);
    check_read(run, &read);
    check_written(run, command, &written);
    check_kept(run, &read, &written);
    const bool is_clear = kan_problems_count(run) == 0;
    for (size_t i = 0; is_clear && i < written.n; i++)
        check_one(run, command, &written.files[i], overwrite);
    return kan_problems_end(run);
}
