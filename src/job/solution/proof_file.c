/* The file of a proof: JSON of one shape, a line for each open part.
 *
 * A part is written as a string with one character per choice: `+` is made, `-` is left, `.` is
 * open. No value of the table is in the file, but how many places its columns have, and a
 * fingerprint. Whoever wrote it, every number is looked at before it is used, and a checksum of all
 * finds damage; whether it is about this question is for the search to say. Linear in the size of
 * the file. */
#include "job/solution/proof_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/streams/streams.h"
#include "job/tell/tell.h"

enum { MOST_CHOICES = 1 << 24 };

static const char signs[] = {[KAN_CUT_OPEN] = '.', [KAN_CUT_MADE] = '+', [KAN_CUT_LEFT] = '-'};

typedef struct {
    kan_run *run;
    const char *name;
    kan_proof *out;
} reader;

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status malformed(const reader *r, const char *where, const char *what) {
    return kan_fail(r->run, KAN_BAD_INPUT,
                    "%s: not a proof: %s: %s; --proof takes what an earlier run wrote, or a name "
                    "that is not in use",
                    r->name, where, what);
}

static kan_status read_failed(const reader *r, const char *where, const json_error_t *error) {
    /* jansson leaves some of its failed allocations without a text. */
    if (json_error_code(error) == json_error_out_of_memory || !error->text[0])
        return kan_fail(r->run, KAN_FAILED, "out of memory while %s was read", r->name);
    return malformed(r, where, error->text);
}

/* A number in hexadecimal digits, all 16 of them. */
static bool read_hex(const char *text, uint64_t *out) {
    static const char digits[] = "0123456789abcdef";
    *out = 0;
    for (unsigned i = 0; i < 16; i++) {
        const char *at = text[i] ? strchr(digits, text[i]) : NULL;
        if (!at)
            return false;
        *out = *out << 4 | (uint64_t)(at - digits);
    }
    return !text[16];
}

/* One character per choice (check_shapes). */
static bool read_decisions(const reader *r, const json_t *value, uint8_t *out) {
    const char *text = json_string_value(value);
    for (unsigned c = 0; c < r->out->n_choices; c++) {
        const char *at = memchr(signs, text[c], sizeof signs);
        if (!at)
            return false;
        out[c] = (uint8_t)(at - signs);
    }
    return true;
}

static bool read_count(const json_t *value, uint64_t *out) {
    const json_int_t count = json_integer_value(value);
    *out = (uint64_t)count;
    return json_is_integer(value) && count >= 0;
}

static kan_status read_best(const reader *r, const json_t *best) {
    kan_proof *proof = r->out;
    if (json_is_null(best))
        return KAN_OK;
    proof->is_found = true;
    if (!read_count(json_array_get(best, 0), &proof->cost) ||
        !read_decisions(r, json_array_get(best, 1), proof->is_made))
        return malformed(r, "best", "it must be a cost and what is cut");
    for (unsigned c = 0; c < proof->n_choices; c++) {
        if (proof->is_made[c] == KAN_CUT_OPEN)
            return malformed(r, "best", "something in it is open");
        proof->is_made[c] = proof->is_made[c] == KAN_CUT_MADE;
    }
    return KAN_OK;
}

/* A number, and a string with a character per choice. */
static bool is_part(const json_t *part, uint64_t n_choices) {
    const json_t *decisions = json_array_get(part, 1);
    return json_is_array(part) && json_array_size(part) == 2 && json_is_string(decisions) &&
           json_string_length(decisions) == n_choices;
}

/* Looked at before any room is made: a number in a file must not decide how much that is. A proof
 * without any part is about a question that has no answer; then a column of so many places would
 * not have been searched. */
static kan_status check_shapes(const reader *r, uint64_t n_choices, const json_t *best,
                               const json_t *open) {
    if (n_choices > MOST_CHOICES)
        return malformed(r, "choices", "there are too many");
    if (!json_is_null(best) && !is_part(best, n_choices))
        return malformed(r, "best", "it must be a cost and what is cut");
    if (!json_is_array(open))
        return malformed(r, "open", "it must be a list");
    for (size_t i = 0; i < json_array_size(open); i++) {
        if (!is_part(json_array_get(open, i), n_choices))
            return malformed(r, "open", "a part must be a bound and what is decided");
    }
    return KAN_OK;
}

static kan_status read_open(const reader *r, const json_t *open) {
    kan_proof *proof = r->out;
    for (size_t i = 0; i < proof->n_open; i++) {
        const json_t *part = json_array_get(open, i);
        if (!read_count(json_array_get(part, 0), &proof->bounds[i]) ||
            !read_decisions(r, json_array_get(part, 1), proof->decisions + i * proof->n_choices))
            return malformed(r, "open", "a part must be a bound and what is decided");
        if (i % 4096 == 0)
            KAN_TRY(kan_check_cancel(r->run));
    }
    return KAN_OK;
}

static kan_status read_object(const reader *r, json_t *root) {
    const char *format, *kanon, *question, *checksum;
    json_int_t version;
    json_t *choices, *runs, *states, *time, *below, *best, *open;
    json_error_t error;
    uint64_t n_choices, sum;
    kan_proof *proof = r->out;
    if (json_unpack_ex(root, &error, JSON_STRICT,
                       "{s:s, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "format",
                       &format, "version", &version, "kanon", &kanon, "question", &question,
                       "choices", &choices, "runs", &runs, "states", &states, "time_ms", &time,
                       "below", &below, "best", &best, "open", &open, "checksum", &checksum) != 0)
        return read_failed(r, "the file", &error);
    if (strcmp(format, "kanon-proof") != 0)
        return malformed(r, "format", "it is not \"kanon-proof\"");
    if (version != 1)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: a proof of version %lld; this program knows version 1", r->name,
                        (long long)version);
    if (!read_count(choices, &n_choices))
        return malformed(r, "choices", "it must be a number of 0 or more");
    KAN_TRY(check_shapes(r, n_choices, best, open));
    KAN_TRY(kan_proof_make(r->run, (unsigned)n_choices, json_array_size(open), proof));
    proof->name = r->name;
    if (!read_count(runs, &proof->n_runs) || !read_count(states, &proof->n_states) ||
        !read_count(time, &proof->n_ms) ||
        (!json_is_null(below) && !read_count(below, &proof->below)))
        return malformed(r, "runs, states, time_ms, below", "each must be a number of 0 or more");
    if (!read_hex(question, &proof->question) || !read_hex(checksum, &sum))
        return malformed(r, "question, checksum", "each must have 16 hexadecimal digits");
    KAN_TRY(read_best(r, best));
    KAN_TRY(read_open(r, open));
    if (sum != kan_proof_checksum(proof))
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: the proof is damaged: its checksum does not match; use a copy, or "
                        "name another file with --proof to start over",
                        r->name);
    return KAN_OK;
}

kan_status kan_proof_parse(kan_run *run, const char *name, const char *bytes, size_t size,
                           kan_proof *out) {
    const reader r = {.run = run, .name = name, .out = out};
    json_error_t error;
    char line[32];
    *out = (kan_proof){.name = name};
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        /* What stands near the error may be a value, when the file is the wrong one. */
        char *near = strstr(error.text, " near ");
        if (near)
            *near = '\0';
        snprintf(line, sizeof line, "line %d", error.line);
        return read_failed(&r, line, &error);
    }
    const kan_status status = read_object(&r, root);
    json_decref(root);
    return status;
}

/* ---- printing ------------------------------------------------------------------------------- */

static void add_part(kan_text *text, uint64_t number, const char *decisions) {
    kan_text_print(text, "[%llu, \"%s\"]", (unsigned long long)number, decisions);
}

static void print_best(const kan_proof *proof, char *line, kan_text *text) {
    if (!proof->is_found) {
        kan_text_print(text, "null");
        return;
    }
    for (unsigned c = 0; c < proof->n_choices; c++)
        line[c] = signs[proof->is_made[c] ? KAN_CUT_MADE : KAN_CUT_LEFT];
    add_part(text, proof->cost, line);
}

static void print_all(const kan_proof *proof, char *line, kan_text *text) {
    char below[32] = "null";
    if (proof->below != UINT64_MAX)
        snprintf(below, sizeof below, "%llu", (unsigned long long)proof->below);
    kan_text_print(text,
                   "{\n \"format\": \"kanon-proof\",\n \"version\": 1,\n \"kanon\": \"%s\",\n"
                   " \"question\": \"%016llx\",\n \"choices\": %u,\n \"runs\": %llu,\n"
                   " \"states\": %llu,\n \"time_ms\": %llu,\n \"below\": %s,\n \"best\": ",
                   KANON_VERSION, (unsigned long long)proof->question, proof->n_choices,
                   (unsigned long long)proof->n_runs, (unsigned long long)proof->n_states,
                   (unsigned long long)proof->n_ms, below);
    print_best(proof, line, text);
    kan_text_print(text, ",\n \"open\": [");
    for (size_t i = 0; i < proof->n_open; i++) {
        for (unsigned c = 0; c < proof->n_choices; c++)
            line[c] = signs[proof->decisions[i * proof->n_choices + c]];
        kan_text_print(text, i ? ",\n  " : "\n  ");
        add_part(text, proof->bounds[i], line);
    }
    kan_text_print(text, "],\n \"checksum\": \"%016llx\"\n}\n",
                   (unsigned long long)kan_proof_checksum(proof));
}

kan_status kan_proof_print(const kan_proof *proof, kan_text *text) {
    char *line;
    KAN_TRY(kan_alloc_zero(text->run, proof->n_choices + (size_t)1, 1, &line));
    print_all(proof, line, text);
    kan_free(text->run, line);
    return kan_text_status(text);
}

/* ---- the file ------------------------------------------------------------------------------- */

const char *kan_proof_path(const kan_setup *setup) {
    return kan_kind_has_option(&setup->search->kind, "proof")
               ? kan_options_find(&setup->job->options, "proof")
               : NULL;
}

kan_status kan_proof_read(const kan_setup *setup, kan_proof *out, bool *is_there) {
    const char *path = kan_proof_path(setup);
    kan_stream stream;
    struct stat state;
    char open[32], runs[32];
    *out = (kan_proof){.n_open = 0};
    *is_there = false;
    if (!path || stat(path, &state) != 0)
        return KAN_OK;
    if (S_ISREG(state.st_mode) && state.st_size == 0)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "%s: the file is empty; --proof takes what an earlier run wrote, or a name "
                        "that is not in use",
                        path);
    KAN_TRY(kan_stream_open(setup->run, path, &stream));
    const kan_status status = kan_proof_parse(setup->run, path, stream.bytes, stream.size, out);
    kan_stream_close(&stream);
    KAN_TRY(status);
    *is_there = true;
    if (out->n_open > 0)
        kan_note(setup->run, "continuing the proof in %s: %s part%s open after %s run%s", path,
                 kan_count_text(out->n_open, open), out->n_open == 1 ? " is" : "s are",
                 kan_count_text(out->n_runs, runs), out->n_runs == 1 ? "" : "s");
    return KAN_OK;
}

kan_status kan_proof_keep(void *context, const kan_proof *proof) {
    const kan_setup *setup = context;
    kan_status status;
    kan_text text;
    kan_text_init(&text, setup->run);
    KAN_TRY_DONE(kan_proof_print(proof, &text));
    status = kan_target_put(setup->run, kan_proof_path(setup), true, KAN_TARGET_PRIVATE, text.bytes,
                            text.size);
done:
    kan_text_destroy(&text);
    return status;
}

kan_status kan_proof_write(const kan_setup *setup, const kan_proof *proof) {
    char open[32];
    KAN_TRY(kan_proof_keep((void *)(uintptr_t)setup, proof));
    if (proof->n_open > 0)
        kan_note(
            setup->run,
            "what is proven is kept in %s: %s part%s open; the same command continues from there",
            kan_proof_path(setup), kan_count_text(proof->n_open, open),
            proof->n_open == 1 ? " is" : "s are");
    return KAN_OK;
}
