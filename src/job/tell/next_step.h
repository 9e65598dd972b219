/* "next: kanon ...", the command line that a summary ends with. It can be pasted into a shell as it
 * stands; what cannot be said on a command line is not said at all. */
#ifndef KANON_JOB_TELL_NEXT_STEP_H
#define KANON_JOB_TELL_NEXT_STEP_H

#include "core/options.h"
#include "core/run.h"
#include "core/text.h"

typedef struct kan_next_step {
    kan_text *text;
    size_t before; /* bytes of the text before the line */
    bool is_sayable;
} kan_next_step;

/* `begin` is printed as it is, such as "\nnext: kanon verify". */
kan_next_step kan_next_begin(kan_text *text, const char *begin);
/* " WORD", in quotes where a shell would read it otherwise. A line break cannot be said. */
void kan_next_word(kan_next_step *next, const char *word);
/* " --FLAG VALUE"; nothing where the value is NULL. */
void kan_next_flag(kan_next_step *next, const char *flag, const char *value);
/* How the table is read, as far as settings say: --separator, --encoding, --missing and so on, and
 * what its kind of file has of its own, such as --sheet. */
void kan_next_reading(kan_next_step *next, const kan_options *options);
/* One more column of a list, " --FLAG NAME" or ",NAME"; `n` counts those that were named so far. A
 * name with a comma, or with a blank at its ends, would be read as another one; so would, of
 * quasi-identifiers, one with =. */
void kan_next_name(kan_next_step *next, const char *flag, const char *name, bool is_quasi,
                   size_t *n);
/* "=VALUE" behind a name of a list. */
void kan_next_value(kan_next_step *next, const char *value);
/* Ends the line; or takes it back, with false, when something in it could not be said. */
bool kan_next_end(kan_next_step *next);

enum { KAN_NEXT_PATH = 4200 };

/* A path beside the file `beside` that names nothing yet: of orders.csv and "release.csv" that is
 * release.csv, else orders-release.csv, else orders-release-2.csv and so on. Where all are taken or
 * the path is too long, the first. */
const char *kan_next_free_path(const char *beside, const char *name, char room[KAN_NEXT_PATH]);

#endif
