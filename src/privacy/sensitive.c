/* Decimals as fractions, and the sensitive columns of a problem. */
#include "privacy/sensitive.h"

#include <stdio.h>

#include "core/number.h"
#include "core/signs.h"

enum { DIGITS_MOST = 18 };

/* Takes digits with a point among them and an exponent behind; the text is a number. False when
 * 10^18 is not enough. */
static bool parse(const char *text, kan_fraction *out) {
    uint64_t digits = 0;
    long scale = 0, exponent = 0; /* the number is digits / 10^scale */
    unsigned n_digits = 0;
    bool is_fraction = false;
    text += *text == '+';
    for (; *text == '.' || kan_is_digit(*text); text++) {
        if (*text == '.') {
            is_fraction = true;
            continue;
        }
        n_digits += n_digits > 0 || *text != '0';
        if (n_digits > DIGITS_MOST)
            return false;
        digits = digits * 10 + (uint64_t)(*text - '0');
        scale += is_fraction;
    }
    if (*text == 'e' || *text == 'E') {
        const bool is_down = text[1] == '-';
        for (text += 1 + (text[1] == '-' || text[1] == '+'); *text && exponent < 1000; text++)
            exponent = exponent * 10 + (*text - '0');
        scale += is_down ? exponent : -exponent;
    }
    for (; scale > 0 && digits % 10 == 0; scale--)
        digits /= 10;
    if (digits == 0)
        scale = 0;
    uint64_t ten = 1;
    if (scale > DIGITS_MOST || scale < -DIGITS_MOST)
        return false;
    for (; scale > 0; scale--)
        ten *= 10;
    for (; scale < 0; scale++) {
        if (digits > UINT64_C(100000000000000000))
            return false;
        digits *= 10;
    }
    const uint64_t common = kan_common_divisor(digits, ten);
    *out = (kan_fraction){digits / common, ten / common};
    return true;
}

bool kan_fraction_parse(const char *text, kan_fraction *out) {
    double unused;
    return text[0] != '-' && kan_parse_real(text, strlen(text), &unused) && parse(text, out);
}

kan_status kan_fraction_read(kan_run *run, const kan_options *options, const char *name,
                             kan_fraction *out) {
    const char *text = kan_options_find(options, name);
    if (text && kan_fraction_parse(text, out))
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--%s: '%s' is not a decimal of at most %d digits; write it like 0.5", name,
                    text ? text : "", DIGITS_MOST);
}

const char *kan_fraction_text_up(uint64_t part, uint64_t whole, char *room) {
    const uint64_t one = 1000000;
    uint64_t units = (uint64_t)(((kan_u128)part * one + whole - 1) / whole);
    int n = snprintf(room, KAN_FRACTION_BYTES, "%llu.%06llu", (unsigned long long)(units / one),
                     (unsigned long long)(units % one));
    while (n > 0 && room[n - 1] == '0')
        room[--n] = '\0';
    if (n > 0 && room[n - 1] == '.')
        room[--n] = '\0';
    return room;
}

kan_status kan_sensitive_find(kan_run *run, const kan_problem *problem, const char *flag,
                              kan_sensitive *out) {
    kan_sensitive found = {.n = 0};
    for (unsigned t = problem->has_person; t < problem->space.n_tails; t++)
        if ((int)t != problem->class_tail && !(problem->passed_over >> t & 1) &&
            !kan_problem_is_sampling(problem, t))
            found.tails[found.n++] = t;
    if (found.n == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: no sensitive column; name what must not be learned about somebody "
                        "with --sensitive NAME",
                        flag);
    *out = found;
    return KAN_OK;
}
