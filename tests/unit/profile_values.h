/* Values as columns have them, made by the kind that profile_columns.txt names. */
#ifndef TESTS_UNIT_PROFILE_VALUES_H
#define TESTS_UNIT_PROFILE_VALUES_H

#include <stddef.h>

enum { VALUE_BYTES = 128 };

/* The value of a row; false when there is no such kind. */
_Bool make_value(const char *kind, unsigned row, char out[VALUE_BYTES]);

#endif
