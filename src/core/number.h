/* Whole numbers. */
#ifndef KANON_CORE_NUMBER_H
#define KANON_CORE_NUMBER_H

#include <stdint.h>

/* The greatest number that divides both; the other one when one is 0. */
static inline uint64_t kan_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
