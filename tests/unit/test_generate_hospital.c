/* The made-up hospital: how many stays and diagnoses people have, that no two stays of a person are at
 * once, and what everything is called. What the files hold is tests/cli/generate-hospital.test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "generate/generate.h"
#include "generate/hospital_model.h"
#include "generate/scatter.h"

enum { PATIENTS = 20000, BLOCK = 100, BLOCK_STAYS = 300 };
#define SEED 20260301u

/* Of all that is drawn for the first 20,000 patients of the generator's own seed. */
#define PINNED 0x5eea0e95022f81bau

static void stays_add_up_for_every_number_of_patients(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t n = 0;
        for (uint64_t patient = 0; patient < 5 * BLOCK + 7; patient++) {
            kan_hospital_patient who;
            assert_true(kan_hospital_count_stays(seed, patient) == n);
            kan_hospital_patient_make(seed, patient, &who);
            n += who.n_stays;
            if ((patient + 1) % BLOCK == 0)
                assert_true(n == (patient + 1) / BLOCK * BLOCK_STAYS);
        }
    }
}

static void a_patient_has_the_stays_that_she_is_said_to_have(void **state) {
    (void)state;
    uint64_t stay = 0;
    for (uint64_t patient = 0; patient < 3 * BLOCK; patient++) {
        kan_hospital_patient who;
        kan_hospital_patient_make(3, patient, &who);
        for (unsigned i = 0; i < who.n_stays; i++, stay++) {
            kan_hospital_stay what;
            kan_hospital_stay_make(3, stay, &what);
            assert_true(what.patient == patient);
        }
    }
}

static void no_two_stays_of_a_patient_are_at_once(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        kan_hospital_stay last = {.patient = UINT64_MAX};
        for (uint64_t stay = 0; stay < 20 * BLOCK_STAYS; stay++) {
            kan_hospital_stay what;
            kan_hospital_stay_make(seed, stay, &what);
            assert_true(what.n_days >= 1 && what.day < KAN_HOSPITAL_DAYS);
            if (what.patient == last.patient)
                assert_true(what.day >= last.day + last.n_days);
            last = what;
        }
    }
}

static void no_stay_has_a_code_twice(void **state) {
    (void)state;
    for (uint64_t stay = 0; stay < 20 * BLOCK_STAYS; stay++) {
        kan_hospital_stay what;
        kan_hospital_stay_make(7, stay, &what);
        assert_true(what.n_codes <= KAN_HOSPITAL_MOST_CODES);
        for (unsigned i = 0; i < what.n_codes; i++) {
            assert_true(what.codes[i] < KAN_HOSPITAL_CODES);
            for (unsigned j = 0; j < i; j++)
                assert_int_not_equal(what.codes[i], what.codes[j]);
        }
    }
}

static int by_count(const void *a, const void *b) {
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

/* The first ten codes are a third of all, and half of the codes together less than a tenth. */
static void few_codes_are_common_and_most_are_rare(void **state) {
    (void)state;
    static unsigned n[KAN_HOSPITAL_CODES];
    uint64_t total = 0, first = 0, last = 0;
    memset(n, 0, sizeof n);
    for (uint64_t stay = 0; stay < PATIENTS / BLOCK * BLOCK_STAYS; stay++) {
        kan_hospital_stay what;
        kan_hospital_stay_make(SEED, stay, &what);
        for (unsigned i = 0; i < what.n_codes; i++)
            n[what.codes[i]]++;
        total += what.n_codes;
    }
    qsort(n, KAN_HOSPITAL_CODES, sizeof *n, by_count);
    for (unsigned i = 0; i < 10; i++)
        first += n[i];
    for (unsigned i = KAN_HOSPITAL_CODES / 2; i < KAN_HOSPITAL_CODES; i++)
        last += n[i];
    assert_in_range(total, 195000, 205000);
    assert_true(3 * first > total * 9 / 10 && 10 * last < total);
}

static void days_are_those_of_the_calendar(void **state) {
    (void)state;
    char text[KAN_HOSPITAL_DATE_BYTES], last[KAN_HOSPITAL_DATE_BYTES] = "";
    unsigned month;
    for (unsigned day = 0; day < KAN_HOSPITAL_DAYS; day++) {
        kan_hospital_date_text(day, text, &month);
        assert_true(strcmp(last, text) < 0);
        strcpy(last, text);
    }
    kan_hospital_date_text(59, text, &month);
    assert_string_equal(text, "2024-02-29");
    assert_int_equal(month, 2);
    kan_hospital_date_text(366, text, &month);
    assert_string_equal(text, "2025-01-01");
    assert_string_equal(last, "2025-12-31");
}

static void codes_have_the_levels_of_the_classification(void **state) {
    (void)state;
    char text[KAN_HOSPITAL_CODE_BYTES];
    static const char *const first[] = {"A10.0", "A10", "A10-A19", "A"};
    static const char *const last[] = {"Z29.9", "Z29", "Z20-Z29", "Z"};
    for (unsigned level = 0; level < 4; level++) {
        kan_hospital_code_text(0, level, text);
        assert_string_equal(text, first[level]);
        kan_hospital_code_text(KAN_HOSPITAL_CODES - 1, level, text);
        assert_string_equal(text, last[level]);
    }
}

static void a_scattered_walk_meets_everything_once(void **state) {
    (void)state;
    static bool seen[400];
    for (uint64_t n = 1; n < 400; n++)
        for (uint64_t wish = 0; wish < 5; wish++) {
            const uint64_t step = kan_scatter_step(n, wish * KAN_SCATTER_STEP);
            uint64_t at = 0;
            memset(seen, 0, sizeof seen);
            for (uint64_t i = 0; i < n; i++, at = kan_scatter_next(at, step, n)) {
                assert_true(at < n && !seen[at]);
                seen[at] = true;
            }
        }
}

static uint64_t hash_of(uint64_t seed) {
    uint64_t hash = 0;
    for (uint64_t patient = 0; patient < PATIENTS; patient++) {
        kan_hospital_patient who;
        kan_hospital_patient_make(seed, patient, &who);
        hash = kan_mix(hash ^ who.birth, who.zip + (who.is_female ? 1U : 0U)) + who.n_stays;
        hash = kan_mix(hash ^ (uint8_t)who.insurance[1], 31);
    }
    for (uint64_t stay = 0; stay < PATIENTS / BLOCK * BLOCK_STAYS; stay++) {
        kan_hospital_stay what;
        kan_hospital_stay_make(seed, stay, &what);
        hash = kan_mix(hash ^ what.day, what.n_days + 40 * what.ward) + what.patient;
        for (unsigned i = 0; i < what.n_codes; i++)
            hash = kan_mix(hash ^ what.codes[i], i + 7);
    }
    return hash;
}

/* The same on every platform: published figures rest on it. */
static void what_is_drawn_is_that_of_the_first_release(void **state) {
    (void)state;
    assert_int_equal(kan_generator_hospital.default_seed, SEED);
    assert_int_equal(kan_generator_hospital.default_rows, PATIENTS);
    assert_true(kan_hospital_count_stays(SEED, PATIENTS) == 60000);
    assert_true(hash_of(SEED) == PINNED);
    assert_true(hash_of(SEED + 1) != PINNED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_add_up_for_every_number_of_patients),
        cmocka_unit_test(a_patient_has_the_stays_that_she_is_said_to_have),
        cmocka_unit_test(no_two_stays_of_a_patient_are_at_once),
        cmocka_unit_test(no_stay_has_a_code_twice),
        cmocka_unit_test(few_codes_are_common_and_most_are_rare),
        cmocka_unit_test(days_are_those_of_the_calendar),
        cmocka_unit_test(codes_have_the_levels_of_the_classification),
        cmocka_unit_test(a_scattered_walk_meets_everything_once),
        cmocka_unit_test(what_is_drawn_is_that_of_the_first_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
