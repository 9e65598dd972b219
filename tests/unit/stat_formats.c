#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stat_formats.h"

char stat_path[] = "/tmp/kanon-stat-XXXXXX";

int stat_set_up(void **state) {
    (void)state;
    const int file = mkstemp(stat_path);
    return file < 0 ? -1 : close(file);
}

int stat_tear_down(void **state) {
    (void)state;
    return unlink(stat_path);
}

const stat_format stat_formats[STAT_FORMATS] = {{&kan_sink_sav, &kan_source_sav},
                                                {&kan_sink_zsav, &kan_source_zsav},
                                                {&kan_sink_por, &kan_source_por},
                                                {&kan_sink_dta, &kan_source_dta},
                                                {&kan_sink_xpt, &kan_source_xpt}};

const kan_value_label stat_sexes[3] = {
    {S("1"), S("Male")}, {S("2"), S("Female")}, {S("9"), S("Refused")}};
static const kan_value_label ages[] = {{S("0"), S("Newborn")}, {S("-1"), S("Unknown")}};
static const kan_missing_range nine[] = {{9, 9}}, below_zero[] = {{-1e9, -1}};
static const kan_field people[] = {{.name = "SEX",
                                    .type = KAN_FIELD_NUMBER,
                                    .label = "Sex of person",
                                    .labels = stat_sexes,
                                    .n_labels = 3,
                                    .missing = nine,
                                    .n_missing = 1,
                                    .family = "spss",
                                    .format = "F1.0",
                                    .measure = 1},
                                   {.name = "AGE",
                                    .type = KAN_FIELD_NUMBER,
                                    .labels = ages,
                                    .n_labels = 2,
                                    .missing = below_zero,
                                    .n_missing = 1},
                                   {.name = "BORN", .type = KAN_FIELD_DATE}};
static const char *const people_cells[] = {"1", "34", "1980-03-14", "2", "-1", "",
                                           "9", "0",  "1582-10-15", "",  "7",  "0099-01-01"};
const stat_table stat_people = {
    .n_rows = 4, .n_columns = 3, .fields = people, .cells = people_cells};

void stat_keep_note(void *user, const char *text) {
    snprintf(user, STAT_NOTE, "%s", text);
}

void stat_must(kan_run *run, kan_status status) {
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(run));
}

void stat_assert_error(const kan_run *run, const char *part) {
    if (!strstr(kan_run_error(run), part))
        fail_msg("'%s' does not say '%s'", kan_run_error(run), part);
}
