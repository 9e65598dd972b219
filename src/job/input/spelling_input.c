#include "job/input/spelling_input.h"

#include "job/input/mean_column.h"
#include "job/input/table_input.h"
#include "job/settings/settings.h"

typedef struct {
    kan_run *run;
    kan_arena *arena;
    const kan_input *input;
    const kan_options *options;
    kan_spellings *spellings;
} reading;

/* ---- one spelling --------------------------------------------------------------------------- */

static size_t count_commas(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

/* Adds the values of a list to those that are there. */
static kan_status add_missing(const reading *r, const char *list, kan_spelling *out) {
    kan_slice *values, value;
    char *room;
    KAN_TRY(kan_arena_alloc(r->arena, strlen(list) + 1, 1, &room));
    KAN_TRY(kan_arena_alloc(r->arena, out->n_missing + count_commas(list) + 1, sizeof *values,
                            &values));
    if (out->n_missing > 0)
        memcpy(values, out->missing, out->n_missing * sizeof *values);
    while (kan_missing_next(&list, room, &value)) {
        values[out->n_missing++] = value;
        room += value.size;
    }
    out->missing = values;
    return KAN_OK;
}

static kan_status set_format(const reading *r, const char *text, kan_spelling *out) {
    char *room;
    out->date = (kan_date_format){NULL, -1};
    if (strcmp(text, "none") == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(r->arena, KAN_DATE_FORMAT_MOST + 1, 1, &room));
    (void)kan_date_format_parse(kan_slice_of(text), room, &out->date);
    return KAN_OK;
}

/* What the settings say of the column, or, with an empty name, of all. */
static kan_status say(const reading *r, kan_slice column, kan_spelling *out) {
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        for (size_t i = 0; i < kan_options_count_of(r->options, kan_writing_names[s]); i++) {
            kan_slice name;
            const char *rest;
            kan_spelled_parse(kan_options_at(r->options, kan_writing_names[s], i), &name, &rest);
            if (!kan_slice_equal(name, column))
                continue;
            if (s == KAN_WRITING_MISSING)
                KAN_TRY(add_missing(r, rest, out));
            else if (s == KAN_WRITING_DECIMAL)
                (void)kan_decimal_sign_parse(rest, &out->decimal);
            else if (s == KAN_WRITING_THOUSANDS)
                (void)kan_thousands_sign_parse(rest, &out->thousands);
            else
                KAN_TRY(set_format(r, rest, out));
            out->names_numbers |=
                column.size > 0 && (s == KAN_WRITING_DECIMAL || s == KAN_WRITING_THOUSANDS);
            out->names_dates |= column.size > 0 && s == KAN_WRITING_DATES && out->date.text;
        }
    return KAN_OK;
}

static void check_signs(const reading *r, const kan_spelling *spelling, const char *column) {
    const char decimal = spelling->decimal ? spelling->decimal : '.';
    char quoted[256];
    if (spelling->thousands != decimal)
        return;
    kan_problem_add(r->run,
                    "--thousands%s%s: '%c' already separates the decimals; give the decimal "
                    "separator with --decimal",
                    column ? ", column " : "",
                    column ? kan_quote(kan_slice_of(column), quoted) : "", decimal);
}

/* ---- columns that are called text ----------------------------------------------------------- */

static bool is_like(const char *column, const char *name) {
    return strcmp(column, name) == 0 || (strpbrk(name, "*?") && kan_name_is_like(column, name));
}

static bool is_called_text(const reading *r, const char *column) {
    for (size_t i = 0; i < kan_options_count_of(r->options, "text"); i++)
        if (is_like(column, kan_options_at(r->options, "text", i)))
            return true;
    return false;
}

void kan_input_check_text(const kan_input *input) {
    const kan_options *options = &input->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, "text"); i++) {
        const char *name = kan_options_at(options, "text", i);
        bool is_found = false;
        for (size_t c = 0; c < input->n_columns; c++)
            is_found |= is_like(input->columns[c], name);
        if (!is_found)
            kan_input_add_unknown(input, "text", kan_slice_of(name));
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool is_listed(const kan_spellings *spellings, kan_slice column) {
    for (size_t i = 0; i < spellings->n; i++)
        if (kan_slice_is(column, spellings->columns[i].column))
            return true;
    return false;
}

/* What a column says itself comes first, what is said of all behind it. */
static kan_status add_column(reading *r, kan_slice name) {
    const kan_spelling *all = &r->spellings->all;
    struct kan_column_spelling *out = &r->spellings->columns[r->spellings->n];
    *out = (struct kan_column_spelling){.spelling = *all};
    out->spelling.missing = NULL;
    out->spelling.n_missing = 0;
    KAN_TRY(kan_arena_copy(r->arena, name.bytes, name.size, &out->column));
    KAN_TRY(say(r, name, &out->spelling));
    if (is_called_text(r, out->column)) { /* whatever signs its values have */
        out->spelling.names_text = true;
        out->spelling.names_numbers = out->spelling.names_dates = false;
    }
    kan_slice *missing;
    KAN_TRY(kan_arena_alloc(r->arena, out->spelling.n_missing + all->n_missing, sizeof *missing,
                            &missing));
    for (size_t i = 0; i < out->spelling.n_missing; i++)
        missing[i] = out->spelling.missing[i];
    for (size_t i = 0; i < all->n_missing; i++)
        missing[out->spelling.n_missing + i] = all->missing[i];
    out->spelling.missing = missing;
    out->spelling.n_missing += all->n_missing;
    check_signs(r, &out->spelling, out->column);
    r->spellings->n++;
    return KAN_OK;
}

static kan_status add_columns(reading *r) {
    size_t n = kan_options_find(r->options, "text") ? r->input->n_columns : 0;
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        n += kan_options_count_of(r->options, kan_writing_names[s]);
    KAN_TRY(kan_arena_alloc(r->arena, n, sizeof *r->spellings->columns, &r->spellings->columns));
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        for (size_t i = 0; i < kan_options_count_of(r->options, kan_writing_names[s]); i++) {
            kan_slice name;
            const char *rest;
            kan_spelled_parse(kan_options_at(r->options, kan_writing_names[s], i), &name, &rest);
            if (name.size > 0 && !is_listed(r->spellings, name))
                KAN_TRY(add_column(r, name));
        }
    for (size_t i = 0; i < r->input->n_columns; i++) {
        const kan_slice name = kan_slice_of(r->input->columns[i]);
        if (is_called_text(r, r->input->columns[i]) && !is_listed(r->spellings, name))
            KAN_TRY(add_column(r, name));
    }
    return KAN_OK;
}

kan_status kan_input_find_spellings(const kan_input *input, const kan_spellings **out) {
    const kan_job *job = input->job;
    reading r = {.run = job->run,
                 .arena = kan_run_arena(job->run),
                 .input = input,
                 .options = &job->options};
    bool is_said = kan_options_find(&job->options, "text") != NULL;
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        is_said |= kan_options_find(&job->options, kan_writing_names[s]) != NULL;
    *out = NULL;
    if (!is_said)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(r.arena, 1, sizeof *r.spellings, &r.spellings));
    *r.spellings = (kan_spellings){.all = {.date = {NULL, -1}}};
    kan_problems_begin(job->run);
    KAN_TRY(say(&r, (kan_slice){"", 0}, &r.spellings->all));
    check_signs(&r, &r.spellings->all, NULL);
    KAN_TRY(add_columns(&r));
    KAN_TRY(kan_problems_end(job->run));
    *out = r.spellings;
    return KAN_OK;
}

/* ---- columns that some rows decide ---------------------------------------------------------- */

static bool has_sign(const kan_spelling *said, kan_slice value) {
    return (said->decimal && memchr(value.bytes, said->decimal, value.size)) ||
           (said->thousands && memchr(value.bytes, said->thousands, value.size));
}

static bool is_taken(const kan_spelling *said, kan_slice value) {
    return kan_spelling_is_date(said, value) ||
           ((said->decimal || said->thousands) && kan_spelling_is_number(said, value));
}

/* A value that what was said is about, or one that it does not fit. */
static kan_slice find_example(const kan_column *column, const kan_spelling *said, bool fits) {
    kan_slice found = {"", 0};
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        if (value.size > 0 && is_taken(said, value) == fits &&
            (found.size == 0 || (fits && !has_sign(said, found))))
            found = value;
    }
    return found;
}

static void tell_undecided(const kan_input *input, const kan_column *column) {
    const kan_spelling *said = kan_spellings_find(input->spellings, column->name);
    char quoted[3][256];
    kan_quote(kan_slice_of(column->name), quoted[0]);
    kan_problem_add(
        input->run,
        "%s: column %s has values that are numbers or dates as --decimal, --thousands or "
        "--date-format says, such as %s, and others, such as %s; if those were left out "
        "(--suppress), what the release shows would be read otherwise: correct them, "
        "name what stands for missing (--missing), or call the column text (--text %s)",
        input->name, quoted[0], kan_quote(find_example(column, said, true), quoted[1]),
        kan_quote(find_example(column, said, false), quoted[2]), column->name);
}

kan_status kan_input_check_decided(const kan_input *input, const bool *matters) {
    const kan_table *table = input->raw ? input->raw : input->table;
    kan_problems_begin(input->run);
    for (size_t i = 0; i < table->n_columns; i++)
        if (matters[i] && table->columns[i].is_undecided)
            tell_undecided(input, &table->columns[i]);
    return kan_problems_end(input->run);
}

/* ---- releases ------------------------------------------------------------------------------- */

static void add_settled(kan_spellings *to, const char *name, const kan_spelling *spelling) {
    if (is_listed(to, kan_slice_of(name)))
        return;
    to->columns[to->n++] =
        (struct kan_column_spelling){name, spelling ? *spelling : (kan_spelling){.decimal = 0}};
}

/* The columns of the table as they have settled; means of them are written alike. */
static kan_status add_original(kan_run *run, const kan_table *table, kan_spellings *to) {
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            add_settled(to, table->columns[i].name, table->columns[i].spelling);
    for (size_t i = 0; i < table->n_columns; i++) {
        kan_text name;
        const char *copy;
        if (!table->columns[i].is_encoded)
            continue;
        kan_text_init(&name, run);
        kan_mean_column_add_name(&name, table->columns[i].name);
        kan_status status = kan_text_status(&name);
        if (status == KAN_OK)
            status = kan_arena_copy(kan_run_arena(run), name.bytes, name.size, &copy);
        kan_text_destroy(&name);
        KAN_TRY(status);
        add_settled(to, copy, table->columns[i].spelling);
    }
    return KAN_OK;
}

kan_status kan_input_spell_release(kan_run *run, const kan_spellings *said,
                                   const kan_table *original, const kan_spellings **out) {
    kan_arena *arena = kan_run_arena(run);
    kan_spellings *made;
    *out = NULL;
    if (!said)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    *made = (kan_spellings){.all = said->all};
    made->all.is_lenient = true;
    KAN_TRY(kan_arena_alloc(arena, said->n + (original ? 2 * original->n_columns : 0),
                            sizeof *made->columns, &made->columns));
    if (original)
        KAN_TRY(add_original(run, original, made));
    for (size_t i = 0; i < said->n; i++)
        if (!is_listed(made, kan_slice_of(said->columns[i].column))) {
            made->columns[made->n] = said->columns[i];
            made->columns[made->n++].spelling.is_lenient = true;
        }
    *out = made;
    return KAN_OK;
}
