/* A counter that makes every set from the base again, and checks what it is asked: that sets are
 * counted from sets that lie below them, and that nothing is asked of a set that was dropped. */
#ifndef KANON_TESTS_PLAIN_COUNTER_H
#define KANON_TESTS_PLAIN_COUNTER_H

#include "group/counter.h"
#include "support/plain.h"

enum { PLAIN_COUNTER_SETS = 4096 };

typedef struct plain_counter {
    const test_problem *made;
    kan_workspace *workspace;
    kan_freqset set;
    size_t n_asked, n_kept, n_open, most_open;
    struct {
        bool is_open;
        uint64_t mask; /* of attributes */
        unsigned levels[KAN_MAX_ATTRIBUTES];
    } kept[PLAIN_COUNTER_SETS];
} plain_counter;

void plain_counter_open(const test_problem *made, plain_counter *out);
/* Fails the test where a set was not dropped. */
void plain_counter_close(plain_counter *counter);
kan_counter plain_counter_of(plain_counter *counter);

#endif
