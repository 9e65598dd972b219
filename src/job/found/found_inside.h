/* The inside of job/found: the sets of columns that are tried (found_sets.c), what is counted (found_list.c), who is
 * most exposed (found_exposed.c), and how it is told (found_json.c, found_tell.c). */
#ifndef KANON_JOB_FOUND_FOUND_INSIDE_H
#define KANON_JOB_FOUND_FOUND_INSIDE_H

#include "job/found/found.h"

/* People of whom something is told. */
typedef struct kan_found_tally {
    uint64_t people, right, wrong; /* of others nobody knows */
} kan_found_tally;

typedef struct kan_found_column {
    kan_found_tally certain, likely; /* all of her rows show it; more than nine in ten do */
} kan_found_column;

typedef struct kan_found_figures {
    uint64_t none, one, few, many; /* people by their rows: none, one, less than k, k and more */
    uint64_t mutual;               /* of `one`: nobody else matches the row */
    kan_found_tally found;         /* of `one`: whether it is their row */
    kan_found_column *columns;     /* by sensitive column */
    double expected; /* people who are found by who takes one of their rows at random */
    double right;    /* of these, as the truth says */
} kan_found_figures;

/* Somebody who is found more easily than others. */
typedef struct kan_found_person {
    uint64_t asked; /* number of an answer */
    double share;   /* how likely a guess is right: of her row, or of a value */
    uint64_t rows;
} kan_found_person;

enum { KAN_FOUND_MOST_EXPOSED = 10 };

struct kan_found {
    kan_found_question question;
    kan_run *run;
    kan_register *people;
    size_t *set; /* the columns that are known: numbers of the question's */
    size_t n_set;
    size_t wanted; /* number of the sensitive column that is wanted; SIZE_MAX: any */
    kan_register_answer answer;
    bool has_answer;
    uint64_t n_sets; /* that were tried */
    double sum_one;  /* people whom one row matches, over all sets */
    uint64_t worst[2];
    uint64_t n_people, n_asked; /* of the list; less those who are known not to be in the release */
    kan_found_figures figures;
    kan_found_person exposed[KAN_FOUND_MOST_EXPOSED];
    size_t n_exposed;
    /* By nearest rows, where these are asked about. */
    bool has_nearest, near_holds; /* whether her own row is among them is known */
    uint64_t n_changed;           /* numbers that the original has not; or it was asked for */
    kan_register_answer nearest;
    uint64_t n_near_people, n_near_asked;
    kan_assigned
        assigned; /* all at once, where everybody was looked for and it is known who is who */
    kan_found_figures near_figures;
    kan_found_person near_exposed[KAN_FOUND_MOST_EXPOSED];
    size_t n_near_exposed;
};

/* Asks by every set of columns that the profile may know, and keeps the worst answer. */
KAN_MUST_USE kan_status kan_found_try_sets(kan_found *found);

/* What follows for all people from those who were drawn. */
typedef struct kan_found_estimate {
    double expected, low, high;
} kan_found_estimate;

/* Wilson's interval of 95%; of a sum of shares of people it is too wide rather than too narrow. */
kan_found_estimate kan_found_estimate_of(uint64_t n_people, uint64_t n_asked, double people);

/* The row of the original that a person is; KAN_FOUND_NOBODY. */
static inline uint64_t kan_found_original(const kan_found *found, uint64_t person) {
    const kan_found_truth *truth = found->question.truth;
    return truth && truth->original_of ? truth->original_of[person]
           : truth                     ? person
                                       : KAN_FOUND_NOBODY;
}

/* Whether a row is hers: 1, 0, or -1 where nobody knows. */
int kan_found_is_hers(const kan_found *found, uint64_t person, uint64_t row);
bool kan_found_is_skipped(const kan_found *found, uint64_t person);
const char *kan_found_name(const kan_found *found, size_t released);

/* Takes somebody in, if fewer are more exposed. */
void kan_found_expose(kan_found_person *exposed, size_t *n, const kan_found_person *person);

#endif
