/* Fields: what a format knows of a column beside its name, such as its type, and the labels of its
 * codes.
 *
 * A table holds text (data/table.h). A column of another type has its values in this form:
 *   number      a short decimal that reads back as the same number: 12, -0.5, 1e+300; whole
 *               numbers without point or exponent as far as they fit in 64 bits
 *   date        1980-03-14
 *   timestamp   1980-03-14 13:45:00, with as many digits of a second as it has; +00 follows where it
 *               has a zone
 *   time        13:45:00
 *   boolean     true, false
 * What is missing is "" in each of them. */
#ifndef KANON_IO_FIELD_H
#define KANON_IO_FIELD_H

#include "core/text.h"

typedef enum kan_field_type {
    KAN_FIELD_TEXT,
    KAN_FIELD_NUMBER,
    KAN_FIELD_DATE,
    KAN_FIELD_TIMESTAMP,
    KAN_FIELD_TIME,
    KAN_FIELD_BOOLEAN
} kan_field_type;

/* A value in the form above, or the name of a missing code such as .a, and what people call it. */
typedef struct kan_value_label {
    kan_slice value, label;
} kan_value_label;

/* Codes that stand for missing ones; a single code where both are the same. */
typedef struct kan_missing_range {
    double least, most;
} kan_missing_range;

typedef struct kan_field {
    const char *name;
    kan_field_type type;
    bool is_guessed;   /* the type was found by looking at values: no schema says it */
    bool is_nested;    /* lists, records or bytes: it cannot be read, only left out */
    bool is_mixed;     /* text, with numbers and others among it: which is which is not kept */
    const char *label; /* of the column, for people; NULL: none */
    const kan_value_label *labels;
    size_t n_labels;
    const char *label_set; /* the name of these labels, where they have one; NULL: none */
    const kan_missing_range *missing;
    size_t n_missing;
    bool shows_labels; /* values are read as their labels, not as their codes */
    /* How the format that it was read from shows it, such as F8.2 or %td, or stores it, such as
     * DECIMAL(9,2); for a sink of the same family. NULL: unknown. */
    const char *family, *format;
    unsigned width, decimals; /* shown; 0: unknown */
    int measure, alignment;   /* the family's own numbers; 0: unknown */
} kan_field;

/* The text of a number, in the form above; `room` needs KAN_NUMBER_ROOM bytes. Returns its
 * size. Not for what is not finite. */
enum { KAN_NUMBER_ROOM = 32 };
size_t kan_number_text(double number, char *room);
/* Whether a text is the form of a value of this type: writing the value and reading it again gives
 * the same text. "" is, for all but text. */
bool kan_field_holds(kan_field_type type, kan_slice text);

#endif
