/* The synthetic tables: what is in them, that they are the same everywhere, and that a failure
 * leaves nothing behind. Each test works in a directory of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "generate/generate.h"

enum { COLUMNS = 9, MAX_VALUES = 128, MAX_LEVELS = 6, DEFAULT_ROWS = 30162 };

static const char *const NAMES[COLUMNS] = {
    "age",        "gender",     "race",        "marital-status", "education", "native-country",
    "work-class", "occupation", "salary-class"};
static const unsigned CARDINALITIES[COLUMNS] = {74, 2, 5, 7, 16, 41, 7, 14, 2};
static const unsigned HEIGHTS[COLUMNS] = {4, 1, 1, 2, 3, 2, 2, 2, 1};

/* Hashes of the default table of seed 1, and of 1,000 rows of seed 42. */
#define PINNED_DEFAULT 0x7a36d2a35fa067f0u
#define PINNED_SMALL   0xe5cea97fd75bf8dfu

enum { AGE, GENDER, RACE, MARITAL, EDUCATION, COUNTRY, WORK_CLASS, OCCUPATION, SALARY };

typedef struct fixture {
    kan_run *run;
    char directory[64], path[128];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    strcpy(f->directory, "/tmp/kanon-generate-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    DIR *directory = opendir(f->directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(f->directory);
    kan_run_destroy(f->run);
    free(f);
    return 0;
}

/* Valid until the next call. */
static const char *in_directory(fixture *f, const char *name) {
    snprintf(f->path, sizeof f->path, "%s/%s", f->directory, name);
    return f->path;
}

/* Hidden files count. */
static unsigned files_in(const char *path) {
    unsigned n = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory))
        n++;
    closedir(directory);
    return n - 2; /* . and .. */
}

static char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    char *text = malloc((size_t)end + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)end, file), (size_t)end);
    fclose(file);
    text[end] = '\0';
    if (size)
        *size = (size_t)end;
    return text;
}

static void assert_file_is(const char *path, const char *expected) {
    char *text = file_read(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void file_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_error_has(const fixture *f, const char *part) {
    if (!strstr(kan_run_error(f->run), part))
        fail_msg("'%s' does not say '%s'", kan_run_error(f->run), part);
}

static kan_status census(fixture *f, uint64_t rows, uint64_t seed, const char *path,
                         const char *hierarchies, bool overwrite) {
    return kan_generator_census.generate(f->run, rows, seed, path, hierarchies, overwrite);
}

/* ---- a census table with its hierarchies, as codes ------------------------------------------ */

typedef struct table {
    char *texts[COLUMNS]; /* hierarchy files, cut into labels */
    unsigned n_values[COLUMNS], n_levels[COLUMNS];
    const char *label[COLUMNS][MAX_VALUES][MAX_LEVELS]; /* [0]: the value */
    size_t n_rows;
    uint8_t (*codes)[COLUMNS];
    uint64_t count[COLUMNS][MAX_VALUES];
} table;

static void hierarchy_parse(table *t, unsigned column) {
    char *rest = t->texts[column], *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        unsigned level = 0, value = t->n_values[column]++;
        assert_true(value < MAX_VALUES);
        for (char *label; (label = strsep(&line, ";")); level++) {
            assert_true(level < MAX_LEVELS && *label);
            t->label[column][value][level] = label;
        }
        if (value > 0)
            assert_int_equal(level, t->n_levels[column]);
        t->n_levels[column] = level;
    }
}

static unsigned code_of(const table *t, unsigned column, const char *value) {
    for (unsigned code = 0; code < t->n_values[column]; code++)
        if (strcmp(t->label[column][code][0], value) == 0)
            return code;
    fail_msg("%s: no line for '%s'", NAMES[column], value);
    return 0;
}

static void rows_parse(table *t, char *text) {
    char *rest = text, *line = strsep(&rest, "\n");
    assert_string_equal(line, "age,gender,race,marital-status,education,native-country,work-class,"
                              "occupation,salary-class");
    while ((line = strsep(&rest, "\n")) && *line) {
        unsigned column = 0;
        for (char *value; (value = strsep(&line, ",")); column++) {
            assert_true(column < COLUMNS);
            unsigned code = code_of(t, column, value);
            t->codes[t->n_rows][column] = (uint8_t)code;
            t->count[column][code]++;
        }
        assert_int_equal(column, COLUMNS);
        t->n_rows++;
    }
}

/* Generates and reads back; `rows` 0 means the default. */
static table *table_make(fixture *f, uint64_t rows, uint64_t seed) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    char path[128];
    strcpy(path, in_directory(f, "census.csv"));
    assert_int_equal(census(f, rows, seed, path, f->directory, true), KAN_OK);
    for (unsigned column = 0; column < COLUMNS; column++) {
        char name[32];
        snprintf(name, sizeof name, "%s.csv", NAMES[column]);
        t->texts[column] = file_read(in_directory(f, name), NULL);
        hierarchy_parse(t, column);
    }
    t->codes = calloc(rows > 0 ? rows : DEFAULT_ROWS, sizeof *t->codes);
    assert_non_null(t->codes);
    char *text = file_read(path, NULL);
    rows_parse(t, text);
    free(text);
    return t;
}

static void table_free(table *t) {
    for (unsigned column = 0; column < COLUMNS; column++)
        free(t->texts[column]);
    free(t->codes);
    free(t);
}

/* Rows whose column has that label at that level and, unless other is NULL, the same for another;
 * in thousandths of the former. */
static unsigned share(const table *t, unsigned column, unsigned level, const char *label,
                      unsigned other_column, unsigned other_level, const char *other) {
    uint64_t all = 0, both = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        if (strcmp(t->label[column][t->codes[row][column]][level], label) != 0)
            continue;
        all++;
        unsigned code = t->codes[row][other_column];
        both += strcmp(t->label[other_column][code][other_level], other) == 0;
    }
    assert_true(all > 0);
    return (unsigned)(both * 1000 / all);
}

/* ---- patients ------------------------------------------------------------------------------- */

static void patients_are_the_table_of_figure_1(void **state) {
    fixture *f = *state;
    char path[128];
    strcpy(path, in_directory(f, "patients.csv"));
    assert_int_equal(kan_generator_patients.generate(f->run, 0, 5, path, NULL, false), KAN_OK);
    assert_file_is(path, "birthdate,sex,zipcode,disease\n"
                         "1/21/76,Male,53715,Flu\n"
                         "4/13/86,Female,53715,Hepatitis\n"
                         "2/28/76,Male,53703,Brochitis\n"
                         "1/21/76,Male,53703,Broken Arm\n"
                         "4/13/86,Female,53706,Sprained Ankle\n"
                         "2/28/76,Female,53706,Hang Nail\n");
    assert_int_equal(files_in(f->directory), 1);
}

static void patients_have_the_hierarchies_of_figure_2(void **state) {
    fixture *f = *state;
    assert_int_equal(kan_generator_patients.generate(f->run, 0, 1, NULL, f->directory, false),
                     KAN_OK);
    assert_int_equal(files_in(f->directory), 3);
    assert_file_is(in_directory(f, "birthdate.csv"), "1/21/76;*\n2/28/76;*\n4/13/86;*\n");
    assert_file_is(in_directory(f, "sex.csv"), "Male;Person\nFemale;Person\n");
    assert_file_is(in_directory(f, "zipcode.csv"), "53715;5371*;537**\n53710;5371*;537**\n"
                                                   "53706;5370*;537**\n53703;5370*;537**\n");
}

static void patients_refuse_a_number_of_rows(void **state) {
    fixture *f = *state;
    const char *path = in_directory(f, "patients.csv");
    assert_int_equal(kan_generator_patients.generate(f->run, 7, 1, path, f->directory, false),
                     KAN_BAD_INPUT);
    assert_error_has(f, "--rows");
    assert_int_equal(files_in(f->directory), 0);
}

/* ---- what the census holds ------------------------------------------------------------------ */

static void census_has_the_cardinalities_of_figure_9(void **state) {
    assert_int_equal(kan_generator_census.default_rows, DEFAULT_ROWS);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        table *t = table_make(*state, 0, seed);
        assert_int_equal(t->n_rows, DEFAULT_ROWS);
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned distinct = 0;
            for (unsigned code = 0; code < MAX_VALUES; code++)
                distinct += t->count[column][code] > 0;
            assert_int_equal(distinct, CARDINALITIES[column]);
        }
        table_free(t);
    }
}

static void census_of_20000_rows_shows_every_value(void **state) {
    for (uint64_t seed = 100; seed < 112; seed++) {
        table *t = table_make(*state, 20000, seed);
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned code = 0; code < CARDINALITIES[column]; code++)
                assert_true(t->count[column][code] > 0);
        table_free(t);
    }
}

static void census_hierarchies_nest_with_the_heights_of_figure_9(void **state) {
    table *t = table_make(*state, 10, 1);
    unsigned nodes = 1;
    for (unsigned column = 0; column < COLUMNS; column++) {
        assert_int_equal(t->n_values[column], CARDINALITIES[column]);
        assert_int_equal(t->n_levels[column], HEIGHTS[column] + 1);
        nodes *= t->n_levels[column];
        for (unsigned a = 0; a < t->n_values[column]; a++) {
            const char *const *line = t->label[column][a];
            assert_string_equal(line[HEIGHTS[column]], "*");
            for (unsigned b = 0; b < a; b++) {
                const char *const *other = t->label[column][b];
                assert_string_not_equal(line[0], other[0]);
                for (unsigned level = 1; level < HEIGHTS[column]; level++)
                    if (strcmp(line[level], other[level]) == 0)
                        assert_string_equal(line[level + 1], other[level + 1]);
            }
        }
    }
    assert_int_equal(nodes, 12960);
    table_free(t);
}

/* Preorder: the lines of a label stand together, at every level. */
static void census_hierarchies_stand_in_preorder(void **state) {
    table *t = table_make(*state, 10, 1);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned level = 1; level < HEIGHTS[column]; level++)
            for (unsigned a = 2; a < t->n_values[column]; a++)
                for (unsigned b = 0; b + 1 < a; b++)
                    if (strcmp(t->label[column][a][level], t->label[column][b][level]) == 0)
                        assert_string_equal(t->label[column][a][level],
                                            t->label[column][a - 1][level]);
    table_free(t);
}

static void census_ages_fall_into_aligned_ranges(void **state) {
    table *t = table_make(*state, 10, 1);
    for (unsigned code = 0; code < 74; code++)
        assert_int_equal(atoi(t->label[AGE][code][0]), 17 + (int)code);
    static const char *const first[] = {"17", "15-19", "10-19", "0-19", "*"};
    static const char *const last[] = {"90", "90-94", "90-99", "80-99", "*"};
    for (unsigned level = 0; level < 5; level++) {
        assert_string_equal(t->label[AGE][0][level], first[level]);
        assert_string_equal(t->label[AGE][73][level], last[level]);
    }
    table_free(t);
}

static int compare_words(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The Adults database has 19,502 distinct tuples in as many rows. */
static void census_tuples_are_neither_all_alike_nor_all_different(void **state) {
    table *t = table_make(*state, 0, 1);
    uint64_t *tuples = calloc(t->n_rows, sizeof *tuples);
    assert_non_null(tuples);
    for (size_t row = 0; row < t->n_rows; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            tuples[row] = tuples[row] << 7 | t->codes[row][column];
    qsort(tuples, t->n_rows, sizeof *tuples, compare_words);
    size_t distinct = 1, largest = 1, run = 1;
    for (size_t row = 1; row < t->n_rows; row++) {
        run = tuples[row] == tuples[row - 1] ? run + 1 : 1;
        distinct += run == 1;
        largest = run > largest ? run : largest;
    }
    print_message("%zu distinct tuples, the largest group has %zu rows\n", distinct, largest);
    assert_in_range(distinct, 15000, 24000);
    assert_true(largest >= 10);
    free(tuples);
    table_free(t);
}

static void census_columns_depend_on_each_other(void **state) {
    table *t = table_make(*state, 0, 1);
    /* salary on education, gender, occupation and age */
    static const char *const stages[] = {"Primary", "Secondary", "Vocational", "University",
                                         "Postgraduate"};
    unsigned last = 0;
    for (unsigned i = 0; i < 5; i++) {
        unsigned high = share(t, EDUCATION, 1, stages[i], SALARY, 0, "60K-and-over");
        assert_true(high > last + 20);
        last = high;
    }
    assert_true(share(t, GENDER, 0, "Male", SALARY, 0, "60K-and-over") >
                share(t, GENDER, 0, "Female", SALARY, 0, "60K-and-over") + 50);
    assert_true(share(t, OCCUPATION, 0, "Manager", SALARY, 0, "60K-and-over") > 400);
    assert_true(share(t, AGE, 1, "15-19", SALARY, 0, "60K-and-over") < 50);
    /* marital status on age and gender */
    assert_true(share(t, AGE, 1, "15-19", MARITAL, 0, "Single") > 850);
    assert_true(share(t, AGE, 1, "45-49", MARITAL, 0, "Single") < 200);
    assert_true(share(t, MARITAL, 0, "Widowed", GENDER, 0, "Female") > 600);
    /* education on age, occupation on education and gender, work class on occupation */
    assert_int_equal(share(t, AGE, 1, "15-19", EDUCATION, 1, "Postgraduate"), 0);
    assert_true(share(t, EDUCATION, 0, "Doctorate", OCCUPATION, 1, "Leading") > 700);
    assert_true(share(t, EDUCATION, 1, "Primary", OCCUPATION, 1, "Leading") < 100);
    assert_true(share(t, OCCUPATION, 0, "Clerk", GENDER, 0, "Female") > 600);
    assert_int_equal(share(t, OCCUPATION, 0, "Soldier", WORK_CLASS, 0, "Federal-service"), 1000);
    /* country on race, with one country far ahead of a long tail */
    assert_true(share(t, COUNTRY, 0, "India", RACE, 0, "Asian") > 900);
    assert_in_range(t->count[COUNTRY][code_of(t, COUNTRY, "Canada")], 26500, 27800);
    unsigned rare = 0;
    for (unsigned code = 0; code < 41; code++)
        rare += t->count[COUNTRY][code] < 40;
    assert_in_range(rare, 10, 30);
    table_free(t);
}

/* ---- the bytes ------------------------------------------------------------------------------ */

static uint64_t census_hash(fixture *f, uint64_t rows, uint64_t seed) {
    size_t size;
    assert_int_equal(census(f, rows, seed, in_directory(f, "t.csv"), NULL, true), KAN_OK);
    char *text = file_read(in_directory(f, "t.csv"), &size);
    uint64_t hash = kan_hash_bytes(text, size);
    free(text);
    return hash;
}

static void census_bytes_depend_on_the_seed_alone(void **state) {
    fixture *f = *state;
    uint64_t first = census_hash(f, 0, 1);
    assert_true(first == census_hash(f, 0, 1));
    assert_true(first == census_hash(f, DEFAULT_ROWS, 1));
    assert_true(first != census_hash(f, 0, 2));
    assert_true(first != census_hash(f, 0, 0));
}

/* The same on every platform and in every release: published figures rest on it. */
static void census_bytes_are_those_of_the_first_release(void **state) {
    assert_true(census_hash(*state, 0, 1) == PINNED_DEFAULT);
    assert_true(census_hash(*state, 1000, 42) == PINNED_SMALL);
}

static void census_has_as_many_rows_as_asked_for(void **state) {
    static const uint64_t sizes[] = {1, 2, 2047, 2048, 2049, 19999};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        table *t = table_make(*state, sizes[i], 9);
        assert_int_equal(t->n_rows, sizes[i]);
        table_free(t);
    }
}

static void census_memory_does_not_grow_with_the_rows(void **state) {
    fixture *f = *state;
    assert_int_equal(census(f, 10, 1, "/dev/null", NULL, false), KAN_OK);
    uint64_t small = kan_run_peak_memory(f->run);
    assert_int_equal(census(f, 500000, 1, "/dev/null", NULL, false), KAN_OK);
    assert_int_equal(kan_run_peak_memory(f->run), small);
    assert_true(small < 1 << 20);
}

/* ---- the files ------------------------------------------------------------------------------ */

static void an_existing_file_is_kept_unless_overwrite(void **state) {
    fixture *f = *state;
    char path[128];
    strcpy(path, in_directory(f, "t.csv"));
    file_write(path, "mine");
    assert_int_equal(census(f, 10, 1, path, f->directory, false), KAN_BAD_INPUT);
    assert_error_has(f, "--force");
    assert_error_has(f, path);
    assert_file_is(path, "mine");
    assert_int_equal(files_in(f->directory), 1);

    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(census(f, 10, 1, path, f->directory, true), KAN_OK);
    struct stat at;
    assert_int_equal(stat(path, &at), 0);
    assert_true(at.st_size > 500);
    assert_int_equal(at.st_mode & 0777, 0640);
    assert_int_equal(files_in(f->directory), 10);
}

static void an_existing_hierarchy_is_kept_and_no_table_appears(void **state) {
    fixture *f = *state;
    char path[128];
    strcpy(path, in_directory(f, "t.csv"));
    file_write(in_directory(f, "occupation.csv"), "mine");
    assert_int_equal(census(f, 10, 1, path, f->directory, false), KAN_BAD_INPUT);
    assert_error_has(f, "occupation.csv");
    assert_file_is(in_directory(f, "occupation.csv"), "mine");
    assert_int_equal(files_in(f->directory), 1);
}

static void a_new_file_has_the_usual_mode(void **state) {
    fixture *f = *state;
    mode_t mask = umask(027);
    assert_int_equal(census(f, 10, 1, in_directory(f, "t.csv"), NULL, false), KAN_OK);
    umask(mask);
    struct stat at;
    assert_int_equal(stat(in_directory(f, "t.csv"), &at), 0);
    assert_int_equal(at.st_mode & 0777, 0640);
}

static void overwriting_a_link_replaces_the_file_behind_it(void **state) {
    fixture *f = *state;
    char path[128];
    strcpy(path, in_directory(f, "link.csv"));
    file_write(in_directory(f, "t.csv"), "old");
    assert_int_equal(symlink("t.csv", path), 0);
    assert_int_equal(census(f, 10, 1, path, NULL, false), KAN_BAD_INPUT);
    assert_int_equal(census(f, 10, 1, path, NULL, true), KAN_OK);
    struct stat at;
    assert_int_equal(lstat(path, &at), 0);
    assert_true(S_ISLNK(at.st_mode));
    assert_int_equal(lstat(in_directory(f, "t.csv"), &at), 0);
    assert_true(S_ISREG(at.st_mode) && at.st_size > 500);
}

static void a_table_named_like_a_hierarchy_is_refused(void **state) {
    fixture *f = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/./age.csv", f->directory);
    assert_int_equal(census(f, 10, 1, path, f->directory, true), KAN_BAD_INPUT);
    assert_error_has(f, "same name");
    assert_int_equal(files_in(f->directory), 0);
}

static void a_bad_place_is_named(void **state) {
    fixture *f = *state;
    char missing[128];
    strcpy(missing, in_directory(f, "nowhere"));
    char path[160];
    snprintf(path, sizeof path, "%s/t.csv", missing);
    assert_int_equal(census(f, 10, 1, path, f->directory, false), KAN_BAD_INPUT);
    assert_error_has(f, path);
    assert_error_has(f, "does its directory exist?");
    assert_int_equal(files_in(f->directory), 0);

    strcpy(path, in_directory(f, "t.csv"));
    assert_int_equal(census(f, 10, 1, path, missing, false), KAN_BAD_INPUT);
    assert_error_has(f, "nowhere/age.csv");
    assert_int_equal(files_in(f->directory), 0);

    assert_int_equal(census(f, 10, 1, f->directory, NULL, true), KAN_BAD_INPUT);
    assert_error_has(f, "is a directory");

    file_write(path, "a file, no directory");
    assert_int_equal(census(f, 10, 1, NULL, path, false), KAN_BAD_INPUT);
    assert_int_equal(files_in(f->directory), 1);
}

static void a_full_disk_is_a_clean_failure(void **state) {
    fixture *f = *state;
    assert_int_equal(census(f, 10, 1, "/dev/full", f->directory, false), KAN_FAILED);
    assert_error_has(f, "/dev/full");
    assert_error_has(f, strerror(ENOSPC));
    assert_int_equal(files_in(f->directory), 0);
}

static void a_write_that_fails_midway_leaves_nothing(void **state) {
    fixture *f = *state;
    struct rlimit usual, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    tight = usual;
    tight.rlim_cur = 1000000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    kan_status status = census(f, 50000, 1, in_directory(f, "t.csv"), f->directory, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, KAN_FAILED);
    assert_error_has(f, "t.csv");
    assert_error_has(f, strerror(EFBIG));
    assert_int_equal(files_in(f->directory), 0);
}

typedef struct watcher {
    kan_run *run;
    const char *directory;
    unsigned calls, hidden_files;
    bool cancels;
    uint64_t last_done, last_total;
} watcher;

static void watch(void *user, const kan_progress *progress) {
    watcher *w = user;
    assert_string_equal(progress->stage, "generate");
    assert_true(progress->done >= w->last_done);
    w->calls++;
    w->last_done = progress->done;
    w->last_total = progress->total;
    w->hidden_files = files_in(w->directory);
    if (w->cancels)
        kan_run_cancel(w->run);
}

static void a_cancel_leaves_nothing(void **state) {
    fixture *f = *state;
    watcher w = {.run = f->run, .directory = f->directory, .cancels = true};
    kan_run_on_progress(f->run, watch, &w);
    assert_int_equal(census(f, 1000000, 1, in_directory(f, "t.csv"), f->directory, false),
                     KAN_CANCELLED);
    assert_int_equal(w.hidden_files, 10); /* it was at work */
    assert_true(w.last_done < 1000000);
    assert_int_equal(files_in(f->directory), 0);
}

static void progress_ends_with_all_rows(void **state) {
    fixture *f = *state;
    watcher w = {.run = f->run, .directory = f->directory};
    kan_run_on_progress(f->run, watch, &w);
    assert_int_equal(census(f, 50000, 1, in_directory(f, "t.csv"), NULL, false), KAN_OK);
    assert_true(w.calls >= 2);
    assert_int_equal(w.last_done, 50000);
    assert_int_equal(w.last_total, 50000);
}

static void intrude(void *user, const kan_progress *progress) {
    (void)progress;
    file_write(user, "a stranger's");
}

/* The hierarchies have their names already when the table's turns out to be taken. */
static void a_file_that_appears_meanwhile_is_kept_and_the_rest_withdrawn(void **state) {
    fixture *f = *state;
    char path[128];
    strcpy(path, in_directory(f, "t.csv"));
    kan_run_on_progress(f->run, intrude, path);
    assert_int_equal(census(f, 10, 1, path, f->directory, false), KAN_BAD_INPUT);
    assert_error_has(f, "appeared");
    assert_file_is(path, "a stranger's");
    assert_int_equal(files_in(f->directory), 1);
}

/* The budget runs out at every allocation in turn. */
static void too_little_memory_leaves_nothing(void **state) {
    fixture *f = *state;
    kan_status status = KAN_FAILED;
    unsigned failures = 0;
    for (uint64_t budget = 1; status != KAN_OK; budget += 1 + budget / 64) {
        kan_run_set_memory(f->run, budget);
        status = census(f, 10, 1, in_directory(f, "t.csv"), f->directory, false);
        assert_true(budget < 1 << 24);
        if (status == KAN_OK)
            break;
        failures++;
        assert_int_equal(status, KAN_FAILED);
        assert_int_equal(files_in(f->directory), 0);
    }
    assert_true(failures > 100);
    assert_int_equal(files_in(f->directory), 10);
}

static void a_dash_writes_to_standard_output(void **state) {
    fixture *f = *state;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int file = open(in_directory(f, "out.csv"), O_WRONLY | O_CREAT, 0600);
    assert_true(kept >= 0 && file >= 0);
    assert_int_equal(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
    kan_status status = census(f, 1000, 42, "-", NULL, false);
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    close(kept);
    close(file);
    assert_int_equal(status, KAN_OK);
    size_t size;
    char *text = file_read(in_directory(f, "out.csv"), &size);
    assert_true(kan_hash_bytes(text, size) == PINNED_SMALL);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(patients_are_the_table_of_figure_1),
        TEST(patients_have_the_hierarchies_of_figure_2),
        TEST(patients_refuse_a_number_of_rows),
        TEST(census_has_the_cardinalities_of_figure_9),
        TEST(census_of_20000_rows_shows_every_value),
        TEST(census_hierarchies_nest_with_the_heights_of_figure_9),
        TEST(census_hierarchies_stand_in_preorder),
        TEST(census_ages_fall_into_aligned_ranges),
        TEST(census_tuples_are_neither_all_alike_nor_all_different),
        TEST(census_columns_depend_on_each_other),
        TEST(census_bytes_depend_on_the_seed_alone),
        TEST(census_bytes_are_those_of_the_first_release),
        TEST(census_has_as_many_rows_as_asked_for),
        TEST(census_memory_does_not_grow_with_the_rows),
        TEST(an_existing_file_is_kept_unless_overwrite),
        TEST(an_existing_hierarchy_is_kept_and_no_table_appears),
        TEST(a_new_file_has_the_usual_mode),
        TEST(overwriting_a_link_replaces_the_file_behind_it),
        TEST(a_table_named_like_a_hierarchy_is_refused),
        TEST(a_bad_place_is_named),
        TEST(a_full_disk_is_a_clean_failure),
        TEST(a_write_that_fails_midway_leaves_nothing),
        TEST(a_cancel_leaves_nothing),
        TEST(progress_ends_with_all_rows),
        TEST(a_file_that_appears_meanwhile_is_kept_and_the_rest_withdrawn),
        TEST(too_little_memory_leaves_nothing),
        TEST(a_dash_writes_to_standard_output),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
