/* Partitioning the space of tuples into regions, from the top down (mondrian-greedy.txt).
 *
 * A region is a run of records, one per tuple of the base; a cut divides it into two or more, in
 * place, and in each the order of the base is kept. How a region is cut follows from its tuples
 * alone: not from other regions, nor from threads. So regions are cut in any order, and the result
 * is the same.
 *
 *   partition_space.c           dimensions and options: what can be cut, and who decides
 *   partition_records.c         records, their bounds, and how many rows have each place of a dimension
 *   partition_summary.c         the same for regions that are read once, from the disk
 *   partition_promise.c         whether the parts of a cut keep the promise
 *   partition_people.c          the same where a person may have several rows
 *   partition_pasts.c           the same where rows have pasts; who is left out before the first cut
 *   partition_choose.c          which cut: widest, entropy
 *   partition_choose_gain.c     which cut: by cost, and by what tells the outcome apart
 *   partition_outcome.c         what a cut tells of the outcome
 *   partition_choose_queries.c  which cut: by a workload
 *   partition_split.c           makes a cut
 *   partition_levels.c          cuts that must be made
 *   partition_regions.c         what each region shows
 *   partition.c                 all regions, on all threads
 *   partition_on_disk.c         the same for rows that do not fit into memory
 */
#ifndef KANON_SEARCH_REGIONS_PARTITION_H
#define KANON_SEARCH_REGIONS_PARTITION_H

#include "group/piles.h"
#include "search/search.h"

/* How the values of a dimension may be told apart. */
typedef enum kan_partition_cutting {
    KAN_PARTITION_VALUES, /* numbers and dates: at a place, by value */
    KAN_PARTITION_ORDER,  /* text: at a place, in the order of the domain */
    KAN_PARTITION_ANY,    /* text: at a place, or the frequent values against the others */
    KAN_PARTITION_TREE    /* text: a node of the hierarchy into its children */
} kan_partition_cutting;

typedef enum kan_partition_choice {
    KAN_PARTITION_WIDEST,
    KAN_PARTITION_ENTROPY,
    KAN_PARTITION_COST,
    KAN_PARTITION_WORKLOAD,
    KAN_PARTITION_PURPOSE
} kan_partition_choice;

/* What a cut by cost gains. */
typedef enum kan_partition_gain {
    KAN_PARTITION_BALANCE, /* rows of the one part times those of the other */
    KAN_PARTITION_CLASSES, /* rows that are not of the majority class of their group */
    KAN_PARTITION_BITS,    /* information on the class, in bits (partition_outcome.c) */
    KAN_PARTITION_SQUARES, /* the same of its numbers: squares of their distances from the mean */
    KAN_PARTITION_SHARES,  /* what cells give up: shares of the domains, at the weight of each */
    KAN_PARTITION_LEVELS   /* the same: levels */
} kan_partition_gain;

enum { KAN_PARTITION_MOST_WORDS = 8 }; /* of places as bits */

typedef struct kan_partition_dimension {
    kan_partition_cutting cutting;
    const kan_domain *domain;
    const kan_hierarchy *hierarchy;
    uint32_t n_places;
    double *position;     /* by place: its share of the way from the least to the greatest */
    double weight;        /* in the gain of a cut */
    unsigned word, shift; /* where its places stand as bits, when there are any */
} kan_partition_dimension;

typedef struct kan_partition_space {
    kan_run *run;
    const kan_question *question;
    unsigned n_dimensions, n_tails;
    kan_partition_dimension dimensions[KAN_MAX_ATTRIBUTES];
    uint32_t n_values[KAN_MAX_TAILS];       /* of each tail */
    unsigned by_places[KAN_MAX_ATTRIBUTES]; /* dimensions, those with the fewest places first */
    uint32_t most_places;
    kan_partition_choice choice;
    kan_partition_gain gain;
    bool is_relaxed; /* rows at the median are shared */
    bool is_tight;   /* what regions show: values that are there, not the bounds of cuts */
    uint64_t least_size;
    /* A record: tuple and rows (32 bits each), a lane for each dimension and tail, and the places
     * once more as bits where they are few. */
    bool is_wide; /* lanes of 32 bits, not 16 */
    unsigned n_lanes, n_words;
    size_t stride, bits_at; /* bytes */
    size_t n_records, room; /* of them; room for those that sharing makes */
    unsigned char *records;
    kan_owners owners; /* where people are counted */
    kan_arena arena;
} kan_partition_space;

/* A box: for each dimension the bounds of the cuts that made a region. */
typedef struct kan_partition_bound {
    uint32_t a, b; /* places, both included; KAN_PARTITION_TREE: level and group */
} kan_partition_bound;

typedef struct kan_partition_region {
    size_t first, n, room; /* records */
    uint64_t n_rows;
    kan_partition_bound *box; /* NULL: nobody asks for it */
    bool is_final;            /* there is no cut */
} kan_partition_region;

typedef struct kan_partition_regions {
    size_t n, capacity;
    kan_partition_region *regions;
} kan_partition_regions;

/* A cut that is allowed. */
typedef struct kan_partition_cut {
    unsigned dimension;
    unsigned n_parts; /* 0: there is none */
    bool by_side;     /* parts are worker->side[place]; otherwise the places up to `place` */
    bool is_clean;    /* relaxed: no row at that place is shared all the same */
    uint32_t place;   /* relaxed: rows at that place are shared */
    unsigned level;   /* KAN_PARTITION_TREE: that of the children */
    uint64_t n_left;  /* rows of the first part */
} kan_partition_cut;

/* How many rows of a region have each place of a dimension; places ascending, rows above 0. */
typedef struct kan_partition_counts {
    uint32_t n;
    uint32_t *place;
    uint64_t *rows;
} kan_partition_counts;

/* What a thread needs. */
typedef struct kan_partition_worker {
    const kan_partition_space *space;
    uint32_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES]; /* of the region looked at */
    kan_partition_counts counts;
    unsigned n_asked; /* cuts of what was counted last that the promise was asked about */
    uint64_t *dense;  /* by place; all 0 between calls */
    uint64_t *sorted; /* room for pairs */
    size_t sorted_room;
    uint16_t *side;                        /* by place: the part that it goes to */
    uint32_t *order;                       /* by place */
    unsigned char *scratch;                /* records */
    size_t scratch_room;                   /* bytes */
    struct kan_partition_scales *scales;   /* partition_choose_gain.c */
    struct kan_partition_tallies *tallies; /* partition_promise.c */
    struct kan_partition_people *people;   /* partition_people.c */
    struct kan_partition_pasts *pasts;     /* partition_pasts.c */
    struct kan_partition_queries *queries; /* partition_choose_queries.c */
    struct kan_partition_outcome *outcome; /* partition_outcome.c */
    kan_partition_regions stack, found;
    kan_arena boxes;
    /* Not NULL: what is known of the region looked at; its records are not touched. */
    const struct kan_partition_summary *summary;
} kan_partition_worker;

/* ---- partition_space.c ----------------------------------------------------------------------- */

/* A cost of which nothing is known is cut for by balance. */
extern const kan_search_costs kan_partition_costs;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_partition_space_make(kan_run *run, const kan_question *question,
                                                 bool is_relaxed, kan_partition_space *out);
void kan_partition_space_destroy(kan_partition_space *space);
/* Says which options have no effect on a partition. */
void kan_partition_space_note(const kan_partition_space *space);
/* The lowest node that covers the places `low` to `high`: its level. */
unsigned kan_partition_cover(const kan_partition_dimension *dimension, uint32_t low, uint32_t high);
/* Its group at that level. */
uint32_t kan_partition_node(const kan_partition_dimension *dimension, unsigned level,
                            uint32_t place);

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_partition_worker_make(const kan_partition_space *space,
                                                  kan_partition_worker *out);
void kan_partition_worker_destroy(kan_partition_worker *worker);

/* ---- partition_records.c --------------------------------------------------------------------- */

/* From the base; of a problem that is not folded, how records look and nothing more. */
KAN_MUST_USE kan_status kan_partition_records_make(kan_partition_space *space);
/* The records of n rows, from `first` on, of a problem that is not folded. place_of[lane] takes the
 * codes of that lane's column to places; NULL: the code itself. */
void kan_partition_rows_make(const kan_partition_space *space, const uint32_t *const *place_of,
                             uint64_t first, size_t n, unsigned char *out);

static inline unsigned char *kan_partition_record(const kan_partition_space *space, size_t i) {
    return space->records + i * space->stride;
}
static inline uint32_t kan_partition_tuple(const unsigned char *record) {
    uint32_t tuple;
    memcpy(&tuple, record, sizeof tuple);
    return tuple;
}
static inline uint32_t kan_partition_rows(const unsigned char *record) {
    uint32_t rows;
    memcpy(&rows, record + sizeof rows, sizeof rows);
    return rows;
}
static inline void kan_partition_set_rows(unsigned char *record, uint32_t rows) {
    memcpy(record + sizeof rows, &rows, sizeof rows);
}
enum { KAN_PARTITION_LANES_AT = 8 };
/* The place of a record in a dimension; dimensions are followed by tails. */
static inline uint32_t kan_partition_lane(const unsigned char *record, bool is_wide,
                                          unsigned lane) {
    uint16_t narrow;
    uint32_t wide;
    if (is_wide) {
        memcpy(&wide, record + KAN_PARTITION_LANES_AT + lane * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, record + KAN_PARTITION_LANES_AT + lane * sizeof narrow, sizeof narrow);
    return narrow;
}

/* The least and the greatest place of the region in each dimension. */
void kan_partition_bounds(const kan_partition_space *space, const kan_partition_region *region,
                          uint32_t *low, uint32_t *high);
/* The same, or from what is known of it: worker->low and high. */
void kan_partition_look(kan_partition_worker *worker, const kan_partition_region *region);
/* The rows of each place of a dimension, whose bounds are known: worker->counts. */
KAN_MUST_USE kan_status kan_partition_count(kan_partition_worker *worker,
                                            const kan_partition_region *region, unsigned dimension);

/* A profile: which places some records have in each dimension, as space->n_words of bits; where
 * there are none, as a word of bounds for each dimension. All zeros: no record. */
void kan_partition_profile(const kan_partition_space *space, const unsigned char *record,
                           uint64_t *out);
void kan_partition_join(const kan_partition_space *space, size_t n_words, const uint64_t *from,
                        uint64_t *to);

/* ---- partition_summary.c --------------------------------------------------------------------- */

/* What choosing a cut looks at, from one pass over records. */
struct kan_partition_summary;
KAN_MUST_USE kan_status kan_partition_summary_make(const kan_partition_space *space,
                                                   struct kan_partition_summary **out);
void kan_partition_summary_destroy(struct kan_partition_summary *summary);
void kan_partition_summary_clear(struct kan_partition_summary *summary);
void kan_partition_summary_add(struct kan_partition_summary *summary, const unsigned char *record,
                               size_t n);
void kan_partition_summary_join(struct kan_partition_summary *to,
                                const struct kan_partition_summary *from);
void kan_partition_summary_bounds(const struct kan_partition_summary *summary, uint32_t *low,
                                  uint32_t *high);
void kan_partition_summary_counts(const struct kan_partition_summary *summary, unsigned dimension,
                                  kan_partition_counts *out);
const uint64_t *kan_partition_summary_profile(const struct kan_partition_summary *summary,
                                              unsigned dimension, uint32_t place);
const uint64_t *kan_partition_summary_tally(const struct kan_partition_summary *summary,
                                            unsigned dimension, unsigned tail, uint32_t place);
/* The rows of a place whose outcome is a number, and the sum of these: two. */
const uint64_t *kan_partition_summary_outcome(const struct kan_partition_summary *summary,
                                              unsigned dimension, uint32_t place);

/* ---- partition_promise.c --------------------------------------------------------------------- */

/* Whether every part of the cut keeps the promise. Sizes were looked at before. */
KAN_MUST_USE kan_status kan_partition_allows(kan_partition_worker *worker,
                                             const kan_partition_region *region,
                                             const kan_partition_cut *cut, bool *out);
/* Whether the region itself does. */
KAN_MUST_USE kan_status kan_partition_holds(kan_partition_worker *worker,
                                            const kan_partition_region *region, bool *out);
KAN_MUST_USE kan_status kan_partition_tallies_make(const kan_partition_space *space,
                                                   struct kan_partition_tallies **out);
void kan_partition_tallies_destroy(const kan_partition_space *space,
                                   struct kan_partition_tallies *tallies);

/* ---- partition_people.c ---------------------------------------------------------------------- */

/* Where a person may have several rows: what kan_partition_allows is of, by people. */
KAN_MUST_USE kan_status kan_partition_people_allow(kan_partition_worker *worker,
                                                   const kan_partition_region *region,
                                                   const kan_partition_cut *cut, bool *out);
/* The people before and behind each cut between places that were just counted: *before and *behind,
 * by index of the count, of the places up to it and of those after it. Valid until the next call. */
KAN_MUST_USE kan_status kan_partition_people_beside(kan_partition_worker *worker,
                                                    const kan_partition_region *region,
                                                    unsigned dimension, const uint64_t **before,
                                                    const uint64_t **behind);
/* The parts that have rows of a record; *to_share are those that are still to go to the first one, while records
 * are walked in their order. */
typedef struct kan_partition_sides {
    size_t first, last;
} kan_partition_sides;
kan_partition_sides kan_partition_sides_of(const kan_partition_worker *worker,
                                           const kan_partition_cut *cut,
                                           const unsigned char *record, uint64_t *to_share);
/* Whether nothing counts but how many people there are. */
bool kan_partition_people_settle(const kan_partition_space *space);
KAN_MUST_USE kan_status kan_partition_people_make(const kan_partition_space *space,
                                                  struct kan_partition_people **out);
void kan_partition_people_destroy(const kan_partition_space *space,
                                  struct kan_partition_people *people);

/* ---- partition_pasts.c ----------------------------------------------------------------------- */

/* With pasts: what kan_partition_allows is of, by the rows of each past. */
KAN_MUST_USE kan_status kan_partition_pasts_allow(kan_partition_worker *worker,
                                                  const kan_partition_region *region,
                                                  const kan_partition_cut *cut, bool *out);
/* Whether a cut leaves pasts whole that it would divide badly. */
static inline bool kan_partition_keeps_pasts(const kan_partition_worker *worker,
                                             const kan_partition_cut *cut) {
    return worker->pasts && worker->space->is_relaxed && cut->n_parts > 1 && !cut->is_clean;
}
/* The same for such a cut: whether each of its parts has rows then. */
KAN_MUST_USE kan_status kan_partition_pasts_keep(kan_partition_worker *worker,
                                                 const kan_partition_region *region,
                                                 const kan_partition_cut *cut, bool *out);
/* After that: the part of a record, which by its place is of `part`. */
unsigned kan_partition_pasts_part(const kan_partition_worker *worker, const unsigned char *record,
                                  unsigned part);
/* Whether each past has nobody or enough rows on both sides of each cut between places that were just
 * counted: *is_good, by index of the count, of the cut behind it. Valid until the next call. */
KAN_MUST_USE kan_status kan_partition_pasts_beside(kan_partition_worker *worker,
                                                   const kan_partition_region *region,
                                                   unsigned dimension, const uint8_t **is_good);
/* Tuples that are left out. */
typedef struct kan_partition_lost {
    size_t n;
    uint64_t n_rows;
    uint32_t *tuples;
} kan_partition_lost;
/* Takes the parts of each root that do not keep the promise out of it; roots of which nothing stays go. Frees nothing:
 * out->tuples is the caller's, also when this fails. */
KAN_MUST_USE kan_status kan_partition_pasts_leave(const kan_partition_space *space,
                                                  kan_partition_regions *roots,
                                                  kan_partition_lost *out);
KAN_MUST_USE kan_status kan_partition_pasts_make(const kan_partition_space *space,
                                                 struct kan_partition_pasts **out);
void kan_partition_pasts_destroy(const kan_partition_space *space,
                                 struct kan_partition_pasts *pasts);

/* ---- choosing -------------------------------------------------------------------------------- */

/* The cut of a region; n_parts 0 when no cut of any dimension is allowed. */
KAN_MUST_USE kan_status kan_partition_choose(kan_partition_worker *worker,
                                             const kan_partition_region *region,
                                             kan_partition_cut *out);
/* The dimension with the greatest score that allows a cut, and its cut next to the median; none with
 * -HUGE_VAL. */
KAN_MUST_USE kan_status kan_partition_choose_best(kan_partition_worker *worker,
                                                  const kan_partition_region *region,
                                                  const double *scores, kan_partition_cut *out);
/* The children of the node that covers the region in a dimension, as sides. Sizes are looked at,
 * the promise is not. */
KAN_MUST_USE kan_status kan_partition_cut_node(kan_partition_worker *worker,
                                               const kan_partition_region *region,
                                               unsigned dimension, kan_partition_cut *out);
void kan_partition_widths(const kan_partition_worker *worker, double *widths);
KAN_MUST_USE kan_status kan_partition_choose_gain(kan_partition_worker *worker,
                                                  const kan_partition_region *region,
                                                  kan_partition_cut *out);
KAN_MUST_USE kan_status kan_partition_choose_query(kan_partition_worker *worker,
                                                   const kan_partition_region *region,
                                                   kan_partition_cut *out);
KAN_MUST_USE kan_status kan_partition_scales_make(const kan_partition_space *space,
                                                  struct kan_partition_scales **out);
void kan_partition_scales_destroy(const kan_partition_space *space,
                                  struct kan_partition_scales *scales);
KAN_MUST_USE kan_status kan_partition_queries_make(const kan_partition_space *space,
                                                   struct kan_partition_queries **out);
void kan_partition_queries_destroy(const kan_partition_space *space,
                                   struct kan_partition_queries *queries);

/* ---- partition_outcome.c --------------------------------------------------------------------- */

/* Whether cuts follow the outcome. */
static inline bool kan_partition_has_outcome(const kan_partition_space *space) {
    return space->choice == KAN_PARTITION_PURPOSE;
}
KAN_MUST_USE kan_status kan_partition_outcome_make(const kan_partition_space *space,
                                                   struct kan_partition_outcome **out);
void kan_partition_outcome_destroy(const kan_partition_space *space,
                                   struct kan_partition_outcome *outcome);
/* What each place that was just counted has of the outcome; `index` is where it stands among those. */
void kan_partition_outcome_count(kan_partition_worker *worker, const kan_partition_region *region,
                                 unsigned dimension, const uint32_t *index);
/* The first part has nothing; the part has one place more; the next part begins. */
void kan_partition_outcome_begin(kan_partition_worker *worker);
void kan_partition_outcome_add(kan_partition_worker *worker, uint32_t count);
void kan_partition_outcome_end_part(kan_partition_worker *worker);
/* What is gained by the parts so far, this one included; all other places are one more. */
double kan_partition_outcome_gain(const kan_partition_worker *worker);
/* A key for each place that was counted, by which those that are alike stand together. */
uint32_t kan_partition_outcome_key(const kan_partition_worker *worker, uint32_t count);

/* ---- cutting --------------------------------------------------------------------------------- */

/* Divides the region; appends its parts to `out`, the first part first. */
KAN_MUST_USE kan_status kan_partition_split(kan_partition_worker *worker,
                                            const kan_partition_region *region,
                                            const kan_partition_cut *cut,
                                            kan_partition_regions *out);
/* The box of a part that has a record at `place`: that of the region, but for the dimension that is
 * cut. */
KAN_MUST_USE kan_status kan_partition_box(kan_partition_worker *worker,
                                          const kan_partition_region *region,
                                          const kan_partition_cut *cut, uint32_t place,
                                          bool is_first, kan_partition_region *part);
KAN_MUST_USE kan_status kan_partition_regions_add(kan_run *run, kan_partition_regions *list,
                                                  const kan_partition_region *region);

/* ---- partition_levels.c ---------------------------------------------------------------------- */

/* Whether highest levels are below the top: then some cuts must be made. */
bool kan_partition_has_levels(const kan_partition_space *space);
/* Makes these cuts: `out` has the root, or the parts that it falls into. */
KAN_MUST_USE kan_status kan_partition_cut_at_levels(kan_partition_worker *worker,
                                                    const kan_partition_region *root,
                                                    kan_partition_regions *out);

/* ---- regions --------------------------------------------------------------------------------- */

/* Cuts regions whose records are in memory until nothing can be cut: in the order of their records.
 * workers: one for each thread. */
KAN_MUST_USE kan_status kan_partition(const kan_partition_space *space,
                                      kan_partition_worker *workers,
                                      const kan_partition_region *roots, size_t n_roots,
                                      kan_partition_regions *out);
/* The region of all records; its box is the worker's. */
KAN_MUST_USE kan_status kan_partition_root(kan_partition_worker *worker, kan_partition_region *out);

/* What regions show, taken piece by piece. */
typedef struct kan_partition_shower kan_partition_shower;
KAN_MUST_USE kan_status kan_partition_shower_create(const kan_partition_space *space,
                                                    kan_partition_shower **out);
void kan_partition_shower_destroy(kan_partition_shower *shower);
/* Regions whose records are those of `space`, which differs in its records alone. */
KAN_MUST_USE kan_status kan_partition_shower_add(kan_partition_shower *shower,
                                                 const kan_partition_space *space,
                                                 const kan_partition_regions *regions);
/* After all regions: the rows of these tuples are left out. */
KAN_MUST_USE kan_status kan_partition_shower_lose(kan_partition_shower *shower,
                                                  const kan_partition_lost *lost);
/* Hands over what was shown. */
kan_regions *kan_partition_shower_take(kan_partition_shower *shower);

/* partition_on_disk.c: all of it for a problem that is not folded, whose rows need not fit into memory.
 */
KAN_MUST_USE kan_status kan_partition_large(kan_partition_space *space,
                                            kan_partition_worker *workers,
                                            kan_partition_shower *shower, bool *is_found);

/* ---- searches -------------------------------------------------------------------------------- */

/* A whole search. */
KAN_MUST_USE kan_status kan_partition_search(kan_run *run, const kan_question *question,
                                             bool is_relaxed, kan_answer *out);

#define KAN_PARTITION_SUMMARY_OPTION                                                               \
    {                                                                                              \
        .name = "summary", .argument = "NAME",                                                     \
        .summary = "what numbers are shown as: range; mean, the mean of the group (up to 6 "       \
                   "digits after the point; unknown values do not count); median, its middle "     \
                   "number, the lower of two; or both, a range and the mean in its own "           \
                   "column NAME-mean",                                                             \
        .type = KAN_OPTION_CHOICE, .traits = KAN_TRAIT_SHOWN, .fallback = "range",                 \
        .choices = "range|mean|median|both"                                                        \
    }

#define KAN_PARTITION_OPTIONS                                                                      \
    {.name = "split",                                                                              \
     .argument = "NAME",                                                                           \
     .summary = "which cut is made: widest, of the column with the widest range; entropy, of the " \
                "column whose values are spread most evenly; cost, the one that gains most by "    \
                "--cost; workload, one that --workload asks for; purpose, the one that tells the " \
                "outcome of --for apart best (default: with --for purpose if the model uses "      \
                "every quasi-identifier, else cost; otherwise workload if --workload is given, "   \
                "else cost if --cost is, else widest; mondrian-relaxed does not look at queries)", \
     .type = KAN_OPTION_CHOICE,                                                                    \
     .traits = KAN_TRAIT_SHOWN,                                                                    \
     .choices = "widest|entropy|cost|workload|purpose"},                                           \
        {.name = "ranges",                                                                         \
         .argument = "NAME",                                                                       \
         .summary = "what a group shows: tight (the values that it has) or global (the bounds of " \
                    "the cuts around it)",                                                         \
         .type = KAN_OPTION_CHOICE,                                                                \
         .traits = KAN_TRAIT_SHOWN,                                                                \
         .fallback = "tight",                                                                      \
         .choices = "tight|global"},                                                               \
        {.name = "categories",                                                                     \
         .argument = "NAME",                                                                       \
         .summary = "how text is cut: tree, a node of its hierarchy into its children (needs "     \
                    "one of at least two levels, and is then the default); order, between "        \
                    "neighbours in its order (the default elsewhere, and with --split workload); " \
                    "any, also the frequent values against the others (the default with --split "  \
                    "cost, but not with --for; tight ranges only, and not mondrian-relaxed)",      \
         .type = KAN_OPTION_CHOICE,                                                                \
         .traits = KAN_TRAIT_SHOWN,                                                                \
         .choices = "tree|order|any"},                                                             \
        KAN_PARTITION_SUMMARY_OPTION, {                                                            \
        .name = "workload", .argument = "FILE",                                                    \
        .summary = "queries that the release should answer well, one per line, such as COUNT "     \
                   "WHERE age <= 36 (kanon utility says how well it does)",                        \
        .type = KAN_OPTION_PATH, .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_NEEDS_ROWS                  \
    }

#endif
