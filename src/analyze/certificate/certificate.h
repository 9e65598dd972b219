/* The door of analyze/certificate: what proves the answer of a full-domain search, and its check.
 * May touch core, data, io, recode and analyze/verify.
 *
 * A certificate names the minimal satisfying nodes of the lattice and the maximal failing ones,
 * each with a fact that anybody can count again. The check shares no code with group, privacy, cost
 * and search: it groups rows by the labels that a release would show, with tables of its own.
 *
 *   kan_certificate_make    fills in the facts of nodes that a search has found
 *   kan_certificate_fits    whether a certificate is about this table and these hierarchies
 *   kan_certificate_check   whether everything that it claims is true
 *
 * Why it is a proof: generalizing a node merges groups. A group of k rows stays one, so the rows in
 * smaller groups never become more. So whatever is above a node that satisfies k-anonymity within
 * the limit satisfies it, and whatever is below one that fails it fails it. When every node of the
 * lattice is one or the other, nothing was left out. Where levels were ruled out, the lattice is the
 * box of those that were not, and nothing is said of what lies outside.
 *
 * Where a person may have several rows, a group has as many people as have a row in it, and merging
 * groups leaves k people k. By row the same follows. By person whoever has a row in a group of fewer
 * leaves, until none is left; whoever stays at a node stays above it (docs/papers/people.md). */
#ifndef KANON_ANALYZE_CERTIFICATE_CERTIFICATE_H
#define KANON_ANALYZE_CERTIFICATE_CERTIFICATE_H

#include "core/hash.h"
#include "core/text.h"
#include "data/hierarchies/hierarchies.h"
#include "data/table.h"

enum { KAN_CERTIFICATE_ATTRIBUTES = KAN_MAX_ATTRIBUTES, KAN_CERTIFICATE_FAULTS = 20 };

/* Tells a wrong file from the right one. It does not resist somebody who wants to deceive: the
 * recount finds that. */
typedef struct kan_checksum {
    uint64_t words[2];
} kan_checksum;

/* Nodes: n vectors of n_attributes levels, strictly ascending in lexicographic order. */
typedef struct kan_certificate_nodes {
    size_t n;
    uint8_t *levels;
    uint64_t *facts; /* of a minimal node the rows, or people, that it suppresses; of a failing one
                        with limit 0 the number of a row, from 1, in a group that is too small, rows
                        being numbered in the order of their values; with a limit, and of histories,
                        what it would have to suppress */
} kan_certificate_nodes;

/* A cost as the certificate tells it. */
typedef struct kan_certificate_cost {
    bool is_finite; /* false: nothing is released, and the cost has no number for that */
    bool is_whole;
    uint64_t whole;
    double real; /* always */
} kan_certificate_cost;

typedef struct kan_certificate {
    kan_run *run;
    kan_arena arena; /* texts */
    unsigned n_attributes;
    struct {
        const char *name; /* as JSON shows it: bytes that are not UTF-8 are U+FFFD */
        unsigned height;
        unsigned lowest, highest; /* the lattice has no other levels of it */
        double weight;
        kan_checksum checksum; /* of the hierarchy's structure */
    } attributes[KAN_CERTIFICATE_ATTRIBUTES];
    bool is_weighted;        /* the cost looks at the weights */
    const char *class_name;  /* NULL: the cost looks at no class */
    const char *person_name; /* whose each row is: people are counted; NULL: rows are */
    bool by_person;          /* people are left out, and the limit is of them; else rows */
    bool histories;          /* what all rows of a person show is shown by those of k */
    uint64_t n_rows;
    kan_checksum
        checksum; /* of the table's quasi-identifiers, of its class, and of whose rows are */
    uint64_t k, limit;
    kan_certificate_nodes minimal, failing;
    struct {
        uint8_t levels[KAN_CERTIFICATE_ATTRIBUTES];
        uint64_t n_suppressed;
        const char *cost;
        kan_certificate_cost value;
        bool is_optimal;   /* claimed: no satisfying node costs less */
        bool must_release; /* among nodes that release at least one row */
    } solution;
} kan_certificate;

void kan_certificate_init(kan_certificate *certificate, kan_run *run);
void kan_certificate_destroy(kan_certificate *certificate);
/* Room for n nodes in a list, all 0. */
KAN_MUST_USE kan_status kan_certificate_reserve(kan_certificate *certificate,
                                                kan_certificate_nodes *nodes, size_t n);

/* What a certificate is about, by attribute. Sealed, encoded, and bound. */
typedef struct kan_certificate_data {
    const kan_table *table;
    unsigned n_attributes;
    size_t columns[KAN_CERTIFICATE_ATTRIBUTES];
    const kan_hierarchy *hierarchies[KAN_CERTIFICATE_ATTRIBUTES];
    bool has_class;
    size_t class_column;
    bool has_person;
    size_t person_column;
} kan_certificate_data;

/* Whether a failing node is shown to fail by one row. */
static inline bool kan_certificate_has_witnesses(const kan_certificate *certificate) {
    return certificate->limit == 0 && !certificate->histories;
}

/* Whether the check knows a cost of that name, and whether the cost looks at a class. */
bool kan_certificate_knows(const char *cost, bool *needs_class);

/* Whether levels are within those that the lattice has, lists ascending, rows and k within the table: what can be
 * seen without the data. KAN_BAD_INPUT says what is wrong; `name` is the certificate's. */
KAN_MUST_USE kan_status kan_certificate_check_form(const kan_certificate *certificate,
                                                   const char *name);

/* Fills in number of rows, checksums, heights and the facts of all nodes, and checks what a search
 * has said of them, the optimum aside. What is not true is KAN_FAILED: a fault of the search. */
KAN_MUST_USE kan_status kan_certificate_make(kan_certificate *certificate,
                                             const kan_certificate_data *data);

/* KAN_BAD_INPUT, naming what differs, when the data is not what the certificate is about. `name` is
 * the certificate's, `table_name` that of the table. */
KAN_MUST_USE kan_status kan_certificate_fits(const kan_certificate *certificate,
                                             const kan_certificate_data *data, const char *name,
                                             const char *table_name);

typedef enum kan_optimality {
    KAN_OPTIMALITY_PROVEN,
    KAN_OPTIMALITY_NOT_CLAIMED,
    KAN_OPTIMALITY_NOT_CHECKED, /* too many nodes would have to be measured */
    KAN_OPTIMALITY_REFUTED
} kan_optimality;

const char *kan_optimality_name(kan_optimality optimality); /* "proven" */

typedef struct kan_certificate_report {
    bool holds;      /* nothing that was claimed and could be checked is false; whether all was
                        checked is for `optimality` to say */
    kan_text faults; /* one line each, the first KAN_CERTIFICATE_FAULTS of them */
    uint64_t n_faults;
    kan_optimality optimality;
    uint64_t n_measured; /* nodes whose cost was computed to prove it */
    bool is_countable;   /* the lattice has fewer than 2^63 nodes; then: */
    uint64_t n_nodes, n_satisfying;
    bool is_covered; /* else n_satisfying is not known */
} kan_certificate_report;

/* Measures at most so many nodes to check that nothing is better; 0: as many as take some ten
 * seconds. The report is initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_certificate_check(const kan_certificate *certificate,
                                              const kan_certificate_data *data, uint64_t most_nodes,
                                              kan_certificate_report *out);
void kan_certificate_report_destroy(kan_certificate_report *report);

#endif
