/* What the wide census is made of: its columns, their hierarchies, and what each depends on.
 *
 * The model is log-linear: the weight of a value is a product of factors, one for each column that
 * it depends on, which stand before it. A factor is a power of two, written as a digit: a row of
 * digits, one per value, for each class of that column; the last digit counts for all values after
 * it, and a dot is the factor 0. Dots are in the rows of one driver of a column only, each of which
 * has a digit too, so that something can always be drawn. Values, trees and digits are our own
 * inventions. */
#ifndef KANON_GENERATE_WIDE_CENSUS_MODEL_H
#define KANON_GENERATE_WIDE_CENSUS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KAN_WIDE_DRIVERS = 4,
    KAN_WIDE_CLASSES = 9, /* of a column, at most */
    KAN_WIDE_BANDS = 10,
    KAN_WIDE_WIDTHS = 5
};

/* In the order of the table. */
typedef enum kan_wide_column {
    KAN_WIDE_AGE,
    KAN_WIDE_SEX,
    KAN_WIDE_DISTRICT,
    KAN_WIDE_BIRTHPLACE,
    KAN_WIDE_MARITAL,
    KAN_WIDE_EDUCATION,
    KAN_WIDE_SCHOOL,
    KAN_WIDE_WORK,
    KAN_WIDE_OCCUPATION,
    KAN_WIDE_INDUSTRY,
    KAN_WIDE_INCOME,
    KAN_WIDE_HOURS,
    KAN_WIDE_CHILDREN,
    KAN_WIDE_HOUSEHOLD,
    KAN_WIDE_ROOMS,
    KAN_WIDE_TENURE,
    KAN_WIDE_RENT,
    KAN_WIDE_DWELLING,
    KAN_WIDE_BUILT,
    KAN_WIDE_HEATING,
    KAN_WIDE_VEHICLES,
    KAN_WIDE_COMMUTE,
    KAN_WIDE_MINUTES,
    KAN_WIDE_LANGUAGE,
    KAN_WIDE_CITIZEN,
    KAN_WIDE_DISABILITY,
    KAN_WIDE_INSURANCE,
    KAN_WIDE_SERVED,
    KAN_WIDE_INTERNET,
    KAN_WIDE_MOVED,
    KAN_WIDE_QUASI_IDENTIFIERS, /* those from here on are sensitive */
    KAN_WIDE_DIAGNOSIS = KAN_WIDE_QUASI_IDENTIFIERS,
    KAN_WIDE_BENEFIT,
    KAN_WIDE_COLUMNS,
    KAN_WIDE_ALONE = KAN_WIDE_COLUMNS /* a driver with one class: the same for all */
} kan_wide_column;

/* A column of numbers. What is drawn is a band, by the drivers, and then a number in it: the least
 * of `low` draws, and of one more in the last band, which is the tail. */
typedef struct kan_wide_numbers {
    const char *prefix; /* of the values: "" or a letter, which makes them text */
    unsigned least, step, low;
    bool is_rounded;                  /* half of all are said in fives */
    unsigned ends[KAN_WIDE_BANDS];    /* the last number of each band */
    unsigned widths[KAN_WIDE_WIDTHS]; /* of the intervals of levels 1, 2, ...; 0 ends the list */
} kan_wide_numbers;

typedef struct kan_wide_domain {
    const char *name;
    unsigned n_values;        /* numbers: bands */
    const char *const *lines; /* of the hierarchy file, by value; NULL: numbers */
    const kan_wide_numbers *numbers;
    const char *classes; /* of each value or band, a digit; NULL: each is a class of its own */
    struct kan_wide_driver {
        kan_wide_column column;
        const char *factors[KAN_WIDE_CLASSES];
    } drivers[KAN_WIDE_DRIVERS]; /* one without factors ends the list */
} kan_wide_domain;

extern const kan_wide_domain kan_wide_domains[KAN_WIDE_COLUMNS];

#endif
