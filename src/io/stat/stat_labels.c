/* Whether a column shows labels or codes: --labels. */
#include "io/stat/stat_source.h"

static bool find_showing(kan_slice word, kan_stat_showing *out) {
    static const char *const words[] = {"auto", "labels", "codes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kan_slice_is(word, words[i])) {
            *out = (kan_stat_showing)i;
            return true;
        }
    return false;
}

static kan_status choose_column(kan_stat_source *source, kan_slice name, kan_stat_showing showing) {
    char quoted[256];
    for (size_t i = 0; i < source->n_columns; i++)
        if (kan_slice_is(name, source->names[i])) {
            source->columns[i].showing = showing;
            return KAN_OK;
        }
    return kan_fail(source->run, KAN_BAD_INPUT,
                    "--labels: %s has no column %s; `kanon profile` lists its columns",
                    source->stream.name, kan_quote(name, quoted));
}

/* One thing that was said: for all columns, or NAME=HOW; a name may have = in it. */
static kan_status choose(kan_stat_source *source, const char *said) {
    const char *equal = strrchr(said, '=');
    kan_stat_showing showing;
    char quoted[256];
    if (!find_showing(kan_slice_of(equal ? equal + 1 : said), &showing))
        return kan_fail(source->run, KAN_BAD_INPUT,
                        "--labels %s: use auto, labels or codes, or COLUMN=labels for one column",
                        kan_quote(kan_slice_of(said), quoted));
    if (equal)
        return choose_column(source, (kan_slice){said, (size_t)(equal - said)}, showing);
    for (size_t i = 0; i < source->n_columns; i++)
        source->columns[i].showing = showing;
    return KAN_OK;
}

/* What is said of all columns comes first, wherever it stood. */
static kan_status choose_all(kan_stat_source *source, const kan_options *given) {
    const char *said;
    if (!given)
        return KAN_OK;
    for (size_t i = 0; (said = kan_options_at(given, "labels", i)); i++)
        if (!strchr(said, '='))
            KAN_TRY(choose(source, said));
    for (size_t i = 0; (said = kan_options_at(given, "labels", i)); i++)
        if (strchr(said, '='))
            KAN_TRY(choose(source, said));
    return KAN_OK;
}

/* A column whose codes have names, and not a number with a name for one of its values. What the file
 * says of the column decides, not its rows: whoever sees labels or codes in a release must not learn
 * from it what a row had that is left out. */
static bool has_names(const kan_stat_column *column) {
    enum { LEAST = 2 };
    return column->n_entries >= LEAST;
}

static void show(kan_stat_column *column, bool is_wanted) {
    column->field.shows_labels = is_wanted && column->n_entries > 0 && !column->has_twins;
}

kan_status kan_stat_choose_labels(kan_stat_source *source, const kan_options *given) {
    KAN_TRY(choose_all(source, given));
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_stat_column *column = &source->columns[i];
        show(column, column->showing == KAN_STAT_AUTO ? has_names(column)
                                                      : column->showing != KAN_STAT_CODES);
    }
    return KAN_OK;
}

/* A release has the labels of its values alone: one may be left where its table has many. */
void kan_stat_show_like(kan_stat_column *column, const kan_field *like) {
    if (column->showing == KAN_STAT_AUTO && like->n_labels > 0)
        show(column, like->shows_labels);
}
