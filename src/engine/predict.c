/* What an order predicts of its release, against what was counted in it, group by group. Labels are
 * compared as text: both sides get the numbers of the counted table's dictionaries, and labels that
 * it does not have get numbers behind those. */
#include "engine/engine_state.h"
#include "engine/tuples.h"

typedef struct prediction {
    kan_run *run;
    const kan_engine_order *order;
    const kan_table *counted;
    size_t n_columns;
    const kan_release_column **columns; /* that do not pass through */
    uint32_t **codes;                   /* by column and label: its number */
    uint32_t *n_codes;                  /* by column */
    kan_engine_tuples predicted, found;
} prediction;

static kan_status choose_columns(prediction *p) {
    const kan_release *const release = p->order->release;
    KAN_TRY(kan_alloc(p->run, release->n_columns, sizeof *p->columns, &p->columns));
    for (size_t i = 0; i < release->n_columns; i++)
        if (!release->columns[i].passes_through)
            p->columns[p->n_columns++] = &release->columns[i];
    KAN_TRY(kan_alloc_zero(p->run, p->n_columns, sizeof *p->codes, &p->codes));
    KAN_TRY(kan_alloc_zero(p->run, p->n_columns, sizeof *p->n_codes, &p->n_codes));
    return KAN_OK;
}

/* The same text has the same number: first those of the dictionary, in its order. */
static kan_status number_labels(prediction *p, size_t at) {
    const kan_dictionary *const dictionary = &p->counted->columns[at].dictionary;
    const kan_release_column *const column = p->columns[at];
    kan_encoder texts;
    uint32_t code;
    kan_status status;
    KAN_TRY(kan_encoder_init(&texts, p->run));
    KAN_TRY_DONE(kan_alloc(p->run, column->n_labels, sizeof *p->codes[at], &p->codes[at]));
    for (uint32_t i = 0; i < dictionary->n; i++) {
        KAN_TRY_DONE(kan_encoder_add(&texts, kan_dictionary_value(dictionary, i), &code));
        KAN_ASSERT(code == i);
    }
    for (uint32_t i = 0; i < column->n_labels; i++)
        KAN_TRY_DONE(kan_encoder_add(&texts, column->labels[i], &p->codes[at][i]));
    p->n_codes[at] = texts.n;
done:
    kan_encoder_destroy(&texts);
    return status;
}

static kan_status predict(prediction *p) {
    const kan_release *const release = p->order->release;
    for (uint64_t row = 0; row < p->order->table->n_rows; row++) {
        uint32_t *codes;
        if (release->is_suppressed && release->is_suppressed[row])
            continue;
        KAN_TRY(
            kan_engine_tuples_add(&p->predicted, kan_table_count(p->order->table, row), &codes));
        for (size_t i = 0; i < p->n_columns; i++)
            codes[i] = p->codes[i][kan_release_code(release, p->columns[i], row)];
    }
    return kan_engine_tuples_sort(&p->predicted, p->n_codes, NULL);
}

static kan_status list_found(prediction *p) {
    for (uint64_t row = 0; row < p->counted->n_rows; row++) {
        uint32_t *codes;
        KAN_TRY(kan_engine_tuples_add(&p->found, kan_table_count(p->counted, row), &codes));
        for (size_t i = 0; i < p->n_columns; i++)
            codes[i] = kan_column_code(&p->counted->columns[i], row);
    }
    return kan_engine_tuples_sort(&p->found, p->n_codes, NULL);
}

static int compare_groups(const prediction *p, uint64_t i, uint64_t j) {
    for (size_t c = 0; c < p->n_columns; c++) {
        const uint32_t a = kan_engine_tuples_code(&p->predicted, i, c),
                       b = kan_engine_tuples_code(&p->found, j, c);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

/* Groups that are on one side alone, or have another number of rows on the other. */
static uint64_t count_different(const prediction *p) {
    uint64_t i = 0, j = 0, n = 0;
    while (i < p->predicted.n || j < p->found.n) {
        const int order = i == p->predicted.n ? 1 : j == p->found.n ? -1 : compare_groups(p, i, j);
        n += order != 0 || p->predicted.counts[i] != p->found.counts[j];
        i += order <= 0;
        j += order >= 0;
    }
    return n;
}

static kan_status judge(const kan_engine *engine, const prediction *p) {
    const uint64_t n = count_different(p);
    char room[32], all[32];
    if (n == 0)
        return KAN_OK;
    return kan_fail(
        engine->run, KAN_FAILED,
        "%s: %s of %s groups of the release do not have the number of rows that they should; the "
        "table was changed meanwhile; run it again when nobody writes to it",
        kan_engine_name(engine), kan_count_text(n, room),
        kan_count_text(p->predicted.n > p->found.n ? p->predicted.n : p->found.n, all));
}

static void prediction_end(prediction *p) {
    for (size_t i = 0; p->codes && i < p->n_columns; i++)
        kan_free(p->run, p->codes[i]);
    kan_free(p->run, p->codes);
    kan_free(p->run, p->n_codes);
    kan_free(p->run, p->columns);
    kan_engine_tuples_destroy(&p->predicted);
    kan_engine_tuples_destroy(&p->found);
}

kan_status kan_engine_compare(kan_engine *engine, const kan_engine_order *order,
                              const kan_table *counted) {
    prediction p = {.run = engine->run, .order = order, .counted = counted};
    kan_status status;
    p.predicted.run = p.found.run = engine->run;
    KAN_TRY_DONE(choose_columns(&p));
    KAN_ASSERT(counted->n_columns == p.n_columns);
    for (size_t i = 0; i < p.n_columns; i++)
        KAN_TRY_DONE(number_labels(&p, i));
    kan_engine_tuples_init(&p.predicted, engine->run, p.n_columns);
    kan_engine_tuples_init(&p.found, engine->run, p.n_columns);
    KAN_TRY_DONE(predict(&p));
    KAN_TRY_DONE(list_found(&p));
    KAN_TRY_DONE(judge(engine, &p));
done:
    prediction_end(&p);
    return status;
}
