/* Local recoding: every row stands at nodes of its own (alpha-k.txt 4). Rows are put into clusters;
 * a cluster shows, in each attribute, the lowest node that covers its rows.
 *
 * Rows are those of the base's tuples. A cluster has bundles: so many rows of this tuple, so many of
 * that. Whether a cluster keeps the promise follows from its rows alone, so the searches may move
 * rows as they like, as long as every cluster that they touch is asked again. In the release a cluster
 * is a group.
 *
 * With pasts (kan_problem.has_pasts) rows of two pasts never meet in a cluster, and clusters are groups of rows, as if there
 * were one past: each is a part, and has to keep the promise by itself. What shows the same is one group in the end,
 * whose parts these are.
 *
 *   local_space.c     nodes, tuples, and what a row gives up at a node
 *   local_price.c     what clusters cost, by the cost that is asked for
 *   local_tally.c     sizes and sensitive values of a set of rows; whether it keeps the promise
 *   local_heads.c     the different people of a set of rows
 *   local_leave.c     people who leave with all their rows
 *   local_clusters.c  clusters, and the regions that they become
 *   local_chain.c     generalizing all rows step by step, the most even attribute first
 *   local_stops.c     the nodes of the lattice, the cheapest first
 *   local_sift.c      the groups of a node that are large enough, whatever node it is
 *   local_walk.c      rows that leave at the nodes of a route
 *   local_thin.c      taking out rows of values that are too frequent
 *   local_leave_out.c rows that cannot be released
 *   local_repair.c    clusters that fail
 *   local_improve.c   moving rows between clusters that exist
 *   local_reshape.c   other clusters: dissolving, dividing
 *   local_regroup.c   a few clusters that are near each other, taken apart and put together anew
 *   local_names.c     what clusters show, where no two may show the same
 *   local_blocks.c    rows that the highest levels tell apart, or their pasts
 *   local_search.c    what searches have in common
 *
 * What top-down has beside it: descent.c, clusters that are specialized step by step,
 * descent_rank.c, which rows are hardest to specialize, and descent_spare.c, rows that go back up.
 */
#ifndef KANON_SEARCH_LOCAL_LOCAL_INSIDE_H
#define KANON_SEARCH_LOCAL_LOCAL_INSIDE_H

#include "group/piles.h"
#include "search/local/local_heads.h"
#include "search/search.h"

/* Rows of tuples. */
typedef struct kan_bundle {
    uint32_t tuple;
    uint64_t n_rows;
} kan_bundle;

typedef struct kan_bundles {
    size_t n, room;
    kan_bundle *bundles;
} kan_bundles;

/* ---- local_space.c --------------------------------------------------------------------------- */

/* The nodes of a hierarchy in one list: the groups of level 0 first, the top last. */
typedef struct kan_local_attribute {
    const kan_hierarchy *hierarchy;
    unsigned lowest; /* level of the lowest nodes that may be shown */
    uint32_t *first; /* by level: its first node; one more entry at the end */
    uint32_t n_nodes;
    uint32_t *up;   /* by node: the one above; the top's is itself */
    uint8_t *level; /* by node */
    uint32_t *below,
        *n_below; /* by node: the first of the nodes right below it, and their number; none where
                     they may not be shown */
    double *loss; /* by node: what a row gives up that shows it; never less than below it */
} kan_local_attribute;

/* What a cluster costs: see local_price.c. */
typedef struct kan_local_price {
    double loss;      /* for all that its rows give up at its nodes */
    double square;    /* for the square of its rows */
    double minority;  /* for each row that is not of its majority class */
    double each;      /* for being a cluster */
    double lost;      /* for each row that is left out */
    double some_lost; /* where any is */
    bool counts;      /* what clusters are matters, not only what rows show */
} kan_local_price;

typedef struct kan_local_space {
    kan_run *run;
    const kan_question *question;
    unsigned n_attributes, n_tails; /* no tails where neither promise nor cost look at any */
    kan_local_attribute attributes[KAN_MAX_ATTRIBUTES];
    uint32_t n_values[KAN_MAX_TAILS];
    size_t n_tuples;
    uint32_t *leaf;    /* [tuple * n_attributes + attribute]: a node of level 0 */
    uint32_t *value;   /* [tuple * n_tails + tail] */
    uint64_t *rows;    /* by tuple */
    uint32_t n_blocks; /* each is searched by itself, and gets its part of the effort */
    /* Tuples with the same sensitive values are of one kind, and alike to every model. */
    uint32_t n_kinds;
    uint32_t *kind;    /* by tuple */
    uint32_t *example; /* by kind: its first tuple */
    uint8_t *is_free;  /* by kind: no model limits how many rows are of it */
    uint64_t limit;    /* rows that may be left out by themselves */
    /* Where people are counted: who has which tuple, and the value of each pair of a tail. Who leaves
     * with all rows by the user's levels alone: these rows are in rows[] no more. */
    bool has_person;
    bool size_decides; /* whether so many rows decide, or people */
    kan_owners owners;
    uint32_t *pair_value[KAN_MAX_TAILS];
    kan_bundles departed;
    uint64_t n_departed; /* people */
    kan_local_price price;
    kan_arena arena;
} kan_local_space;

extern const kan_search_costs kan_local_costs;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_local_space_make(kan_run *run, const kan_question *question,
                                             kan_local_space *out);
void kan_local_space_destroy(kan_local_space *space);

static inline const uint32_t *kan_local_leaves(const kan_local_space *space, size_t tuple) {
    return space->leaf + tuple * space->n_attributes;
}
/* Whether a model limits the rows of that value; of the class and the person none does. */
static inline bool kan_local_limits(const kan_local_space *space, unsigned tail, uint32_t value) {
    return (int)tail != space->question->problem->class_tail &&
           tail >= space->question->problem->has_person &&
           kan_promise_limits(space->question->promise, tail, value);
}
/* The node at `level` above a node that is not higher. */
static inline uint32_t kan_local_lift(const kan_local_attribute *attribute, uint32_t node,
                                      unsigned level) {
    KAN_ASSERT(attribute->level[node] <= level);
    while (attribute->level[node] < level)
        node = attribute->up[node];
    return node;
}
/* The lowest node that covers both. */
static inline uint32_t kan_local_join(const kan_local_attribute *attribute, uint32_t a,
                                      uint32_t b) {
    while (a != b) {
        if (attribute->level[a] <= attribute->level[b])
            a = attribute->up[a];
        else
            b = attribute->up[b];
    }
    return a;
}
/* The lowest node that may be shown at or above one. */
static inline uint32_t kan_local_shown(const kan_local_attribute *attribute, uint32_t node) {
    return attribute->level[node] < attribute->lowest
               ? kan_local_lift(attribute, node, attribute->lowest)
               : node;
}
/* What a row gives up at these nodes. */
double kan_local_loss(const kan_local_space *space, const uint32_t *nodes);

/* ---- local_price.c --------------------------------------------------------------------------- */

/* Nodes are weighed, and clusters priced, by the cost where it is a sum over cells, else by levels.
 */
void kan_local_price_cells(kan_local_space *space);
/* The same by the cost, whichever it is. */
void kan_local_price_follow(kan_local_space *space);
/* Without the rows that are not of the majority class. */
static inline double kan_local_price_of(const kan_local_price *price, double n_rows, double loss) {
    return n_rows * (price->loss * loss + price->square * n_rows) + price->each;
}

/* ---- local_tally.c --------------------------------------------------------------------------- */

/* A set of rows, as a promise sees it. Where people are counted, those of each value; of the class
 * still rows, and of the person nothing. */
typedef struct kan_local_tally {
    uint64_t n_rows;
    struct kan_local_tally_tail {
        size_t n, room;
        uint32_t *value; /* ascending */
        uint64_t *count; /* above 0 */
        size_t value_room;
        kan_local_heads pairs; /* of a person and a value */
    } * tails;
    kan_local_heads people;
} kan_local_tally;

/* What k is about: rows, or people. The promise's least size is of rows, also where people are counted:
 * l values may be those of fewer than l people. */
static inline uint64_t kan_local_tally_size(const kan_local_space *space,
                                            const kan_local_tally *tally) {
    return space->has_person ? tally->people.n : tally->n_rows;
}

/* An empty one; destroy it also when this fails. */
KAN_MUST_USE kan_status kan_local_tally_make(const kan_local_space *space, kan_local_tally *out);
void kan_local_tally_destroy(const kan_local_space *space, kan_local_tally *tally);
void kan_local_tally_clear(const kan_local_space *space, kan_local_tally *tally);
KAN_MUST_USE kan_status kan_local_tally_add(const kan_local_space *space, kan_local_tally *tally,
                                            size_t tuple, uint64_t n_rows);
/* They are there. */
void kan_local_tally_remove(const kan_local_space *space, kan_local_tally *tally, size_t tuple,
                            uint64_t n_rows);
KAN_MUST_USE kan_status kan_local_tally_add_all(const kan_local_space *space,
                                                kan_local_tally *tally,
                                                const kan_local_tally *other);
void kan_local_tally_remove_all(const kan_local_space *space, kan_local_tally *tally,
                                const kan_local_tally *other);
/* Whether these rows keep the promise as one cluster. No rows do not. */
bool kan_local_tally_passes(const kan_local_space *space, const kan_local_tally *tally);
/* Where more rows never hurt, and these fail: whether a row of a tuple brings them nearer. */
bool kan_local_tally_lacks(const kan_local_space *space, const kan_local_tally *tally,
                           size_t tuple);

/* Rows by kind, while many are counted. */
typedef struct kan_kind_rows {
    uint64_t *rows; /* by kind; all 0 between uses */
    uint32_t *used; /* the kinds that have rows, in the order in which they came */
    uint32_t n_used;
} kan_kind_rows;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_kind_rows_make(const kan_local_space *space, kan_kind_rows *out);
void kan_kind_rows_destroy(const kan_local_space *space, kan_kind_rows *counted);
void kan_kind_rows_clear(kan_kind_rows *counted);
static inline void kan_kind_rows_add(kan_kind_rows *counted, uint32_t kind, uint64_t n_rows) {
    if (counted->rows[kind] == 0 && n_rows > 0)
        counted->used[counted->n_used++] = kind;
    counted->rows[kind] += n_rows;
}
/* Adds them to a tally. */
KAN_MUST_USE kan_status kan_local_tally_add_kinds(const kan_local_space *space,
                                                  kan_local_tally *tally,
                                                  const kan_kind_rows *counted);

/* ---- local_clusters.c ------------------------------------------------------------------------ */

KAN_MUST_USE kan_status kan_bundles_add(const kan_local_space *space, kan_bundles *bundles,
                                        uint32_t tuple, uint64_t n_rows);
/* The lowest nodes that cover all of them; there are some. */
void kan_bundles_cover(const kan_local_space *space, const kan_bundles *bundles, uint32_t *nodes);

typedef struct kan_local_cluster {
    kan_bundles members;
    kan_local_tally tally;
    uint32_t *node; /* by attribute: the lowest that covers the members */
} kan_local_cluster;

typedef struct kan_local_clusters {
    const kan_local_space *space;
    size_t n, room;
    kan_local_cluster *clusters; /* one without rows is not a cluster any more */
    kan_bundles lost;            /* rows that are left out */
    uint64_t n_lost;
} kan_local_clusters;

void kan_local_clusters_init(kan_local_clusters *clusters, const kan_local_space *space);
void kan_local_clusters_destroy(kan_local_clusters *clusters);
/* A new cluster, empty. */
KAN_MUST_USE kan_status kan_local_clusters_add(kan_local_clusters *clusters, size_t *out);
/* Rows for a cluster; its nodes are lifted to cover them. */
KAN_MUST_USE kan_status kan_local_cluster_add(kan_local_clusters *clusters, size_t c,
                                              uint32_t tuple, uint64_t n_rows);
/* Takes rows of its bundle `i` away; a bundle without rows is replaced by the last one. Nodes stay.
 */
void kan_local_cluster_remove(kan_local_clusters *clusters, size_t c, size_t i, uint64_t n_rows);
/* Lowers the nodes to the lowest that cover the members; bundles of one tuple become one. */
void kan_local_cluster_tighten(kan_local_clusters *clusters, size_t c);
/* All rows of `from` go to `to`. */
KAN_MUST_USE kan_status kan_local_cluster_merge(kan_local_clusters *clusters, size_t to,
                                                size_t from);
/* Takes over all clusters of another, and what it lost; it has none then. */
KAN_MUST_USE kan_status kan_local_clusters_take(kan_local_clusters *clusters,
                                                kan_local_clusters *other);
/* Lowers all nodes; those without rows go. */
KAN_MUST_USE kan_status kan_local_clusters_tidy(kan_local_clusters *clusters);
/* Then clusters that show the same become one, too: of one past. */
KAN_MUST_USE kan_status kan_local_clusters_unite(kan_local_clusters *clusters);
/* Rows that are not of the majority class, where they are priced. */
uint64_t kan_local_tally_minority(const kan_local_space *space, const kan_local_tally *tally);
/* What a cluster costs whose rows give up `loss` each; and all, with what is left out. */
double kan_local_cluster_price(const kan_local_space *space, const kan_local_tally *tally,
                               double loss);
double kan_local_clusters_price(const kan_local_clusters *clusters);
/* What the release is. Every cluster keeps the promise. */
KAN_MUST_USE kan_status kan_local_clusters_answer(const kan_local_clusters *clusters,
                                                  kan_answer *out);

/* ---- local_chain.c --------------------------------------------------------------------------- */

/* Rows that go up one level of one attribute after the other, together. */
typedef struct kan_local_chain {
    const kan_local_space *space;
    unsigned level[KAN_MAX_ATTRIBUTES];
    size_t n;        /* tuples that are left */
    uint32_t *tuple; /* the tuples, group by group once they were grouped */
    uint64_t *left;  /* by tuple: rows that are left */
    uint32_t *node;  /* [tuple * n_attributes + attribute] */
    uint64_t *key;   /* by tuple: a hash of its nodes */
    size_t n_groups;
    size_t *start;           /* by group: the first of its tuples; one more entry */
    const uint32_t *grouped; /* the tuples, group by group: `tuple`, or those that were sifted */
    uint32_t *scratch;
    uint32_t *slots;
    size_t n_slots;
    uint64_t *counts[KAN_MAX_ATTRIBUTES]; /* by node */
    double entropy[KAN_MAX_ATTRIBUTES];
    bool is_known[KAN_MAX_ATTRIBUTES]; /* that entropy */
    bool has_changed;                  /* rows have left since; set by what takes them */
} kan_local_chain;

/* All rows of `rows`, at level 0. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_local_chain_make(const kan_local_space *space, const uint64_t *rows,
                                             kan_local_chain *out);
void kan_local_chain_destroy(kan_local_chain *chain);
/* Tuples without rows go; the others by group, groups in the order of their first tuple. Two groups
 * may be taken for one where hashes are equal: what is made of a group is a cluster, which shows what
 * covers its rows, whichever they are. */
void kan_local_chain_group(kan_local_chain *chain);
/* Whether a group keeps the promise; `tally` and `counted` are room, and need not have all of it
 * then. */
KAN_MUST_USE kan_status kan_local_chain_passes(const kan_local_chain *chain, size_t group,
                                               kan_local_tally *tally, kan_kind_rows *counted,
                                               bool *out);
/* Generalizes the attribute whose values are spread most evenly over the rows that are left;
 * `is_there` is false when all are at the top. */
KAN_MUST_USE kan_status kan_local_chain_step(kan_local_chain *chain, bool *is_there);

/* ---- local_stops.c --------------------------------------------------------------------------- */

/* Nodes of the lattice, those first at which rows give up least. */
typedef struct kan_local_stops {
    size_t n;
    uint8_t *levels; /* [stop * n_attributes + attribute] */
} kan_local_stops;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_local_stops_make(const kan_local_space *space, const uint64_t *rows,
                                             kan_local_stops *out);
void kan_local_stops_destroy(const kan_local_space *space, kan_local_stops *stops);

/* ---- local_sift.c ---------------------------------------------------------------------------- */

typedef struct kan_local_sift {
    const kan_local_space *space;
    uint32_t level[KAN_MAX_ATTRIBUTES];
    uint64_t *hash[KAN_MAX_ATTRIBUTES]; /* by node */
    uint64_t *at[KAN_MAX_ATTRIBUTES];   /* by leaf: the hash of its node at the level */
    struct kan_local_slot {
        uint64_t key, n_rows;
        uint32_t group; /* from 1; 0: not listed */
    } * slots;
    size_t n_slots;
    uint32_t *slot_of; /* by place in chain->tuple */
    uint32_t *grouped;
} kan_local_sift;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_local_sift_make(const kan_local_space *space, kan_local_sift *out);
void kan_local_sift_destroy(kan_local_sift *sift);
/* Groups the rows of the chain at these levels, groups in the order of their first tuple; those of
 * fewer than `least` rows are not listed. The chain is not stepped afterwards. */
void kan_local_sift_at(kan_local_sift *sift, kan_local_chain *chain, const uint8_t *levels,
                       uint64_t least);

/* ---- local_walk.c ---------------------------------------------------------------------------- */

/* Whose rows leave first, where not all can. */
typedef enum kan_local_pick { KAN_PICK_LARGEST, KAN_PICK_SMALLEST, KAN_PICK_FIRST } kan_local_pick;

/* The nodes at which rows may leave, one after the other: `next` groups the rows that are left at
 * the next one; *is_there is false after the last. */
typedef struct kan_local_route {
    kan_status (*next)(void *context, kan_local_chain *chain, bool *is_there);
    void *context;
    kan_local_pick pick;
    bool is_long; /* so many nodes that groups without a prospect are passed over */
} kan_local_route;

/* Makes clusters of the rows in rows[], of each at the first node of the route at which it may leave.
 * `passes` as in kan_local_fit. */
KAN_MUST_USE kan_status kan_local_walk(kan_local_clusters *clusters, const uint64_t *rows,
                                       bool passes, const kan_local_route *route);

/* ---- local_thin.c ---------------------------------------------------------------------------- */

/* Takes out of a set of rows that fails as few as will do, and at most `most`: rows of its most
 * frequent limited value. The set's tally, and its rows by kind, lose them; `gone`, empty before,
 * has them. *passes is false when that does not help; what is gone is gone all the same. */
KAN_MUST_USE kan_status kan_local_thin(const kan_local_space *space, kan_local_tally *tally,
                                       kan_kind_rows *rows, uint64_t most, kan_kind_rows *gone,
                                       bool *passes);

/* ---- local_leave_out.c ----------------------------------------------------------------------- */

/* Where all rows together fail, leaves out as few as will do, within the limit: rows[] loses them,
 * and they are in clusters->lost. *passes says whether what is left keeps the promise as one cluster.
 */
KAN_MUST_USE kan_status kan_local_fit(kan_local_clusters *clusters, uint64_t *rows, bool *passes);

/* ---- local_leave.c --------------------------------------------------------------------------- */

/* Where the highest levels that may be shown leave no choice: the rows of blocks that fail leave, by
 * person with all rows of whoever has one there, again and again until none fails. *is_possible is
 * false where that is more than may leave. What leaves is in rows[] no more. */
KAN_MUST_USE kan_status kan_local_depart(kan_local_space *space, const uint32_t *block_of,
                                         uint32_t n_blocks, bool *is_possible);
/* The same of clusters, in which all rows of a tuple are together: those who leave are lost. */
KAN_MUST_USE kan_status kan_local_send_away(kan_local_clusters *clusters, uint64_t *n_gone);

/* ---- local_repair.c -------------------------------------------------------------------------- */

/* Clusters that fail are left out where the limit allows it, else joined with others until none
 * fails; *is_complete is false when that does not help. Clusters are united. */
KAN_MUST_USE kan_status kan_local_complete(kan_local_clusters *clusters, bool *is_complete);

/* ---- local_names.c --------------------------------------------------------------------------- */

typedef struct kan_local_names {
    struct kan_local_name_slot {
        uint64_t name;
        uint32_t n; /* clusters that show it */
        bool is_used;
    } * slots;
    size_t n_slots, n_used;
} kan_local_names;

/* The name of nodes, or of what is shown in their place. */
uint64_t kan_local_name(const kan_local_space *space, const uint32_t *nodes);
void kan_local_names_destroy(kan_run *run, kan_local_names *names);
KAN_MUST_USE kan_status kan_local_names_add(kan_run *run, kan_local_names *names, uint64_t name);
void kan_local_names_remove(kan_local_names *names, uint64_t name);
uint32_t kan_local_names_count(const kan_local_names *names, uint64_t name);

/* ---- local_improve.c ------------------------------------------------------------------------- */

/* Clusters side by side, in blocks of neighbours, so that one row is held against all of them
 * quickly: a block that cannot hold the best is passed over. */
typedef struct kan_local_improver {
    kan_local_clusters *clusters;
    const kan_local_space *space;
    double deadline_ms;
    uint64_t work, most_work;           /* in clusters looked at, or so; 0: any */
    size_t n, room;                     /* places; room for them */
    uint32_t *cluster_at, *place_of;    /* by place, by cluster */
    uint32_t *node[KAN_MAX_ATTRIBUTES]; /* by place */
    double *loss, *n_rows;              /* by place: of one row; a cluster without rows is none */
    uint8_t *is_settled;                /* by cluster: dividing it was tried, and it is the same */
    /* By block: a node that covers all of its clusters, and the least loss of one of them. */
    uint32_t *block_node[KAN_MAX_ATTRIBUTES];
    double *block_loss[KAN_MAX_ATTRIBUTES];
    /* By leaf and node, the loss of the lowest node that covers both; NULL where there are too
     * many. */
    double *join_loss[KAN_MAX_ATTRIBUTES];
    /* Where no two clusters may show the same: what they show, and the name of each (by cluster). */
    kan_local_names names;
    uint64_t *name_of;
    uint8_t *is_named;
    uint64_t random;
    struct kan_local_regrouping *regrouping; /* its room, kept from one time to the next */
} kan_local_improver;

/* How long to improve: until so much time has passed, or so much work is done (0: any). */
typedef struct kan_local_effort {
    double seconds;
    uint64_t work;
} kan_local_effort;

/* Lowers the price until nothing helps, or until it is enough; every cluster keeps the promise. */
KAN_MUST_USE kan_status kan_local_improve(kan_local_clusters *clusters, kan_local_effort effort);

/* What a row of a leaf gives up in an attribute when it is joined with a node. */
static inline double kan_local_joined_loss(const kan_local_improver *im, unsigned a, uint32_t leaf,
                                           uint32_t node) {
    const kan_local_attribute *attribute = &im->space->attributes[a];
    return im->join_loss[a] ? im->join_loss[a][(size_t)leaf * attribute->n_nodes + node]
                            : attribute->loss[kan_local_join(attribute, leaf, node)];
}
/* The same of all attributes. */
static inline double kan_local_tuple_loss(const kan_local_improver *im, const uint32_t *nodes,
                                          uint32_t tuple) {
    const uint32_t *leaves = kan_local_leaves(im->space, tuple);
    double loss = 0;
    for (unsigned a = 0; a < im->space->n_attributes; a++)
        loss += kan_local_joined_loss(im, a, leaves[a], nodes[a]);
    return loss;
}
static inline double kan_local_loss_of(const kan_local_improver *im, size_t c) {
    return im->loss[im->place_of[c]];
}
static inline double kan_local_price_at(const kan_local_improver *im, size_t c) {
    return kan_local_cluster_price(im->space, &im->clusters->clusters[c].tally,
                                   kan_local_loss_of(im, c));
}
/* Its place follows what a cluster has become. */
KAN_MUST_USE kan_status kan_local_improver_follow(kan_local_improver *im, size_t c);
/* Whether a cluster may show these nodes: `c`, SIZE_MAX for a new one. */
bool kan_local_improver_may_show(const kan_local_improver *im, const uint32_t *nodes, size_t c);
/* A new cluster, without rows. */
KAN_MUST_USE kan_status kan_local_improver_add(kan_local_improver *im, size_t *out);
bool kan_local_improver_is_over(const kan_local_improver *im);
/* Rows of a tuple go to the cluster where they cost least, and less than `most`, *added; SIZE_MAX
 * where there is none. It keeps the promise with them; it is not `except`. Nothing is moved. */
KAN_MUST_USE kan_status kan_local_improver_find(kan_local_improver *im, uint32_t tuple,
                                                uint64_t n_rows, size_t except, double most,
                                                size_t *out, double *added);

/* ---- local_reshape.c ------------------------------------------------------------------------- */

/* All rows of a cluster go elsewhere, if that lowers the price. */
KAN_MUST_USE kan_status kan_local_dissolve(kan_local_improver *im, size_t c, bool *is_done);
/* Rows of a cluster that are near each other become one of their own, if that lowers the price. */
KAN_MUST_USE kan_status kan_local_divide(kan_local_improver *im, size_t c, bool *is_done);

/* ---- local_regroup.c ------------------------------------------------------------------------- */

/* A cluster and some that are near it are put together anew, if that lowers the price. */
KAN_MUST_USE kan_status kan_local_regroup(kan_local_improver *im, size_t c, bool *is_done);
void kan_local_regrouping_destroy(kan_local_improver *im);

/* ---- local_blocks.c -------------------------------------------------------------------------- */

/* Numbers the blocks, in the order of their first tuples: tuples of different ones are never shown
 * alike, because the highest levels that may be shown tell them apart. */
KAN_MUST_USE kan_status kan_local_find_blocks(const kan_local_space *space, uint32_t *block_of,
                                              uint32_t *n_blocks);

/* ---- local_search.c -------------------------------------------------------------------------- */

typedef struct kan_local_method {
    /* Makes clusters of the rows in rows[] (by tuple); `passes` as in kan_local_fit. */
    kan_status (*make)(kan_local_clusters *clusters, const uint64_t *rows, bool passes);
    /* The costs that `make` itself follows. Where another is asked for, what it made is improved by
     * that one. */
    enum { KAN_FOLLOWS_NONE, KAN_FOLLOWS_CELLS, KAN_FOLLOWS_ALL } follows;
    uint64_t work; /* to improve in any case, before --improve */
    /* Makes other clusters of the whole table, to be taken where they cost less; or NULL. */
    kan_status (*rival)(kan_local_clusters *clusters, bool *is_found);
    /* Another method, whose answer is taken where it costs less; or NULL. */
    const struct kan_local_method *peer;
} kan_local_method;

/* What `progressive` does, without telling how far it is. */
extern const kan_local_method kan_local_progressive;

KAN_MUST_USE kan_status kan_local_search(kan_run *run, const kan_question *question,
                                         const kan_local_method *method, kan_answer *out);

#define KAN_LOCAL_OPTIONS                                                                          \
    {                                                                                              \
        .name = "improve", .argument = "SECONDS",                                                  \
        .summary = "afterwards, rows are moved between groups as long as that lowers --cost, or "  \
                   "distortion if none is given (iterate: discernibility, the usual default)",     \
        .type = KAN_OPTION_REAL, .traits = KAN_TRAIT_SHOWN, .least = 0, .most = 1e6                \
    }

#endif
