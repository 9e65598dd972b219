/* The ledger of a million people and three releases: what each step of the fourth costs, of
 * all threads together. A tenth of
 * the people changes from release to release, and groups have ten of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "core/memory.h"
#include "ledger/ledger.h"

typedef struct {
    kan_run *run;
    const char *path, *key;
    size_t n_people;
    kan_slice *ids;
    char *texts; /* 16 bytes each */
    kan_ledger_mark *marks;
    uint32_t *groups;
    bool prints;
} scene;

static void print_step(const scene *s, const char *step, double before) {
    if (s->prints)
        printf("%-10s %8.1f ms of CPU\n", step, bench_cpu_ms() - before);
}

/* People number by number; of each release those from a tenth later on. */
static kan_status add_release(scene *s, unsigned release) {
    const uint32_t n_groups = (uint32_t)(s->n_people / 10 + 1);
    const kan_ledger_release facts = {.name = "release.csv",
                                      .place = "",
                                      .content = "",
                                      .job = "",
                                      .settings = "",
                                      .k = 5,
                                      .n_rows = s->n_people,
                                      .n_groups = n_groups};
    kan_ledger *ledger;
    kan_ledger_classes classes;
    for (size_t i = 0; i < s->n_people; i++) {
        s->ids[i].bytes = s->texts + 16 * i;
        s->ids[i].size =
            (size_t)snprintf(s->texts + 16 * i, 16, "%010zu", i + release * (s->n_people / 10));
        /* ten who stay together, in no order that a cache would like */
        s->groups[i] = (uint32_t)(((i + release * (s->n_people / 10)) / 10 * 7919) % n_groups);
    }
    double before = bench_cpu_ms();
    KAN_TRY(kan_ledger_open(s->run, s->path, s->key, KAN_LEDGER_WRITE, &ledger));
    print_step(s, "open", before);
    KAN_TRY(kan_ledger_bind(ledger, "id"));
    before = bench_cpu_ms();
    KAN_TRY(kan_ledger_make_marks(ledger, s->ids, s->n_people, s->marks));
    print_step(s, "marks", before);
    before = bench_cpu_ms();
    KAN_TRY(kan_ledger_find_classes(ledger, s->marks, s->n_people, &classes));
    print_step(s, "classes", before);
    if (s->prints)
        printf("%u classes\n", (unsigned)classes.n);
    kan_ledger_classes_destroy(s->run, &classes);
    before = bench_cpu_ms();
    KAN_TRY(kan_ledger_stage(ledger, &facts, s->marks, s->groups, s->n_people));
    print_step(s, "stage", before);
    before = bench_cpu_ms();
    kan_ledger_commit(ledger);
    print_step(s, "commit", before);
    kan_ledger_close(ledger);
    return KAN_OK;
}

static kan_status measure(scene *s) {
    struct stat info;
    KAN_TRY(kan_alloc(s->run, s->n_people, sizeof *s->ids, &s->ids));
    KAN_TRY(kan_alloc(s->run, s->n_people, 16, &s->texts));
    KAN_TRY(kan_alloc(s->run, s->n_people, sizeof *s->marks, &s->marks));
    KAN_TRY(kan_alloc(s->run, s->n_people, sizeof *s->groups, &s->groups));
    for (unsigned release = 0; release < 4; release++) {
        s->prints = release == 3;
        const double before = bench_cpu_ms();
        KAN_TRY(add_release(s, release));
        print_step(s, "all", before);
    }
    if (stat(s->path, &info) == 0)
        printf("the file has %.1f MB\n", (double)info.st_size / 1e6);
    return KAN_OK;
}

static bool write_key(const char *path) {
    FILE *file = fopen(path, "w");
    const bool is_written = file && fputs("a key that is for nothing else 1", file) >= 0;
    return file && fclose(file) == 0 && is_written;
}

int bench_ledger(int argc, char **argv) {
    bench_option options[] = {{"--people", "N people in each release", "1000000"},
                              {"--threads", "N threads, 0 for one per core", "0"},
                              {0}};
    int status = 0;
    char folder[] = "/tmp/kanon-bench-XXXXXX", path[64], key[64];
    if (!bench_options_read(argc, argv, "what the ledger adds to a job, step by step", options,
                            &status))
        return status;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/ledger", folder);
    snprintf(key, sizeof key, "%s/key", folder);
    scene s = {.run = kan_run_create(),
               .path = path,
               .key = key,
               .n_people = strtoull(bench_option_value(options, "--people"), NULL, 10)};
    kan_run_set_threads(s.run,
                        (unsigned)strtoul(bench_option_value(options, "--threads"), NULL, 10));
    if (!write_key(key) || measure(&s) != KAN_OK) {
        printf("%s\n", kan_run_error(s.run));
        status = 1;
    }
    kan_free(s.run, s.ids);
    kan_free(s.run, s.texts);
    kan_free(s.run, s.marks);
    kan_free(s.run, s.groups);
    kan_run_destroy(s.run);
    (void)unlink(path);
    (void)unlink(key);
    (void)rmdir(folder);
    return status;
}
