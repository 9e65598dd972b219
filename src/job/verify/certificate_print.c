/* A certificate as text. No value and no label is written. */
#include <string.h>

#include "job/tell/tell.h"
#include "job/verify/certificate_file.h"

static int add_bytes(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return ((kan_text *)text)->failed ? -1 : 0;
}

/* Texts and numbers as jansson writes them: escaped, and with a point in any locale. */
static kan_status add_json(kan_text *text, json_t *value) {
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    bool is_added = value && json_dump_callback(value, add_bytes, text, flags) == 0;
    json_decref(value);
    if (!is_added)
        return kan_fail(text->run, KAN_FAILED, "out of memory while the certificate was written");
    return KAN_OK;
}

static void add_levels(kan_text *text, const uint8_t *levels, unsigned n) {
    kan_text_print(text, "{\"levels\": [");
    for (unsigned a = 0; a < n; a++)
        kan_text_print(text, "%s%u", a ? "," : "", levels[a]);
    kan_text_print(text, "], ");
}

static void add_checksum(kan_text *text, const kan_checksum *sum) {
    kan_text_print(text, "\"checksum\": \"%016llx%016llx\"", (unsigned long long)sum->words[0],
                   (unsigned long long)sum->words[1]);
}

static kan_status add_attribute(kan_text *text, const kan_certificate *certificate, unsigned a) {
    kan_text_print(text, "%s\n  {\"name\": ", a ? "," : "");
    KAN_TRY(add_json(text, json_string(certificate->attributes[a].name)));
    kan_text_print(text, ", \"height\": %u, ", certificate->attributes[a].height);
    if (certificate->attributes[a].lowest > 0 ||
        certificate->attributes[a].highest < certificate->attributes[a].height)
        kan_text_print(text, "\"lowest\": %u, \"highest\": %u, ", certificate->attributes[a].lowest,
                       certificate->attributes[a].highest);
    if (certificate->is_weighted) {
        kan_text_print(text, "\"weight\": ");
        KAN_TRY(add_json(text, kan_json_real(certificate->attributes[a].weight)));
        kan_text_print(text, ", ");
    }
    add_checksum(text, &certificate->attributes[a].checksum);
    kan_text_print(text, "}");
    return KAN_OK;
}

static kan_status add_solution(kan_text *text, const kan_certificate *certificate) {
    const kan_certificate_cost *value = &certificate->solution.value;
    kan_text_print(text, " \"solution\": ");
    add_levels(text, certificate->solution.levels, certificate->n_attributes);
    kan_text_print(text, "\"suppressed\": %llu, \"cost\": ",
                   (unsigned long long)certificate->solution.n_suppressed);
    KAN_TRY(add_json(text, json_string(certificate->solution.cost)));
    kan_text_print(text, ", \"value\": ");
    KAN_TRY(add_json(text, !value->is_finite ? json_null()
                           : value->is_whole ? json_integer((json_int_t)value->whole)
                                             : kan_json_real(value->real)));
    kan_text_print(text, ", \"optimal\": %s, \"must_release\": %s}",
                   certificate->solution.is_optimal ? "true" : "false",
                   certificate->solution.must_release ? "true" : "false");
    return KAN_OK;
}

static void add_nodes(kan_text *text, const char *key, const char *fact,
                      const kan_certificate_nodes *nodes, unsigned n_attributes) {
    kan_text_print(text, ",\n \"%s\": [", key);
    for (size_t i = 0; i < nodes->n && !text->failed; i++) {
        kan_text_print(text, "%s\n  ", i ? "," : "");
        add_levels(text, nodes->levels + i * n_attributes, n_attributes);
        kan_text_print(text, "\"%s\": %llu}", fact, (unsigned long long)nodes->facts[i]);
    }
    kan_text_print(text, "%s]", nodes->n ? "\n " : "");
}

/* Nothing where rows are counted. */
static kan_status add_person(kan_text *text, const kan_certificate *certificate) {
    if (!certificate->person_name)
        return KAN_OK;
    kan_text_print(text, " \"person\": {\"column\": ");
    KAN_TRY(add_json(text, json_string(certificate->person_name)));
    kan_text_print(text, ", \"promise\": \"%s\", \"suppress_by\": \"%s\"},\n",
                   certificate->histories ? "histories" : "groups",
                   certificate->by_person ? "person" : "row");
    return KAN_OK;
}

kan_status kan_certificate_print(const kan_certificate *certificate, kan_text *out) {
    kan_text_print(out, "{\"format\": \"kanon-certificate\",\n \"version\": 2,\n");
    kan_text_print(out, " \"kanon\": \"%s\",\n \"input\": {\"rows\": %llu, ", KANON_VERSION,
                   (unsigned long long)certificate->n_rows);
    add_checksum(out, &certificate->checksum);
    kan_text_print(out, "},\n \"quasi_identifiers\": [");
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        KAN_TRY(add_attribute(out, certificate, a));
    kan_text_print(out, "\n ],\n \"class\": ");
    KAN_TRY(add_json(out,
                     certificate->class_name ? json_string(certificate->class_name) : json_null()));
    kan_text_print(out, ",\n \"privacy\": [{\"model\": \"k-anonymity\", \"k\": %llu}],\n",
                   (unsigned long long)certificate->k);
    KAN_TRY(add_person(out, certificate));
    kan_text_print(out, " \"suppression\": {\"limit\": %llu},\n",
                   (unsigned long long)certificate->limit);
    KAN_TRY(add_solution(out, certificate));
    add_nodes(out, "minimal", "suppressed", &certificate->minimal, certificate->n_attributes);
    add_nodes(out, "failing", kan_certificate_has_witnesses(certificate) ? "row" : "suppressed",
              &certificate->failing, certificate->n_attributes);
    kan_text_print(out, "}\n");
    return kan_text_status(out);
}
