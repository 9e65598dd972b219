/* Figures and lists as people read them. Counts, sizes and plural words are in core/text.h. */
#ifndef KANON_CORE_WORDING_H
#define KANON_CORE_WORDING_H

#include "core/text.h"

/* ---- percents ------------------------------------------------------------------------------- */

/* How a percentage is written. What is not exactly none or all never looks so, save as three digits. */
typedef enum kan_percent_form {
    KAN_PERCENT_TENTHS, /* 12.3 %, < 0.1 %, > 99.9 %, 0.0 %, 100.0 % */
    KAN_PERCENT_TIGHT,  /* 12.3%, <0.1%, >99.9%, 0%, 100%: for tables */
    KAN_PERCENT_DIGITS, /* 12.3%, 0.0123%: three digits, however small */
    KAN_PERCENT_ERROR,  /* 12.34%, and 1.23e+07% from 1000000% on */
    KAN_PERCENT_PAGE    /* 12.3 %, 0.012 %, 99.99 %, 0 %, 100 %, with a narrow blank, for pages */
} kan_percent_form;

/* `percent` of 100 into `room`; returns `room`. */
enum { KAN_PERCENT_BYTES = 32 };
const char *kan_percent_text(double percent, kan_percent_form form, char room[KAN_PERCENT_BYTES]);

/* ---- words ---------------------------------------------------------------------------------- */

/* Adds words and the end of the line, wrapped at blanks before `width`: the first line goes on at
 * `column`, others are indented. */
void kan_text_add_wrapped(kan_text *text, const char *words, size_t column, size_t indent,
                          size_t width);

/* ---- lists of names ------------------------------------------------------------------------- */

/* "a, b, c and 7 more": as many names as shall be told, in room of the caller's. */
typedef struct kan_name_list {
    char *room;
    size_t size; /* of the room */
    size_t most; /* names that are told; 0: all of them */
    size_t used, n;
} kan_name_list;

/* Begins an empty list. */
kan_name_list kan_names_begin(char *room, size_t size, size_t most);
void kan_names_add(kan_name_list *list, const char *name);
/* The same in quotes (kan_quote). */
void kan_names_add_quoted(kan_name_list *list, const char *name);
/* Ends it with how many more there are; returns the room. */
const char *kan_names_end(kan_name_list *list);

#endif
