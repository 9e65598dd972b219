/* The people of the generator `hospital`: who they are, when they stay, and what is written down then.
 * All of it follows from the seed and a number, so that any of them can be had at once. */
#ifndef KANON_GENERATE_HOSPITAL_MODEL_H
#define KANON_GENERATE_HOSPITAL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    KAN_HOSPITAL_FIRST_YEAR = 1930, /* of birth */
    KAN_HOSPITAL_YEARS = 90,
    KAN_HOSPITAL_FIRST_ZIP = 53000,
    KAN_HOSPITAL_ZIPS = 400,
    KAN_HOSPITAL_WARDS = 12,
    KAN_HOSPITAL_LETTERS = 21, /* first letters of codes */
    KAN_HOSPITAL_CATEGORIES = 20,
    KAN_HOSPITAL_ENDINGS = 4,
    KAN_HOSPITAL_CODES = KAN_HOSPITAL_LETTERS * KAN_HOSPITAL_CATEGORIES * KAN_HOSPITAL_ENDINGS,
    KAN_HOSPITAL_MOST_CODES = 13, /* of a stay */
    KAN_HOSPITAL_DAYS = 731,      /* on which people are admitted: 2024 and 2025 */
    KAN_HOSPITAL_CODE_BYTES = 8,
    KAN_HOSPITAL_DATE_BYTES = 16
};

typedef struct kan_hospital_ward {
    const char *name, *department;
} kan_hospital_ward;
extern const kan_hospital_ward kan_hospital_wards[KAN_HOSPITAL_WARDS];

typedef struct kan_hospital_patient {
    unsigned birth, zip;
    bool is_female;
    const char *insurance;
    unsigned n_stays;
} kan_hospital_patient;

typedef struct kan_hospital_stay {
    uint64_t patient;
    unsigned day, n_days; /* the day of admission, from 0 */
    unsigned ward;
    unsigned n_codes, codes[KAN_HOSPITAL_MOST_CODES]; /* all different */
} kan_hospital_stay;

/* Stays of all of so many patients. */
uint64_t kan_hospital_count_stays(uint64_t seed, uint64_t n_patients);
void kan_hospital_patient_make(uint64_t seed, uint64_t patient, kan_hospital_patient *out);
/* The stay of that number, from 0: those of a patient come one after the other. */
void kan_hospital_stay_make(uint64_t seed, uint64_t stay, kan_hospital_stay *out);

/* "E11.9", "E11", "E10-E19", "E": what a code becomes level by level. */
void kan_hospital_code_text(unsigned code, unsigned level, char room[KAN_HOSPITAL_CODE_BYTES]);
/* "2024-02-29", and its month from 1. */
void kan_hospital_date_text(unsigned day, char room[KAN_HOSPITAL_DATE_BYTES], unsigned *month);

#endif
