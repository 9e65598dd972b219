/* Risks of rows and of households, and what they come to. */
#include "analyze/risk/risk_individual.h"

#include <math.h>
#include <stdlib.h>

/* ---- risks, each of some rows --------------------------------------------------------------- */

typedef struct {
    double risk;
    uint64_t n_rows;
} share;

static int compare_shares(const void *a, const void *b) {
    const share *x = a, *y = b;
    if (x->risk != y->risk)
        return x->risk > y->risk ? 1 : -1;
    return (x->n_rows > y->n_rows) - (x->n_rows < y->n_rows);
}

/* The risk that the row at this place has, rows in descending order of risk. */
static double at_place(const share *shares, size_t n, uint64_t place) {
    uint64_t before = 0;
    for (size_t i = n; i-- > 0;) {
        before += shares[i].n_rows;
        if (before > place)
            return shares[i].risk;
    }
    return 0;
}

/* From the least risk up: while the rows behind can have the risk of this one, and the sum still is
 * within what is tolerated, more is allowed. */
static void find_allowed(const share *shares, size_t n, double tolerated, kan_risk_spread *out) {
    double below = 0;
    uint64_t left = out->n_rows;
    out->allowed = NAN;
    if (tolerated < 0 || out->expected <= tolerated * (double)out->n_rows)
        return;
    for (size_t i = 0; i < n; i++) {
        const double risk = shares[i].risk, most = tolerated * (double)out->n_rows - below;
        if (risk * (double)left > most) {
            out->allowed = most > 0 ? most / (double)left : 0;
            break;
        }
        below += risk * (double)shares[i].n_rows;
        left -= shares[i].n_rows;
    }
    out->n_above_allowed = left;
}

/* Sorts the shares. */
static void measure_spread(share *shares, size_t n, const kan_individual_question *question,
                           kan_risk_spread *out) {
    const uint64_t threshold = question->threshold ? question->threshold : 1;
    *out = (kan_risk_spread){.allowed = NAN};
    if (n > 1)
        qsort(shares, n, sizeof *shares, compare_shares);
    for (size_t i = 0; i < n; i++) {
        out->n_rows += shares[i].n_rows;
        out->expected += shares[i].risk * (double)shares[i].n_rows;
        /* 1 / f is not above 1 / threshold where f is that, however it is rounded */
        if (shares[i].risk > 1 / (double)threshold)
            out->n_at_risk += shares[i].n_rows;
    }
    if (out->n_rows == 0)
        return;
    out->highest = shares[n - 1].risk;
    out->average = out->expected / (double)out->n_rows;
    out->median = at_place(shares, n, out->n_rows / 2);
    out->upper_10 = at_place(shares, n, out->n_rows / 10);
    out->upper_1 = at_place(shares, n, out->n_rows / 100);
    find_allowed(shares, n, question->tolerated, out);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status measure_rows(const kan_individual_question *question, kan_individual_risks *out) {
    const kan_risk_tuples *tuples = question->tuples;
    share *shares;
    KAN_TRY(kan_alloc(out->run, tuples->n, sizeof *out->of_tuple, &out->of_tuple));
    KAN_TRY(kan_alloc(out->run, tuples->n, sizeof *shares, &shares));
    for (uint32_t t = 0; t < tuples->n; t++) {
        const uint64_t crowd = question->crowd ? question->crowd[t] : tuples->rows[t];
        out->of_tuple[t] = kan_individual_risk(crowd, question->people ? question->people[t] : 0);
        shares[t] = (share){out->of_tuple[t], tuples->rows[t]};
    }
    measure_spread(shares, tuples->n, question, &out->rows);
    kan_free(out->run, shares);
    return KAN_OK;
}

/* ---- households ----------------------------------------------------------------------------- */

/* Rows of each household: tuples[first[h] .. first[h + 1] - 1], in order. */
typedef struct {
    uint64_t *first;
    uint32_t *tuples;
    uint32_t *order; /* households */
} homes;

static int compare_tuples(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_homes(const homes *h, uint32_t a, uint32_t b) {
    const uint64_t n = h->first[a + 1] - h->first[a], m = h->first[b + 1] - h->first[b];
    if (n != m)
        return n < m ? -1 : 1;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t x = h->tuples[h->first[a] + i], y = h->tuples[h->first[b] + i];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Places order[0 .. n-1] so that like households stand side by side; merges, as a comparison needs the
 * homes. */
static void sort_homes(const homes *h, uint32_t *order, uint32_t *room, size_t n) {
    if (n < 2)
        return;
    const size_t half = n / 2;
    sort_homes(h, order, room, half);
    sort_homes(h, order + half, room, n - half);
    size_t a = 0, b = half, k = 0;
    while (a < half || b < n) {
        const bool takes_first = b == n || (a < half && compare_homes(h, order[a], order[b]) <= 0);
        room[k++] = takes_first ? order[a++] : order[b++];
    }
    for (size_t i = 0; i < n; i++)
        order[i] = room[i];
}

static kan_status gather_homes(const kan_individual_question *question, kan_run *run, homes *out) {
    const uint32_t n = question->n_households;
    uint64_t *first;
    KAN_TRY(kan_alloc_zero(run, (size_t)n + 2, sizeof *first, &first));
    out->first = first;
    KAN_TRY(kan_alloc(run, (size_t)question->n_rows, sizeof *out->tuples, &out->tuples));
    for (uint64_t row = 0; row < question->n_rows; row++)
        first[question->household_of[row] + 2]++;
    for (uint32_t h = 0; h < n; h++)
        first[h + 2] += first[h + 1];
    for (uint64_t row = 0; row < question->n_rows; row++)
        out->tuples[first[question->household_of[row] + 1]++] = question->tuples->tuple_of_row[row];
    for (uint32_t h = 0; h < n; h++)
        if (first[h + 1] > first[h] + 1)
            qsort(out->tuples + first[h], (size_t)(first[h + 1] - first[h]), sizeof *out->tuples,
                  compare_tuples);
    return KAN_OK;
}

static kan_status count_alone(const kan_individual_question *question, homes *h,
                              kan_individual_risks *out) {
    uint32_t *room;
    size_t n = 0;
    KAN_TRY(kan_alloc(out->run, question->n_households, sizeof *h->order, &h->order));
    KAN_TRY(kan_alloc(out->run, question->n_households, sizeof *room, &room));
    for (uint32_t i = 0; i < question->n_households; i++)
        if (h->first[i + 1] > h->first[i])
            h->order[n++] = i;
    sort_homes(h, h->order, room, n);
    for (size_t i = 0; i < n; i++) {
        const bool like_before = i > 0 && compare_homes(h, h->order[i - 1], h->order[i]) == 0;
        const bool like_next = i + 1 < n && compare_homes(h, h->order[i], h->order[i + 1]) == 0;
        out->n_alone += !like_before && !like_next;
    }
    out->n_households = n;
    kan_free(out->run, room);
    return KAN_OK;
}

/* Adds up what none of the members before leaves: 1 - (1 - u)(1 - r) = u + r (1 - u), which loses
 * nothing where risks are small. */
static kan_status measure_homes(const kan_individual_question *question, const homes *h,
                                kan_individual_risks *out) {
    const uint32_t n = question->n_households;
    share *shares;
    KAN_TRY(kan_alloc(out->run, n, sizeof *out->of_household, &out->of_household));
    KAN_TRY(kan_alloc(out->run, n, sizeof *shares, &shares));
    for (uint32_t i = 0; i < n; i++) {
        double risk = 0;
        for (uint64_t at = h->first[i]; at < h->first[i + 1]; at++)
            risk += out->of_tuple[h->tuples[at]] * (1 - risk);
        out->of_household[i] = risk;
        shares[i] = (share){risk, h->first[i + 1] - h->first[i]};
    }
    measure_spread(shares, n, question, &out->households);
    kan_free(out->run, shares);
    return KAN_OK;
}

static kan_status measure_households(const kan_individual_question *question,
                                     kan_individual_risks *out) {
    homes h = {0};
    kan_status status = gather_homes(question, out->run, &h);
    if (status == KAN_OK)
        status = count_alone(question, &h, out);
    if (status == KAN_OK)
        status = measure_homes(question, &h, out);
    kan_free(out->run, h.first);
    kan_free(out->run, h.tuples);
    kan_free(out->run, h.order);
    out->has_households = status == KAN_OK;
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_individual_risks_measure(kan_run *run, const kan_individual_question *question,
                                        kan_individual_risks *out) {
    kan_individual_risks made = {.run = run};
    kan_status status = measure_rows(question, &made);
    if (status == KAN_OK && question->household_of)
        status = measure_households(question, &made);
    if (status == KAN_OK)
        *out = made;
    else
        kan_individual_risks_destroy(&made);
    return status;
}

void kan_individual_risks_destroy(kan_individual_risks *risks) {
    kan_free(risks->run, risks->of_tuple);
    kan_free(risks->run, risks->of_household);
}
