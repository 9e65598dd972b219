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
#include "ledger/ledger_inside.h"

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

/* ---- what can happen to a file --------------------------------------------------------------- */

static void expect_refused(kan_run *run, kan_ledger_use use, kan_status status, const char *words) {
    kan_ledger *ledger = NULL;
    assert_int_equal(kan_ledger_open(run, "ledger", "key", use, &ledger), status);
    if (!strstr(kan_run_error(run), words))
        fail_msg("%s", kan_run_error(run));
}

static void a_ledger_that_was_cut_short_is_told(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    uint8_t bytes[4096];
    add_release(*state, first, 4, 2);
    const size_t size = get("ledger", bytes, sizeof bytes), seal = 32;
    for (size_t n = 0; n < size - seal; n++) {
        put("ledger", bytes, n, 0600);
        expect_refused(*state, n % 2 ? KAN_LEDGER_WRITE : KAN_LEDGER_READ, KAN_BAD_INPUT,
                       "cut short: it has");
    }
    /* without all of its seal it is whole, and its last release is looked for */
    for (size_t n = size - seal; n < size; n++) {
        put("ledger", bytes, n, 0600);
        kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
        assert_true(kan_ledger_release_at(ledger, 0)->is_pending);
        kan_ledger_close(ledger);
    }
}

static void a_ledger_that_was_changed_is_told(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    uint8_t bytes[4096];
    add_release(*state, first, 4, 2);
    const size_t size = get("ledger", bytes, sizeof bytes), seal = 32;
    for (size_t n = 0; n < size - seal; n++) {
        bytes[n] ^= 1;
        put("ledger", bytes, size, 0600);
        expect_refused(*state, KAN_LEDGER_READ, KAN_BAD_INPUT,
                       n < 13   ? "not a ledger"
                       : n < 16 ? "later version"
                       : n < 32 ? "another key"
                       : n < 40 ? ""
                                : "was changed");
        bytes[n] ^= 1;
    }
    bytes[size] = 0;
    put("ledger", bytes, size + 1, 0600);
    expect_refused(*state, KAN_LEDGER_READ, KAN_BAD_INPUT, "was changed");
    /* and a seal that is another only means that the release is looked for */
    bytes[size - 1] ^= 1;
    put("ledger", bytes, size, 0600);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_true(kan_ledger_release_at(ledger, 0)->is_pending);
    kan_ledger_close(ledger);
}

static void another_key_is_told_at_once(void **state) {
    static const uint32_t first[] = {0, 0};
    kan_ledger *ledger;
    add_release(*state, first, 2, 1);
    assert_int_equal(kan_ledger_open(*state, "ledger", "other", KAN_LEDGER_READ, &ledger),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "made with another key; name that one"));
    put("other", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32, 0600);
    assert_int_equal(kan_ledger_open(*state, "ledger", "other", KAN_LEDGER_READ, &ledger),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "can be guessed"));
}

static void a_ledger_that_others_may_read_is_refused(void **state) {
    static const uint32_t first[] = {0, 0};
    static const mode_t modes[] = {0640, 0604, 0620, 0601, 0644, 0777};
    add_release(*state, first, 2, 1);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod("ledger", modes[i]), 0);
        expect_refused(*state, KAN_LEDGER_READ, KAN_BAD_INPUT, "chmod 600");
        expect_refused(*state, KAN_LEDGER_WRITE, KAN_BAD_INPUT, "chmod 600");
    }
    assert_int_equal(chmod("ledger", 0600), 0);
    kan_ledger_close(open_ledger(*state, KAN_LEDGER_WRITE));
}

static void what_is_no_plain_file_is_refused(void **state) {
    kan_ledger *ledger;
    static const struct {
        const char *path, *words;
        kan_ledger_use use;
    } cases[] = {{"/dev/null", "not one; name another", KAN_LEDGER_WRITE},
                 {"/tmp", "Is a directory", KAN_LEDGER_WRITE},
                 {"-", "- is none; name one", KAN_LEDGER_WRITE},
                 {"ledger.gz", "without .gz", KAN_LEDGER_WRITE},
                 {"ledger", "kanon anonymize --ledger makes one", KAN_LEDGER_READ},
                 {"none/ledger", "create the folder first", KAN_LEDGER_WRITE},
                 {"link", "cannot be opened", KAN_LEDGER_READ},
                 {"key", "not a ledger of kanon", KAN_LEDGER_WRITE}};
    assert_int_equal(symlink("nowhere", "link"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kan_ledger_open(*state, cases[i].path, "key", cases[i].use, &ledger),
                         KAN_BAD_INPUT);
        if (!strstr(kan_run_error(*state), cases[i].words))
            fail_msg("%s", kan_run_error(*state));
    }
    /* a link to a ledger stays a link */
    static const uint32_t first[] = {0, 0};
    struct stat info;
    add_release(*state, first, 2, 1);
    assert_int_equal(unlink("link"), 0);
    assert_int_equal(symlink("ledger", "link"), 0);
    assert_int_equal(kan_ledger_open(*state, "link", "key", KAN_LEDGER_WRITE, &ledger), KAN_OK);
    const kan_ledger_release facts = facts_of(1);
    assert_int_equal(stage(ledger, &facts, first, 2), KAN_OK);
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_int_equal(kan_ledger_n_releases(ledger), 2);
    kan_ledger_close(ledger);
}

static void the_ledger_of_another_table_is_refused(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    kan_ledger_mark marks[MOST];
    kan_ledger_classes classes;
    add_release(*state, first, 4, 2);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    mark_people(ledger, marks);
    assert_int_equal(kan_ledger_find_classes(ledger, marks + 4, 10, &classes), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "none of the 10 people of this table is among "
                                                  "the 4 of the ledger"));
    assert_int_equal(kan_ledger_bind(ledger, "number"), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "and this one by"));
    marks[1] = marks[0];
    assert_int_equal(kan_ledger_find_classes(ledger, marks, 3, &classes), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "a person occurs twice"));
    kan_ledger_close(ledger);
}

static void two_who_write_at_once_are_not_let_in(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    const kan_ledger_release facts = facts_of(2);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    kan_run *other = kan_run_create();
    /* before it is written, when it was replaced, and when it was settled */
    expect_refused(other, KAN_LEDGER_WRITE, KAN_FAILED, "another run of kanon is at work");
    assert_int_equal(stage(ledger, &facts, first, 4), KAN_OK);
    expect_refused(other, KAN_LEDGER_WRITE, KAN_FAILED, "another run of kanon is at work");
    kan_run_on_note(other, on_note, NULL);
    kan_ledger_close(open_ledger(other, KAN_LEDGER_READ)); /* looking is always possible */
    assert_non_null(strstr(noted, "another run of kanon is making"));
    kan_ledger_commit(ledger);
    expect_refused(other, KAN_LEDGER_WRITE, KAN_FAILED, "another run of kanon is at work");
    kan_ledger_close(ledger);
    ledger = open_ledger(other, KAN_LEDGER_WRITE);
    assert_int_equal(kan_ledger_n_releases(ledger), 1);
    kan_ledger_close(ledger);
    kan_run_destroy(other);
}

static void of_two_processes_neither_loses_a_release(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    enum { PROCESSES = 4, EACH = 5 };
    pid_t children[PROCESSES];
    add_release(*state, first, 4, 2);
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] > 0)
            continue;
        for (unsigned n = 0; n < EACH;) {
            kan_run *run = kan_run_create();
            kan_ledger *ledger = NULL;
            const kan_ledger_release facts = facts_of(2);
            const kan_status status =
                kan_ledger_open(run, "ledger", "key", KAN_LEDGER_WRITE, &ledger);
            if (status == KAN_OK && kan_ledger_bind(ledger, "id") == KAN_OK &&
                stage(ledger, &facts, first, 4) == KAN_OK) {
                kan_ledger_commit(ledger);
                n++;
            } else if (status != KAN_FAILED) {
                _exit(1);
            }
            kan_ledger_close(ledger);
            kan_run_destroy(run);
        }
        _exit(0);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_int_equal(kan_ledger_n_releases(ledger), 1 + PROCESSES * EACH);
    for (size_t i = 0; i < kan_ledger_n_releases(ledger); i++) {
        assert_int_equal(kan_ledger_release_at(ledger, i)->number, i + 1);
        assert_false(kan_ledger_release_at(ledger, i)->is_pending);
    }
    kan_ledger_close(ledger);
}

/* ---- killed between the ledger and the name of the release -------------------------------------- */

static char content_of_release[KAN_HASH_TEXT];

/* Stages a release whose file will stand at `release`, and dies. */
static void stage_and_die(void) {
    static const uint32_t first[] = {0, 0, 1, 1};
    const pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (child == 0) {
        char place[256];
        kan_ledger_release facts = facts_of(2);
        kan_run *run = kan_run_create();
        snprintf(place, sizeof place, "%s/release", home);
        facts.place = place;
        facts.content = content_of_release;
        kan_ledger *ledger = NULL;
        if (kan_ledger_open(run, "ledger", "key", KAN_LEDGER_WRITE, &ledger) != KAN_OK ||
            kan_ledger_bind(ledger, "id") != KAN_OK || stage(ledger, &facts, first, 4) != KAN_OK)
            _exit(1);
        _exit(0); /* neither committed nor closed, as by a kill */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void name_release(const char *bytes) {
    kan_hash hash;
    put("release", bytes, strlen(bytes), 0644);
    kan_hash_begin(&hash);
    kan_hash_add(&hash, "rows\n", 5);
    kan_hash_end(&hash, content_of_release);
}

static void a_release_that_is_found_under_its_name_is_settled(void **state) {
    uint8_t pending[4096], settled[4096];
    name_release("rows\n");
    stage_and_die();
    const size_t size = get("ledger", pending, sizeof pending);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_false(kan_ledger_release_at(ledger, 0)->is_pending);
    kan_ledger_close(ledger);
    assert_int_equal(get("ledger", settled, sizeof settled), size); /* who looks writes nothing */
    kan_ledger_close(open_ledger(*state, KAN_LEDGER_WRITE));
    assert_int_equal(get("ledger", settled, sizeof settled), size + 32);
    assert_memory_equal(pending, settled, size);
    /* settled is settled, wherever the release goes then */
    assert_int_equal(unlink("release"), 0);
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_false(kan_ledger_release_at(ledger, 0)->is_pending);
    kan_ledger_close(ledger);
    assert_string_equal(noted, "");
}

static void a_release_that_is_not_there_counts_until_it_is_forgotten(void **state) {
    static const uint32_t second[] = {0, 1, 0, 1};
    kan_ledger_mark marks[MOST];
    kan_ledger_classes classes;
    name_release("rows\n");
    stage_and_die();
    put("release", "other rows\n", 11, 0644); /* by its name alone it is not known */
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_true(kan_ledger_release_at(ledger, 0)->is_pending);
    assert_non_null(strstr(noted, "release 1 (release) was about to get its name"));
    assert_non_null(strstr(noted, "kanon ledger forget ledger --which 1 --key FILE"));
    mark_people(ledger, marks);
    assert_int_equal(kan_ledger_find_classes(ledger, marks, 4, &classes), KAN_OK);
    assert_int_equal(classes.n, 3);
    kan_ledger_classes_destroy(*state, &classes);
    kan_ledger_close(ledger);
    /* the next release changes nothing about it */
    add_release(*state, second, 4, 2);
    ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    assert_int_equal(kan_ledger_n_releases(ledger), 2);
    assert_true(kan_ledger_release_at(ledger, 0)->is_pending);
    assert_false(kan_ledger_release_at(ledger, 1)->is_pending);
    assert_int_equal(kan_ledger_forget(ledger, 0), KAN_OK);
    kan_ledger_close(ledger);
    noted[0] = '\0';
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_int_equal(kan_ledger_n_releases(ledger), 1);
    assert_int_equal(kan_ledger_release_at(ledger, 0)->number, 2);
    assert_int_equal(kan_ledger_find_classes(ledger, marks, 4, &classes), KAN_OK);
    assert_int_equal(classes.n, 3);
    assert_int_equal(classes.of_person[0], classes.of_person[2]);
    kan_ledger_classes_destroy(*state, &classes);
    kan_ledger_close(ledger);
    assert_string_equal(noted, "");
}

static void what_still_stands_at_its_place_is_not_forgotten(void **state) {
    uint8_t before[4096], after[4096];
    name_release("rows\n");
    stage_and_die();
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    const size_t size = get("ledger", before, sizeof before);
    assert_int_equal(kan_ledger_forget(ledger, 0), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "release 1 still stands at"));
    kan_ledger_close(ledger);
    assert_int_equal(get("ledger", after, sizeof after), size);
    assert_memory_equal(before, after, size);
    assert_int_equal(unlink("release"), 0);
    ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    assert_int_equal(kan_ledger_forget(ledger, 0), KAN_OK);
    kan_ledger_close(ledger);
    ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    assert_int_equal(kan_ledger_n_releases(ledger), 0);
    assert_int_equal(kan_ledger_n_people(ledger), 0);
    kan_ledger_close(ledger);
    /* a number is not given again */
    static const uint32_t first[] = {0, 0};
    add_release(*state, first, 2, 1);
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_int_equal(kan_ledger_release_at(ledger, 0)->number, 2);
    kan_ledger_close(ledger);
}

static void who_is_in_no_release_any_more_leaves_the_ledger(void **state) {
    static const uint32_t first[] = {0, 0, NOT_IN, NOT_IN}, second[] = {NOT_IN, 0, 0, NOT_IN};
    kan_ledger_mark marks[MOST];
    kan_ledger_classes classes;
    add_release(*state, first, 4, 1);
    add_release(*state, second, 4, 1);
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    assert_int_equal(kan_ledger_n_people(ledger), 3);
    assert_int_equal(kan_ledger_forget(ledger, 0), KAN_OK);
    kan_ledger_close(ledger);
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    assert_int_equal(kan_ledger_n_people(ledger), 2);
    mark_people(ledger, marks);
    assert_int_equal(kan_ledger_find_classes(ledger, marks, 4, &classes), KAN_OK);
    static const uint32_t class_of[] = {0, 1, 1, 0};
    assert_memory_equal(classes.of_person, class_of, sizeof class_of);
    kan_ledger_classes_destroy(*state, &classes);
    kan_ledger_close(ledger);
}

/* What the authors of SipHash print for a key and texts of 0, 1, 2 .. : of these, the first. */
static void marks_are_siphash(void **state) {
    static const uint64_t key[] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const uint8_t of_nothing[] = {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6,
                                         0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93};
    const kan_ledger_mark mark = kan_ledger_siphash(key, "", 0);
    (void)state;
    assert_memory_equal(mark.bytes, of_nothing, sizeof of_nothing);
}

/* A mark is no pseudonym of the person, and another key gives another. */
static void marks_follow_from_the_key_and_from_nothing_else(void **state) {
    static const uint32_t first[] = {0, 0};
    kan_ledger_mark marks[MOST], others[MOST];
    kan_ledger *ledger = open_ledger(*state, KAN_LEDGER_WRITE);
    mark_people(ledger, marks);
    kan_ledger_close(ledger);
    assert_int_equal(kan_ledger_open(*state, "ledger", "other", KAN_LEDGER_WRITE, &ledger), KAN_OK);
    mark_people(ledger, others);
    kan_ledger_close(ledger);
    for (unsigned i = 0; i < MOST; i++)
        for (unsigned j = 0; j < MOST; j++) {
            assert_int_equal(memcmp(&marks[i], &marks[j], sizeof *marks) == 0, i == j);
            assert_memory_not_equal(&marks[i], &others[j], sizeof *marks);
        }
    add_release(*state, first, 2, 1);
    ledger = open_ledger(*state, KAN_LEDGER_READ);
    mark_people(ledger, others);
    kan_ledger_close(ledger);
    assert_memory_equal(marks, others, sizeof marks);
}

static void memory_is_in_the_account(void **state) {
    static const uint32_t first[] = {0, 0, 1, 1};
    kan_ledger *ledger;
    add_release(*state, first, 4, 2);
    kan_run_set_memory(*state, 4096);
    assert_int_equal(kan_ledger_open(*state, "ledger", "key", KAN_LEDGER_READ, &ledger),
                     KAN_FAILED);
    assert_non_null(strstr(kan_run_error(*state), "memory"));
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
        cmocka_unit_test_setup_teardown(a_ledger_that_was_cut_short_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ledger_that_was_changed_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_key_is_told_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ledger_that_others_may_read_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_plain_file_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ledger_of_another_table_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_who_write_at_once_are_not_let_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_two_processes_neither_loses_a_release, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_release_that_is_found_under_its_name_is_settled, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_release_that_is_not_there_counts_until_it_is_forgotten,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_still_stands_at_its_place_is_not_forgotten, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_is_in_no_release_any_more_leaves_the_ledger, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(marks_are_siphash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_follow_from_the_key_and_from_nothing_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(memory_is_in_the_account, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
