/* Writing releases: what stands in them, and when they come to exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "io/csv/csv_source.h"

typedef struct {
    kan_run *run;
    char folder[64];
    char target[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->run = kan_run_create();
    strcpy(f->folder, "/tmp/kanon-write-XXXXXX");
    if (!f->run || !mkdtemp(f->folder))
        return 1;
    snprintf(f->target, sizeof f->target, "%s/out.csv", f->folder);
    *state = f;
    return 0;
}

static size_t count_files(const fixture *f) {
    DIR *folder = opendir(f->folder);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return n;
}

static int tear_down(void **state) {
    fixture *f = *state;
    char command[128];
    kan_run_destroy(f->run);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    int failed = system(command);
    free(f);
    return failed;
}

/* ---- helpers -------------------------------------------------------------------------------- */

static const bool all[64] = {true, true, true, true, true, true,
                             true, true, true, true, true, true};

/* A release of a table as it was read; the columns of `passes` pass through. */
typedef struct {
    kan_csv_source *source;
    kan_table *table;
    kan_release release;
    kan_release_column columns[16];
    kan_slice *labels[16];
} made_release;

static void release_make(kan_run *run, const char *text, char separator, const bool *passes,
                         size_t block_bytes, made_release *made) {
    memset(made, 0, sizeof *made);
    if (kan_csv_open_bytes(run, "t.csv", text, strlen(text), separator, &made->source) != KAN_OK ||
        kan_csv_read_tuned(made->source, all, (kan_csv_tuning){block_bytes, false}, &made->table) !=
            KAN_OK)
        fail_msg("%s", kan_run_error(run));
    made->release = (kan_release){.n_rows = made->table->n_rows,
                                  .n_released = made->table->n_rows,
                                  .n_columns = made->table->n_columns,
                                  .columns = made->columns};
    for (size_t i = 0; i < made->table->n_columns; i++) {
        const kan_column *column = &made->table->columns[i];
        made->labels[i] = calloc(column->dictionary.n + 1u, sizeof(kan_slice));
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            made->labels[i][code] = kan_dictionary_value(&column->dictionary, code);
        made->columns[i] = (kan_release_column){.name = column->name,
                                                .source_column = i,
                                                .passes_through = passes && passes[i],
                                                .is_quasi = true,
                                                .width = column->width,
                                                .codes = column->codes,
                                                .labels = made->labels[i],
                                                .n_labels = column->dictionary.n};
    }
}

static void release_free(made_release *made) {
    for (size_t i = 0; i < made->table->n_columns; i++)
        free(made->labels[i]);
    kan_table_destroy(made->table);
    kan_csv_close(made->source);
}

static char *file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    (void)fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void assert_file(const char *path, const char *expected) {
    char *text = file_text(path);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* Writes a release beside its target, which gets its name with kan_target_commit. */
static kan_status write_target(kan_run *run, const kan_release *release, kan_csv_source *source,
                               char separator, const char *path, bool overwrite, kan_target **out) {
    kan_formulas formulas = {0};
    kan_target *target;
    KAN_TRY(kan_target_open(run, path, overwrite, KAN_TARGET_SHARED, &target));
    kan_status status = kan_csv_write(run, release, source, separator, target, &formulas);
    if (status == KAN_OK)
        status = kan_target_finish(target);
    if (status == KAN_OK)
        *out = target;
    else
        kan_target_close(target);
    return status;
}

static void write_and_commit(fixture *f, made_release *made, char separator, bool overwrite) {
    kan_target *sink = NULL;
    if (write_target(f->run, &made->release, made->source, separator, f->target, overwrite,
                     &sink) != KAN_OK ||
        kan_target_commit(sink) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    kan_target_close(sink);
}

static void assert_written(fixture *f, const char *text, const bool *passes, char separator,
                           const char *expected) {
    made_release made;
    release_make(f->run, text, 0, passes, 16, &made);
    write_and_commit(f, &made, separator, true);
    assert_file(f->target, expected);
    release_free(&made);
}

/* ---- what is written ------------------------------------------------------------------------ */

static void release_quotes_labels_where_needed(void **state) {
    assert_written(*state,
                   "a,\"b,c\"\n\"1,2\",\"x\"\ny,\"say \"\"hi\"\"\"\n\"l\nm\",\" n\"\n\"\",o ", NULL,
                   ',', "a,\"b,c\"\n\"1,2\",x\ny,\"say \"\"hi\"\"\"\n\"l\nm\",\" n\"\n,\"o \"\n");
}

static void release_quotes_the_empty_value_of_a_single_column(void **state) {
    static const bool passes[] = {true};
    assert_written(*state, "a\n\n1\n\n", NULL, ',', "a\n\"\"\n1\n\"\"\n");
    assert_written(*state, "a\n\n1\n\"\"\n", passes, ',', "a\n\"\"\n1\n\"\"\n");
}

static void columns_pass_through_unchanged(void **state) {
    static const bool passes[] = {false, true, true};
    assert_written(*state, "a,b,c\n1,\"x,\n\"\"y\", z \r\n2,,\"\"\n", passes, ',',
                   "a,b,c\n1,\"x,\n\"\"y\", z \n2,,\"\"\n");
}

static void another_separator_is_quoted_where_it_occurs(void **state) {
    static const bool passes[] = {false, true};
    assert_written(*state, "a,b\n1;2,3;4\n5,\"6,7\"\n", NULL, ';', "a;b\n\"1;2\";\"3;4\"\n5;6,7\n");
    assert_written(*state, "a,b\n1;2,3;4\n5,\"6,7\"\n", passes, ';',
                   "a;b\n\"1;2\";\"3;4\"\n5;\"6,7\"\n");
}

static void a_first_name_that_looks_like_another_file_is_quoted(void **state) {
    assert_written(*state,
                   "\xef\xbb\xbf\xef\xbb\xbf"
                   "a,b\n1,2\n",
                   NULL, ',',
                   "\"\xef\xbb\xbf"
                   "a\",b\n1,2\n");
}

static void suppressed_rows_are_left_out_or_starred(void **state) {
    fixture *f = *state;
    static const bool passes[] = {false, false, true};
    static const uint8_t suppressed[] = {0, 1, 0};
    made_release made;
    release_make(f->run, "a,s,c\n1,x,p\n2,y,q\n3,z,r\n", 0, passes, 0, &made);
    made.columns[1].is_quasi = made.columns[2].is_quasi = false;
    made.release.is_suppressed = suppressed;
    made.release.n_released = 2;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "a,s,c\n1,x,p\n3,z,r\n");
    made.release.keeps_suppressed = true;
    made.release.n_released = 3;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "a,s,c\n1,x,p\n*,*,*\n3,z,r\n");
    made.release.shows_suppressed = true;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "a,s,c\n1,x,p\n*,y,q\n3,z,r\n");
    made.columns[2].is_quasi = true;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "a,s,c\n1,x,p\n*,y,*\n3,z,r\n");
    release_free(&made);
}

static void rows_follow_the_given_order(void **state) {
    fixture *f = *state;
    static const bool some[] = {false, true}, second_alone[] = {true, false};
    static const uint64_t order[] = {2, 0, 1};
    static const uint8_t suppressed[] = {1, 0, 0};
    made_release made;
    for (int i = 0; i < 3; i++) {
        release_make(f->run, "a,b\n1,\"x\n\"\n2,y\n3,z", 0,
                     i == 0   ? NULL
                     : i == 1 ? some
                              : second_alone,
                     5, &made);
        made.release.order = order;
        write_and_commit(f, &made, ',', true);
        assert_file(f->target, "a,b\n3,z\n1,\"x\n\"\n2,y\n");
        made.release.is_suppressed = suppressed;
        made.release.n_released = 2;
        write_and_commit(f, &made, ',', true);
        assert_file(f->target, "a,b\n3,z\n2,y\n");
        release_free(&made);
    }
}

/* Two rows in one group, the third in another; one column shows its own values. */
static void columns_by_group_show_what_the_group_does(void **state) {
    fixture *f = *state;
    static const bool passes[] = {false, false, true};
    static const uint32_t group_of_row[] = {1, 0, 1};
    static const uint64_t order[] = {2, 0, 1};
    static const uint32_t codes[] = {1, 0};
    const kan_slice labels[] = {kan_slice_of("[1-2]"), kan_slice_of("{a, b}")};
    made_release made;
    release_make(f->run, "x,y,z\n1,p,q\n2,r,s\n3,t,u\n", 0, passes, 16, &made);
    made.release.group_of_row = group_of_row;
    made.columns[0].by_group = true;
    made.columns[0].width = sizeof *codes;
    made.columns[0].codes = codes;
    made.columns[0].labels = labels;
    made.columns[0].n_labels = 2;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "x,y,z\n[1-2],p,q\n\"{a, b}\",r,s\n[1-2],t,u\n");
    made.release.order = order;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "x,y,z\n[1-2],t,u\n[1-2],p,q\n\"{a, b}\",r,s\n");
    release_free(&made);
}

static void columns_can_be_left_out(void **state) {
    fixture *f = *state;
    made_release made;
    release_make(f->run, "id,a,b\n7,1,x\n8,2,\n", 0, NULL, 0, &made);
    made.columns[0] = made.columns[2];
    made.columns[0].passes_through = true;
    made.release.n_columns = 1;
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "b\nx\n\"\"\n");
    release_free(&made);
}

static void a_wrong_number_of_rows_is_found(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n2\n", 0, NULL, 0, &made);
    made.release.n_released = 1;
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, false, &sink),
                     KAN_FAILED);
    assert_null(sink);
    assert_int_equal(count_files(f), 0);
    release_free(&made);
}

/* Random tables, random passing columns, order and suppression, any threads: what was written reads
 * back as what was meant. */
static void releases_read_back_as_they_were_meant(void **state) {
    fixture *f = *state;
    uint64_t random = 41;
    for (int round = 0; round < 300; round++) {
        static char text[60000];
        size_t n_columns = 1 + kan_random_below(&random, 4), size = 0;
        size_t n_rows = 1 + kan_random_below(&random, 200);
        bool passes[4], shuffles = kan_random_below(&random, 3) == 0;
        uint8_t suppressed[200];
        uint64_t order[200];
        made_release made;
        for (size_t i = 0; i < n_columns; i++) {
            passes[i] = kan_random_below(&random, 2);
            size += (size_t)sprintf(text + size, "c%zu%c", i, i + 1 < n_columns ? ',' : '\n');
        }
        for (size_t row = 0; row < n_rows; row++)
            for (size_t i = 0; i < n_columns; i++) {
                bool is_quoted = kan_random_below(&random, 3) == 0;
                size_t n = kan_random_below(&random, 30);
                size += (size_t)sprintf(text + size, is_quoted ? "\"" : "");
                for (size_t c = 0; c < n; c++)
                    size += (size_t)sprintf(
                        text + size, "%s",
                        is_quoted
                            ? ((const char *[]){"a", ",", "\"\"", "\n", "\r", ";",
                                                " "})[kan_random_below(&random, 7)]
                            : ((const char *[]){"a", "b", " ", ";"})[kan_random_below(&random, 4)]);
                size += (size_t)sprintf(text + size, "%s%s", is_quoted ? "\"" : "",
                                        i + 1 < n_columns ? "," : "\n");
            }
        kan_run_set_threads(f->run, 1 + (unsigned)round % 3);
        release_make(f->run, text, ',', passes, 1 + kan_random_below(&random, 300), &made);
        assert_int_equal(made.table->n_rows, n_rows);
        uint64_t n_released = 0;
        for (size_t row = 0; row < n_rows; row++) {
            order[row] = row;
            suppressed[row] = kan_random_below(&random, 5) == 0;
            n_released += !suppressed[row];
        }
        for (size_t row = n_rows; shuffles && row > 1; row--) {
            size_t other = kan_random_below(&random, row);
            uint64_t swapped = order[row - 1];
            order[row - 1] = order[other];
            order[other] = swapped;
        }
        made.release.order = shuffles ? order : NULL;
        made.release.is_suppressed = suppressed;
        made.release.n_released = n_released;
        char separator = ",;"[kan_random_below(&random, 2)];
        kan_target *sink = NULL;
        assert_int_equal(
            write_target(f->run, &made.release, made.source, separator, f->target, true, &sink),
            KAN_OK);
        kan_csv_source *again;
        assert_int_equal(kan_csv_open(f->run, kan_target_path(sink), separator, &again), KAN_OK);
        kan_table *table = NULL;
        kan_status status = kan_csv_read(again, all, &table);
        assert_int_equal(status, n_released ? KAN_OK : KAN_BAD_INPUT);
        uint64_t out = 0;
        for (size_t i = 0; n_released && i < n_rows; i++) {
            if (suppressed[order[i]])
                continue;
            for (size_t c = 0; c < n_columns; c++)
                assert_true(kan_slice_equal(kan_column_value(&table->columns[c], out),
                                            kan_column_value(&made.table->columns[c], order[i])));
            out++;
        }
        assert_int_equal(out, n_released);
        kan_table_destroy(table);
        kan_csv_close(again);
        kan_target_close(sink);
        assert_int_equal(count_files(f), 0); /* it was never committed */
        release_free(&made);
    }
}

static void many_rows_come_in_order_from_any_number_of_threads(void **state) {
    fixture *f = *state;
    enum { ROWS = 100000 };
    char *text = malloc(ROWS * 24 + 100);
    size_t size = (size_t)sprintf(text, "a,b\n");
    static const bool passes[] = {false, true};
    made_release made;
    for (unsigned i = 0; i < ROWS; i++)
        size += (size_t)sprintf(text + size, "%u,x%u\n", i % 977, i);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int way = 0; way < 2; way++) {
            kan_run_set_threads(f->run, threads);
            release_make(f->run, text, 0, way ? passes : NULL, 0, &made);
            write_and_commit(f, &made, ',', true);
            FILE *file = fopen(f->target, "rb");
            char *back = malloc(size + 1);
            assert_int_equal(fread(back, 1, size + 1, file), size);
            assert_memory_equal(back, text, size);
            fclose(file);
            free(back);
            release_free(&made);
        }
    free(text);
}

static void compressed_targets_read_back(void **state) {
    fixture *f = *state;
    made_release made;
    release_make(f->run, "a,b\n1,x\n2,y\n", 0, NULL, 0, &made);
    for (int i = 0; i < 2; i++) {
        kan_csv_source *source;
        kan_table *table;
        snprintf(f->target, sizeof f->target, "%s/out.csv.%s", f->folder, i ? "zst" : "gz");
        write_and_commit(f, &made, ',', false);
        char *bytes = file_text(f->target);
        assert_memory_equal(bytes, i ? "\x28\xb5\x2f\xfd" : "\x1f\x8b", i ? 4 : 2);
        free(bytes);
        assert_int_equal(kan_csv_open(f->run, f->target, 0, &source), KAN_OK);
        assert_int_equal(kan_csv_read(source, all, &table), KAN_OK);
        assert_int_equal(table->n_rows, 2);
        assert_true(kan_slice_is(kan_column_value(&table->columns[1], 1), "y"));
        kan_table_destroy(table);
        kan_csv_close(source);
    }
    release_free(&made);
}

/* ---- when it comes to exist ----------------------------------------------------------------- */

static void nothing_has_the_name_before_commit(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, false, &sink),
                     KAN_OK);
    assert_int_equal(access(f->target, F_OK), -1);
    assert_file(kan_target_path(sink), "a\n1\n");
    kan_target_close(sink);
    assert_int_equal(count_files(f), 0);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, false, &sink),
                     KAN_OK);
    assert_int_equal(kan_target_commit(sink), KAN_OK);
    kan_target_close(sink);
    assert_int_equal(count_files(f), 1);
    assert_file(f->target, "a\n1\n");
    struct stat target;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(f->target, &target), 0);
    assert_int_equal(target.st_mode & 0777, 0666 & ~mask);
    release_free(&made);
}

static void an_existing_file_is_replaced_only_when_asked(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    FILE *file = fopen(f->target, "w");
    fputs("mine", file);
    fclose(file);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, false, &sink),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(f->run), "exists"));
    assert_null(sink);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, true, &sink),
                     KAN_OK);
    assert_file(f->target, "mine");
    assert_int_equal(kan_target_commit(sink), KAN_OK);
    kan_target_close(sink);
    assert_file(f->target, "a\n1\n");
    assert_int_equal(count_files(f), 1);
    release_free(&made);
}

static void a_file_that_appears_meanwhile_is_kept(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, false, &sink),
                     KAN_OK);
    FILE *file = fopen(f->target, "w");
    fputs("mine", file);
    fclose(file);
    assert_int_equal(kan_target_commit(sink), KAN_BAD_INPUT);
    kan_target_close(sink);
    assert_file(f->target, "mine");
    assert_int_equal(count_files(f), 1);
    release_free(&made);
}

static void the_input_can_be_replaced_by_its_release(void **state) {
    fixture *f = *state;
    made_release made;
    static const bool passes[] = {true, false};
    FILE *file = fopen(f->target, "w");
    fputs("a,b\n1,x\n2,y\n", file);
    fclose(file);
    release_make(f->run, "a,b\n1,x\n2,y\n", 0, passes, 0, &made);
    kan_csv_close(made.source);
    kan_table *table;
    assert_int_equal(kan_csv_open(f->run, f->target, 0, &made.source), KAN_OK);
    assert_int_equal(kan_csv_read(made.source, all, &table), KAN_OK);
    made.labels[1][0] = made.labels[1][1] = kan_slice_of("x-y");
    write_and_commit(f, &made, ',', true);
    assert_file(f->target, "a,b\n1,x-y\n2,x-y\n");
    kan_table_destroy(table);
    release_free(&made);
}

static void a_source_that_was_changed_is_found_out(void **state) {
    fixture *f = *state;
    made_release made;
    static const bool passes[] = {true, false};
    char input[96];
    kan_target *sink = NULL;
    kan_table *table;
    snprintf(input, sizeof input, "%s/in.csv", f->folder);
    FILE *file = fopen(input, "w");
    fputs("a,b\n1,x\n2,y\n", file);
    fclose(file);
    release_make(f->run, "a,b\n1,x\n2,y\n", 0, passes, 0, &made);
    kan_csv_close(made.source);
    assert_int_equal(kan_csv_open(f->run, input, 0, &made.source), KAN_OK);
    assert_int_equal(kan_csv_read(made.source, all, &table), KAN_OK);
    int changed = open(input, O_WRONLY);
    assert_int_equal(pwrite(changed, "\n", 1, 5), 1);
    (void)close(changed);
    assert_int_equal(write_target(f->run, &made.release, made.source, ',', f->target, false, &sink),
                     KAN_FAILED);
    assert_non_null(strstr(kan_run_error(f->run), "in.csv: the file was changed"));
    assert_int_equal(count_files(f), 1);
    kan_table_destroy(table);
    release_free(&made);
}

/* A mapped file would end the program here, with and without another order. */
static void a_source_that_is_cut_short_before_the_release_is_an_error(void **state) {
    fixture *f = *state;
    static const bool passes[] = {true, false};
    uint64_t order[] = {1, 0};
    char input[96];
    snprintf(input, sizeof input, "%s/in.csv", f->folder);
    for (int is_shuffled = 0; is_shuffled < 2; is_shuffled++) {
        made_release made;
        kan_target *sink = NULL;
        kan_table *table;
        FILE *file = fopen(input, "w");
        assert_non_null(file);
        fputs("a,b\n1,x\n2,y\n", file);
        fclose(file);
        release_make(f->run, "a,b\n1,x\n2,y\n", 0, passes, 0, &made);
        made.release.order = is_shuffled ? order : NULL;
        kan_csv_close(made.source);
        assert_int_equal(kan_csv_open(f->run, input, 0, &made.source), KAN_OK);
        assert_int_equal(kan_csv_read(made.source, all, &table), KAN_OK);
        assert_int_equal(truncate(input, 0), 0);
        assert_int_equal(
            write_target(f->run, &made.release, made.source, ',', f->target, false, &sink),
            KAN_FAILED);
        assert_non_null(strstr(kan_run_error(f->run), "in.csv: the file was changed"));
        assert_int_equal(count_files(f), 1);
        kan_table_destroy(table);
        release_free(&made);
    }
}

static void a_link_stays_and_its_file_is_replaced(void **state) {
    fixture *f = *state;
    made_release made;
    char real[96];
    struct stat link;
    snprintf(real, sizeof real, "%s/real.csv", f->folder);
    FILE *file = fopen(real, "w");
    fputs("old", file);
    fclose(file);
    assert_int_equal(symlink("real.csv", f->target), 0);
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    write_and_commit(f, &made, ',', true);
    assert_int_equal(lstat(f->target, &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_file(real, "a\n1\n");
    release_free(&made);
}

static void devices_are_written_to_and_not_replaced(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    struct stat device;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', "/dev/null", true, &sink),
                     KAN_OK);
    assert_int_equal(kan_target_commit(sink), KAN_OK);
    kan_target_close(sink);
    assert_int_equal(stat("/dev/null", &device), 0);
    assert_true(S_ISCHR(device.st_mode));
    if (stat("/dev/full", &device) == 0) {
        assert_int_equal(write_target(f->run, &made.release, NULL, ',', "/dev/full", true, &sink),
                         KAN_OK);
        assert_int_equal(kan_target_commit(sink), KAN_FAILED);
        assert_non_null(strstr(kan_run_error(f->run), "/dev/full: cannot be written: No space"));
        kan_target_close(sink);
    }
    release_free(&made);
}

/* Runs a commit to standard output with `to` in its place. */
static kan_status commit_to(fixture *f, made_release *made, int to) {
    kan_target *sink = NULL;
    assert_int_equal(write_target(f->run, &made->release, NULL, ',', "-", false, &sink), KAN_OK);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(to, STDOUT_FILENO);
    kan_status status = kan_target_commit(sink);
    dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    kan_target_close(sink);
    return status;
}

static void standard_output_gets_the_whole_release(void **state) {
    fixture *f = *state;
    made_release made;
    int file = open(f->target, O_RDWR | O_CREAT | O_EXCL, 0600), ends[2];
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    assert_int_equal(commit_to(f, &made, file), KAN_OK);
    assert_file(f->target, "a\n1\n");
    (void)close(file);
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]); /* nobody reads: an error, not the end of the program */
    assert_int_equal(commit_to(f, &made, ends[1]), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(f->run), "standard output: cannot be written"));
    (void)close(ends[1]);
    release_free(&made);
}

static void impossible_targets_are_named(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    assert_int_equal(
        write_target(f->run, &made.release, NULL, ',', "/tmp/no/such/out.csv", false, &sink),
        KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(f->run), "create the folder first"));
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->folder, true, &sink),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(f->run), "is a directory"));
    assert_int_equal(write_target(f->run, &made.release, NULL, '"', f->target, true, &sink),
                     KAN_BAD_INPUT);
    assert_null(sink);
    assert_int_equal(count_files(f), 0);
    release_free(&made);
}

static void a_cancelled_write_leaves_nothing(void **state) {
    fixture *f = *state;
    made_release made;
    kan_target *sink = NULL;
    release_make(f->run, "a\n1\n", 0, NULL, 0, &made);
    kan_run_cancel(f->run);
    assert_int_equal(write_target(f->run, &made.release, NULL, ',', f->target, true, &sink),
                     KAN_CANCELLED);
    assert_null(sink);
    assert_int_equal(count_files(f), 0);
    release_free(&made);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CLAIM(release_quotes_labels_where_needed),
        CLAIM(release_quotes_the_empty_value_of_a_single_column),
        CLAIM(columns_pass_through_unchanged),
        CLAIM(another_separator_is_quoted_where_it_occurs),
        CLAIM(a_first_name_that_looks_like_another_file_is_quoted),
        CLAIM(suppressed_rows_are_left_out_or_starred),
        CLAIM(rows_follow_the_given_order),
        CLAIM(columns_by_group_show_what_the_group_does),
        CLAIM(columns_can_be_left_out),
        CLAIM(a_wrong_number_of_rows_is_found),
        CLAIM(releases_read_back_as_they_were_meant),
        CLAIM(many_rows_come_in_order_from_any_number_of_threads),
        CLAIM(compressed_targets_read_back),
        CLAIM(nothing_has_the_name_before_commit),
        CLAIM(an_existing_file_is_replaced_only_when_asked),
        CLAIM(a_file_that_appears_meanwhile_is_kept),
        CLAIM(the_input_can_be_replaced_by_its_release),
        CLAIM(a_source_that_was_changed_is_found_out),
        CLAIM(a_source_that_is_cut_short_before_the_release_is_an_error),
        CLAIM(a_link_stays_and_its_file_is_replaced),
        CLAIM(devices_are_written_to_and_not_replaced),
        CLAIM(standard_output_gets_the_whole_release),
        CLAIM(impossible_targets_are_named),
        CLAIM(a_cancelled_write_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
