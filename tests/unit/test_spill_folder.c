/* core/spill_folder: what is in use stays, what was left goes, links lead nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/spill_folder.h"

typedef struct place {
    kan_run *run;
    char tmp[64];
} place;

static place begin(void) {
    place here = {.run = kan_run_create(), .tmp = "/tmp/kanon-test-XXXXXX"};
    assert_non_null(here.run);
    assert_non_null(mkdtemp(here.tmp));
    assert_int_equal(kan_run_set_tmp(here.run, here.tmp), KAN_OK);
    return here;
}

static void end(place *here) {
    kan_run_destroy(here->run);
    assert_int_equal(rmdir(here->tmp), 0); /* nothing is in it */
}

static void write_file(const char *folder, const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    (void)close(file);
}

static void a_folder_goes_with_its_files(void **state) {
    (void)state;
    place here = begin();
    kan_spill_folder folder;
    struct stat found;
    assert_int_equal(kan_spill_folder_make(here.run, &folder), KAN_OK);
    assert_int_equal(stat(folder.path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    write_file(folder.path, "block");
    write_file(folder.path, ".hidden");
    kan_spill_folder_remove(here.run, &folder);
    end(&here);
}

static void a_folder_in_use_is_not_cleared_and_a_left_one_is(void **state) {
    (void)state;
    place here = begin();
    kan_spill_folder used, left;
    assert_int_equal(kan_spill_folder_make(here.run, &used), KAN_OK);
    assert_int_equal(kan_spill_folder_make(here.run, &left), KAN_OK);
    write_file(used.path, "block");
    write_file(left.path, "block");
    (void)close(left.lock); /* as a kill does */
    kan_spill_folder_clear(here.run);
    assert_int_equal(access(used.path, F_OK), 0);
    assert_int_equal(access(left.path, F_OK), -1);
    left.lock = -1;
    kan_spill_folder_remove(here.run, &left);
    kan_spill_folder_remove(here.run, &used);
    end(&here);
}

static void a_link_is_not_followed(void **state) {
    (void)state;
    place here = begin();
    char folder[128], link[128], file[160];
    (void)snprintf(folder, sizeof folder, "%s/else", here.tmp);
    (void)snprintf(link, sizeof link, "%s/kanon-duckdb-abcdef", here.tmp);
    (void)snprintf(file, sizeof file, "%s/kept", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    write_file(folder, "kept");
    assert_int_equal(symlink(folder, link), 0);
    kan_spill_folder_clear(here.run);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(unlink(link) | unlink(file) | rmdir(folder), 0);
    end(&here);
}

static void other_names_and_open_folders_are_not_ours(void **state) {
    static const char *const names[] = {"kanon-duckdb-abcdefg", "kanon-duckdb-abc", "other"};
    char path[128];
    (void)state;
    place here = begin();
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", here.tmp,
                       i < 3 ? names[i] : "kanon-duckdb-abcdef");
        assert_int_equal(mkdir(path, i < 3 ? 0700 : 0755), 0);
        assert_int_equal(chmod(path, i < 3 ? 0700 : 0755), 0);
    }
    kan_spill_folder_clear(here.run);
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", here.tmp,
                       i < 3 ? names[i] : "kanon-duckdb-abcdef");
        assert_int_equal(rmdir(path), 0);
    }
    end(&here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_goes_with_its_files),
        cmocka_unit_test(a_folder_in_use_is_not_cleared_and_a_left_one_is),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(other_names_and_open_folders_are_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
