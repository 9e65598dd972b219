/* The words of the live line: how far a stage has come, in one line that never wraps. Where the
 * terminal is narrow, what matters least is left out: the rate goes first, the best cost last. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"

enum { MOST_PARTS = 6, PART_BYTES = 64 };

/* Parts stand in the order in which they are read; the one with the largest `leaves` goes first. */
typedef struct {
    struct {
        char text[PART_BYTES];
        unsigned leaves;
    } parts[MOST_PARTS];
    size_t n;
} live_line;

/* 1234567 as 1,234,567. */
static void print_count(char *room, uint64_t count) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *room++ = ',';
        *room++ = digits[i];
    }
    *room = '\0';
}

/* Costs are whole numbers or shares: those in full, these with four digits. */
static void print_cost(char room[32], double cost) {
    const bool is_whole = cost >= 1000 || cost == floor(cost);
    if (cost >= 0 && cost < 1e15 && is_whole)
        print_count(room, (uint64_t)(cost + 0.5));
    else
        snprintf(room, 32, "%.4g", cost);
}

static void print_seconds(char room[32], double seconds) {
    /* A stage of 27 hours has shown its live line for long enough. */
    const unsigned whole = seconds < 1e5 ? (unsigned)seconds : 100000;
    if (whole < 60)
        snprintf(room, 32, "%u s", whole);
    else if (whole < 3600)
        snprintf(room, 32, "%u min %02u s", whole / 60, whole % 60);
    else
        snprintf(room, 32, "%u h %02u min", whole / 3600, whole / 60 % 60);
}

__attribute__((format(printf, 3, 4))) static void add(live_line *line, unsigned leaves,
                                                      const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->parts[line->n].text, PART_BYTES, format, arguments);
    va_end(arguments);
    line->parts[line->n++].leaves = leaves;
}

static void add_gap(live_line *line, double best, double bound) {
    const double percent = best > 0 ? 100 * (best - bound) / best : 0;
    /* What is not proven must not look as if it were. */
    if (percent > 0 && percent < 0.1)
        add(line, 2, "gap < 0.1 %%");
    else
        add(line, 2, "gap %.1f %%", percent > 0 ? percent : 0);
}

static void add_search(live_line *line, const kan_progress *progress, double seconds) {
    char text[32];
    print_count(text, progress->done);
    add(line, 4, "%s states", text);
    if (seconds >= 1) {
        print_count(text, (uint64_t)((double)progress->done / seconds));
        add(line, 6, "%s/s", text);
    }
    if (progress->has_best) {
        print_cost(text, progress->best);
        add(line, 1, "best %s", text);
    }
    if (progress->has_bound) {
        print_cost(text, progress->bound);
        add(line, 5, "bound %s", text);
    }
    if (progress->has_best && progress->has_bound)
        add_gap(line, progress->best, progress->bound);
    print_seconds(text, seconds);
    add(line, 3, "%s", text);
}

static void add_stage(live_line *line, const kan_progress *progress) {
    char done[32], total[32];
    print_count(done, progress->done);
    print_count(total, progress->total);
    if (progress->total > 0 && progress->done <= progress->total) {
        add(line, 1, "%3.0f%%", 100.0 * (double)progress->done / (double)progress->total);
        add(line, 2, "%s of %s", done, total);
    } else
        add(line, 1, "%s", progress->done > 0 ? done : "...");
}

static size_t columns_of(const live_line *line) {
    size_t columns = 9; /* the stage and a blank */
    for (size_t i = 0; i < line->n; i++)
        columns += strlen(line->parts[i].text) + (i > 0 ? 2 : 0);
    return columns;
}

static void leave_out_least(live_line *line) {
    size_t least = 0;
    for (size_t i = 1; i < line->n; i++)
        if (line->parts[i].leaves > line->parts[least].leaves)
            least = i;
    memmove(&line->parts[least], &line->parts[least + 1],
            (line->n - least - 1) * sizeof line->parts[0]);
    line->n--;
}

void cli_live_line(const kan_progress *progress, double seconds, unsigned width,
                   char room[CLI_LINE_BYTES]) {
    live_line line = {.n = 0};
    if (progress->has_best || progress->has_bound)
        add_search(&line, progress, seconds);
    else
        add_stage(&line, progress);
    while (line.n > 1 && columns_of(&line) > width)
        leave_out_least(&line);
    int size = snprintf(room, CLI_LINE_BYTES, "%-8s ", progress->stage);
    for (size_t i = 0; i < line.n && size < CLI_LINE_BYTES; i++)
        size += snprintf(room + size, (size_t)(CLI_LINE_BYTES - size), "%s%s", i > 0 ? "  " : "",
                         line.parts[i].text);
    if (width < CLI_LINE_BYTES)
        room[width] = '\0';
}
