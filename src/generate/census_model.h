/* What the synthetic census is made of: its columns, its trees, and how often what goes with what.
 *
 * Columns and cardinalities are those of the Adults database in Figure 9 of the Incognito paper;
 * the names of the values, the trees and every weight are our own inventions. Weights are whole
 * numbers that count only against the others of their row, so each row may sum to anything. */
#ifndef KANON_GENERATE_CENSUS_MODEL_H
#define KANON_GENERATE_CENSUS_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    KAN_CENSUS_LEAST_AGE = 17,
    KAN_CENSUS_AGES = 74,
    KAN_CENSUS_GENDERS = 2,
    KAN_CENSUS_RACES = 5,
    KAN_CENSUS_MARITAL = 7,
    KAN_CENSUS_EDUCATIONS = 16,
    KAN_CENSUS_COUNTRIES = 41,
    KAN_CENSUS_WORK_CLASSES = 7,
    KAN_CENSUS_OCCUPATIONS = 14,
    KAN_CENSUS_SALARIES = 2,
    /* What the other columns depend on is coarser than age and education. */
    KAN_CENSUS_BANDS = 7,  /* of age */
    KAN_CENSUS_STAGES = 5, /* of education: its level 1 */
    KAN_CENSUS_AGE_KNOTS = 10
};

/* The columns in the order of the table. */
typedef enum kan_census_column {
    KAN_CENSUS_AGE,
    KAN_CENSUS_GENDER,
    KAN_CENSUS_RACE,
    KAN_CENSUS_MARITAL_STATUS,
    KAN_CENSUS_EDUCATION,
    KAN_CENSUS_COUNTRY,
    KAN_CENSUS_WORK_CLASS,
    KAN_CENSUS_OCCUPATION,
    KAN_CENSUS_SALARY,
    KAN_CENSUS_COLUMNS
} kan_census_column;

typedef struct kan_census_domain {
    const char *name; /* of the column */
    unsigned n_values;
    /* Lines of the hierarchy file in preorder, "value;level 1;...;*"; the place of a line is the
     * code of its value. NULL for age, whose values are numbers. */
    const char *const *lines;
} kan_census_domain;

extern const kan_census_domain kan_census_domains[KAN_CENSUS_COLUMNS];

/* How many people are of what age: knots, to be joined by straight lines. */
extern const struct kan_census_knot {
    uint8_t age;
    uint16_t weight;
} kan_census_age_knots[KAN_CENSUS_AGE_KNOTS];

/* The last age of each band, and the stage of each education. */
extern const uint8_t kan_census_band_ends[KAN_CENSUS_BANDS];
extern const uint8_t kan_census_stages[KAN_CENSUS_EDUCATIONS];

extern const uint16_t kan_census_gender[KAN_CENSUS_GENDERS];
extern const uint16_t kan_census_race[KAN_CENSUS_RACES];
extern const uint16_t kan_census_country[KAN_CENSUS_RACES][KAN_CENSUS_COUNTRIES];
extern const uint16_t kan_census_marital[KAN_CENSUS_BANDS][KAN_CENSUS_GENDERS][KAN_CENSUS_MARITAL];
extern const uint16_t kan_census_education[KAN_CENSUS_BANDS][KAN_CENSUS_EDUCATIONS];
extern const uint16_t kan_census_occupation[KAN_CENSUS_STAGES][KAN_CENSUS_GENDERS]
                                           [KAN_CENSUS_OCCUPATIONS];
extern const uint16_t kan_census_work_class[KAN_CENSUS_OCCUPATIONS][KAN_CENSUS_WORK_CLASSES];

/* The chance of a high salary, in thousandths: the sum of four parts, kept within 5 .. 950. */
extern const int16_t kan_census_salary_stage[KAN_CENSUS_STAGES];
extern const int16_t kan_census_salary_band[KAN_CENSUS_BANDS];
extern const int16_t kan_census_salary_occupation[KAN_CENSUS_OCCUPATIONS];
extern const int16_t kan_census_salary_gender[KAN_CENSUS_GENDERS];

#endif
