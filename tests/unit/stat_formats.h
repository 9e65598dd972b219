/* What the tests of io/stat share: a file of their own, and every format with what reads it again. */
#ifndef KANON_TESTS_STAT_FORMATS_H
#define KANON_TESTS_STAT_FORMATS_H

#include "support/stat_file.h"

/* The file that a test writes and reads; it is there from stat_set_up to stat_tear_down. */
extern char stat_path[];
int stat_set_up(void **state);
int stat_tear_down(void **state);

typedef struct stat_format {
    const kan_sink_kind *sink;
    const kan_source_kind *source;
} stat_format;

enum { STAT_FORMATS = 5 };
extern const stat_format stat_formats[STAT_FORMATS];

#define S(text)                                                                                    \
    { text, sizeof text - 1 }

/* Four people with sex, age and birth, labels and missing codes; the labels of their sexes. */
extern const stat_table stat_people;
extern const kan_value_label stat_sexes[3];

/* For kan_run_on_note: keeps the last note in so many characters. */
enum { STAT_NOTE = 256 };
void stat_keep_note(void *user, const char *text);

/* Else the test fails with what the run says. */
void stat_must(kan_run *run, kan_status status);
void stat_assert_error(const kan_run *run, const char *part);

#endif
