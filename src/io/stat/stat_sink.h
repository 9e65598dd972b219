/* The inside of the sinks of io/stat: what each format can hold, and what a column becomes in it. */
#ifndef KANON_IO_STAT_STAT_SINK_H
#define KANON_IO_STAT_STAT_SINK_H

#include "io/sink.h"
#include "io/stat/stat_clock.h"
#include "io/stat/stat_wire.h"

typedef enum kan_stat_target {
    KAN_STAT_TO_SAV,
    KAN_STAT_TO_ZSAV,
    KAN_STAT_TO_POR,
    KAN_STAT_TO_DTA,
    KAN_STAT_TO_XPT
} kan_stat_target;

/* What a format can hold. */
typedef struct kan_stat_limits {
    const char *ending; /* .sav */
    kan_stat_vendor vendor;
    uint64_t most_rows;
    size_t most_columns;
    size_t name_bytes, name_characters; /* the longest name */
    bool names_are_capital;             /* none has small letters */
    bool names_differ_by_case;          /* AGE and age are two columns */
    size_t text_bytes;                  /* the longest text */
    bool has_labels, has_text_labels;   /* of numbers, of texts */
    size_t label_bytes;                 /* the longest label of a value */
    size_t column_label_bytes;
    bool has_tags;    /* missing codes .a to .z */
    bool has_ranges;  /* missing codes that are numbers */
    bool has_storage; /* whole numbers of several sizes */
} kan_stat_limits;

const kan_stat_limits *kan_stat_limits_of(kan_stat_target target);

/* KAN_BAD_INPUT lists every name, and the number of rows or columns, that the format cannot hold. */
KAN_MUST_USE kan_status kan_stat_check(kan_run *run, kan_stat_target target,
                                       const kan_sink_sketch *sketch);

/* What a file says of the values of a column: stat_codebook.c. */
typedef struct kan_stat_codebook {
    bool is_public;                /* all that the table's own book has is here */
    const kan_value_label *labels; /* of values */
    size_t n_labels;
    const kan_missing_range *missing; /* codes that are declared missing */
    size_t n_missing;
} kan_stat_codebook;

/* The options of sinks that have a code book. */
enum { KAN_STAT_CODEBOOK_OPTIONS = 1 };
extern const kan_option_spec kan_stat_codebook_options[KAN_STAT_CODEBOOK_OPTIONS];
bool kan_stat_codebook_is_public(const kan_options *given);
/* What of the field's book is written with the column; lists live in the arena, or in the field. */
KAN_MUST_USE kan_status kan_stat_codebook_make(kan_arena *arena, kan_stat_target target,
                                               const kan_sink_column *column, bool is_public,
                                               kan_stat_codebook *out);

/* A column as it will be written. */
typedef struct kan_stat_output {
    const kan_sink_column *column;
    kan_stat_codebook book;
    kan_stat_storage storage;
    bool is_long;             /* of Stata: the texts stand elsewhere in the file */
    bool has_labels;          /* those of the book are written */
    bool shows_labels;        /* and stand for its codes when it is read */
    const char *format;       /* NULL: the format's own choice */
    size_t width;             /* bytes of a text */
    const uint64_t *words;    /* of numbers, by code */
    const char *const *texts; /* by code */
} kan_stat_output;

/* Decides what a column becomes, and makes its values; what must live as long as the writing is in
 * the arena. KAN_BAD_INPUT names the column and a value that the format cannot hold. */
KAN_MUST_USE kan_status kan_stat_output_make(kan_run *run, kan_arena *arena, kan_stat_target target,
                                             const kan_release *release,
                                             const kan_sink_column *column, bool book_is_public,
                                             kan_stat_output *out);
/* The word that a label's value has among numbers of the output; false where it has none. */
bool kan_stat_label_word(kan_stat_target target, const kan_field *field, kan_slice value,
                         uint64_t *out);

#endif
