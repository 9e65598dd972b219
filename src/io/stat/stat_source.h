/* The inside of a source of io/stat; for its files and their tests.
 *
 * Order of calls: kan_stat_take_columns once, then kan_stat_choose_labels, then kan_stat_take_rows
 * for each reading, all with what a child says. */
#ifndef KANON_IO_STAT_STAT_SOURCE_H
#define KANON_IO_STAT_STAT_SOURCE_H

#include "core/options.h"
#include "io/beside.h"
#include "io/gather.h"
#include "io/stat/stat_child.h"
#include "io/stat/stat_clock.h"
#include "io/streams/streams.h"

typedef enum kan_stat_showing { KAN_STAT_AUTO, KAN_STAT_LABELS, KAN_STAT_CODES } kan_stat_showing;

/* A value that is not missing and has a label: a word of a number, or a text. */
typedef struct kan_stat_entry {
    uint64_t word;
    kan_slice text, label;
} kan_stat_entry;

typedef struct kan_stat_column {
    kan_field field;
    kan_stat_storage storage;
    kan_stat_clock clock;
    const kan_stat_entry *entries; /* by word or text, ascending */
    size_t n_entries;
    const kan_slice *missing_texts;
    size_t n_missing_texts;
    kan_stat_showing showing; /* as its user said */
    bool has_twins;           /* two values have the same label: codes are shown */
    bool is_told;             /* that they are, to the user */
} kan_stat_column;

typedef struct kan_stat_source {
    kan_run *run;
    kan_arena arena;
    kan_stream stream;
    kan_stat_format format;
    kan_stat_vendor vendor;
    const char *ending;   /* for messages: .sav */
    const char *encoding; /* that its user said; NULL: none */
    size_t n_columns;
    kan_stat_column *columns;
    const char **names;
    const kan_field **fields;
    kan_slice label;   /* of the file */
    kan_slice *unused; /* labels of sets that no column names */
    size_t n_unused;
} kan_stat_source;

/* Where the answers of a child come from: fewer bytes than asked for, *n, at the end. */
typedef struct kan_stat_feed {
    kan_status (*take)(void *from, void *bytes, size_t size, size_t *n);
    /* What ended it before its time; NULL: nothing did. */
    kan_status (*end)(void *from, const char **cause);
    void *from;
    char *frame; /* the content of the last one */
    size_t capacity;
} kan_stat_feed;

/* The next frame. KAN_BAD_INPUT where the child has stopped, or found a fault. */
KAN_MUST_USE kan_status kan_stat_next_frame(kan_stat_source *source, kan_stat_feed *feed,
                                            kan_stat_frame *kind, kan_stat_cursor *content);
/* The same for the bytes that follow a header of this size, which are put at `to`. */
KAN_MUST_USE kan_status kan_stat_fail_damaged(const kan_stat_source *source, const char *what);

KAN_MUST_USE kan_status kan_stat_take_columns(kan_stat_source *source, kan_stat_feed *feed);
KAN_MUST_USE kan_status kan_stat_choose_labels(kan_stat_source *source, const kan_options *given);
void kan_stat_show_like(kan_stat_column *column, const kan_field *like);
KAN_MUST_USE kan_status kan_stat_take_rows(kan_stat_source *source, kan_stat_feed *feed,
                                           const bool *encode, const bool *as_is, kan_table **out);
/* The same with what an exact child says (kan_stat_child_plan): numbers are the bytes of their words, and
 * texts have all their blanks. For stat_lookalikes.c. */
KAN_MUST_USE kan_status kan_stat_take_exact(kan_stat_source *source, kan_stat_feed *feed,
                                            const bool *encode, kan_table **out);

/* What a word, or a text, of a column is read as. `room` needs KAN_STAT_CLOCK_ROOM bytes. */
KAN_MUST_USE kan_status kan_stat_show_number(const kan_stat_source *source,
                                             const kan_stat_column *column, uint64_t word,
                                             char *room, kan_slice *out);
KAN_MUST_USE kan_status kan_stat_show_text(const kan_stat_source *source,
                                           const kan_stat_column *column, kan_slice *text);

/* Lists labels and missing codes that no row of a table has, which was read as it is, and what its format
 * has beside the table; stat_beside.c. */
KAN_MUST_USE kan_status kan_stat_find_beside(const kan_stat_source *source, const kan_table *table,
                                             bool book_is_public, kan_beside *out);

/* Whether a column of what kan_stat_take_exact gave has different values that are read as one. */
KAN_MUST_USE kan_status kan_stat_is_apart(const kan_stat_source *source,
                                          const kan_stat_column *column,
                                          const kan_dictionary *exact, bool *out);

/* What a number of a column is called as it is: its number, date or missing code. `room` needs
 * KAN_STAT_CLOCK_ROOM bytes. */
kan_slice kan_stat_number_text(kan_stat_storage storage, const kan_stat_clock *clock, uint64_t word,
                               char *room);

/* The number with at most 15 digits that is next to a number. */
double kan_stat_round_decimal(double number);

#endif
