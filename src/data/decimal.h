/* Exact decimals: numbers as whole units of a power of ten.
 *
 * With s the scale, a unit is 10^-s. Bounds that people write are whole numbers of units, and the
 * text of a value is cut down to whole units, which does not move it over any bound: 0.3 lies in
 * [0.3, 0.4), which binary fractions get wrong. */
#ifndef KANON_DATA_DECIMAL_H
#define KANON_DATA_DECIMAL_H

#include "core/hash.h"
#include "core/text.h"

__extension__ typedef __int128 kan_wide;

/* a * b; false when it does not fit. Not the compiler's own check: clang's for signed numbers of
 * 128 bits is a call that gcc's library does not have. */
static inline bool kan_wide_multiply(kan_wide a, kan_wide b, kan_wide *out) {
    const kan_u128 most = ~(kan_u128)0 >> 1;
    const kan_u128 x = a < 0 ? -(kan_u128)a : (kan_u128)a, y = b < 0 ? -(kan_u128)b : (kan_u128)b;
    if (x != 0 && y > most / x)
        return false;
    *out = (a < 0) != (b < 0) ? -(kan_wide)(x * y) : (kan_wide)(x * y);
    return true;
}

/* Decimals that a unit may have, and room that the text of a number of units needs. */
enum { KAN_DECIMAL_SCALE_MOST = 18, KAN_DECIMAL_BYTES = 64 };

/* floor(text * 10^scale); *is_exact tells whether nothing was cut. False when it has more than 36
 * digits, or is not a number. */
bool kan_decimal_floor(kan_slice text, unsigned scale, kan_wide *out, bool *is_exact);

/* Raises *scale to the least at which the number is whole; false when KAN_DECIMAL_SCALE_MOST is not
 * enough, or it is not a number. */
bool kan_decimal_scale(kan_slice text, unsigned *scale);

/* The order of two numbers of any length, exactly: below 0, 0 or above 0. 0 is what 1, 1.0, +1 and
 * 1e0 are among themselves. Both have passed kan_parse_real; an exponent beyond 10^9 counts as that.
 */
int kan_decimal_compare(kan_slice a, kan_slice b);

/* Whether a number has a zero before its whole part, as codes do: 007, -01, 00.5; not 0 or 0.5. */
bool kan_decimal_is_padded(kan_slice text);

/* Writes units as a decimal without trailing zeros; returns the end. */
char *kan_decimal_write(kan_wide units, unsigned scale, char *out);

#endif
