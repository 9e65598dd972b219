/* Gathering: how a source makes a table of rows that come in blocks, on several threads.
 *
 * Each thread has an encoder per column (data/encoder.h). A block is some rows that follow each
 * other; its codes are handed over when all of them are known. In the end the encoders become
 * dictionaries, values are taken as their spelling says (data/spelling.h), and the codes of all
 * blocks are put behind each other. Who took which block does not show in the table. */
#ifndef KANON_IO_GATHER_H
#define KANON_IO_GATHER_H

#include "data/encoder.h"
#include "data/spelling.h"
#include "io/field.h"

typedef struct kan_gather kan_gather;

typedef struct kan_gather_plan {
    const char *name; /* of the source, for messages */
    size_t n_columns;
    const char *const *columns;     /* their names */
    const kan_field *const *fields; /* by column; NULL: all are text. An entry may be NULL */
    const bool *encode, *as_is;     /* by column, as in io/source.h */
    unsigned n_workers;             /* threads that hand over blocks; kan_run_threads() is enough */
    size_t n_blocks;                /* 0: they are handed over in order, by one thread */
} kan_gather_plan;

/* The plan's texts and arrays must live as long as it. */
KAN_MUST_USE kan_status kan_gather_begin(kan_run *run, const kan_gather_plan *plan,
                                         kan_gather **out);
/* The encoder of a column, NULL where it is not encoded. Codes that it gives are for blocks of the
 * same worker. */
kan_encoder *kan_gather_encoder(kan_gather *gather, unsigned worker, size_t column);
/* The code that was given for a word of 64 bits in the column, or KAN_CODE_LIMIT; cheaper than
 * making a text each time. What words mean is the source's own. */
uint32_t kan_gather_find_word(const kan_gather *gather, unsigned worker, size_t column,
                              uint64_t word);
/* Gives a word that was not found the code of this text. */
KAN_MUST_USE kan_status kan_gather_add_word(kan_gather *gather, unsigned worker, size_t column,
                                            uint64_t word, kan_slice text, uint32_t *out);
/* Hands over a block: codes[i] are those of the i-th encoded column, n_rows of them. */
KAN_MUST_USE kan_status kan_gather_block(kan_gather *gather, size_t block, unsigned worker,
                                         size_t n_rows, uint32_t *const *codes);
/* Makes the table. KAN_BAD_INPUT where there is no row, or a value is not spelled as it should be.
 */
KAN_MUST_USE kan_status kan_gather_finish(kan_gather *gather, kan_table **out);
/* NULL is none. */
void kan_gather_free(kan_gather *gather);

#endif
