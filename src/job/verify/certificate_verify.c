/* `verify` with a certificate: is it about this table, and is it true?
 *
 * Order: read the certificate, find its columns in the table, read only these, bind the
 * hierarchies, compare checksums, check every claim. A file that is not a certificate, or is about
 * something else, is bad input; a claim that is false is a result: out->holds says no. So is one
 * that could not be checked: out->unchecked says which. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/streams/streams.h"
#include "job/input/input.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"
#include "job/verify/certificate_file.h"

typedef struct {
    kan_job *job;
    kan_run *run;
    const char *path; /* of the certificate, for messages */
    kan_certificate certificate;
    kan_input input;
    kan_certificate_data data;
    kan_hierarchy *hierarchies[KAN_CERTIFICATE_ATTRIBUTES];
    kan_certificate_report report;
    double start_ms, read_ms, verify_ms;
} checking;

/* ---- reading -------------------------------------------------------------------------------- */

/* The first promise beside k that the settings ask for; NULL: none. */
static const char *other_promise(const kan_options *options) {
    if (kan_options_find(options, "sensitive"))
        return "sensitive";
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        const char *name = kind->n_options > 0 ? kind->options[0].name : "k";
        if (strcmp(name, "k") != 0 && kan_options_find(options, name))
            return name;
    }
    return NULL;
}

/* Flags that are about a release would be ignored silently. */
static kan_status check_settings(const checking *c) {
    const kan_options *options = &c->job->options;
    const char *other = other_promise(options);
    if (other)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "a certificate is about k-anonymity alone, and --%s would not be checked; "
                        "leave it out, and check it with kanon verify RELEASE",
                        other);
    if (kan_job_names_table(c->job, "original") || kan_options_switch(options, "keep-suppressed"))
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--certificate is checked against the table that was searched: name it "
                        "with --input, and leave --original and --keep-suppressed out; a release "
                        "is verified by a command of its own");
    return KAN_OK;
}

/* Whom it counts is the certificate's to say; who says otherwise wants another one. */
static kan_status check_person(const checking *c) {
    const char *asked = kan_options_find(&c->job->options, "person");
    const char *told = c->certificate.person_name;
    char quoted[256];
    if (!asked || (told && strcmp(asked, told) == 0))
        return KAN_OK;
    if (!told)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--person: %s counts rows, not people; leave the flag out, or ask for a "
                        "certificate with it",
                        c->path);
    return kan_fail(c->run, KAN_BAD_INPUT,
                    "--person: %s counts people by column %s; leave the flag out", c->path,
                    kan_quote(kan_slice_of(told), quoted));
}

static kan_status read_certificate(checking *c) {
    const char *path = kan_options_find(&c->job->options, "certificate");
    kan_stream stream;
    struct stat state;
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return kan_fail(
            c->run, KAN_BAD_INPUT,
            "%s: the file is empty; --certificate FILE of search or anonymize writes one", c->path);
    KAN_TRY(kan_stream_open(c->run, path, &stream));
    kan_certificate_destroy(&c->certificate);
    kan_status status =
        kan_certificate_parse(c->run, c->path, stream.bytes, stream.size, &c->certificate);
    kan_stream_close(&stream);
    KAN_TRY(status);
    uint64_t k = kan_options_count(&c->job->options, "k", c->certificate.k);
    if (k != c->certificate.k)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "%s is about k=%" PRIu64 ", not --k %" PRIu64
                        "; leave the flag out, or ask for a certificate of that k",
                        c->path, c->certificate.k, k);
    return check_person(c);
}

/* The certificate's names are as JSON can show them. */
static kan_status find_column(const checking *c, const char *name, size_t *column) {
    for (size_t i = 0; i < c->input.n_columns; i++) {
        json_t *clean = kan_json_text(c->input.columns[i]);
        if (!clean)
            return kan_fail(c->run, KAN_FAILED, "out of memory");
        bool is_same = strcmp(json_string_value(clean), name) == 0;
        json_decref(clean);
        if (is_same) {
            *column = i;
            return KAN_OK;
        }
    }
    char quoted[256];
    kan_problem_add(c->run, "%s: no column %s, which %s is about; name the table that was searched",
                    c->input.name, kan_quote(kan_slice_of(name), quoted), c->path);
    return KAN_OK;
}

static kan_status find_columns(checking *c) {
    const kan_certificate *certificate = &c->certificate;
    c->data.n_attributes = certificate->n_attributes;
    c->data.has_class = certificate->class_name != NULL;
    kan_problems_begin(c->run);
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        KAN_TRY(find_column(c, certificate->attributes[a].name, &c->data.columns[a]));
    if (c->data.has_class)
        KAN_TRY(find_column(c, certificate->class_name, &c->data.class_column));
    c->data.has_person = certificate->person_name != NULL;
    if (c->data.has_person)
        KAN_TRY(find_column(c, certificate->person_name, &c->data.person_column));
    return kan_problems_end(c->run);
}

static kan_status read_table(checking *c) {
    KAN_TRY(kan_input_open(c->job, "input", false, &c->input));
    KAN_TRY(find_columns(c));
    KAN_TRY(kan_input_find_treatments(&c->input, false));
    for (unsigned a = 0; a < c->data.n_attributes; a++)
        c->input.encode[c->data.columns[a]] = true;
    if (c->data.has_class)
        c->input.encode[c->data.class_column] = true;
    if (c->data.has_person)
        c->input.encode[c->data.person_column] = true;
    if (!c->certificate.person_name) /* people are counted row by row */
        kan_input_take_counts(&c->input);
    KAN_TRY(kan_input_read(&c->input));
    c->data.table = c->input.table;
    return KAN_OK;
}

/* The hierarchy that --qi names for a column; NULL when it names none. */
static const char *find_spec(const checking *c, const char *column) {
    kan_said_column said = {.hierarchy = NULL};
    (void)kan_role_names(&c->job->options, KAN_ROLE_QUASI, kan_slice_of(column), &said);
    return said.hierarchy;
}

/* The columns are the certificate's: --qi can say what their hierarchies are, nothing more. */
static void check_named(const checking *c) {
    const kan_options *options = &c->job->options;
    for (size_t i = 0; i < kan_role_count(options, KAN_ROLE_QUASI); i++) {
        const kan_slice name = kan_role_at(options, KAN_ROLE_QUASI, i).name;
        char quoted[256];
        bool is_known = false;
        for (unsigned a = 0; a < c->data.n_attributes; a++)
            is_known |= kan_slice_is(name, c->data.table->columns[c->data.columns[a]].name);
        if (!is_known)
            kan_problem_add(c->run, "--qi: %s is not about column %s; leave it out", c->path,
                            kan_quote(name, quoted));
    }
}

static kan_status bind_hierarchies(checking *c) {
    kan_problems_begin(c->run);
    check_named(c);
    for (unsigned a = 0; a < c->data.n_attributes; a++) {
        const kan_column *column = &c->data.table->columns[c->data.columns[a]];
        size_t before = kan_problems_count(c->run);
        kan_status status =
            kan_input_hierarchy(c->job, column, find_spec(c, column->name), &c->hierarchies[a]);
        if (status != KAN_OK && kan_problems_count(c->run) == before)
            return status;
        c->data.hierarchies[a] = c->hierarchies[a];
    }
    return kan_problems_end(c->run);
}

/* ---- the result ----------------------------------------------------------------------------- */

static json_t *names_json(const kan_certificate *certificate) {
    json_t *names = json_array();
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        names = kan_json_append(names, json_string(certificate->attributes[a].name));
    return names;
}

static json_t *levels_json(const kan_certificate *certificate) {
    json_t *levels = json_array();
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        levels = kan_json_append(levels, json_integer(certificate->solution.levels[a]));
    return levels;
}

static json_t *faults_json(const kan_certificate_report *report) {
    json_t *faults = json_array();
    for (const char *at = report->faults.bytes; at && *at;) {
        size_t size = strcspn(at, "\n");
        faults = kan_json_append(faults, json_stringn(at, size));
        at += size + (at[size] == '\n');
    }
    return faults;
}

static json_t *bounds_json(const kan_certificate *certificate, bool is_highest) {
    json_t *levels = json_array();
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        levels =
            kan_json_append(levels, json_integer(is_highest ? certificate->attributes[a].highest
                                                            : certificate->attributes[a].lowest));
    return levels;
}

static json_t *lattice_json(const checking *c) {
    const kan_certificate_report *report = &c->report;
    bool is_known = report->is_countable && report->is_covered;
    return json_pack("{s:o, s:o, s:b, s:o, s:o}", "nodes",
                     report->is_countable ? kan_json_count(report->n_nodes) : json_null(),
                     "anonymous", is_known ? kan_json_count(report->n_satisfying) : json_null(),
                     "covered", (int)report->is_covered, "lowest",
                     bounds_json(&c->certificate, false), "highest",
                     bounds_json(&c->certificate, true));
}

static json_t *cost_json(const kan_certificate_cost *cost) {
    return !cost->is_finite ? json_null()
           : cost->is_whole ? kan_json_count(cost->whole)
                            : kan_json_real(cost->real);
}

static json_t *result_json(const checking *c, const kan_result *out) {
    const kan_certificate *certificate = &c->certificate;
    const kan_certificate_report *report = &c->report;
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(c->read_ms), "verify",
                  kan_json_time(c->verify_ms), "total", kan_json_time(kan_now_ms() - c->start_ms));
    json_t *input = json_pack(
        "{s:o, s:o}", "path",
        c->input.is_file ? kan_json_text(kan_options_find(&c->job->options, "input")) : json_null(),
        "rows", kan_json_count(kan_table_total(c->data.table)));
    json_t *unchecked = json_array();
    if (unchecked && out->unchecked.size > 0)
        unchecked = kan_json_append(unchecked, kan_json_text(out->unchecked.bytes));
    json_t *solution =
        json_pack("{s:o, s:s, s:o}", "levels", levels_json(certificate), "cost",
                  certificate->solution.cost, "value", cost_json(&certificate->solution.value));
    return json_pack(
        "{s:s, s:s, s:{s:o, s:o, s:o}, s:o, s:o, s:[{s:s, s:o}], s:{s:o}, s:o, s:o, s:s, s:o, s:o, "
        "s:o, s:b, s:s, s:o, s:o, s:o}",
        "kanon", KANON_VERSION, "command", "verify", "certificate", "path",
        kan_json_text(kan_options_find(&c->job->options, "certificate")), "minimal",
        kan_json_count(certificate->minimal.n), "failing", kan_json_count(certificate->failing.n),
        "input", input, "quasi_identifiers", names_json(certificate), "privacy", "model",
        "k-anonymity", "k", kan_json_count(certificate->k), "suppression", "limit",
        kan_json_count(certificate->limit), "lattice", lattice_json(c), "solution", solution,
        "optimality", kan_optimality_name(report->optimality), "measured_nodes",
        kan_json_count(report->n_measured), "faults", faults_json(report), "n_faults",
        kan_json_count(report->n_faults), "verified", (int)out->holds, "status",
        kan_result_status_name(out), "unchecked", unchecked, "time_ms", times, "peak_memory_bytes",
        kan_json_count(kan_run_peak_memory(c->run)));
}

/* What the certificate says nothing about must be seen. */
static void add_bounds(const checking *c, kan_text *text) {
    const kan_certificate *certificate = &c->certificate;
    bool is_first = true;
    for (unsigned a = 0; a < certificate->n_attributes; a++) {
        const unsigned low = certificate->attributes[a].lowest,
                       high = certificate->attributes[a].highest;
        if (low == 0 && high == certificate->attributes[a].height)
            continue;
        kan_text_print(text, "%s%s %u", is_first ? "  levels      only within " : ", ",
                       certificate->attributes[a].name, low);
        if (high > low)
            kan_text_print(text, "..%u", high);
        is_first = false;
    }
    if (!is_first)
        kan_text_print(text, ": nothing is said of others\n");
}

static void add_lattice(const checking *c, kan_text *text) {
    const kan_certificate_report *report = &c->report;
    char nodes[32], above[32], below[32];
    if (!report->is_countable)
        kan_text_print(text, "  lattice     more than 2^63 generalizations, %s\n",
                       report->is_covered ? "every one proven" : "not every one proven");
    else if (report->is_covered)
        kan_text_print(
            text, "  lattice     %s generalizations: %s satisfy, %s fail, none is left\n",
            kan_count_text(report->n_nodes, nodes), kan_count_text(report->n_satisfying, above),
            kan_count_text(report->n_nodes - report->n_satisfying, below));
    else
        kan_text_print(text, "  lattice     %s generalizations, not every one proven\n",
                       kan_count_text(report->n_nodes, nodes));
}

static void add_optimality(const checking *c, kan_text *text) {
    const kan_certificate_report *report = &c->report;
    char nodes[32];
    switch (report->optimality) {
    case KAN_OPTIMALITY_PROVEN:
        kan_text_print(
            text, "  optimality  proven by the cost of %s node%s: nothing better exists\n",
            kan_count_text(report->n_measured, nodes), report->n_measured == 1 ? "" : "s");
        break;
    case KAN_OPTIMALITY_NOT_CLAIMED:
        kan_text_print(text, "  optimality  not claimed\n");
        break;
    case KAN_OPTIMALITY_NOT_CHECKED:
        if (!report->holds)
            kan_text_print(text, "  optimality  not checked: it builds on what is false\n");
        else
            kan_text_print(text, "  optimality  not checked: %s %s; --most-nodes 0 checks it\n",
                           report->is_countable ? kan_count_text(report->n_satisfying, nodes)
                                                : "more than 2^63",
                           report->is_countable ? kan_plural(report->n_satisfying, "node", "nodes")
                                                : "nodes");
        break;
    case KAN_OPTIMALITY_REFUTED:
        kan_text_print(text, "  optimality  refuted\n");
    }
}

static void add_faults(const checking *c, kan_text *text) {
    const kan_certificate_report *report = &c->report;
    if (report->holds)
        return;
    kan_text_print(text, "\n  What is false:\n");
    for (const char *at = report->faults.bytes; at && *at;) {
        size_t size = strcspn(at, "\n");
        kan_text_print(text, "  - %.*s\n", (int)size, at);
        at += size + (at[size] == '\n');
    }
    if (report->n_faults > KAN_CERTIFICATE_FAULTS)
        kan_text_print(text, "  - and %" PRIu64 " more\n",
                       report->n_faults - KAN_CERTIFICATE_FAULTS);
}

/* A claim that nobody looked at is not true because no other one is false. */
static kan_status judge(const checking *c, kan_result *out) {
    const kan_certificate_report *report = &c->report;
    char nodes[32];
    out->holds = report->holds && report->optimality != KAN_OPTIMALITY_NOT_CHECKED;
    if (!report->holds || out->holds)
        return KAN_OK;
    kan_text_print(&out->unchecked,
                   "that nothing is better was not checked: it takes more than the cost of %s "
                   "node%s; --most-nodes 0 checks it, however long it takes",
                   kan_count_text(report->n_measured, nodes), report->n_measured == 1 ? "" : "s");
    return kan_text_status(&out->unchecked);
}

static void add_verdict(const checking *c, const kan_result *out, kan_text *text) {
    if (out->unchecked.size > 0)
        kan_text_print(text, "%s: NOT VERIFIED: %s\n\n", c->path, out->unchecked.bytes);
    else
        kan_text_print(text, "%s: %s\n\n", c->path, out->holds ? "verified" : "NOT true");
}

static kan_status write_result(const checking *c, kan_result *out) {
    const kan_certificate *certificate = &c->certificate;
    kan_text *text = &out->summary;
    char rows[32], minimal[32], failing[32], memory[32];
    KAN_TRY(judge(c, out));
    KAN_TRY(kan_result_set_json(out, result_json(c, out)));
    add_verdict(c, out, text);
    kan_text_print(text, "  input       %s: %s %s; table and hierarchies are the right ones\n",
                   c->input.name, kan_count_text(certificate->n_rows, rows),
                   kan_plural(certificate->n_rows, "row", "rows"));
    kan_text_print(text, "  promise     k-anonymity k=%" PRIu64 "%s, at most %s %s suppressed\n",
                   certificate->k,
                   certificate->histories     ? " by histories of people"
                   : certificate->person_name ? " by people"
                                              : "",
                   kan_count_text(certificate->limit, rows),
                   certificate->by_person ? kan_plural(certificate->limit, "person", "people")
                                          : kan_plural(certificate->limit, "row", "rows"));
    add_bounds(c, text);
    add_lattice(c, text);
    kan_text_print(text, "  recounted   %s minimal and %s failing node%s, and the solution\n",
                   kan_count_text(certificate->minimal.n, minimal),
                   kan_count_text(certificate->failing.n, failing),
                   certificate->failing.n == 1 ? "" : "s");
    add_optimality(c, text);
    add_faults(c, text);
    kan_text_print(text, "\n  %.3f s: read %.0f ms, verify %.0f; %s of memory\n",
                   (kan_now_ms() - c->start_ms) / 1e3, c->read_ms, c->verify_ms,
                   kan_bytes_text(kan_run_peak_memory(c->run), memory));
    return kan_text_status(text);
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* 0: what the check takes by itself. */
static uint64_t most_nodes(const kan_options *options) {
    if (!kan_options_find(options, "most-nodes"))
        return 0;
    const uint64_t n = kan_options_count(options, "most-nodes", 0);
    return n > 0 ? n : UINT64_MAX;
}

static kan_status walk(checking *c, kan_result *out) {
    KAN_TRY(check_settings(c));
    KAN_TRY(read_certificate(c));
    KAN_TRY(read_table(c));
    KAN_TRY(bind_hierarchies(c));
    c->read_ms = kan_now_ms() - c->start_ms;
    kan_report_progress(c->run, "verify", 0, 0);
    KAN_TRY(kan_certificate_fits(&c->certificate, &c->data, c->path, c->input.name));
    KAN_TRY(
        kan_certificate_check(&c->certificate, &c->data, most_nodes(&c->job->options), &c->report));
    c->verify_ms = kan_now_ms() - c->start_ms - c->read_ms;
    return write_result(c, out);
}

kan_status kan_certificate_verify(kan_job *job, kan_result *out) {
    const char *path = kan_options_find(&job->options, "certificate");
    checking c = {.job = job,
                  .run = job->run,
                  .path = strcmp(path, "-") == 0 ? "standard input" : path,
                  .start_ms = kan_now_ms()};
    kan_certificate_init(&c.certificate, job->run);
    kan_text_init(&c.report.faults, job->run);
    kan_status status = walk(&c, out);
    kan_certificate_report_destroy(&c.report);
    kan_certificate_destroy(&c.certificate);
    for (unsigned a = 0; a < KAN_CERTIFICATE_ATTRIBUTES; a++)
        kan_hierarchy_destroy(c.hierarchies[a]);
    kan_input_close(&c.input);
    return status;
}
