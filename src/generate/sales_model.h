/* What the synthetic sales are made of: a shop's zip codes, days, styles and prices, and how often
 * each of them comes up.
 *
 * Columns, numbers of values and heights are those of the Lands End database in Figure 9 of the
 * Incognito paper, which was never published; every value and every weight is our own invention.
 * The model depends on the seed alone, never on the number of rows. All of it is whole numbers, so
 * every machine builds the same.
 *
 * Cost: a millisecond or two, less than a megabyte. */
#ifndef KANON_GENERATE_SALES_MODEL_H
#define KANON_GENERATE_SALES_MODEL_H

#include "core/hash.h"
#include "core/memory.h"

enum {
    KAN_SALES_ZIP_CODES = 31953,
    KAN_SALES_DAYS = 320, /* 2003-01-01 .. 2003-11-16 */
    KAN_SALES_YEAR = 2003,
    KAN_SALES_STYLES = 1509,
    KAN_SALES_FIRST_STYLE = 10001,
    KAN_SALES_PRICES = 346,
    KAN_SALES_COSTS = 1412,
    KAN_SALES_REDUCTIONS = 4 /* of a price: none, to 80 %, to 70 %, to 50 % */
};

typedef enum kan_sales_gender {
    KAN_SALES_FEMALE,
    KAN_SALES_MALE,
    KAN_SALES_GENDERS
} kan_sales_gender;

/* A weighted choice among n values. */
typedef struct kan_sales_urn {
    uint64_t total;       /* of the weights */
    const uint64_t *ends; /* the sum of the weights up to each value, its own included */
    /* Where to look: for each beginning of a random number the least value that it can lead to. */
    const uint16_t *guide;
    unsigned guide_shift;
} kan_sales_urn;

typedef struct kan_sales_model {
    uint32_t zip_codes[KAN_SALES_ZIP_CODES]; /* the most popular first */
    uint16_t zip_tour[KAN_SALES_ZIP_CODES];  /* places in zip_codes, each once, in random order */
    struct kan_sales_day {
        uint8_t month, day; /* from 1 */
    } days[KAN_SALES_DAYS];
    uint32_t prices[KAN_SALES_PRICES]; /* in cents, ascending */
    /* The price after each reduction, as a place in the list. */
    uint16_t reduced[KAN_SALES_PRICES][KAN_SALES_REDUCTIONS];
    struct kan_sales_style {
        uint16_t price; /* place in prices */
        uint32_t cost;  /* in cents */
    } styles[KAN_SALES_STYLES];
    kan_sales_urn zip_code, day, style[KAN_SALES_GENDERS];
} kan_sales_model;

/* The model lives in the arena. */
KAN_MUST_USE kan_status kan_sales_model_build(kan_arena *arena, uint64_t seed,
                                              const kan_sales_model **out);

/* The value that a random number means. It grows with the number, which is why a guide can say
 * where to begin; the steps from there are one or two on average. */
static inline unsigned kan_sales_choose(const kan_sales_urn *urn, uint64_t random) {
    uint64_t ball = (uint64_t)(((kan_u128)random * urn->total) >> 64);
    unsigned value = urn->guide[random >> urn->guide_shift];
    while (urn->ends[value] <= ball)
        value++;
    return value;
}

#endif
