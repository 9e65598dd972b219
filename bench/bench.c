/* kanon-bench: runs one benchmark by name, or all of them.
 *
 *   kanon-bench                 every benchmark with its defaults
 *   kanon-bench group           one
 *   kanon-bench group ARG...    one, with arguments of its own
 *
 * bench_list.h is written by CMake: one BENCH(name, summary) line for each bench_NAME.c there is.
 */
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} bench_entry;

static const bench_entry entries[] = {
#define BENCH(name, summary) {#name, summary, bench_##name},
#include "bench_list.h"
#undef BENCH
    {NULL, NULL, NULL}};

static int run_all(void) {
    int failed = 0;
    for (const bench_entry *entry = entries; entry->name; entry++) {
        char *arguments[] = {(char *)(uintptr_t)entry->name, NULL};
        printf("== %s: %s\n", entry->name, entry->summary);
        fflush(stdout);
        if (entry->run(1, arguments) != 0) {
            fprintf(stderr, "kanon-bench: %s failed\n", entry->name);
            failed = 1;
        }
    }
    return failed;
}

static void print_help(FILE *to) {
    fputs("use: kanon-bench [NAME [ARGUMENTS]]\n", to);
    for (const bench_entry *entry = entries; entry->name; entry++)
        fprintf(to, "  %-12s %s\n", entry->name, entry->summary);
}

int main(int argc, char **argv) {
    if (argc < 2)
        return run_all();
    if (strcmp(argv[1], "--help") == 0) {
        print_help(stdout);
        return 0;
    }
    for (const bench_entry *entry = entries; entry->name; entry++)
        if (strcmp(entry->name, argv[1]) == 0)
            return entry->run(argc - 1, argv + 1);
    fprintf(stderr, "kanon-bench: there is no benchmark '%s'\n", argv[1]);
    print_help(stderr);
    return 2;
}
