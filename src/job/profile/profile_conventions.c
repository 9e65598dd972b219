/* How a table is written: its encoding, words for missing values, decimal signs, formats of dates.
 *
 * What is beyond doubt, and words that stand for missing values, become settings of the job, by
 * which the table is read from there on; they are told, and stand in the job file. What could be
 * read in two ways (03/04/1980), or does not fit everywhere (a typing error), is told, and stands
 * there as a comment: such a column stays text until somebody says what it is. */
#include <stdio.h>

#include "core/pool.h"
#include "core/wording.h"
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

/* ---- encoding ------------------------------------------------------------------------------- */

kan_status kan_profile_find_encoding(kan_profile_walk *p) {
    const char *path = kan_input_text_path(p->job);
    if (!path || kan_options_find(&p->job->options, "encoding"))
        return KAN_OK;
    KAN_TRY(kan_encoding_guess_find(p->run, path, &p->encoding));
    if (!p->encoding.name)
        return KAN_OK;
    KAN_TRY(kan_job_add(p->job, "encoding", p->encoding.name));
    return kan_job_prepare_run(p->job);
}

/* ---- looking -------------------------------------------------------------------------------- */

static kan_status count_rows(kan_run *run, const kan_column *column, uint64_t **out) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    uint64_t *counts;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *counts, &counts));
    for (uint64_t row = 0; row < column->n_rows; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0 && kan_should_stop(run))
            break; /* who called asks again */
        counts[kan_column_code(column, row)] += kan_column_rows(column, row);
    }
    *out = counts;
    return KAN_OK;
}

static void keep_words(const kan_dictionary *dictionary, const uint64_t *counts,
                       const kan_guess_values *values, bool is_number,
                       kan_profile_convention *out) {
    for (uint32_t i = 0; i < values->n && i < KAN_GUESS_MOST; i++) {
        const kan_slice value = values->values[i];
        kan_profile_missing *word = &out->missing[out->n_missing];
        uint32_t code;
        if (value.size >= KAN_PROFILE_WORD || !kan_dictionary_find(dictionary, value, &code))
            continue;
        memcpy(word->text, value.bytes, value.size);
        word->n_rows = counts[code];
        word->is_number = is_number;
        out->n_missing++;
    }
}

/* 01067: nobody counts with these, whatever sign is in them. */
static bool has_leading_zero(const kan_dictionary *dictionary) {
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (value.size > 1 && value.bytes[0] == '0' && value.bytes[1] >= '0' &&
            value.bytes[1] <= '9')
            return true;
    }
    return false;
}

/* Cut between two characters. */
static void copy_cut(kan_slice value, char *out, size_t size) {
    size_t n = value.size < size ? value.size : size - 1;
    while (n > 0 && n < value.size && ((unsigned char)value.bytes[n] & 0xC0) == 0x80)
        n--;
    memcpy(out, value.bytes, n);
    out[n] = '\0';
}

/* The values that do not fit, and the first row of each. */
static void keep_odd(const kan_column *column, const uint64_t *counts, const kan_guess_values *odd,
                     kan_profile_convention *out) {
    uint32_t codes[KAN_GUESS_MOST];
    unsigned n_found = 0;
    for (uint32_t i = 0; i < odd->n && i < KAN_GUESS_MOST; i++) {
        kan_profile_odd *one = &out->odd[out->n_shown_odd];
        if (!kan_dictionary_find(&column->dictionary, odd->values[i], &codes[out->n_shown_odd]))
            continue;
        copy_cut(odd->values[i], one->text, sizeof one->text);
        one->n_rows = counts[codes[out->n_shown_odd]];
        one->row = UINT64_MAX;
        out->n_shown_odd++;
    }
    for (uint64_t row = 0; !column->counts && row < column->n_rows && n_found < out->n_shown_odd;
         row++) {
        const uint32_t code = kan_column_code(column, row);
        for (unsigned i = 0; i < out->n_shown_odd; i++)
            if (code == codes[i] && out->odd[i].row == UINT64_MAX) {
                out->odd[i].row = row;
                n_found++;
            }
    }
}

static void keep_guess(const kan_column *column, const uint64_t *counts,
                       const kan_spelling_guess *guess, kan_profile_convention *out) {
    const bool are_codes = guess->type == KAN_TYPE_NUMBER && has_leading_zero(&column->dictionary);
    keep_words(&column->dictionary, counts, &guess->missing, false, out);
    out->type = guess->type;
    if (are_codes || guess->type == KAN_TYPE_TEXT)
        return;
    keep_words(&column->dictionary, counts, &guess->suspects, true, out);
    out->decimal = guess->decimal;
    out->thousands = guess->thousands;
    out->has_other_numbers = guess->has_other_numbers;
    memcpy(out->date_format, guess->date_format, sizeof out->date_format);
    memcpy(out->other_format, guess->other_format, sizeof out->other_format);
    out->n_odd = guess->odd.n;
    out->n_odd_rows = guess->odd.n_rows;
    keep_odd(column, counts, &guess->odd, out);
}

static bool is_word(const kan_profile_convention *convention, kan_slice value) {
    for (unsigned i = 0; i < convention->n_missing; i++)
        if (kan_slice_is(value, convention->missing[i].text))
            return true;
    return false;
}

/* Digits of one length and nothing else. */
static bool are_digits(const kan_dictionary *dictionary, const kan_profile_convention *convention) {
    enum { LEAST = 3, MOST = 16 };
    size_t length = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_value_is_unknown(value) || is_word(convention, value))
            continue;
        if ((length && value.size != length) || value.size > MOST)
            return false;
        length = value.size;
        for (size_t i = 0; i < value.size; i++)
            if (value.bytes[i] < '0' || value.bytes[i] > '9')
                return false;
    }
    return length >= LEAST;
}

/* 10115 is a number to a program and none to anybody else: where digits of one length stand in a column
 * that is called like postcodes, or have leading zeros and no name of something measured. */
static bool are_codes(const kan_profile_walk *p, const kan_column *column,
                      const kan_profile_convention *convention) {
    const kan_profile_hint hint = kan_profile_name_hint(column->name, p->skip);
    const bool is_measured =
        !hint.is_weak && !hint.is_postcode &&
        (hint.role == KAN_ROLE_SENSITIVE || (hint.role == KAN_ROLE_QUASI && !hint.has_codes));
    return (hint.is_postcode || (!is_measured && has_leading_zero(&column->dictionary))) &&
           are_digits(&column->dictionary, convention);
}

typedef struct {
    kan_profile_walk *p;
    size_t first;
} batch;

static kan_status look_task(void *context, size_t task, unsigned worker) {
    const batch *b = context;
    const kan_column *column = &b->p->input.table->columns[b->first + task];
    uint64_t *counts;
    (void)worker;
    if (!column->is_encoded || kan_column_is_called_text(column))
        return KAN_OK;
    KAN_TRY(count_rows(b->p->run, column, &counts));
    const kan_spelling_guess guess = kan_spelling_guess_find(&column->dictionary, counts);
    kan_profile_convention *convention = &b->p->conventions[b->first + task];
    keep_guess(column, counts, &guess, convention);
    convention->are_codes = are_codes(b->p, column, convention);
    kan_free(b->p->run, counts);
    return kan_check_cancel(b->p->run);
}

/* Where a value stands that does not fit: its line tells it without showing it. */
static kan_status find_line(const kan_profile_walk *p, kan_profile_convention *convention) {
    bool is_found;
    if (convention->n_shown_odd == 0 || convention->odd[0].row == UINT64_MAX)
        return KAN_OK;
    KAN_TRY(kan_source_find_lines(p->input.source, &convention->odd[0].row, 1,
                                  &convention->odd_line, &is_found));
    if (!is_found)
        convention->odd_line = 0;
    return KAN_OK;
}

kan_status kan_profile_look(kan_profile_walk *p, size_t first, size_t end) {
    batch b = {p, first};
    KAN_TRY(kan_parallel(p->run, end - first, look_task, &b));
    for (size_t c = first; c < end; c++)
        KAN_TRY(find_line(p, &p->conventions[c]));
    return KAN_OK;
}

/* ---- taking --------------------------------------------------------------------------------- */

/* Whether somebody said how this column is written. */
static bool is_said(const kan_profile_walk *p, const char *column) {
    const kan_options *options = &p->job->options;
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        for (size_t i = 0; i < kan_options_count_of(options, kan_writing_names[s]); i++) {
            kan_slice name;
            const char *rest;
            kan_spelled_parse(kan_options_at(options, kan_writing_names[s], i), &name, &rest);
            if (kan_slice_is(name, column))
                return true;
        }
    const kan_spelling *spelling = kan_spellings_find(p->input.spellings, column);
    return spelling && spelling->names_text;
}

/* A setting can name it. */
static bool is_sayable(const char *column) {
    return *column && !strpbrk(column, "=\",\n") && column[0] != ' ' &&
           kan_utf8_find_bad(column, strlen(column)) == strlen(column);
}

/* Whether some column of numbers or dates has the word: then it is what the table writes. */
static bool is_of_table(const kan_profile_walk *p, const char *word) {
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const kan_profile_convention *convention = &p->conventions[c];
        for (unsigned i = 0; convention->type != KAN_TYPE_TEXT && i < convention->n_missing; i++)
            if (!convention->missing[i].is_number && strcmp(convention->missing[i].text, word) == 0)
                return true;
    }
    return false;
}

/* NA among numbers is missing; among texts where it is among numbers elsewhere: it may be a value.
 * -9 is where nothing else is below zero; 999 may be the most that was measured. */
static bool is_missing(const kan_profile_walk *p, const kan_profile_convention *convention,
                       const kan_profile_missing *word) {
    if (word->is_number)
        return word->text[0] == '-' && convention->is_taken;
    return convention->type != KAN_TYPE_TEXT || is_of_table(p, word->text);
}

static bool is_beyond_doubt(const kan_profile_convention *convention) {
    return convention->type != KAN_TYPE_TEXT && convention->n_odd == 0 &&
           !convention->has_other_numbers && !*convention->other_format &&
           !strstr(convention->date_format, "%y");
}

static kan_status add_setting(kan_profile_walk *p, const char *setting, size_t column,
                              const char *value) {
    kan_text item;
    kan_text_init(&item, p->run);
    kan_text_print(&item, "%s=%s", p->input.columns[column], value);
    kan_status status = kan_text_status(&item);
    if (status == KAN_OK)
        status = kan_job_add(p->job, setting, item.bytes);
    kan_text_destroy(&item);
    return status;
}

static kan_status take_missing(kan_profile_walk *p, size_t column, bool *is_changed) {
    kan_profile_convention *convention = &p->conventions[column];
    kan_guess_values taken = {.n = 0};
    kan_text list;
    for (unsigned i = 0; i < convention->n_missing; i++) {
        kan_profile_missing *word = &convention->missing[i];
        word->is_taken = taken.n < KAN_GUESS_MOST && is_missing(p, convention, word);
        if (word->is_taken)
            taken.values[taken.n++] = kan_slice_of(word->text);
    }
    if (taken.n == 0)
        return KAN_OK;
    *is_changed = true;
    kan_text_init(&list, p->run);
    kan_missing_add(&list, &taken);
    kan_status status = kan_text_status(&list);
    if (status == KAN_OK)
        status = add_setting(p, "missing", column, list.bytes);
    kan_text_destroy(&list);
    return status;
}

static kan_status take_way(kan_profile_walk *p, size_t column, bool *is_changed) {
    const kan_profile_convention *convention = &p->conventions[column];
    const char decimal[2] = {convention->decimal}, thousands[2] = {convention->thousands};
    if (!convention->is_taken)
        return KAN_OK;
    *is_changed |= *decimal || *thousands || *convention->date_format;
    if (*decimal)
        KAN_TRY(add_setting(p, "decimal", column, decimal));
    if (*thousands)
        KAN_TRY(add_setting(p, "thousands", column, *thousands == ' ' ? "blank" : thousands));
    return *convention->date_format ? add_setting(p, "date-format", column, convention->date_format)
                                    : KAN_OK;
}

/* Codes are text from here on. */
static kan_status take_codes(kan_profile_walk *p, size_t column, bool *is_changed) {
    const char *name = p->input.columns[column];
    const bool can_set =
        !p->is_of_several || (kan_setting_traits("text", "anonymize") & KAN_TRAIT_EACH_TABLE) != 0;
    kan_profile_convention *convention = &p->conventions[column];
    /* the setting takes patterns */
    convention->are_codes = convention->are_codes && can_set && !strpbrk(name, "*?");
    if (!convention->are_codes)
        return KAN_OK;
    *is_changed = true;
    return kan_job_add(p->job, "text", name);
}

static bool is_notable(const kan_profile_convention *convention) {
    bool has_words =
        convention->are_codes || (convention->type != KAN_TYPE_TEXT && convention->n_missing > 0);
    for (unsigned i = 0; i < convention->n_missing; i++)
        has_words |= convention->missing[i].is_taken;
    return has_words || convention->decimal || convention->thousands || *convention->date_format ||
           convention->n_odd > 0;
}

/* A job over several tables reads each as it is written, as far as one of them has no settings of its
 * own. */
static bool can_be_set(const kan_profile_walk *p) {
    bool can = true;
    for (unsigned s = 0; s < KAN_N_WRITINGS && p->is_of_several; s++)
        can &= (kan_setting_traits(kan_writing_names[s], "anonymize") & KAN_TRAIT_EACH_TABLE) != 0;
    return can;
}

kan_status kan_profile_take_conventions(kan_profile_walk *p, bool *is_changed) {
    const bool can_set = can_be_set(p);
    *is_changed = false;
    for (size_t c = 0; c < p->input.n_columns; c++) {
        kan_profile_convention *convention = &p->conventions[c];
        const bool is_free =
            can_set && is_sayable(p->input.columns[c]) && !is_said(p, p->input.columns[c]);
        convention->is_taken = is_free && is_beyond_doubt(convention);
        if (is_free) {
            KAN_TRY(take_missing(p, c, is_changed));
            KAN_TRY(take_way(p, c, is_changed));
            KAN_TRY(take_codes(p, c, is_changed));
        } else {
            convention->are_codes = false;
        }
        convention->is_notable = is_notable(convention);
    }
    if (*is_changed)
        KAN_TRY(kan_input_find_spellings(&p->input, &p->input.spellings));
    return KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

typedef struct {
    char *bytes;
    size_t size;
} told;

static void KAN_PRINTF(2, 3) say(told *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->bytes + t->size, KAN_PROFILE_TOLD - t->size, format, arguments);
    va_end(arguments);
    t->size += n > 0 ? (size_t)n : 0;
    t->size = t->size < KAN_PROFILE_TOLD ? t->size : KAN_PROFILE_TOLD - 1;
}

static const char *sign_name(char sign) {
    return sign == ','    ? "comma"
           : sign == '.'  ? "point"
           : sign == ' '  ? "blank"
           : sign == '\'' ? "apostrophe"
                          : "sign";
}

static void say_way(const kan_profile_convention *convention, told *t) {
    if (convention->are_codes)
        say(t, "codes, not numbers: digits of one length; read as text");
    else if (*convention->date_format)
        say(t, "dates as %s", convention->date_format);
    else if (convention->decimal)
        say(t, "numbers with a decimal %s", sign_name(convention->decimal));
    else if (convention->thousands)
        say(t, "numbers");
    else if (convention->n_odd > 0)
        say(t, convention->type == KAN_TYPE_DATE ? "dates" : "numbers");
    if (convention->thousands)
        say(t, ", thousands with a %s", sign_name(convention->thousands));
    if (*convention->other_format)
        say(t, " or %s: every value can be read both ways; --date-format says which",
            convention->other_format);
    else if (strstr(convention->date_format, "%y"))
        say(t, ": a guess, as years have two digits; --date-format says which century");
    else if (convention->has_other_numbers && t->size > 0)
        say(t, ": a guess, every value can be read in another way, too");
    if (convention->n_odd > 0) {
        char count[32];
        say(t, ", but for %s %s", kan_count_text(convention->n_odd, count),
            kan_plural(convention->n_odd, "value", "values"));
        if (convention->odd_line > 0)
            say(t, " (line %s)", kan_count_text(convention->odd_line, count));
        say(t, ": it is text until %s corrected, or named with --missing",
            convention->n_odd == 1 ? "that is" : "these are");
    }
}

static void say_missing(const kan_profile_walk *p, const kan_profile_convention *convention,
                        told *t) {
    bool is_begun = false;
    for (unsigned i = 0; i < convention->n_missing; i++) {
        const kan_profile_missing *word = &convention->missing[i];
        const double share = p->n_rows ? 100 * (double)word->n_rows / (double)p->n_rows : 0;
        char percent[KAN_PERCENT_BYTES];
        if (!word->is_taken && convention->type == KAN_TYPE_TEXT)
            continue;
        say(t, "%s%s", is_begun ? ", " : t->size ? "; missing: " : "missing: ", word->text);
        say(t, " (%s", kan_percent_text(share, KAN_PERCENT_TENTHS, percent));
        say(t, "%s)",
            !word->is_number ? ""
            : word->is_taken ? ", a guess: it could be a value"
                             : " perhaps: read as a value");
        is_begun = true;
    }
}

void kan_profile_tell_convention(const kan_profile_walk *p, size_t column,
                                 char room[KAN_PROFILE_TOLD]) {
    const kan_profile_convention *convention = &p->conventions[column];
    told t = {.bytes = room};
    room[0] = '\0';
    say_way(convention, &t);
    say_missing(p, convention, &t);
}

static size_t count_notable(const kan_profile_walk *p) {
    size_t n = 0;
    for (size_t c = 0; p->conventions && c < p->input.n_columns; c++)
        n += p->conventions[c].is_notable;
    return n;
}

void kan_profile_add_conventions(const kan_profile_walk *p, kan_text *text) {
    enum { INDENT = 4, MOST = 40, NAME_COLUMNS = 30 };
    const size_t n = count_notable(p);
    char words[KAN_PROFILE_TOLD + 64];
    size_t n_shown = 0;
    if (n == 0 && !p->encoding.name)
        return;
    kan_text_print(text, "\nHow it is written\n");
    if (p->encoding.name) {
        snprintf(words, sizeof words, "encoding: %s%s, %s", p->encoding.name,
                 p->encoding.is_sure ? "" : " (a guess)", p->encoding.why);
        kan_text_print(text, "  ");
        kan_profile_add_words(text, words, 2, INDENT);
    }
    for (size_t c = 0; n > 0 && c < p->input.n_columns && n_shown < MOST; c++) {
        if (!p->conventions[c].is_notable)
            continue;
        kan_text_print(text, "  ");
        const size_t used =
            kan_words_add_label(text, kan_slice_of(p->input.columns[c]), NAME_COLUMNS);
        kan_text_print(text, ":");
        kan_profile_tell_convention(p, c, words);
        kan_profile_add_words(text, words, (unsigned)used + 3, INDENT);
        n_shown++;
    }
    if (n > n_shown)
        kan_text_print(text, "  and %zu more; --json FILE has them all\n", n - n_shown);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *sign_json(char sign) {
    const char text[2] = {sign};
    return sign ? json_string(text) : json_null();
}

static json_t *format_json(const char *format) {
    return *format ? json_string(format) : json_null();
}

static json_t *odd_json(const kan_profile_walk *p, const kan_profile_convention *convention) {
    json_t *list = json_array();
    for (unsigned i = 0; i < convention->n_shown_odd; i++) {
        const kan_profile_odd *odd = &convention->odd[i];
        list = kan_json_append(
            list, json_pack("{s:o, s:o, s:o}", "value",
                            p->shows_values ? kan_json_text(odd->text) : json_null(), "rows",
                            kan_json_count(odd->n_rows), "row",
                            odd->row == UINT64_MAX ? json_null() : kan_json_count(odd->row + 1)));
    }
    return list;
}

static json_t *convention_json(const kan_profile_walk *p, size_t column) {
    const kan_profile_convention *convention = &p->conventions[column];
    char words[KAN_PROFILE_TOLD];
    json_t *missing = json_array();
    for (unsigned i = 0; i < convention->n_missing; i++) {
        const kan_profile_missing *word = &convention->missing[i];
        if (word->is_taken || convention->type != KAN_TYPE_TEXT)
            missing = kan_json_append(
                missing, json_pack("{s:o, s:o, s:b, s:b}", "value", kan_json_text(word->text),
                                   "rows", kan_json_count(word->n_rows), "taken",
                                   (int)word->is_taken, "sure", (int)!word->is_number));
    }
    kan_profile_tell_convention(p, column, words);
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:o, s:o}", "name",
        kan_json_text(p->input.columns[column]), "type",
        kan_type_name(convention->are_codes ? KAN_TYPE_TEXT : convention->type), "missing", missing,
        "decimal", sign_json(convention->decimal), "thousands", sign_json(convention->thousands),
        "date_format", format_json(convention->date_format), "other_date_format",
        format_json(convention->other_format), "taken", (int)convention->is_taken, "codes",
        (int)convention->are_codes, "other_numbers", (int)convention->has_other_numbers,
        "odd_values", kan_json_count(convention->n_odd), "odd_line",
        convention->odd_line ? kan_json_count(convention->odd_line) : json_null(), "odd",
        odd_json(p, convention), "words", kan_json_text(words));
}

json_t *kan_profile_conventions_json(const kan_profile_walk *p) {
    json_t *list = json_array();
    for (size_t c = 0; p->conventions && c < p->input.n_columns; c++)
        if (p->conventions[c].is_notable)
            list = kan_json_append(list, convention_json(p, c));
    return json_pack("{s:o, s:b, s:o}", "encoding",
                     p->encoding.name ? json_string(p->encoding.name) : json_null(),
                     "encoding_is_sure", (int)p->encoding.is_sure, "columns", list);
}

/* ---- the job file --------------------------------------------------------------------------- */

/* How sure a setting is that was found for a column. */
static void add_told(const kan_profile_walk *p, const char *setting, const char *item,
                     kan_text *text) {
    kan_slice name;
    const char *rest;
    size_t column;
    char words[KAN_PROFILE_TOLD] = "";
    told t = {.bytes = words};
    kan_spelled_parse(item, &name, &rest);
    if (name.size == 0 || !p->conventions || !kan_input_find(&p->input, name, &column))
        return;
    const kan_profile_convention *convention = &p->conventions[column];
    if (strcmp(setting, "missing") == 0)
        say_missing(p, convention, &t);
    else if (convention->is_taken)
        say(&t, "fits every value, and only in this way");
    if (t.size > 0)
        kan_text_print(text, "  # %s", words);
}

/* What nobody can be sure of is a comment. */
static void add_doubts(const kan_profile_walk *p, kan_text *text) {
    for (size_t c = 0; p->conventions && c < p->input.n_columns; c++) {
        char words[KAN_PROFILE_TOLD], quoted[256];
        if (!p->conventions[c].is_notable || p->conventions[c].is_taken)
            continue;
        if (p->conventions[c].type == KAN_TYPE_TEXT)
            continue;
        kan_profile_tell_convention(p, c, words);
        kan_text_print(text, "# undecided: %s holds %s\n",
                       kan_quote(kan_slice_of(p->input.columns[c]), quoted), words);
    }
}

/* One setting of the job file, with what speaks for it. */
static void add_said(const kan_profile_walk *p, const kan_setting_entry *entry, kan_text *text) {
    const kan_options *options = &p->job->options;
    const char *name = entry->setting.name;
    const bool is_list = entry->setting.repeats;
    const size_t n = kan_options_count_of(options, name);
    if (n > 0)
        kan_text_print(text, is_list ? "%s:\n" : "%s: ", name);
    for (size_t i = 0; i < n; i++) {
        const char *item = kan_options_at(options, name, i);
        kan_text_print(text, is_list ? "  - " : "");
        kan_yaml_add_scalar(text, item);
        if (entry->form == KAN_FORM_SPELLING)
            add_told(p, name, item, text);
        else if (p->encoding.name && entry->form == KAN_FORM_ENCODING)
            kan_text_print(text, "  # %s%s",
                           p->encoding.is_sure ? "" : "a guess: ", p->encoding.why);
        kan_text_print(text, "\n");
    }
}

void kan_profile_add_reading(const kan_profile_walk *p, kan_text *text) {
    const kan_options *options = &p->job->options;
    const char *name;
    bool is_begun = count_notable(p) > 0;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_READING, "profile", i)) != NULL; i++)
        is_begun |= kan_setting_may_be_kept(kan_setting_find(name)) &&
                    kan_options_count_of(options, name) > 0;
    if (is_begun)
        kan_text_print(text, "\n# How the table is written, by looking at it.\n");
    for (int of_columns = 0; of_columns < 2;
         of_columns++) /* what is about all columns stands first */
        for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_READING, "profile", i)) != NULL;
             i++) {
            const kan_setting_entry *entry = kan_setting_entry_for(name, "profile");
            if (entry->setting.repeats == (of_columns == 1) &&
                kan_setting_may_be_kept(&entry->setting))
                add_said(p, entry, text);
        }
    add_doubts(p, text);
}
