/* What a cut tells of the outcome that a release is made for (LeFevre, DeWitt, Ramakrishnan 2008:
 * InfoGain Mondrian, and Least Squared Deviance for numbers; docs/papers/mondrian.md).
 *
 * Of a category: the information gained. A part of n rows, of which c have a value, lacks f(n) minus the
 * sum of f(c) over the values, f(x) being x log2 x in whole steps of 1/65536 bit; a cut gains what the
 * region lacks minus what its parts lack. A cut whose parts have all values in the shares of the region
 * gains nothing, which whole numbers decide: rounding makes no gain.
 *
 * Of a number: by how much less its squares lie from the means of the parts than from that of the region.
 * With S the sum of the region's n known numbers, and S_p and n_p those of a part, that is the sum of
 * (n S_p - n_p S)^2 / n_p, over n^2. Numbers are whole steps here (kan_purpose), so that what stands in
 * brackets is exact, in whatever order it was added up. Unknown numbers count nowhere.
 *
 * The logarithm is made of additions, multiplications and divisions alone, which are the same on every
 * machine. A place costs as much as the outcome has values; of a number it costs one step. */
#include <string.h>

#include "search/regions/partition.h"

typedef struct kan_partition_outcome {
    unsigned tail;
    size_t n_values; /* categories */
    /* Rows by value, or of a number: those that are known, and the sum of their steps. */
    size_t n_figures;
    uint64_t *by_place, *left, *all; /* [index of the place * figures] */
    uint64_t *before;                /* what the parts that are complete have of `left` */
    uint32_t most;                   /* the most frequent value */
    int64_t lacked;                  /* by the region */
    int64_t lack;                    /* by the parts that are complete */
    double squares;                  /* the same of numbers */
    bool is_like;                    /* these parts are like the region */
} kan_partition_outcome;

kan_status kan_partition_outcome_make(const kan_partition_space *space,
                                      kan_partition_outcome **out) {
    kan_run *run = space->run;
    kan_partition_outcome *o;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *o, &o));
    *out = o; /* freed with the worker, whatever follows */
    o->tail = (unsigned)space->question->problem->class_tail;
    o->n_values = space->n_values[o->tail];
    o->n_figures = space->gain == KAN_PARTITION_SQUARES ? 2 : o->n_values;
    KAN_TRY(kan_alloc(run, space->most_places * o->n_figures, sizeof *o->by_place, &o->by_place));
    KAN_TRY(kan_alloc(run, o->n_figures, sizeof *o->left, &o->left));
    KAN_TRY(kan_alloc(run, o->n_figures, sizeof *o->all, &o->all));
    return kan_alloc(run, o->n_figures, sizeof *o->before, &o->before);
}

void kan_partition_outcome_destroy(const kan_partition_space *space, kan_partition_outcome *o) {
    kan_run *run = space->run;
    if (!o)
        return;
    kan_free(run, o->by_place);
    kan_free(run, o->left);
    kan_free(run, o->all);
    kan_free(run, o->before);
    kan_free(run, o);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_values(const kan_partition_worker *worker, const kan_partition_region *region,
                         unsigned d, const uint32_t *index) {
    const kan_partition_space *space = worker->space;
    kan_partition_outcome *o = worker->outcome;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride)
        o->by_place[index[kan_partition_lane(at, space->is_wide, d)] * o->n_figures +
                    kan_partition_lane(at, space->is_wide, space->n_dimensions + o->tail)] +=
            kan_partition_rows(at);
}

static void add_steps(const kan_partition_worker *worker, const kan_partition_region *region,
                      unsigned d, const uint32_t *index) {
    const kan_partition_space *space = worker->space;
    kan_partition_outcome *o = worker->outcome;
    const uint32_t *steps = space->question->purpose->steps;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t step =
            steps[kan_partition_lane(at, space->is_wide, space->n_dimensions + o->tail)];
        uint64_t *to = o->by_place + 2 * (size_t)index[kan_partition_lane(at, space->is_wide, d)];
        if (step == KAN_PURPOSE_UNKNOWN)
            continue;
        to[0] += kan_partition_rows(at);
        to[1] += (uint64_t)kan_partition_rows(at) * step;
    }
}

static void copy_places(const kan_partition_worker *worker, unsigned d) {
    const bool is_number = worker->space->gain == KAN_PARTITION_SQUARES;
    kan_partition_outcome *o = worker->outcome;
    for (uint32_t i = 0; i < worker->counts.n; i++) {
        const uint32_t place = worker->counts.place[i];
        memcpy(o->by_place + i * o->n_figures,
               is_number ? kan_partition_summary_outcome(worker->summary, d, place)
                         : kan_partition_summary_tally(worker->summary, d, o->tail, place),
               o->n_figures * sizeof *o->by_place);
    }
}

/* x log2 x, in steps. */
static int64_t bits_of(uint64_t x) {
    enum { TERMS = 12, STEPS = 65536 };
    if (x < 2)
        return 0;
    int exponent = 63 - __builtin_clzll(x);
    double m = (double)x / (double)(UINT64_C(1) << exponent);
    if (m > 1.5) {
        m /= 2;
        exponent++;
    }
    /* log m = 2 artanh t */
    const double t = (m - 1) / (m + 1), square = t * t;
    double sum = 0;
    for (int i = TERMS; i-- > 0;)
        sum = sum * square + 1.0 / (2 * i + 1);
    return (int64_t)((double)x * ((double)exponent + 2.8853900817779268 * t * sum) * STEPS + 0.5);
}

/* What rows lack that are not in `without`; and whether they have all values in the shares of the region.
 */
static int64_t lack_of(const kan_partition_outcome *o, const uint64_t *rows,
                       const uint64_t *without, bool *is_like) {
    uint64_t n = 0, n_all = 0;
    int64_t bits = 0;
    for (size_t v = 0; v < o->n_figures; v++) {
        n += rows[v] - without[v];
        n_all += o->all[v];
        bits += bits_of(rows[v] - without[v]);
    }
    for (size_t v = 0; v < o->n_figures && *is_like; v++)
        *is_like = (kan_u128)(rows[v] - without[v]) * n_all == (kan_u128)o->all[v] * n;
    return bits_of(n) - bits;
}

void kan_partition_outcome_count(kan_partition_worker *worker, const kan_partition_region *region,
                                 unsigned d, const uint32_t *index) {
    const kan_partition_counts *counts = &worker->counts;
    kan_partition_outcome *o = worker->outcome;
    memset(o->by_place, 0, counts->n * o->n_figures * sizeof *o->by_place);
    if (worker->summary)
        copy_places(worker, d);
    else if (worker->space->gain == KAN_PARTITION_SQUARES)
        add_steps(worker, region, d, index);
    else
        count_values(worker, region, d, index);
    memset(o->all, 0, o->n_figures * sizeof *o->all);
    for (uint32_t i = 0; i < counts->n; i++)
        for (size_t v = 0; v < o->n_figures; v++)
            o->all[v] += o->by_place[i * o->n_figures + v];
    memset(o->before, 0, o->n_figures * sizeof *o->before);
    o->most = 0;
    for (uint32_t v = 0; v < o->n_figures; v++)
        if (o->all[v] > o->all[o->most])
            o->most = v;
    if (worker->space->gain == KAN_PARTITION_BITS)
        o->lacked = lack_of(o, o->all, o->before, &o->is_like);
}

/* ---- gaining --------------------------------------------------------------------------------- */

/* (n S_p - n_p S)^2 / n_p of rows that are not in `without`. */
static double square_of(const kan_partition_outcome *o, const uint64_t *rows,
                        const uint64_t *without) {
    const uint64_t known = rows[0] - without[0], sum = rows[1] - without[1];
    const kan_u128 here = (kan_u128)o->all[0] * sum, even = (kan_u128)known * o->all[1];
    const double off = (double)(here > even ? here - even : even - here);
    return known > 0 ? off / (double)known * off : 0;
}

void kan_partition_outcome_begin(kan_partition_worker *worker) {
    kan_partition_outcome *o = worker->outcome;
    memset(o->left, 0, o->n_figures * sizeof *o->left);
    memset(o->before, 0, o->n_figures * sizeof *o->before);
    o->lack = 0;
    o->squares = 0;
    o->is_like = true;
}

void kan_partition_outcome_add(kan_partition_worker *worker, uint32_t count) {
    kan_partition_outcome *o = worker->outcome;
    for (size_t v = 0; v < o->n_figures; v++)
        o->left[v] += o->by_place[count * o->n_figures + v];
}

void kan_partition_outcome_end_part(kan_partition_worker *worker) {
    kan_partition_outcome *o = worker->outcome;
    if (worker->space->gain == KAN_PARTITION_SQUARES)
        o->squares += square_of(o, o->left, o->before);
    else
        o->lack += lack_of(o, o->left, o->before, &o->is_like);
    memcpy(o->before, o->left, o->n_figures * sizeof *o->before);
}

double kan_partition_outcome_gain(const kan_partition_worker *worker) {
    const kan_partition_outcome *o = worker->outcome;
    bool is_like = o->is_like;
    if (worker->space->gain == KAN_PARTITION_SQUARES)
        return o->squares + (square_of(o, o->left, o->before) + square_of(o, o->all, o->left));
    const int64_t lack =
        o->lack + lack_of(o, o->left, o->before, &is_like) + lack_of(o, o->all, o->left, &is_like);
    return is_like ? 0 : (double)(o->lacked - lack);
}

/* The share of the value that is the most frequent one of the region, or the mean. */
uint32_t kan_partition_outcome_key(const kan_partition_worker *worker, uint32_t count) {
    const kan_partition_outcome *o = worker->outcome;
    const uint64_t *here = o->by_place + count * o->n_figures;
    if (worker->space->gain == KAN_PARTITION_SQUARES)
        return here[0] > 0 ? (uint32_t)(here[1] / here[0]) : 0;
    return (uint32_t)((kan_u128)here[o->most] * UINT32_MAX / worker->counts.rows[count]);
}
