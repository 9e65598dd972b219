/* Rows that move up, where those above would fail (alpha-k.txt 4.2, Algorithm 2, line 10): rows of
 * branches that can spare them, those first that are hardest to specialize, and at the last whole
 * branches. */
#include "search/local/descent.h"

kan_status kan_descent_move_up(kan_descent *d, const kan_split *s, size_t i, uint32_t branch,
                               uint64_t n) {
    const uint32_t t = s->rows->bundles[i].tuple;
    kan_local_tally_remove(d->space, &d->branches[branch], t, n);
    d->moved[i] += n;
    return kan_local_tally_add(d->space, &d->above, t, n);
}

/* A value that is rarer among the rows above than in the branch: they need it, the branch can miss
 * it. True where there is nothing above. */
static bool is_wanted(const kan_descent *d, const kan_split *s, size_t i, uint32_t branch) {
    const kan_local_space *space = d->space;
    const kan_local_tally *b = &d->branches[branch];
    for (unsigned tail = 0; tail < space->n_tails; tail++) {
        const uint32_t v = space->value[(size_t)s->rows->bundles[i].tuple * space->n_tails + tail];
        uint64_t up = 0, down = 0;
        for (size_t j = 0; j < d->above.tails[tail].n; j++)
            if (d->above.tails[tail].value[j] == v)
                up = d->above.tails[tail].count[j];
        for (size_t j = 0; j < b->tails[tail].n; j++)
            if (b->tails[tail].value[j] == v)
                down = b->tails[tail].count[j];
        if ((kan_u128)up * b->n_rows > (kan_u128)down * d->above.n_rows)
            return false;
    }
    return true;
}

/* As many rows of a bundle as are needed and the branch can spare. */
static kan_status spare_rows(kan_descent *d, const kan_split *s, size_t i) {
    const uint64_t least = d->space->question->promise->least_size;
    const uint32_t branch = d->branch[i], t = s->rows->bundles[i].tuple;
    kan_local_tally *b = &d->branches[branch];
    uint64_t n = s->rows->bundles[i].n_rows - d->moved[i];
    const uint64_t need =
        d->above.n_rows < least && !d->space->has_person ? least - d->above.n_rows : 1;
    if (d->fails[branch] || b->n_rows <= least || !kan_local_tally_lacks(d->space, &d->above, t))
        return KAN_OK;
    n = n < need ? n : need;
    n = n < b->n_rows - least ? n : b->n_rows - least;
    for (; n > 0; n /= 2) {
        kan_local_tally_remove(d->space, b, t, n);
        const bool passes = kan_local_tally_passes(d->space, b);
        KAN_TRY(kan_local_tally_add(d->space, b, t, n));
        if (passes)
            return kan_descent_move_up(d, s, i, branch, n);
    }
    return KAN_OK;
}

/* ---- free rows: all alike to the promise, so that they can be counted ------------------------ */

/* Takes n free rows out of a branch, or puts them back. */
static kan_status shift_free(kan_descent *d, uint32_t branch, uint64_t n, bool is_out) {
    const kan_local_space *space = d->space;
    const uint64_t *cells = d->cells + (size_t)branch * space->n_kinds;
    for (uint32_t kind = 0; kind < space->n_kinds && n > 0; kind++) {
        const uint64_t bundle = !space->is_free[kind] ? 0 : cells[kind] < n ? cells[kind] : n;
        n -= bundle;
        if (is_out)
            kan_local_tally_remove(space, &d->branches[branch], space->example[kind], bundle);
        else
            KAN_TRY(kan_local_tally_add(space, &d->branches[branch], space->example[kind], bundle));
    }
    return KAN_OK;
}

/* The most free rows that a branch can do without. */
static kan_status count_spare(kan_descent *d, uint32_t branch) {
    const kan_local_space *space = d->space;
    const uint64_t *cells = d->cells + (size_t)branch * space->n_kinds;
    uint64_t low = 0, high = 0; /* passes without `low` of them */
    for (uint32_t kind = 0; kind < space->n_kinds; kind++)
        high += space->is_free[kind] ? cells[kind] : 0;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        KAN_TRY(shift_free(d, branch, middle, true));
        const bool passes = kan_local_tally_passes(space, &d->branches[branch]);
        KAN_TRY(shift_free(d, branch, middle, false));
        if (passes)
            low = middle;
        else
            high = middle - 1;
    }
    d->spare[branch] = low;
    return KAN_OK;
}

/* The fewest free rows with which those above pass; `most` where these are not enough. */
static kan_status count_needed(kan_descent *d, uint64_t most, uint64_t *out) {
    const kan_local_space *space = d->space;
    uint32_t kind = 0;
    uint64_t low = 0, high = most;
    while (!space->is_free[kind])
        kind++;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        KAN_TRY(kan_local_tally_add(space, &d->above, space->example[kind], middle));
        const bool passes = kan_local_tally_passes(space, &d->above);
        kan_local_tally_remove(space, &d->above, space->example[kind], middle);
        if (passes)
            high = middle;
        else
            low = middle + 1;
    }
    *out = high;
    return KAN_OK;
}

static kan_status spare_free(kan_descent *d, const kan_split *s) {
    const kan_local_space *space = d->space;
    uint64_t all = 0, needed;
    for (uint32_t u = 0; u < s->n_used; u++) {
        const uint32_t b = d->used[u];
        d->spare[b] = 0;
        if (!d->fails[b])
            KAN_TRY(count_spare(d, b));
        all += d->spare[b];
    }
    if (all == 0)
        return KAN_OK;
    KAN_TRY(count_needed(d, all, &needed));
    for (size_t i = 0; i < s->rows->n && needed > 0; i++) {
        const uint32_t b = d->branch[i];
        uint64_t n = s->rows->bundles[i].n_rows - d->moved[i];
        if (d->spare[b] == 0 || !space->is_free[space->kind[s->rows->bundles[i].tuple]])
            continue;
        n = n < d->spare[b] ? n : d->spare[b];
        n = n < needed ? n : needed;
        KAN_TRY(kan_descent_move_up(d, s, i, b, n));
        d->cells[(size_t)b * space->n_kinds + space->kind[s->rows->bundles[i].tuple]] -= n;
        d->spare[b] -= n;
        needed -= n;
    }
    return KAN_OK;
}

/* ---- trades ---------------------------------------------------------------------------------- */

/* A branch that may have 3 limited rows of 5 can keep 7 of 12, and is then not quite full: nothing
 * but a whole multiple leaves all that it can to those above. So one limited row, or a few, move up
 * with as many free ones as the branch can spare then, if these rows are more than balanced by
 * themselves: those above are better off. */

/* The limited kind that most rows of a branch have; UINT32_MAX where it has none. */
static uint32_t commonest_limited(const kan_descent *d, uint32_t branch) {
    const kan_local_space *space = d->space;
    const uint64_t *cells = d->cells + (size_t)branch * space->n_kinds;
    uint32_t best = UINT32_MAX;
    for (uint32_t kind = 0; kind < space->n_kinds; kind++)
        if (!space->is_free[kind] && cells[kind] > 0 &&
            (best == UINT32_MAX || cells[kind] > cells[best]))
            best = kind;
    return best;
}

/* Whether rows of a limited kind and free ones pass with one free row to spare, their number aside:
 * so they are taken often enough to be a cluster. */
static kan_status is_more_than_balanced(kan_descent *d, uint32_t kind, uint64_t n_limited,
                                        uint32_t free_kind, uint64_t n_free, bool *out) {
    const kan_local_space *space = d->space;
    const uint64_t times = space->question->promise->least_size + 1;
    kan_local_tally *tally = &d->traded;
    kan_local_tally_clear(space, tally);
    KAN_TRY(kan_local_tally_add(space, tally, space->example[kind], n_limited * times));
    KAN_TRY(kan_local_tally_add(space, tally, space->example[free_kind], n_free * times - 1));
    *out = kan_local_tally_passes(space, tally);
    return KAN_OK;
}

/* Moves n rows of one kind, or, with `any_free`, of free kinds, up from a branch: the hardest to
 * specialize first. */
static kan_status move_kind(kan_descent *d, const kan_split *s, uint32_t branch, uint32_t kind,
                            bool any_free, uint64_t n) {
    const kan_local_space *space = d->space;
    for (size_t i = 0; i < s->rows->n && n > 0; i++) {
        const uint32_t its = space->kind[s->rows->bundles[i].tuple];
        uint64_t m = s->rows->bundles[i].n_rows - d->moved[i];
        if (d->branch[i] != branch || (any_free ? !space->is_free[its] : its != kind))
            continue;
        m = m < n ? m : n;
        KAN_TRY(kan_descent_move_up(d, s, i, branch, m));
        d->cells[(size_t)branch * space->n_kinds + its] -= m;
        n -= m;
    }
    return KAN_OK;
}

static kan_status trade(kan_descent *d, const kan_split *s, uint32_t branch, uint32_t free_kind) {
    enum { MOST_LIMITED = 10 };
    const kan_local_space *space = d->space;
    const uint32_t kind = commonest_limited(d, branch);
    kan_local_tally *b = &d->branches[branch];
    for (uint64_t n = 1; kind != UINT32_MAX && n <= MOST_LIMITED; n++) {
        bool is_worth = false;
        if (d->cells[(size_t)branch * space->n_kinds + kind] < n)
            break;
        kan_local_tally_remove(space, b, space->example[kind], n);
        const bool passes = kan_local_tally_passes(space, b);
        if (passes)
            KAN_TRY(count_spare(d, branch));
        KAN_TRY(kan_local_tally_add(space, b, space->example[kind], n));
        if (passes && d->spare[branch] > 0)
            KAN_TRY(is_more_than_balanced(d, kind, n, free_kind, d->spare[branch], &is_worth));
        if (!is_worth)
            continue;
        KAN_TRY(move_kind(d, s, branch, kind, false, n));
        return move_kind(d, s, branch, kind, true, d->spare[branch]);
    }
    return KAN_OK;
}

/* Branch by branch, until those above pass. */
static kan_status trade_all(kan_descent *d, const kan_split *s, bool *passes) {
    const kan_local_space *space = d->space;
    uint32_t free_kind = 0;
    while (free_kind < space->n_kinds && !space->is_free[free_kind])
        free_kind++;
    for (uint32_t u = 0; u < s->n_used && free_kind < space->n_kinds && !*passes; u++) {
        if (d->fails[d->used[u]])
            continue;
        KAN_TRY(trade(d, s, d->used[u], free_kind));
        *passes = kan_local_tally_passes(space, &d->above);
    }
    return KAN_OK;
}

/* ---- any rows -------------------------------------------------------------------------------- */

/* Whether more of anything does not help by its number. */
static bool is_large(const kan_local_space *space, const kan_local_tally *tally) {
    const kan_promise *promise = space->question->promise;
    return tally->n_rows >= promise->least_size && kan_local_tally_size(space, tally) >= promise->k;
}

/* First rows that no model limits, then values that are wanted above; any only as long as those
 * above are too few, for more of a value that is too frequent there would only make it worse. */
static kan_status spare_some(kan_descent *d, const kan_split *s, bool *passes) {
    enum { FREE, WANTED, ANY, N_ROUNDS };
    unsigned round = d->space->n_tails == 0 ? ANY : FREE;
    if (d->has_cells) {
        KAN_TRY(spare_free(d, s));
        *passes = kan_local_tally_passes(d->space, &d->above);
        if (!*passes)
            KAN_TRY(trade_all(d, s, passes));
        if (*passes)
            return KAN_OK;
        round = round == FREE ? WANTED : round;
    }
    for (; round < N_ROUNDS; round++)
        for (size_t i = 0; i < s->rows->n; i++) {
            const uint32_t t = s->rows->bundles[i].tuple;
            if (round == FREE && !d->space->is_free[d->space->kind[t]])
                continue;
            uint64_t before;
            do { /* the branch may be able to spare more rows of the bundle */
                before = d->above.n_rows;
                if (d->moved[i] == s->rows->bundles[i].n_rows ||
                    (round == WANTED && !is_wanted(d, s, i, d->branch[i])) ||
                    (round == ANY && is_large(d->space, &d->above)))
                    break;
                KAN_TRY(spare_rows(d, s, i));
                if (d->above.n_rows > before && kan_local_tally_passes(d->space, &d->above)) {
                    *passes = true;
                    return KAN_OK;
                }
            } while (d->above.n_rows > before);
        }
    return KAN_OK;
}

/* The smallest branch that is left moves up as a whole. */
static kan_status give_up_branch(kan_descent *d, const kan_split *s, bool *is_any) {
    uint32_t smallest = UINT32_MAX;
    for (uint32_t u = 0; u < s->n_used; u++) {
        const uint32_t b = d->used[u];
        if (!d->fails[b] &&
            (smallest == UINT32_MAX || d->branches[b].n_rows < d->branches[smallest].n_rows))
            smallest = b;
    }
    *is_any = smallest != UINT32_MAX;
    if (!*is_any)
        return KAN_OK;
    for (size_t i = 0; i < s->rows->n; i++)
        if (d->branch[i] == smallest)
            KAN_TRY(
                kan_descent_move_up(d, s, i, smallest, s->rows->bundles[i].n_rows - d->moved[i]));
    d->fails[smallest] = true;
    return KAN_OK;
}

kan_status kan_descent_complete(kan_descent *d, const kan_split *s) {
    bool passes = false, is_any = true;
    if (d->is_partial)
        KAN_TRY(kan_descent_count_people(d, s));
    KAN_TRY(spare_some(d, s, &passes));
    while (!passes && is_any) {
        KAN_TRY(give_up_branch(d, s, &is_any));
        passes = kan_local_tally_passes(d->space, &d->above);
    }
    return KAN_OK;
}
