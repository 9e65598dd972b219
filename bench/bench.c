/* kanon-bench: runs one benchmark by name, or all of them.
 *
 *   kanon-bench                 every benchmark with its defaults, but those that take long
 *   kanon-bench group           one
 *   kanon-bench group ARG...    one, with arguments of its own
 *   kanon-bench nodes --help    what one prints, and its arguments
 *
 * bench_list.h is written by CMake: one BENCH(name, summary, is_alone) line for each bench_NAME.c
 * there is. */
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    bool is_alone; /* it takes long: only by its name */
} bench_entry;

static const bench_entry entries[] = {
#define BENCH(name, summary, is_alone) {#name, summary, bench_##name, is_alone},
#include "bench_list.h"
#undef BENCH
    {NULL, NULL, NULL, false}};

bool bench_options_read(int argc, char **argv, const char *about, bench_option *options,
                        int *status) {
    for (int i = 1; i < argc; i++) {
        bench_option *option = options;
        while (option->name && strcmp(option->name, argv[i]) != 0)
            option++;
        if (option->name && i + 1 < argc) {
            option->value = argv[++i];
            continue;
        }
        const bool is_help = strcmp(argv[i], "--help") == 0;
        FILE *to = is_help ? stdout : stderr;
        if (!is_help)
            fprintf(to, "kanon-bench %s: %s %s\n", argv[0], argv[i],
                    option->name ? "needs a value" : "is not known");
        fprintf(to, "use: kanon-bench %s [OPTIONS]\n%s\n", argv[0], about);
        for (option = options; option->name; option++)
            fprintf(to, "  %-24s %s\n", option->name, option->summary);
        *status = is_help ? 0 : 2;
        return false;
    }
    return true;
}

const char *bench_option_value(const bench_option *options, const char *name) {
    while (options->name && strcmp(options->name, name) != 0)
        options++;
    return options->value;
}

static int run_all(void) {
    int failed = 0;
    for (const bench_entry *entry = entries; entry->name; entry++) {
        char *arguments[] = {(char *)(uintptr_t)entry->name, NULL};
        printf("== %s: %s\n", entry->name, entry->summary);
        fflush(stdout);
        if (entry->is_alone) {
            puts("left out: it takes long; run it by its name");
            continue;
        }
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
    fputs("Without a name all of them run but mondrian and local, which take minutes, and cuts,\n"
          "which takes hours. threads, nodes, figures, optimum, cuts, mondrian and local answer\n"
          "--help with their options; csv, group, exhaustive and walk take a size (MB or rows).\n"
          "Data is looked for in $KANON_DATA, then beside the sources in ../shared/data.\n",
          to);
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
