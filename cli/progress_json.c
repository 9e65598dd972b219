/* Progress for programs: one JSON object per line, with the same keys in every line, null where
 * nothing is known. Keys are added over time, never renamed. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "cli.h"

typedef struct {
    char *room;
    size_t size;
} json_line;

__attribute__((format(printf, 2, 3))) static void put(json_line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line->room + line->size, CLI_JSON_BYTES - line->size, format, arguments);
    va_end(arguments);
    if (n > 0 && line->size + (size_t)n < CLI_JSON_BYTES)
        line->size += (size_t)n;
}

static void add_number(json_line *line, const char *key, bool is_known, double number) {
    if (is_known && isfinite(number))
        put(line, ",\"%s\":%.12g", key, number);
    else
        put(line, ",\"%s\":null", key);
}

static void add_count(json_line *line, const char *key, bool is_known, uint64_t count) {
    if (is_known)
        put(line, ",\"%s\":%" PRIu64, key, count);
    else
        put(line, ",\"%s\":null", key);
}

static uint64_t whole_ms(double seconds) {
    return seconds > 0 ? (uint64_t)(seconds * 1000 + 0.5) : 0;
}

void cli_progress_json(const kan_progress *progress, double stage_seconds, double seconds,
                       char room[CLI_JSON_BYTES]) {
    json_line line = {.room = room};
    const bool has_total = progress->total > 0 && progress->done <= progress->total;
    const bool has_rate = stage_seconds >= 0.1 && progress->done > 0;
    const bool has_gap = progress->has_best && progress->has_bound;
    const double gap = progress->best > 0 ? (progress->best - progress->bound) / progress->best : 0;
    const double left = cli_seconds_left(progress, stage_seconds);
    /* Names of stages and units are our own words: nothing in them needs an escape. */
    put(&line, "{\"stage\":\"%s\"", progress->stage);
    if (progress->unit)
        put(&line, ",\"unit\":\"%s\"", progress->unit);
    else
        put(&line, ",\"unit\":null");
    add_count(&line, "done", true, progress->done);
    add_count(&line, "total", has_total, progress->total);
    add_number(&line, "share", has_total,
               has_total ? (double)progress->done / (double)progress->total : 0);
    add_number(&line, "per_second", has_rate,
               has_rate ? round(10 * (double)progress->done / stage_seconds) / 10 : 0);
    add_number(&line, "best", progress->has_best, progress->best);
    add_number(&line, "bound", progress->has_bound, progress->bound);
    add_number(&line, "gap", has_gap, gap > 0 ? gap : 0);
    add_count(&line, "memory_bytes", true, progress->memory_bytes);
    add_count(&line, "stage_ms", true, whole_ms(stage_seconds));
    add_count(&line, "elapsed_ms", true, whole_ms(seconds));
    add_count(&line, "eta_ms", left >= 0, whole_ms(left));
    put(&line, "}");
}
