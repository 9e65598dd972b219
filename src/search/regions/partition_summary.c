/* All that the choice of a cut looks at, from one pass over the records of a region: rows by place
 * of every dimension, profiles by place, tallies by place. A region that is too large for memory is
 * so read once to choose its cut, and once more to make it (mondrian-greedy.txt 2.3.1: the
 * frequency sets). Sums over places do not depend on how the records are divided among threads. */
#include <string.h>

#include "core/pool.h"
#include "search/regions/partition.h"

typedef struct kan_partition_summary {
    const kan_partition_space *space;
    uint64_t *rows[KAN_MAX_ATTRIBUTES];     /* by place */
    uint64_t *profiles[KAN_MAX_ATTRIBUTES]; /* by place; NULL: nobody asks */
    size_t n_words;                         /* of a profile */
    /* By place and value; NULL: nobody asks. */
    uint64_t *tallies[KAN_MAX_ATTRIBUTES][KAN_MAX_TAILS];
    uint64_t *outcome[KAN_MAX_ATTRIBUTES]; /* by place, two each; NULL: nobody asks */
    kan_arena arena;
} kan_partition_summary;

static bool asks_tail(const kan_partition_space *space, unsigned t) {
    if ((int)t == space->question->problem->class_tail)
        return (space->choice == KAN_PARTITION_COST && space->gain == KAN_PARTITION_CLASSES) ||
               (kan_partition_has_outcome(space) && space->gain == KAN_PARTITION_BITS);
    return !space->question->promise->size_decides;
}

static kan_status make(kan_partition_summary *s) {
    const kan_partition_space *space = s->space;
    const bool has_profiles =
        space->choice == KAN_PARTITION_COST && space->gain >= KAN_PARTITION_SHARES;
    s->n_words = space->n_words > 0 ? space->n_words : space->n_dimensions;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const size_t n = space->dimensions[d].n_places;
        KAN_TRY(kan_arena_alloc(&s->arena, n, sizeof(uint64_t), &s->rows[d]));
        if (has_profiles)
            KAN_TRY(kan_arena_alloc(&s->arena, n * s->n_words, sizeof(uint64_t), &s->profiles[d]));
        if (kan_partition_has_outcome(space) && space->gain == KAN_PARTITION_SQUARES)
            KAN_TRY(kan_arena_alloc(&s->arena, 2 * n, sizeof(uint64_t), &s->outcome[d]));
        for (unsigned t = 0; t < space->n_tails; t++)
            if (asks_tail(space, t))
                KAN_TRY(kan_arena_alloc(&s->arena, n * space->n_values[t], sizeof(uint64_t),
                                        &s->tallies[d][t]));
    }
    return KAN_OK;
}

kan_status kan_partition_summary_make(const kan_partition_space *space,
                                      kan_partition_summary **out) {
    kan_partition_summary *made;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *made, &made));
    made->space = space;
    kan_arena_init(&made->arena, space->run);
    kan_status status = make(made);
    if (status == KAN_OK)
        *out = made;
    else
        kan_partition_summary_destroy(made);
    return status;
}

void kan_partition_summary_destroy(kan_partition_summary *summary) {
    if (!summary)
        return;
    kan_run *run = summary->space->run;
    kan_arena_destroy(&summary->arena);
    kan_free(run, summary);
}

void kan_partition_summary_clear(kan_partition_summary *s) {
    const kan_partition_space *space = s->space;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const size_t n = space->dimensions[d].n_places;
        memset(s->rows[d], 0, n * sizeof(uint64_t));
        if (s->profiles[d])
            memset(s->profiles[d], 0, n * s->n_words * sizeof(uint64_t));
        if (s->outcome[d])
            memset(s->outcome[d], 0, 2 * n * sizeof(uint64_t));
        for (unsigned t = 0; t < space->n_tails; t++)
            if (s->tallies[d][t])
                memset(s->tallies[d][t], 0, n * space->n_values[t] * sizeof(uint64_t));
    }
}

/* ---- adding up ------------------------------------------------------------------------------- */

/* The step of the outcome of a record; KAN_PURPOSE_UNKNOWN where nobody asks. */
static uint32_t step_of(const kan_partition_summary *s, const unsigned char *record) {
    const kan_partition_space *space = s->space;
    const unsigned t = (unsigned)space->question->problem->class_tail;
    return s->outcome[0]
               ? space->question->purpose
                     ->steps[kan_partition_lane(record, space->is_wide, space->n_dimensions + t)]
               : KAN_PURPOSE_UNKNOWN;
}

void kan_partition_summary_add(kan_partition_summary *s, const unsigned char *record, size_t n) {
    const kan_partition_space *space = s->space;
    uint64_t profile[KAN_MAX_ATTRIBUTES];
    for (size_t i = 0; i < n; i++, record += space->stride) {
        const uint64_t rows = kan_partition_rows(record);
        const uint32_t step = step_of(s, record);
        if (s->profiles[0])
            kan_partition_profile(space, record, profile);
        for (unsigned d = 0; d < space->n_dimensions; d++) {
            const size_t place = kan_partition_lane(record, space->is_wide, d);
            s->rows[d][place] += rows;
            if (step != KAN_PURPOSE_UNKNOWN) {
                s->outcome[d][2 * place] += rows;
                s->outcome[d][2 * place + 1] += rows * step;
            }
            if (s->profiles[d])
                kan_partition_join(space, s->n_words, profile, s->profiles[d] + place * s->n_words);
            for (unsigned t = 0; t < space->n_tails; t++)
                if (s->tallies[d][t])
                    s->tallies[d][t][place * space->n_values[t] +
                                     kan_partition_lane(record, space->is_wide,
                                                        space->n_dimensions + t)] += rows;
        }
    }
}

static void add_all(uint64_t *to, const uint64_t *from, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

void kan_partition_summary_join(kan_partition_summary *to, const kan_partition_summary *from) {
    const kan_partition_space *space = to->space;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const size_t n = space->dimensions[d].n_places;
        add_all(to->rows[d], from->rows[d], n);
        if (to->outcome[d])
            add_all(to->outcome[d], from->outcome[d], 2 * n);
        for (size_t p = 0; to->profiles[d] && p < n; p++)
            kan_partition_join(space, to->n_words, from->profiles[d] + p * to->n_words,
                               to->profiles[d] + p * to->n_words);
        for (unsigned t = 0; t < space->n_tails; t++)
            if (to->tallies[d][t])
                add_all(to->tallies[d][t], from->tallies[d][t], n * space->n_values[t]);
    }
}

/* ---- what is asked of it --------------------------------------------------------------------- */

void kan_partition_summary_bounds(const kan_partition_summary *s, uint32_t *low, uint32_t *high) {
    for (unsigned d = 0; d < s->space->n_dimensions; d++) {
        low[d] = 0;
        high[d] = s->space->dimensions[d].n_places - 1;
        while (s->rows[d][low[d]] == 0)
            low[d]++;
        while (s->rows[d][high[d]] == 0)
            high[d]--;
    }
}

void kan_partition_summary_counts(const kan_partition_summary *s, unsigned d,
                                  kan_partition_counts *out) {
    out->n = 0;
    for (uint32_t p = 0; p < s->space->dimensions[d].n_places; p++) {
        if (s->rows[d][p] == 0)
            continue;
        out->place[out->n] = p;
        out->rows[out->n++] = s->rows[d][p];
    }
}

const uint64_t *kan_partition_summary_profile(const kan_partition_summary *s, unsigned d,
                                              uint32_t place) {
    return s->profiles[d] + (size_t)place * s->n_words;
}

const uint64_t *kan_partition_summary_tally(const kan_partition_summary *s, unsigned d,
                                            unsigned tail, uint32_t place) {
    return s->tallies[d][tail] + (size_t)place * s->space->n_values[tail];
}

const uint64_t *kan_partition_summary_outcome(const kan_partition_summary *s, unsigned d,
                                              uint32_t place) {
    return s->outcome[d] + 2 * (size_t)place;
}
