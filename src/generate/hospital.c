/* The generator `hospital`: patients, their stays and the diagnoses of each stay, in three tables that
 * belong together, with hierarchies and a job file. The same bytes for the same seed and number of
 * patients everywhere.
 *
 * Stays and diagnoses stand in orders of their own, so that neither those of a patient nor those of a
 * stay stand where their parents do. Nothing is kept: what a row shows follows from its number
 * (generate/hospital_model.h). Cost: some 20 random numbers and about 40 bytes per stay. */
#include <stdio.h>

#include "core/hash.h"
#include "generate/generate.h"
#include "generate/hospital_model.h"
#include "generate/output.h"
#include "generate/scatter.h"

enum {
    DEFAULT_ROWS = 20000,
    DEFAULT_SEED = 20260301,
    BLOCK_ROWS = 1024,
    MOST_BYTES = 40 * KAN_HOSPITAL_MOST_CODES, /* of what is written for one number */
    FIRST_PATIENT = 100000,
    FIRST_STAY = 500000
};

static const char *const TABLES[] = {"patients.csv", "stays.csv", "diagnoses.csv"};
enum { N_TABLES = sizeof TABLES / sizeof *TABLES };

static const char JOB[] = "hospital.yaml";
static const char JOB_TEXT[] =
    "# Made-up patients, their stays in hospital, and the diagnoses of each stay.\n"
    "tables:\n"
    "  patients:\n"
    "    input: patients.csv\n"
    "    key: patient\n"
    "    qi: [birth, sex, zip]\n"
    "    keep: [insurance]\n"
    "  stays:\n"
    "    input: stays.csv\n"
    "    key: stay\n"
    "    of: patients          # its column `patient` says whose row it is\n"
    "    qi: [admitted, ward]\n"
    "    drop: [days]\n"
    "  diagnoses:\n"
    "    input: diagnoses.csv\n"
    "    of: stays\n"
    "    sensitive: [code]\n"
    "    keep: [position]\n"
    "hierarchies: hierarchies\n"
    "k: 5\n"
    "suppress: 5%\n"
    "cost: ncp\n";

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    uint64_t seed, n_patients, n_stays;
    uint64_t number_step; /* what numbers stays have */
    uint64_t done;        /* rows and stays, for progress */
} hospital;

/* Writes what belongs to one number; returns its bytes. */
typedef int (*render_fn)(const hospital *h, uint64_t number, char *to);

static unsigned long long stay_number(const hospital *h, uint64_t stay) {
    return FIRST_STAY + (unsigned long long)((kan_u128)stay * h->number_step % h->n_stays);
}

static int render_patient(const hospital *h, uint64_t patient, char *to) {
    kan_hospital_patient who;
    kan_hospital_patient_make(h->seed, patient, &who);
    return snprintf(to, MOST_BYTES, "%llu,%u,%s,%u,%s\n",
                    FIRST_PATIENT + (unsigned long long)patient, who.birth,
                    who.is_female ? "F" : "M", who.zip, who.insurance);
}

static int render_stay(const hospital *h, uint64_t stay, char *to) {
    kan_hospital_stay what;
    char date[KAN_HOSPITAL_DATE_BYTES];
    unsigned month;
    kan_hospital_stay_make(h->seed, stay, &what);
    kan_hospital_date_text(what.day, date, &month);
    return snprintf(to, MOST_BYTES, "%llu,%llu,%s,%u,%s\n", stay_number(h, stay),
                    FIRST_PATIENT + (unsigned long long)what.patient, date, what.n_days,
                    kan_hospital_wards[what.ward].name);
}

static int render_diagnoses(const hospital *h, uint64_t stay, char *to) {
    kan_hospital_stay what;
    char code[KAN_HOSPITAL_CODE_BYTES];
    int size = 0;
    kan_hospital_stay_make(h->seed, stay, &what);
    for (unsigned i = 0; i < what.n_codes; i++) {
        kan_hospital_code_text(what.codes[i], 0, code);
        size += snprintf(to + size, (size_t)(MOST_BYTES - size), "%llu,%u,%s\n",
                         stay_number(h, stay), i + 1, code);
    }
    return size;
}

static kan_status write_rows(hospital *h, kan_output *output, const char *header, uint64_t n,
                             uint64_t step, render_fn render) {
    kan_status status;
    uint64_t number = 0;
    char *block;
    KAN_TRY(kan_alloc(h->run, (size_t)BLOCK_ROWS * MOST_BYTES, 1, &block));
    KAN_TRY_DONE(kan_output_write(output, header, strlen(header)));
    for (uint64_t row = 0; row < n;) {
        size_t size = 0;
        KAN_TRY_DONE(kan_check_cancel(h->run));
        for (unsigned i = 0; i < BLOCK_ROWS && row < n; i++, row++, h->done++) {
            const int written = render(h, number, block + size);
            KAN_ASSERT(written >= 0 && written < MOST_BYTES);
            size += (size_t)written;
            number = kan_scatter_next(number, step, n);
        }
        KAN_TRY_DONE(kan_output_write(output, block, size));
        kan_report_units(h->run, "generate", "rows", h->done, h->n_patients + 2 * h->n_stays);
    }
done:
    kan_free(h->run, block);
    return status;
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

static void add_births(kan_text *lines) {
    for (unsigned year = KAN_HOSPITAL_FIRST_YEAR;
         year < KAN_HOSPITAL_FIRST_YEAR + KAN_HOSPITAL_YEARS; year++)
        kan_text_print(lines, "%u;%u-%u;%u-%u;%u-%u;*\n", year, year / 5 * 5, year / 5 * 5 + 4,
                       year / 10 * 10, year / 10 * 10 + 9, year / 20 * 20, year / 20 * 20 + 19);
}

static void add_sexes(kan_text *lines) {
    kan_text_print(lines, "F;*\nM;*\n");
}

static void add_zips(kan_text *lines) {
    for (unsigned zip = KAN_HOSPITAL_FIRST_ZIP; zip < KAN_HOSPITAL_FIRST_ZIP + KAN_HOSPITAL_ZIPS;
         zip++)
        kan_text_print(lines, "%u;%u*;%u**;*\n", zip, zip / 10, zip / 100);
}

static void add_days(kan_text *lines) {
    for (unsigned day = 0; day < KAN_HOSPITAL_DAYS; day++) {
        char date[KAN_HOSPITAL_DATE_BYTES];
        unsigned month;
        kan_hospital_date_text(day, date, &month);
        kan_text_print(lines, "%s;%.7s;%.4s Q%u;%.4s;*\n", date, date, date, (month + 2) / 3, date);
    }
}

static void add_wards(kan_text *lines) {
    for (unsigned ward = 0; ward < KAN_HOSPITAL_WARDS; ward++)
        kan_text_print(lines, "%s;%s;*\n", kan_hospital_wards[ward].name,
                       kan_hospital_wards[ward].department);
}

static void add_codes(kan_text *lines) {
    for (unsigned code = 0; code < KAN_HOSPITAL_CODES; code++) {
        for (unsigned level = 0; level < 4; level++) {
            char label[KAN_HOSPITAL_CODE_BYTES];
            kan_hospital_code_text(code, level, label);
            kan_text_print(lines, "%s;", label);
        }
        kan_text_print(lines, "*\n");
    }
}

static kan_status write_hierarchies(kan_outputs *outputs, const char *directory) {
    static const struct {
        const char *name;
        void (*add)(kan_text *lines);
    } files[] = {{"birth", add_births},  {"sex", add_sexes},  {"zip", add_zips},
                 {"admitted", add_days}, {"ward", add_wards}, {"code", add_codes}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        files[i].add(&lines);
        kan_status status = kan_text_status(&lines);
        if (status == KAN_OK)
            status = kan_outputs_add(outputs, directory, files[i].name, &lines);
        kan_text_destroy(&lines);
        KAN_TRY(status);
    }
    return KAN_OK;
}

/* ---- the generator -------------------------------------------------------------------------- */

static kan_status open_in(kan_outputs *outputs, const char *folder, const char *name,
                          kan_output **out) {
    kan_text path;
    kan_text_init(&path, outputs->run);
    kan_text_print(&path, "%s/%s", folder, name);
    kan_status status = kan_text_status(&path);
    if (status == KAN_OK)
        status = kan_outputs_open(outputs, path.bytes, out);
    kan_text_destroy(&path);
    return status;
}

static kan_status write_tables(hospital *h, kan_outputs *outputs, const char *folder) {
    kan_output *tables[N_TABLES], *job;
    /* An empty table has no order. */
    const uint64_t n_stays = h->n_stays ? h->n_stays : 1;
    const uint64_t stay_step = kan_scatter_step(n_stays, KAN_SCATTER_STEP),
                   code_step = kan_scatter_step(n_stays, stay_step * 2 / 3);
    h->number_step = kan_scatter_step(n_stays, stay_step / 2);
    for (unsigned i = 0; i < N_TABLES; i++)
        KAN_TRY(open_in(outputs, folder, TABLES[i], &tables[i]));
    KAN_TRY(open_in(outputs, folder, JOB, &job));
    KAN_TRY(write_rows(h, tables[0], "patient,birth,sex,zip,insurance\n", h->n_patients, 1,
                       render_patient));
    KAN_TRY(write_rows(h, tables[1], "stay,patient,admitted,days,ward\n", h->n_stays, stay_step,
                       render_stay));
    KAN_TRY(
        write_rows(h, tables[2], "stay,position,code\n", h->n_stays, code_step, render_diagnoses));
    return kan_output_write(job, JOB_TEXT, sizeof JOB_TEXT - 1);
}

static kan_status generate(kan_run *run, uint64_t rows, uint64_t seed, const char *folder,
                           const char *hierarchy_dir, bool overwrite) {
    hospital h = {.run = run, .seed = seed, .n_patients = rows ? rows : DEFAULT_ROWS};
    kan_outputs outputs;
    kan_status status;
    h.n_stays = kan_hospital_count_stays(seed, h.n_patients);
    kan_outputs_init(&outputs, run, overwrite);
    if (hierarchy_dir)
        KAN_TRY_DONE(write_hierarchies(&outputs, hierarchy_dir));
    if (folder)
        KAN_TRY_DONE(write_tables(&h, &outputs, folder));
    KAN_TRY_DONE(kan_outputs_commit(&outputs));
done:
    kan_outputs_close(&outputs);
    return status;
}

static const kan_generator_folder in_folder = {
    .tables = TABLES, .n_tables = N_TABLES, .hierarchies = "hierarchies", .job = JOB};

const kan_generator_kind kan_generator_hospital = {
    .kind = {.name = "hospital",
             .summary = "patients, three stays of each on average, and the diagnoses of each stay: "
                        "three tables that belong together, with their job file, in a folder; "
                        "--rows counts patients, 20,000 where it is not given",
             .is_everyday = true},
    .default_rows = DEFAULT_ROWS,
    .default_seed = DEFAULT_SEED,
    .generate = generate,
    .folder = &in_folder,
};
