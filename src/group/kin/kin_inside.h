/* The inside of group/kin. */
#ifndef KANON_GROUP_KIN_KIN_INSIDE_H
#define KANON_GROUP_KIN_KIN_INSIDE_H

#include "group/kin/kin.h"

struct kan_kin_space {
    kan_run *run;
    const kan_kin *kin;
    uint32_t *classes[KAN_KIN_TABLES]; /* by item */
    uint32_t n_classes[KAN_KIN_TABLES];
    uint32_t *firsts[KAN_KIN_TABLES]; /* by class: the first item of it */
    uint64_t *rows[KAN_KIN_TABLES]; /* by item: rows of people who stay, and of those who do not */
    /* Words of all classes of the table in hand, one after the other, and those of the item in hand
     * behind them. */
    uint32_t *words;
    size_t n_words, words_capacity;
    size_t *starts; /* by class, and one more */
    uint64_t *hashes;
    uint32_t *slots; /* class + 1; 0: none */
    size_t n_slots;
    uint64_t *people; /* by class of table 0 */
    uint64_t *histogram;
};

/* Whether the classes of its rows say nothing: only their number counts. */
bool kan_kin_is_plain(const kan_kin_table *table);

/* person[table][row]: the row of table 0 that a row is below; of rows, not of items. */
void kan_kin_find_people(const kan_kin *rows, uint32_t *const *person);

#endif
