/* A solution that is known before the search begins: the cuts of an earlier result
 * (--seed-solution).
 *
 * A result names cuts by the least values of intervals. Each is looked for among the least values
 * of the column's places, written as results write them: what one run wrote the next one
 * understands. Other keys of the file are not looked at, so that a result of any version will do.
 * What is wrong with columns and values is told together. Linear, where values stand in the order
 * in which they were written. */
#include <string.h>
#include <sys/stat.h>

#include "io/streams/streams.h"
#include "job/setup/setup.h"

typedef struct {
    kan_setup *setup;
    kan_run *run;
    const char *name;                    /* of the file, for messages */
    json_t *cuts;                        /* borrowed: by column, lists of values */
    json_t *columns[KAN_MAX_ATTRIBUTES]; /* names of the quasi-identifiers as results show them */
} reader;

static kan_status no_memory(kan_run *run, const char *name) {
    return kan_fail(run, KAN_FAILED, "out of memory while %s was read", name);
}

/* ---- one column ----------------------------------------------------------------------------- */

/* Whether a result would show the text as that value. The text itself will do, too, where a person
 * has written the file. */
static kan_status compare(const reader *r, const kan_domain *domain, kan_slice text,
                          const json_t *value, bool *is_same) {
    const kan_slice written = {json_string_value(value), json_string_length(value)};
    *is_same = json_is_string(value) && kan_slice_equal(text, written);
    if (*is_same)
        return KAN_OK;
    json_t *shown = kan_json_value(domain, text);
    if (!shown)
        return no_memory(r->run, r->name);
    *is_same = json_is_number(shown) && json_is_number(value)
                   ? json_number_value(shown) == json_number_value(value)
                   : json_equal(shown, value) != 0;
    json_decref(shown);
    return KAN_OK;
}

/* The place whose least value is that one; looked for from *place on, all around. 0 when there is
 * none above 0. */
static kan_status find_place(const reader *r, const kan_domain *domain, const json_t *value,
                             uint32_t *place) {
    uint32_t at = *place;
    bool is_found;
    for (uint32_t i = 0; i < domain->n_places; i++) {
        at = at + 1 < domain->n_places ? at + 1 : 0;
        if (at == 0)
            continue;
        KAN_TRY(compare(r, domain, domain->least[at], value, &is_found));
        if (is_found) {
            *place = at;
            return KAN_OK;
        }
    }
    *place = 0;
    return KAN_OK;
}

static void tell_value(const reader *r, const kan_domain *domain, const json_t *value) {
    char shown[256] = "", quoted[256];
    if (json_is_string(value)) {
        kan_quote((kan_slice){json_string_value(value), json_string_length(value)}, shown);
    } else if (json_is_number(value)) {
        const size_t size =
            json_dumpb(value, shown, sizeof shown - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        shown[size < sizeof shown ? size : 0] = '\0';
    }
    if (!shown[0])
        kan_problem_add(r->run,
                        "%s: the cuts of column %s must be a list of numbers and texts; is the "
                        "file what --json wrote?",
                        r->name, kan_quote(kan_slice_of(domain->column->name), quoted));
    else
        kan_problem_add(r->run,
                        "%s: no interval of column %s but the first can begin at %s; use the "
                        "result of the same table with the same --bins and --order",
                        r->name, kan_quote(kan_slice_of(domain->column->name), quoted), shown);
}

/* Marks the places of one column's list; the first value that is wrong is told. */
static kan_status mark_cuts(const reader *r, const kan_domain *domain, const json_t *list,
                            uint8_t *is_cut) {
    uint32_t place = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        KAN_TRY(kan_check_cancel(r->run));
        KAN_TRY(find_place(r, domain, json_array_get(list, i), &place));
        if (place == 0) {
            tell_value(r, domain, json_array_get(list, i));
            return KAN_OK;
        }
        is_cut[place] = 1;
    }
    return KAN_OK;
}

/* Adds the cuts of attribute `a` to the seed. */
static kan_status take_column(const reader *r, unsigned a) {
    const kan_domain *domain = r->setup->domains[a];
    kan_recoding *seed = &r->setup->seed;
    const json_t *list = json_object_get(r->cuts, json_string_value(r->columns[a]));
    uint8_t *is_cut;
    size_t n = seed->first_cut[a];
    if (list && !json_is_array(list))
        tell_value(r, domain, list);
    KAN_TRY(kan_alloc_zero(r->run, domain->n_places, sizeof *is_cut, &is_cut));
    const kan_status status = mark_cuts(r, domain, list, is_cut);
    for (uint32_t place = 1; place < domain->n_places; place++)
        if (is_cut[place])
            seed->cuts[n++] = place;
    seed->first_cut[a + 1] = n;
    kan_free(r->run, is_cut);
    return status;
}

/* ---- all columns ---------------------------------------------------------------------------- */

static void tell_others(const reader *r) {
    const char *name;
    json_t *list;
    char quoted[256];
    json_object_foreach(r->cuts, name, list) {
        bool is_known = false;
        for (unsigned a = 0; a < r->setup->n_quasi; a++)
            is_known |= strcmp(name, json_string_value(r->columns[a])) == 0;
        if (!is_known)
            kan_problem_add(r->run,
                            "%s: it cuts column %s, which is not one of the quasi-identifiers; "
                            "name it with --qi, or use the result of a run with the same ones",
                            r->name, kan_quote(kan_slice_of(name), quoted));
    }
}

static kan_status take_columns(reader *r) {
    kan_setup *setup = r->setup;
    size_t n_places = 0;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        r->columns[a] = kan_json_text(setup->domains[a]->column->name);
        if (!r->columns[a])
            return no_memory(r->run, r->name);
        n_places += setup->domains[a]->n_places;
    }
    setup->seed = (kan_recoding){.type = KAN_RECODING_CUTS, .n_attributes = setup->n_quasi};
    KAN_TRY(
        kan_arena_alloc(&setup->job->arena, n_places, sizeof *setup->seed.cuts, &setup->seed.cuts));
    kan_problems_begin(r->run);
    tell_others(r);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY(take_column(r, a));
    return kan_problems_end(r->run);
}

static kan_status read_result(reader *r, json_t *root) {
    r->cuts = json_object_get(json_object_get(root, "solution"), "cuts");
    if (!json_is_object(r->cuts))
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: it has no cuts (solution.cuts); --seed-solution takes what a search "
                        "that cuts, such as k-optimize, wrote with --json",
                        r->name);
    const kan_status status = take_columns(r);
    for (unsigned a = 0; a < r->setup->n_quasi; a++)
        json_decref(r->columns[a]);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status parse(kan_setup *setup, const kan_stream *stream) {
    kan_run *run = setup->run;
    reader r = {.setup = setup, .run = run, .name = stream->name};
    json_error_t error;
    json_t *root = json_loadb(stream->bytes, stream->size, JSON_REJECT_DUPLICATES, &error);
    /* jansson leaves some of its failed allocations without a text. */
    if (!root && (json_error_code(&error) == json_error_out_of_memory || !error.text[0]))
        return no_memory(run, r.name);
    if (!root) {
        /* What stands near the error may be a value, when the file is the wrong one. */
        char *near = strstr(error.text, " near ");
        if (near)
            *near = '\0';
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s:%d: not a result: %s; --seed-solution takes what --json wrote", r.name,
                        error.line, error.text);
    }
    const kan_status status = read_result(&r, root);
    json_decref(root);
    return status;
}

kan_status kan_setup_read_seed(kan_setup *setup) {
    const char *path = kan_options_find(&setup->job->options, "seed-solution");
    kan_stream stream;
    struct stat state;
    if (!path || !kan_kind_has_option(&setup->search->kind, "seed-solution"))
        return KAN_OK;
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "%s: the file is empty; --seed-solution takes what --json wrote", path);
    KAN_TRY(kan_stream_open(setup->run, path, &stream));
    const kan_status status = parse(setup, &stream);
    kan_stream_close(&stream);
    setup->has_seed = status == KAN_OK;
    return status;
}
