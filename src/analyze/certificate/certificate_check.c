/* Making and checking certificates: the claims one after the other.
 *
 * Order of the check: the lists cover the lattice and hold nothing that follows from something else
 * in them; each minimal node suppresses as many rows as it is said to, no more than the limit; each
 * failing node has its witness; the solution satisfies at the cost that is told; nothing better
 * exists. The last is asked only when all others hold, because it builds on them. */
#include "analyze/certificate/certificate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyze/certificate/certificate_inside.h"

void kan_certificate_init(kan_certificate *certificate, kan_run *run) {
    *certificate = (kan_certificate){.run = run};
    kan_arena_init(&certificate->arena, run);
}

static void nodes_destroy(kan_run *run, kan_certificate_nodes *nodes) {
    kan_free(run, nodes->levels);
    kan_free(run, nodes->facts);
    *nodes = (kan_certificate_nodes){0};
}

void kan_certificate_destroy(kan_certificate *certificate) {
    nodes_destroy(certificate->run, &certificate->minimal);
    nodes_destroy(certificate->run, &certificate->failing);
    kan_arena_destroy(&certificate->arena);
}

kan_status kan_certificate_reserve(kan_certificate *certificate, kan_certificate_nodes *nodes,
                                   size_t n) {
    nodes_destroy(certificate->run, nodes);
    KAN_TRY(kan_alloc_zero(certificate->run, n, certificate->n_attributes, &nodes->levels));
    KAN_TRY(kan_alloc_zero(certificate->run, n, sizeof *nodes->facts, &nodes->facts));
    nodes->n = n;
    return KAN_OK;
}

const char *kan_optimality_name(kan_optimality optimality) {
    static const char *const names[] = {"proven", "not claimed", "not checked", "refuted"};
    return names[optimality];
}

/* "[0,1,2]"; 64 levels of up to three digits fit. */
enum { VECTOR_TEXT = 4 * KAN_CERTIFICATE_ATTRIBUTES + 3 };

static const char *vector_text(const uint8_t *levels, unsigned n, char *room) {
    size_t used = 0;
    for (unsigned a = 0; a < n; a++)
        used += (size_t)snprintf(room + used, VECTOR_TEXT - used, "%c%u", a ? ',' : '[', levels[a]);
    snprintf(room + used, VECTOR_TEXT - used, "]");
    return room;
}

/* ---- form ----------------------------------------------------------------------------------- */

static void check_vector(const kan_certificate *certificate, const char *name, const char *what,
                         const uint8_t *levels) {
    char text[VECTOR_TEXT];
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        if (levels[a] < certificate->attributes[a].lowest ||
            levels[a] > certificate->attributes[a].highest) {
            kan_problem_add(certificate->run,
                            "%s: the %s node %s does not exist: level %u of '%s', which has %u to "
                            "%u",
                            name, what, vector_text(levels, certificate->n_attributes, text),
                            levels[a], certificate->attributes[a].name,
                            certificate->attributes[a].lowest, certificate->attributes[a].highest);
            return;
        }
}

static void check_nodes(const kan_certificate *certificate, const char *name, const char *what,
                        const kan_certificate_nodes *nodes) {
    const unsigned n = certificate->n_attributes;
    char text[VECTOR_TEXT];
    for (size_t i = 0; i < nodes->n; i++) {
        const uint8_t *levels = nodes->levels + i * n;
        check_vector(certificate, name, what, levels);
        if (i > 0 && memcmp(levels - n, levels, n) >= 0)
            kan_problem_add(certificate->run,
                            "%s: the %s node %s is out of order: nodes must ascend, none twice",
                            name, what, vector_text(levels, n, text));
    }
}

kan_status kan_certificate_check_form(const kan_certificate *certificate, const char *name) {
    kan_run *run = certificate->run;
    kan_problems_begin(run);
    if (certificate->n_rows == 0)
        kan_problem_add(run, "%s: the certificate is about a table without rows", name);
    else if (certificate->k == 0 || certificate->k > certificate->n_rows)
        kan_problem_add(run,
                        "%s: k is %" PRIu64 ", it must be 1 to %" PRIu64 ", the number of rows",
                        name, certificate->k, certificate->n_rows);
    if (certificate->limit > certificate->n_rows)
        kan_problem_add(run, "%s: the suppression limit is above the number of rows", name);
    check_nodes(certificate, name, "minimal", &certificate->minimal);
    check_nodes(certificate, name, "failing", &certificate->failing);
    check_vector(certificate, name, "chosen", certificate->solution.levels);
    return kan_problems_end(run);
}

/* ---- whether the data is the right one ------------------------------------------------------ */

static bool is_same_checksum(const kan_checksum *a, const kan_checksum *b) {
    return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}

static void check_hierarchy(const kan_certificate *certificate, unsigned a,
                            const kan_hierarchy *hierarchy, const kan_checksum *sum,
                            const char *name) {
    const char *column = certificate->attributes[a].name;
    if (hierarchy->height != certificate->attributes[a].height)
        kan_problem_add(
            certificate->run,
            "%s: column '%s' had a hierarchy of %u %s above the values, here (%s) "
            "one of %u; give the same as for the search, with --hierarchies DIR or --qi "
            "NAME=HIERARCHY",
            name, column, certificate->attributes[a].height,
            kan_plural(certificate->attributes[a].height, "level", "levels"), hierarchy->origin,
            hierarchy->height);
    else if (!is_same_checksum(sum, &certificate->attributes[a].checksum))
        kan_problem_add(certificate->run,
                        "%s: the hierarchy of column '%s' (%s) is not the one that the certificate "
                        "was made with: its checksum differs",
                        name, column, hierarchy->origin);
}

/* A hierarchy is bound to the values of its column: with another table there is no telling whether
 * the hierarchies are the same. */
kan_status kan_certificate_fits(const kan_certificate *certificate,
                                const kan_certificate_data *data, const char *name,
                                const char *table_name) {
    kan_run *run = certificate->run;
    kan_checksum sum;
    if (kan_table_total(data->table) != certificate->n_rows)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s is about a table of %" PRIu64 " %s, %s has %" PRIu64
                        "; name the table that was searched, as it was before it was anonymized",
                        name, certificate->n_rows, kan_plural(certificate->n_rows, "row", "rows"),
                        table_name, kan_table_total(data->table));
    KAN_TRY(kan_checksum_table(data, &sum));
    if (!is_same_checksum(&sum, &certificate->checksum))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s is not about %s: the checksum of its quasi-identifiers differs; name "
                        "the table that was searched, as it was before it was anonymized",
                        name, table_name);
    kan_problems_begin(run);
    for (unsigned a = 0; a < data->n_attributes; a++) {
        KAN_TRY(kan_checksum_hierarchy(run, data->hierarchies[a], &sum));
        check_hierarchy(certificate, a, data->hierarchies[a], &sum, name);
    }
    return kan_problems_end(run);
}

/* Tuples that are looked at before the optimum counts as not checked, where nobody says how many
 * nodes may be: some ten seconds. */
#define OPTIMUM_WORK (UINT64_C(1) << 30)

/* ---- faults --------------------------------------------------------------------------------- */

static void add_fault(kan_certificate_report *report, const char *format, ...) KAN_PRINTF(2, 3);

static void add_fault(kan_certificate_report *report, const char *format, ...) {
    char line[1024];
    va_list arguments;
    report->holds = false;
    if (report->n_faults++ >= KAN_CERTIFICATE_FAULTS)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    kan_text_print(&report->faults, "%s\n", line);
}

typedef struct {
    const kan_certificate *certificate;
    const kan_subject *subject;
    uint64_t most_nodes;
    kan_certificate_report *report;
    kan_counted *minimal; /* by minimal node */
} inspection;

static const char *node_text(const inspection *i, const uint8_t *levels, char *room) {
    return vector_text(levels, i->certificate->n_attributes, room);
}

/* ---- the claims ----------------------------------------------------------------------------- */

static kan_status check_lattice(const inspection *in) {
    static const char *const kinds[] = {"minimal", "failing"};
    const kan_certificate_nodes *lists[] = {&in->certificate->minimal, &in->certificate->failing};
    const unsigned n = in->certificate->n_attributes;
    char a[VECTOR_TEXT], b[VECTOR_TEXT];
    kan_covering covering;
    KAN_TRY(kan_certificate_cover(in->certificate, &covering));
    in->report->is_countable = covering.is_countable;
    in->report->is_covered = covering.is_covered;
    in->report->n_nodes = covering.n_nodes;
    in->report->n_satisfying = covering.n_satisfying;
    if (!covering.is_covered)
        add_fault(in->report,
                  "node %s is neither above a minimal nor below a failing node: nothing is proven "
                  "about it",
                  node_text(in, covering.hole, a));
    for (unsigned l = 0; l < 2; l++)
        if (covering.is_comparable[l])
            add_fault(in->report, "%s node %s is below %s node %s: one of them is not %s", kinds[l],
                      node_text(in, lists[l]->levels + covering.lower[l] * n, a), kinds[l],
                      node_text(in, lists[l]->levels + covering.upper[l] * n, b),
                      l == 0 ? "minimal" : "a maximal failing one");
    return KAN_OK;
}

/* "3 rows", or people: what the limit is about. */
static const char *left_text(const inspection *in, uint64_t n, char *room, size_t size) {
    snprintf(room, size, "%" PRIu64 " %s", n,
             in->certificate->by_person ? kan_plural(n, "person", "people")
                                        : kan_plural(n, "row", "rows"));
    return room;
}

static const char *groups_text(const inspection *in) {
    return in->certificate->histories     ? "with histories of fewer than"
           : in->certificate->person_name ? "in groups with fewer people than"
                                          : "in groups of fewer than";
}

static void check_suppressed(const inspection *in, const char *what, const uint8_t *levels,
                             const kan_counted *counted, uint64_t claimed) {
    char text[VECTOR_TEXT], left[48];
    (void)left_text(in, counted->n_left_out, left, sizeof left);
    if (counted->n_left_out > in->certificate->limit)
        add_fault(in->report,
                  "%s node %s does not satisfy: %s %s %s %" PRIu64 ", the limit is %" PRIu64
                  "; row %" PRIu64 " by value is one of them",
                  what, node_text(in, levels, text), left, counted->n_left_out == 1 ? "is" : "are",
                  groups_text(in), in->certificate->k, in->certificate->limit,
                  counted->first_small_row + 1);
    else if (counted->n_left_out != claimed)
        add_fault(in->report, "%s node %s suppresses %s, not %" PRIu64, what,
                  node_text(in, levels, text), left, claimed);
}

static kan_status check_minimal(inspection *in) {
    const kan_certificate_nodes *nodes = &in->certificate->minimal;
    KAN_TRY(kan_alloc(in->certificate->run, nodes->n, sizeof *in->minimal, &in->minimal));
    KAN_TRY(
        kan_count_nodes(in->subject, in->certificate, true, nodes->levels, nodes->n, in->minimal));
    for (size_t i = 0; i < nodes->n; i++)
        check_suppressed(in, "minimal", nodes->levels + i * in->certificate->n_attributes,
                         &in->minimal[i], nodes->facts[i]);
    return KAN_OK;
}

/* Limit 0: the group of the witness is too small. */
static kan_status check_witnesses(const inspection *in) {
    const kan_certificate *certificate = in->certificate;
    const kan_certificate_nodes *nodes = &certificate->failing;
    char text[VECTOR_TEXT];
    uint64_t *sizes;
    KAN_TRY(kan_alloc_zero(certificate->run, nodes->n, sizeof *sizes, &sizes));
    kan_status status =
        kan_count_witnesses(in->subject, nodes->levels, nodes->facts, nodes->n, sizes);
    for (size_t i = 0; status == KAN_OK && i < nodes->n; i++) {
        const uint8_t *levels = nodes->levels + i * certificate->n_attributes;
        if (sizes[i] == 0)
            add_fault(in->report,
                      "failing node %s: its witness is row %" PRIu64
                      " by value, which does not exist",
                      node_text(in, levels, text), nodes->facts[i]);
        else if (sizes[i] >= certificate->k)
            add_fault(in->report,
                      "failing node %s: its witness, row %" PRIu64
                      " by value, is in a group of %" PRIu64 " %s, which is not too small",
                      node_text(in, levels, text), nodes->facts[i], sizes[i],
                      certificate->person_name ? "people" : "rows");
    }
    kan_free(certificate->run, sizes);
    return status;
}

/* With a limit: the rows of small groups are more than it. */
static kan_status check_overruns(const inspection *in) {
    const kan_certificate *certificate = in->certificate;
    const kan_certificate_nodes *nodes = &certificate->failing;
    char text[VECTOR_TEXT];
    kan_counted *counted;
    KAN_TRY(kan_alloc(certificate->run, nodes->n, sizeof *counted, &counted));
    kan_status status =
        kan_count_nodes(in->subject, certificate, false, nodes->levels, nodes->n, counted);
    for (size_t i = 0; status == KAN_OK && i < nodes->n; i++) {
        const uint8_t *levels = nodes->levels + i * certificate->n_attributes;
        char left[48];
        (void)left_text(in, counted[i].n_left_out, left, sizeof left);
        if (counted[i].n_left_out <= certificate->limit)
            add_fault(in->report,
                      "failing node %s satisfies: %s %s %s %" PRIu64 ", the limit is %" PRIu64,
                      node_text(in, levels, text), left, counted[i].n_left_out == 1 ? "is" : "are",
                      groups_text(in), certificate->k, certificate->limit);
        else if (counted[i].n_left_out != nodes->facts[i])
            add_fault(in->report, "failing node %s would have to suppress %s, not %" PRIu64,
                      node_text(in, levels, text), left, nodes->facts[i]);
    }
    kan_free(certificate->run, counted);
    return status;
}

static bool is_told_cost(const kan_certificate_cost *told, const kan_counted_cost *counted) {
    if (!told->is_finite || !isfinite(counted->real))
        return !told->is_finite && !isfinite(counted->real);
    if (told->is_whole && counted->is_whole)
        return told->whole == counted->above;
    return fabs(told->real - counted->real) <= 1e-9 * fabs(counted->real);
}

static kan_status check_solution(const inspection *in) {
    const kan_certificate *certificate = in->certificate;
    const uint8_t *levels = certificate->solution.levels;
    char text[VECTOR_TEXT], better[VECTOR_TEXT];
    kan_counted counted;
    kan_optimum optimum;
    KAN_TRY(kan_count_nodes(in->subject, certificate, true, levels, 1, &counted));
    check_suppressed(in, "chosen", levels, &counted, certificate->solution.n_suppressed);
    if (certificate->solution.must_release && counted.n_released_groups == 0)
        add_fault(in->report, "chosen node %s releases no row", node_text(in, levels, text));
    if (!is_told_cost(&certificate->solution.value, &counted.cost))
        add_fault(in->report, "chosen node %s: its %s is %.15g, not %.15g",
                  node_text(in, levels, text), certificate->solution.cost, counted.cost.real,
                  certificate->solution.value.real);
    in->report->optimality =
        certificate->solution.is_optimal ? KAN_OPTIMALITY_NOT_CHECKED : KAN_OPTIMALITY_NOT_CLAIMED;
    if (!in->report->holds)
        return KAN_OK;
    KAN_TRY(kan_certificate_optimum(in->subject, certificate, &counted, in->minimal, in->most_nodes,
                                    &optimum));
    in->report->optimality = optimum.optimality;
    in->report->n_measured = optimum.n_measured;
    if (optimum.optimality == KAN_OPTIMALITY_REFUTED)
        add_fault(in->report, "chosen node %s is not the best: node %s satisfies with %s %.15g",
                  node_text(in, levels, text), node_text(in, optimum.better, better),
                  certificate->solution.cost, optimum.better_cost);
    return KAN_OK;
}

kan_status kan_certificate_check(const kan_certificate *certificate,
                                 const kan_certificate_data *data, uint64_t most_nodes,
                                 kan_certificate_report *out) {
    kan_status status;
    kan_subject subject;
    inspection in = {.certificate = certificate, .subject = &subject, .report = out};
    *out = (kan_certificate_report){.holds = true};
    kan_text_init(&out->faults, certificate->run);
    KAN_TRY_DONE(kan_subject_make(certificate->run, data, &subject));
    in.most_nodes = most_nodes > 0 ? most_nodes : OPTIMUM_WORK / (subject.n_tuples + 1);
    KAN_TRY_DONE(check_lattice(&in));
    KAN_TRY_DONE(check_minimal(&in));
    KAN_TRY_DONE(kan_certificate_has_witnesses(certificate) ? check_witnesses(&in)
                                                            : check_overruns(&in));
    KAN_TRY_DONE(check_solution(&in));
    KAN_TRY_DONE(kan_text_status(&out->faults));
done:
    kan_free(certificate->run, in.minimal);
    kan_subject_destroy(&subject);
    return status;
}

void kan_certificate_report_destroy(kan_certificate_report *report) {
    kan_text_destroy(&report->faults);
}

/* ---- making --------------------------------------------------------------------------------- */

static kan_status take_data(kan_certificate *certificate, const kan_certificate_data *data) {
    certificate->n_rows = kan_table_total(data->table);
    KAN_TRY(kan_checksum_table(data, &certificate->checksum));
    for (unsigned a = 0; a < data->n_attributes; a++) {
        certificate->attributes[a].height = data->hierarchies[a]->height;
        KAN_TRY(kan_checksum_hierarchy(certificate->run, data->hierarchies[a],
                                       &certificate->attributes[a].checksum));
    }
    return KAN_OK;
}

/* The facts of one list; clears *holds when a node is not what the search said. */
static kan_status find_facts(const kan_certificate *certificate, const kan_subject *subject,
                             kan_certificate_nodes *nodes, bool is_failing, bool *holds) {
    kan_counted *counted;
    KAN_TRY(kan_alloc(certificate->run, nodes->n, sizeof *counted, &counted));
    kan_status status =
        kan_count_nodes(subject, certificate, false, nodes->levels, nodes->n, counted);
    for (size_t i = 0; status == KAN_OK && i < nodes->n; i++) {
        bool fails = counted[i].n_left_out > certificate->limit;
        bool has_witness = is_failing && kan_certificate_has_witnesses(certificate);
        *holds &= fails == is_failing;
        nodes->facts[i] = has_witness ? counted[i].first_small_row + 1 : counted[i].n_left_out;
    }
    kan_free(certificate->run, counted);
    return status;
}

kan_status kan_certificate_make(kan_certificate *certificate, const kan_certificate_data *data) {
    kan_status status;
    kan_subject subject;
    kan_covering covering;
    bool holds = true;
    KAN_TRY(take_data(certificate, data));
    KAN_TRY_DONE(kan_subject_make(certificate->run, data, &subject));
    KAN_TRY_DONE(find_facts(certificate, &subject, &certificate->minimal, false, &holds));
    KAN_TRY_DONE(find_facts(certificate, &subject, &certificate->failing, true, &holds));
    KAN_TRY_DONE(kan_certificate_check_form(certificate, "the certificate"));
    KAN_TRY_DONE(kan_certificate_cover(certificate, &covering));
    if (!holds || !covering.is_covered || covering.is_comparable[0] || covering.is_comparable[1])
        status = kan_fail(certificate->run, KAN_FAILED,
                          "internal error: the answer of the search failed its check, so there is "
                          "no certificate; please report this");
done:
    kan_subject_destroy(&subject);
    return status;
}
