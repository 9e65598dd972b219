/* job/commands.c: the table of commands, and that settings, checks and files follow from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "job/commands.h"
#include "job/targets.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------ */

static void every_command_has_texts_a_walk_and_a_setting_without_a_flag(void **state) {
    (void)state;
    assert_true(kan_command_count() > 10);
    for (size_t i = 0; i < kan_command_count(); i++) {
        const kan_command *command = kan_command_at(i);
        assert_true(command->name && *command->name);
        assert_true(command->arguments && *command->arguments);
        assert_true(command->summary && *command->summary);
        assert_true(command->about && *command->about);
        assert_non_null(kan_command_entry_find(command->name)->walk);
        const kan_setting_entry *entry = kan_setting_entry_for(command->positional, command->name);
        assert_non_null(entry);
        /* what stands first in the usage is what help calls that setting */
        const size_t size = strcspn(command->arguments, " .");
        assert_int_equal(strncmp(entry->setting.argument, command->arguments, size), 0);
    }
    assert_null(kan_command_at(kan_command_count()));
}

static void words_are_the_name_with_blanks(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_command_count(); i++) {
        const char *name = kan_command_at(i)->name, *words = kan_command_at(i)->words;
        assert_int_equal(strlen(name), strlen(words));
        for (; *name; name++, words++)
            assert_true(*words == *name || (*words == ' ' && *name == '-'));
    }
}

static void a_command_is_found_by_its_name_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_command_count(); i++)
        assert_ptr_equal(kan_command_find(kan_command_at(i)->name), kan_command_at(i));
    assert_null(kan_command_find("hierarchy build"));
    assert_null(kan_command_find("hierarchy"));
    assert_null(kan_command_find(""));
}

static void an_unknown_command_is_refused_with_all_that_there_are(void **state) {
    kan_job *job;
    kan_result *result;
    assert_int_equal(kan_job_create(*state, &job), KAN_OK);
    assert_int_equal(kan_job_run(job, "anonimize", &result), KAN_BAD_INPUT);
    for (size_t i = 0; i < kan_command_count(); i++)
        assert_non_null(strstr(kan_run_error(*state), kan_command_at(i)->name));
    kan_job_destroy(job);
}

/* ---- settings ------------------------------------------------------------------------------- */

static void every_command_of_a_setting_exists(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        char words[1024], *rest = NULL;
        size_t n = 0;
        snprintf(words, sizeof words, "%s", kan_setting_at(i)->commands);
        for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            assert_non_null(kan_command_find(word));
            n++;
        }
        assert_true(n > 0);
    }
}

/* The table of settings names them by itself: it stands below the table of commands. */
static void what_all_commands_understand_names_them_in_order(void **state) {
    const char *at = kan_setting_find("json")->commands;
    (void)state;
    for (size_t i = 0; i < kan_command_count(); i++) {
        const char *name = kan_command_at(i)->name, *words = kan_command_at(i)->words;
        const size_t size = strlen(name);
        assert_int_equal(strncmp(at, name, size), 0);
        at += size;
        at += *at == ' ';
        assert_true(kan_slice_is(kan_command_meant(name), name));
        assert_true(kan_slice_is(kan_command_meant(words), name));
    }
    assert_string_equal(at, "");
    assert_int_equal(kan_command_meant("hierarchy").size, 0);
    assert_int_equal(kan_command_meant("search ").size, 0);
    assert_int_equal(kan_command_meant("").size, 0);
}

static void every_command_has_each_name_once(void **state) {
    (void)state;
    for (size_t c = 0; c < kan_command_count(); c++)
        for (size_t i = 0; i < kan_setting_count(); i++)
            for (size_t j = i + 1; j < kan_setting_count(); j++) {
                const kan_setting *a = kan_setting_at(i), *b = kan_setting_at(j);
                if (strcmp(a->name, b->name) == 0)
                    assert_false(kan_setting_is_for(a, kan_command_at(c)->name) &&
                                 kan_setting_is_for(b, kan_command_at(c)->name));
            }
}

static void every_command_has_the_settings_of_all(void **state) {
    static const char *const names[] = {"job", "json", "force", "quiet", "progress", "no-progress"};
    (void)state;
    for (size_t i = 0; i < kan_command_count(); i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            assert_non_null(kan_setting_entry_for(names[n], kan_command_at(i)->name));
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_file_use use_of(const char *name, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, command);
    assert_non_null(entry);
    return entry->setting.file;
}

static void every_path_says_what_becomes_of_its_file(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (kan_setting_takes_path(kan_setting_at(i)))
            assert_int_not_equal(kan_setting_at(i)->file, KAN_FILE_NONE);
    assert_int_equal(use_of("k", "anonymize"), KAN_FILE_NONE);
    assert_int_equal(use_of("input", "anonymize"), KAN_FILE_READ);
    assert_int_equal(use_of("qi", "anonymize"), KAN_FILE_READ);
    assert_int_equal(use_of("hash-key", "anonymize"), KAN_FILE_READ);
    assert_int_equal(use_of("output", "anonymize"), KAN_FILE_WRITTEN);
    assert_int_equal(use_of("certificate", "search"), KAN_FILE_WRITTEN);
    assert_int_equal(use_of("certificate", "verify"), KAN_FILE_READ);
    assert_int_equal(use_of("proof", "search"), KAN_FILE_EXTENDED);
    assert_int_equal(use_of("save", "compare"), KAN_FILE_EXTENDED);
    assert_int_equal(use_of("hierarchies", "anonymize"), KAN_FILE_READ);
    assert_int_equal(use_of("hierarchies", "generate"), KAN_FILE_FOLDER);
}

/* ---- needs ---------------------------------------------------------------------------------- */

static bool needs(const char *command, const char *setting) {
    return kan_command_needs(kan_command_find(command), setting);
}

static void what_a_command_needs_can_be_asked(void **state) {
    (void)state;
    assert_true(needs("anonymize", "input") && needs("anonymize", "output"));
    assert_true(needs("anonymize", "qi") && needs("anonymize", NULL));
    assert_false(needs("anonymize", "keep-suppressed")); /* only with another setting */
    assert_true(needs("search", NULL));
    assert_false(needs("search", "output"));
    assert_false(needs("compare", NULL));
    assert_false(needs("compare", "proof")); /* which it refuses */
    assert_false(needs("verify", "qi"));     /* a certificate will do */
    assert_true(needs("utility", "original"));
    assert_false(needs("utility", "workload")); /* without one all columns are compared */
    assert_true(needs("generate", "generator"));
    assert_false(needs("generate", "input"));
    assert_true(needs("hierarchy-convert", "output"));
}

static void every_need_is_a_setting_of_its_command(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_command_count(); i++) {
        const char *name = kan_command_at(i)->name;
        const kan_need *need = kan_command_entry_find(name)->needs;
        size_t n = 0;
        for (; need->message; need++, n++) {
            assert_true(!need->setting || kan_setting_entry_for(need->setting, name));
            assert_true(!need->when || kan_setting_entry_for(need->when, name));
            assert_true(!need->unless || kan_setting_entry_for(need->unless, name));
        }
        assert_in_range(n, 1, KAN_MOST_NEEDS - 1);
    }
}

/* Nothing was set: a command that begins in spite of it would have no need. */
static void no_command_begins_with_nothing(void **state) {
    kan_job *job;
    assert_int_equal(kan_job_create(*state, &job), KAN_OK);
    for (size_t i = 0; i < kan_command_count(); i++) {
        assert_int_equal(kan_job_check_complete(job, kan_command_at(i)->name), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(*state), "was named"));
    }
    kan_job_destroy(job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_texts_a_walk_and_a_setting_without_a_flag),
        cmocka_unit_test(words_are_the_name_with_blanks),
        cmocka_unit_test(a_command_is_found_by_its_name_alone),
        cmocka_unit_test_setup_teardown(an_unknown_command_is_refused_with_all_that_there_are,
                                        set_up, tear_down),
        cmocka_unit_test(every_command_of_a_setting_exists),
        cmocka_unit_test(what_all_commands_understand_names_them_in_order),
        cmocka_unit_test(every_command_has_each_name_once),
        cmocka_unit_test(every_command_has_the_settings_of_all),
        cmocka_unit_test(every_path_says_what_becomes_of_its_file),
        cmocka_unit_test(what_a_command_needs_can_be_asked),
        cmocka_unit_test(every_need_is_a_setting_of_its_command),
        cmocka_unit_test_setup_teardown(no_command_begins_with_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
