/* The generator `census`: a table of people of any number of rows, the same bytes for the same seed
 * everywhere.
 *
 * A person is drawn column after column, each from a distribution that depends on what was drawn
 * before:
 *
 *     race -> country        age, gender -> marital status        age -> education
 *     education, gender -> occupation -> work class
 *     age, gender, education, occupation -> salary
 *
 * A distribution is an urn: an array that holds each value as many times as its weight says. One
 * draw is one random number and one look-up; nothing is rounded, so every machine draws the same.
 *
 * Tables of 20,000 rows and more hold every value of every column, the rarest included. For each
 * value there is a stretch of the table, and in it one row, chosen at random, whose person is drawn
 * anew until the value comes up: that person is as likely as any other who has the value, and the
 * row looks like its neighbours. Which stretch belongs to which value is random as well.
 *
 * Cost: 9 draws and about 80 bytes per row; the rare values cost some 10^5 draws in all. Memory:
 * the urns and one block of rows, well under a megabyte whatever the size of the table. */

#include "core/hash.h"
#include "generate/census_model.h"
#include "generate/generate.h"
#include "generate/output.h"

enum {
    DEFAULT_ROWS = 30162,
    ROWS_WITH_ALL_VALUES = 20000,
    BLOCK_ROWS = 2048,
    FIELD_BYTES = 24, /* a value and the separator after it; every copy is this long */
    ALL_VALUES = KAN_CENSUS_AGES + KAN_CENSUS_GENDERS + KAN_CENSUS_RACES + KAN_CENSUS_MARITAL +
                 KAN_CENSUS_EDUCATIONS + KAN_CENSUS_COUNTRIES + KAN_CENSUS_WORK_CLASSES +
                 KAN_CENSUS_OCCUPATIONS + KAN_CENSUS_SALARIES
};

typedef struct person {
    uint8_t code[KAN_CENSUS_COLUMNS];
} person;

typedef struct urn {
    uint32_t n_balls;
    uint8_t *balls; /* codes */
} urn;

/* A value as it stands in a row, its separator included. */
typedef struct field {
    char bytes[FIELD_BYTES];
    size_t size;
} field;

/* A row that has to show a certain value. */
typedef struct wish {
    uint8_t column, code;
    uint64_t row;
} wish;

typedef struct census {
    kan_arena arena;
    urn age, gender, race;
    urn country[KAN_CENSUS_RACES];
    urn marital[KAN_CENSUS_BANDS][KAN_CENSUS_GENDERS];
    urn education[KAN_CENSUS_BANDS];
    urn occupation[KAN_CENSUS_STAGES][KAN_CENSUS_GENDERS];
    urn work_class[KAN_CENSUS_OCCUPATIONS];
    uint8_t band[KAN_CENSUS_AGES];
    field fields[KAN_CENSUS_COLUMNS][KAN_CENSUS_AGES]; /* age has the most values */
    uint64_t random;
    size_t n_wishes, next_wish;
    wish wishes[ALL_VALUES]; /* by row */
} census;

/* ---- the model ------------------------------------------------------------------------------ */

static kan_status urn_fill(census *c, const uint16_t *weights, unsigned n_values, urn *out) {
    uint32_t n_balls = 0;
    for (unsigned value = 0; value < n_values; value++)
        n_balls += weights[value];
    uint8_t *balls;
    KAN_TRY(kan_arena_alloc(&c->arena, n_balls, 1, &balls));
    *out = (urn){n_balls, balls};
    for (unsigned value = 0; value < n_values; value++) {
        memset(balls, (int)value, weights[value]);
        balls += weights[value];
    }
    return KAN_OK;
}

static kan_status ages_fill(census *c) {
    const struct kan_census_knot *knot = kan_census_age_knots;
    uint16_t weights[KAN_CENSUS_AGES];
    unsigned band = 0;
    for (unsigned i = 0; i < KAN_CENSUS_AGES; i++) {
        int age = KAN_CENSUS_LEAST_AGE + (int)i;
        while (age > knot[1].age)
            knot++;
        int rise = (int)knot[1].weight - (int)knot[0].weight, run = knot[1].age - knot[0].age;
        weights[i] = (uint16_t)(knot[0].weight + rise * (age - knot[0].age) / run);
        while (age > kan_census_band_ends[band])
            band++;
        c->band[i] = (uint8_t)band;
    }
    return urn_fill(c, weights, KAN_CENSUS_AGES, &c->age);
}

static kan_status urns_fill(census *c) {
    KAN_TRY(ages_fill(c));
    KAN_TRY(urn_fill(c, kan_census_gender, KAN_CENSUS_GENDERS, &c->gender));
    KAN_TRY(urn_fill(c, kan_census_race, KAN_CENSUS_RACES, &c->race));
    for (unsigned race = 0; race < KAN_CENSUS_RACES; race++)
        KAN_TRY(urn_fill(c, kan_census_country[race], KAN_CENSUS_COUNTRIES, &c->country[race]));
    for (unsigned band = 0; band < KAN_CENSUS_BANDS; band++) {
        KAN_TRY(
            urn_fill(c, kan_census_education[band], KAN_CENSUS_EDUCATIONS, &c->education[band]));
        for (unsigned gender = 0; gender < KAN_CENSUS_GENDERS; gender++)
            KAN_TRY(urn_fill(c, kan_census_marital[band][gender], KAN_CENSUS_MARITAL,
                             &c->marital[band][gender]));
    }
    for (unsigned stage = 0; stage < KAN_CENSUS_STAGES; stage++)
        for (unsigned gender = 0; gender < KAN_CENSUS_GENDERS; gender++)
            KAN_TRY(urn_fill(c, kan_census_occupation[stage][gender], KAN_CENSUS_OCCUPATIONS,
                             &c->occupation[stage][gender]));
    for (unsigned occupation = 0; occupation < KAN_CENSUS_OCCUPATIONS; occupation++)
        KAN_TRY(urn_fill(c, kan_census_work_class[occupation], KAN_CENSUS_WORK_CLASSES,
                         &c->work_class[occupation]));
    return KAN_OK;
}

static void fields_fill(census *c) {
    for (unsigned column = 0; column < KAN_CENSUS_COLUMNS; column++) {
        const kan_census_domain *domain = &kan_census_domains[column];
        for (unsigned code = 0; code < domain->n_values; code++) {
            field *f = &c->fields[column][code];
            if (domain->lines) {
                f->size = strcspn(domain->lines[code], ";");
                memcpy(f->bytes, domain->lines[code], f->size);
            } else { /* two digits */
                unsigned age = KAN_CENSUS_LEAST_AGE + code;
                f->bytes[0] = (char)('0' + age / 10);
                f->bytes[1] = (char)('0' + age % 10);
                f->size = 2;
            }
            KAN_ASSERT(f->size < FIELD_BYTES);
            f->bytes[f->size++] = column + 1 < KAN_CENSUS_COLUMNS ? ',' : '\n';
        }
    }
}

/* One wish for every value, in random order, one in each of as many stretches of the table. */
static void wishes_make(census *c, uint64_t rows, uint64_t *random) {
    size_t n = 0;
    for (unsigned column = 0; column < KAN_CENSUS_COLUMNS; column++)
        for (unsigned code = 0; code < kan_census_domains[column].n_values; code++)
            c->wishes[n++] = (wish){(uint8_t)column, (uint8_t)code, 0};
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)kan_random_below(random, i + 1);
        wish swapped = c->wishes[i];
        c->wishes[i] = c->wishes[j];
        c->wishes[j] = swapped;
    }
    uint64_t stretch = rows / n;
    for (size_t i = 0; i < n; i++)
        c->wishes[i].row = i * stretch + kan_random_below(random, stretch);
    c->n_wishes = n;
}

/* ---- the people ----------------------------------------------------------------------------- */

static inline unsigned draw(census *c, const urn *from) {
    return from->balls[kan_random_below(&c->random, from->n_balls)];
}

static inline unsigned draw_salary(census *c, unsigned stage, unsigned band, unsigned occupation,
                                   unsigned gender) {
    int chance = kan_census_salary_stage[stage] + kan_census_salary_band[band] +
                 kan_census_salary_occupation[occupation] + kan_census_salary_gender[gender];
    chance = chance < 5 ? 5 : chance > 950 ? 950 : chance;
    return kan_random_below(&c->random, 1000) < (uint64_t)chance;
}

static inline person draw_person(census *c) {
    unsigned age = draw(c, &c->age), band = c->band[age];
    unsigned gender = draw(c, &c->gender);
    unsigned race = draw(c, &c->race);
    unsigned country = draw(c, &c->country[race]);
    unsigned marital = draw(c, &c->marital[band][gender]);
    unsigned education = draw(c, &c->education[band]), stage = kan_census_stages[education];
    unsigned occupation = draw(c, &c->occupation[stage][gender]);
    unsigned work_class = draw(c, &c->work_class[occupation]);
    unsigned salary = draw_salary(c, stage, band, occupation, gender);
    return (person){{
        [KAN_CENSUS_AGE] = (uint8_t)age,
        [KAN_CENSUS_GENDER] = (uint8_t)gender,
        [KAN_CENSUS_RACE] = (uint8_t)race,
        [KAN_CENSUS_MARITAL_STATUS] = (uint8_t)marital,
        [KAN_CENSUS_EDUCATION] = (uint8_t)education,
        [KAN_CENSUS_COUNTRY] = (uint8_t)country,
        [KAN_CENSUS_WORK_CLASS] = (uint8_t)work_class,
        [KAN_CENSUS_OCCUPATION] = (uint8_t)occupation,
        [KAN_CENSUS_SALARY] = (uint8_t)salary,
    }};
}

/* Ends, because every value of the model has a weight above 0: the rarest comes up once in about
 * 10,000 draws. */
static person draw_wished(census *c, const wish *wished) {
    person p;
    do
        p = draw_person(c);
    while (p.code[wished->column] != wished->code);
    return p;
}

static inline char *render(const census *c, person p, char *at) {
    for (unsigned column = 0; column < KAN_CENSUS_COLUMNS; column++) {
        const field *f = &c->fields[column][p.code[column]];
        memcpy(at, f->bytes, FIELD_BYTES); /* of constant size: a few moves instead of a call */
        at += f->size;
    }
    return at;
}

/* Appends the rows first .. end-1, returns the end of the text. */
static char *rows_render(census *c, uint64_t first, uint64_t end, char *at) {
    while (first < end) {
        /* Up to the next wish without a question per row. */
        bool has_wish = c->next_wish < c->n_wishes && c->wishes[c->next_wish].row < end;
        uint64_t stop = has_wish ? c->wishes[c->next_wish].row : end;
        for (; first < stop; first++)
            at = render(c, draw_person(c), at);
        if (has_wish) {
            at = render(c, draw_wished(c, &c->wishes[c->next_wish++]), at);
            first++;
        }
    }
    return at;
}

/* ---- the files ------------------------------------------------------------------------------ */

static kan_status header_write(kan_run *run, kan_output *table) {
    kan_text header;
    kan_text_init(&header, run);
    for (unsigned column = 0; column < KAN_CENSUS_COLUMNS; column++)
        kan_text_print(&header, "%s%s", column > 0 ? "," : "", kan_census_domains[column].name);
    kan_text_add(&header, "\n", 1);
    kan_status status = kan_text_status(&header);
    if (status == KAN_OK)
        status = kan_output_write(table, header.bytes, header.size);
    kan_text_destroy(&header);
    return status;
}

static kan_status table_write(kan_run *run, census *c, uint64_t rows, kan_output *table) {
    kan_status status;
    char *block;
    /* The last copy may reach past its row. */
    size_t block_bytes = (size_t)BLOCK_ROWS * KAN_CENSUS_COLUMNS * FIELD_BYTES + FIELD_BYTES;
    KAN_TRY(kan_alloc(run, block_bytes, 1, &block));
    KAN_TRY_DONE(header_write(run, table));
    for (uint64_t row = 0; row < rows;) {
        KAN_TRY_DONE(kan_check_cancel(run));
        uint64_t end = rows - row > BLOCK_ROWS ? row + BLOCK_ROWS : rows;
        size_t size = (size_t)(rows_render(c, row, end, block) - block);
        KAN_TRY_DONE(kan_output_write(table, block, size));
        row = end;
        kan_report_units(run, "generate", "rows", row, rows);
    }
done:
    kan_free(run, block);
    return status;
}

/* 34;30-34;30-39;20-39;* */
static void age_lines(kan_text *lines) {
    static const int widths[] = {5, 10, 20};
    for (int i = 0; i < KAN_CENSUS_AGES; i++) {
        int age = KAN_CENSUS_LEAST_AGE + i;
        kan_text_print(lines, "%d", age);
        for (size_t level = 0; level < sizeof widths / sizeof *widths; level++) {
            int from = age - age % widths[level];
            kan_text_print(lines, ";%d-%d", from, from + widths[level] - 1);
        }
        kan_text_print(lines, ";*\n");
    }
}

static kan_status hierarchies_write(kan_outputs *outputs, const char *directory) {
    for (unsigned column = 0; column < KAN_CENSUS_COLUMNS; column++) {
        const kan_census_domain *domain = &kan_census_domains[column];
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        if (domain->lines)
            for (unsigned code = 0; code < domain->n_values; code++)
                kan_text_print(&lines, "%s\n", domain->lines[code]);
        else
            age_lines(&lines);
        kan_status status = kan_outputs_add(outputs, directory, domain->name, &lines);
        kan_text_destroy(&lines);
        KAN_TRY(status);
    }
    return KAN_OK;
}

static kan_status census_create(kan_run *run, uint64_t rows, uint64_t seed, census **out) {
    census *c;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *c, &c));
    kan_arena_init(&c->arena, run);
    /* People and wishes come from streams of their own; neighbouring seeds share nothing. */
    c->random = kan_hash_words((const uint64_t[]){seed, 1}, 2);
    uint64_t wish_random = kan_hash_words((const uint64_t[]){seed, 2}, 2);
    kan_status status = urns_fill(c);
    if (status != KAN_OK) {
        kan_arena_destroy(&c->arena);
        kan_free(run, c);
        return status;
    }
    fields_fill(c);
    if (rows >= ROWS_WITH_ALL_VALUES)
        wishes_make(c, rows, &wish_random);
    *out = c;
    return KAN_OK;
}

static void census_destroy(kan_run *run, census *c) {
    if (!c)
        return;
    kan_arena_destroy(&c->arena);
    kan_free(run, c);
}

static kan_status census_generate(kan_run *run, uint64_t rows, uint64_t seed,
                                  const char *table_path, const char *hierarchy_dir,
                                  bool overwrite) {
    rows = rows > 0 ? rows : DEFAULT_ROWS;
    kan_outputs outputs;
    kan_output *table;
    census *c = NULL;
    kan_status status;
    kan_outputs_init(&outputs, run, overwrite);
    KAN_TRY_DONE(census_create(run, rows, seed, &c));
    /* First, because what went to standard output cannot be taken back. */
    if (hierarchy_dir)
        KAN_TRY_DONE(hierarchies_write(&outputs, hierarchy_dir));
    if (table_path) {
        KAN_TRY_DONE(kan_outputs_open(&outputs, table_path, &table));
        KAN_TRY_DONE(table_write(run, c, rows, table));
    }
    status = kan_outputs_commit(&outputs);
done:
    kan_outputs_close(&outputs);
    census_destroy(run, c);
    return status;
}

const kan_generator_kind kan_generator_census = {
    .kind = {.name = "census",
             .summary = "an invented census: nine columns, 168 values, as in Incognito's Figure 9",
             .is_everyday = true},
    .default_rows = DEFAULT_ROWS,
    .default_seed = 1,
    .generate = census_generate,
    .suggestion = "--qi age,gender,race,marital-status,native-country --keep salary-class --k 5 "
                  "--suppress 1%",
};
