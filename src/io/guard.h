/* Cells that a spreadsheet would run as a formula, and the apostrophe that keeps it from doing so.
 *
 * A value is a formula when it begins with = + - @, one of their fullwidth forms, a tab or a line
 * break, and is neither a number nor a sign alone. It is written with an apostrophe before it. So
 * is a value that is a formula behind apostrophes of its own: then no two values are written alike,
 * and reading the cells back takes one apostrophe off and gives the values that they were. */
#ifndef KANON_IO_GUARD_H
#define KANON_IO_GUARD_H

#include "core/text.h"
#include "data/encoder.h"

/* Whether a value can begin with this byte and need a guard: quick, for every cell. */
static inline bool kan_guard_may_need(char first) {
    switch ((unsigned char)first) {
    case '=':
    case '+':
    case '-':
    case '@':
    case '\t':
    case '\r':
    case '\n':
    case '\'':
    case 0xef: /* the fullwidth forms in UTF-8 */
        return true;
    default:
        return false;
    }
}

/* Whether a spreadsheet would run the value. */
bool kan_guard_is_formula(kan_slice value);
/* Whether it is written with one more apostrophe: a formula, with or without apostrophes. */
bool kan_guard_needs(kan_slice value);
/* The value that a guarded cell stands for; *is_open when the cell is a formula, which a guarded
 * table does not have. */
kan_slice kan_guard_undo(kan_slice cell, bool *is_open);
/* The same for all that an encoder has; codes stay. With *is_open it is left as it is. */
KAN_MUST_USE kan_status kan_guard_undo_all(kan_encoder *encoder, bool *is_open);

#endif
