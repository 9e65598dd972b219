/* The words of the live line: how far a stage has come, in one line that never wraps. Where the
 * terminal is narrow, what matters least is left out: memory goes first, then the rate; the share
 * or the best cost stays to the end. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"

enum { MOST_PARTS = 8, PART_BYTES = 80 };

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

/* At most three digits: 1.5 MiB, 320 MiB. */
static void print_bytes(char room[32], uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes;
    size_t unit = 0;
    for (; amount >= 999.5 && unit < 6; unit++)
        amount /= 1024;
    snprintf(room, 32, unit > 0 && amount < 9.95 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
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

static bool has_share(const kan_progress *progress) {
    return progress->total > 0 && progress->done <= progress->total;
}

static bool has_cost(const kan_progress *progress) {
    return progress->has_best || progress->has_bound;
}

double cli_seconds_left(const kan_progress *progress, double seconds) {
    double left = -1;
    if (has_share(progress) && progress->done > 0 && seconds >= 1)
        left = seconds * (double)(progress->total - progress->done) / (double)progress->done;
    if (progress->has_limit && (left < 0 || left > progress->limit_ms / 1000))
        left = progress->limit_ms / 1000;
    return left;
}

static void add_gap(live_line *line, double best, double bound) {
    const double percent = best > 0 ? 100 * (best - bound) / best : 0;
    /* What is not proven must not look as if it were. */
    if (percent > 0 && percent < 0.1)
        add(line, 2, "gap < 0.1 %%");
    else
        add(line, 2, "gap %.1f %%", percent > 0 ? percent : 0);
}

/* Bytes as sizes, all else as counts. */
static void print_amount(char room[32], uint64_t amount, const char *unit) {
    if (unit && strcmp(unit, "bytes") == 0)
        print_bytes(room, amount);
    else
        print_count(room, amount);
}

static void add_done(live_line *line, const kan_progress *progress) {
    const bool is_bytes = progress->unit && strcmp(progress->unit, "bytes") == 0;
    const char *unit = is_bytes || !progress->unit ? "" : progress->unit;
    char done[32], total[32];
    print_amount(done, progress->done, progress->unit);
    print_amount(total, progress->total, progress->unit);
    if (has_share(progress)) {
        add(line, 1, "%3.0f%%", 100.0 * (double)progress->done / (double)progress->total);
        add(line, 4, "%s of %s%s%s", done, total, *unit ? " " : "", unit);
    } else if (progress->done > 0 || has_cost(progress)) {
        const size_t n = strlen(unit); /* one state, two states */
        add(line, has_cost(progress) ? 4 : 1, "%s%s%.*s", done, n > 0 ? " " : "",
            (int)(n - (n > 0 && progress->done == 1)), unit);
    } else
        add(line, 1, "...");
}

/* The first second says little about those to come. */
static void add_rate(live_line *line, const kan_progress *progress, double seconds) {
    char rate[32];
    if (seconds < 1 || (double)progress->done < seconds || !progress->unit)
        return;
    print_amount(rate, (uint64_t)((double)progress->done / seconds), progress->unit);
    add(line, 6, "%s/s", rate);
}

static void add_costs(live_line *line, const kan_progress *progress) {
    char text[32];
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
}

static void add_time(live_line *line, const kan_progress *progress, double seconds) {
    char passed[32], left[32];
    const double seconds_left = cli_seconds_left(progress, seconds);
    if (seconds < 1 && !has_cost(progress))
        return;
    print_seconds(passed, seconds);
    if (seconds_left < 0) {
        add(line, 3, "%s", passed);
        return;
    }
    print_seconds(left, seconds_left + 0.5);
    add(line, 3, "%s, %s left", passed, left);
}

static void add_memory(live_line *line, const kan_progress *progress) {
    char text[32];
    if (progress->memory_bytes == 0)
        return;
    print_bytes(text, progress->memory_bytes);
    add(line, 7, "memory %s", text);
}

static size_t line_columns(const live_line *line) {
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
    add_done(&line, progress);
    add_rate(&line, progress, seconds);
    add_costs(&line, progress);
    add_time(&line, progress, seconds);
    add_memory(&line, progress);
    while (line.n > 1 && line_columns(&line) > width)
        leave_out_least(&line);
    int size = snprintf(room, CLI_LINE_BYTES, "%-8s ", progress->stage);
    for (size_t i = 0; i < line.n && size < CLI_LINE_BYTES; i++)
        size += snprintf(room + size, (size_t)(CLI_LINE_BYTES - size), "%s%s", i > 0 ? "  " : "",
                         line.parts[i].text);
    if (width < CLI_LINE_BYTES)
        room[width] = '\0';
}
