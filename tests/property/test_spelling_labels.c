/* Labels of built hierarchies: what a builder makes can be written as the table writes its values
 * and read again, whatever stands for missing values; and what is missing keeps its own label up to
 * the top. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "data/hierarchies/hierarchy.h"
#include "data/spelling.h"

enum { ROUNDS = 3000, MOST_ROWS = 30, TEXT = 48 };

typedef struct {
    uint64_t random;
    kan_run *run;
    kan_table *table;
    kan_spelling spelling;
    kan_slice missing[3];
    char words[3][TEXT], format[KAN_DATE_FORMAT_MOST + 1];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* Words for missing values: usual ones, and what labels are called. */
static void make_missing(world *w) {
    static const char *const words[] = {"NA", "-9",   "99",       "other", "(other)", "30-39",
                                        "30", "1980", "1980-03",  "1980s", "a*",      "3**",
                                        "-",  "0",    "[30, 40)", "<40",   "1*",      "?"};
    w->spelling = (kan_spelling){.missing = w->missing, .date = {NULL, -1}};
    for (size_t n = below(w, 4); n > 0; n--) {
        const size_t at = w->spelling.n_missing++;
        strcpy(w->words[at], words[below(w, sizeof words / sizeof *words)]);
        w->missing[at] = kan_slice_of(w->words[at]);
    }
}

static void make_value(world *w, int kind, char *out) {
    if (below(w, 6) == 0)
        strcpy(out, w->spelling.n_missing && below(w, 2) ? w->words[below(w, w->spelling.n_missing)]
                                                         : "");
    else if (kind == KAN_SPELLED_NUMBER)
        snprintf(out, TEXT, below(w, 3) ? "%zu" : "%zu,0", 25 + below(w, 80));
    else if (kind == KAN_SPELLED_DATE)
        snprintf(out, TEXT, "%02zu.%02zu.19%02zu", 1 + below(w, 28), 1 + below(w, 12),
                 75 + below(w, 9));
    else
        snprintf(out, TEXT, "%c%c%zu", (char)('a' + below(w, 3)), (char)('0' + below(w, 5)),
                 below(w, 3));
}

/* False where the column turned out to be something else. */
static bool make_column(world *w, kan_spelled kind) {
    static const char *const names[] = {"a"};
    make_missing(w);
    if (kind == KAN_SPELLED_NUMBER)
        w->spelling.decimal = ',';
    if (kind == KAN_SPELLED_DATE)
        assert_null(kan_date_format_parse(kan_slice_of("%d.%m.%Y"), w->format, &w->spelling.date));
    assert_int_equal(kan_table_create(w->run, 1, names, &w->table), KAN_OK);
    for (size_t n = 5 + below(w, MOST_ROWS - 5); n > 0; n--) {
        char cell[TEXT];
        const char *row = cell;
        make_value(w, (int)kind, cell);
        assert_int_equal(kan_table_add_row(w->table, &row), KAN_OK);
    }
    assert_int_equal(kan_table_seal(w->table), KAN_OK);
    kan_column *column = &w->table->columns[0];
    const kan_spelling_fit fit = kan_spelling_count(&w->spelling, &column->dictionary);
    kan_spelling *settled;
    assert_int_equal(kan_arena_alloc(&w->table->arena, 1, sizeof *settled, &settled), KAN_OK);
    assert_int_equal(kan_spelling_settle(&w->table->arena, &w->spelling,
                                         kan_spelling_choose(&w->spelling, &fit), settled),
                     KAN_OK);
    assert_int_equal(kan_column_take(w->run, column, settled), KAN_OK);
    column->spelling = settled;
    return kan_spelling_choose(&w->spelling, &fit) == kind;
}

/* Level 0 has the values, which may be called "". */
static void check(const kan_hierarchy *h, const kan_column *column, const char *spec) {
    for (unsigned level = 0; level <= h->height; level++)
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            const kan_slice value = kan_dictionary_value(&column->dictionary, h->code_of[leaf]);
            const kan_slice label = h->levels[level].label[h->levels[level].from_leaf[leaf]];
            if (!kan_spelling_holds(column->spelling, label))
                fail_msg("%s: the label '%.*s' is read as something else", spec, (int)label.size,
                         label.bytes);
            if (level < h->height)
                assert_int_equal(label.size == 0, value.size == 0);
        }
}

static void labels_survive_being_written_and_read(void **state) {
    static const char *const specs[3][6] = {
        [KAN_SPELLED_TEXT] = {"digits:2", "digits:3", "prefix:2,1", "frequency:2,4", "suppress"},
        [KAN_SPELLED_NUMBER] = {"intervals:1,10", "intervals:0.5,5", "quantiles:4,2", "digits:2",
                                "frequency:2,4", "suppress"},
        [KAN_SPELLED_DATE] = {"date:month,year,decade", "date:week", "date:quarter,half",
                              "quantiles:4,2", "prefix:7,4", "frequency:2"}};
    size_t n_built = 0;
    world w = {.random = 99};
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const kan_spelled kind = (kan_spelled)below(&w, 3);
        w.run = kan_run_create();
        if (make_column(&w, kind))
            for (size_t i = 0; i < 6 && specs[kind][i]; i++) {
                kan_hierarchy *hierarchy = NULL;
                kan_problems_begin(w.run);
                if (kan_hierarchy_build(w.run, specs[kind][i], &w.table->columns[0], &hierarchy) ==
                    KAN_OK) {
                    check(hierarchy, &w.table->columns[0], specs[kind][i]);
                    n_built++;
                }
                kan_hierarchy_destroy(hierarchy);
            }
        kan_table_destroy(w.table);
        kan_run_destroy(w.run);
    }
    assert_true(n_built > ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_survive_being_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
