/* Code books from the table to the release: labels, missing codes and types of values that nobody
 * released has stay behind, unless the book is public; and such a release is what its table says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kanon.h"
#include "support/stat_file.h"

#define S(text)                                                                                    \
    { text, sizeof text - 1 }

static char home[] = "/tmp/kanon-codebook-XXXXXX";

static int begin(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

typedef struct {
    const kan_sink_kind *sink;
    const kan_source_kind *source;
    const char *in, *out;
} format;

static const format formats[] = {{&kan_sink_sav, &kan_source_sav, "in.sav", "out.sav"},
                                 {&kan_sink_zsav, &kan_source_zsav, "in.zsav", "out.zsav"},
                                 {&kan_sink_dta, &kan_source_dta, "in.dta", "out.dta"}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* One row is alone, and has what no other has: work 3, and an income that needs a long. */
static const kan_value_label sexes[] = {{S("1"), S("Male")}, {S("2"), S("Female")}};
static const kan_value_label works[] = {
    {S("1"), S("Farmer")}, {S("2"), S("Baker")}, {S("3"), S("Prisoner")}, {S("4"), S("King")}};
static const char *const cells[] = {"1",  "1", "10", "1",  "2", "20", "1",      "1",
                                    "30", "1", "2",  "40", "2", "3",  "1000000"};

static void write_table(const format *f) {
    const bool is_stata = f->sink == &kan_sink_dta;
    const kan_field fields[] = {
        {.name = "SEX", .type = KAN_FIELD_NUMBER, .labels = sexes, .n_labels = 2},
        {.name = "WORK", .type = KAN_FIELD_NUMBER, .labels = works, .n_labels = 4},
        {.name = "INCOME",
         .type = KAN_FIELD_NUMBER,
         .family = is_stata ? "stata:long" : "spss",
         .format = is_stata ? "%12.0g" : "F12.0"}};
    const stat_table table = {.n_rows = 5, .n_columns = 3, .fields = fields, .cells = cells};
    kan_run *run = kan_run_create();
    if (stat_write(run, f->sink, &table, f->in) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_run_destroy(run);
}

/* Settings: names and values, up to a NULL. */
static void run_job(const char *command, const char *const *settings) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (; settings[0]; settings += 2)
        assert_int_equal(kan_job_add(job, settings[0], settings[1]), KAN_OK);
    if (kan_job_run(job, command, &result) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    if (!kan_result_holds(result))
        fail_msg("%s", kan_result_summary(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
}

static void release(const format *f, const char *codebook) {
    run_job("anonymize", (const char *const[]){
                             "input", f->in,  "output", f->out, "qi",       "SEX",      "level",
                             "SEX=0", "keep", "WORK",   "keep", "INCOME",   "suppress", "1",
                             "k",     "2",    "force",  "true", "codebook", codebook,   NULL});
}

static bool has_label(const kan_field *field, const char *label) {
    for (size_t i = 0; i < field->n_labels; i++)
        if (kan_slice_is(field->labels[i].label, label))
            return true;
    return false;
}

static void assert_book(const format *f, bool is_public) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    const bool is_stata = f->sink == &kan_sink_dta;
    assert_int_equal(stat_read(run, f->source, f->out, NULL, false, &source, &table), KAN_OK);
    assert_int_equal(table->n_rows, 4);
    const kan_field *sex = kan_source_field(source, 0), *work = kan_source_field(source, 1);
    const kan_field *income = kan_source_field(source, 2);
    assert_true(has_label(sex, "Male") && has_label(work, "Farmer") && has_label(work, "Baker"));
    assert_int_equal(has_label(sex, "Female"), is_public);
    assert_int_equal(has_label(work, "Prisoner"), is_public);
    assert_int_equal(has_label(work, "King"), is_public);
    if (is_stata)
        assert_string_equal(income->family, is_public ? "stata:long" : "stata:byte");
    else
        assert_string_equal(income->format, is_public ? "F12.0" : "F8.0");
    kan_table_destroy(table);
    kan_source_close(source);
    kan_run_destroy(run);
}

static void what_only_suppressed_people_have_has_no_label(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        write_table(&formats[i]);
        release(&formats[i], "released");
        assert_book(&formats[i], false);
    }
}

static void a_public_book_stays_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        write_table(&formats[i]);
        release(&formats[i], "public");
        assert_book(&formats[i], true);
    }
}

/* Of SEX one label is left: alone it would be read by its code, where the table is read by labels. */
static void a_release_is_compared_with_its_table_by_labels(void **state) {
    static const char *const books[] = {"released", "public"};
    (void)state;
    for (size_t i = 0; i < 2 * N_FORMATS; i++) {
        const format *f = &formats[i / 2];
        write_table(f);
        release(f, books[i % 2]);
        run_job("verify",
                (const char *const[]){"input", f->out, "original", f->in, "qi", "SEX=suppress", "k",
                                      "2", "codebook", books[i % 2], NULL});
    }
}

/* Kept columns have the codes of their file, also where no label can stand beside them. */
static void kept_codes_are_compared_as_codes(void **state) {
    static const char *const outs[] = {"kept.csv", "kept.xlsx", "kept.sav", "kept.dta"};
    static const char *const keeps[] = {"false", "true"};
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++)
        write_table(&formats[i]);
    for (size_t i = 0; i < N_FORMATS * 4 * 2; i++) {
        const char *in = formats[i / 8].in, *out = outs[i / 2 % 4], *keep = keeps[i % 2];
        run_job("anonymize",
                (const char *const[]){
                    "input",           in,      "output", out,    "qi",    "SEX=suppress",
                    "level",           "SEX=0", "keep",   "WORK", "keep",  "INCOME",
                    "suppress",        "1",     "k",      "2",    "force", "true",
                    "keep-suppressed", keep,    NULL});
        run_job("verify", (const char *const[]){"input", out, "original", in, "qi", "SEX=suppress",
                                                "keep", "WORK", "keep", "INCOME", "suppress", "1",
                                                "k", "2", "keep-suppressed", keep, NULL});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_suppressed_people_have_has_no_label),
        cmocka_unit_test(a_public_book_stays_whole),
        cmocka_unit_test(a_release_is_compared_with_its_table_by_labels),
        cmocka_unit_test(kept_codes_are_compared_as_codes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
