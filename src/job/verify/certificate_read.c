/* Reading a certificate: JSON of one shape, nothing added and nothing missing.
 *
 * Whoever wrote it, every number is looked at before it is used; what passes here is well-formed,
 * not yet true. Linear in the size of the file. */
#include <string.h>

#include "job/tell/tell.h"
#include "job/verify/certificate_file.h"

typedef struct {
    kan_run *run;
    const char *name;
    kan_certificate *out;
} reader;

static kan_status malformed(const reader *r, const char *where, const char *what) {
    return kan_fail(r->run, KAN_BAD_INPUT, "%s: not a certificate: %s: %s", r->name, where, what);
}

/* jansson leaves some of its failed allocations without a text. */
static bool is_out_of_memory(const json_error_t *error) {
    return json_error_code(error) == json_error_out_of_memory || !error->text[0];
}

static kan_status unpack_failed(const reader *r, const char *where, const json_error_t *error) {
    if (is_out_of_memory(error))
        return kan_fail(r->run, KAN_FAILED, "out of memory while %s was read", r->name);
    return malformed(r, where, error->text);
}

/* json_unpack with every key demanded and none ignored; `where` is told when it fails. */
#define UNPACK(r, where, object, ...)                                                              \
    do {                                                                                           \
        json_error_t unpack_error_;                                                                \
        if (json_unpack_ex(object, &unpack_error_, JSON_STRICT, __VA_ARGS__) != 0)                 \
            return unpack_failed(r, where, &unpack_error_);                                        \
    } while (0)

static bool is_count(json_int_t value, uint64_t *out) {
    *out = value < 0 ? 0 : (uint64_t)value;
    return value >= 0;
}

static kan_status read_checksum(const reader *r, const char *where, const char *text,
                                kan_checksum *out) {
    kan_checksum sum = {{0}};
    if (strlen(text) != 32)
        return malformed(r, where, "a checksum has 32 hexadecimal digits");
    for (unsigned i = 0; i < 32; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *at = strchr(digits, text[i]);
        if (!at)
            return malformed(r, where, "a checksum has 32 hexadecimal digits");
        sum.words[i / 16] = sum.words[i / 16] << 4 | (uint64_t)(at - digits);
    }
    *out = sum;
    return KAN_OK;
}

/* ---- the parts ------------------------------------------------------------------------------ */

static kan_status read_head(const reader *r, const char *format, json_int_t version,
                            json_t *privacy, json_int_t limit) {
    json_t *model;
    const char *model_name;
    json_int_t k;
    if (strcmp(format, "kanon-certificate") != 0)
        return malformed(r, "format", "it is not \"kanon-certificate\"");
    if (version != 2)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: a certificate of version %lld; this program knows version 2: make it "
                        "again with the search that it is of",
                        r->name, (long long)version);
    if (json_array_size(privacy) != 1)
        return malformed(r, "privacy", "there must be one model");
    model = json_array_get(privacy, 0);
    UNPACK(r, "privacy", model, "{s:s, s:I}", "model", &model_name, "k", &k);
    if (strcmp(model_name, "k-anonymity") != 0)
        return malformed(r, "privacy", "the model is not k-anonymity, the only one known here");
    if (!is_count(k, &r->out->k) || !is_count(limit, &r->out->limit))
        return malformed(r, "privacy", "a number is negative");
    return KAN_OK;
}

static kan_status read_attribute(const reader *r, json_t *object, unsigned a) {
    static const char where[] = "quasi_identifiers";
    const char *name, *checksum;
    json_int_t height, lowest = 0, highest = -1;
    double weight = 1;
    const bool is_weighted = json_object_get(object, "weight") != NULL;
    UNPACK(r, where, object, "{s:s, s:I, s?I, s?I, s?F, s:s}", "name", &name, "height", &height,
           "lowest", &lowest, "highest", &highest, "weight", &weight, "checksum", &checksum);
    if (height < 0 || height > KAN_HEIGHT_MOST)
        return malformed(r, where, "a height is not 0 to 64");
    if (!json_object_get(object, "highest"))
        highest = height;
    if (lowest < 0 || lowest > highest || highest > height)
        return malformed(r, where, "the lowest and the highest level are not within the height");
    if (!(weight >= 0 && weight < 1e300))
        return malformed(r, where, "a weight is not a number of 0 or more");
    if (a > 0 && is_weighted != r->out->is_weighted)
        return malformed(r, where, "some have a weight and others have none");
    r->out->is_weighted = is_weighted;
    r->out->attributes[a].height = (unsigned)height;
    r->out->attributes[a].lowest = (unsigned)lowest;
    r->out->attributes[a].highest = (unsigned)highest;
    r->out->attributes[a].weight = weight;
    KAN_TRY(kan_arena_copy(&r->out->arena, name, strlen(name), &r->out->attributes[a].name));
    for (unsigned b = 0; b < a; b++)
        if (strcmp(name, r->out->attributes[b].name) == 0)
            return malformed(r, where, "a column is named twice");
    return read_checksum(r, where, checksum, &r->out->attributes[a].checksum);
}

static kan_status read_attributes(const reader *r, json_t *list) {
    size_t n = json_array_size(list);
    if (n == 0 || n > KAN_CERTIFICATE_ATTRIBUTES)
        return malformed(r, "quasi_identifiers", "there must be 1 to 64");
    for (size_t a = 0; a < n; a++)
        KAN_TRY(read_attribute(r, json_array_get(list, a), (unsigned)a));
    r->out->n_attributes = (unsigned)n;
    return KAN_OK;
}

static kan_status read_levels(const reader *r, const char *where, json_t *list, uint8_t *out) {
    if (!json_is_array(list) || json_array_size(list) != r->out->n_attributes)
        return malformed(r, where, "levels must be a list with one number per quasi-identifier");
    for (unsigned a = 0; a < r->out->n_attributes; a++) {
        json_t *level = json_array_get(list, a);
        json_int_t value = json_integer_value(level);
        if (!json_is_integer(level) || value < 0 || value > r->out->attributes[a].height)
            return malformed(r, where, "a level is not a number from 0 to the column's height");
        out[a] = (uint8_t)value;
    }
    return KAN_OK;
}

static kan_status read_nodes(const reader *r, const char *where, const char *fact, json_t *list,
                             kan_certificate_nodes *out) {
    if (!json_is_array(list) || json_array_size(list) >= UINT32_MAX / 2)
        return malformed(r, where, "it must be a list");
    KAN_TRY(kan_certificate_reserve(r->out, out, json_array_size(list)));
    for (size_t i = 0; i < out->n; i++) {
        json_t *levels;
        json_int_t value;
        UNPACK(r, where, json_array_get(list, i), "{s:o, s:I}", "levels", &levels, fact, &value);
        KAN_TRY(read_levels(r, where, levels, out->levels + i * r->out->n_attributes));
        if (!is_count(value, &out->facts[i]))
            return malformed(r, where, "a number is negative");
        if (i % 4096 == 0)
            KAN_TRY(kan_check_cancel(r->run));
    }
    return KAN_OK;
}

static kan_status read_solution(const reader *r, json_t *object) {
    json_t *levels, *value;
    const char *cost;
    json_int_t n_suppressed;
    int is_optimal, must_release;
    bool needs_class;
    UNPACK(r, "solution", object, "{s:o, s:I, s:s, s:o, s:b, s:b}", "levels", &levels, "suppressed",
           &n_suppressed, "cost", &cost, "value", &value, "optimal", &is_optimal, "must_release",
           &must_release);
    KAN_TRY(read_levels(r, "solution", levels, r->out->solution.levels));
    if (!is_count(n_suppressed, &r->out->solution.n_suppressed))
        return malformed(r, "solution", "a number is negative");
    if (!kan_certificate_knows(cost, &needs_class))
        return malformed(r, "solution", "the cost is not one that this program knows");
    if (needs_class != (r->out->class_name != NULL))
        return malformed(r, "class", needs_class ? "the cost needs one" : "the cost needs none");
    if (!json_is_null(value) && !json_is_number(value))
        return malformed(r, "solution", "the cost's value is not a number");
    if (json_is_integer(value) && json_integer_value(value) < 0)
        return malformed(r, "solution", "a number is negative");
    KAN_TRY(kan_arena_copy(&r->out->arena, cost, strlen(cost), &r->out->solution.cost));
    r->out->solution.value = (kan_certificate_cost){
        .is_finite = !json_is_null(value),
        .is_whole = json_is_integer(value),
        .whole = json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0,
        .real = json_is_null(value) ? __builtin_inf() : json_number_value(value)};
    r->out->solution.is_optimal = is_optimal != 0;
    r->out->solution.must_release = must_release != 0;
    return KAN_OK;
}

static kan_status read_person(const reader *r, json_t *object) {
    const char *column, *promise, *by;
    UNPACK(r, "person", object, "{s:s, s:s, s:s}", "column", &column, "promise", &promise,
           "suppress_by", &by);
    r->out->histories = strcmp(promise, "histories") == 0;
    r->out->by_person = strcmp(by, "person") == 0;
    if (!r->out->histories && strcmp(promise, "groups") != 0)
        return malformed(r, "person", "the promise is neither groups nor histories");
    if (!r->out->by_person && strcmp(by, "row") != 0)
        return malformed(r, "person", "neither people nor rows are left out");
    if (r->out->histories && !r->out->by_person)
        return malformed(r, "person", "of histories people are left out, not rows");
    return kan_arena_copy(&r->out->arena, column, strlen(column), &r->out->person_name);
}

static kan_status read_object(const reader *r, json_t *root) {
    const char *format, *version_of_kanon, *checksum;
    json_int_t version, n_rows, limit;
    json_t *attributes, *class_name, *privacy, *solution, *minimal, *failing, *person = NULL;
    UNPACK(r, "the file", root,
           "{s:s, s:I, s:s, s:{s:I, s:s}, s:o, s:o, s:o, s:{s:I}, s:o, s:o, s:o, s?o}", "format",
           &format, "version", &version, "kanon", &version_of_kanon, "input", "rows", &n_rows,
           "checksum", &checksum, "quasi_identifiers", &attributes, "class", &class_name, "privacy",
           &privacy, "suppression", "limit", &limit, "solution", &solution, "minimal", &minimal,
           "failing", &failing, "person", &person);
    if (person)
        KAN_TRY(read_person(r, person));
    KAN_TRY(read_head(r, format, version, privacy, limit));
    if (!is_count(n_rows, &r->out->n_rows))
        return malformed(r, "input", "a number is negative");
    KAN_TRY(read_checksum(r, "input", checksum, &r->out->checksum));
    KAN_TRY(read_attributes(r, attributes));
    if (json_is_string(class_name))
        KAN_TRY(kan_arena_copy(&r->out->arena, json_string_value(class_name),
                               json_string_length(class_name), &r->out->class_name));
    else if (!json_is_null(class_name))
        return malformed(r, "class", "it is neither a name nor null");
    KAN_TRY(read_solution(r, solution));
    KAN_TRY(read_nodes(r, "minimal", "suppressed", minimal, &r->out->minimal));
    KAN_TRY(read_nodes(r, "failing", kan_certificate_has_witnesses(r->out) ? "row" : "suppressed",
                       failing, &r->out->failing));
    return kan_certificate_check_form(r->out, r->name);
}

kan_status kan_certificate_parse(kan_run *run, const char *name, const char *bytes, size_t size,
                                 kan_certificate *out) {
    reader r = {.run = run, .name = name, .out = out};
    json_error_t error;
    kan_certificate_init(out, run);
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (!root && is_out_of_memory(&error))
        return kan_fail(run, KAN_FAILED, "out of memory while %s was read", name);
    if (!root) {
        /* What stands near the error may be a value, when the file is the wrong one. */
        char *near = strstr(error.text, " near ");
        if (near)
            *near = '\0';
        return kan_fail(run, KAN_BAD_INPUT, "%s:%d: not a certificate: %s", name, error.line,
                        error.text);
    }
    kan_status status = read_object(&r, root);
    json_decref(root);
    return status;
}
