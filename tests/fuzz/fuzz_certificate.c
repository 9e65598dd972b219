/* Fuzzing certificates: whatever the bytes are, reading ends, leaks nothing, and refuses with a
 * text. What is accepted prints as something that reads the same; and when it is about the small
 * table below, every claim of it can be checked. Checksums are set right first, or no input but the
 * honest one would come as far. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/certificate/certificate_inside.h"
#include "data/hierarchies/hierarchy.h"
#include "job/verify/certificate_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void print_again(kan_run *run, const kan_certificate *certificate) {
    kan_text first, second;
    kan_certificate copy;
    kan_text_init(&first, run);
    kan_text_init(&second, run);
    require(kan_certificate_print(certificate, &first) == KAN_OK);
    require(kan_certificate_parse(run, "copy", first.bytes, first.size, &copy) == KAN_OK);
    require(kan_certificate_print(&copy, &second) == KAN_OK);
    require(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
    kan_certificate_destroy(&copy);
    kan_text_destroy(&first);
    kan_text_destroy(&second);
}

/* Six people: age and city, and a class. */
static kan_table *make_table(kan_run *run) {
    static const char *const names[] = {"age", "city", "ill"};
    static const char *const rows[][3] = {{"34", "Bonn", "y"},  {"35", "Bonn", "n"},
                                          {"36", "Mainz", "n"}, {"61", "Trier", "y"},
                                          {"62", "Trier", "n"}, {"63", "Essen", "n"}};
    kan_table *table;
    require(kan_table_create(run, 3, names, &table) == KAN_OK);
    for (size_t i = 0; i < 6; i++)
        require(kan_table_add_row(table, rows[i]) == KAN_OK);
    require(kan_table_seal(table) == KAN_OK);
    return table;
}

static void check(kan_run *run, kan_certificate *certificate) {
    static const char *const specs[] = {"intervals:10,30", "prefix:1"};
    kan_certificate_data data = {.n_attributes = 2, .columns = {0, 1}, .class_column = 2};
    kan_hierarchy *hierarchies[2];
    kan_certificate_report report;
    bool fits = certificate->n_attributes == 2 && certificate->n_rows == 6;
    data.table = make_table(run);
    data.has_class = certificate->class_name != NULL;
    kan_problems_begin(run);
    for (unsigned a = 0; a < 2; a++) {
        require(kan_hierarchy_build(run, specs[a], &data.table->columns[a], &hierarchies[a]) ==
                KAN_OK);
        data.hierarchies[a] = hierarchies[a];
        fits = fits && certificate->attributes[a].height == hierarchies[a]->height;
        require(kan_checksum_hierarchy(run, hierarchies[a], &certificate->attributes[a].checksum) ==
                KAN_OK);
    }
    require(kan_checksum_table(&data, &certificate->checksum) == KAN_OK);
    if (fits) {
        require(kan_certificate_fits(certificate, &data, "it", "the table") == KAN_OK);
        require(kan_certificate_check(certificate, &data, 0, &report) == KAN_OK);
        require(report.holds == (report.n_faults == 0));
        require(!report.holds || report.optimality != KAN_OPTIMALITY_REFUTED);
        kan_certificate_report_destroy(&report);
    }
    for (unsigned a = 0; a < 2; a++)
        kan_hierarchy_destroy(hierarchies[a]);
    kan_table_destroy((kan_table *)(uintptr_t)data.table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kan_run *run = kan_run_create();
    kan_certificate certificate;
    require(run != NULL);
    kan_run_set_threads(run, 1);
    kan_status status = kan_certificate_parse(run, "fuzz", (const char *)data, size, &certificate);
    if (status == KAN_OK) {
        print_again(run, &certificate);
        check(run, &certificate);
    } else {
        require(status == KAN_BAD_INPUT && *kan_run_error(run));
    }
    kan_certificate_destroy(&certificate);
    kan_run_destroy(run);
    return 0;
}
