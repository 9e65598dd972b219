/* Parts of the lines for people that every command writes alike. */
#ifndef KANON_JOB_TELL_WORDS_H
#define KANON_JOB_TELL_WORDS_H

#include "core/text.h"

/* A word as a shell takes it for one: in quotes where it would read it otherwise. */
void kan_words_add_shell(kan_text *text, const char *word);

/* At most `most` characters of a label, on one line; returns how many. */
size_t kan_words_add_label(kan_text *text, kan_slice label, size_t most);

/* A bar for a share of 0 to 1, of at most `columns` characters; what is more than nothing is seen.
 * Returns how many it takes. */
unsigned kan_words_add_bar(kan_text *text, double share, unsigned columns);

/* A command line that was added from `from` on, an empty line before it or not, is taken back when
 * it cannot be shown as it is: a name with a line break or a control in it. */
void kan_words_check_command(kan_text *text, size_t from);

#endif
