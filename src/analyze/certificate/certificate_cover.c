/* Whether the two lists of a certificate speak of every node.
 *
 * The lattice is a box of vectors, from the lowest levels to the highest. A box whose least node is above a
 * minimal node satisfies as a whole; one whose greatest node is below a failing node fails as a
 * whole. Any other box is cut: the node of the lists that covers most of it takes its part off, and
 * what is left are at most as many smaller boxes as there are attributes. A box that no node of
 * either list reaches into is a hole, and its least node is told. Exact, whatever the size of the
 * lattice; a box costs a look at the nodes that still reach into it, and memory is needed for their
 * numbers along the way down. Cutting by what covers most keeps boxes few: about as many as there
 * are nodes in the lists, times the number of attributes. */
#include "analyze/certificate/certificate_inside.h"

enum { WORDS = KAN_CERTIFICATE_ATTRIBUTES / 8, PAIRS_COMPARED = 256 };

_Static_assert(KAN_HEIGHT_MOST < 128, "is_below needs the high bit of each level");

/* Levels as bytes, eight to a word. */
typedef union {
    uint8_t at[KAN_CERTIFICATE_ATTRIBUTES];
    uint64_t words[WORDS];
} vector;

typedef struct {
    size_t n;
    uint64_t *words;
} packed;

typedef struct {
    kan_run *run;
    unsigned n_attributes, n_words;
    packed lists[2]; /* minimal, failing */
    uint32_t *room;  /* numbers of nodes that reach into the boxes along the way down */
    size_t capacity;
    uint64_t n_boxes; /* looked at, for polling */
    kan_covering *covering;
} cover;

/* Every level of a is at most that of b. */
static bool is_below(const uint64_t *a, const uint64_t *b, unsigned n_words) {
    const uint64_t high = UINT64_C(0x8080808080808080);
    for (unsigned w = 0; w < n_words; w++)
        if ((((b[w] | high) - a[w]) & high) != high)
            return false;
    return true;
}

static kan_status pack(const cover *c, const kan_certificate_nodes *nodes, packed *out) {
    KAN_TRY(kan_alloc_zero(c->run, nodes->n * c->n_words, sizeof *out->words, &out->words));
    for (size_t i = 0; i < nodes->n; i++)
        memcpy(out->words + i * c->n_words, nodes->levels + i * c->n_attributes, c->n_attributes);
    out->n = nodes->n;
    return KAN_OK;
}

static const uint64_t *node_at(const cover *c, unsigned list, uint32_t node) {
    return c->lists[list].words + (size_t)node * c->n_words;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

typedef struct {
    vector low, high;
    size_t start[2], n[2]; /* in room: the nodes of each list that may reach into it */
} box;

static uint64_t volume(const cover *c, const vector *low, const vector *high) {
    uint64_t n = 1;
    for (unsigned a = 0; a < c->n_attributes; a++)
        n *= (uint64_t)(high->at[a] - low->at[a]) + 1;
    return n;
}

/* A box of which every node satisfies (0) or fails (1). */
static void settle(const cover *c, const vector *low, const vector *high, unsigned list) {
    if (list == 0 && c->covering->is_countable)
        c->covering->n_satisfying += volume(c, low, high);
}

/* Keeps the nodes that reach into the box, at `used` in the room; true when one covers all of it.
 */
static bool keep_reaching(const cover *c, unsigned list, const box *from, size_t used, box *out) {
    const uint32_t *nodes = c->room + from->start[list];
    out->start[list] = used;
    out->n[list] = 0;
    for (size_t i = 0; i < from->n[list]; i++) {
        const uint64_t *node = node_at(c, list, nodes[i]);
        const uint64_t *low = from->low.words, *high = from->high.words;
        if (list == 0 ? is_below(node, low, c->n_words) : is_below(high, node, c->n_words))
            return true;
        if (list == 0 ? is_below(node, high, c->n_words) : is_below(low, node, c->n_words))
            c->room[used + out->n[list]++] = nodes[i];
    }
    return false;
}

/* The part of the box that the node covers: its corner, seen from the side that stays. */
static double part_covered(const cover *c, const box *b, unsigned list, const uint8_t *node) {
    double part = 1;
    for (unsigned a = 0; a < c->n_attributes; a++) {
        int low = b->low.at[a], high = b->high.at[a], at = node[a];
        if (list == 0 ? at > low : at < high)
            part *= (double)(list == 0 ? high - at + 1 : at - low + 1) / (high - low + 1);
    }
    return part;
}

static void find_largest(const cover *c, const box *b, unsigned *best_list, const uint8_t **best) {
    double most = 0;
    for (unsigned list = 0; list < 2; list++)
        for (size_t i = 0; i < b->n[list]; i++) {
            const uint8_t *node = (const uint8_t *)node_at(c, list, c->room[b->start[list] + i]);
            double part = part_covered(c, b, list, node);
            if (part > most) {
                most = part;
                *best_list = list;
                *best = node;
            }
        }
}

/* Every call cuts at least one level off, so the way down is no longer than the height of the
 * lattice. Ends at the first hole. */
static kan_status cover_box(cover *c, const box *whole, size_t used) {
    box b = *whole;
    const uint8_t *node = NULL;
    unsigned list = 0;
    if (++c->n_boxes % 64 == 0)
        KAN_TRY(kan_check_cancel(c->run));
    KAN_TRY(kan_reserve(c->run, used + whole->n[0] + whole->n[1] + 1, sizeof *c->room, &c->capacity,
                        &c->room));
    for (unsigned l = 0; l < 2; l++) {
        if (keep_reaching(c, l, whole, used, &b)) {
            settle(c, &b.low, &b.high, l);
            return KAN_OK;
        }
        used += b.n[l];
    }
    find_largest(c, &b, &list, &node);
    if (!node) {
        c->covering->is_covered = false;
        memcpy(c->covering->hole, b.low.at, sizeof c->covering->hole);
        return KAN_OK;
    }
    for (unsigned a = 0; a < c->n_attributes; a++) {
        box part = b;
        if (list == 0 && node[a] > b.low.at[a]) {
            part.high.at[a] = (uint8_t)(node[a] - 1);
            b.low.at[a] = node[a];
        } else if (list == 1 && node[a] < b.high.at[a]) {
            part.low.at[a] = (uint8_t)(node[a] + 1);
            b.high.at[a] = node[a];
        } else {
            continue;
        }
        KAN_TRY(cover_box(c, &part, used));
        if (!c->covering->is_covered)
            return KAN_OK;
    }
    settle(c, &b.low, &b.high, list);
    return KAN_OK;
}

static kan_status cover_lattice(cover *c, const kan_certificate *certificate) {
    box whole = {.start = {0, c->lists[0].n}, .n = {c->lists[0].n, c->lists[1].n}};
    size_t n = c->lists[0].n + c->lists[1].n;
    kan_covering *covering = c->covering;
    covering->n_nodes = 1;
    covering->is_countable = true;
    for (unsigned a = 0; a < c->n_attributes; a++) {
        const unsigned low = certificate->attributes[a].lowest,
                       high = certificate->attributes[a].highest;
        whole.low.at[a] = (uint8_t)low;
        whole.high.at[a] = (uint8_t)high;
        covering->is_countable &=
            !__builtin_mul_overflow(covering->n_nodes, high - low + 1, &covering->n_nodes) &&
            covering->n_nodes <= INT64_MAX;
    }
    KAN_TRY(kan_reserve(c->run, n + 1, sizeof *c->room, &c->capacity, &c->room));
    for (size_t i = 0; i < n; i++)
        c->room[i] = (uint32_t)(i < c->lists[0].n ? i : i - c->lists[0].n);
    covering->is_covered = true;
    return cover_box(c, &whole, n);
}

/* ---- what follows from something else ------------------------------------------------------- */

/* Two runs of nodes, each alike in the attributes before `a`, where no level of the lower run is
 * above that of the upper one. */
typedef struct {
    size_t lower, lower_end, upper, upper_end;
    unsigned a;
} runs;

static uint8_t level_at(const cover *c, unsigned list, size_t node, unsigned a) {
    return ((const uint8_t *)(c->lists[list].words + node * c->n_words))[a];
}

/* The first node from `first` on whose level is above; levels ascend within a run. */
static size_t end_of(const cover *c, unsigned list, size_t first, size_t end, unsigned a,
                     unsigned level) {
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (level_at(c, list, middle, a) <= level)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void compare_runs(const cover *c, unsigned list, const runs *r) {
    const uint64_t *words = c->lists[list].words;
    for (size_t i = r->lower; i < r->lower_end; i++)
        for (size_t j = r->upper; j < r->upper_end; j++)
            if (i != j && is_below(words + i * c->n_words, words + j * c->n_words, c->n_words)) {
                c->covering->is_comparable[list] = true;
                c->covering->lower[list] = i;
                c->covering->upper[list] = j;
            }
}

/* Nodes are sorted, so those with the same first levels are neighbours: pairs are taken apart level
 * by level, and whole runs of them are passed over when the lower level is above the upper one. */
static kan_status find_pair(cover *c, unsigned list, const runs *r) {
    if (++c->n_boxes % 65536 == 0)
        KAN_TRY(kan_check_cancel(c->run));
    if (r->a == c->n_attributes ||
        (r->lower_end - r->lower) * (r->upper_end - r->upper) <= PAIRS_COMPARED) {
        compare_runs(c, list, r);
        return KAN_OK;
    }
    runs part = {.a = r->a + 1};
    size_t upper = r->upper;
    for (part.lower = r->lower; part.lower < r->lower_end; part.lower = part.lower_end) {
        unsigned level = level_at(c, list, part.lower, r->a);
        part.lower_end = end_of(c, list, part.lower, r->lower_end, r->a, level);
        if (level > 0)
            upper = end_of(c, list, upper, r->upper_end, r->a, level - 1);
        for (part.upper = upper; part.upper < r->upper_end; part.upper = part.upper_end) {
            part.upper_end = end_of(c, list, part.upper, r->upper_end, r->a,
                                    level_at(c, list, part.upper, r->a));
            KAN_TRY(find_pair(c, list, &part));
            if (c->covering->is_comparable[list])
                return KAN_OK;
        }
    }
    return KAN_OK;
}

kan_status kan_certificate_cover(const kan_certificate *certificate, kan_covering *out) {
    kan_status status;
    cover c = {.run = certificate->run,
               .n_attributes = certificate->n_attributes,
               .n_words = (certificate->n_attributes + 7) / 8,
               .covering = out};
    memset(out, 0, sizeof *out);
    kan_report_progress(c.run, "verify", 0, 0);
    KAN_TRY_DONE(pack(&c, &certificate->minimal, &c.lists[0]));
    KAN_TRY_DONE(pack(&c, &certificate->failing, &c.lists[1]));
    for (unsigned list = 0; list < 2; list++)
        KAN_TRY_DONE(find_pair(&c, list, &(runs){0, c.lists[list].n, 0, c.lists[list].n, 0}));
    KAN_TRY_DONE(cover_lattice(&c, certificate));
done:
    kan_free(c.run, c.lists[0].words);
    kan_free(c.run, c.lists[1].words);
    kan_free(c.run, c.room);
    return status;
}
