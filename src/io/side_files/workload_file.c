/* Workload files: lines to words, words to queries.
 *
 * A line is read by one descent over its words. The first thing that is wrong ends the line with a
 * problem, what it had added is taken back, and the next line is read. Time grows with the bytes of
 * the file, however long its lines and lists are, and an interrupt is looked for every few thousand
 * values. */
#include "io/side_files/workload_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/encoder.h"
#include "io/streams/streams.h"

typedef enum word_type { WORD_END, WORD_PLAIN, WORD_QUOTED, WORD_SIGN, WORD_BROKEN } word_type;

typedef struct {
    word_type type;
    size_t at, end; /* bytes of the line */
    kan_slice text; /* quotes taken off: then in `unquoted` */
} word;

typedef struct {
    kan_workload *workload;
    kan_run *run;
    size_t query_room, predicate_room, constant_room, name_room;
    kan_status status; /* of allocations */
    kan_text unquoted;
    kan_encoder known; /* names of columns, by number */
    /* The line in hand. */
    uint64_t number;
    kan_slice line;
    size_t counted_at, n_counted; /* bytes up to which its columns are counted, and how many */
    word word;
    kan_query query;
} reader;

static const char *const aggregate_names[] = {"COUNT", "SUM", "AVG", "MIN", "MAX"};

enum { N_AGGREGATES = sizeof aggregate_names / sizeof *aggregate_names };

const char *kan_aggregate_name(kan_aggregate aggregate) {
    return aggregate_names[aggregate];
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c) {
    return is_blank(c) || strchr("(),=<>", c) != NULL;
}

/* != and the like are read as signs, so that they can be told from values. */
static size_t sign_size(kan_slice rest) {
    static const char *const two[] = {"<=", ">=", "<>", "!=", "=="};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (rest.size > 1 && memcmp(rest.bytes, two[i], 2) == 0)
            return 2;
    return rest.bytes[0] != '\0' && strchr("(),=<>", rest.bytes[0]) ? 1 : 0;
}

/* Takes the word in quotes at word->at. */
static void take_quoted(reader *r) {
    const char quote = r->line.bytes[r->word.at];
    r->unquoted.size = 0;
    for (size_t i = r->word.at + 1; i < r->line.size; i++) {
        if (r->line.bytes[i] != quote) {
            kan_text_add(&r->unquoted, r->line.bytes + i, 1);
        } else if (i + 1 < r->line.size && r->line.bytes[i + 1] == quote) {
            kan_text_add(&r->unquoted, &quote, 1);
            i++;
        } else {
            r->word.type = WORD_QUOTED;
            r->word.end = i + 1;
            r->word.text = (kan_slice){r->unquoted.size ? r->unquoted.bytes : "", r->unquoted.size};
            return;
        }
    }
    r->word.type = WORD_BROKEN;
    r->word.end = r->line.size;
}

/* The next word into r->word. */
static void next_word(reader *r) {
    size_t at = r->word.end;
    while (at < r->line.size && is_blank(r->line.bytes[at]))
        at++;
    r->word = (word){.type = WORD_END, .at = at, .end = at};
    if (at == r->line.size || r->line.bytes[at] == '#')
        return;
    const kan_slice rest = {r->line.bytes + at, r->line.size - at};
    size_t size = sign_size(rest);
    if (rest.bytes[0] == '"' || rest.bytes[0] == '\'') {
        take_quoted(r);
        return;
    }
    r->word.type = size ? WORD_SIGN : WORD_PLAIN;
    if (size == 0)
        for (size = 1; size < rest.size && !ends_word(rest.bytes[size]); size++)
            if (rest.bytes[size] == '!' && size + 1 < rest.size && rest.bytes[size + 1] == '=')
                break;
    r->word.end = at + size;
    r->word.text = (kan_slice){rest.bytes, size};
}

static bool is_sign(const reader *r, const char *sign) {
    return r->word.type == WORD_SIGN && kan_slice_is(r->word.text, sign);
}

static bool is_keyword(const reader *r, const char *keyword) {
    return r->word.type == WORD_PLAIN && r->word.text.size == strlen(keyword) &&
           strncasecmp(r->word.text.bytes, keyword, r->word.text.size) == 0;
}

static bool is_any_keyword(const reader *r) {
    static const char *const keywords[] = {"WHERE", "AND", "BETWEEN", "IN", "OR", "NOT"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (is_keyword(r, keywords[i]))
            return true;
    return false;
}

/* ---- problems ------------------------------------------------------------------------------- */

/* The column of a byte, counted on from the byte that was asked for before. */
static size_t place_of(reader *r, size_t at) {
    if (at < r->counted_at)
        r->counted_at = r->n_counted = 0;
    r->n_counted += kan_text_columns(r->line.bytes + r->counted_at, at - r->counted_at);
    r->counted_at = at;
    return r->n_counted + 1;
}

/* Tells what stands at the word in hand instead of what is expected; always false. */
static bool expected(reader *r, const char *what, const char *remedy) {
    char quoted[256];
    if (r->word.type == WORD_BROKEN)
        kan_problem_add(
            r->run,
            "%s:%" PRIu64
            ":%zu: the quotes that begin here are not closed; a quote inside them is written twice",
            r->workload->path, r->number, place_of(r, r->word.at));
    else if (r->word.type == WORD_END)
        kan_problem_add(r->run, "%s:%" PRIu64 ":%zu: the line ends where %s is expected%s%s",
                        r->workload->path, r->number, place_of(r, r->word.at), what,
                        *remedy ? "; " : "", remedy);
    else
        kan_problem_add(r->run, "%s:%" PRIu64 ":%zu: %s where %s is expected%s%s",
                        r->workload->path, r->number, place_of(r, r->word.at),
                        kan_quote(r->word.text, quoted), what, *remedy ? "; " : "", remedy);
    return false;
}

/* ---- what queries are made of --------------------------------------------------------------- */

static bool holds(reader *r, kan_status status) {
    if (r->status == KAN_OK)
        r->status = status;
    return r->status == KAN_OK;
}

/* The number of the column that is called like the word in hand. */
static bool find_name(reader *r, uint32_t *out) {
    kan_workload *w = r->workload;
    const char *copy;
    if (!holds(r, kan_encoder_add(&r->known, r->word.text, out)))
        return false;
    if (*out < w->n_names)
        return true;
    if (!holds(r,
               kan_reserve(r->run, w->n_names + 1, sizeof *w->names, &r->name_room, &w->names)) ||
        !holds(r, kan_arena_copy(&w->arena, r->word.text.bytes, r->word.text.size, &copy)))
        return false;
    w->names[w->n_names++] = copy;
    return true;
}

static bool take_name(reader *r, uint32_t *name, size_t *place) {
    const bool is_name = r->word.type == WORD_QUOTED || r->word.type == WORD_PLAIN;
    if (!is_name || is_any_keyword(r) || r->word.text.size == 0 ||
        memchr(r->word.text.bytes, '\0', r->word.text.size))
        return expected(r, "the name of a column",
                        "one that has spaces or symbols, or is a keyword, must be in quotes");
    *place = place_of(r, r->word.at);
    if (!find_name(r, name))
        return false;
    next_word(r);
    return true;
}

static bool take_constant(reader *r, kan_predicate *predicate) {
    enum { LOOK_UP = 1 << 12 };
    kan_workload *w = r->workload;
    const char *copy;
    if (w->n_constants % LOOK_UP == 0 && !holds(r, kan_check_cancel(r->run)))
        return false;
    const bool is_value = r->word.type == WORD_QUOTED || r->word.type == WORD_PLAIN;
    if (!is_value || is_any_keyword(r))
        return expected(r, "a value",
                        "one that has spaces or symbols, or is a keyword, must be in quotes");
    if (!holds(r, kan_reserve(r->run, w->n_constants + 1, sizeof *w->constants, &r->constant_room,
                              &w->constants)) ||
        !holds(r, kan_arena_copy(&w->arena, r->word.text.bytes, r->word.text.size, &copy)))
        return false;
    w->constants[w->n_constants++] =
        (kan_constant){{copy, r->word.text.size}, place_of(r, r->word.at)};
    predicate->n_constants++;
    next_word(r);
    return true;
}

static bool take_list(reader *r, kan_predicate *predicate) {
    if (!is_sign(r, "("))
        return expected(r, "(", "a list is written IN (a, b, c)");
    do {
        next_word(r);
        if (!take_constant(r, predicate))
            return false;
    } while (is_sign(r, ","));
    if (!is_sign(r, ")"))
        return expected(r, ", or )", "a value with spaces must be in quotes");
    next_word(r);
    return true;
}

static bool take_range(reader *r, kan_predicate *predicate) {
    if (!take_constant(r, predicate))
        return false;
    if (!is_keyword(r, "AND"))
        return expected(r, "AND", "a range is written BETWEEN 20 AND 30");
    next_word(r);
    return take_constant(r, predicate);
}

static bool take_comparison(reader *r, kan_predicate *predicate) {
    static const struct {
        const char *sign;
        kan_comparison comparison;
    } signs[] = {{"=", KAN_IS_IN},
                 {"<", KAN_IS_BELOW},
                 {"<=", KAN_IS_AT_MOST},
                 {">", KAN_IS_ABOVE},
                 {">=", KAN_IS_AT_LEAST}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (is_sign(r, signs[i].sign)) {
            predicate->comparison = signs[i].comparison;
            predicate->sign = signs[i].sign;
            next_word(r);
            return take_constant(r, predicate);
        }
    const bool is_list = is_keyword(r, "IN"), is_range = is_keyword(r, "BETWEEN");
    if (is_list || is_range) {
        predicate->comparison = is_list ? KAN_IS_IN : KAN_IS_BETWEEN;
        predicate->sign = is_list ? "IN" : "BETWEEN";
        next_word(r);
        return is_list ? take_list(r, predicate) : take_range(r, predicate);
    }
    if (is_sign(r, "!=") || is_sign(r, "<>") || is_keyword(r, "NOT"))
        return expected(r, "=, <, <=, >, >=, BETWEEN or IN",
                        "negation is not supported: list the wanted values with IN (a, b)");
    return expected(r, "=, <, <=, >, >=, BETWEEN or IN", "a name with spaces must be in quotes");
}

static bool take_predicates(reader *r) {
    kan_workload *w = r->workload;
    for (;;) {
        kan_predicate predicate = {.first_constant = w->n_constants};
        if (!take_name(r, &predicate.name, &predicate.place) || !take_comparison(r, &predicate) ||
            !holds(r, kan_reserve(r->run, w->n_predicates + 1, sizeof *w->predicates,
                                  &r->predicate_room, &w->predicates)))
            return false;
        w->predicates[w->n_predicates++] = predicate;
        r->query.n_predicates++;
        if (r->word.type == WORD_END)
            return true;
        if (is_keyword(r, "OR"))
            return expected(r, "AND or the end of the line",
                            "of one column, list the values with IN (a, b); of several, write a "
                            "query for each");
        if (!is_keyword(r, "AND"))
            return expected(r, "AND or the end of the line",
                            "a value with spaces or symbols must be in quotes");
        next_word(r);
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool take_weight(reader *r) {
    double weight;
    r->query.weight = 1;
    if (!is_keyword(r, "weight"))
        return true;
    next_word(r);
    if (r->word.type != WORD_PLAIN ||
        !kan_parse_real(r->word.text.bytes, r->word.text.size, &weight) ||
        !(weight > 0 && weight <= 1e9))
        return expected(r, "a number above 0, up to 1e9", "write weight 2 COUNT ...");
    r->query.weight = weight;
    next_word(r);
    return true;
}

static bool unknown_aggregate(reader *r) {
    char name[64] = "",
         remedy[128] = "begin the line with one of them, such as COUNT WHERE age > 30";
    const size_t size = r->word.text.size < 63 ? r->word.text.size : 63;
    for (size_t i = 0; r->word.type == WORD_PLAIN && i < size; i++) {
        const char c = r->word.text.bytes[i];
        name[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    const char *near = *name ? kan_nearest(name, aggregate_names, N_AGGREGATES) : NULL;
    if (near)
        snprintf(remedy, sizeof remedy, "did you mean %s?", near);
    return expected(r, "COUNT, SUM, AVG, MIN or MAX", remedy);
}

/* What stands in brackets behind an aggregate. */
static bool take_aggregated(reader *r) {
    const bool is_count = r->query.aggregate == KAN_AGGREGATE_COUNT;
    if (is_count && !is_sign(r, "("))
        return true;
    if (!is_sign(r, "("))
        return expected(r, "(", "name the column, such as AVG(age)");
    next_word(r);
    if (is_count && !is_keyword(r, "*"))
        return expected(r, "*", "COUNT counts rows: write COUNT or COUNT(*)");
    if (is_count)
        next_word(r);
    else if (!take_name(r, &r->query.name, &r->query.place))
        return false;
    if (!is_sign(r, ")"))
        return expected(r, ")", "");
    next_word(r);
    return true;
}

static bool take_aggregate(reader *r) {
    for (size_t i = 0; i < N_AGGREGATES; i++)
        if (is_keyword(r, aggregate_names[i])) {
            r->query.aggregate = (kan_aggregate)i;
            next_word(r);
            return take_aggregated(r);
        }
    return unknown_aggregate(r);
}

static bool take_query(reader *r) {
    if (!take_weight(r))
        return false;
    const size_t first = r->word.at;
    if (!take_aggregate(r))
        return false;
    if (is_keyword(r, "WHERE")) {
        next_word(r);
        if (!take_predicates(r))
            return false;
    } else if (r->word.type != WORD_END) {
        return expected(r, "WHERE or the end of the line", "a line holds one aggregate");
    }
    size_t end = r->word.at;
    while (end > first && is_blank(r->line.bytes[end - 1]))
        end--;
    const char *copy;
    if (!holds(r, kan_arena_copy(&r->workload->arena, r->line.bytes + first, end - first, &copy)))
        return false;
    r->query.text = (kan_slice){copy, end - first};
    return true;
}

static void read_line(reader *r) {
    kan_workload *w = r->workload;
    const size_t n_constants = w->n_constants, n_predicates = w->n_predicates;
    r->query = (kan_query){.line = r->number, .first_predicate = n_predicates};
    r->word = (word){.end = 0};
    r->counted_at = r->n_counted = 0;
    next_word(r);
    if (r->word.type == WORD_END)
        return;
    if (take_query(r) && holds(r, kan_reserve(r->run, w->n_queries + 1, sizeof *w->queries,
                                              &r->query_room, &w->queries))) {
        w->queries[w->n_queries++] = r->query;
    } else {
        w->n_constants = n_constants;
        w->n_predicates = n_predicates;
    }
}

static kan_status read_lines(reader *r, const kan_stream *stream) {
    enum { LOOK_UP = 1 << 12 };
    size_t at = stream->size >= 3 && memcmp(stream->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < stream->size) {
        const char *start = stream->bytes + at;
        const char *end = memchr(start, '\n', stream->size - at);
        r->number++;
        r->line = (kan_slice){start, end ? (size_t)(end - start) : stream->size - at};
        read_line(r);
        if (r->number % LOOK_UP == 0)
            KAN_TRY(kan_check_cancel(r->run));
        KAN_TRY(r->status);
        KAN_TRY(kan_text_status(&r->unquoted));
        at += r->line.size + 1;
    }
    if (r->workload->n_queries == 0 && kan_problems_count(r->run) == 0)
        kan_problem_add(r->run,
                        "%s: it has no queries; write one per line, such as COUNT WHERE age <= 36",
                        stream->name);
    return kan_problems_end(r->run);
}

kan_status kan_workload_read(kan_run *run, const char *path, kan_workload **out) {
    kan_stream stream = {.file = -1};
    reader r = {.run = run, .known = {.run = run}};
    kan_status status;
    KAN_TRY(kan_stream_open(run, path, &stream));
    kan_text_init(&r.unquoted, run);
    KAN_TRY_DONE(kan_encoder_init(&r.known, run));
    KAN_TRY_DONE(kan_alloc_zero(run, 1, sizeof *r.workload, &r.workload));
    r.workload->run = run;
    kan_arena_init(&r.workload->arena, run);
    KAN_TRY_DONE(
        kan_arena_copy(&r.workload->arena, stream.name, strlen(stream.name), &r.workload->path));
    kan_problems_begin(run);
    KAN_TRY_DONE(read_lines(&r, &stream));
    KAN_TRY_DONE(kan_stream_check_unchanged(&stream));
    *out = r.workload;
    r.workload = NULL;
done:
    kan_workload_destroy(r.workload);
    kan_encoder_destroy(&r.known);
    kan_text_destroy(&r.unquoted);
    kan_stream_close(&stream);
    return status;
}

kan_status kan_workload_take(kan_workload *workload, uint32_t name, const kan_spelling *spelling) {
    for (size_t p = 0; spelling && p < workload->n_predicates; p++) {
        const kan_predicate *predicate = &workload->predicates[p];
        for (size_t i = 0; predicate->name == name && i < predicate->n_constants; i++) {
            kan_slice *text = &workload->constants[predicate->first_constant + i].text;
            char room[KAN_SPELLING_ROOM];
            const kan_slice taken = kan_spelling_take(spelling, *text, room);
            const char *copy;
            KAN_TRY(kan_arena_copy(&workload->arena, taken.bytes, taken.size, &copy));
            *text = (kan_slice){copy, taken.size};
        }
    }
    return KAN_OK;
}

void kan_workload_destroy(kan_workload *workload) {
    if (!workload)
        return;
    kan_free(workload->run, workload->names);
    kan_free(workload->run, workload->queries);
    kan_free(workload->run, workload->predicates);
    kan_free(workload->run, workload->constants);
    kan_arena_destroy(&workload->arena);
    kan_free(workload->run, workload);
}
