/* Releases and people become bytes: those of a ledger, with a release more or one less.
 *
 * People stand in the order of their marks, which says nothing about them; who is in no release any
 * more is left out. One walk over the old people and the new ones together. */
#include "core/spill.h"
#include "ledger/ledger_inside.h"

static void put_number(uint8_t *at, uint64_t number, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static void add_number(kan_text *text, uint64_t number, unsigned size) {
    uint8_t bytes[8];
    put_number(bytes, number, size);
    kan_text_add(text, (const char *)bytes, size);
}

static void add_slice(kan_text *text, kan_slice slice) {
    add_number(text, slice.size, 4);
    kan_text_add(text, slice.bytes, slice.size);
}

static void fill_up(kan_text *text, size_t multiple) {
    static const char zeros[16];
    kan_text_add(text, zeros, -text->size & (multiple - 1));
}

/* ---- facts ---------------------------------------------------------------------------------- */

static void add_shown(kan_text *text, const kan_ledger_shown *shown, uint32_t n_tuples) {
    add_slice(text, kan_slice_of(shown->column));
    add_number(text, shown->n_texts, 4);
    for (uint32_t i = 0; i < shown->n_texts; i++)
        add_slice(text, shown->texts[i]);
    fill_up(text, 4);
    kan_text_add(text, (const char *)shown->codes, n_tuples * sizeof *shown->codes);
}

static void add_release(kan_text *text, const kan_ledger_release *release, uint32_t number,
                        uint64_t n_people, bool is_pending) {
    add_number(text, number, 4);
    add_number(text, is_pending, 4);
    add_number(text, (uint64_t)release->when, 8);
    add_number(text, release->k, 8);
    add_number(text, release->n_rows, 8);
    add_number(text, n_people, 8);
    add_number(text, release->n_groups, 4);
    add_slice(text, kan_slice_of(release->name));
    add_slice(text, kan_slice_of(release->place));
    add_slice(text, kan_slice_of(release->content));
    add_slice(text, kan_slice_of(release->job));
    add_slice(text, kan_slice_of(release->settings));
    add_number(text, release->n_tuples, 4);
    add_number(text, release->n_shown, 4);
    for (uint32_t i = 0; i < release->n_shown; i++)
        add_shown(text, &release->shown[i], release->n_tuples);
}

static void add_facts(kan_text *text, const kan_ledger_change *change) {
    const kan_ledger_content *from = change->from;
    add_slice(text, kan_slice_of(change->column));
    for (size_t r = 0; r < from->n_releases; r++)
        if (r != change->left_out)
            add_release(text, &from->releases[r], from->releases[r].number,
                        from->releases[r].n_people, from->releases[r].is_pending);
    if (change->added)
        add_release(text, change->added, from->next_number, change->n, true);
    fill_up(text, 16);
}

/* ---- people --------------------------------------------------------------------------------- */

/* Who is in the old ledger and among the new people, one after the other. */
typedef struct {
    const kan_ledger_change *change;
    const kan_ledger_placed *sorted; /* the new marks */
    uint64_t at_old;
    size_t at_new;
    const kan_ledger_mark *mark;
    uint64_t old;   /* UINT64_MAX: not there */
    uint32_t group; /* in the new release, from 1; 0: not there */
} walk;

static bool is_left(const kan_ledger_change *change, uint64_t person) {
    const kan_ledger_content *from = change->from;
    if (change->left_out == SIZE_MAX)
        return true;
    for (size_t r = 0; r < from->n_releases; r++)
        if (r != change->left_out && from->groups[r * from->n_people + person] != 0)
            return true;
    return false;
}

static bool walk_next(walk *w) {
    const kan_ledger_change *change = w->change;
    const kan_ledger_content *from = change->from;
    while (w->at_old < from->n_people && !is_left(change, w->at_old))
        w->at_old++;
    const bool has_old = w->at_old < from->n_people, has_new = w->at_new < change->n;
    if (!has_old && !has_new)
        return false;
    const kan_ledger_mark *old = &from->marks[w->at_old],
                          *new = has_new ? &w->sorted[w->at_new].mark : NULL;
    const int order = !has_new ? -1 : !has_old ? 1 : kan_ledger_compare(old, new);
    w->mark = order <= 0 ? old : new;
    w->old = order <= 0 ? w->at_old++ : UINT64_MAX;
    w->group = order >= 0 ? change->group_of[w->sorted[w->at_new++].index] + 1 : 0;
    return true;
}

static uint64_t count_people(const kan_ledger_change *change, const kan_ledger_placed *sorted) {
    walk w = {.change = change, .sorted = sorted};
    uint64_t n = 0;
    while (walk_next(&w))
        n++;
    return n;
}

/* Marks, and behind them the groups of each release. */
static void put_people(const kan_ledger_change *change, const kan_ledger_placed *sorted, uint64_t n,
                       uint8_t *at) {
    const kan_ledger_content *from = change->from;
    kan_ledger_mark *marks = (kan_ledger_mark *)at;
    uint32_t *groups = (uint32_t *)(void *)(at + n * sizeof *marks);
    walk w = {.change = change, .sorted = sorted};
    for (uint64_t i = 0; walk_next(&w); i++) {
        size_t column = 0;
        marks[i] = *w.mark;
        for (size_t r = 0; r < from->n_releases; r++)
            if (r != change->left_out)
                groups[column++ * n + i] =
                    w.old == UINT64_MAX ? 0 : from->groups[r * from->n_people + w.old];
        if (change->added)
            groups[column * n + i] = w.group;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static size_t count_releases(const kan_ledger_change *change) {
    return change->from->n_releases - (change->left_out != SIZE_MAX) + (change->added != NULL);
}

static void put_head(const kan_ledger_keys *keys, const kan_ledger_change *change, uint64_t size,
                     uint64_t n_people, uint64_t facts, uint8_t *at) {
    memcpy(at, KAN_LEDGER_MAGIC, 16);
    memcpy(at + 16, keys->check, sizeof keys->check);
    put_number(at + 32, size, 8);
    put_number(at + 40, n_people, 8);
    put_number(at + 48, count_releases(change), 4);
    put_number(at + 52, change->from->next_number + (change->added != NULL), 4);
    put_number(at + 56, facts, 8);
}

static kan_status make(kan_run *run, const kan_ledger_keys *keys, const kan_ledger_change *change,
                       const kan_ledger_placed *sorted, kan_text *facts, uint8_t **out,
                       size_t *out_size) {
    uint8_t *bytes;
    for (size_t i = 1; i < change->n; i++)
        if (kan_ledger_compare(&sorted[i - 1].mark, &sorted[i].mark) == 0)
            return kan_fail(run, KAN_FAILED,
                            "a person is twice among those of the release; the ledger was not "
                            "written");
    add_facts(facts, change);
    KAN_TRY(kan_text_status(facts));
    const uint64_t n = count_people(change, sorted);
    const size_t people = (size_t)n * (sizeof(kan_ledger_mark) + 4 * count_releases(change));
    const size_t size = KAN_LEDGER_HEAD + facts->size + people + KAN_LEDGER_SUM;
    KAN_TRY(kan_spill_alloc(run, size, 1, &bytes));
    put_head(keys, change, size, n, facts->size, bytes);
    memcpy(bytes + KAN_LEDGER_HEAD, facts->bytes, facts->size);
    put_people(change, sorted, n, bytes + KAN_LEDGER_HEAD + facts->size);
    const kan_status status =
        kan_ledger_sum(run, keys, bytes, size - KAN_LEDGER_SUM, bytes + size - KAN_LEDGER_SUM);
    if (status != KAN_OK) {
        kan_free(run, bytes);
        return status;
    }
    *out = bytes;
    *out_size = size;
    return KAN_OK;
}

kan_status kan_ledger_make_bytes(kan_run *run, const kan_ledger_keys *keys,
                                 const kan_ledger_change *change, uint8_t **bytes, size_t *size) {
    kan_ledger_placed *sorted = NULL;
    kan_text facts;
    kan_status status;
    kan_text_init(&facts, run);
    KAN_TRY_DONE(kan_ledger_sort(run, change->marks, change->n, &sorted));
    KAN_TRY_DONE(make(run, keys, change, sorted, &facts, bytes, size));
done:
    kan_text_destroy(&facts);
    kan_free(run, sorted);
    return status;
}
