/* Privacy models that the library does not have, to try what searches and costs make of models
 * that are not k-anonymity. Both read the option k. */
#ifndef KANON_TESTS_MODELS_H
#define KANON_TESTS_MODELS_H

#include "privacy/privacy.h"
#include "support/oracle.h"

/* At least k different values of the first tail. Looks at tallies; no merge spoils it. */
extern const kan_privacy_kind model_values;
bool model_passes_values(const void *context, const oracle_group *group);

/* A number of rows that k divides. Passing groups may merge, but one that fails spoils them: a
 * promise that may be pruned only while nothing is suppressed. */
extern const kan_privacy_kind model_multiples;
bool model_passes_multiples(const void *context, const oracle_group *group);

#endif
