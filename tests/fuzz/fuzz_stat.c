/* Any bytes are read as a file of SPSS, Stata or SAS without harm to the process: libreadstat may
 * crash in its child, and what comes is a table or an error.
 *
 * The first byte chooses the format, the second whether the rest are the bytes of the file, or
 * changes to a small one that our own sink wrote: so no file has to be kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sink.h"
#include "io/stat/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_KINDS = 6, FILE_BYTES = 1 << 16 };

static const kan_source_kind *const sources[N_KINDS] = {&kan_source_sav, &kan_source_zsav,
                                                        &kan_source_por, &kan_source_dta,
                                                        &kan_source_xpt, &kan_source_sas7bdat};
static const kan_sink_kind *const sinks[N_KINDS] = {&kan_sink_sav, &kan_sink_zsav, &kan_sink_por,
                                                    &kan_sink_dta, &kan_sink_xpt,  NULL};

static void require(bool holds, const char *claim, const kan_run *run) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", claim, kan_run_error(run));
        abort();
    }
}

/* A number with labels and a missing code, a date, and a text. */
static size_t make_file(kan_run *run, const kan_sink_kind *kind, char *out) {
    static const kan_value_label labels[] = {{{"1", 1}, {"Yes", 3}}, {{"2", 1}, {"No", 2}}};
    static const kan_missing_range nine[] = {{9, 9}};
    static const kan_field fields[] = {{.name = "A",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = labels,
                                        .n_labels = 2,
                                        .missing = nine,
                                        .n_missing = 1},
                                       {.name = "B", .type = KAN_FIELD_DATE, .label = "Born"},
                                       {.name = "C", .type = KAN_FIELD_TEXT}};
    static const kan_slice values[3][3] = {{{"1", 1}, {"2", 1}, {"9", 1}},
                                           {{"1980-03-14", 10}, {"", 0}, {"1900-01-01", 10}},
                                           {{"text", 4}, {"some longer text", 16}, {"", 0}}};
    static const uint8_t codes[] = {0, 1, 2, 1};
    kan_release_column columns[3];
    for (size_t i = 0; i < 3; i++)
        columns[i] = (kan_release_column){.name = fields[i].name,
                                          .width = 1,
                                          .codes = codes,
                                          .labels = values[i],
                                          .n_labels = 3,
                                          .field = &fields[i],
                                          .shows_values = true,
                                          .is_as_is = true};
    const kan_release release = {.n_rows = 4, .n_released = 4, .n_columns = 3, .columns = columns};
    const kan_sink_order order = {.kind = kind, .release = &release, .target = "-"};
    kan_sink *sink = NULL;
    require(kan_sink_write(run, &order, &sink) == KAN_OK, "a file is written", run);
    FILE *file = fopen(kan_sink_path(sink), "rb");
    const size_t size = file ? fread(out, 1, FILE_BYTES, file) : 0;
    if (file)
        (void)fclose(file);
    kan_sink_close(sink);
    require(size > 0, "it can be read", run);
    return size;
}

/* Three bytes a change: where, and what; a fourth kind cuts the end off. */
static size_t change(char *file, size_t size, const uint8_t *data, size_t n) {
    for (; n >= 3; data += 3, n -= 3) {
        const size_t at = ((size_t)data[0] << 8 | data[1]) % size;
        if (at == size - 1 && size > 1)
            size -= data[2] % size;
        else
            file[at] = (char)data[2];
    }
    return size;
}

static void read_all(kan_run *run, const kan_source_kind *kind, const char *path) {
    const kan_source_options options = {.given = NULL};
    kan_source *source;
    kan_table *table = NULL;
    kan_status status = kan_source_open(run, kind, path, &options, &source);
    if (status == KAN_OK) {
        const size_t n = kan_source_n_columns(source);
        bool *all = malloc(n);
        if (!all)
            abort();
        memset(all, true, n);
        status = kan_source_read(source, all, NULL, &table);
        free(all);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    require(status == KAN_OK || (status == KAN_BAD_INPUT && *kan_run_error(run)),
            "a table or bad input", run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char file[FILE_BYTES];
    char path[64];
    if (size < 3 || size - 2 > FILE_BYTES)
        return 0;
    const size_t kind = data[0] % N_KINDS;
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 1);
    size_t n = size - 2;
    if (data[1] % 4 != 0 && sinks[kind])
        n = change(file, make_file(run, sinks[kind], file), data + 2, size - 2);
    else
        memcpy(file, data + 2, n);
    (void)snprintf(path, sizeof path, "/tmp/kanon-fuzz-stat-%ld", (long)getpid());
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(file, 1, n, to) != n || fclose(to) != 0)
        abort();
    read_all(run, sources[kind], path);
    (void)unlink(path);
    kan_run_destroy(run);
    return 0;
}
