/* `verify --ledger`: a release recounted together with the earlier ones, on tables that can be counted by hand;
 * copies that were changed, and ledgers that say something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/settings/settings.h"
#include "ledger/ledger.h"
#include "support/plain.h"

enum { PEOPLE = 8 };

/* A quarter: by person her town and what she has; town 0: she is not in the table. */
typedef struct {
    char town[PEOPLE + 1], ill[PEOPLE + 1];
} quarter;

static const quarter first = {"aaaabbbb", "xyxyxyxy"};
/* Two of each town have moved to the other. */
static const quarter moved = {"aabbaabb", "xyxyxyxy"};

static char home[] = "/tmp/kanon-verify-ledger-XXXXXX";

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static void put_table(const char *path, const quarter *q, bool has_id) {
    char text[512] = "";
    size_t at = (size_t)snprintf(text, sizeof text, "%stown,ill\n", has_id ? "id," : "");
    for (int p = 0; p < PEOPLE; p++)
        if (q->town[p] != '-' && has_id)
            at += (size_t)snprintf(text + at, sizeof text - at, "p%d,%c,%c\n", p, q->town[p],
                                   q->ill[p]);
        else if (q->town[p] != '-')
            at += (size_t)snprintf(text + at, sizeof text - at, "%c,%c\n", q->town[p], q->ill[p]);
    put(path, text);
}

/* What the ledger says that group b shows. */
static const char *label_of_b = "b";

/* Adds a release to the ledger, with the people in the groups of `said`. */
static void add_release(const char *path, const quarter *said) {
    const kan_slice texts[] = {{"a", 1}, {label_of_b, 1}};
    static const uint32_t codes[] = {0, 1};
    const kan_ledger_shown shown[] = {{"town", texts, 2, codes}};
    kan_run *run = kan_run_create();
    char content[KAN_HASH_TEXT], names[PEOPLE][4];
    kan_slice ids[PEOPLE];
    kan_ledger_mark marks[PEOPLE];
    uint32_t groups[PEOPLE];
    uint64_t n_bytes;
    size_t n = 0;
    kan_ledger *ledger;
    for (int p = 0; p < PEOPLE; p++)
        if (said->town[p] != '-') {
            snprintf(names[n], sizeof names[n], "p%d", p);
            ids[n] = kan_slice_of(names[n]);
            groups[n++] = said->town[p] == 'b';
        }
    EXPECT_OK(run, kan_hash_file(run, path, content, &n_bytes));
    EXPECT_OK(run, kan_ledger_open(run, "ledger", "key", KAN_LEDGER_WRITE, &ledger));
    EXPECT_OK(run, kan_ledger_bind(ledger, "id"));
    EXPECT_OK(run, kan_ledger_make_marks(ledger, ids, n, marks));
    const kan_ledger_release facts = {.when = 1700000000,
                                      .name = path,
                                      .place = "",
                                      .content = content,
                                      .job = "",
                                      .settings = "",
                                      .k = 2,
                                      .n_rows = n,
                                      .n_groups = 2,
                                      .shown = shown,
                                      .n_shown = 1,
                                      .n_tuples = 2};
    EXPECT_OK(run, kan_ledger_stage(ledger, &facts, marks, groups, n));
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
    kan_run_destroy(run);
}

/* Both quarters, released and in the ledger. */
static void release_both(const quarter *one, const quarter *two) {
    (void)unlink("ledger");
    put_table("t1.csv", one, true);
    put_table("r1.csv", one, false);
    put_table("t2.csv", two, true);
    put_table("r2.csv", two, false);
    add_release("r1.csv", one);
    add_release("r2.csv", two);
}

static int make_home(void **state) {
    (void)state;
    if (!mkdtemp(home) || chdir(home) != 0)
        return -1;
    put("key", "0123456789abcdefghijklmnopqrstuv");
    put("other", "vutsrqponmlkjihgfedcba9876543210");
    return 0;
}

static int remove_home(void **state) {
    static const char *const names[] = {"key",    "other",  "ledger",   "t1.csv",  "r1.csv",
                                        "t2.csv", "r2.csv", "copy.csv", "job.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unlink(names[i]);
    return chdir("/") == 0 ? rmdir(home) : -1;
}

/* What verify says: settings in pairs, NULL at the end; they come after what is usual, or in its place. */
typedef struct {
    kan_status status;
    json_t *ledger, *json; /* NULL after an error */
    char summary[4096], error[1024];
} told;

static const char *const usual[][2] = {{"input", "r2.csv"},  {"original", "t2.csv"}, {"qi", "town"},
                                       {"sensitive", "ill"}, {"id", "id"},           {"k", "2"},
                                       {"ledger", "ledger"}, {"key", "key"}};

static bool is_given(const char *const *settings, const char *name) {
    for (; *settings; settings += 2)
        if (strcmp(settings[0], name) == 0)
            return true;
    return false;
}

static told verify(const char *const *settings) {
    told out = {.ledger = NULL};
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result = NULL;
    EXPECT_OK(run, kan_job_create(run, &job));
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!is_given(settings, usual[i][0]))
            EXPECT_OK(run, kan_job_set(job, usual[i][0], usual[i][1]));
    for (; *settings; settings += 2)
        if (strcmp(settings[0], "job") == 0)
            EXPECT_OK(run, kan_job_load(job, settings[1]));
        else if (settings[1]) /* else it is left out */
            EXPECT_OK(run, kan_job_set(job, settings[0], settings[1]));
    out.status = kan_job_run(job, "verify", &result);
    snprintf(out.error, sizeof out.error, "%s", kan_run_error(run) ? kan_run_error(run) : "");
    if (result) {
        out.json = json_loads(kan_result_json(result), 0, NULL);
        out.ledger = json_object_get(out.json, "ledger");
        snprintf(out.summary, sizeof out.summary, "%s", kan_result_summary(result));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return out;
}

#define VERIFY(...) verify((const char *const[]){__VA_ARGS__, NULL, NULL})

static json_int_t of_cells(const told *t, const char *name) {
    const json_t *number = json_object_get(json_object_get(t->ledger, "cells"), name);
    assert_true(json_is_integer(number));
    return json_integer_value(number);
}

static void expect_holds(const told *t, bool holds) {
    if (t->status != KAN_OK || json_is_true(json_object_get(t->json, "verified")) != holds)
        fail_msg("%d %s%s", t->status, t->error, t->summary);
    assert_string_equal(json_string_value(json_object_get(t->json, "status")),
                        holds ? "verified" : "refuted");
    assert_true(json_is_boolean(json_object_get(t->ledger, "holds")));
}

/* ---- cells -------------------------------------------------------------------------------------- */

static void cells_of_k_people_are_verified(void **state) {
    (void)state;
    release_both(&first, &moved);
    told t = VERIFY("l", "2");
    expect_holds(&t, true);
    assert_int_equal(json_integer_value(json_object_get(t.ledger, "release")), 2);
    assert_int_equal(json_integer_value(json_object_get(t.ledger, "earlier")), 1);
    assert_int_equal(of_cells(&t, "n"), 4);
    assert_int_equal(of_cells(&t, "smallest"), 2);
    assert_non_null(strstr(t.summary, "over time   holds with 1 earlier release\n"));
    json_decref(t.json);
    t = VERIFY("input", "r1.csv", "original", "t1.csv", "k", "4");
    expect_holds(&t, true); /* nothing was before it */
    assert_int_equal(of_cells(&t, "n"), 2);
    assert_int_equal(of_cells(&t, "newcomers"), 8);
    json_decref(t.json);
}

static void groups_of_k_do_not_make_cells_of_k(void **state) {
    (void)state;
    release_both(&first, &moved);
    told t = VERIFY("k", "3");
    expect_holds(&t, false);
    assert_int_equal(json_integer_value(json_object_get(t.json, "smallest_group")), 4);
    assert_int_equal(of_cells(&t, "small_people"), 8);
    assert_non_null(strstr(t.summary, "8 people are in cells of fewer than 3"));
    json_decref(t.json);
}

static void a_model_is_asked_of_cells(void **state) {
    (void)state;
    const quarter one_value = {"aabbaabb", "xxyyyyxx"};
    release_both(&first, &one_value);
    told t = VERIFY("l", "2");
    expect_holds(&t, false);
    assert_int_equal(of_cells(&t, "small_people"), 0);
    assert_non_null(strstr(t.summary, "l-diversity does not hold in all of them"));
    json_decref(t.json);
    t = VERIFY("alpha", "0.5");
    expect_holds(&t, false);
    json_decref(t.json);
}

static void leavers_are_told_or_refused(void **state) {
    (void)state;
    const quarter one_left = {"aaaabbb-", "xyxyxyxy"};
    release_both(&first, &one_left);
    told t = VERIFY("l", "2");
    expect_holds(&t, true);
    assert_int_equal(of_cells(&t, "leavers"), 1);
    assert_int_equal(of_cells(&t, "cells_of_leavers"), 1);
    assert_non_null(strstr(t.summary, "1 person has left 1 earlier cell, fewer than 2 of each"));
    json_decref(t.json);
    t = VERIFY("leavers", "refuse");
    expect_holds(&t, false);
    json_decref(t.json);
    t = VERIFY("leavers", "refuse", "k", "1");
    expect_holds(&t, true);
    json_decref(t.json);
}

/* ---- what was changed --------------------------------------------------------------------------- */

static void a_changed_copy_is_not_in_the_ledger(void **state) {
    (void)state;
    static const char *const copies[] = {
        "town,ill\na,y\na,x\nb,x\nb,y\na,x\na,y\nb,x\nb,y\n",  /* two values exchanged */
        "town,ill\na,x\na,y\nb,x\nb,y\na,x\na,y\nb,x\nb,y",    /* the same table, other bytes */
        "town,ill\na,x\na,y\nb,x\nb,y\na,x\na,y\n",            /* rows are missing */
        "town,ill\n*,x\n*,y\nb,x\nb,y\na,x\na,y\nb,x\nb,y\n"}; /* two were hidden */
    release_both(&first, &moved);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        put("copy.csv", copies[i]);
        told t = VERIFY("input", "copy.csv", "suppress", "all");
        expect_holds(&t, false);
        assert_false(json_is_true(json_object_get(t.ledger, "known")));
        assert_non_null(strstr(t.summary, "NOT in the ledger"));
        json_decref(t.json);
    }
}

static void a_ledger_that_says_something_else_is_found(void **state) {
    (void)state;
    const quarter lies[] = {{"ababaabb", ""},  /* somebody is in another group */
                            {"aabbaab-", ""},  /* or in none */
                            {"aaaaaaaa", ""}}; /* there is one group in place of two */
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        (void)unlink("ledger");
        release_both(&first, &moved);
        (void)unlink("ledger");
        add_release("r1.csv", &first);
        add_release("r2.csv", &lies[i]);
        told t = VERIFY("k", "2");
        expect_holds(&t, false);
        assert_true(json_is_null(json_object_get(t.ledger, "cells")));
        assert_non_null(strstr(t.summary, "NOT as in the ledger"));
        json_decref(t.json);
    }
}

/* The rows of the moved ones in another order. */
static void shuffle_second(void) {
    put("r2.csv", "town,ill\nb,x\nb,y\na,x\na,y\na,x\na,y\nb,x\nb,y\n");
    (void)unlink("ledger");
    add_release("r1.csv", &first);
    add_release("r2.csv", &moved);
}

static void rows_in_another_order_are_found_by_their_groups(void **state) {
    (void)state;
    const quarter one_value = {"aabbaabb", "xxyyyyxx"};
    release_both(&first, &moved);
    shuffle_second();
    told t = VERIFY("l", "2");
    expect_holds(&t, true);
    assert_int_equal(of_cells(&t, "n"), 4);
    json_decref(t.json);
    t = VERIFY("k", "3");
    expect_holds(&t, false);
    json_decref(t.json);
    /* who has which value is found, too: in each cell it is one */
    release_both(&first, &one_value);
    shuffle_second();
    t = VERIFY("l", "2");
    expect_holds(&t, false);
    assert_int_equal(of_cells(&t, "small_people"), 0);
    json_decref(t.json);
}

static void an_order_that_nobody_can_tell_is_not_verified(void **state) {
    (void)state;
    release_both(&first, &moved);
    label_of_b = "z";
    shuffle_second();
    label_of_b = "b";
    told t = VERIFY("k", "2");
    assert_string_equal(json_string_value(json_object_get(t.json, "status")), "unchecked");
    assert_true(json_is_null(json_object_get(t.ledger, "holds")));
    assert_non_null(strstr(t.summary, "nobody can tell who is in which group"));
    json_decref(t.json);
}

/* A job file tells somebody who has no ledger how the release was made. */
static void a_job_file_does_not_ask_for_a_ledger_that_is_not_here(void **state) {
    (void)state;
    release_both(&first, &moved);
    put("job.yaml", "qi: [town]\nk: 3\nid: [id]\nkeep: [ill]\nledger: gone\nkey: key\n");
    told t = VERIFY("job", "job.yaml", "sensitive", NULL, "ledger", NULL, "key", NULL, "qi", NULL,
                    "k", NULL, "id", NULL);
    assert_string_equal(json_string_value(json_object_get(t.json, "status")), "verified");
    assert_true(json_is_null(t.ledger));
    json_decref(t.json);
    put("job.yaml", "qi: [town]\nk: 3\nid: [id]\nkeep: [ill]\nledger: ledger\nkey: key\n");
    t = VERIFY("job", "job.yaml", "sensitive", NULL, "ledger", NULL, "key", NULL, "qi", NULL, "k",
               NULL, "id", NULL);
    expect_holds(&t, false);
    json_decref(t.json);
}

/* ---- people with several rows ------------------------------------------------------------------- */

/* Four people with two rows each, and four with one. The ledger tells groups of people: what all their rows show. */
static void release_several(const char *groups_of_two, const char *groups_of_one) {
    static const kan_slice texts[] = {{"a", 1}, {"b", 1}};
    static const uint32_t codes[] = {0, 1};
    const kan_ledger_shown shown[] = {{"town", texts, 2, codes}};
    char table[512] = "id,town,ill\n", release[512] = "town,ill\n", content[KAN_HASH_TEXT];
    char names[PEOPLE][4];
    kan_slice ids[PEOPLE];
    kan_ledger_mark marks[PEOPLE];
    uint32_t groups[PEOPLE];
    uint64_t n_bytes;
    kan_ledger *ledger;
    for (int p = 0; p < PEOPLE; p++) {
        const bool has_two = p < PEOPLE / 2;
        const int n_rows = has_two ? 2 : 1;
        snprintf(names[p], sizeof names[p], "p%d", p);
        ids[p] = kan_slice_of(names[p]);
        groups[p] = (uint32_t)((has_two ? groups_of_two[p] : groups_of_one[p - PEOPLE / 2]) - '0');
        for (int i = 0; i < n_rows; i++) {
            const char town = has_two ? (char)('a' + i) : 'a', ill = (p + i) % 2 ? 'x' : 'y';
            char row[32];
            snprintf(row, sizeof row, "%s,%c,%c\n", names[p], town, ill);
            strcat(table, row);
            strcat(release, strchr(row, ',') + 1);
        }
    }
    (void)unlink("ledger");
    put("t2.csv", table);
    put("r2.csv", release);
    kan_run *run = kan_run_create();
    EXPECT_OK(run, kan_hash_file(run, "r2.csv", content, &n_bytes));
    EXPECT_OK(run, kan_ledger_open(run, "ledger", "key", KAN_LEDGER_WRITE, &ledger));
    EXPECT_OK(run, kan_ledger_bind(ledger, "id"));
    EXPECT_OK(run, kan_ledger_make_marks(ledger, ids, PEOPLE, marks));
    const kan_ledger_release facts = {.name = "r2.csv",
                                      .place = "",
                                      .content = content,
                                      .job = "",
                                      .settings = "",
                                      .k = 2,
                                      .n_rows = PEOPLE + PEOPLE / 2,
                                      .n_groups = 3,
                                      .shown = shown,
                                      .n_shown = 1,
                                      .n_tuples = 2};
    EXPECT_OK(run, kan_ledger_stage(ledger, &facts, marks, groups, PEOPLE));
    kan_ledger_commit(ledger);
    kan_ledger_close(ledger);
    kan_run_destroy(run);
}

static void people_are_together_by_all_of_their_rows(void **state) {
    (void)state;
    release_several("0000", "1111");
    told t = VERIFY("person", "id", "id", NULL);
    expect_holds(&t, true);
    json_decref(t.json);
    /* those with one row, and those with two, are not one group; nor are the latter two */
    release_several("0000", "0000");
    t = VERIFY("person", "id", "id", NULL);
    expect_holds(&t, false);
    json_decref(t.json);
    release_several("0022", "1111");
    t = VERIFY("person", "id", "id", NULL);
    expect_holds(&t, false);
    json_decref(t.json);
    /* without being told, no row is the second of anybody */
    release_several("0000", "1111");
    t = VERIFY("k", "2");
    assert_int_equal(t.status, KAN_BAD_INPUT);
    assert_non_null(strstr(t.error, "somebody has several rows"));
    json_decref(t.json);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void what_cannot_be_known_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *setting, *value, *error;
    } tries[] = {
        {"keep-suppressed", "true", "--ledger: rows of nothing but *"},
        {"per-column", "true", "--ledger: people are together by groups of all"},
        {"key", "other", "key"},
        {"ledger", "r1.csv", "r1.csv"},
        {"ledger", "nothing", "nothing"},
    };
    release_both(&first, &moved);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        told t = VERIFY(tries[i].setting, tries[i].value);
        if (t.status != KAN_BAD_INPUT || !strstr(t.error, tries[i].error))
            fail_msg("%s: %d %s", tries[i].setting, t.status, t.error);
        json_decref(t.json);
    }
    told t = verify((const char *const[]){"original", NULL, NULL});
    assert_int_equal(t.status, KAN_BAD_INPUT);
    assert_non_null(strstr(t.error, "give the table before with --original"));
    json_decref(t.json);
    t = verify((const char *const[]){"key", NULL, NULL});
    assert_int_equal(t.status, KAN_BAD_INPUT);
    assert_non_null(strstr(t.error, "--key FILE"));
    json_decref(t.json);
    put("t2.csv", "who,town,ill\np0,a,x\np1,a,y\n");
    t = VERIFY("id", "who");
    assert_int_equal(t.status, KAN_BAD_INPUT);
    assert_non_null(strstr(t.error, "name people by the column 'id'"));
    json_decref(t.json);
    put("t2.csv", "id,who,town,ill\np0,q0,a,x\np1,q1,a,y\n");
    t = VERIFY("person", "who");
    assert_int_equal(t.status, KAN_BAD_INPUT);
    assert_non_null(strstr(t.error, "--person: the releases in"));
    json_decref(t.json);
}

/* What anonymize makes no release with is not verified either. */
static void what_is_not_worked_out_is_not_verified(void **state) {
    (void)state;
    static const char *const shares[][2] = {{"alpha", "0.9"}, {"t", "0.9"}, {"beta", "9"}};
    const quarter one_new = {"aaaabbb-", "xyxyxyxy"}, with_her = {"aaaabbbb", "xyxyxyxy"};
    release_both(&one_new, &with_her);
    told t = VERIFY("attacker", "knows-if", "l", "2");
    expect_holds(&t, true);
    assert_int_equal(of_cells(&t, "hidden"), 1);
    json_decref(t.json);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        t = VERIFY("attacker", "knows-if", shares[i][0], shares[i][1]);
        if (t.status != KAN_BAD_INPUT || !strstr(t.error, "may hold of all who were there before"))
            fail_msg("%s: %d %s%s", shares[i][0], t.status, t.error, t.summary);
        json_decref(t.json);
    }
    t = VERIFY("attacker", "knows-if", "l", "2", "l-kind", "entropy");
    assert_int_equal(t.status, KAN_BAD_INPUT);
    json_decref(t.json);
    t = VERIFY("average-risk", "0.9");
    if (t.status != KAN_BAD_INPUT || !strstr(t.error, "is about all groups together"))
        fail_msg("%d %s%s", t.status, t.error, t.summary);
    json_decref(t.json);
    t = VERIFY("at-risk", "0.9", "below", "3");
    assert_int_equal(t.status, KAN_BAD_INPUT);
    json_decref(t.json);
}

/* Else nobody would be out with too few, and nobody in a cell of too few. */
static void without_k_nothing_is_verified_over_time(void **state) {
    (void)state;
    const quarter one_left = {"aaaabbb-", "xyxyxyxy"};
    release_both(&first, &one_left);
    told t = VERIFY("leavers", "refuse");
    expect_holds(&t, false);
    json_decref(t.json);
    t = VERIFY("leavers", "refuse", "k", NULL, "l", "2");
    if (t.status != KAN_BAD_INPUT || !strstr(t.error, "say it with --k N"))
        fail_msg("%d %s%s", t.status, t.error, t.summary);
    json_decref(t.json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_k_people_are_verified),
        cmocka_unit_test(groups_of_k_do_not_make_cells_of_k),
        cmocka_unit_test(a_model_is_asked_of_cells),
        cmocka_unit_test(leavers_are_told_or_refused),
        cmocka_unit_test(a_changed_copy_is_not_in_the_ledger),
        cmocka_unit_test(a_ledger_that_says_something_else_is_found),
        cmocka_unit_test(rows_in_another_order_are_found_by_their_groups),
        cmocka_unit_test(an_order_that_nobody_can_tell_is_not_verified),
        cmocka_unit_test(a_job_file_does_not_ask_for_a_ledger_that_is_not_here),
        cmocka_unit_test(people_are_together_by_all_of_their_rows),
        cmocka_unit_test(what_cannot_be_known_is_refused),
        cmocka_unit_test(what_is_not_worked_out_is_not_verified),
        cmocka_unit_test(without_k_nothing_is_verified_over_time),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
