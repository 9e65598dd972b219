/* Who looks the same in all earlier releases: people of the ledger sorted by their groups in each
 * release, the last first, by counting; neighbours with the same groups are a class. Then the marks
 * of the table, in order, are walked along with those of the ledger. O(people * releases). */
#include <inttypes.h>
#include <stdlib.h>

#include "core/spill.h"
#include "ledger/ledger_inside.h"

/* ---- marks in order ------------------------------------------------------------------------- */

static int compare_placed(const void *a, const void *b) {
    const kan_ledger_placed *x = a, *y = b;
    const int order = kan_ledger_compare(&x->mark, &y->mark);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Marks are as good as drawn: by some of their first bits they fall into places of a few, which fit
 * into the first cache, and by the next ones into places of one or two. */
enum { BITS = 10, PLACES = 1 << BITS };

static uint32_t place_of(const kan_ledger_mark *mark, unsigned skip) {
    const uint32_t first = (uint32_t)mark->bytes[0] << 24 | (uint32_t)mark->bytes[1] << 16 |
                           (uint32_t)mark->bytes[2] << 8 | mark->bytes[3];
    return first << skip >> (32 - BITS);
}

static void sort_bucket(kan_ledger_placed *bucket, size_t n) {
    enum { FEW = 16 };
    if (n > FEW) {
        qsort(bucket, n, sizeof *bucket, compare_placed);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const kan_ledger_placed moved = bucket[i];
        size_t at = i;
        for (; at > 0 && compare_placed(&bucket[at - 1], &moved) > 0; at--)
            bucket[at] = bucket[at - 1];
        bucket[at] = moved;
    }
}

/* Counts become where each place begins; filling it turns them into its end. */
static void begin_places(uint32_t starts[PLACES + 1]) {
    for (unsigned p = 0; p < PLACES; p++)
        starts[p + 1] += starts[p];
}

/* Those of one place, by the next bits, with room for as many. */
static void sort_place(kan_ledger_placed *at, size_t n, kan_ledger_placed *room) {
    uint32_t starts[PLACES + 1] = {0};
    for (size_t i = 0; i < n; i++)
        starts[place_of(&at[i].mark, BITS) + 1]++;
    begin_places(starts);
    for (size_t i = 0; i < n; i++)
        room[starts[place_of(&at[i].mark, BITS)]++] = at[i];
    for (uint32_t p = 0, from = 0; p < PLACES; from = starts[p++])
        sort_bucket(room + from, starts[p] - from);
    memcpy(at, room, n * sizeof *at);
}

static kan_status sort_into(kan_run *run, const kan_ledger_mark *marks, size_t n,
                            kan_ledger_placed *sorted) {
    uint32_t starts[PLACES + 1] = {0}, most = 0;
    kan_ledger_placed *room;
    for (size_t i = 0; i < n; i++)
        starts[place_of(&marks[i], 0) + 1]++;
    for (unsigned p = 1; p <= PLACES; p++)
        most = starts[p] > most ? starts[p] : most;
    KAN_TRY(kan_alloc(run, most, sizeof *room, &room));
    begin_places(starts);
    for (size_t i = 0; i < n; i++)
        sorted[starts[place_of(&marks[i], 0)]++] = (kan_ledger_placed){marks[i], (uint32_t)i};
    for (uint32_t p = 0, from = 0; p < PLACES; from = starts[p++])
        sort_place(sorted + from, starts[p] - from, room);
    kan_free(run, room);
    return kan_check_cancel(run);
}

kan_status kan_ledger_sort(kan_run *run, const kan_ledger_mark *marks, size_t n,
                           kan_ledger_placed **out) {
    kan_ledger_placed *sorted;
    KAN_TRY(kan_spill_alloc(run, n, sizeof *sorted, &sorted));
    const kan_status status = sort_into(run, marks, n, sorted);
    if (status == KAN_OK)
        *out = sorted;
    else
        kan_free(run, sorted);
    return status;
}

/* ---- classes of the ledger ------------------------------------------------------------------ */

/* Stable: `from` in the order of their groups becomes `to`. */
static void sort_by_group(const uint32_t *groups, uint64_t n, uint32_t *starts, uint32_t n_groups,
                          const uint32_t *from, uint32_t *to) {
    memset(starts, 0, ((size_t)n_groups + 2) * sizeof *starts);
    for (uint64_t i = 0; i < n; i++)
        starts[groups[i] + 1]++;
    for (uint32_t g = 0; g <= n_groups; g++)
        starts[g + 1] += starts[g];
    for (uint64_t i = 0; i < n; i++)
        to[starts[groups[from[i]]]++] = from[i];
}

static bool is_alike(const kan_ledger_content *c, uint32_t a, uint32_t b) {
    for (size_t r = 0; r < c->n_releases; r++)
        if (c->groups[r * c->n_people + a] != c->groups[r * c->n_people + b])
            return false;
    return true;
}

/* The class of each person of the ledger, and somebody of each class but that of newcomers: everybody in
 * the ledger is in some release. */
typedef struct {
    uint32_t n;
    uint32_t *of_old;   /* by person of the ledger */
    uint32_t *somebody; /* by class */
} numbering;

static void number_classes(const kan_ledger_content *c, const uint32_t *order, numbering *out) {
    out->n = 1;
    out->somebody[0] = UINT32_MAX;
    for (uint64_t i = 0; i < c->n_people; i++) {
        const uint32_t person = order[i];
        if (out->n == 1 || !is_alike(c, out->somebody[out->n - 1], person))
            out->somebody[out->n++] = person;
        out->of_old[person] = out->n - 1;
    }
}

static uint32_t most_groups(const kan_ledger_content *c) {
    uint32_t most = 0;
    for (size_t r = 0; r < c->n_releases; r++)
        most = c->releases[r].n_groups > most ? c->releases[r].n_groups : most;
    return most;
}

static kan_status find_numbering(kan_run *run, const kan_ledger_content *c, numbering *out) {
    uint32_t *order = NULL, *other = NULL, *starts = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_spill_alloc(run, c->n_people, sizeof *order, &order));
    KAN_TRY_DONE(kan_spill_alloc(run, c->n_people, sizeof *other, &other));
    KAN_TRY_DONE(kan_alloc(run, (size_t)most_groups(c) + 2, sizeof *starts, &starts));
    KAN_TRY_DONE(kan_spill_alloc(run, c->n_people, sizeof *out->of_old, &out->of_old));
    KAN_TRY_DONE(kan_spill_alloc(run, c->n_people + 1, sizeof *out->somebody, &out->somebody));
    for (uint64_t i = 0; i < c->n_people; i++)
        order[i] = (uint32_t)i;
    for (size_t r = c->n_releases; r-- > 0;) {
        KAN_TRY_DONE(kan_check_cancel(run));
        sort_by_group(c->groups + r * c->n_people, c->n_people, starts, c->releases[r].n_groups,
                      order, other);
        uint32_t *sorted = other;
        other = order;
        order = sorted;
    }
    number_classes(c, order, out);
done:
    kan_free(run, order);
    kan_free(run, other);
    kan_free(run, starts);
    return status;
}

/* ---- people of the table -------------------------------------------------------------------- */

/* How many of the marks the ledger has; SIZE_MAX where one occurs twice. */
static size_t match(const kan_ledger_content *c, const kan_ledger_placed *sorted, size_t n,
                    const numbering *numbers, kan_ledger_classes *out) {
    uint64_t old = 0;
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        const kan_ledger_mark *mark = &sorted[i].mark;
        if (i > 0 && kan_ledger_compare(&sorted[i - 1].mark, mark) == 0)
            return SIZE_MAX;
        while (old < c->n_people && kan_ledger_compare(&c->marks[old], mark) < 0)
            out->n_gone[numbers->of_old[old++]]++;
        uint32_t class = 0;
        if (old < c->n_people && kan_ledger_compare(&c->marks[old], mark) == 0) {
            class = numbers->of_old[old++];
            n_known++;
        }
        out->of_person[sorted[i].index] = class;
        out->n_here[class]++;
    }
    while (old < c->n_people)
        out->n_gone[numbers->of_old[old++]]++;
    out->n_gone[0] = 0;
    return n_known;
}

static kan_status check_known(const kan_ledger *ledger, size_t n, size_t n_known) {
    char people[32], known[32];
    if (n_known == SIZE_MAX)
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: a person occurs twice in the table; name the column of people with "
                        "--person, or leave one of the rows",
                        ledger->name);
    if (n_known > 0 || n == 0 || ledger->content.n_people == 0)
        return KAN_OK;
    return kan_fail(ledger->run, KAN_BAD_INPUT,
                    "%s: none of the %s people of this table is among the %s of the ledger: it "
                    "belongs to another table, or people are named in another way now; give this "
                    "table a ledger of its own",
                    ledger->name, kan_count_text(n, people),
                    kan_count_text(ledger->content.n_people, known));
}

static kan_status make_classes(const kan_ledger *ledger, const kan_ledger_mark *marks, size_t n,
                               numbering *numbers, kan_ledger_placed **sorted,
                               kan_ledger_classes *out) {
    kan_run *run = ledger->run;
    const kan_ledger_content *c = &ledger->content;
    KAN_TRY(find_numbering(run, c, numbers));
    KAN_TRY(kan_ledger_sort(run, marks, n, sorted));
    out->n = numbers->n;
    out->n_releases = c->n_releases;
    KAN_TRY(kan_spill_alloc(run, n, sizeof *out->of_person, &out->of_person));
    KAN_TRY(kan_alloc_zero(run, out->n, sizeof *out->n_here, &out->n_here));
    KAN_TRY(kan_alloc_zero(run, out->n, sizeof *out->n_gone, &out->n_gone));
    KAN_TRY(
        kan_alloc_zero(run, (size_t)out->n * out->n_releases, sizeof *out->groups, &out->groups));
    for (uint32_t class = 1; class < out->n; class ++)
        for (size_t r = 0; r < c->n_releases; r++)
            out->groups[class * c->n_releases + r] =
                c->groups[r * c->n_people + numbers->somebody[class]];
    return check_known(ledger, n, match(c, *sorted, n, numbers, out));
}

kan_status kan_ledger_find_classes(const kan_ledger *ledger, const kan_ledger_mark *marks, size_t n,
                                   kan_ledger_classes *out) {
    kan_run *run = ledger->run;
    kan_ledger_classes made = {0};
    numbering numbers = {0};
    kan_ledger_placed *sorted = NULL;
    const kan_status status = make_classes(ledger, marks, n, &numbers, &sorted, &made);
    kan_free(run, numbers.of_old);
    kan_free(run, numbers.somebody);
    kan_free(run, sorted);
    if (status == KAN_OK)
        *out = made;
    else
        kan_ledger_classes_destroy(run, &made);
    return status;
}

void kan_ledger_classes_destroy(kan_run *run, kan_ledger_classes *classes) {
    kan_free(run, classes->of_person);
    kan_free(run, classes->n_here);
    kan_free(run, classes->n_gone);
    kan_free(run, classes->groups);
    *classes = (kan_ledger_classes){0};
}
