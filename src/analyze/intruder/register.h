/* Somebody holds a list of people against a release: which rows may be whose, and what these rows say.
 *
 * A row matches a person when each value that is known of her is covered by what the row shows
 * (analyze/cover), or is the same where nothing else would do. Of the values that the matching rows show in a
 * sensitive column she most likely has the one that most of them show. */
#ifndef KANON_ANALYZE_INTRUDER_REGISTER_H
#define KANON_ANALYZE_INTRUDER_REGISTER_H

#include "data/hierarchies/hierarchies.h"

/* A column of both tables. */
typedef struct kan_known_column {
    size_t released, known;         /* its places */
    const kan_hierarchy *hierarchy; /* bound to the column of the register; NULL: none is known */
    bool is_exact; /* rows show it as it was: nothing but the value itself covers */
} kan_known_column;

typedef struct kan_register_question {
    const kan_table *release, *people; /* sealed; the columns are encoded */
    const kan_known_column *columns;
    size_t n_columns;
    const size_t *sensitive; /* columns of the release */
    size_t n_sensitive;
    uint64_t
        n_sample; /* people who are drawn; 0: all, or as many as can be asked in reasonable time */
    uint64_t
        most_pairs; /* of people and groups that are looked at then; 0: 2^32, of the nearest 2^29 */
    uint64_t seed;
    bool wants_values; /* all that matching rows show, beside what most of them do */
} kan_register_question;

typedef struct kan_register kan_register;

/* Reads what labels cover. Whatever the question points to must outlive it. */
KAN_MUST_USE kan_status kan_register_create(kan_run *run, const kan_register_question *question,
                                            kan_register **out);
void kan_register_destroy(kan_register *people);

/* What most of the matching rows show; the first such value of the column where there are several. */
typedef struct kan_register_guess {
    uint32_t code; /* of the release */
    uint64_t rows; /* that show it; 0: no row matches */
} kan_register_guess;

/* What was found of people who are alike in the columns that are known of them: a tuple. */
typedef struct kan_register_answer {
    kan_run *run;
    uint64_t n_people;  /* of the register */
    uint64_t n_asked;   /* of these; as many where nobody was drawn */
    uint64_t *asked;    /* rows of the register, ascending */
    uint32_t *tuple_of; /* of each of these */
    size_t n_tuples, n_sensitive;
    uint64_t *rows;     /* by tuple: that match */
    uint64_t *row;      /* by tuple: the first of them; UINT64_MAX: there is none */
    uint8_t *is_mutual; /* by tuple: one row matches, and nobody else of the register matches it */
    kan_register_guess *guesses; /* n_sensitive for each tuple */
    /* The same: all values that matching rows show, where they are wanted; else NULL. */
    kan_register_guess **values;
    uint32_t *n_values;
    uint8_t *holds;  /* by asked, of the nearest: whether her own row is among them; else NULL */
    uint64_t n_rows; /* of the release */
    uint64_t n_rows_alone; /* that match exactly one person; 0 where people were drawn */
} kan_register_answer;

/* `columns` are numbers of the question's, at least one. The same on any number of threads.
 * O(tuples of people * groups) at most: of the column that cuts most, only groups that cover are looked at. */
KAN_MUST_USE kan_status kan_register_ask(kan_register *people, const size_t *columns, size_t n,
                                         kan_register_answer *out);
void kan_register_answer_destroy(kan_register_answer *answer);

/* The same, with the rows that are nearest in place of those that match (nearest.c): at least one for everybody.
 * `row_of` is by row of the register her row of the release, UINT64_MAX where nobody knows; NULL: nobody
 * does. Nobody's is_mutual, and no row's people, are told. O(tuples of people * groups * columns). */
KAN_MUST_USE kan_status kan_register_ask_nearest(kan_register *people, const size_t *columns,
                                                 size_t n, const uint64_t *row_of,
                                                 kan_register_answer *out);

/* All rows handed out at once, each to one person at most, so that the distances add up to the least. */
typedef struct kan_assigned {
    bool is_done;        /* it was not too much work: the members below hold then */
    uint64_t n_assigned; /* people */
    double distance;     /* that theirs add up to */
    double
        right; /* of these, expected: who are sent to rows like their own, and there find theirs by chance */
} kan_assigned;

/* `row_of` as above, and not NULL. Everybody of the list takes part. About O(tuples of people^2 * groups). */
KAN_MUST_USE kan_status kan_register_assign(kan_register *people, const size_t *columns, size_t n,
                                            const uint64_t *row_of, kan_assigned *out);

/* How many different numbers, or dates, the column of the question shows that are none of the original's,
 * and that cover nobody of the register: values that were changed, and not made coarser. */
KAN_MUST_USE kan_status kan_register_new_numbers(kan_register *people, size_t column,
                                                 const kan_column *original, uint64_t *n);

static inline const kan_register_guess *kan_register_guesses(const kan_register_answer *answer,
                                                             uint64_t asked) {
    return answer->guesses + (size_t)answer->tuple_of[asked] * answer->n_sensitive;
}

#endif
