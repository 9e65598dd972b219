/* The individual risk by its definition, for tests: an integral by small steps. Nothing is shared with
 * the library. */
#ifndef KANON_TESTS_PLAIN_RISK_H
#define KANON_TESTS_PLAIN_RISK_H

#include <stddef.h>

/* Of each of f rows that stand for so many people; to some 1e-10 of it. */
long double plain_individual_risk(size_t f, long double people);

/* Whether it is at most thousandths / 1000; fails where that is nearer than can be said. */
int plain_risk_is_kept(size_t f, long double people, unsigned thousandths);

#endif
