/* The individual risk of every row, and the risk of households.
 *
 * Each row has a weight: how many people of the population it stands for. Without weights the risk of
 * a row is 1 / f. A household is recognised when any of its members is: its risk is 1 minus the
 * product of 1 - r over its rows, and each of them has it. */
#ifndef KANON_ANALYZE_RISK_RISK_INDIVIDUAL_H
#define KANON_ANALYZE_RISK_RISK_INDIVIDUAL_H

#include "analyze/risk/risk_tuples.h"
#include "analyze/verify/verify.h"

typedef struct kan_individual_question {
    const kan_risk_tuples *tuples; /* borrowed, as all of this, while the question is answered */
    uint64_t n_rows;
    const uint64_t *crowd;        /* by tuple: f, where hidden values match any; NULL: its rows */
    const double *people;         /* by tuple: F, of that crowd; NULL: no weights */
    const uint32_t *household_of; /* by row, below n_households; NULL: nobody asks */
    uint32_t n_households;        /* some of them may have no row */
    uint64_t threshold;           /* a risk above 1 / threshold is high; 0 counts as 1 */
    double tolerated;             /* see kan_risk_spread.allowed; below 0: nobody asks */
} kan_individual_question;

/* Risks, a row each; plain numbers. */
typedef struct kan_risk_spread {
    uint64_t n_rows;
    double highest, average; /* the average is the global risk */
    double expected;         /* the sum: how many rows would be recognised */
    double median, upper_10,
        upper_1;        /* half, a tenth, a hundredth of the rows have more, or as much */
    uint64_t n_at_risk; /* rows above 1 / threshold */
    /* The largest risk r* to which risks may be lowered so that the average is at most the tolerated
     * one: the sum of min(r, r*) is at most tolerated * rows. NAN: nothing must be lowered, or nobody
     * asks. */
    double allowed;
    uint64_t n_above_allowed; /* rows above it */
} kan_risk_spread;

typedef struct kan_individual_risks {
    kan_run *run;
    double *of_tuple; /* r */
    kan_risk_spread rows;
    bool has_households;
    double *of_household;       /* NULL without */
    kan_risk_spread households; /* of rows, each with the risk of its household */
    uint64_t n_households;      /* with a row */
    uint64_t n_alone;           /* of these: no other household has the same rows */
} kan_individual_risks;

/* O(rows * log rows). */
KAN_MUST_USE kan_status kan_individual_risks_measure(kan_run *run,
                                                     const kan_individual_question *question,
                                                     kan_individual_risks *out);
void kan_individual_risks_destroy(kan_individual_risks *risks);

#endif
