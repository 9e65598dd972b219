/* The generator `wide-census`: people with thirty quasi-identifiers and two sensitive columns, the
 * same bytes for the same seed everywhere. Made for searches that cannot look at every combination.
 *
 * A person is drawn column after column, each by what was drawn before (wide_census_model.h): age
 * decides school, work and children; education, occupation; income and district, rooms and rent.
 * Most people are alike, few are very rich, and now and then somebody is a widow of twenty. Whoever
 * wants fewer columns takes the first ones: none depends on a later one.
 *
 * Row i has random numbers of its own, so that a shorter table is the beginning of a longer one.
 * Everything is whole numbers. Cost: 32 draws, about 900 factors and 190 bytes per row. Memory: one
 * block of rows. */
#include <stdio.h>

#include "core/hash.h"
#include "generate/generate.h"
#include "generate/output.h"
#include "generate/wide_census_model.h"

enum {
    DEFAULT_ROWS = 50000,
    BLOCK_ROWS = 1024,
    MOST_BYTES = 1024, /* of a row */
    MOST_VALUES = 32,  /* of a column of words, or bands */
    ROUND = 5
};

/* ---- people --------------------------------------------------------------------------------- */

typedef struct person {
    unsigned code[KAN_WIDE_COLUMNS];   /* the value, or the band */
    unsigned number[KAN_WIDE_COLUMNS]; /* columns of numbers */
} person;

static uint64_t factor_at(const char *factors, unsigned value) {
    for (unsigned i = 0; i < value && factors[1]; i++)
        factors++;
    return *factors == '.' ? 0 : UINT64_C(1) << (*factors - '0');
}

static const char *factors_for(const struct kan_wide_driver *driver, const person *p) {
    if (driver->column == KAN_WIDE_ALONE)
        return driver->factors[0];
    const unsigned code = p->code[driver->column];
    const char *classes = kan_wide_domains[driver->column].classes;
    return driver->factors[classes ? (unsigned)(classes[code] - '0') : code];
}

static unsigned draw_code(const kan_wide_domain *domain, const person *p, uint64_t *random) {
    uint64_t weights[MOST_VALUES], total = 0;
    for (unsigned value = 0; value < domain->n_values; value++) {
        weights[value] = 1;
        for (unsigned i = 0; i < KAN_WIDE_DRIVERS && domain->drivers[i].factors[0]; i++)
            weights[value] *= factor_at(factors_for(&domain->drivers[i], p), value);
        total += weights[value];
    }
    KAN_ASSERT(total > 0);
    uint64_t ball = kan_random_below(random, total);
    unsigned value = 0;
    for (; ball >= weights[value]; value++)
        ball -= weights[value];
    return value;
}

static unsigned draw_number(const kan_wide_numbers *numbers, unsigned n_bands, unsigned band,
                            uint64_t *random) {
    const unsigned first = band > 0 ? numbers->ends[band - 1] + numbers->step : numbers->least;
    const unsigned n_draws = numbers->low + (band + 1 == n_bands);
    uint64_t place = UINT64_MAX;
    for (unsigned i = 0; i < n_draws; i++) {
        const uint64_t draw =
            kan_random_below(random, (numbers->ends[band] - first) / numbers->step + 1);
        place = draw < place ? draw : place;
    }
    const unsigned number = first + (unsigned)place * numbers->step;
    if (!numbers->is_rounded || kan_random_below(random, 2) == 0 || number - number % ROUND < first)
        return number;
    return number - number % ROUND;
}

static void draw_person(uint64_t seed, uint64_t row, person *p) {
    uint64_t random = kan_hash_words((const uint64_t[]){seed, row}, 2);
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        const kan_wide_domain *domain = &kan_wide_domains[column];
        p->code[column] = draw_code(domain, p, &random);
        if (domain->numbers)
            p->number[column] =
                draw_number(domain->numbers, domain->n_values, p->code[column], &random);
    }
}

/* ---- the table ------------------------------------------------------------------------------ */

static size_t render(const person *p, char *to) {
    size_t size = 0;
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        const kan_wide_domain *domain = &kan_wide_domains[column];
        const char end = column + 1 < KAN_WIDE_COLUMNS ? ',' : '\n';
        int written;
        if (domain->numbers) {
            written = snprintf(to + size, MOST_BYTES - size, "%s%u%c", domain->numbers->prefix,
                               p->number[column], end);
        } else {
            const char *line = domain->lines[p->code[column]];
            written = snprintf(to + size, MOST_BYTES - size, "%.*s%c", (int)strcspn(line, ";"),
                               line, end);
        }
        KAN_ASSERT(written > 0 && size + (size_t)written < MOST_BYTES);
        size += (size_t)written;
    }
    return size;
}

static kan_status write_header(kan_run *run, kan_output *table) {
    kan_text header;
    kan_text_init(&header, run);
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++)
        kan_text_print(&header, "%s%s", column > 0 ? "," : "", kan_wide_domains[column].name);
    kan_text_add(&header, "\n", 1);
    kan_status status = kan_text_status(&header);
    if (status == KAN_OK)
        status = kan_output_write(table, header.bytes, header.size);
    kan_text_destroy(&header);
    return status;
}

static kan_status write_table(kan_run *run, uint64_t n_rows, uint64_t seed, kan_output *table) {
    kan_status status;
    char *block;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * MOST_BYTES, 1, &block));
    KAN_TRY_DONE(write_header(run, table));
    for (uint64_t row = 0; row < n_rows;) {
        size_t size = 0;
        KAN_TRY_DONE(kan_check_cancel(run));
        for (unsigned i = 0; i < BLOCK_ROWS && row < n_rows; i++, row++) {
            person p;
            draw_person(seed, row, &p);
            size += render(&p, block + size);
        }
        KAN_TRY_DONE(kan_output_write(table, block, size));
        kan_report_units(run, "generate", "rows", row, n_rows);
    }
done:
    kan_free(run, block);
    return status;
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* 37;35-39;30-39;20-39;0-39;* */
static void add_numbers(kan_text *lines, const kan_wide_numbers *numbers, unsigned last) {
    for (unsigned number = numbers->least; number <= last; number += numbers->step) {
        kan_text_print(lines, "%s%u", numbers->prefix, number);
        for (unsigned i = 0; i < KAN_WIDE_WIDTHS && numbers->widths[i] > 0; i++) {
            const unsigned width = numbers->widths[i];
            const unsigned from = number - (number - numbers->least) % width;
            const unsigned to = from + width - 1 < last ? from + width - 1 : last;
            kan_text_print(lines, ";%s%u-%s%u", numbers->prefix, from, numbers->prefix, to);
        }
        kan_text_print(lines, ";*\n");
    }
}

static kan_status write_hierarchies(kan_outputs *outputs, const char *directory) {
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        const kan_wide_domain *domain = &kan_wide_domains[column];
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        if (domain->numbers)
            add_numbers(&lines, domain->numbers, domain->numbers->ends[domain->n_values - 1]);
        else
            for (unsigned value = 0; value < domain->n_values; value++)
                kan_text_print(&lines, "%s\n", domain->lines[value]);
        kan_status status = kan_text_status(&lines);
        if (status == KAN_OK)
            status = kan_outputs_add(outputs, directory, domain->name, &lines);
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

const kan_generator_kind kan_generator_wide_census = {
    .kind = {.name = "wide-census",
             .summary =
                 "an invented census with thirty quasi-identifiers, each of which depends on "
                 "others, and two sensitive columns"},
    .default_rows = DEFAULT_ROWS,
    .default_seed = 1,
    .generate = generate,
    .suggestion = "--qi age,sex,district,birthplace,marital-status,education,school,work-status,"
                  "occupation,industry --keep diagnosis --k 5 --suppress 2% --cost ncp",
};
