/* The inside of the command `attack`: the walk (walk_attack.c), tables and columns (attack_tables.c), who is who
 * (attack_truth.c), what somebody knows (attack_known.c), and the attacks, a file and a line of the table (attack_kinds.c) each: what is told of each,
 * its sentences first, is its own matter; of a list of people it is that of job/found.
 *
 * Order of calls for an attack that is wanted: open, before columns are found; measure, once all tables are
 * read; json and tell; close, whatever happened. */
#ifndef KANON_JOB_ATTACK_ATTACK_INSIDE_H
#define KANON_JOB_ATTACK_ATTACK_INSIDE_H

#include "analyze/intruder/intruder.h"
#include "job/attack/attack.h"
#include "job/found/found.h"
#include "job/verify/verify.h"

/* The tables that attacks share: the release, a list of people, what the release was made from. */
typedef enum kan_attack_table {
    KAN_ATTACK_RELEASE,
    KAN_ATTACK_REGISTER,
    KAN_ATTACK_ORIGINAL,
    KAN_ATTACK_TABLES
} kan_attack_table;

typedef struct kan_attack_walk {
    kan_job *job;
    kan_run *run;
    bool has[KAN_ATTACK_TABLES];
    kan_verify_side sides[KAN_ATTACK_TABLES];
    size_t role_table[KAN_ATTACK_TABLES]; /* which of the tables of `roles` each of these is */
    kan_roles roles;
    size_t n_quasi;
    size_t *quasi
        [KAN_ATTACK_TABLES]; /* by quasi-identifier: its column; KAN_NO_COLUMN: there is none */
    const char **specs;      /* hierarchy of each as the user wrote it, or NULL */
    kan_hierarchy **hierarchies[KAN_ATTACK_TABLES]; /* of each, bound to the raw tables; or NULL */
    size_t n_sensitive;
    size_t *sensitive; /* columns of the release */
    uint64_t k;
    void **states; /* by attack; NULL: it is not wanted */
    double start_ms, read_ms;
} kan_attack_walk;

typedef struct kan_attack_kind {
    const char *setting;         /* which asks for it */
    const char *key;             /* of its object in the result */
    size_t size;                 /* of its state, which is zero at first */
    void (*check)(kan_job *job); /* adds problems of the settings; NULL: there are none */
    kan_status (*open)(kan_attack_walk *w, void *state); /* NULL: there is nothing to open */
    kan_status (*measure)(kan_attack_walk *w, void *state);
    json_t *(*json)(const kan_attack_walk *w, const void *state);
    void (*tell)(const kan_attack_walk *w, const void *state, kan_found_words *words);
    void (*close)(kan_attack_walk *w, void *state);
} kan_attack_kind;

extern const kan_attack_kind kan_attack_register, kan_attack_with, kan_attack_method;

size_t kan_attack_count(void);
const kan_attack_kind *kan_attack_at(size_t index);

/* ---- attack_tables.c -------------------------------------------------------------------------- */

/* Opens the tables, lets the attacks open theirs, finds columns and reads them, and binds hierarchies. */
KAN_MUST_USE kan_status kan_attack_read(kan_attack_walk *w);
void kan_attack_close(kan_attack_walk *w);

/* ---- attack_known.c ---------------------------------------------------------------------------- */

/* Once roles are known: columns that are read for it, beside those with a role. */
void kan_attack_take_others(kan_attack_walk *w);
/* The columns that list and release have, as the question's profile knows them. */
KAN_MUST_USE kan_status kan_attack_find_known(const kan_attack_walk *w, kan_found_question *out);

/* ---- attack_cross.c ---------------------------------------------------------------------------- */

typedef struct kan_attack_crossed {
    const kan_verify_side *side;
    size_t n_columns;
    kan_known_column *columns; /* that list and release have */
    kan_hierarchy **hierarchies;
    size_t *sensitive;
    kan_register *list;
    kan_register_answer answer;
    bool has_answer; /* the list has a quasi-identifier of it */
} kan_attack_crossed;

/* A list held against several releases, the first of which is the release. */
typedef struct kan_attack_crossing {
    size_t n, n_sensitive;
    size_t *columns; /* numbers of sensitive columns that all have */
    kan_attack_crossed *sides;
} kan_attack_crossing;

KAN_MUST_USE kan_status kan_attack_cross_ask(kan_attack_walk *w,
                                             const kan_verify_side *const *sides, size_t n,
                                             kan_attack_crossing *x);
/* Of the release and others, n of them from `first` on. */
KAN_MUST_USE kan_status kan_attack_cross(kan_attack_walk *w, const kan_attack_crossing *x,
                                         size_t first, size_t n_others, kan_cross *out,
                                         bool *has_found);
void kan_attack_crossing_destroy(kan_attack_walk *w, kan_attack_crossing *x);

/* ---- attack_truth.c --------------------------------------------------------------------------- */

/* Who is who, as far as the original tells. */
typedef struct kan_attack_truth {
    kan_run *run;
    uint64_t
        *original_of; /* by row of the register; KAN_FOUND_NOBODY: she is not in the original */
    /* By shown row of the release: the row of the original that it was made from; KAN_FOUND_NOBODY: it could be
     * several. NULL: nobody knows, and why. */
    uint64_t *row_of;
    const char *why;
    bool is_granted; /* that rows stand in the order of the original: nothing says so */
} kan_attack_truth;

/* There are a register and an original. */
KAN_MUST_USE kan_status kan_attack_find_truth(const kan_attack_walk *w, kan_attack_truth *out);
void kan_attack_truth_destroy(kan_attack_truth *truth);

#endif
