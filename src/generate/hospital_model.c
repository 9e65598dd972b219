/* Who stays when, and why. Of a hundred patients three never stayed, 48 once, one 41 times;
 * in what order is drawn for each hundred, so that nobody's number tells how often she came. Who comes three
 * times or more comes for a treatment: in equal steps, to the same ward, and with as many diagnoses each
 * time. The others' stays are as different as they are. Codes are drawn so that the first is a tenth
 * of all, the next two another tenth, the next four another: few are common, and most are rare. */
#include "generate/hospital_model.h"

#include <stdio.h>

#include "core/hash.h"

enum {
    BLOCK_PEOPLE = 100,
    BLOCK_STAYS = 300,
    SERIES_FROM = 3, /* stays: the patient comes for a treatment */
    LONGEST = 30,    /* days of a stay */
    CODE_STEP = 709, /* has no divisor in common with the number of codes */
    N_OWN = 3
};

/* How often each of a hundred patients stays. */
static const struct {
    unsigned n_people, n_stays;
} SHARES[] = {{3, 0}, {48, 1}, {16, 2}, {10, 3}, {8, 4}, {7, 6}, {3, 9}, {4, 12}, {1, 41}};
enum { N_SHARES = sizeof SHARES / sizeof *SHARES };

/* How many of a hundred stays have so many diagnoses. */
static const struct {
    unsigned n_stays, n_codes;
} CODES[] = {{3, 0}, {18, 1}, {23, 2}, {18, 3}, {13, 4}, {10, 5}, {6, 6}, {4, 7}, {3, 9}, {2, 13}};
static const unsigned SERIES_CODES[] = {2, 3, 3, 4, 4, 4};
enum { N_SERIES_CODES = sizeof SERIES_CODES / sizeof *SERIES_CODES };

const kan_hospital_ward kan_hospital_wards[KAN_HOSPITAL_WARDS] = {
    {"Cardiology", "Medicine"},
    {"Gastroenterology", "Medicine"},
    {"Oncology", "Medicine"},
    {"Nephrology", "Medicine"},
    {"General surgery", "Surgery"},
    {"Orthopaedics", "Surgery"},
    {"Urology", "Surgery"},
    {"Neurology", "Mind and nerves"},
    {"Psychiatry", "Mind and nerves"},
    {"Obstetrics", "Women and children"},
    {"Gynaecology", "Women and children"},
    {"Paediatrics", "Women and children"},
};

static const char LETTERS[KAN_HOSPITAL_LETTERS + 1] = "ABCDEFGHIJKLMNOPQRSTZ";
static const char ENDINGS[KAN_HOSPITAL_ENDINGS + 1] = "0189";

/* ---- numbers -------------------------------------------------------------------------------- */

/* What is drawn for one thing of a kind is drawn for it alone. */
typedef enum { OF_BLOCK, OF_PATIENT, OF_STAY, N_THINGS } thing;

static uint64_t draw_for(uint64_t seed, thing what, uint64_t number) {
    return kan_hash_word(seed ^ kan_hash_word(N_THINGS * number + what));
}

/* The lower of two draws: the first are likelier. */
static unsigned draw_low(uint64_t *random, unsigned n) {
    const uint64_t a = kan_random_below(random, n), b = kan_random_below(random, n);
    return (unsigned)(a < b ? a : b);
}

/* As many of each power of two. */
static unsigned draw_code(uint64_t *random) {
    enum { POWERS = 11 };
    uint64_t rank;
    do {
        const uint64_t size = UINT64_C(1) << kan_random_below(random, POWERS);
        rank = size - 1 + kan_random_below(random, size);
    } while (rank >= KAN_HOSPITAL_CODES);
    return (unsigned)(rank * CODE_STEP % KAN_HOSPITAL_CODES);
}

/* ---- patients ------------------------------------------------------------------------------- */

/* Of the patient at a place of her hundred. */
static unsigned count_at(uint64_t seed, uint64_t block, unsigned place) {
    static const unsigned steps[] = {1, 3, 7, 9, 11, 13, 17, 19}; /* none divides a hundred */
    const uint64_t drawn = draw_for(seed, OF_BLOCK, block);
    const uint64_t step = steps[drawn % 8];
    unsigned at = (unsigned)((place * step + drawn / 8 % BLOCK_PEOPLE) % BLOCK_PEOPLE);
    for (unsigned i = 0; i < N_SHARES; i++) {
        if (at < SHARES[i].n_people)
            return SHARES[i].n_stays;
        at -= SHARES[i].n_people;
    }
    return 0;
}

uint64_t kan_hospital_count_stays(uint64_t seed, uint64_t n_patients) {
    const uint64_t n_blocks = n_patients / BLOCK_PEOPLE;
    uint64_t n = n_blocks * BLOCK_STAYS;
    for (unsigned place = 0; place < n_patients % BLOCK_PEOPLE; place++)
        n += count_at(seed, n_blocks, place);
    return n;
}

void kan_hospital_patient_make(uint64_t seed, uint64_t patient, kan_hospital_patient *out) {
    uint64_t random = draw_for(seed, OF_PATIENT, patient);
    out->birth =
        KAN_HOSPITAL_FIRST_YEAR + KAN_HOSPITAL_YEARS - 1 - draw_low(&random, KAN_HOSPITAL_YEARS);
    out->is_female = kan_random_below(&random, 100) < 53;
    out->zip = KAN_HOSPITAL_FIRST_ZIP + 10 * draw_low(&random, KAN_HOSPITAL_ZIPS / 10) +
               (unsigned)kan_random_below(&random, 10);
    const uint64_t share = kan_random_below(&random, 100);
    out->insurance = share < 87 ? "public" : share < 98 ? "private" : "none";
    out->n_stays = count_at(seed, patient / BLOCK_PEOPLE, (unsigned)(patient % BLOCK_PEOPLE));
}

/* ---- stays ---------------------------------------------------------------------------------- */

static uint64_t patient_of(uint64_t seed, uint64_t stay, unsigned *index, unsigned *n_stays) {
    const uint64_t block = stay / BLOCK_STAYS;
    unsigned at = (unsigned)(stay % BLOCK_STAYS), place = 0;
    while (at >= (*n_stays = count_at(seed, block, place))) {
        at -= *n_stays;
        place++;
    }
    *index = at;
    return block * BLOCK_PEOPLE + place;
}

static unsigned draw_number_of_codes(uint64_t *random) {
    unsigned at = (unsigned)kan_random_below(random, 100), i = 0;
    while (at >= CODES[i].n_stays)
        at -= CODES[i++].n_stays;
    return CODES[i].n_codes;
}

static bool has_code(const kan_hospital_stay *stay, unsigned n, unsigned code) {
    for (unsigned i = 0; i < n; i++)
        if (stay->codes[i] == code)
            return true;
    return false;
}

/* The patient's own illnesses every other time. */
static void draw_codes(uint64_t *random, const unsigned own[N_OWN], kan_hospital_stay *out) {
    for (unsigned i = 0; i < out->n_codes;) {
        const uint64_t which = kan_random_below(random, UINT64_C(2) * N_OWN);
        const unsigned code = which < N_OWN ? own[which] : draw_code(random);
        if (!has_code(out, i, code))
            out->codes[i++] = code;
    }
}

/* Her days are divided among her stays, so that no two of them are at once. */
void kan_hospital_stay_make(uint64_t seed, uint64_t stay, kan_hospital_stay *out) {
    unsigned index, n_stays, own[N_OWN];
    const uint64_t patient = patient_of(seed, stay, &index, &n_stays);
    uint64_t hers = kan_hash_word(draw_for(seed, OF_PATIENT, patient)),
             random = draw_for(seed, OF_STAY, stay);
    for (unsigned i = 0; i < N_OWN; i++)
        own[i] = draw_code(&hers);
    const unsigned her_ward = own[0] % KAN_HOSPITAL_WARDS;
    const unsigned her_codes = SERIES_CODES[kan_random_below(&hers, N_SERIES_CODES)];
    const bool is_series = n_stays >= SERIES_FROM;
    const unsigned first = index * KAN_HOSPITAL_DAYS / n_stays,
                   end = (index + 1) * KAN_HOSPITAL_DAYS / n_stays, span = end - first;
    const unsigned offset = (unsigned)kan_random_below(is_series ? &hers : &random, span / 2 + 1);
    const unsigned left = span - offset;
    const bool is_hers = kan_random_below(&random, 3) > 0;
    out->patient = patient;
    out->day = first + offset;
    out->n_days = 1 + draw_low(&random, left < LONGEST ? left : LONGEST);
    out->ward =
        is_series || is_hers ? her_ward : (unsigned)kan_random_below(&random, KAN_HOSPITAL_WARDS);
    out->n_codes = is_series ? her_codes : draw_number_of_codes(&random);
    draw_codes(&random, own, out);
}

/* ---- texts ---------------------------------------------------------------------------------- */

void kan_hospital_code_text(unsigned code, unsigned level, char room[KAN_HOSPITAL_CODE_BYTES]) {
    const char letter = LETTERS[code / (KAN_HOSPITAL_CATEGORIES * KAN_HOSPITAL_ENDINGS)],
               ending = ENDINGS[code % KAN_HOSPITAL_ENDINGS];
    const unsigned category = 10 + code / KAN_HOSPITAL_ENDINGS % KAN_HOSPITAL_CATEGORIES;
    const unsigned ten = category / 10;
    if (level == 0)
        snprintf(room, KAN_HOSPITAL_CODE_BYTES, "%c%02u.%c", letter, category % 100, ending);
    else if (level == 1)
        snprintf(room, KAN_HOSPITAL_CODE_BYTES, "%c%02u", letter, category % 100);
    else if (level == 2)
        snprintf(room, KAN_HOSPITAL_CODE_BYTES, "%c%u0-%c%u9", letter, ten % 10, letter, ten % 10);
    else
        snprintf(room, KAN_HOSPITAL_CODE_BYTES, "%c", letter);
}

void kan_hospital_date_text(unsigned day, char room[KAN_HOSPITAL_DATE_BYTES], unsigned *month) {
    static const unsigned char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    enum { LEAP_DAYS = 366, LEAP_YEAR = 2024 };
    const bool is_leap = day < LEAP_DAYS;
    unsigned left = is_leap ? day : day - LEAP_DAYS, at = 0, length;
    while (left >= (length = lengths[at] + (is_leap && at == 1 ? 1U : 0U))) {
        left -= length;
        at++;
    }
    snprintf(room, KAN_HOSPITAL_DATE_BYTES, "%u-%02u-%02u", is_leap ? LEAP_YEAR : LEAP_YEAR + 1,
             at + 1, left + 1);
    *month = at + 1;
}
