#include "support/plain_risk.h"

#include <math.h>

#include "support/plain.h"

/* r is the integral of x^f dt / t from 0 to 1, with x = f t / (F - (F - f) t). With t = e^-y it is that of
 * (f / (F (e^y - 1) + f))^f from 0 on: smooth, and nothing is left where y is large. Simpson's rule, in
 * pieces of growing length. */
static long double integrand(size_t f, long double people, long double y) {
    return powl((long double)f / (people * expm1l(y) + (long double)f), (long double)f);
}

long double plain_individual_risk(size_t f, long double people) {
    enum { STEPS = 64 };
    long double sum = 0, from = 0, length = (long double)f / people / 256;
    if (people <= (long double)f)
        return 1 / (long double)f;
    for (; from < 60; from += length, length *= 1.2L) {
        const long double step = length / STEPS;
        for (int i = 0; i <= STEPS; i++)
            sum += step / 3 *
                   (i == 0 || i == STEPS ? 1
                    : i % 2              ? 4
                                         : 2) *
                   integrand(f, people, from + step * i);
    }
    return sum;
}

int plain_risk_is_kept(size_t f, long double people, unsigned thousandths) {
    if (people <= (long double)f)
        return (size_t)thousandths * f >= 1000;
    const long double risk = plain_individual_risk(f, people), most = thousandths / 1000.0L;
    if (fabsl(risk - most) < 1e-9L)
        fail_msg("a risk of %.12Lg is too near to %.12Lg for the test", risk, most);
    return risk <= most;
}
