/* Which cut: the one that gains most by the cost of the search, or that tells most of the outcome.
 *
 * All cuts of all dimensions are looked at. The tuples of each place of a dimension are summed up
 * once in a profile: which places of the other dimensions they have, as bits (or, where places are
 * too many for that, as bounds). Profiles are joined from both ends, so that each cut costs a look
 * at two of them. One pass over the records for each dimension.
 *
 * Text that may be cut anywhere (KAN_PARTITION_ANY) is also looked at with the most frequent values
 * first: a few common values against all the others is often the best cut there is. The share that
 * a set of values counts here is n / all, and 0 for one value: that favours sets of one value more
 * than ncp does, and leads to a lower ncp in the end. Where the outcome is followed its values stand
 * in the order of what they say of it instead: of two parts of a category, where the outcome is a number
 * or one of two values, one of these cuts tells most. */
#include <stdlib.h>
#include <string.h>

#include "search/regions/partition.h"

typedef struct kan_partition_scales {
    /* A profile: words of bits, or a low and a high for each dimension. All of one size. */
    size_t n_words;                                 /* of 64 bits, of a profile */
    uint64_t *by_place, *suffix;                    /* one per place of the dimension looked at */
    uint64_t *prefix, *whole;                       /* one each */
    uint32_t *index;                                /* place -> its number among the counts */
    uint64_t *classes, *left_classes, *all_classes; /* KAN_PARTITION_CLASSES */
    uint32_t *best_left;                            /* places, when the best cut is by sides */
    uint32_t n_best_left;
} kan_partition_scales;

/* The best so far. */
typedef struct {
    kan_partition_cut cut;
    double gain;
    uint64_t imbalance;
} best_cut;

kan_status kan_partition_scales_make(const kan_partition_space *space, kan_partition_scales **out) {
    kan_run *run = space->run;
    kan_partition_scales *s;
    const size_t n = space->most_places;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *s, &s));
    *out = s; /* freed with the worker, whatever follows */
    s->n_words = space->n_words > 0 ? space->n_words : space->n_dimensions;
    KAN_TRY(kan_alloc(run, n, sizeof *s->index, &s->index));
    KAN_TRY(kan_alloc(run, n, sizeof *s->best_left, &s->best_left));
    if (space->gain == KAN_PARTITION_CLASSES) {
        const int t = space->question->problem->class_tail;
        const size_t n_classes = t == KAN_NO_TAIL ? 1 : space->n_values[t];
        KAN_TRY(kan_alloc(run, n * n_classes, sizeof *s->classes, &s->classes));
        KAN_TRY(kan_alloc(run, n_classes, sizeof *s->left_classes, &s->left_classes));
        KAN_TRY(kan_alloc(run, n_classes, sizeof *s->all_classes, &s->all_classes));
    }
    if (space->gain >= KAN_PARTITION_SHARES) {
        KAN_TRY(kan_alloc(run, n * s->n_words, sizeof *s->by_place, &s->by_place));
        KAN_TRY(kan_alloc(run, n * s->n_words, sizeof *s->suffix, &s->suffix));
        KAN_TRY(kan_alloc(run, s->n_words, sizeof *s->prefix, &s->prefix));
        KAN_TRY(kan_alloc(run, s->n_words, sizeof *s->whole, &s->whole));
    }
    return KAN_OK;
}

void kan_partition_scales_destroy(const kan_partition_space *space, kan_partition_scales *s) {
    kan_run *run = space->run;
    if (!s)
        return;
    kan_free(run, s->by_place);
    kan_free(run, s->suffix);
    kan_free(run, s->prefix);
    kan_free(run, s->whole);
    kan_free(run, s->index);
    kan_free(run, s->classes);
    kan_free(run, s->left_classes);
    kan_free(run, s->all_classes);
    kan_free(run, s->best_left);
    kan_free(run, s);
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* `n` is the number of words, as a constant where it can be. */
static inline __attribute__((always_inline)) void join_bits(const kan_partition_worker *worker,
                                                            const kan_partition_region *region,
                                                            unsigned d, const size_t n) {
    const kan_partition_space *space = worker->space;
    const bool is_wide = space->is_wide;
    const unsigned char *at = kan_partition_record(space, region->first);
    const size_t stride = space->stride, bits_at = space->bits_at;
    const uint32_t *index = worker->scales->index;
    uint64_t *by_place = worker->scales->by_place, word;
    for (size_t i = 0; i < region->n; i++, at += stride) {
        uint64_t *to = by_place + index[kan_partition_lane(at, is_wide, d)] * n;
        for (size_t w = 0; w < n; w++) {
            memcpy(&word, at + bits_at + w * sizeof word, sizeof word);
            to[w] |= word;
        }
    }
}

static void join_records(kan_partition_worker *worker, const kan_partition_region *region,
                         unsigned d) {
    const kan_partition_space *space = worker->space;
    kan_partition_scales *s = worker->scales;
    const unsigned char *at = kan_partition_record(space, region->first);
    uint64_t profile[KAN_MAX_ATTRIBUTES];
    switch (space->n_words) {
    case 1:
        join_bits(worker, region, d, 1);
        return;
    case 2:
        join_bits(worker, region, d, 2);
        return;
    case 3:
        join_bits(worker, region, d, 3);
        return;
    case 4:
        join_bits(worker, region, d, 4);
        return;
    case 0: /* bounds */
        for (size_t i = 0; i < region->n; i++, at += space->stride) {
            kan_partition_profile(space, at, profile);
            kan_partition_join(space, s->n_words, profile,
                               s->by_place + s->index[kan_partition_lane(at, space->is_wide, d)] *
                                                 s->n_words);
        }
        return;
    default:
        join_bits(worker, region, d, space->n_words);
    }
}

static void make_profiles(kan_partition_worker *worker, const kan_partition_region *region,
                          unsigned d) {
    kan_partition_scales *s = worker->scales;
    const kan_partition_counts *counts = &worker->counts;
    const size_t n = s->n_words;
    if (worker->summary) {
        for (uint32_t i = 0; i < counts->n; i++)
            memcpy(s->by_place + i * n,
                   kan_partition_summary_profile(worker->summary, d, counts->place[i]),
                   n * sizeof *s->by_place);
        return;
    }
    memset(s->by_place, 0, counts->n * n * sizeof *s->by_place);
    join_records(worker, region, d);
}

/* Bits that are set: not every machine has an instruction that may be used for it. */
static uint32_t count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* What a profile has of one dimension. */
typedef struct {
    uint32_t low, high, n;
} extent;

static extent extent_of(const kan_partition_space *space, unsigned d, const uint64_t *profile) {
    const kan_partition_dimension *dimension = &space->dimensions[d];
    if (space->n_words == 0) {
        const uint32_t low = ~(uint32_t)(profile[d] >> 32), high = (uint32_t)profile[d];
        return (extent){low, high, high - low + 1};
    }
    if (dimension->n_places <= 64) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - dimension->n_places);
        const uint64_t bits = profile[dimension->word] >> dimension->shift & mask;
        if ((bits & (bits - 1)) == 0) /* which one does not matter to anybody */
            return (extent){0, 0, 1};
        return (extent){(uint32_t)__builtin_ctzll(bits), 63 - (uint32_t)__builtin_clzll(bits),
                        count_bits(bits)};
    }
    extent e = {.n = 0};
    for (uint32_t w = 0; w * 64 < dimension->n_places; w++) {
        const uint64_t bits = profile[dimension->word + w];
        if (bits == 0)
            continue;
        if (e.n == 0)
            e.low = w * 64 + (uint32_t)__builtin_ctzll(bits);
        e.high = w * 64 + 63 - (uint32_t)__builtin_clzll(bits);
        e.n += count_bits(bits);
    }
    return e;
}

static double share_of(const kan_partition_dimension *dimension, extent e) {
    if (dimension->cutting == KAN_PARTITION_VALUES)
        return dimension->position[e.high] - dimension->position[e.low];
    if (dimension->cutting != KAN_PARTITION_TREE)
        return (double)e.n / (double)dimension->n_places;
    const unsigned level = kan_partition_cover(dimension, e.low, e.high);
    return dimension->hierarchy->levels[level].share[kan_partition_node(dimension, level, e.low)];
}

/* What one row of a region with that profile loses. */
static double loss_of(const kan_partition_space *space, const uint64_t *profile) {
    double loss = 0;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const kan_partition_dimension *dimension = &space->dimensions[d];
        const extent e = extent_of(space, d, profile);
        if (e.low == e.high)
            continue;
        if (space->gain == KAN_PARTITION_SHARES)
            loss += dimension->weight * share_of(dimension, e);
        else
            loss += dimension->weight * (double)kan_partition_cover(dimension, e.low, e.high);
    }
    return loss;
}

/* ---- one dimension --------------------------------------------------------------------------- */

static uint64_t imbalance(uint64_t left, uint64_t all) {
    return left > all - left ? left - (all - left) : all - left - left;
}

/* Takes the cut when it is better than the best, and allowed. `left` lists the places of the first
 * part for a cut by sides; worker->side is then set. */
static kan_status offer(kan_partition_worker *worker, const kan_partition_region *region,
                        const kan_partition_cut *cut, double gain, const uint32_t *left,
                        uint32_t n_left, best_cut *best) {
    const uint64_t uneven = imbalance(cut->n_left, region->n_rows);
    bool is_allowed;
    if (kan_partition_has_outcome(worker->space) && !(gain > 0))
        return KAN_OK;
    if (best->cut.n_parts > 0 &&
        (gain < best->gain || (gain == best->gain && uneven >= best->imbalance)))
        return KAN_OK;
    KAN_TRY(kan_partition_allows(worker, region, cut, &is_allowed));
    if (!is_allowed)
        return KAN_OK;
    *best = (best_cut){*cut, gain, uneven};
    worker->scales->n_best_left = n_left;
    for (uint32_t i = 0; i < n_left; i++)
        worker->scales->best_left[i] = worker->counts.place[left[i]];
    return KAN_OK;
}

static uint64_t greatest(const uint64_t *counts, size_t n) {
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

/* The cuts between neighbours in an order of the places: order[i] numbers the counts. */
typedef struct {
    const uint32_t *order;
    bool by_side; /* it is not the order of the domain */
} sequence;

static void make_suffixes(kan_partition_worker *worker, const sequence *q) {
    kan_partition_scales *s = worker->scales;
    const uint32_t n = worker->counts.n;
    for (uint32_t i = n; i-- > 0;) {
        uint64_t *to = s->suffix + i * s->n_words;
        memcpy(to, s->by_place + q->order[i] * s->n_words, s->n_words * sizeof *to);
        if (i + 1 < n)
            kan_partition_join(worker->space, s->n_words, to + s->n_words, to);
    }
    memcpy(s->whole, s->suffix, s->n_words * sizeof *s->whole);
    memset(s->prefix, 0, s->n_words * sizeof *s->prefix);
}

/* Moves on behind the i-th place: what a cut there gains is then known. */
static double gain_behind(kan_partition_worker *worker, const kan_partition_region *region,
                          uint32_t i, uint64_t n_left, double whole_loss) {
    const kan_partition_space *space = worker->space;
    kan_partition_scales *s = worker->scales;
    const double left = (double)n_left, right = (double)(region->n_rows - n_left);
    if (kan_partition_has_outcome(space))
        return kan_partition_outcome_gain(worker);
    if (space->gain == KAN_PARTITION_BALANCE)
        return left * right;
    if (space->gain == KAN_PARTITION_CLASSES) {
        const int t = space->question->problem->class_tail;
        const size_t n = t == KAN_NO_TAIL ? 1 : space->n_values[t];
        uint64_t right_most = 0;
        for (size_t c = 0; c < n; c++) {
            const uint64_t rest = s->all_classes[c] - s->left_classes[c];
            right_most = rest > right_most ? rest : right_most;
        }
        return (double)(greatest(s->left_classes, n) + right_most);
    }
    return whole_loss - left * loss_of(space, s->prefix) -
           right * loss_of(space, s->suffix + (i + 1) * s->n_words);
}

static void join_place(kan_partition_worker *worker, uint32_t count) {
    const kan_partition_space *space = worker->space;
    kan_partition_scales *s = worker->scales;
    if (kan_partition_has_outcome(space))
        kan_partition_outcome_add(worker, count);
    if (space->gain >= KAN_PARTITION_SHARES)
        kan_partition_join(space, s->n_words, s->by_place + count * s->n_words, s->prefix);
    if (space->gain == KAN_PARTITION_CLASSES) {
        const int t = space->question->problem->class_tail;
        const size_t n = t == KAN_NO_TAIL ? 1 : space->n_values[t];
        for (size_t c = 0; c < n; c++)
            s->left_classes[c] += s->classes[count * n + c];
    }
}

static void begin_sequence(kan_partition_worker *worker, const sequence *q) {
    const kan_partition_space *space = worker->space;
    kan_partition_scales *s = worker->scales;
    if (kan_partition_has_outcome(space))
        kan_partition_outcome_begin(worker);
    if (space->gain >= KAN_PARTITION_SHARES)
        make_suffixes(worker, q);
    if (space->gain == KAN_PARTITION_CLASSES) {
        const int t = space->question->problem->class_tail;
        const size_t n = t == KAN_NO_TAIL ? 1 : space->n_values[t];
        memset(s->left_classes, 0, n * sizeof *s->left_classes);
    }
}

static kan_status try_sequence(kan_partition_worker *worker, const kan_partition_region *region,
                               unsigned d, const sequence *q, best_cut *best) {
    const kan_partition_space *space = worker->space;
    const kan_partition_counts *counts = &worker->counts;
    const uint64_t all = region->n_rows, least = space->least_size;
    const uint8_t *is_good = NULL;
    uint64_t n_left = 0;
    if (worker->pasts && !space->is_relaxed && !q->by_side)
        KAN_TRY(kan_partition_pasts_beside(worker, region, d, &is_good));
    begin_sequence(worker, q);
    const double whole = space->gain >= KAN_PARTITION_SHARES
                             ? (double)all * loss_of(space, worker->scales->whole)
                             : 0;
    for (uint32_t i = 0; i < counts->n; i++)
        worker->side[counts->place[i]] = 1;
    for (uint32_t i = 0; i + 1 < counts->n; i++) {
        n_left += counts->rows[q->order[i]];
        join_place(worker, q->order[i]);
        worker->side[counts->place[q->order[i]]] = 0;
        if (n_left < least)
            continue;
        if (all - n_left < least)
            break;
        if (is_good && !is_good[i])
            continue;
        const kan_partition_cut cut = {.dimension = d,
                                       .n_parts = 2,
                                       .by_side = q->by_side,
                                       .place = counts->place[q->order[i]],
                                       .n_left = n_left};
        KAN_TRY(offer(worker, region, &cut, gain_behind(worker, region, i, n_left, whole), q->order,
                      q->by_side ? i + 1 : 0, best));
    }
    return KAN_OK;
}

/* Rows at the median are shared: both parts have its place. What is counted in rows or classes is
 * taken as if the cut were behind it. */
static kan_status try_halves(kan_partition_worker *worker, const kan_partition_region *region,
                             unsigned d, const sequence *q, best_cut *best) {
    const kan_partition_space *space = worker->space;
    const kan_partition_counts *counts = &worker->counts;
    kan_partition_scales *s = worker->scales;
    const uint64_t all = region->n_rows, half = all - all / 2;
    uint64_t n_left = 0;
    uint32_t i = 0;
    double gain = 0;
    if (all - half < space->least_size)
        return KAN_OK;
    begin_sequence(worker, q);
    for (;; i++) {
        n_left += counts->rows[i];
        join_place(worker, i);
        if (n_left >= all - n_left)
            break;
    }
    if (space->gain >= KAN_PARTITION_SHARES)
        gain = (double)all * loss_of(space, s->whole) - (double)half * loss_of(space, s->prefix) -
               (double)(all - half) * loss_of(space, s->suffix + i * s->n_words);
    else
        gain = gain_behind(worker, region, i, n_left < all ? n_left : all - 1, 0);
    const kan_partition_cut cut = {
        .dimension = d, .n_parts = 2, .place = counts->place[i], .n_left = half};
    return offer(worker, region, &cut, gain, NULL, 0, best);
}

/* A node's children: all of them at once. */
static kan_status try_children(kan_partition_worker *worker, const kan_partition_region *region,
                               unsigned d, const sequence *q, best_cut *best) {
    const kan_partition_space *space = worker->space;
    const kan_partition_counts *counts = &worker->counts;
    kan_partition_scales *s = worker->scales;
    kan_partition_cut cut;
    double gain = 0;
    KAN_TRY(kan_partition_cut_node(worker, region, d, &cut));
    if (cut.n_parts == 0)
        return KAN_OK;
    begin_sequence(worker, q);
    const size_t n_classes = s->left_classes && space->question->problem->class_tail != KAN_NO_TAIL
                                 ? space->n_values[space->question->problem->class_tail]
                                 : 1;
    if (space->gain >= KAN_PARTITION_SHARES)
        gain = (double)region->n_rows * loss_of(space, s->whole);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < counts->n; i++) {
        rows += counts->rows[i];
        join_place(worker, i);
        if (i + 1 < counts->n &&
            worker->side[counts->place[i + 1]] == worker->side[counts->place[i]])
            continue;
        if (kan_partition_has_outcome(space))
            kan_partition_outcome_end_part(worker);
        else if (space->gain == KAN_PARTITION_BALANCE)
            gain += (double)rows * (double)(region->n_rows - rows) / 2;
        else if (space->gain == KAN_PARTITION_CLASSES)
            gain += (double)greatest(s->left_classes, n_classes);
        else
            gain -= (double)rows * loss_of(space, s->prefix);
        rows = 0;
        if (space->gain >= KAN_PARTITION_SHARES)
            memset(s->prefix, 0, s->n_words * sizeof *s->prefix);
        if (space->gain == KAN_PARTITION_CLASSES)
            memset(s->left_classes, 0, n_classes * sizeof *s->left_classes);
    }
    if (kan_partition_has_outcome(space))
        gain = kan_partition_outcome_gain(worker);
    return offer(worker, region, &cut, gain, NULL, 0, best);
}

static void count_classes(kan_partition_worker *worker, const kan_partition_region *region,
                          unsigned d) {
    const kan_partition_space *space = worker->space;
    kan_partition_scales *s = worker->scales;
    const kan_partition_counts *counts = &worker->counts;
    const int t = space->question->problem->class_tail;
    const size_t n = t == KAN_NO_TAIL ? 1 : space->n_values[t];
    memset(s->classes, 0, counts->n * n * sizeof *s->classes);
    memset(s->all_classes, 0, n * sizeof *s->all_classes);
    if (t == KAN_NO_TAIL)
        return;
    const unsigned char *at = kan_partition_record(space, region->first);
    if (worker->summary)
        for (uint32_t i = 0; i < counts->n; i++)
            memcpy(s->classes + i * n,
                   kan_partition_summary_tally(worker->summary, d, (unsigned)t, counts->place[i]),
                   n * sizeof *s->classes);
    else
        for (size_t i = 0; i < region->n; i++, at += space->stride)
            s->classes[s->index[kan_partition_lane(at, space->is_wide, d)] * n +
                       kan_partition_lane(at, space->is_wide, space->n_dimensions + (unsigned)t)] +=
                kan_partition_rows(at);
    for (uint32_t i = 0; i < counts->n; i++)
        for (size_t c = 0; c < n; c++)
            s->all_classes[c] += s->classes[i * n + c];
}

static int compare_words(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The most frequent first, or by what they say of the outcome; of equals the first in the domain.
 * Frequencies beyond 32 bits are equal. */
static kan_status order_values(kan_partition_worker *worker) {
    const kan_partition_counts *counts = &worker->counts;
    const bool by_outcome = kan_partition_has_outcome(worker->space);
    KAN_TRY(kan_reserve(worker->space->run, counts->n, sizeof *worker->sorted, &worker->sorted_room,
                        &worker->sorted));
    for (uint32_t i = 0; i < counts->n; i++) {
        const uint64_t rows = counts->rows[i] < UINT32_MAX ? counts->rows[i] : UINT32_MAX;
        const uint64_t key = by_outcome ? kan_partition_outcome_key(worker, i) : UINT32_MAX - rows;
        worker->sorted[i] = key << 32 | i;
    }
    qsort(worker->sorted, counts->n, sizeof *worker->sorted, compare_words);
    for (uint32_t i = 0; i < counts->n; i++)
        worker->order[i] = (uint32_t)worker->sorted[i];
    return KAN_OK;
}

static kan_status try_dimension(kan_partition_worker *worker, const kan_partition_region *region,
                                unsigned d, best_cut *best) {
    const kan_partition_space *space = worker->space;
    const kan_partition_cutting cutting = space->dimensions[d].cutting;
    const sequence natural = {.order = worker->order}, by_value = {worker->order, true};
    KAN_TRY(kan_partition_count(worker, region, d));
    for (uint32_t i = 0; i < worker->counts.n; i++) {
        worker->scales->index[worker->counts.place[i]] = i;
        worker->order[i] = i;
    }
    if (kan_partition_has_outcome(space))
        kan_partition_outcome_count(worker, region, d, worker->scales->index);
    if (space->gain == KAN_PARTITION_CLASSES)
        count_classes(worker, region, d);
    if (space->gain >= KAN_PARTITION_SHARES)
        make_profiles(worker, region, d);
    if (cutting == KAN_PARTITION_TREE)
        return try_children(worker, region, d, &natural, best);
    if (space->is_relaxed && !worker->pasts)
        return try_halves(worker, region, d, &natural, best);
    KAN_TRY(try_sequence(worker, region, d, &natural, best));
    if (cutting != KAN_PARTITION_ANY || worker->counts.n < 3)
        return KAN_OK;
    KAN_TRY(order_values(worker));
    return try_sequence(worker, region, d, &by_value, best);
}

/* The sides of the best cut, which other dimensions have written over. */
static kan_status find_sides(kan_partition_worker *worker, const kan_partition_region *region,
                             kan_partition_cut *cut) {
    const unsigned d = cut->dimension;
    if (!cut->by_side)
        return KAN_OK;
    KAN_TRY(kan_partition_count(worker, region, d));
    if (worker->space->dimensions[d].cutting == KAN_PARTITION_TREE)
        return kan_partition_cut_node(worker, region, d, cut);
    for (uint32_t i = 0; i < worker->counts.n; i++)
        worker->side[worker->counts.place[i]] = 1;
    for (uint32_t i = 0; i < worker->scales->n_best_left; i++)
        worker->side[worker->scales->best_left[i]] = 0;
    return KAN_OK;
}

kan_status kan_partition_choose_gain(kan_partition_worker *worker,
                                     const kan_partition_region *region, kan_partition_cut *out) {
    const kan_partition_space *space = worker->space;
    const kan_purpose *purpose = kan_partition_has_outcome(space) ? space->question->purpose : NULL;
    best_cut best = {.cut = {.n_parts = 0}};
    for (unsigned i = 0; i < space->n_dimensions; i++) {
        const unsigned d = space->by_places[i];
        if (worker->low[d] < worker->high[d] && (!purpose || purpose->is_used[d]))
            KAN_TRY(try_dimension(worker, region, d, &best));
    }
    *out = best.cut;
    return find_sides(worker, region, out);
}
