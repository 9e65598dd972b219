/* Who cannot be released: people with a set of up to M shown items that fewer than k people have.
 *
 * Sets grow from the front, item by item (a depth-first apriori): for a set there is the list of people
 * who have it, each with the place behind its last item; one pass over these lists counts all sets with
 * one item more. A set that fewer than k have takes its people out, and is not grown. Who is taken
 * out makes other sets rarer, so that it is done until nobody is. Nothing is hashed, and the room is that of
 * M lists. O(sets of up to M items of all people) for each pass; docs/papers/codes.md says why it ends
 * with the fewest. */
#include "search/codes/codes_inside.h"

#include <string.h>

/* Somebody who has a set, and where her items behind it begin. */
typedef struct {
    uint32_t person;
    uint64_t at;
} holder;

typedef struct {
    holder *holders; /* of the sets with one item more, apart by item */
    size_t capacity;
    uint64_t *count; /* by item: of how many people; zero between uses */
    uint64_t *start; /* by item: of its holders */
    uint32_t *seen;  /* items with a count, in no order */
    uint32_t n_seen;
} layer;

struct kan_codes_counter {
    kan_run *run;
    const kan_codes_question *question;
    uint32_t n_items;
    layer layers[KAN_CODES_KNOWN_MOST];
    uint64_t *start; /* of a person's items */
    uint32_t *items; /* those that are shown otherwise first */
    uint64_t *first; /* of a person: behind these */
    uint32_t *left;  /* people who were taken out, of whoever asks */
    uint64_t n_left, most, since_poll;
    uint8_t *is_left;
    bool is_broken;
};

bool kan_codes_is_broken(const kan_codes_counter *counter) {
    return counter->is_broken;
}

/* ---- items of people ------------------------------------------------------------------------ */

static void add_items(kan_codes_counter *c, const kan_codes_shown *shown, uint32_t person,
                      bool is_fresh, uint64_t *at) {
    const kan_codes_people *people = &c->question->people;
    uint32_t last = UINT32_MAX;
    for (uint64_t i = people->start[person]; i < people->start[person + 1]; i++) {
        const uint32_t leaf = people->leaves[i];
        const bool own = shown->is_new || (leaf >= shown->from && leaf < shown->to);
        if (own != is_fresh || shown->items[leaf] == last)
            continue;
        last = shown->items[leaf];
        c->items[(*at)++] = last;
    }
}

/* Each set with an item that is shown otherwise has such an item first. */
static void list_items(kan_codes_counter *c, const kan_codes_shown *shown) {
    uint64_t at = 0;
    for (uint32_t p = 0; p < c->question->people.n; p++) {
        c->start[p] = at;
        if (!c->is_left[p])
            add_items(c, shown, p, true, &at);
        c->first[p] = at;
        if (at > c->start[p]) /* nobody else has a set that changed */
            add_items(c, shown, p, false, &at);
    }
    c->start[c->question->people.n] = at;
}

/* ---- sets ----------------------------------------------------------------------------------- */

static void take_out(kan_codes_counter *c, uint32_t person) {
    c->is_left[person] = 1;
    c->left[c->n_left++] = person;
}

static bool is_done(kan_codes_counter *c, uint64_t n) {
    enum { POLL = 1 << 20 };
    c->since_poll += n + 1;
    if (c->since_poll >= POLL) {
        c->since_poll = 0;
        c->is_broken |= kan_should_stop(c->run);
    }
    return c->is_broken || c->n_left > c->most;
}

static uint64_t end_of(const kan_codes_counter *c, const holder *h, unsigned depth) {
    return depth == 0 ? c->first[h->person] : c->start[h->person + 1];
}

/* How many of the holders have each item behind their set. */
static void count_next(kan_codes_counter *c, const holder *holders, size_t n, unsigned depth) {
    layer *l = &c->layers[depth];
    l->n_seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->is_left[holders[i].person])
            continue;
        for (uint64_t at = holders[i].at; at < end_of(c, &holders[i], depth); at++) {
            if (l->count[c->items[at]]++ == 0)
                l->seen[l->n_seen++] = c->items[at];
        }
    }
}

/* People with a set of fewer than k. Their other sets are looked at by the next pass. */
static bool drop_rare(kan_codes_counter *c, const holder *holders, size_t n, unsigned depth) {
    const layer *l = &c->layers[depth];
    const uint64_t before = c->n_left;
    bool is_any = false;
    for (uint32_t i = 0; i < l->n_seen; i++)
        is_any |= l->count[l->seen[i]] < c->question->k;
    for (size_t i = 0; is_any && i < n; i++) {
        if (c->is_left[holders[i].person])
            continue;
        for (uint64_t at = holders[i].at; at < end_of(c, &holders[i], depth); at++)
            if (l->count[c->items[at]] < c->question->k) {
                take_out(c, holders[i].person);
                break;
            }
    }
    return c->n_left > before;
}

/* The holders of each set with one item more, whoever stays. */
static kan_status divide(kan_codes_counter *c, const holder *holders, size_t n, unsigned depth) {
    layer *l = &c->layers[depth];
    uint64_t total = 0;
    for (uint32_t i = 0; i < l->n_seen; i++) {
        l->start[l->seen[i]] = total;
        total += l->count[l->seen[i]];
        l->count[l->seen[i]] = 0;
    }
    KAN_TRY(kan_reserve(c->run, (size_t)total, sizeof *l->holders, &l->capacity, &l->holders));
    for (size_t i = 0; i < n; i++) {
        if (c->is_left[holders[i].person])
            continue;
        for (uint64_t at = holders[i].at; at < end_of(c, &holders[i], depth); at++) {
            const uint32_t item = c->items[at];
            l->holders[l->start[item] + l->count[item]++] = (holder){holders[i].person, at + 1};
        }
    }
    return KAN_OK;
}

static void forget(layer *l) {
    for (uint32_t i = 0; i < l->n_seen; i++)
        l->count[l->seen[i]] = 0;
}

/* Looks at all sets that are one of `depth` items with at least one more. */
static kan_status grow(kan_codes_counter *c, const holder *holders, size_t n, unsigned depth) {
    layer *l = &c->layers[depth];
    kan_status status = KAN_OK;
    count_next(c, holders, n, depth);
    if (!is_done(c, n))
        (void)drop_rare(c, holders, n, depth);
    if (depth + 1 < c->question->known && !is_done(c, n))
        status = divide(c, holders, n, depth);
    else {
        forget(l);
        return KAN_OK;
    }
    for (uint32_t i = 0; status == KAN_OK && i < l->n_seen && !is_done(c, 0); i++) {
        const uint32_t item = l->seen[i];
        status = grow(c, l->holders + l->start[item], (size_t)l->count[item], depth + 1);
    }
    forget(l);
    return status;
}

/* ---- passes --------------------------------------------------------------------------------- */

static kan_status pass(kan_codes_counter *c, const kan_codes_shown *shown, holder *all) {
    size_t n = 0;
    list_items(c, shown);
    for (uint32_t p = 0; p < c->question->people.n; p++)
        if (!c->is_left[p] && c->first[p] > c->start[p])
            all[n++] = (holder){p, c->start[p]};
    return grow(c, all, n, 0);
}

/* Whoever knows nothing finds all who stay. */
static void drop_too_few(kan_codes_counter *c) {
    uint64_t n_staying = 0;
    for (uint32_t p = 0; p < c->question->people.n; p++)
        n_staying += !c->is_left[p];
    if (n_staying >= c->question->k)
        return;
    for (uint32_t p = 0; p < c->question->people.n; p++)
        if (!c->is_left[p])
            take_out(c, p);
}

kan_status kan_codes_leave(kan_codes_counter *c, const kan_codes_shown *shown, uint64_t most,
                           uint8_t *is_left, uint32_t *left, uint64_t *n_left) {
    kan_codes_shown again = *shown;
    holder *all = NULL;
    uint64_t before;
    kan_status status;
    c->is_left = is_left;
    c->left = left;
    c->n_left = 0;
    c->most = most;
    c->is_broken = false;
    KAN_TRY(kan_alloc(c->run, c->question->people.n, sizeof *all, &all));
    do {
        before = c->n_left;
        KAN_TRY_DONE(pass(c, &again, all));
        again.is_new = true; /* whoever left had other sets, too */
    } while (c->n_left > before && c->n_left <= most && !c->is_broken);
    drop_too_few(c);
done:
    kan_free(c->run, all);
    if (status != KAN_OK || c->is_broken || c->n_left > most)
        for (uint64_t i = 0; i < c->n_left; i++)
            is_left[left[i]] = 0;
    *n_left = c->n_left;
    return status;
}

/* ---- room ----------------------------------------------------------------------------------- */

static kan_status make_room(kan_codes_counter *c) {
    const uint32_t n = c->question->people.n;
    const size_t n_codes = (size_t)c->question->people.start[n];
    KAN_TRY(kan_alloc(c->run, (size_t)n + 1, sizeof *c->start, &c->start));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->first, &c->first));
    KAN_TRY(kan_alloc(c->run, n_codes, sizeof *c->items, &c->items));
    for (unsigned depth = 0; depth < c->question->known; depth++) {
        layer *l = &c->layers[depth];
        KAN_TRY(kan_alloc_zero(c->run, c->n_items, sizeof *l->count, &l->count));
        KAN_TRY(kan_alloc(c->run, c->n_items, sizeof *l->start, &l->start));
        KAN_TRY(kan_alloc(c->run, c->n_items, sizeof *l->seen, &l->seen));
    }
    return KAN_OK;
}

kan_status kan_codes_counter_create(kan_run *run, const kan_codes_question *question,
                                    uint32_t n_items, kan_codes_counter **out) {
    kan_codes_counter *counter;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *counter, &counter));
    counter->run = run;
    counter->question = question;
    counter->n_items = n_items;
    const kan_status status = make_room(counter);
    if (status == KAN_OK)
        *out = counter;
    else
        kan_codes_counter_destroy(counter);
    return status;
}

void kan_codes_counter_destroy(kan_codes_counter *counter) {
    if (!counter)
        return;
    for (unsigned depth = 0; depth < KAN_CODES_KNOWN_MOST; depth++) {
        kan_free(counter->run, counter->layers[depth].holders);
        kan_free(counter->run, counter->layers[depth].count);
        kan_free(counter->run, counter->layers[depth].start);
        kan_free(counter->run, counter->layers[depth].seen);
    }
    kan_free(counter->run, counter->start);
    kan_free(counter->run, counter->first);
    kan_free(counter->run, counter->items);
    kan_free(counter->run, counter);
}
