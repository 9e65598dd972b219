/* The attacks, in the order in which they are told. */
#include "job/attack/attack_inside.h"

/* The method comes last: who interrupts it still gets what all found. */
static const kan_attack_kind *const kinds[] = {&kan_attack_register, &kan_attack_with,
                                               &kan_attack_method};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

size_t kan_attack_count(void) {
    return N_KINDS;
}

const kan_attack_kind *kan_attack_at(size_t index) {
    return kinds[index];
}
