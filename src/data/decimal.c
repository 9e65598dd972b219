/* Exact decimals: reading, cutting down, writing. Nothing here is rounded. */
#include "data/decimal.h"

enum { DIGITS_MOST = 36 };

typedef struct {
    bool is_negative;
    const char *digits; /* with the point among them */
    size_t n_chars, n_digits;
    long exponent; /* of the last digit */
} decimal;

/* Takes a number apart; the text has passed kan_parse_real. */
static decimal decimal_parse(kan_slice text) {
    decimal d = {0};
    size_t at = 0;
    if (at < text.size && (text.bytes[at] == '-' || text.bytes[at] == '+'))
        d.is_negative = text.bytes[at++] == '-';
    d.digits = text.bytes + at;
    bool is_fraction = false;
    for (; at < text.size && text.bytes[at] != 'e' && text.bytes[at] != 'E'; at++) {
        d.n_chars++;
        if (text.bytes[at] == '.') {
            is_fraction = true;
        } else {
            d.n_digits++;
            d.exponent -= is_fraction;
        }
    }
    if (at < text.size) {
        bool is_down = ++at < text.size && text.bytes[at] == '-';
        at += at < text.size && (text.bytes[at] == '-' || text.bytes[at] == '+');
        long exponent = 0;
        for (; at < text.size && exponent < 100000; at++)
            exponent = exponent * 10 + (text.bytes[at] - '0');
        d.exponent += is_down ? -exponent : exponent;
    }
    return d;
}

bool kan_decimal_floor(kan_slice text, unsigned scale, kan_wide *out, bool *is_exact) {
    double unused;
    if (!kan_parse_real(text.bytes, text.size, &unused))
        return false;
    decimal d = decimal_parse(text);
    long shift = d.exponent + (long)scale;                  /* of the last digit, in units */
    long kept = (long)d.n_digits + (shift < 0 ? shift : 0); /* digits that reach a unit */
    kan_wide units = 0, most = 1;
    for (int i = 0; i < DIGITS_MOST; i++)
        most *= 10;
    bool was_cut = false;
    for (size_t i = 0; i < d.n_chars; i++) {
        if (d.digits[i] == '.')
            continue;
        if (kept-- > 0) {
            units = units * 10 + (d.digits[i] - '0');
            if (units >= most)
                return false;
        } else {
            was_cut |= d.digits[i] != '0';
        }
    }
    for (; units != 0 && shift > 0; shift--) {
        units *= 10;
        if (units >= most)
            return false;
    }
    *is_exact = !was_cut;
    *out = d.is_negative ? -units - was_cut : units;
    return true;
}

bool kan_decimal_scale(kan_slice text, unsigned *scale) {
    for (unsigned s = 0; s <= KAN_DECIMAL_SCALE_MOST; s++) {
        kan_wide unused;
        bool is_exact;
        if (!kan_decimal_floor(text, s, &unused, &is_exact))
            return false;
        if (is_exact) {
            *scale = s > *scale ? s : *scale;
            return true;
        }
    }
    return false;
}

char *kan_decimal_write(kan_wide units, unsigned scale, char *out) {
    char digits[64];
    unsigned n = 0;
    kan_wide left = units < 0 ? -units : units;
    for (; scale > 0 && left % 10 == 0; scale--)
        left /= 10;
    while (left > 0 || n <= scale) {
        digits[n++] = (char)('0' + (int)(left % 10));
        left /= 10;
    }
    if (units < 0)
        *out++ = '-';
    while (n-- > 0) {
        *out++ = digits[n];
        if (n == scale && n > 0)
            *out++ = '.';
    }
    return out;
}
