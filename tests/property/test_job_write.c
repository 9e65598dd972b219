/* Whatever was set, kan_job_write says in a way that kan_job_load reads back; and a column that
 * kan_job_set_column was given is the column that the setting is about, whatever its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/hash.h"
#include "job/settings/settings.h"

enum { N_JOBS = 3000 };

static const char file_name[] = "job-write-test.yaml";

typedef struct {
    uint64_t random;
    kan_run *run;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* Pieces that mean something to YAML, to lists or to pairs. */
static const char *const pieces[] = {
    "a",      "b7",   "=",      ",",        "\"",       "'",      ": ",     " #",     "- ",
    "*",      "&",    "!",      "{",        "}",        "[",      "]",      "\n",     "\r",
    "\t",     "\x01", " ",      "\\",       "\\n",      "%",      "@",      "`",      "|",
    ">",      "?",    "? ",     ":",        "#",        "~",      "true",   "null",   "no",
    "---",    "...",  "\x7f",   "\xc2\x85", "\xc2\xa0", "\u2028", "\u2029", "\ufeff", "ä",
    "\u202e", "💧",    "\ufffe", "\uffff",   "=\"",      "\"=",    "\",",    "5",      "..",
    "0x10",   "<<",   "\n\n",   "\n  ",     "  ",       "-",      "$(x)",   "%d.%m",  "\x1b[31m"};

static void hostile(world *w, char *out) {
    const size_t n = 1 + below(w, 5);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        strcat(out, pieces[below(w, sizeof pieces / sizeof *pieces)]);
}

static const char *plain_value(world *w, const kan_setting_entry *entry) {
    static const char *const numbers[] = {"1", "2", "5", "10", "3"};
    switch (entry->form) {
    case KAN_FORM_QUASI:
        return below(w, 2) ? "intervals:5,10" : "some, file: #1.csv";
    case KAN_FORM_ORDER:
        return "or=der \"=1.txt";
    case KAN_FORM_CAP:
        return "18..90";
    case KAN_FORM_LEVEL:
        return "1..3";
    case KAN_FORM_SPELLING:
        return strcmp(entry->setting.name, "missing") == 0       ? "NA,\"=\",\"a,\"\"b\""
               : strcmp(entry->setting.name, "date-format") == 0 ? "%d.%m.%Y"
                                                                 : ".";
    default:
        return numbers[below(w, 5)];
    }
}

/* The column of a stored value, by the parser that the walks use. */
static void assert_is_about(const kan_setting_entry *entry, const char *stored, const char *column,
                            const char *value) {
    kan_slice name = kan_slice_of(stored), first, second;
    const char *rest = NULL;
    uint64_t low, high;
    double weight;
    if (entry->form == KAN_FORM_QUASI)
        kan_quasi_parse(stored, &name, &rest);
    else if (entry->form == KAN_FORM_ORDER)
        assert_true(kan_order_parse(stored, &name, &rest));
    else if (entry->form == KAN_FORM_SPELLING)
        kan_spelled_parse(stored, &name, &rest);
    else if (entry->form == KAN_FORM_NAMED)
        kan_option_split(stored, &name, &rest);
    else if (entry->form == KAN_FORM_LEVEL)
        assert_true(kan_level_parse(stored, &name, &rest, &low, &high));
    else if (entry->form == KAN_FORM_BINS)
        assert_true(kan_bins_parse(stored, &name, &rest));
    else if (entry->form == KAN_FORM_WEIGHT)
        assert_true(kan_weight_parse(stored, &name, &weight));
    else if (entry->form == KAN_FORM_CAP)
        assert_true(kan_cap_parse(stored, &name, &first, &second));
    else if (entry->form == KAN_FORM_STEP)
        assert_true(kan_step_parse(stored, &name, &first));
    if (!kan_slice_is(name, column))
        fail_msg("--%s: '%s' is read as '%.*s'", entry->setting.name, column, (int)name.size,
                 name.bytes);
    if (rest)
        assert_string_equal(rest, value);
}

/* One random column for a setting about columns. */
static void set_column(world *w, kan_job *job, const kan_setting_entry *entry) {
    char column[256];
    const bool is_list = entry->form == KAN_FORM_COLUMN || entry->form == KAN_FORM_COLUMNS;
    const bool is_alone = is_list || (entry->form == KAN_FORM_QUASI && below(w, 2));
    const char *name = entry->setting.name, *value = is_alone ? NULL : plain_value(w, entry);
    const size_t before = job->options.n;
    hostile(w, column);
    if (kan_job_set_column(job, name, column, value) != KAN_OK) {
        const char *error = kan_run_error(w->run);
        if (!strstr(error, "given twice") && !strstr(error, "holds \"=") &&
            entry->form != KAN_FORM_NAMED)
            fail_msg("--%s, '%s': %s", name, column, error);
        return;
    }
    if (job->options.n > before)
        assert_is_about(entry, job->options.values[before].value, column, value);
}

/* Any text for any other setting; most are refused. */
static void set_any(world *w, kan_job *job, const kan_setting_entry *entry) {
    char value[256];
    hostile(w, value);
    if (strcmp(entry->setting.name, "job") != 0)
        (void)!kan_job_set(job, entry->setting.name,
                           entry->setting.argument ? value
                           : below(w, 2)           ? "true"
                                                   : "false");
}

static void set_some(world *w, kan_job *job) {
    const size_t n = below(w, 12);
    for (size_t i = 0; i < n; i++) {
        const kan_setting_entry *entry = kan_setting_entry_at(below(w, kan_setting_count()));
        const bool is_of_columns = entry->form == KAN_FORM_COLUMN ||
                                   entry->form == KAN_FORM_COLUMNS ||
                                   kan_setting_takes_pairs(entry);
        if (is_of_columns && below(w, 4))
            set_column(w, job, entry);
        else
            set_any(w, job, entry);
    }
}

static void put(const char *text) {
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* A job file names no library, and none is written into one. */
static void assert_same(const kan_job *a, const kan_job *b, const char *text) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const char *name = kan_setting_at(i)->name, *said, *read;
        if (kan_setting_entry_at(i)->spec.library_variable) {
            assert_null(kan_job_get(b, name, 0));
            continue;
        }
        for (size_t v = 0;; v++) {
            said = kan_job_get(a, name, v);
            read = kan_job_get(b, name, v);
            if (!said && !read)
                break;
            if (!said || !read || strcmp(said, read) != 0)
                fail_msg("--%s: '%s' became '%s' in\n%s", name, said ? said : "(nothing)",
                         read ? read : "(nothing)", text);
        }
    }
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    world w = {.random = 26, .run = kan_run_create()};
    assert_non_null(w.run);
    size_t n_written = 0;
    for (size_t i = 0; i < N_JOBS; i++) {
        kan_job *job, *copy;
        const char *text, *again;
        assert_int_equal(kan_job_create(w.run, &job), KAN_OK);
        assert_int_equal(kan_job_create(w.run, &copy), KAN_OK);
        set_some(&w, job);
        assert_int_equal(kan_job_write(job, &text), KAN_OK);
        put(text);
        if (kan_job_load(copy, file_name) != KAN_OK)
            fail_msg("%s\n%s", kan_run_error(w.run), text);
        assert_same(job, copy, text);
        assert_int_equal(kan_job_write(copy, &again), KAN_OK);
        assert_string_equal(again, text);
        n_written += job->options.n;
        kan_job_destroy(job);
        kan_job_destroy(copy);
    }
    unlink(file_name);
    assert_true(n_written > (size_t)N_JOBS);
    kan_run_destroy(w.run);
}

/* A name of ten thousand bytes is longer than a key of YAML may be. */
static void a_long_name_is_read_back(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_job *job, *copy;
    const char *text;
    char name[10001];
    memset(name, 'x', sizeof name - 1);
    name[5000] = '=';
    name[sizeof name - 1] = '\0';
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    assert_int_equal(kan_job_create(run, &copy), KAN_OK);
    assert_int_equal(kan_job_set_column(job, "qi", name, "suppress"), KAN_OK);
    assert_int_equal(kan_job_set_column(job, "keep", name, NULL), KAN_OK);
    assert_int_equal(kan_job_write(job, &text), KAN_OK);
    put(text);
    assert_int_equal(kan_job_load(copy, file_name), KAN_OK);
    unlink(file_name);
    assert_same(job, copy, text);
    kan_job_destroy(job);
    kan_job_destroy(copy);
    kan_run_destroy(run);
}

int main(void) {
    char directory[] = "/tmp/kanon-test-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_long_name_is_read_back),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed;
}
