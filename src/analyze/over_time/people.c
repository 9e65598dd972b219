/* See people.h. Right for any marks in ascending order; quick for those of which each is as likely as any other. */
#include "analyze/over_time/people.h"

#include <string.h>

#include "analyze/over_time/over_time.h"

enum { LEAST_BITS = 4, MOST_BITS = 30, PEOPLE_BETWEEN_CHECKS = 1 << 20 };

/* Numbers that are in order as the bytes of the mark are. */
typedef struct {
    uint64_t first, rest;
} number;

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word = 0;
    for (unsigned i = 0; i < sizeof word; i++)
        word = word << 8 | bytes[i];
    return word;
}

static inline number number_at(const uint8_t *mark) {
    return (number){word_at(mark), word_at(mark + sizeof(uint64_t))};
}

static inline bool is_before(number a, number b) {
    return a.first != b.first ? a.first < b.first : a.rest < b.rest;
}

static inline const uint8_t *mark_of(const kan_over_time_people *people, size_t person) {
    return people->marks + person * KAN_OVER_TIME_MARK;
}

static inline size_t place_of(const kan_over_time_people *people, number mark) {
    return (size_t)(mark.first >> (64 - people->bits));
}

/* One walk: each place begins where the first person of it or of a later one stands. */
static kan_status begin_places(kan_run *run, kan_over_time_people *people, bool *is_ascending) {
    const size_t n_places = (size_t)1 << people->bits;
    number before = {0, 0};
    size_t next = 0; /* the first place that has not begun */
    *is_ascending = true;
    for (size_t i = 0; i < people->n && *is_ascending; i++) {
        const number mark = number_at(mark_of(people, i));
        *is_ascending = i == 0 || is_before(before, mark);
        before = mark;
        while (next <= place_of(people, mark) && *is_ascending)
            people->starts[next++] = (uint32_t)i;
        if (i % PEOPLE_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
    }
    while (next <= n_places)
        people->starts[next++] = (uint32_t)people->n;
    return KAN_OK;
}

kan_status kan_over_time_people_make(kan_run *run, const uint8_t *marks, size_t n,
                                     kan_over_time_people *out, bool *is_ascending) {
    *out = (kan_over_time_people){.marks = marks, .n = n, .bits = LEAST_BITS};
    KAN_ASSERT(n < KAN_OVER_TIME_NOBODY);
    while (out->bits < MOST_BITS && (size_t)1 << out->bits < n)
        out->bits++;
    KAN_TRY(kan_alloc(run, ((size_t)1 << out->bits) + 1, sizeof *out->starts, &out->starts));
    return begin_places(run, out, is_ascending);
}

void kan_over_time_people_destroy(kan_run *run, kan_over_time_people *people) {
    kan_free(run, people->starts);
    *people = (kan_over_time_people){.n = 0};
}

/* Halving, as all marks may have one place. */
static uint32_t find(const kan_over_time_people *people, number mark) {
    const size_t place = place_of(people, mark);
    uint32_t from = people->starts[place], end = people->starts[place + 1];
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        const number there = number_at(mark_of(people, middle));
        if (is_before(there, mark))
            from = middle + 1;
        else if (is_before(mark, there))
            end = middle;
        else
            return middle;
    }
    return KAN_OVER_TIME_NOBODY;
}

void kan_over_time_people_find(const kan_over_time_people *people, const uint8_t *marks, size_t n,
                               uint32_t *out) {
    number wanted[KAN_OVER_TIME_BLOCK];
    KAN_ASSERT(n <= KAN_OVER_TIME_BLOCK);
    for (size_t i = 0; i < n; i++) {
        wanted[i] = number_at(marks + i * KAN_OVER_TIME_MARK);
        __builtin_prefetch(&people->starts[place_of(people, wanted[i])]);
    }
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(mark_of(people, people->starts[place_of(people, wanted[i])]));
    for (size_t i = 0; i < n; i++)
        out[i] = find(people, wanted[i]);
}
