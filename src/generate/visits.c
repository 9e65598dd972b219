/* The generator `visits`: what a hospital wrote down of its patients, who come once or often. Made
 * for what counts people and not rows. The same bytes for the same seed and number of rows
 * everywhere.
 *
 * Of every twenty patients one comes forty times, three once, and all of them together 200 times:
 * there are a tenth as many patients as rows. Year of birth, sex and zip code are a patient's, and
 * half of her visits are because of one illness of hers; day and ward are drawn for each visit. Row
 * i of the table is visit (a*i + b) mod N, where a has no divisor in common with N, so that those
 * of a patient do not stand together.
 *
 * Numbers are drawn from counters: those of any patient and any visit can be had at once, and
 * nothing is kept. Cost: 9 random numbers and about 40 bytes per row. */
#include <stdio.h>

#include "core/hash.h"
#include "generate/generate.h"
#include "generate/output.h"
#include "generate/scatter.h"

enum {
    DEFAULT_ROWS = 200000,
    DEFAULT_SEED = 20260115,
    BLOCK_PEOPLE = 20,
    BLOCK_VISITS = 200,
    BLOCK_ROWS = 2048,
    MOST_BYTES = 96, /* of a row */
    FIRST_YEAR = 1930,
    N_YEARS = 80,
    N_TOWNS = 40, /* each of ten zip codes */
    MONTHS = 12,
    MONTH_DAYS = 28
};

static const unsigned VISITS[BLOCK_PEOPLE] = {1, 1, 1,  2,  2,  3,  3,  4,  5,  6,
                                              7, 8, 10, 12, 14, 17, 20, 20, 24, 40};
static const char HEADER[] = "patient,birth,sex,zip,day,ward,illness\n";
static const char *const WARDS[] = {"A", "B", "C", "D", "E"};
static const char *const ILLNESSES[] = {"Flu",   "Asthma",       "Fracture", "Diabetes",  "Angina",
                                        "Ulcer", "Hypertension", "Migraine", "Hepatitis", "HIV"};
enum { N_WARDS = 5, N_ILLNESSES = 10 };

/* ---- people and visits ---------------------------------------------------------------------- */

/* Few are very old, and some illnesses are rare: the lower of two draws. */
static unsigned draw_low(uint64_t *random, unsigned n) {
    const uint64_t a = kan_random_below(random, n), b = kan_random_below(random, n);
    return (unsigned)(a < b ? a : b);
}

static uint64_t person_of(uint64_t visit) {
    uint64_t person = visit / BLOCK_VISITS * BLOCK_PEOPLE, place = visit % BLOCK_VISITS;
    for (unsigned i = 0; place >= VISITS[i]; i++, person++)
        place -= VISITS[i];
    return person;
}

static int render(uint64_t seed, uint64_t visit, char *to) {
    const uint64_t person = person_of(visit);
    uint64_t hers = kan_hash_word(seed ^ kan_hash_word(2 * person)), random;
    const unsigned year = FIRST_YEAR + N_YEARS - 1 - draw_low(&hers, N_YEARS);
    const bool is_female = kan_random_below(&hers, 100) < 54;
    const unsigned zip =
        53000 + 10 * draw_low(&hers, N_TOWNS) + (unsigned)kan_random_below(&hers, 10);
    const unsigned own = draw_low(&hers, N_ILLNESSES);
    random = kan_hash_word(seed ^ kan_hash_word(2 * visit + 1));
    const unsigned month = 1 + (unsigned)kan_random_below(&random, MONTHS);
    const unsigned day = 1 + (unsigned)kan_random_below(&random, MONTH_DAYS);
    const char *ward = WARDS[kan_random_below(&random, N_WARDS)];
    const bool is_own = kan_random_below(&random, 2) == 0;
    const char *illness = ILLNESSES[is_own ? own : draw_low(&random, N_ILLNESSES)];
    return snprintf(to, MOST_BYTES, "%llu,%u,%s,%u,2025-%02u-%02u,%s,%s\n",
                    (unsigned long long)(100000 + person), year, is_female ? "F" : "M", zip, month,
                    day, ward, illness);
}

static kan_status write_table(kan_run *run, uint64_t n_rows, uint64_t seed, kan_output *table) {
    kan_status status;
    char *block;
    const uint64_t step = kan_scatter_step(n_rows, KAN_SCATTER_STEP);
    uint64_t visit = 0;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * MOST_BYTES, 1, &block));
    KAN_TRY_DONE(kan_output_write(table, HEADER, sizeof HEADER - 1));
    for (uint64_t row = 0; row < n_rows;) {
        size_t size = 0;
        KAN_TRY_DONE(kan_check_cancel(run));
        for (unsigned i = 0; i < BLOCK_ROWS && row < n_rows; i++, row++) {
            const int written = render(seed, visit, block + size);
            KAN_ASSERT(written > 0 && written < MOST_BYTES);
            size += (size_t)written;
            visit = kan_scatter_next(visit, step, n_rows);
        }
        KAN_TRY_DONE(kan_output_write(table, block, size));
        kan_report_units(run, "generate", "rows", row, n_rows);
    }
done:
    kan_free(run, block);
    return status;
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

static void add_years(kan_text *lines) {
    for (unsigned year = FIRST_YEAR; year < FIRST_YEAR + N_YEARS; year++)
        kan_text_print(lines, "%u;%u-%u;%u-%u;%u-%u;*\n", year, year / 5 * 5, year / 5 * 5 + 4,
                       year / 10 * 10, year / 10 * 10 + 9, year / 20 * 20, year / 20 * 20 + 19);
}

static void add_sexes(kan_text *lines) {
    kan_text_print(lines, "F;*\nM;*\n");
}

static void add_zips(kan_text *lines) {
    for (unsigned zip = 53000; zip < 53000 + 10 * N_TOWNS; zip++)
        kan_text_print(lines, "%u;%u*;%u**;*\n", zip, zip / 10, zip / 100);
}

static void add_days(kan_text *lines) {
    for (unsigned month = 1; month <= MONTHS; month++)
        for (unsigned day = 1; day <= MONTH_DAYS; day++)
            kan_text_print(lines, "2025-%02u-%02u;2025-%02u;2025 Q%u;2025;*\n", month, day, month,
                           (month + 2) / 3);
}

static kan_status write_hierarchies(kan_outputs *outputs, const char *directory) {
    static const struct {
        const char *name;
        void (*add)(kan_text *lines);
    } files[] = {{"birth", add_years}, {"sex", add_sexes}, {"zip", add_zips}, {"day", add_days}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        files[i].add(&lines);
        kan_status status = kan_text_status(&lines);
        if (status == KAN_OK)
            status = kan_outputs_add(outputs, directory, files[i].name, &lines);
        kan_text_destroy(&lines);
        KAN_TRY(status);
    }
    return KAN_OK;
}

/* ---- the generator -------------------------------------------------------------------------- */

static kan_status generate(kan_run *run, uint64_t rows, uint64_t seed, const char *table_path,
                           const char *hierarchy_dir, bool overwrite) {
    kan_outputs outputs;
    kan_output *table;
    kan_status status;
    kan_outputs_init(&outputs, run, overwrite);
    if (hierarchy_dir)
        KAN_TRY_DONE(write_hierarchies(&outputs, hierarchy_dir));
    /* Last, because what went to standard output cannot be taken back. */
    if (table_path) {
        KAN_TRY_DONE(kan_outputs_open(&outputs, table_path, &table));
        KAN_TRY_DONE(write_table(run, rows ? rows : DEFAULT_ROWS, seed, table));
    }
    KAN_TRY_DONE(kan_outputs_commit(&outputs));
done:
    kan_outputs_close(&outputs);
    return status;
}

const kan_generator_kind kan_generator_visits = {
    .kind = {.name = "visits",
             .summary = "hospital visits, one to forty per patient and ten on average; 20,000 "
                        "patients unless --rows says otherwise",
             .is_everyday = true},
    .default_rows = DEFAULT_ROWS,
    .default_seed = DEFAULT_SEED,
    .generate = generate,
    .suggestion = "--qi birth,sex,zip,day --sensitive illness --person patient --k 5",
};
