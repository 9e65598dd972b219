/* Anonymizes a table in memory with libkanon, and prints the release.
 *
 *   cc anonymize_table.c $(pkg-config --cflags --libs kanon) -o anonymize_table
 *
 * A small registry of a clinic: age, postcode and sex could give a person away, the diagnosis is
 * what the release is about. Everybody must share age, postcode and sex with at least one other. */
#include <kanon.h>
#include <stdio.h>

static const char *const columns[] = {"age", "postcode", "sex", "diagnosis"};
static const char *const rows[][4] = {
    {"34", "53715", "f", "asthma"},   {"36", "53715", "f", "influenza"},
    {"35", "53710", "m", "fracture"}, {"38", "53712", "m", "asthma"},
    {"61", "53703", "f", "diabetes"}, {"67", "53706", "f", "influenza"},
    {"64", "53706", "m", "diabetes"}, {"69", "53703", "m", "hypertension"},
};

static kan_status fill(kan_table *table) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kan_status status = kan_table_add_row(table, rows[i]);
        if (status != KAN_OK)
            return status;
    }
    return KAN_OK;
}

static kan_status describe(kan_job *job, kan_table *table) {
    kan_status status = kan_job_use_table(job, table);
    if (status == KAN_OK)
        status = kan_job_set(job, "qi", "age=intervals:5,10,20");
    if (status == KAN_OK)
        status = kan_job_set(job, "qi", "postcode=digits:5");
    if (status == KAN_OK)
        status = kan_job_set(job, "qi", "sex=suppress");
    if (status == KAN_OK)
        status = kan_job_set(job, "k", "2");
    if (status == KAN_OK)
        status = kan_job_set(job, "cost", "ncp");
    return status;
}

static void print_table(const kan_table *table) {
    for (size_t c = 0; c < kan_table_n_columns(table); c++)
        printf("%-12s", kan_table_column_name(table, c));
    printf("\n");
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++) {
        for (size_t c = 0; c < kan_table_n_columns(table); c++) {
            size_t size;
            const char *value = kan_table_value(table, row, c, &size);
            printf("%-12.*s", (int)size, value);
        }
        printf("\n");
    }
}

int main(void) {
    kan_table *table = NULL;
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_run *run = kan_run_create();
    if (!run)
        return KAN_FAILED;

    kan_status status = kan_table_create(run, 4, columns, &table);
    if (status == KAN_OK)
        status = fill(table);
    if (status == KAN_OK)
        status = kan_job_create(run, &job);
    if (status == KAN_OK)
        status = describe(job, table);
    if (status == KAN_OK)
        status = kan_job_run(job, "anonymize", &result);

    if (status == KAN_OK)
        print_table(kan_result_table(result));
    else
        fprintf(stderr, "%s\n", kan_run_error(run));

    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    return (int)status;
}
