/* Whether anything better than the solution exists.
 *
 * With nothing suppressed no cost that we know falls when groups merge: squares of sums are at
 * least sums of squares, a majority is at most the majorities of its parts, levels and the share of
 * the domain only grow, and the same rows in fewer groups make a larger average. So what is above a
 * minimal node costs no less and is higher: the best node is a minimal one, and these are measured.
 *
 * With a limit a more general node may cost less, because it suppresses fewer rows. Then we climb
 * from the minimal nodes through all satisfying ones, and leave out what is above a node whose
 * `least` says that nothing there can be better. Where that would be too many nodes to measure,
 * the answer is that it was not checked. */
#include "analyze/certificate/certificate_inside.h"
#include "analyze/verify/verify.h"

enum { BATCH = 1024 };

typedef struct {
    const kan_subject *subject;
    const kan_certificate *certificate;
    const kan_counted *solution;
    unsigned height; /* of the solution */
    uint64_t most_nodes;
    kan_optimum *optimum;
    kan_tuples nodes; /* in the order in which they are looked at */
    kan_counted *counted;
} climb;

static unsigned height_of(const climb *c, const uint8_t *levels) {
    unsigned height = 0;
    for (unsigned a = 0; a < c->certificate->n_attributes; a++)
        height += levels[a];
    return height;
}

/* By cost, then height, then vector. Where costs are not exact, one that is not clearly less is not
 * better: equal ones cannot be told from nearly equal ones. */
static bool is_better(const climb *c, const uint8_t *levels, const kan_counted *counted) {
    const kan_certificate *certificate = c->certificate;
    if (certificate->solution.must_release && counted->n_released_groups == 0)
        return false;
    int order = kan_counted_compare(&counted->cost, &c->solution->cost);
    if (order != 0 || !counted->cost.is_exact)
        return order < 0;
    unsigned height = height_of(c, levels);
    if (height != c->height)
        return height < c->height;
    return memcmp(levels, certificate->solution.levels, certificate->n_attributes) < 0;
}

/* What is above this node is higher than it: from the solution's height on a tie is lost. */
static bool may_be_better_above(const climb *c, const uint8_t *levels, const kan_counted *counted) {
    int order = kan_counted_compare(&counted->least, &c->solution->cost);
    if (order != 0 || !counted->least.is_exact)
        return order < 0;
    return height_of(c, levels) < c->height;
}

static kan_status add_above(climb *c, const uint8_t *levels) {
    uint8_t above[KAN_CERTIFICATE_ATTRIBUTES];
    size_t index;
    memcpy(above, levels, sizeof above);
    for (unsigned a = 0; a < c->certificate->n_attributes; a++) {
        if (levels[a] == c->certificate->attributes[a].highest)
            continue;
        above[a]++;
        KAN_TRY(kan_tuples_add(&c->nodes, above, 0, &index));
        above[a]--;
    }
    return KAN_OK;
}

static bool is_too_much(const climb *c) {
    return c->nodes.n > c->most_nodes;
}

static void look_at(const climb *c, const uint8_t *levels, const kan_counted *counted) {
    c->optimum->n_measured++;
    if (c->optimum->optimality == KAN_OPTIMALITY_REFUTED || !is_better(c, levels, counted))
        return;
    c->optimum->optimality = KAN_OPTIMALITY_REFUTED;
    memcpy(c->optimum->better, levels, c->certificate->n_attributes);
    c->optimum->better_cost = counted->cost.real;
}

static kan_status look_at_batch(climb *c, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        uint8_t here[KAN_CERTIFICATE_ATTRIBUTES] = {0}; /* the list moves while it grows */
        memcpy(here, kan_tuples_at(&c->nodes, i), c->certificate->n_attributes);
        look_at(c, here, &c->counted[i - first]);
        if (may_be_better_above(c, here, &c->counted[i - first]))
            KAN_TRY(add_above(c, here));
    }
    return KAN_OK;
}

static kan_status walk_up(climb *c) {
    const kan_certificate_nodes *minimal = &c->certificate->minimal;
    const unsigned n = c->certificate->n_attributes;
    size_t index;
    for (size_t i = 0; i < minimal->n; i++)
        KAN_TRY(kan_tuples_add(&c->nodes, minimal->levels + i * n, 0, &index));
    for (size_t first = 0, end; first < c->nodes.n; first = end) {
        if (is_too_much(c)) {
            c->optimum->optimality = KAN_OPTIMALITY_NOT_CHECKED;
            return KAN_OK;
        }
        end = c->nodes.n - first < BATCH ? c->nodes.n : first + BATCH;
        KAN_TRY(kan_count_nodes(c->subject, c->certificate, true, kan_tuples_at(&c->nodes, first),
                                end - first, c->counted));
        KAN_TRY(look_at_batch(c, first, end));
        if (c->optimum->optimality == KAN_OPTIMALITY_REFUTED)
            return KAN_OK;
    }
    return KAN_OK;
}

kan_status kan_certificate_optimum(const kan_subject *subject, const kan_certificate *certificate,
                                   const kan_counted *solution, const kan_counted *minimal,
                                   uint64_t most_nodes, kan_optimum *out) {
    const unsigned n = certificate->n_attributes;
    climb c = {.subject = subject,
               .certificate = certificate,
               .solution = solution,
               .most_nodes = most_nodes,
               .optimum = out};
    memset(out, 0, sizeof *out);
    out->optimality = KAN_OPTIMALITY_NOT_CLAIMED;
    if (!certificate->solution.is_optimal)
        return KAN_OK;
    out->optimality = KAN_OPTIMALITY_PROVEN;
    c.height = height_of(&c, certificate->solution.levels);
    for (size_t i = 0; certificate->limit == 0 && i < certificate->minimal.n; i++)
        look_at(&c, certificate->minimal.levels + i * n, &minimal[i]);
    if (certificate->limit == 0)
        return KAN_OK;
    kan_tuples_init(&c.nodes, subject->run, n);
    kan_status status = kan_alloc(subject->run, BATCH, sizeof *c.counted, &c.counted);
    if (status == KAN_OK)
        status = walk_up(&c);
    kan_free(subject->run, c.counted);
    kan_tuples_destroy(&c.nodes);
    return status;
}
