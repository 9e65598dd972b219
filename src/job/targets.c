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

#include "job/hierarchy_job.h"
#include "job/settings.h"

/* ---- complete ------------------------------------------------------------------------------- */

/* Whether a promise was asked for: a model's first option turns it on. */
static bool has_promise(const kan_job *job) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (kind->n_options > 0 && kan_options_find(&job->options, kind->options[0].name))
            return true;
    }
    return false;
}

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
    if (promises && !has_promise(job))
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

/* Whether two paths name the same file, which need not exist. */
static bool is_same_file(const char *a, const char *b) {
    if (is_standard(a) || is_standard(b))
        return false;
    struct stat x, y;
    bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
    if (has_a != has_b)
        return false;
    if (has_a)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char in_a[4096], in_b[4096];
    const char *name_a, *name_b;
    if (!split_path(a, in_a, sizeof in_a, &name_a) || !split_path(b, in_b, sizeof in_b, &name_b) ||
        strcmp(name_a, name_b) != 0)
        return false;
    if (stat(in_a, &x) != 0 || stat(in_b, &y) != 0)
        return strcmp(in_a, in_b) == 0;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
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
    if (stat(path, &info) != 0) {
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

/* A file that the job reads or writes; NULL paths are none. */
typedef struct {
    const char *flag, *what, *path;
} named_file;

enum { MOST_READ = 5, MOST_WRITTEN = 7 };

static void find_files(const kan_job *job, const char *command, named_file *read,
                       named_file *written) {
    const kan_options *options = &job->options;
    const char *certificate = kan_options_find(options, "certificate");
    bool is_verify = strcmp(command, "verify") == 0, is_generate = strcmp(command, "generate") == 0;
    bool is_utility = strcmp(command, "utility") == 0, is_risk = strcmp(command, "risk") == 0;
    bool is_profile = strcmp(command, "profile") == 0;
    bool has_output = is_generate || kan_hierarchy_writes_file(job, command) ||
                      strcmp(command, "anonymize") == 0 || strcmp(command, "report") == 0 ||
                      strcmp(command, "compare") == 0;
    read[0] = (named_file){"--input", "the input",
                           job->table || is_generate ? NULL : kan_options_find(options, "input")};
    read[1] = (named_file){
        "--original", "the original",
        is_verify || is_utility || is_risk ? kan_options_find(options, "original") : NULL};
    read[2] = (named_file){"--certificate", "the certificate", is_verify ? certificate : NULL};
    read[3] = (named_file){"--workload", "the workload",
                           is_generate ? NULL : kan_options_find(options, "workload")};
    read[4] = (named_file){"--population", "the population",
                           is_risk ? kan_options_find(options, "population") : NULL};
    written[0] = (named_file){"--output", "release",
                              has_output ? kan_options_find(options, "output") : NULL};
    written[1] = (named_file){"--json", "JSON result", kan_options_find(options, "json")};
    written[3] = (named_file){
        "--picture", "picture",
        strcmp(command, "anonymize") == 0 ? kan_options_find(options, "picture") : NULL};
    written[2] = (named_file){
        "--certificate", "certificate",
        is_verify || is_generate || is_utility || is_risk || is_profile ? NULL : certificate};
    written[5] = (named_file){
        "--report", "report",
        strcmp(command, "anonymize") == 0 ? kan_options_find(options, "report") : NULL};
    written[6] = (named_file){"--proof", "proof", kan_options_find(options, "proof")};
    written[4] = (named_file){"--job-out", "job file",
                              is_profile ? kan_options_find(options, "job-out") : NULL};
    if (strcmp(command, "compare") == 0) {
        written[2] = (named_file){"--save", "saved cells", kan_options_find(options, "save")};
        written[3] = (named_file){"--chart", "chart", kan_options_find(options, "chart")};
        written[0].what = "table";
    }
}

static void check_read(kan_run *run, const named_file *read) {
    for (size_t i = 0; i < MOST_READ; i++)
        for (size_t j = i + 1; j < MOST_READ; j++)
            if (read[i].path && read[j].path && is_standard(read[i].path) &&
                is_standard(read[j].path))
                kan_problem_add(run,
                                "both %s come from standard input, which can be read only once; "
                                "name a file for one of them",
                                j == 1 || j == 4 ? "tables"
                                : j == 2         ? "the table and the certificate"
                                                 : "a table and the workload");
}

static void check_written(kan_run *run, const named_file *written) {
    for (size_t i = 0; i < MOST_WRITTEN; i++)
        for (size_t j = i + 1; j < MOST_WRITTEN; j++) {
            const char *a = written[i].path, *b = written[j].path;
            if (a && b && is_standard(a) && is_standard(b))
                kan_problem_add(run,
                                "the %s and the %s would both go to standard output; name a file "
                                "for one of them",
                                written[i].what, written[j].what);
            else if (a && b && is_same_file(a, b))
                kan_problem_add(run, "%s and %s both name %s; choose two files", written[i].flag,
                                written[j].flag, a);
        }
}

/* The first of the files to be written that is one of those that are read. */
static void check_kept(kan_run *run, const named_file *read, const named_file *written) {
    for (size_t i = 0; i < MOST_READ; i++)
        for (size_t j = 0; j < MOST_WRITTEN; j++)
            if (read[i].path && written[j].path && is_same_file(read[i].path, written[j].path)) {
                kan_problem_add(run, "%s %s is %s itself; choose another name", written[j].flag,
                                written[j].path, read[i].what);
                break;
            }
}

kan_status kan_job_check_targets(kan_job *job, const char *command) {
    kan_run *run = job->run;
    bool overwrite = kan_options_switch(&job->options, "force");
    named_file read[MOST_READ], written[MOST_WRITTEN];
    find_files(job, command, read, written);
    kan_problems_begin(run);
    check_read(run, read);
    check_written(run, written);
    check_kept(run, read, written);
    const bool is_clear = kan_problems_count(run) == 0;
    for (size_t i = 0; i < MOST_WRITTEN; i++) {
        const bool is_proof = strcmp(written[i].flag, "--proof") == 0;
        /* What was saved is added to. */
        if (!is_clear || !written[i].path || strcmp(written[i].flag, "--save") == 0)
            continue;
        if (is_proof && strcmp(command, "compare") == 0)
            kan_problem_add(run, "--proof is about one question, and kanon compare asks several; "
                                 "use it with kanon search or kanon anonymize");
        else if (is_proof && is_standard(written[i].path))
            kan_problem_add(run, "--proof - is no file; the next run needs one to go on from");
        check_target(run, written[i].flag, written[i].path, overwrite);
    }
    return kan_problems_end(run);
}
