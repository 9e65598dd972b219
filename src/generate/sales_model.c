/* Builds the model of the synthetic sales; see sales_model.h.
 *
 * Zip codes, prices and styles each have a stream of random numbers of their own. Popularity is
 * Zipf's law with a shift, in whole numbers: the value of rank r (1, 2, ...) weighs
 * floor(10^12 / (r + shift)). */
#include "generate/sales_model.h"

#include <stdlib.h>

#define ONE UINT64_C(1000000000000) /* what Zipf's law divides */

enum {
    LEAST_ZIP_CODE = 501,
    MOST_ZIP_CODE = 99950,
    PREFIXES = 900, /* of three digits: in use */
    PREFIX_CODES = 100,
    LEAST_CODES = 20, /* in a prefix that is in use */
    MOST_CODES = 60,
    ZIP_SHIFT = 200,
    ZIP_END =
        33000, /* the law is lowered by what it is here: the last codes are nearly never met */
    MONTHS = 11,
    FIRST_WEEKDAY = 2, /* 2003-01-01 was a Wednesday; Monday is 0 */
    STYLE_SHIFT = 5,
    PRICE_SHIFT = 5,
    LEAST_DOLLARS = 4,
    MOST_DOLLARS = 399,
    USUAL_FROM = 1200, /* cents: what most styles cost */
    USUAL_TO = 6000,
    CENTS = 40000,       /* every price and cost is below */
    FEMALE_STYLES = 905, /* 60 in 100 */
    MALE_STYLES = 453    /* 30 in 100; what is left is neutral */
};

/* Percent of the zip codes by first digit. */
static const uint8_t ZIP_SHARES[10] = {9, 11, 10, 11, 11, 10, 10, 11, 6, 11};

static const uint8_t MONTH_DAYS[MONTHS] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 16};
static const uint8_t MONTH_WEIGHTS[MONTHS] = {70, 60, 65, 75, 85, 90, 80, 85, 95, 120, 180};
static const uint8_t WEEKDAY_WEIGHTS[7] = {120, 110, 105, 100, 100, 80, 85};

static const uint8_t PRICE_ENDINGS[4] = {0, 50, 95, 99};
static const uint8_t REDUCED_TO[KAN_SALES_REDUCTIONS] = {10, 8, 7, 5}; /* tenths */

/* ---- urns and orders ------------------------------------------------------------------------ */

/* Makes the urn of `n` weights (65,535 at most), and leaves their sums in `weights`, which the urn
 * keeps. */
static kan_status urn_make(kan_arena *arena, uint64_t *weights, unsigned n, kan_sales_urn *out) {
    unsigned bits = 1;
    while (1u << bits < n)
        bits++;
    uint16_t *guide;
    KAN_TRY(kan_arena_alloc(arena, (size_t)1 << bits, sizeof *guide, &guide));
    uint64_t total = 0;
    for (unsigned value = 0; value < n; value++)
        weights[value] = total += weights[value];
    unsigned value = 0;
    for (uint64_t start = 0; start < (uint64_t)1 << bits; start++) {
        uint64_t ball = (uint64_t)(((kan_u128)(start << (64 - bits)) * total) >> 64);
        while (weights[value] <= ball)
            value++;
        guide[start] = (uint16_t)value;
    }
    *out = (kan_sales_urn){total, weights, guide, 64 - bits};
    return KAN_OK;
}

static void shuffle(uint16_t *values, size_t n, uint64_t *random) {
    for (size_t i = n; i-- > 1;) {
        size_t j = (size_t)kan_random_below(random, i + 1);
        uint16_t swapped = values[i];
        values[i] = values[j];
        values[j] = swapped;
    }
}

/* first, first + 1, ... in random order. */
static void shuffle_from(uint16_t first, uint16_t *values, size_t n, uint64_t *random) {
    for (size_t i = 0; i < n; i++)
        values[i] = (uint16_t)(first + i);
    shuffle(values, n, random);
}

/* ---- zip codes ------------------------------------------------------------------------------ */

typedef struct prefix {
    unsigned first, end; /* the codes that begin so: first .. end-1 */
    unsigned n_codes;    /* how many of them are in use */
} prefix;

static unsigned prefix_capacity(const prefix *p) {
    unsigned room = p->end - p->first;
    return room < MOST_CODES ? room : MOST_CODES;
}

/* Chooses `n` prefixes of a first digit, with `n_codes` codes in use between them. */
static void prefixes_choose(unsigned digit, unsigned n_codes, prefix *prefixes, size_t n,
                            uint64_t *random) {
    uint16_t numbers[100];
    unsigned least = LEAST_ZIP_CODE / PREFIX_CODES, sum = 0;
    unsigned first = digit > 0 ? digit * 100 : least;
    shuffle_from((uint16_t)first, numbers, digit * 100 + 100 - first, random);
    for (size_t i = 0; i < n; i++) {
        prefix *p = &prefixes[i];
        p->first = (unsigned)numbers[i] * PREFIX_CODES;
        p->end = p->first + PREFIX_CODES;
        if (p->first < LEAST_ZIP_CODE)
            p->first = LEAST_ZIP_CODE;
        if (p->end > MOST_ZIP_CODE + 1)
            p->end = MOST_ZIP_CODE + 1;
        /* The lesser of two draws: most prefixes have few codes, some have many. */
        unsigned span = prefix_capacity(p) - LEAST_CODES + 1;
        unsigned a = (unsigned)kan_random_below(random, span);
        unsigned b = (unsigned)kan_random_below(random, span);
        p->n_codes = LEAST_CODES + (a < b ? a : b);
        sum += p->n_codes;
    }
    while (sum != n_codes) {
        prefix *p = &prefixes[kan_random_below(random, n)];
        if (sum < n_codes && p->n_codes < prefix_capacity(p)) {
            p->n_codes++;
            sum++;
        } else if (sum > n_codes && p->n_codes > LEAST_CODES) {
            p->n_codes--;
            sum--;
        }
    }
}

/* Ranks the prefixes, then the codes in each: popular regions and deserted ones. */
static void zip_codes_rank(kan_sales_model *m, const prefix *prefixes, uint64_t *random) {
    uint16_t order[PREFIXES], codes[PREFIX_CODES];
    size_t rank = 0;
    shuffle_from(0, order, PREFIXES, random);
    for (size_t i = 0; i < PREFIXES; i++) {
        const prefix *p = &prefixes[order[i]];
        shuffle_from(0, codes, p->end - p->first, random);
        for (unsigned j = 0; j < p->n_codes; j++)
            m->zip_codes[rank++] = p->first + codes[j];
    }
    KAN_ASSERT(rank == KAN_SALES_ZIP_CODES);
    shuffle_from(0, m->zip_tour, KAN_SALES_ZIP_CODES, random);
}

static kan_status zip_codes_make(kan_sales_model *m, kan_arena *arena, uint64_t random) {
    prefix prefixes[PREFIXES];
    unsigned percent = 0, n_codes = 0, n_prefixes = 0;
    for (unsigned digit = 0; digit < 10; digit++) {
        percent += ZIP_SHARES[digit];
        /* The ends are rounded, not the shares, so that the sum is exact. */
        unsigned end = (KAN_SALES_ZIP_CODES * percent + 50) / 100;
        unsigned end_prefix = PREFIXES * percent / 100;
        prefixes_choose(digit, end - n_codes, prefixes + n_prefixes, end_prefix - n_prefixes,
                        &random);
        n_codes = end;
        n_prefixes = end_prefix;
    }
    zip_codes_rank(m, prefixes, &random);
    uint64_t *weights;
    KAN_TRY(kan_arena_alloc(arena, KAN_SALES_ZIP_CODES, sizeof *weights, &weights));
    for (unsigned i = 0; i < KAN_SALES_ZIP_CODES; i++)
        weights[i] = ONE / (i + 1 + ZIP_SHIFT) - ONE / ZIP_END;
    return urn_make(arena, weights, KAN_SALES_ZIP_CODES, &m->zip_code);
}

/* ---- days ----------------------------------------------------------------------------------- */

static kan_status days_make(kan_sales_model *m, kan_arena *arena) {
    uint64_t *weights;
    KAN_TRY(kan_arena_alloc(arena, KAN_SALES_DAYS, sizeof *weights, &weights));
    unsigned i = 0;
    for (unsigned month = 0; month < MONTHS; month++)
        for (unsigned day = 0; day < MONTH_DAYS[month]; day++, i++) {
            m->days[i] = (struct kan_sales_day){(uint8_t)(month + 1), (uint8_t)(day + 1)};
            weights[i] = (uint64_t)MONTH_WEIGHTS[month] * WEEKDAY_WEIGHTS[(FIRST_WEEKDAY + i) % 7];
        }
    KAN_ASSERT(i == KAN_SALES_DAYS);
    return urn_make(arena, weights, KAN_SALES_DAYS, &m->day);
}

/* ---- prices --------------------------------------------------------------------------------- */

static uint16_t price_nearest(const kan_sales_model *m, unsigned tenths_of_cents) {
    unsigned best = 0, best_distance = UINT32_MAX;
    for (unsigned i = 0; i < KAN_SALES_PRICES; i++) {
        unsigned price = m->prices[i] * 10;
        unsigned distance =
            price > tenths_of_cents ? price - tenths_of_cents : tenths_of_cents - price;
        if (distance < best_distance) { /* of two equally near ones the lower */
            best = i;
            best_distance = distance;
        }
    }
    return (uint16_t)best;
}

/* Dollars come up as 1/dollars, the endings take turns. */
static kan_status prices_make(kan_sales_model *m, kan_arena *arena, uint64_t *random) {
    enum { DOLLARS = MOST_DOLLARS - LEAST_DOLLARS + 1 };
    kan_sales_urn dollars;
    uint64_t *weights;
    bool *is_listed;
    KAN_TRY(kan_arena_alloc(arena, CENTS, sizeof *is_listed, &is_listed));
    memset(is_listed, 0, CENTS * sizeof *is_listed);
    KAN_TRY(kan_arena_alloc(arena, DOLLARS, sizeof *weights, &weights));
    for (unsigned i = 0; i < DOLLARS; i++)
        weights[i] = ONE / (i + LEAST_DOLLARS);
    KAN_TRY(urn_make(arena, weights, DOLLARS, &dollars));
    for (unsigned n = 0; n < KAN_SALES_PRICES;) {
        unsigned whole = LEAST_DOLLARS + kan_sales_choose(&dollars, kan_random(random));
        unsigned price = whole * 100 + PRICE_ENDINGS[n % 4];
        if (price <= MOST_DOLLARS * 100 && !is_listed[price]) {
            is_listed[price] = true;
            n++;
        }
    }
    unsigned n = 0;
    for (unsigned price = 0; price < CENTS; price++)
        if (is_listed[price])
            m->prices[n++] = price;
    for (unsigned i = 0; i < KAN_SALES_PRICES; i++)
        for (unsigned reduction = 0; reduction < KAN_SALES_REDUCTIONS; reduction++)
            m->reduced[i][reduction] = price_nearest(m, m->prices[i] * REDUCED_TO[reduction]);
    return KAN_OK;
}

/* ---- styles --------------------------------------------------------------------------------- */

/* The popularity of prices among styles: usual ones in random order, then the others. */
static kan_status price_urn_make(const kan_sales_model *m, kan_arena *arena, uint64_t *random,
                                 kan_sales_urn *out) {
    uint16_t order[KAN_SALES_PRICES];
    uint64_t *weights, rank = 0;
    KAN_TRY(kan_arena_alloc(arena, KAN_SALES_PRICES, sizeof *weights, &weights));
    shuffle_from(0, order, KAN_SALES_PRICES, random);
    for (int is_usual = 1; is_usual >= 0; is_usual--)
        for (unsigned i = 0; i < KAN_SALES_PRICES; i++) {
            unsigned price = m->prices[order[i]];
            if ((price >= USUAL_FROM && price <= USUAL_TO) == is_usual)
                weights[order[i]] = ONE / (++rank + PRICE_SHIFT);
        }
    return urn_make(arena, weights, KAN_SALES_PRICES, out);
}

/* Too many costs: the two nearest become the lower one of them, again and again. */
static void costs_merge(kan_sales_model *m, uint16_t *n_styles, unsigned n_costs) {
    for (; n_costs > KAN_SALES_COSTS; n_costs--) {
        unsigned last = 0, lower = 0, upper = CENTS;
        for (unsigned cost = 1; cost < CENTS; cost++) {
            if (n_styles[cost] == 0)
                continue;
            if (last > 0 && cost - last < upper - lower) {
                lower = last;
                upper = cost;
            }
            last = cost;
        }
        for (unsigned style = 0; style < KAN_SALES_STYLES; style++)
            if (m->styles[style].cost == upper)
                m->styles[style].cost = lower;
        n_styles[lower] = (uint16_t)(n_styles[lower] + n_styles[upper]);
        n_styles[upper] = 0;
    }
}

/* Too few: styles leave the cost that they share for the nearest free one, cent by cent. */
static void costs_part(kan_sales_model *m, uint16_t *n_styles, unsigned n_costs) {
    for (unsigned style = 0; n_costs < KAN_SALES_COSTS; style++) {
        KAN_ASSERT(style < KAN_SALES_STYLES); /* there are more styles than costs */
        unsigned cost = m->styles[style].cost, step = 1;
        if (n_styles[cost] == 1)
            continue;
        while (n_styles[cost + step] > 0 && (step >= cost || n_styles[cost - step] > 0))
            step++;
        unsigned vacant = n_styles[cost + step] == 0 ? cost + step : cost - step;
        m->styles[style].cost = vacant;
        n_styles[cost]--;
        n_styles[vacant]++;
        n_costs++;
    }
}

/* A cost is 38 to 55 % of the full price. */
static kan_status costs_make(kan_sales_model *m, kan_arena *arena, uint64_t *random) {
    uint16_t *n_styles; /* of each cost */
    unsigned n_costs = 0;
    KAN_TRY(kan_arena_alloc(arena, CENTS, sizeof *n_styles, &n_styles));
    memset(n_styles, 0, CENTS * sizeof *n_styles);
    for (unsigned style = 0; style < KAN_SALES_STYLES; style++) {
        uint64_t price = m->prices[m->styles[style].price];
        uint64_t millionths = 380000 + kan_random_below(random, 170001);
        unsigned cost = (unsigned)((price * millionths + 500000) / 1000000);
        m->styles[style].cost = cost;
        n_costs += n_styles[cost]++ == 0;
    }
    costs_merge(m, n_styles, n_costs);
    costs_part(m, n_styles, n_costs);
    return KAN_OK;
}

/* Each gender has its own order of the styles; those made for the other are rare in it. */
static kan_status style_urns_make(kan_sales_model *m, kan_arena *arena, uint64_t *random) {
    uint16_t order[KAN_SALES_STYLES];
    uint8_t made_for[KAN_SALES_STYLES];
    shuffle_from(0, order, KAN_SALES_STYLES, random);
    for (unsigned i = 0; i < KAN_SALES_STYLES; i++)
        made_for[order[i]] = i < FEMALE_STYLES                 ? KAN_SALES_FEMALE
                             : i < FEMALE_STYLES + MALE_STYLES ? KAN_SALES_MALE
                                                               : KAN_SALES_GENDERS;
    for (unsigned gender = 0; gender < KAN_SALES_GENDERS; gender++) {
        uint64_t *weights;
        KAN_TRY(kan_arena_alloc(arena, KAN_SALES_STYLES, sizeof *weights, &weights));
        shuffle_from(0, order, KAN_SALES_STYLES, random);
        for (unsigned i = 0; i < KAN_SALES_STYLES; i++) {
            bool is_rare = made_for[order[i]] == 1 - gender;
            weights[order[i]] = ONE / (i + 1 + STYLE_SHIFT) / (is_rare ? 20 : 1);
        }
        KAN_TRY(urn_make(arena, weights, KAN_SALES_STYLES, &m->style[gender]));
    }
    return KAN_OK;
}

static kan_status styles_make(kan_sales_model *m, kan_arena *arena, uint64_t random) {
    uint16_t order[KAN_SALES_STYLES];
    kan_sales_urn prices;
    KAN_TRY(price_urn_make(m, arena, &random, &prices));
    /* Every price has a style. */
    shuffle_from(0, order, KAN_SALES_STYLES, &random);
    for (unsigned i = 0; i < KAN_SALES_STYLES; i++)
        m->styles[order[i]].price =
            (uint16_t)(i < KAN_SALES_PRICES ? i : kan_sales_choose(&prices, kan_random(&random)));
    KAN_TRY(costs_make(m, arena, &random));
    return style_urns_make(m, arena, &random);
}

kan_status kan_sales_model_build(kan_arena *arena, uint64_t seed, const kan_sales_model **out) {
    kan_sales_model *m;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *m, &m));
    uint64_t prices = kan_hash_words((const uint64_t[]){seed, 2}, 2);
    KAN_TRY(zip_codes_make(m, arena, kan_hash_words((const uint64_t[]){seed, 1}, 2)));
    KAN_TRY(days_make(m, arena));
    KAN_TRY(prices_make(m, arena, &prices));
    KAN_TRY(styles_make(m, arena, kan_hash_words((const uint64_t[]){seed, 3}, 2)));
    *out = m;
    return KAN_OK;
}
