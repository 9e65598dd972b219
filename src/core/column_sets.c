/* The setting --subsets, read. */
#include "core/column_sets.h"

#include <stdlib.h>

#include "core/text.h"

/* A whole number of at most 18 digits at *text, which moves behind it. */
static bool read_number(const char **text, uint64_t *out) {
    enum { MOST_DIGITS = 18, TEN = 10 };
    const char *at = *text;
    *out = 0;
    for (; *at >= '0' && *at <= '9' && at - *text < MOST_DIGITS; at++)
        *out = *out * TEN + (uint64_t)(*at - '0');
    if (at == *text || (*at >= '0' && *at <= '9'))
        return false;
    *text = at;
    return true;
}

static int by_columns(const void *a, const void *b) {
    const kan_column_set *x = a, *y = b;
    return (x->m > y->m) - (x->m < y->m);
}

static bool read_size(const char **text, kan_column_set *out, const char **why) {
    uint64_t m;
    *why = "write a number of columns, such as 2, or several with their k, such as 2:5,3:3";
    out->k = 0;
    if (!read_number(text, &m))
        return false;
    if (**text == ':') {
        ++*text;
        if (!read_number(text, &out->k))
            return false;
        if (out->k == 0) {
            *why = "k is the number of rows that must look alike, so it is at least 1, and 2 or "
                   "more to protect anybody";
            return false;
        }
    }
    if (m == 0) {
        *why = "a set of no columns tells nobody apart; write 1 or more";
        return false;
    }
    out->m = m;
    return true;
}

bool kan_column_sets_parse(const char *text, kan_column_sets *out, const char **why) {
    kan_column_sets read = {.n = 0};
    for (;; text++) {
        if (read.n == KAN_COLUMN_SETS) {
            *why = "it names a number of columns twice; each has one k";
            return false;
        }
        if (!read_size(&text, &read.sizes[read.n], why))
            return false;
        read.n++;
        if (*text != ',')
            break;
    }
    if (*text) {
        *why = "write a number of columns, such as 2, or several with their k, such as 2:5,3:3";
        return false;
    }
    qsort(read.sizes, read.n, sizeof *read.sizes, by_columns);
    for (unsigned i = 0; i < read.n; i++) {
        if (i > 0 && read.sizes[i].m == read.sizes[i - 1].m) {
            *why = "it names a number of columns twice; each has one k";
            return false;
        }
        if (read.n > 1 && read.sizes[i].k == 0) {
            *why = "several numbers of columns have a k each; write such as 2:5,3:3";
            return false;
        }
    }
    *out = read;
    return true;
}

void kan_column_sets_take_k(kan_column_sets *subsets, uint64_t k) {
    for (unsigned i = 0; i < subsets->n; i++)
        subsets->sizes[i].k = subsets->sizes[i].k > 0 ? subsets->sizes[i].k : k;
}

uint64_t kan_column_sets_most_k(const kan_column_sets *subsets) {
    uint64_t most = 0;
    for (unsigned i = 0; i < subsets->n; i++)
        most = subsets->sizes[i].k > most ? subsets->sizes[i].k : most;
    return most;
}

uint64_t kan_column_sets_most_columns(const kan_column_sets *subsets) {
    return subsets->n > 0 ? subsets->sizes[subsets->n - 1].m : 0;
}
