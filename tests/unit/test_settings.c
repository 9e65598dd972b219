/* Settings: the table, the forms of values, comma lists, and what a job says before it runs. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/settings/job.h"
#include "job/settings/settings_inside.h"
#include "job/targets.h"

typedef struct {
    kan_run *run;
    kan_job *job;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    assert_int_equal(kan_job_create(f->run, &f->job), KAN_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    kan_job_destroy(f->job);
    kan_run_destroy(f->run);
    free(f);
    return 0;
}

static void assert_error_has(const fixture *f, const char *part) {
    if (!strstr(kan_run_error(f->run), part))
        fail_msg("'%s' is not in '%s'", part, kan_run_error(f->run));
}

static void refuses(fixture *f, const char *name, const char *value, const char *part) {
    size_t before = f->job->options.n;
    assert_int_equal(kan_job_set(f->job, name, value), KAN_BAD_INPUT);
    assert_error_has(f, part);
    assert_int_equal(f->job->options.n, before);
}

static void takes(fixture *f, const char *name, const char *value) {
    if (kan_job_set(f->job, name, value) != KAN_OK)
        fail_msg("%s %s: %s", name, value ? value : "", kan_run_error(f->run));
}

/* ---- the table ------------------------------------------------------------------------------ */

static void every_setting_has_a_text_a_group_and_a_command(void **state) {
    (void)state;
    assert_true(kan_setting_count() > 20);
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        assert_true(setting->name && *setting->name);
        assert_true(setting->summary && *setting->summary);
        assert_true(setting->group && *setting->group);
        assert_true(setting->commands && *setting->commands);
    }
    assert_null(kan_setting_at(kan_setting_count()));
}

static void says_whether_it_may_be_shown(const char *name, unsigned traits) {
    const bool is_shown = traits & KAN_TRAIT_SHOWN, is_secret = traits & KAN_TRAIT_SECRET;
    if (is_shown == is_secret)
        fail_msg("--%s has to say that it may be shown, or that it is a secret: .traits = SHOWN, "
                 "with what else it is (kan_trait in kanon.h)",
                 name);
    if (is_shown == kan_setting_is_secret(kan_setting_find(name)))
        fail_msg("--%s is a secret here and none there", name);
}

/* Also the options of every kind, those that share a name included. */
static void every_setting_says_what_it_is(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_setting_count(); i++)
        says_whether_it_may_be_shown(kan_setting_at(i)->name, kan_setting_at(i)->traits);
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++)
        for (size_t i = 0; i < kan_registry_count((kan_family)family); i++) {
            const kan_kind *kind = kan_registry_at((kan_family)family, i);
            for (size_t j = 0; j < kind->n_options; j++)
                says_whether_it_may_be_shown(kind->options[j].name, kind->options[j].traits);
        }
}

/* A word on a command line or in a job file is seen by others: a secret stands in a file. */
static void secrets_are_files_that_are_read(void **state) {
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (!kan_setting_is_secret(setting))
            continue;
        n++;
        if (!kan_setting_takes_path(setting) || setting->file != KAN_FILE_READ)
            fail_msg("--%s is a secret, and not the path of a file that is read", setting->name);
    }
    assert_int_equal(n, 4);
}

/* Safe by default: what nobody declared is never shown. */
static void what_is_no_setting_is_a_secret(void **state) {
    (void)state;
    assert_true(kan_setting_is_secret(NULL));
    assert_true(kan_setting_is_secret(&(kan_setting){.name = "banana"}));
    assert_int_equal(kan_setting_traits("banana", "anonymize"), KAN_TRAIT_SECRET);
    assert_string_equal(kan_setting_shown("banana", "ripe"), "SECRET");
    assert_string_equal(kan_setting_shown("key", "where-it-is"), "FILE");
    assert_string_equal(kan_setting_shown("qi", "age"), "age");
}

static void traits_are_those_of_a_command(void **state) {
    const char *name;
    size_t n = 0;
    (void)state;
    assert_true(kan_setting_traits("certificate", "search") & KAN_TRAIT_OUTPUT);
    assert_false(kan_setting_traits("certificate", "verify") & KAN_TRAIT_OUTPUT);
    assert_true(kan_setting_traits("suda-columns", "risk") & KAN_TRAIT_ROWS_ALONE);
    assert_false(kan_setting_traits("rows", "risk") & KAN_TRAIT_ROWS_ALONE);
    for (; (name = kan_setting_with(KAN_TRAIT_MACHINE, "anonymize", n)) != NULL; n++)
        assert_true(strcmp(name, "threads") == 0 || strcmp(name, "tmp") == 0);
    assert_int_equal(n, 2);
}

static void a_name_means_one_thing_to_one_command(void **state) {
    static const char *const commands[] = {"anonymize", "search", "verify",  "utility",
                                           "risk",      "attack", "profile", "generate"};
    (void)state;
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (size_t i = 0; i < kan_setting_count(); i++)
            for (size_t j = i + 1; j < kan_setting_count(); j++) {
                const kan_setting *a = kan_setting_at(i), *b = kan_setting_at(j);
                if (strcmp(a->name, b->name) == 0)
                    assert_false(kan_setting_is_for(a, commands[c]) &&
                                 kan_setting_is_for(b, commands[c]));
            }
}

/* What anonymize wrote is said to verify and utility in the same words. */
static void options_of_a_search_are_settings_of_other_commands_too(void **state) {
    static const char *const wanted[][2] = {{"summary", "anonymize"}, {"summary", "search"},
                                            {"summary", "verify"},    {"workload", "anonymize"},
                                            {"workload", "search"},   {"workload", "utility"}};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        size_t n = 0;
        for (size_t i = 0; i < kan_setting_count(); i++)
            n += strcmp(kan_setting_at(i)->name, wanted[w][0]) == 0 &&
                 kan_setting_is_for(kan_setting_at(i), wanted[w][1]);
        assert_int_equal(n, 1);
    }
    refuses(*state, "summary", "mode", "range");
    takes(*state, "summary", "both");
}

static bool is_flag(const char *name, const char *command) {
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (strcmp(kan_setting_at(i)->name, name) == 0 &&
            kan_setting_is_for(kan_setting_at(i), command))
            return true;
    return false;
}

/* Also where a setting of another command has the same name. What is written is a matter of anonymize,
 * and of verify, which is told the same. */
static void every_option_of_a_kind_is_a_flag_where_it_is_used(void **state) {
    static const char *const all[] = {"search", "anonymize", "compare"};
    static const char *const writing[] = {"anonymize", "verify", "anonymize"};
    (void)state;
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++) {
        const char *const *commands = family == KAN_FAMILY_SINK ? writing : all;
        for (size_t i = 0; i < kan_registry_count((kan_family)family); i++) {
            const kan_kind *kind = kan_registry_at((kan_family)family, i);
            for (size_t j = 0; j < kind->n_options; j++)
                for (size_t c = 0; c < sizeof all / sizeof *all; c++)
                    if (!is_flag(kind->options[j].name, commands[c]))
                        fail_msg("--%s of %s is not a flag of %s", kind->options[j].name,
                                 kind->name, commands[c]);
        }
    }
}

static void a_command_is_a_whole_word(void **state) {
    kan_setting setting = {.commands = "anonymize search"};
    (void)state;
    assert_true(kan_setting_is_for(&setting, "anonymize"));
    assert_true(kan_setting_is_for(&setting, "search"));
    assert_false(kan_setting_is_for(&setting, "anon"));
    assert_false(kan_setting_is_for(&setting, "sea"));
    assert_false(kan_setting_is_for(&setting, ""));
}

static void a_slip_finds_the_name_that_was_meant(void **state) {
    (void)state;
    assert_string_equal(kan_setting_nearest("supress", NULL), "suppress");
    assert_string_equal(kan_setting_nearest("suppression", NULL), "suppress");
    assert_string_equal(kan_setting_nearest("job-ot", "profile"), "job-out");
    assert_string_equal(kan_setting_nearest("leaver", "anonymize"), "leavers"); /* not ledger */
    assert_string_equal(kan_setting_nearest("picture-colums", NULL), "picture-columns");
    assert_string_equal(kan_setting_nearest("heirarchies", "search"), "hierarchies");
    assert_string_equal(kan_setting_nearest("keep_suppressed", "anonymize"), "keep-suppressed");
    assert_string_equal(kan_setting_nearest("K", NULL), "k");
    assert_string_equal(kan_setting_nearest("qu", NULL), "qi");
}

static void another_word_finds_nothing(void **state) {
    (void)state;
    assert_null(kan_setting_nearest("x", NULL));
    assert_null(kan_setting_nearest("banana", NULL));
    assert_null(kan_setting_nearest("", NULL));
    /* `original` is not for search, so it is no help there. */
    assert_string_equal(kan_setting_nearest("orignal", "verify"), "original");
    assert_null(kan_setting_nearest("orignal", "search"));
}

/* Release builds answer that there is none. */
static void asking_for_what_is_no_setting_is_an_assertion(void **state) {
    const fixture *f = *state;
    int status = 0;
    assert_null(kan_job_get(f->job, "banana", 0)); /* programs may ask for anything */
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fclose(stderr); /* what the assertion says */
        (void)signal(SIGABRT, SIG_DFL);
        _exit(kan_options_find(&f->job->options, "banana") ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
#ifdef NDEBUG
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#else
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#endif
}

static void every_form_says_how_it_is_written(void **state) {
    (void)state;
    for (unsigned form = 0; form < KAN_N_FORMS; form++) {
        const kan_setting_entry entry = {.setting = {.name = "x"}, .form = (kan_setting_form)form};
        const kan_form *said = kan_form_of(&entry);
        if (!said->check && !(said->parse && said->remedy) && !said->is_any)
            fail_msg("form %u has no line in the table of forms", form);
        if (said->takes_pairs)
            assert_true(said->parse && said->example);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static void an_unknown_setting_names_the_nearest(void **state) {
    refuses(*state, "supress", "1", "did you mean suppress?");
    refuses(*state, "banana", "1", "is not a setting");
}

static void k_of_zero_says_what_k_means(void **state) {
    fixture *f = *state;
    refuses(f, "k", "0", "rows that must look alike");
    refuses(f, "k", "-1", "whole number");
    refuses(f, "k", "2.5", "whole number");
    refuses(f, "k", "", "empty");
    refuses(f, "k", NULL, "--k needs a value");
    takes(f, "k", "1");
    takes(f, "k", "5");
    assert_string_equal(kan_job_get(f->job, "k", 0), "5");
    assert_null(kan_job_get(f->job, "k", 1));
}

static void suppress_takes_rows_percent_or_all(void **state) {
    kan_suppress_limit limit;
    refuses(*state, "suppress", "-1", "percentage");
    refuses(*state, "suppress", "101%", "percentage");
    refuses(*state, "suppress", "%", "percentage");
    refuses(*state, "suppress", "nan%", "percentage");
    refuses(*state, "suppress", "some", "percentage");
    takes(*state, "suppress", "12");
    assert_true(kan_suppress_parse("12", &limit));
    assert_int_equal(kan_suppress_rows(&limit, 100), 12);
    assert_int_equal(kan_suppress_rows(&limit, 5), 5);
    assert_true(kan_suppress_parse("all", &limit));
    assert_int_equal(kan_suppress_rows(&limit, 100), 100);
    assert_true(kan_suppress_parse("1%", &limit));
    assert_int_equal(kan_suppress_rows(&limit, 30162), 301);
    assert_int_equal(kan_suppress_rows(&limit, 99), 0);
    assert_true(kan_suppress_parse("100%", &limit));
    assert_int_equal(kan_suppress_rows(&limit, UINT64_C(1) << 40), UINT64_C(1) << 40);
    assert_true(kan_suppress_parse("0.29%", &limit));
    assert_int_equal(kan_suppress_rows(&limit, 100000), 290);
}

static void a_percentage_never_allows_more_rows_than_it_says(void **state) {
    kan_suppress_limit limit;
    char text[16];
    (void)state;
    for (unsigned tenths = 0; tenths <= 1000; tenths++) {
        snprintf(text, sizeof text, "%u.%u%%", tenths / 10, tenths % 10);
        assert_true(kan_suppress_parse(text, &limit));
        for (uint64_t rows = 0; rows < 3000; rows += 7)
            assert_int_equal(kan_suppress_rows(&limit, rows), rows * tenths / 1000);
    }
}

static void a_separator_is_one_character_or_tab(void **state) {
    char c = 0;
    assert_true(kan_separator_parse(";", &c) && c == ';');
    assert_true(kan_separator_parse("tab", &c) && c == '\t');
    assert_true(kan_separator_parse("\\t", &c) && c == '\t');
    refuses(*state, "separator", ";;", "one character");
    refuses(*state, "separator", "\"", "one character");
    refuses(*state, "separator", "\n", "one character");
    refuses(*state, "separator", "\xc3\xa9", "one character");
}

static void bins_are_a_column_a_width_and_perhaps_an_origin(void **state) {
    fixture *f = *state;
    kan_slice name;
    const char *bins;
    refuses(f, "bins", "age", "age=5");
    refuses(f, "bins", "=5", "age=5");
    refuses(f, "bins", "age=", "age=5");
    refuses(f, "bins", "age=0", "age=5@17");
    refuses(f, "bins", "age=-5", "above 0");
    refuses(f, "bins", "age=five", "above 0");
    refuses(f, "bins", "age=5@", "age=5@17");
    refuses(f, "bins", "age=5@x", "age=5@17");
    refuses(f, "bins", "age=5@1@2", "age=5@17");
    refuses(f, "bins", "age=5,age=10", "twice");
    takes(f, "bins", "age=5, hours=2.5@-10");
    assert_string_equal(kan_job_get(f->job, "bins", 1), "hours=2.5@-10");
    assert_true(kan_bins_parse("a=b=5@1", &name, &bins));
    assert_true(kan_slice_is(name, "a=b"));
    assert_string_equal(bins, "5@1");
}

static void an_order_is_a_column_and_a_file(void **state) {
    fixture *f = *state;
    kan_slice name;
    const char *path;
    refuses(f, "order", "age", "one value per line");
    refuses(f, "order", "=x", "one value per line");
    refuses(f, "order", "age=", "one value per line");
    refuses(f, "order", "age=-", "one value per line");
    refuses(f, "order", "age=a,age=b", "twice");
    takes(f, "order", "age=a.txt,zip=b=c.txt");
    assert_true(kan_order_parse("zip=b=c.txt", &name, &path));
    assert_true(kan_slice_is(name, "zip"));
    assert_string_equal(path, "b=c.txt");
}

static void a_level_is_a_column_and_a_range(void **state) {
    fixture *f = *state;
    kan_slice name;
    const char *range;
    uint64_t low, high;
    refuses(f, "level", "age", "age=1..3");
    refuses(f, "level", "=2", "age=1..3");
    refuses(f, "level", "age=", "age=1..3");
    refuses(f, "level", "age=..", "age=1..3");
    refuses(f, "level", "age=x", "age=1..3");
    refuses(f, "level", "age=-1", "age=1..3");
    refuses(f, "level", "age=1..2..3", "age=1..3");
    refuses(f, "level", "age=1...3", "age=1..3");
    refuses(f, "level", "age=1.5", "age=1..3");
    refuses(f, "level", "age=99999999999999999999", "age=1..3");
    refuses(f, "level", "age=2,age=3", "twice");
    takes(f, "level", "age=2, zip=1..3");
    assert_string_equal(kan_job_get(f->job, "level", 1), "zip=1..3");
    assert_true(kan_level_parse("a=b=3", &name, &range, &low, &high));
    assert_true(kan_slice_is(name, "a=b"));
    assert_string_equal(range, "3");
    assert_true(low == 3 && high == 3);
    assert_true(kan_level_parse("a=2..", &name, &range, &low, &high));
    assert_true(low == 2 && high == UINT64_MAX);
    assert_true(kan_level_parse("a=..4", &name, &range, &low, &high));
    assert_true(low == 0 && high == 4);
}

static void a_weight_is_a_column_and_a_number(void **state) {
    fixture *f = *state;
    kan_slice name;
    double weight;
    refuses(f, "weight", "age", "age=2");
    refuses(f, "weight", "=2", "age=2");
    refuses(f, "weight", "age=-1", "age=2");
    refuses(f, "weight", "age=x", "age=2");
    refuses(f, "weight", "age=2,age=3", "twice");
    takes(f, "weight", "age=2, zip=0.5");
    assert_string_equal(kan_job_get(f->job, "weight", 1), "zip=0.5");
    assert_true(kan_weight_parse("a=b=3", &name, &weight));
    assert_true(kan_slice_is(name, "a=b"));
    assert_true(weight == 3);
}

static void sizes_numbers_and_switches_are_checked_at_once(void **state) {
    fixture *f = *state;
    refuses(f, "memory", "0", "512M");
    refuses(f, "memory", "lots", "512M");
    takes(f, "memory", "512M");
    refuses(f, "threads", "0", "too small");
    refuses(f, "threads", "x", "whole number");
    refuses(f, "time-limit", "-1", "too small");
    refuses(f, "force", "yes", "neither true nor false");
    takes(f, "force", NULL);
    assert_string_equal(kan_job_get(f->job, "force", 0), "true");
    takes(f, "force", "false");
    assert_string_equal(kan_job_get(f->job, "force", 0), "false");
}

static void the_name_of_a_kind_must_be_registered(void **state) {
    fixture *f = *state;
    refuses(f, "cost", "discernability", "did you mean discernibility?");
    refuses(f, "cost", "auto", "there are:");
    refuses(f, "algorithm", "magic", "there are:");
    refuses(f, "generator", "censsus", "did you mean census?");
    takes(f, "algorithm", "auto");
    takes(f, "algorithm", "exhaustive");
    takes(f, "cost", "height");
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void assert_items(const char *list, bool is_quasi, const char *joined) {
    char text[512] = "";
    kan_slice item;
    for (const char *left = list; kan_list_next(&left, is_quasi, &item);) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "[%.*s]", (int)item.size, item.bytes);
    }
    assert_string_equal(text, joined);
}

static void a_builder_keeps_its_arguments_in_a_comma_list(void **state) {
    (void)state;
    assert_items("age=intervals:5,10,20,zip=digits:5,gender", true,
                 "[age=intervals:5,10,20][zip=digits:5][gender]");
    assert_items("age=intervals:5,10@17,gender", true, "[age=intervals:5,10@17][gender]");
    assert_items("t=intervals:0.5,1@-3.25,u", true, "[t=intervals:0.5,1@-3.25][u]");
    assert_items("born=date:month,quarter,year,zip=prefix:3,1,sex", true,
                 "[born=date:month,quarter,year][zip=prefix:3,1][sex]");
    assert_items("age=intervals:5, 10 , gender", true, "[age=intervals:5, 10][gender]");
}

static void what_is_no_argument_begins_a_new_item(void **state) {
    (void)state;
    assert_items("a,b,c", true, "[a][b][c]");
    assert_items("age=intervals:5,month", true, "[age=intervals:5][month]");
    assert_items("born=date:month,5", true, "[born=date:month][5]");
    assert_items("zip=digits:5,3", true, "[zip=digits:5][3]");
    assert_items("age=ages.csv,5", true, "[age=ages.csv][5]");
    assert_items("age=intervals:5,10=x.csv", true, "[age=intervals:5][10=x.csv]");
    assert_items("a=intervals:5,10", false, "[a=intervals:5][10]");
    assert_items("", true, "[]");
    assert_items("a,", true, "[a][]");
}

static void a_name_in_quotes_may_hold_commas(void **state) {
    fixture *f = *state;
    assert_items("\"a,b\",c", false, "[\"a,b\"][c]");
    assert_items("c, \"a,b\"=2 ,d", false, "[c][\"a,b\"=2][d]");
    assert_items("\"a,b\"=intervals:5,10,c", true, "[\"a,b\"=intervals:5,10][c]");
    assert_items("\"a=b,c\",d", true, "[\"a=b,c\"][d]");
    assert_items("\"a,b", false, "[\"a][b]");
    takes(f, "keep", "\"a,b\",\"c\"");
    takes(f, "level", "\"a,b\"=2");
    assert_string_equal(kan_job_get(f->job, "keep", 0), "a,b");
    assert_string_equal(kan_job_get(f->job, "keep", 1), "\"c\"");
    assert_string_equal(kan_job_get(f->job, "level", 0), "a,b=2");
}

static void repeated_settings_add_up_in_order(void **state) {
    fixture *f = *state;
    takes(f, "qi", "age=intervals:5,10,zip=digits:5");
    takes(f, "qi", "gender");
    assert_string_equal(kan_job_get(f->job, "qi", 0), "age=intervals:5,10");
    assert_string_equal(kan_job_get(f->job, "qi", 1), "zip=digits:5");
    assert_string_equal(kan_job_get(f->job, "qi", 2), "gender");
    assert_null(kan_job_get(f->job, "qi", 3));
}

static void a_list_is_taken_whole_or_not_at_all(void **state) {
    fixture *f = *state;
    refuses(f, "qi", "age,,zip", "doubled");
    refuses(f, "qi", "age,", "left over at the end");
    refuses(f, "qi", "age,zip,age=suppress", "'age' is given twice");
    refuses(f, "qi", "age,=x", "names no column");
    refuses(f, "qi", "age=", "leave out the =");
    refuses(f, "id", "ssn,ssn", "twice");
    assert_null(kan_job_get(f->job, "qi", 0));
}

/* ---- before the walk ------------------------------------------------------------------------ */

static void everything_that_is_missing_is_told_together(void **state) {
    fixture *f = *state;
    assert_int_equal(kan_job_check_complete(f->job, "anonymize"), KAN_BAD_INPUT);
    assert_error_has(f, "kanon anonymize INPUT");
    assert_error_has(f, "-o OUT");
    assert_error_has(f, "--qi");
    assert_error_has(f, "--k N");
    takes(f, "input", "a.csv");
    takes(f, "qi", "age");
    takes(f, "k", "2");
    assert_int_equal(kan_job_check_complete(f->job, "search"), KAN_OK);
    assert_int_equal(kan_job_check_complete(f->job, "verify"), KAN_OK);
    assert_int_equal(kan_job_check_complete(f->job, "anonymize"), KAN_BAD_INPUT);
    assert_int_equal(kan_job_check_complete(f->job, "generate"), KAN_BAD_INPUT);
    takes(f, "output", "b.csv");
    assert_int_equal(kan_job_check_complete(f->job, "anonymize"), KAN_OK);
}

static void refuses_targets(fixture *f, const char *command, const char *part) {
    assert_int_equal(kan_job_check_targets(f->job, command), KAN_BAD_INPUT);
    assert_error_has(f, part);
}

static void no_file_is_overwritten_unasked(void **state) {
    fixture *f = *state;
    char directory[] = "/tmp/kanon-test-XXXXXX", path[64], other[64], roundabout[80];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.csv", directory);
    snprintf(other, sizeof other, "%s/b.csv", directory);
    snprintf(roundabout, sizeof roundabout, "%s/./b.csv", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);

    takes(f, "output", path);
    refuses_targets(f, "anonymize", "--force");
    assert_int_equal(kan_job_check_targets(f->job, "search"), KAN_OK);
    takes(f, "force", "true");
    assert_int_equal(kan_job_check_targets(f->job, "anonymize"), KAN_OK);
    takes(f, "input", path);
    refuses_targets(f, "anonymize", "is the input itself");
    takes(f, "output", other);
    takes(f, "json", path);
    refuses_targets(f, "anonymize", "is the input itself");
    takes(f, "json", roundabout);
    refuses_targets(f, "anonymize", "choose two files");
    takes(f, "json", "-");
    assert_int_equal(kan_job_check_targets(f->job, "anonymize"), KAN_OK);
    takes(f, "output", "-");
    refuses_targets(f, "anonymize", "both go to standard output");
    takes(f, "output", directory);
    refuses_targets(f, "anonymize", "is a directory");
    takes(f, "output", "/dev/null");
    refuses_targets(f, "anonymize", "not a plain file");
    takes(f, "output", "/no/such/place/x.csv");
    refuses_targets(f, "anonymize", "create the directory first");
    unlink(path);
    rmdir(directory);
}

static void an_unknown_command_is_refused(void **state) {
    fixture *f = *state;
    kan_result *result = NULL;
    assert_int_equal(kan_job_run(f->job, "anonymise", &result), KAN_BAD_INPUT);
    assert_error_has(f, "anonymize");
    assert_null(result);
}

static void the_list_names_every_kind(void **state) {
    fixture *f = *state;
    const char *text = NULL, *json = NULL;
    assert_int_equal(kan_list(f->run, false, &text), KAN_OK);
    assert_int_equal(kan_list(f->run, true, &json), KAN_OK);
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++)
        for (size_t i = 0; i < kan_registry_count((kan_family)family); i++) {
            const char *name = kan_registry_at((kan_family)family, i)->name;
            assert_non_null(strstr(text, name));
            assert_non_null(strstr(json, name));
        }
}

/* Where its paper and its section are: what a user of the long list asks for. */
static void every_search_and_every_recoding_model_names_its_paper(void **state) {
    (void)state;
    static const kan_family families[] = {KAN_FAMILY_SEARCH, KAN_FAMILY_RECODING};
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < kan_registry_count(families[f]); i++)
            assert_non_null(kan_registry_at(families[f], i)->paper);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_setting_has_a_text_a_group_and_a_command),
        TEST(every_setting_says_what_it_is),
        TEST(secrets_are_files_that_are_read),
        TEST(what_is_no_setting_is_a_secret),
        TEST(traits_are_those_of_a_command),
        TEST(every_form_says_how_it_is_written),
        TEST(asking_for_what_is_no_setting_is_an_assertion),
        TEST(a_name_means_one_thing_to_one_command),
        TEST(options_of_a_search_are_settings_of_other_commands_too),
        TEST(every_option_of_a_kind_is_a_flag_where_it_is_used),
        TEST(a_command_is_a_whole_word),
        TEST(a_slip_finds_the_name_that_was_meant),
        TEST(another_word_finds_nothing),
        TEST(an_unknown_setting_names_the_nearest),
        TEST(k_of_zero_says_what_k_means),
        TEST(suppress_takes_rows_percent_or_all),
        TEST(a_percentage_never_allows_more_rows_than_it_says),
        TEST(a_separator_is_one_character_or_tab),
        TEST(bins_are_a_column_a_width_and_perhaps_an_origin),
        TEST(an_order_is_a_column_and_a_file),
        TEST(a_level_is_a_column_and_a_range),
        TEST(a_weight_is_a_column_and_a_number),
        TEST(sizes_numbers_and_switches_are_checked_at_once),
        TEST(the_name_of_a_kind_must_be_registered),
        TEST(a_builder_keeps_its_arguments_in_a_comma_list),
        TEST(what_is_no_argument_begins_a_new_item),
        TEST(a_name_in_quotes_may_hold_commas),
        TEST(repeated_settings_add_up_in_order),
        TEST(a_list_is_taken_whole_or_not_at_all),
        TEST(everything_that_is_missing_is_told_together),
        TEST(no_file_is_overwritten_unasked),
        TEST(an_unknown_command_is_refused),
        TEST(the_list_names_every_kind),
        TEST(every_search_and_every_recoding_model_names_its_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
