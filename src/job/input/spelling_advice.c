#include "job/input/spelling_advice.h"
#include "data/spelling.h"

#include <inttypes.h>

#include "data/hierarchies/hierarchies.h"
#include "data/spelling_guess.h"

/* ---- flags ---------------------------------------------------------------------------------- */

/* A word of a command line, in quotes where a shell would read it otherwise. */
static void add_word(kan_text *text, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_.,=%/:@+-";
    if (strspn(word, plain) == strlen(word)) {
        kan_text_print(text, "%s", word);
        return;
    }
    kan_text_add(text, "'", 1);
    for (; *word; word++)
        kan_text_add(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    kan_text_add(text, "'", 1);
}

/* "--FLAG NAME=VALUE", behind a blank where there is one before it. */
static void add_flag(kan_text *text, const char *flag, const kan_column *column, const char *value,
                     unsigned *n_flags) {
    const bool needs_quotes = strchr(column->name, '=') || strchr(column->name, '"');
    kan_text pair;
    kan_text_init(&pair, text->run);
    kan_text_print(&pair, needs_quotes ? "\"%s\"=%s" : "%s=%s", column->name, value);
    kan_text_print(text, "%s--%s ", (*n_flags)++ ? " " : "", flag);
    add_word(text, pair.bytes ? pair.bytes : "");
    text->failed |= pair.failed;
    kan_text_destroy(&pair);
}

static void add_sign(kan_text *text, const char *flag, const kan_column *column, char sign,
                     unsigned *n_flags) {
    const char value[] = {sign, '\0'};
    if (sign)
        add_flag(text, flag, column, sign == ' ' ? "blank" : value, n_flags);
}

static unsigned add_flags(kan_text *text, const kan_column *column,
                          const kan_spelling_guess *guess) {
    unsigned n = 0;
    if (*guess->date_format)
        add_flag(text, "date-format", column, guess->date_format, &n);
    add_sign(text, "decimal", column, guess->decimal, &n);
    add_sign(text, "thousands", column, guess->thousands, &n);
    if (guess->missing.n > 0) {
        kan_text list;
        kan_text_init(&list, text->run);
        kan_missing_add(&list, &guess->missing);
        add_flag(text, "missing", column, list.bytes ? list.bytes : "", &n);
        text->failed |= list.failed;
        kan_text_destroy(&list);
    }
    return n;
}

/* ---- words ---------------------------------------------------------------------------------- */

static const char *kinds(const kan_spelling_guess *guess) {
    return guess->type == KAN_TYPE_DATE ? "dates" : "numbers";
}

static void add_values(kan_text *text, const kan_guess_values *values) {
    const uint32_t n = values->n < KAN_GUESS_MOST ? values->n : KAN_GUESS_MOST;
    char quoted[256];
    for (uint32_t i = 0; i < n; i++)
        kan_text_print(text, "%s%s", i ? ", " : "", kan_quote(values->values[i], quoted));
    if (values->n > n)
        kan_text_print(text, " and %" PRIu32 " more", values->n - n);
}

static void add_count(kan_text *text, uint32_t n_values, uint64_t n_rows) {
    char counts[2][32];
    kan_text_print(text, "%s value%s in %s row%s", kan_count_text(n_values, counts[0]),
                   n_values == 1 ? "" : "s", kan_count_text(n_rows, counts[1]),
                   n_rows == 1 ? "" : "s");
}

/* 03/04/1980 can be two dates, and 1,234 two numbers. */
static void add_doubt(kan_text *text, const kan_column *column, const kan_spelling_guess *guess) {
    unsigned n = 0;
    if (*guess->other_format) {
        kan_text_print(text, ", or ");
        add_flag(text, "date-format", column, guess->other_format, &n);
        kan_text_print(text, ": all of them fit both");
    } else if (guess->has_other_numbers) {
        kan_text_print(text, ", or ");
        add_sign(text, "decimal", column, guess->other_decimal, &n);
        add_sign(text, "thousands", column, guess->other_thousands, &n);
        if (n == 0)
            kan_text_print(text, "nothing");
        kan_text_print(text, ": all of them fit both");
    }
    if (strstr(guess->date_format, "%y"))
        kan_text_print(text, ", if the first year of two digits is the one after the @");
}

static void add_odd(kan_text *text, const kan_spelling_guess *guess) {
    if (guess->odd.n == 0)
        return;
    kan_text_print(text, "; ");
    add_count(text, guess->odd.n, guess->odd.n_rows);
    kan_text_print(text, " %s neither: ", guess->odd.n == 1 ? "is" : "are");
    add_values(text, &guess->odd);
    kan_text_print(text, "; correct %s, or name %s with --missing, too",
                   guess->odd.n == 1 ? "it" : "them", guess->odd.n == 1 ? "it" : "them");
}

/* -9 in a column of ages is a guess, no more. */
static void add_suspects(kan_text *text, const kan_column *column,
                         const kan_spelling_guess *guess) {
    unsigned n = 0;
    kan_text list;
    kan_text_init(&list, text->run);
    kan_missing_add(&list, &guess->suspects);
    kan_text_print(text, "perhaps ");
    add_values(text, &guess->suspects);
    kan_text_print(text, " stand%s for missing values: ", guess->suspects.n == 1 ? "s" : "");
    add_flag(text, "missing", column, list.bytes ? list.bytes : "", &n);
    kan_text_print(text, " says so");
    text->failed |= list.failed;
    kan_text_destroy(&list);
}

static void add_text(kan_text *text, const kan_column *column, const kan_spelling_guess *guess) {
    char quoted[256];
    kan_text_print(text, "column %s ", kan_quote(kan_slice_of(column->name), quoted));
    if (guess->is_plain && guess->missing.n > 0) {
        kan_text_print(text, "is text because of ");
        add_count(text, guess->missing.n, guess->missing.n_rows);
        kan_text_print(text, ": ");
        add_values(text, &guess->missing);
    } else {
        kan_text_print(text, "looks like %s such as %s", kinds(guess),
                       kan_quote(guess->example, quoted));
    }
    if (!guess->is_plain || guess->missing.n > 0) {
        kan_text_print(text, "; ");
        const unsigned n_flags = add_flags(text, column, guess);
        kan_text_print(text, " make%s it %s", n_flags == 1 ? "s" : "", kinds(guess));
        add_doubt(text, column, guess);
    }
    add_odd(text, guess);
    if (guess->suspects.n > 0) {
        kan_text_print(text, "; ");
        add_suspects(text, column, guess);
    }
}

kan_status kan_input_add_advice(kan_run *run, const kan_column *column, kan_text *text) {
    uint64_t *counts;
    if (kan_column_is_called_text(column))
        return KAN_OK;
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *counts, &counts));
    const kan_status status = kan_column_count(run, column, counts);
    if (status == KAN_OK) {
        const kan_spelling_guess guess = kan_spelling_guess_find(&column->dictionary, counts);
        if (kan_spelling_guess_helps(&guess) && guess.type != column->dictionary.type)
            add_text(text, column, &guess);
        else if (guess.suspects.n > 0) {
            char quoted[256];
            kan_text_print(text, "column %s: ", kan_quote(kan_slice_of(column->name), quoted));
            add_suspects(text, column, &guess);
        }
    }
    kan_free(run, counts);
    return status == KAN_OK ? kan_text_status(text) : status;
}

kan_status kan_input_note_advice(kan_run *run, const kan_column *column) {
    kan_text text;
    kan_text_init(&text, run);
    const kan_status status = kan_input_add_advice(run, column, &text);
    if (status == KAN_OK && text.size > 0)
        kan_note(run, "%s", text.bytes);
    kan_text_destroy(&text);
    return status;
}
