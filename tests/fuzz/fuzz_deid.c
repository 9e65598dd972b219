/* Fuzzing projects of ARX: whatever the bytes are, importing them ends, and leaves a folder with a job file or nothing. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kanon.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

/* Files alone; the folder itself goes, too. */
static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char place[] = "/tmp/fuzz-deid-XXXXXX", target[64], path[64], inner[96];
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    const int file = memfd_create("project", 0);
    require(run && mkdtemp(place) && file >= 0 && write(file, bytes, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    (void)snprintf(target, sizeof target, "%s/F", place);
    require(kan_job_create(run, &job) == KAN_OK && kan_job_set(job, "input", path) == KAN_OK &&
            kan_job_set(job, "output", target) == KAN_OK);
    const kan_status status = kan_job_run(job, "import", &result);
    (void)snprintf(inner, sizeof inner, "%s/kanon.yaml", target);
    require((status == KAN_OK) == (access(inner, F_OK) == 0));
    require(status == KAN_OK || kan_run_error(run)[0] != '\0');
    (void)snprintf(inner, sizeof inner, "%s/hierarchies", target);
    remove_folder(inner);
    remove_folder(target);
    require(rmdir(place) == 0); /* nothing else was left there */
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    close(file);
    return 0;
}
