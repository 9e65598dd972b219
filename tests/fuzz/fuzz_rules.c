/* Fuzzing the readers of a rule that an office wrote, of the list of areas, and of values: whatever the
 * bytes are, they end and leak nothing, what is refused says why, and a rule that is accepted says who
 * says so and asks for something. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/rules/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The reader takes a path; a file in memory has one. */
static int memory_file(char *path, size_t room) {
    static int file = -1;
    if (file < 0)
        file = memfd_create("rule.yaml", 0);
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

static void check_rule(const kan_rule *rule) {
    if (!rule->name || !rule->by || !rule->text || !rule->date || !rule->title || !rule->source)
        abort();
    if (!rule->kinds && !rule->promise[0].setting && !rule->drop[0] && !rule->caps[0].column)
        abort();
    if (rule->qi[KAN_RULE_COLUMNS] || rule->drop[KAN_RULE_COLUMNS] || rule->left[KAN_RULE_LEFT])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    const kan_slice text = {(const char *)data, size};
    kan_closed_value value;
    kan_zip_areas areas;
    kan_rule rule;
    unsigned digits, n_shown;
    int file = memory_file(path, sizeof path);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return 0;
    kan_run *run = kan_run_create();
    kan_job *job;
    if (!run || kan_job_create(run, &job) != KAN_OK)
        abort();
    kan_status status = kan_rule_file_read(job, path, &rule);
    if (status == KAN_OK)
        check_rule(&rule);
    else if (status != KAN_BAD_INPUT || !*kan_run_error(run))
        abort();
    status = kan_zip_areas_read(run, "areas", text, &areas);
    if (status == KAN_OK ? !areas.census[0] : status != KAN_BAD_INPUT)
        abort();
    (void)kan_rule_kinds_in(text);
    kan_closed_read(text, &value);
    if (kan_zip_read(text, &digits, &n_shown) && digits > 999)
        abort();
    kan_job_destroy(job);
    kan_run_destroy(run);
    return 0;
}
