/* ledger/ledger.h: who was in which group of earlier releases, as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/memory.h"
#include "ledger/ledger.h"

static char home[] = "/tmp/kanon-ledger-XXXXXX";
static char noted[4096]; /* the notes of a run, one after the other */

static void put(const char *path, const void *bytes, size_t size, mode_t mode) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    assert_int_equal(fchmod(file, mode), 0);
    assert_int_equal(close(file), 0);
}

static size_t get(const char *path, uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const size_t size = fread(bytes, 1, room, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    (void)state;
    return chdir("/") == 0 ? rmdir(home) : -1;
}

static void on_note(void *user, const char *text) {
    (void)user;
    strncat(noted, text, sizeof noted - strlen(noted) - 1);
}

static int set_up(void **state) {
    kan_run *run = kan_run_create();
    *state = run;
    noted[0] = '\0';
    if (run)
        kan_run_on_note(run, on_note, NULL);
    put("key", "0123456789abcdefghijklmnopqrstuv", 32, 0600);
    put("other", "vutsrqponmlkjihgfedcba9876543210", 32, 0600);
    return run ? 0 : -1;
}

static int tear_down(void **state) {
    static const char *const names[] = {"key", "other", "ledger", "release", "link", "copy"};
    kan_run_destroy(*state);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unlink(names[i]);
    return 0;
}

/* ---- releases of people by number ------------------------------------------------------------ */

enum { MOST = 64, NOT_IN = 99 };

static char id_texts[MOST][16];

static void mark_people(kan_ledger *ledger, kan_ledger_mark *marks) {
    kan_slice ids[MOST];
    for (unsigned i = 0; i < MOST; i++) {
        snprintf(id_texts[i], sizeof id_texts[i], "person %u", i);
        ids[i] = kan_slice_of(id_texts[i]);
    }
    assert_int_equal(kan_ledger_make_marks(ledger, ids, MOST, marks), KAN_OK);
}

static kan_ledger_release facts_of(uint32_t n_groups) {
    static const kan_slice texts[] = {{"20-29", 5}, {"*", 1}};
    static const uint32_t codes[] = {1, 0, 1};
    static const kan_ledger_shown shown[] = {{"age", texts, 2, codes}, {"zip", texts, 2, codes}};
    return (kan_ledger_release){.when = 1700000000,
                                .name = "release",
                                .place = "",
                                .content = "",
                                .job = "job.yaml",
                                .settings = "abc",
                                .k = 2,
                                .n_rows = 10,
                                .n_groups = n_groups,
                                .shown = shown,
                                .n_shown = 2,
                                .n_tuples = 3};
}

/* Group by group of each person, NOT_IN for those who are not released. */
static kan_status stage(kan_ledger *ledger, const kan_ledger_release *facts,
                        const uint32_t *group_of, size_t n) {
    kan_ledger_mark all[MOST], marks[MOST];
    uint32_t groups[MOST];
    size_t n_in = 0;
    mark_people(ledger, all);
    for (size_t i = 0; i < n; i++)
        if (group_of[i] != NOT_IN) {
            marks[n_in] = all[i];
            groups[n_in++] = group_of[i];
        }
    return kan_ledger_stage(ledger, facts, marks, groups, n_in);
}

static kan_ledger *open_ledger(kan_run *run, kan_ledger_use use) {
    kan_ledger *ledger = NULL;
    if (kan_ledger_open(run, "ledger", "key", use, &ledger) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal(kan_ledger_bind(ledger, "id"), KAN_OK);
    return ledger;
}

static void add_release(kan_run *run, const uint32_t *group_of, size_t n, uint32_t n_groups) {
    kan_ledger *ledger = open_ledger(run, KAN_LEDGER_WRITE);
    const kan_ledger_release facts = facts_of(n_groups);
    assert_int_equal(stage(ledger, &facts, group_of, n), KAN_OK);
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
}

/* ---- claims ----------------------------------------------------------------------------------- */

static void what_was_added_is_read_again(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1, NOT_IN};
    add_release(*state, first, 5, 2);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_string_equal(kan_ledger_column(ledger), "id");
    assert_int_equal(kan_ledger_n_people(ledger), 4);
    assert_int_equal(kan_ledger_n_releases(ledger), 1);
    const kan_ledger_release *r = kan_ledger_release_at(ledger, 0);
    assert_int_equal(r->number, 1);
    assert_false(r->is_pending);
    assert_int_equal(r->when, 1700000000);
    assert_string_equal(r->name, "release");
    assert_string_equal(r->job, "job.yaml");
    assert_string_equal(r->settings, "abc");
    assert_int_equal(r->k, 2);
    assert_int_equal(r->n_rows, 10);
    assert_int_equal(r->n_people, 4);
    assert_int_equal(r->n_groups, 2);
    assert_int_equal(r->n_shown, 2);
    assert_int_equal(r->n_tuples, 3);
    assert_string_equal(r->shown[1].column, "zip");
    assert_true(kan_slice_is(r->shown[1].texts[r->shown[1].codes[0]], "*"));
    assert_true(kan_slice_is(r->shown[1].texts[r->shown[1].codes[1]], "20-29"));
    kan_ledger_close(ledger);
    assert_string_equal(noted, "");
}

static void classes_are_those_who_shared_every_group(void **state) {
    static const uint32_t first[] = {0, 0, 0, 1, 1, NOT_IN, NOT_IN};
    static const uint32_t second[] = {3, 3, 2, NOT_IN, 2, 2, 2};
    kan_ledger_mark marks[MOST], here[7];
    kan_ledger_classes classes;
    add_release(*state, first, 7, 2);
    add_release(*state, second, 7, 4);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    mark_people(ledger, marks);
    /* persons 9 and 8 are new, 1 and 6 have left */
    static const unsigned who[] = {9, 0, 2, 3, 4, 5, 8};
    for (size_t i = 0; i < 7; i++)
        here[i] = marks[who[i]];
    assert_int_equal(kan_ledger_find_classes(ledger, here, 7, &classes), KAN_OK);
    static const uint32_t class_of[] = {0, 3, 2, 4, 5, 1, 0};
    /* by groups, from 1, 0 for none: newcomers, those of the second alone, and so on */
    static const uint32_t groups[] = {0, 0, 0, 3, 1, 3, 1, 4, 2, 0, 2, 3};
    static const uint64_t n_here[] = {2, 1, 1, 1, 1, 1}, n_gone[] = {0, 1, 0, 1, 0, 0};
    assert_int_equal(classes.n, 6);
    assert_int_equal(classes.n_releases, 2);
    assert_memory_equal(classes.of_person, class_of, sizeof class_of);
    assert_memory_equal(classes.groups, groups, sizeof groups);
    assert_memory_equal(classes.n_here, n_here, sizeof n_here);
    assert_memory_equal(classes.n_gone, n_gone, sizeof n_gone);
    kan_ledger_classes_destroy(*state, &classes);
    kan_ledger_close(ledger);
}

static void a_new_ledger_has_newcomers_alone_and_leaves_nothing(void **state) {
    kan_ledger_mark marks[MOST];
    kan_ledger_classes classes;
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    mark_people(ledger, marks);
    assert_int_equal(kan_ledger_find_classes(ledger, marks, 5, &classes), KAN_OK);
    assert_int_equal(classes.n, 1);
    assert_int_equal(classes.n_here[0], 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(classes.of_person[i], 0);
    kan_ledger_classes_destroy(*state, &classes);
    kan_ledger_close(ledger);
    assert_int_not_equal(access("ledger", F_OK), 0);
}

/* The same by definition, over tables of a few people who come and go. */
static void classes_are_their_definition_on_random_releases(void **state) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    const unsigned n_rounds = rounds && atoi(rounds) < 100 ? (unsigned)atoi(rounds) : 100;
    uint64_t random = 5;
    for (unsigned round = 0; round < n_rounds; round++) {
        uint32_t groups[3][MOST];
        kan_ledger_mark marks[MOST], here[MOST];
        unsigned who[MOST], n_here = 0, n_gone = 0;
        kan_ledger_classes classes;
        const unsigned n_releases = 1 + (unsigned)kan_random_below(&random, 3);
        for (unsigned r = 0; r < n_releases; r++) {
            for (unsigned i = 0; i < MOST; i++)
                groups[r][i] =
                    kan_random_below(&random, 4) ? (uint32_t)kan_random_below(&random, 3) : NOT_IN;
            groups[r][0] = 0;
            add_release(*state, groups[r], MOST, 3);
        }
        kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
        mark_people(ledger, marks);
        for (unsigned i = 0; i < MOST; i++)
            if (i == 0 || kan_random_below(&random, 3)) {
                who[n_here] = i;
                here[n_here++] = marks[i];
            }
        assert_int_equal(kan_ledger_find_classes(ledger, here, n_here, &classes), KAN_OK);
        for (unsigned a = 0; a < n_here; a++)
            for (unsigned b = 0; b < n_here; b++) {
                bool is_alike = true;
                for (unsigned r = 0; r < n_releases; r++)
                    is_alike &= groups[r][who[a]] == groups[r][who[b]];
                assert_int_equal(is_alike, classes.of_person[a] == classes.of_person[b]);
            }
        for (unsigned a = 0; a < n_here; a++)
            for (unsigned r = 0; r < n_releases; r++) {
                const uint32_t group = groups[r][who[a]];
                assert_int_equal(classes.groups[classes.of_person[a] * n_releases + r],
                                 group == NOT_IN ? 0 : group + 1);
            }
        uint64_t n_all = 0;
        for (uint32_t c = 0; c < classes.n; c++) {
            n_all += classes.n_here[c];
            n_gone += (unsigned)classes.n_gone[c];
        }
        assert_int_equal(n_all, n_here);
        unsigned n_known = 0;
        for (unsigned a = 0; a < n_here; a++)
            n_known += classes.of_person[a] != 0;
        assert_int_equal(n_known + n_gone, kan_ledger_n_people(ledger));
        kan_ledger_classes_destroy(*state, &classes);
        kan_ledger_close(ledger);
        assert_int_equal(unlink("ledger"), 0);
    }
}

static void the_file_is_its_owners_alone_and_the_same_each_time(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1, NOT_IN};
    uint8_t once[4096], again[4096];
    struct stat info;
    add_release(*state, first, 5, 2);
    const size_t size = get("ledger", once, sizeof once);
    assert_int_equal(stat("ledger", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(unlink("ledger"), 0);
    kan_run_set_threads(*state, 3);
    add_release(*state, first, 5, 2);
    assert_int_equal(get("ledger", again, sizeof again), size);
    assert_memory_equal(once, again, size);
    for (size_t i = 0; i + 6 < size; i++)
        assert_memory_not_equal(once + i, "person", 6);
}

static void what_is_abandoned_leaves_the_bytes_as_they_were(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1, NOT_IN};
    uint8_t before[4096], after[4096];
    const kan_ledger_release facts = facts_of(2);
    add_release(*state, first, 5, 2);
    const size_t size = get("ledger", before, sizeof before);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    assert_int_equal(stage(ledger, &facts, first, 5), KAN_OK);
    assert_true(get("ledger", after, sizeof after) > size);
    (void)kan_fail(*state, KAN_FAILED, "what went wrong");
    kan_ledger_abandon(ledger);
    assert_string_equal(kan_run_error(*state), "what went wrong");
    kan_ledger_close(ledger);
    assert_int_equal(get("ledger", after, sizeof after), size);
    assert_memory_equal(before, after, size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_added_is_read_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(classes_are_those_who_shared_every_group, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_new_ledger_has_newcomers_alone_and_leaves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(classes_are_their_definition_on_random_releases, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_file_is_its_owners_alone_and_the_same_each_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_abandoned_leaves_the_bytes_as_they_were, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
