/* The curves of a logistic model by series, and Student's t by a table and an expansion. The library's
 * exp and log differ in the last digit between machines; these do not (fit.h). */
#include <math.h>

#include "analyze/fit/fit.h"

/* exp(x) of x <= 0: x = k log 2 + r, |r| <= log(2) / 2, and Taylor's series of r, whose first term left
 * out is below 1e-17. The upper part of log 2 has few digits, so that k times it is exact. */
static double exp_of_negative(double x) {
    static const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
    static const double inverse = 0x1.71547652b82fep+0;
    static const double terms[] = {1.0 / 87178291200,
                                   1.0 / 6227020800,
                                   1.0 / 479001600,
                                   1.0 / 39916800,
                                   1.0 / 3628800,
                                   1.0 / 362880,
                                   1.0 / 40320,
                                   1.0 / 5040,
                                   1.0 / 720,
                                   1.0 / 120,
                                   1.0 / 24,
                                   1.0 / 6,
                                   1.0 / 2,
                                   1.0,
                                   1.0}; /* 1 / 14!, ... */
    if (x < -745)
        return 0;
    const double k = floor(x * inverse + 0.5);
    const double r = (x - k * log2_high) - k * log2_low;
    double sum = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        sum = sum * r + terms[i];
    return ldexp(sum, (int)k);
}

double kan_logistic(double x) {
    const double e = exp_of_negative(-fabs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* log(1 + e) = 2 artanh(s), s = e / (2 + e), which is at most 1/3. */
double kan_log_one_plus_exp(double x) {
    static const double terms[] = {1.0 / 33, 1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23,
                                   1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                   1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    const double e = exp_of_negative(-fabs(x));
    const double s = e / (2 + e), square = s * s;
    double sum = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        sum = sum * square + terms[i];
    return (x > 0 ? x : 0) + 2 * s * sum;
}

/* Fisher's expansion in 1 / degrees (Abramowitz and Stegun, 26.7.5), after a table where it converges
 * slowly. */
double kan_t_quantile(double degrees) {
    static const double table[] = {
        12.706204736174698, 4.302652729749464, 3.182446305283708, 2.776445105197793,
        2.570581835636314,  2.446911851144969, 2.364624251592784, 2.306004135204166,
        2.262157162798205,  2.228138851986274, 2.200985160082949, 2.178812829667228,
        2.160368656462793,  2.144786687917804, 2.131449545559776, 2.119905299221253,
        2.109815577833317,  2.100922040240960, 2.093024054408263, 2.085963447265864,
        2.079613844727680,  2.073873067904022, 2.068657610419046, 2.063898561628024,
        2.059538552753295,  2.055529438642872, 2.051830516480285, 2.048407141795245,
        2.045229642132703,  2.042272456301238, 2.039513446396408, 2.036933343460102,
        2.034515297449338,  2.032244509317720, 2.030107928250343, 2.028094000980451,
        2.026192463029110,  2.024394163911969, 2.022690920036762, 2.021075390306273};
    enum { TABLE = sizeof table / sizeof *table };
    static const double z = 1.959963984540054;
    if (!(degrees >= 1))
        return NAN;
    if (degrees <= TABLE)
        return table[(int)degrees - 1];
    const double s = z * z;
    const double g1 = z * (s + 1) / 4;
    const double g2 = z * ((5 * s + 16) * s + 3) / 96;
    const double g3 = z * (((3 * s + 19) * s + 17) * s - 15) / 384;
    const double g4 = z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees;
}
