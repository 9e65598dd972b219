/* What searches by local recoding have in common: rows that must go, the method, clusters that fail,
 * and what can still be improved. */
#include <math.h>

#include "search/local/local_inside.h"

/* Makes clusters of the rows in rows[]; *is_complete: all of them keep the promise. */
static kan_status recode(kan_local_clusters *clusters, uint64_t *rows,
                         const kan_local_method *method, bool *is_complete) {
    const kan_local_space *space = clusters->space;
    bool passes;
    *is_complete = false;
    KAN_TRY(kan_local_fit(clusters, rows, &passes));
    /* Then no recoding of all rows is possible, nor of those within the limit. */
    if (!passes && space->question->promise->survives_merge && space->limit == 0)
        return KAN_OK;
    KAN_TRY(method->make(clusters, rows, passes));
    return kan_local_complete(clusters, is_complete);
}

typedef struct {
    uint32_t n, *of;                 /* blocks, and that of each tuple */
    uint64_t *rows;                  /* by tuple: those of the block in hand */
    kan_local_effort without, asked; /* to improve each: by itself, and as the user says */
} blocks;

static uint64_t take_block(const kan_local_space *space, const blocks *b, uint32_t block) {
    uint64_t n_rows = 0;
    for (size_t t = 0; t < space->n_tuples; t++) {
        b->rows[t] = b->of[t] == block ? space->rows[t] : 0;
        n_rows += b->rows[t];
    }
    return n_rows;
}

/* Nothing of a block can be released: all of it is left out. */
static kan_status leave_out(kan_local_clusters *made, const blocks *b, uint32_t block,
                            uint64_t n_rows) {
    const kan_local_space *space = made->space;
    kan_local_clusters_destroy(made);
    kan_local_clusters_init(made, space);
    for (size_t t = 0; t < space->n_tuples; t++)
        if (b->of[t] == block)
            KAN_TRY(kan_bundles_add(space, &made->lost, (uint32_t)t, space->rows[t]));
    made->n_lost = n_rows;
    return KAN_OK;
}

/* What the search does by itself, and what is asked for. */
static kan_status improve(kan_local_clusters *made, const blocks *b) {
    if (b->without.work > 0)
        KAN_TRY(kan_local_improve(made, b->without));
    return b->asked.seconds > 0 ? kan_local_improve(made, b->asked) : KAN_OK;
}

/* One block; the limit is what the others have left of it. */
static kan_status recode_block(kan_local_clusters *made, const blocks *b, uint32_t block,
                               const kan_local_method *method, bool *is_complete) {
    const uint64_t n_rows = take_block(made->space, b, block);
    *is_complete = true;
    if (n_rows == 0) /* all who had some have left */
        return KAN_OK;
    KAN_TRY(recode(made, b->rows, method, is_complete));
    if (*is_complete)
        return improve(made, b);
    *is_complete = n_rows <= made->space->limit;
    return *is_complete ? leave_out(made, b, block, n_rows) : KAN_OK;
}

/* Whether a cost is asked for that the method does not look at. */
static bool is_unheard(const kan_question *question, const kan_local_method *method) {
    return kan_options_find(question->options, "cost") &&
           (method->follows == KAN_FOLLOWS_NONE ||
            (method->follows == KAN_FOLLOWS_CELLS &&
             !kan_cost_followed(question->objective->kind)->price));
}

/* What a search does by itself, for each of so many blocks. What is moved may come to show the same as
 * others, and be one with them. */
static kan_local_effort effort_of(const kan_local_space *space, const kan_local_method *method,
                                  uint32_t n_blocks) {
    enum { FOLLOWING = 20000000 }; /* some tenths of a second */
    const bool is_more = is_unheard(space->question, method) && method->work < FOLLOWING;
    const uint64_t work = is_more ? FOLLOWING : method->work;
    return (kan_local_effort){INFINITY,
                              space->question->promise->survives_merge ? work / n_blocks : 0};
}

/* How long rows may be moved between the clusters of a block. */
static void allot(const kan_local_space *space, const kan_local_method *method, blocks *b) {
    const double seconds = kan_options_real(space->question->options, "improve", 0);
    b->without = effort_of(space, method, b->n);
    if (space->question->promise->survives_merge)
        b->asked = (kan_local_effort){seconds / b->n, 0};
    else if (seconds > 0)
        kan_note(space->run, "--improve is left out: two groups that keep this promise may break "
                             "it together");
    else if (is_unheard(space->question, method))
        kan_note(space->run, "--cost changes nothing: the search does not look at it, and what it "
                             "makes cannot be improved, as two groups that keep this promise may "
                             "break it together");
}

/* Block by block; not complete where one of them fails, or nothing would be released. */
static kan_status recode_all(kan_local_space *space, kan_local_clusters *clusters, const blocks *b,
                             const kan_local_method *method, bool *is_complete) {
    const uint64_t limit = space->limit;
    kan_status status = KAN_OK;
    *is_complete = true;
    for (uint32_t block = 0; block < b->n && *is_complete && status == KAN_OK; block++) {
        kan_local_clusters made;
        space->limit = limit - clusters->n_lost;
        kan_local_clusters_init(&made, space);
        status = recode_block(&made, b, block, method, is_complete);
        if (status == KAN_OK)
            status = kan_local_clusters_take(clusters, &made);
        kan_local_clusters_destroy(&made);
    }
    space->limit = limit;
    *is_complete &= clusters->n > 0;
    return status;
}

/* The clusters of a block go to `out`. */
static kan_status take_out(kan_local_clusters *clusters, const blocks *b, uint32_t block,
                           kan_local_clusters *out) {
    size_t n_kept = 0;
    KAN_TRY(kan_reserve(clusters->space->run, clusters->n, sizeof *out->clusters, &out->room,
                        &out->clusters));
    for (size_t c = 0; c < clusters->n; c++) {
        const kan_local_cluster cluster = clusters->clusters[c];
        if (cluster.members.n == 0 || b->of[cluster.members.bundles[0].tuple] == block)
            out->clusters[out->n++] = cluster;
        else
            clusters->clusters[n_kept++] = cluster;
    }
    clusters->n = n_kept;
    return KAN_OK;
}

/* Clusters of all blocks are improved block by block: rows of two never meet. */
static kan_status improve_all(kan_local_clusters *clusters, const blocks *b) {
    kan_local_clusters improved;
    kan_status status = KAN_OK;
    if (b->n == 1)
        return improve(clusters, b);
    kan_local_clusters_init(&improved, clusters->space);
    for (uint32_t block = 0; block < b->n && status == KAN_OK; block++) {
        kan_local_clusters part;
        kan_local_clusters_init(&part, clusters->space);
        status = take_out(clusters, b, block, &part);
        if (status == KAN_OK && !kan_should_stop(clusters->space->run))
            status = improve(&part, b);
        if (status == KAN_OK)
            status = kan_local_clusters_take(&improved, &part);
        kan_local_clusters_destroy(&part);
    }
    if (status == KAN_OK)
        status = kan_local_clusters_take(clusters, &improved);
    kan_local_clusters_destroy(&improved);
    return status;
}

/* Takes other clusters where there are none, or where those cost less; `other` has the rest. */
static kan_status take_better(kan_local_clusters *clusters, kan_local_clusters *other,
                              const blocks *b, bool *is_complete) {
    const kan_local_clusters taken = *other;
    if (*is_complete && kan_local_clusters_price(other) >= kan_local_clusters_price(clusters))
        return KAN_OK;
    *other = *clusters;
    *clusters = taken;
    *is_complete = true;
    return kan_should_stop(clusters->space->run) ? KAN_OK : improve_all(clusters, b);
}

static kan_status take_rival(kan_local_clusters *clusters, const kan_local_method *method,
                             const blocks *b, bool *is_complete) {
    kan_local_clusters other;
    bool is_found = false;
    kan_local_clusters_init(&other, clusters->space);
    kan_status status = method->rival(&other, &is_found);
    if (status == KAN_OK && is_found)
        status = take_better(clusters, &other, b, is_complete);
    kan_local_clusters_destroy(&other);
    return status;
}

/* Whether prices are those of the cost that is asked for. */
static bool follows(const kan_question *question, const kan_local_method *method) {
    return method->follows == KAN_FOLLOWS_ALL || kan_options_find(question->options, "cost");
}

/* What the peer makes when it is asked by itself: its prices are its own. */
static kan_status ask_peer(kan_local_space *space, kan_local_clusters *clusters,
                           const kan_local_method *method, const blocks *b, bool *is_found) {
    blocks own = *b;
    const bool differs = !follows(space->question, method->peer);
    own.without = effort_of(space, method->peer, b->n);
    own.asked = (kan_local_effort){0, 0};
    if (differs)
        kan_local_price_cells(space);
    KAN_TRY(recode_all(space, clusters, &own, method->peer, is_found));
    if (differs)
        kan_local_price_follow(space);
    return KAN_OK;
}

/* Whoever left before the search is left out, too. */
static kan_status lose_departed(kan_local_clusters *clusters) {
    const kan_bundles *departed = &clusters->space->departed;
    for (size_t i = 0; i < departed->n; i++) {
        KAN_TRY(kan_bundles_add(clusters->space, &clusters->lost, departed->bundles[i].tuple,
                                departed->bundles[i].n_rows));
        clusters->n_lost += departed->bundles[i].n_rows;
    }
    return KAN_OK;
}

static kan_status search(kan_local_space *space, const kan_local_method *method, kan_answer *out) {
    kan_local_clusters clusters, peer;
    blocks b = {.n = 0};
    bool is_complete, has_peer = false;
    kan_status status;
    kan_local_clusters_init(&clusters, space);
    kan_local_clusters_init(&peer, space);
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.of, &b.of));
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.rows, &b.rows));
    KAN_TRY_DONE(kan_local_find_blocks(space, b.of, &b.n));
    space->n_blocks = b.n > 1 ? b.n : 1;
    KAN_TRY_DONE(kan_local_depart(space, b.of, b.n, &is_complete));
    for (size_t i = 0; i < space->departed.n; i++)
        out->least_suppressed += space->departed.bundles[i].n_rows;
    if (!is_complete)
        goto done;
    allot(space, method, &b);
    if (method->peer)
        KAN_TRY_DONE(ask_peer(space, &peer, method, &b, &has_peer));
    KAN_TRY_DONE(recode_all(space, &clusters, &b, method, &is_complete));
    if (method->rival && !space->question->keeps_apart && !kan_should_stop(space->run))
        KAN_TRY_DONE(take_rival(&clusters, method, &b, &is_complete));
    if (has_peer)
        KAN_TRY_DONE(take_better(&clusters, &peer, &b, &is_complete));
    if (is_complete) {
        KAN_TRY_DONE(lose_departed(&clusters));
        KAN_TRY_DONE(kan_local_clusters_answer(&clusters, out));
    }
done:
    kan_local_clusters_destroy(&clusters);
    kan_local_clusters_destroy(&peer);
    kan_free(space->run, b.of);
    kan_free(space->run, b.rows);
    return status;
}

kan_status kan_local_search(kan_run *run, const kan_question *question,
                            const kan_local_method *method, kan_answer *out) {
    kan_local_space space;
    memset(out, 0, sizeof *out);
    kan_status status = kan_local_space_make(run, question, &space);
    if (status == KAN_OK && follows(question, method))
        kan_local_price_follow(&space);
    if (status == KAN_OK)
        status = search(&space, method, out);
    kan_local_space_destroy(&space);
    return status;
}
