/* The generator `sales`: what a mail-order shop sold, a stand-in for the Lands End table of the
 * Incognito paper with its number of rows, its numbers of values and its hierarchies' heights. The
 * same bytes for the same seed and number of rows everywhere.
 *
 * A sale is drawn column after column, one random number each: zip code, day, gender, style (its
 * popularity depends on the gender), whether the price is reduced, shipment (faster in November).
 * Quantity is always 1, and the cost is the style's.
 *
 * Tables of 300,000 rows and more hold every value: the last 31,953 sales that are drawn go through
 * all zip codes, the first 1,509 of these through all styles as well, and the first 320 of those
 * through all days. So that they do not sit together, row i of the table is sale (a*i + b) mod N,
 * where a has no divisor in common with N.
 *
 * The random numbers are splitmix64's, six per sale in the order of drawing. Its state is a
 * counter, so the numbers of any sale can be had at once: sales are drawn in the order in which
 * they are written, and none is kept.
 *
 * Cost: 6 random numbers, 3 weighted choices and about 41 bytes per row. Memory: the model, the
 * texts of its values and one block of rows, less than 2 MB whatever the size of the table. */
#include <stdlib.h>

#include "generate/generate.h"
#include "generate/output.h"
#include "generate/sales_model.h"

enum {
    DEFAULT_ROWS = 4591581,
    DEFAULT_SEED = 20050614,
    ROWS_WITH_ALL_VALUES = 300000,
    RANDOM_NUMBERS = 6, /* per sale */
    NOVEMBER = 11,
    BLOCK_ROWS = 2048,
    FIELD_BYTES = 16, /* every copy of a field is this long */
    FIELDS = 7,       /* price and quantity are one */
    COLUMNS = 8
};

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* what splitmix64's state grows by */
#define ROW_STEP    UINT64_C(2654435761)
#define ROW_START   UINT64_C(12345)

static const char HEADER[] = "zipcode,order-date,gender,style,price,quantity,cost,shipment\n";

typedef struct sale {
    uint16_t zip_code, day, style, price;
    uint8_t gender, is_express;
} sale;

/* A value as it stands in a row, its separator included. */
typedef struct field {
    char bytes[FIELD_BYTES - 1];
    uint8_t size;
} field;

typedef struct sales {
    kan_arena arena;
    const kan_sales_model *model;
    uint64_t random; /* the state before the first sale */
    uint64_t n_rows;
    uint64_t first_toured; /* from here on sales go through all values */
    uint64_t step, next;   /* of the sales in the order of the table */
    field zip_codes[KAN_SALES_ZIP_CODES], days[KAN_SALES_DAYS], genders[KAN_SALES_GENDERS];
    field styles[KAN_SALES_STYLES], prices[KAN_SALES_PRICES], costs[KAN_SALES_STYLES];
    field shipments[2];
} sales;

/* ---- texts ---------------------------------------------------------------------------------- */

static void field_add(field *f, char byte) {
    KAN_ASSERT(f->size < sizeof f->bytes);
    f->bytes[f->size++] = byte;
}

/* At least `digits` digits. */
static void field_add_number(field *f, unsigned number, unsigned digits) {
    if (number >= 10 || digits > 1)
        field_add_number(f, number / 10, digits > 1 ? digits - 1 : 1);
    field_add(f, (char)('0' + number % 10));
}

static void field_add_cents(field *f, unsigned cents) {
    field_add_number(f, cents / 100, 1);
    field_add(f, '.');
    field_add_number(f, cents % 100, 2);
}

static void field_add_day(field *f, struct kan_sales_day day) {
    field_add_number(f, KAN_SALES_YEAR, 4);
    field_add(f, '-');
    field_add_number(f, day.month, 2);
    field_add(f, '-');
    field_add_number(f, day.day, 2);
}

static void fields_fill(sales *s) {
    const kan_sales_model *m = s->model;
    for (unsigned i = 0; i < KAN_SALES_ZIP_CODES; i++) {
        field_add_number(&s->zip_codes[i], m->zip_codes[i], 5);
        field_add(&s->zip_codes[i], ',');
    }
    for (unsigned i = 0; i < KAN_SALES_DAYS; i++) {
        field_add_day(&s->days[i], m->days[i]);
        field_add(&s->days[i], ',');
    }
    for (unsigned i = 0; i < KAN_SALES_PRICES; i++) {
        field_add_cents(&s->prices[i], m->prices[i]);
        for (const char *quantity = ",1,"; *quantity; quantity++)
            field_add(&s->prices[i], *quantity);
    }
    for (unsigned i = 0; i < KAN_SALES_STYLES; i++) {
        field_add_number(&s->styles[i], KAN_SALES_FIRST_STYLE + i, 5);
        field_add(&s->styles[i], ',');
        field_add_cents(&s->costs[i], m->styles[i].cost);
        field_add(&s->costs[i], ',');
    }
    s->genders[KAN_SALES_FEMALE] = (field){"F,", 2};
    s->genders[KAN_SALES_MALE] = (field){"M,", 2};
    s->shipments[0] = (field){"S\n", 2};
    s->shipments[1] = (field){"E\n", 2};
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Which of the reductions of the model: 85 % none, else 5 : 3 : 2. */
static inline unsigned draw_reduction(uint64_t *random) {
    uint64_t ball = kan_random_below(random, 1000);
    return (unsigned)(ball >= 850) + (unsigned)(ball >= 925) + (unsigned)(ball >= 970);
}

static inline sale draw_sale(const sales *s, uint64_t number) {
    const kan_sales_model *m = s->model;
    uint64_t random = s->random + number * RANDOM_NUMBERS * RANDOM_STEP;
    unsigned zip_code = kan_sales_choose(&m->zip_code, kan_random(&random));
    unsigned day = kan_sales_choose(&m->day, kan_random(&random));
    unsigned gender = kan_random_below(&random, 100) < 72 ? KAN_SALES_FEMALE : KAN_SALES_MALE;
    unsigned style = kan_sales_choose(&m->style[gender], kan_random(&random));
    if (number >= s->first_toured) {
        uint64_t place = number - s->first_toured;
        zip_code = m->zip_tour[place];
        style = place < KAN_SALES_STYLES ? (unsigned)place : style;
        day = place < KAN_SALES_DAYS ? (unsigned)place : day;
    }
    unsigned price = m->reduced[m->styles[style].price][draw_reduction(&random)];
    unsigned express_percent = m->days[day].month == NOVEMBER ? 20 : 10;
    bool is_express = kan_random_below(&random, 100) < express_percent;
    return (sale){(uint16_t)zip_code, (uint16_t)day,   (uint16_t)style,
                  (uint16_t)price,    (uint8_t)gender, is_express};
}

/* Of constant size: a move instead of a call. */
static inline char *field_copy(const field *f, char *at) {
    memcpy(at, f, FIELD_BYTES);
    return at + f->size;
}

/* Appends the next rows, returns the end of the text. */
static char *rows_render(sales *s, uint64_t n_rows, char *at) {
    for (; n_rows > 0; n_rows--) {
        sale sold = draw_sale(s, s->next);
        at = field_copy(&s->zip_codes[sold.zip_code], at);
        at = field_copy(&s->days[sold.day], at);
        at = field_copy(&s->genders[sold.gender], at);
        at = field_copy(&s->styles[sold.style], at);
        at = field_copy(&s->prices[sold.price], at);
        at = field_copy(&s->costs[sold.style], at);
        at = field_copy(&s->shipments[sold.is_express], at);
        /* s->next + s->step, less the number of rows where it is reached */
        uint64_t left = s->n_rows - s->step;
        s->next = s->next >= left ? s->next - left : s->next + s->step;
    }
    return at;
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status table_write(kan_run *run, sales *s, kan_output *table) {
    kan_status status;
    char *block;
    /* The last copy may reach past its row. */
    size_t block_bytes = (size_t)BLOCK_ROWS * FIELDS * FIELD_BYTES + FIELD_BYTES;
    KAN_TRY(kan_alloc(run, block_bytes, 1, &block));
    KAN_TRY_DONE(kan_output_write(table, HEADER, sizeof HEADER - 1));
    for (uint64_t row = 0; row < s->n_rows;) {
        KAN_TRY_DONE(kan_check_cancel(run));
        uint64_t n = s->n_rows - row < BLOCK_ROWS ? s->n_rows - row : BLOCK_ROWS;
        size_t size = (size_t)(rows_render(s, n, block) - block);
        KAN_TRY_DONE(kan_output_write(table, block, size));
        row += n;
        kan_report_units(run, "generate", "rows", row, s->n_rows);
    }
done:
    kan_free(run, block);
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* 53715;5371*;537**;53***;5****;* */
static void zip_code_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    memcpy(numbers, s->model->zip_codes, sizeof s->model->zip_codes);
    qsort(numbers, KAN_SALES_ZIP_CODES, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < KAN_SALES_ZIP_CODES; i++) {
        kan_text_print(lines, "%05u", numbers[i]);
        uint32_t shown = numbers[i];
        for (int stars = 1; stars < 5; stars++) {
            shown /= 10;
            kan_text_print(lines, ";%0*u%.*s", 5 - stars, shown, stars, "****");
        }
        kan_text_add(lines, ";*\n", 3);
    }
}

/* 2003-05-17;2003-05;2003-Q2;* */
static void day_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)numbers;
    for (size_t i = 0; i < KAN_SALES_DAYS; i++) {
        struct kan_sales_day day = s->model->days[i];
        kan_text_print(lines, "%d-%02d-%02d;%d-%02d;%d-Q%d;*\n", KAN_SALES_YEAR, day.month, day.day,
                       KAN_SALES_YEAR, day.month, KAN_SALES_YEAR, (day.month + 2) / 3);
    }
}

static void style_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)s, (void)numbers;
    for (unsigned i = 0; i < KAN_SALES_STYLES; i++)
        kan_text_print(lines, "%u;*\n", KAN_SALES_FIRST_STYLE + i);
}

static void gender_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)s, (void)numbers;
    kan_text_print(lines, "F;*\nM;*\n");
}

static void quantity_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)s, (void)numbers;
    kan_text_print(lines, "1;*\n");
}

static void shipment_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)s, (void)numbers;
    kan_text_print(lines, "E;*\nS;*\n");
}

/* 23.99;23.90;23.00;20.00;*, where amounts are ascending and may repeat */
static void amount_lines(const uint32_t *cents, size_t n, kan_text *lines) {
    static const uint32_t units[] = {1, 10, 100, 1000};
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && cents[i] == cents[i - 1])
            continue;
        for (size_t level = 0; level < sizeof units / sizeof *units; level++) {
            uint32_t rounded = cents[i] - cents[i] % units[level];
            kan_text_print(lines, "%u.%02u;", rounded / 100, rounded % 100);
        }
        kan_text_add(lines, "*\n", 2);
    }
}

static void price_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    (void)numbers;
    amount_lines(s->model->prices, KAN_SALES_PRICES, lines);
}

static void cost_lines(const sales *s, uint32_t *numbers, kan_text *lines) {
    for (unsigned i = 0; i < KAN_SALES_STYLES; i++)
        numbers[i] = s->model->styles[i].cost;
    qsort(numbers, KAN_SALES_STYLES, sizeof *numbers, compare_numbers);
    amount_lines(numbers, KAN_SALES_STYLES, lines);
}

static kan_status hierarchies_write(sales *s, kan_outputs *outputs, const char *directory) {
    /* `numbers` has room for the values of any column, to be sorted. */
    static const struct {
        const char *name;
        void (*add_lines)(const sales *s, uint32_t *numbers, kan_text *lines);
    } columns[COLUMNS] = {
        {"zipcode", zip_code_lines}, {"order-date", day_lines},    {"gender", gender_lines},
        {"style", style_lines},      {"price", price_lines},       {"quantity", quantity_lines},
        {"cost", cost_lines},        {"shipment", shipment_lines},
    };
    uint32_t *numbers;
    KAN_TRY(kan_arena_alloc(&s->arena, KAN_SALES_ZIP_CODES, sizeof *numbers, &numbers));
    for (size_t column = 0; column < COLUMNS; column++) {
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        columns[column].add_lines(s, numbers, &lines);
        kan_status status = kan_outputs_add(outputs, directory, columns[column].name, &lines);
        kan_text_destroy(&lines);
        KAN_TRY(status);
    }
    return KAN_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static kan_status sales_create(kan_run *run, uint64_t n_rows, uint64_t seed, sales **out) {
    sales *s;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *s, &s));
    kan_arena_init(&s->arena, run);
    kan_status status = kan_sales_model_build(&s->arena, seed, &s->model);
    if (status != KAN_OK) {
        kan_arena_destroy(&s->arena);
        kan_free(run, s);
        return status;
    }
    fields_fill(s);
    s->random = kan_hash_words((const uint64_t[]){seed, 4}, 2);
    s->n_rows = n_rows;
    s->first_toured = n_rows >= ROWS_WITH_ALL_VALUES ? n_rows - KAN_SALES_ZIP_CODES : n_rows;
    s->next = ROW_START % n_rows;
    s->step = ROW_STEP % n_rows;
    while (common_divisor(n_rows, s->step) != 1)
        s->step++;
    *out = s;
    return KAN_OK;
}

static void sales_destroy(kan_run *run, sales *s) {
    if (!s)
        return;
    kan_arena_destroy(&s->arena);
    kan_free(run, s);
}

static kan_status sales_generate(kan_run *run, uint64_t rows, uint64_t seed, const char *table_path,
                                 const char *hierarchy_dir, bool overwrite) {
    kan_outputs outputs;
    kan_output *table;
    sales *s = NULL;
    kan_status status;
    kan_outputs_init(&outputs, run, overwrite);
    KAN_TRY_DONE(sales_create(run, rows > 0 ? rows : DEFAULT_ROWS, seed, &s));
    /* First, because what went to standard output cannot be taken back. */
    if (hierarchy_dir)
        KAN_TRY_DONE(hierarchies_write(s, &outputs, hierarchy_dir));
    if (table_path) {
        KAN_TRY_DONE(kan_outputs_open(&outputs, table_path, &table));
        KAN_TRY_DONE(table_write(run, s, table));
    }
    status = kan_outputs_commit(&outputs);
done:
    kan_outputs_close(&outputs);
    sales_destroy(run, s);
    return status;
}

const kan_generator_kind kan_generator_sales = {
    .kind = {.name = "sales",
             .summary = "invented mail-order sales: eight columns, 4,591,581 rows, as in "
                        "Incognito's Figure 9"},
    .default_rows = DEFAULT_ROWS,
    .default_seed = DEFAULT_SEED,
    .generate = sales_generate,
    .suggestion = "--qi zipcode,order-date,gender --k 5 --suppress 1%",
};
