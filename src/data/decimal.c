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

/* ---- order ---------------------------------------------------------------------------------- */

/* A number without the zeros around its digits. */
typedef struct {
    int sign;           /* -1, 0, 1 */
    int64_t place;      /* of the first digit: the power of ten that it counts */
    const char *digits; /* from the first on that is not 0, with the point among them */
    const char *end;    /* behind the last of them that is not 0 */
} trimmed;

static trimmed decimal_trim(kan_slice text) {
    enum { MOST_EXPONENT = 1000000000 };
    const char *at = text.bytes, *end = text.bytes + text.size;
    trimmed t = {.sign = 1};
    int64_t whole = 0, before = 0, exponent = 0; /* digits before the point, and before the first */
    bool is_fraction = false, is_down = false;
    if (at < end && (*at == '-' || *at == '+'))
        t.sign = *at++ == '-' ? -1 : 1;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        whole += !is_fraction;
        if (*at != '0') {
            t.digits = t.digits ? t.digits : at;
            t.end = at + 1;
        }
        before += !t.digits;
    }
    if (!t.digits)
        return (trimmed){.sign = 0};
    if (at < end && ++at < end && (*at == '-' || *at == '+'))
        is_down = *at++ == '-';
    for (; at < end; at++)
        exponent = exponent < MOST_EXPONENT ? exponent * 10 + (*at - '0') : MOST_EXPONENT;
    exponent = exponent < MOST_EXPONENT ? exponent : MOST_EXPONENT;
    t.place = whole - before - 1 + (is_down ? -exponent : exponent);
    return t;
}

/* The next digit, 0 behind the last. */
static int next_digit(trimmed *t) {
    if (t->digits < t->end && *t->digits == '.')
        t->digits++;
    return t->digits < t->end ? *t->digits++ - '0' : 0;
}

int kan_decimal_compare(kan_slice a, kan_slice b) {
    trimmed x = decimal_trim(a), y = decimal_trim(b);
    if (x.sign != y.sign)
        return x.sign < y.sign ? -1 : 1;
    if (x.place != y.place)
        return x.place < y.place ? -x.sign : x.sign;
    while (x.digits < x.end || y.digits < y.end) {
        const int left = next_digit(&x), right = next_digit(&y);
        if (left != right)
            return left < right ? -x.sign : x.sign;
    }
    return 0;
}

bool kan_decimal_is_padded(kan_slice text) {
    const size_t at = text.size > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+');
    return text.size > at + 1 && text.bytes[at] == '0' && text.bytes[at + 1] >= '0' &&
           text.bytes[at + 1] <= '9';
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
