/* Fuzzing the job-file reader: whatever the bytes are, it ends, leaks nothing, and a file that is
 * refused says why and leaves the job as it was. A file that is accepted holds only values that
 * the job accepts again one by one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/settings/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The reader takes a path; a file in memory has one. */
static int memory_file(char *path, size_t room) {
    static int file = -1;
    if (file < 0)
        file = memfd_create("job.yaml", 0);
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

static void set_again(kan_run *run, const kan_job *job) {
    kan_job *copy;
    if (kan_job_create(run, &copy) != KAN_OK)
        abort();
    for (size_t i = 0; i < job->options.n; i++)
        if (kan_job_add(copy, job->options.values[i].name, job->options.values[i].value) != KAN_OK)
            abort();
    kan_job_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int file = memory_file(path, sizeof path);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return 0;
    kan_run *run = kan_run_create();
    kan_job *job;
    if (!run || kan_job_create(run, &job) != KAN_OK)
        abort();
    kan_status status = kan_job_load(job, path);
    if (status == KAN_OK)
        set_again(run, job);
    else if (status != KAN_BAD_INPUT || job->options.n != 0 || !*kan_run_error(run))
        abort();
    kan_job_destroy(job);
    kan_run_destroy(run);
    return 0;
}
