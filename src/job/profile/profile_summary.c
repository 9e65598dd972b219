/* The result of `profile` for people: the columns with a small picture each, then the combinations
 * that single people out. No line is wider than 80 columns. */
#include <stdio.h>

#include "core/wording.h"
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

enum {
    WIDTH = 79,
    MOST_COLUMNS = 40, /* that are shown; the JSON has them all */
    MOST_BARS = 4,
    BAR_COLUMNS = 24,
    VALUE_COLUMNS = 26,
    NAME_COLUMNS = 30,
    MOST_MINIMAL = 8,
    MOST_PER_SIZE = 3,
    SET_INDENT = 34 /* of the names of a combination */
};

/* ---- words and numbers ---------------------------------------------------------------------- */

void kan_profile_add_words(kan_text *text, const char *words, unsigned column, unsigned indent) {
    kan_text_add_wrapped(text, words, column, indent, WIDTH);
}

static const char *percent(uint64_t part, uint64_t whole, char room[KAN_PERCENT_BYTES]) {
    return kan_percent_text(whole ? 100 * (double)part / (double)whole : 0, KAN_PERCENT_TENTHS,
                            room);
}

const char *kan_profile_counted(uint64_t n, const char *one, const char *many, char room[64]) {
    char count[32];
    snprintf(room, 64, "%s %s", kan_count_text(n, count), n == 1 ? one : many);
    return room;
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* A bin without rows is a dot, one with rows never looks like one. */
static void add_sparkline(const kan_profile_column *column, kan_text *text) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t most = 1;
    for (unsigned i = 0; i < column->n_bins; i++)
        most = column->bins[i] > most ? column->bins[i] : most;
    for (unsigned i = 0; i < column->n_bins; i++) {
        const double height = 7 * (double)column->bins[i] / (double)most;
        kan_text_print(text, "%s", column->bins[i] ? blocks[(unsigned)(height + 0.5)] : "·");
    }
}

/* A value on one line, as wide as it is; what is cut says so. */
static size_t add_value(const kan_profile_value *value, size_t most, kan_text *text) {
    return kan_words_add_label(text, kan_profile_slice(value), most);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void add_numbers(const kan_profile_walk *p, const kan_profile_column *column,
                        kan_text *text) {
    char room[KAN_PERCENT_BYTES];
    kan_text_print(text, "  ");
    add_sparkline(column, text);
    if (p->shows_values) {
        kan_text_print(text, "  ");
        add_value(&column->least, 14, text);
        kan_text_print(text, " to ");
        add_value(&column->greatest, 14, text);
        kan_text_print(text, ", median ");
        add_value(&column->median, 14, text);
    }
    kan_text_print(text, "\n");
    if (!p->shows_values || column->top_rows[0] < 2)
        return;
    kan_text_print(text, "  most often");
    for (unsigned i = 0; i < column->n_top && i < 3; i++) {
        kan_text_print(text, "%s", i ? ", " : " ");
        add_value(&column->top[i], 12, text);
        kan_text_print(text, " (%s)", percent(column->top_rows[i], column->n_rows, room));
    }
    kan_text_print(text, "\n");
}

static void add_texts(const kan_profile_walk *p, const kan_profile_column *column, kan_text *text) {
    char room[KAN_PERCENT_BYTES], count[64];
    uint64_t n_shown = 0;
    unsigned n = column->n_top < MOST_BARS ? column->n_top : MOST_BARS;
    if (column->n_distinct == KAN_PROFILE_TOP)
        n = column->n_top; /* "and 1 more" takes the same room */
    if (n == 0 || column->top_rows[0] < 2)
        return;
    size_t width = 0;
    for (unsigned i = 0; p->shows_values && i < n; i++) {
        size_t columns = kan_text_columns(column->top[i].bytes, column->top[i].size);
        columns = columns > VALUE_COLUMNS ? VALUE_COLUMNS : columns;
        width = columns > width ? columns : width;
    }
    for (unsigned i = 0; i < n; i++) {
        kan_text_print(text, "  ");
        if (p->shows_values)
            kan_text_print(text, "%*s", (int)(width + 2 - add_value(&column->top[i], width, text)),
                           "");
        kan_text_print(text, "%8s ", percent(column->top_rows[i], column->n_rows, room));
        (void)kan_words_add_bar(text, (double)column->top_rows[i] / (double)column->n_rows,
                                BAR_COLUMNS);
        kan_text_print(text, "\n");
        n_shown += column->top_rows[i];
    }
    if (column->n_distinct > n)
        kan_text_print(
            text, "  and %s, %s\n",
            kan_profile_counted(column->n_distinct - n, "other value", "other values", count),
            percent(column->n_rows - column->n_missing - n_shown, column->n_rows, room));
}

/* What the role is, why, and what stands beside it. */
static void add_role(const kan_profile_walk *p, const kan_profile_column *column, kan_text *text) {
    char words[KAN_PROFILE_REASON + KAN_PROFILE_SPEC + 256], rows[64], values[32], all[32];
    const bool is_undecided = column->role == KAN_ROLE_OTHER;
    const bool has_spec = column->role == KAN_ROLE_QUASI && strcmp(column->spec, "suppress") != 0;
    int size = snprintf(words, sizeof words, "%s%s: %s",
                        column->certainty == KAN_LIKELY || is_undecided ? "" : "perhaps ",
                        kan_profile_role_name(column->role), column->reason);
    if (has_spec)
        size += snprintf(words + size, sizeof words - (size_t)size, "; try %s", column->spec);
    if (column->is_risk_known && column->n_alone > 0)
        size += snprintf(words + size, sizeof words - (size_t)size,
                         "; %s alone with it and the quasi-identifiers, %s of them because of it",
                         kan_profile_counted(column->n_alone, "row is", "rows are", rows),
                         column->n_singled == 0 ? "none" : kan_count_text(column->n_singled, all));
    if (kan_profile_repeats(p, column))
        snprintf(words + size, sizeof words - (size_t)size,
                 "; %s different ones in %s rows: a person may have several rows",
                 kan_count_text(column->n_distinct, values),
                 kan_count_text(column->n_rows - column->n_missing, all));
    kan_text_print(text, "  → ");
    kan_profile_add_words(text, words, 4, 4);
}

static void add_column(const kan_profile_walk *p, const kan_profile_column *column,
                       kan_text *text) {
    char count[64], room[KAN_PERCENT_BYTES];
    kan_text_print(text, "\n");
    const kan_slice name = {column->name, strlen(column->name)};
    kan_words_add_label(text, name, NAME_COLUMNS);
    const bool are_codes = p->conventions && p->conventions[column - p->columns].are_codes;
    kan_text_print(text, "  %s%s, %s", kan_type_name(column->type),
                   are_codes                ? " of codes"
                   : column->is_called_text ? " by --text"
                                            : "",
                   kan_profile_counted(column->n_distinct, "value", "values", count));
    if (column->n_looked_at)
        kan_text_print(text, ", %s of them looked at", kan_count_text(column->n_looked_at, count));
    if (column->n_missing)
        kan_text_print(text, ", %s of the rows missing",
                       percent(column->n_missing, column->n_rows, room));
    kan_text_print(text, "\n");
    if (column->n_bins > 0)
        add_numbers(p, column, text);
    else
        add_texts(p, column, text);
    add_role(p, column, text);
}

static bool is_notable(const kan_profile_column *column) {
    return column->role != KAN_ROLE_OTHER;
}

/* Where there are many, those with a role come first. */
static void add_columns(const kan_profile_walk *p, kan_text *text) {
    const bool is_long = p->input.n_columns > MOST_COLUMNS;
    size_t n_shown = 0;
    char count[64];
    for (int round = 0; round < (is_long ? 2 : 1); round++)
        for (size_t c = 0; c < p->input.n_columns && n_shown < MOST_COLUMNS; c++)
            if (!is_long || is_notable(&p->columns[c]) == (round == 0)) {
                add_column(p, &p->columns[c], text);
                n_shown++;
            }
    if (!is_long)
        return;
    size_t by_role[KAN_ROLE_DROP + 1] = {0};
    for (size_t c = 0; c < p->input.n_columns; c++)
        by_role[p->columns[c].role]++;
    kan_text_print(
        text,
        "\nand %s; in all %zu id, %zu quasi-identifier, %zu sensitive, %zu drop, "
        "%zu undecided\n--json FILE has them all\n",
        kan_profile_counted(p->input.n_columns - n_shown, "more column", "more columns", count),
        by_role[KAN_ROLE_ID], by_role[KAN_ROLE_QUASI], by_role[KAN_ROLE_SENSITIVE],
        by_role[KAN_ROLE_DROP], by_role[KAN_ROLE_OTHER]);
}

/* ---- combinations --------------------------------------------------------------------------- */

static void add_set(const kan_profile_walk *p, const kan_subset *set, kan_text *text) {
    const kan_subsets *subsets = &p->subsets;
    const uint64_t n = subsets->n_rows, pairs = n * (n - 1) / 2;
    char rooms[3][KAN_PERCENT_BYTES];
    kan_text_print(text, "%c %9s %9s %9s   ", set->is_minimal ? '*' : ' ',
                   percent(set->n_unique, n, rooms[0]), percent(set->n_distinct, n, rooms[1]),
                   percent(pairs - set->n_together, pairs, rooms[2]));
    size_t used = SET_INDENT;
    for (unsigned i = 0; i < set->size; i++) {
        const kan_slice name = kan_slice_of(p->input.columns[p->interesting[set->columns[i]]]);
        size_t columns = kan_text_columns(name.bytes, name.size);
        columns = columns > NAME_COLUMNS ? NAME_COLUMNS : columns;
        if (i > 0 && used + 3 + columns > WIDTH - 2) {
            kan_text_print(text, " +\n%*s", SET_INDENT, "");
            used = SET_INDENT;
        } else if (i > 0) {
            kan_text_print(text, " + ");
            used += 3;
        }
        used += kan_words_add_label(text, name, NAME_COLUMNS);
    }
    kan_text_print(text, "\n");
}

static void add_scope(const kan_profile_walk *p, kan_text *text) {
    const kan_subsets *subsets = &p->subsets;
    char words[512], rows[32], all[32], sets[32], possible[32];
    kan_count_text(subsets->n_rows, rows);
    kan_count_text(p->n_rows, all);
    kan_count_text(subsets->n, sets);
    kan_count_text(subsets->n_all, possible);
    kan_text_print(text, "  ");
    if (subsets->is_sampled) {
        snprintf(words, sizeof words,
                 "in a random sample of %s of %s rows (seed %llu): rows are alone more often in it "
                 "than in the whole table; --sample %llu takes all",
                 rows, all, (unsigned long long)kan_run_seed(p->run),
                 (unsigned long long)p->n_rows);
        kan_profile_add_words(text, words, 2, 2);
    } else {
        kan_text_print(text, "in all %s %s\n", rows, kan_plural(subsets->n_rows, "row", "rows"));
    }
    kan_text_print(text, "  ");
    if (subsets->n == subsets->n_all)
        snprintf(words, sizeof words, "all %s %s of up to four of %u %s", sets,
                 kan_plural(subsets->n, "combination", "combinations"), subsets->n_columns[0],
                 kan_plural(subsets->n_columns[0], "column", "columns"));
    else
        snprintf(words, sizeof words,
                 "%s of %s combinations: pairs of %u columns, threes of %u, fours of %u, "
                 "suggested quasi-identifiers first; --subsets N looks at more",
                 sets, possible, subsets->n_columns[1], subsets->n_columns[2],
                 subsets->n_columns[3]);
    kan_profile_add_words(text, words, 2, 2);
}

static void add_left_out(const kan_profile_walk *p, kan_text *text) {
    char words[256], rooms[3][64];
    unsigned n = 0;
    size_t at = 0;
    const struct {
        size_t n;
        const char *why;
    } parts[] = {{p->n_ids, "suggested as id or drop"},
                 {p->n_constant, "the same in every row"},
                 {p->n_beyond, "less identifying"}};
    for (unsigned i = 0; i < 3; i++)
        if (parts[i].n)
            at += (size_t)snprintf(words + at, sizeof words - at, "%s%s %s", n++ ? ", " : "",
                                   kan_profile_counted(parts[i].n, "column", "columns", rooms[i]),
                                   parts[i].why);
    if (n == 0)
        return;
    kan_text_print(text, "  left out: ");
    kan_profile_add_words(text, words, 12, 12);
}

static void add_minimal(const kan_profile_walk *p, kan_text *text) {
    unsigned n_shown = 0;
    char count[32];
    for (unsigned size = 1; size <= KAN_SUBSET_SIZE; size++)
        for (size_t i = 0; i < p->subsets.n && n_shown < MOST_MINIMAL; i++)
            if (p->subsets.list[i].is_minimal && p->subsets.list[i].size == size) {
                add_set(p, &p->subsets.list[i], text);
                n_shown++;
            }
    if (p->subsets.n_minimal > n_shown)
        kan_text_print(text, "  and %s more\n",
                       kan_count_text(p->subsets.n_minimal - n_shown, count));
}

static void add_by_size(const kan_profile_walk *p, kan_text *text) {
    static const char *const words[] = {"one column", "two columns", "three columns",
                                        "four columns"};
    for (unsigned size = 1; size <= KAN_SUBSET_SIZE; size++) {
        unsigned n_shown = 0;
        for (size_t i = 0; i < p->subsets.n && n_shown < MOST_PER_SIZE; i++) {
            if (p->subsets.list[i].size != size)
                continue;
            if (n_shown++ == 0)
                kan_text_print(text, "  the most identifying of %s\n", words[size - 1]);
            add_set(p, &p->subsets.list[i], text);
        }
    }
}

static void add_combinations(const kan_profile_walk *p, kan_text *text) {
    kan_text_print(text, "\nWhich combinations single people out\n");
    if (p->subsets.n == 0) {
        kan_text_print(text, "  no column is left to combine\n");
        add_left_out(p, text);
        return;
    }
    add_scope(p, text);
    add_left_out(p, text);
    kan_text_print(text, "\n      alone  distinct     apart\n");
    if (p->subsets.n_minimal > 0) {
        kan_text_print(text, "  the smallest that leave 5 %% of the rows alone\n");
        add_minimal(p, text);
    } else {
        kan_text_print(text, "  none leaves 5 %% of the rows alone\n");
    }
    add_by_size(p, text);
    kan_text_print(text,
                   "\n  alone: rows that no other row equals; distinct: different combinations, "
                   "per row;\n  apart: pairs of rows told apart; *: without any one of its columns "
                   "it leaves\n  fewer than 5 %% of the rows alone\n");
}

/* ---- the whole ------------------------------------------------------------------------------ */

void kan_profile_add_internal(bool shows_values, kan_text *text) {
    kan_text_print(text, "%s\n",
                   shows_values
                       ? "internal: shows raw values; for those who may see the table, "
                         "not for a release"
                       : "internal: counts of the raw table, without its values; not for a "
                         "release");
}

kan_status kan_profile_summarize(const kan_profile_walk *p, kan_text *text) {
    char rows[64], columns[64];
    kan_text_print(text, "%s: %s, %s\n", p->input.name,
                   kan_profile_counted(p->n_rows, "row", "rows", rows),
                   kan_profile_counted(p->input.n_columns, "column", "columns", columns));
    if (!p->is_of_several)
        kan_profile_add_internal(p->shows_values, text);
    kan_profile_add_conventions(p, text);
    add_columns(p, text);
    KAN_TRY(kan_profile_add_household(p, text));
    add_combinations(p, text);
    if (p->rules)
        kan_rules_add_columns(p->rules, text);
    if (!p->is_of_several)
        kan_profile_advise(p, text);
    return kan_text_status(text);
}
