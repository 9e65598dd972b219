/* The Patients table of the Incognito paper (LeFevre, DeWitt, Ramakrishnan 2005): the six rows of
 * Figure 1, with the hierarchies of Figure 2. Birth date and sex have height 1, the zip code 2; its
 * tree has a leaf, 53710, that no patient has. Small enough to check an answer by hand. */
#include "generate/generate.h"
#include "generate/output.h"

/* One line each; "Brochitis" is how the paper spells it. */
static const char TABLE[] = "birthdate,sex,zipcode,disease\n"
                            "1/21/76,Male,53715,Flu\n"
                            "4/13/86,Female,53715,Hepatitis\n"
                            "2/28/76,Male,53703,Brochitis\n"
                            "1/21/76,Male,53703,Broken Arm\n"
                            "4/13/86,Female,53706,Sprained Ankle\n"
                            "2/28/76,Female,53706,Hang Nail\n";

static const struct {
    const char *name, *lines;
} HIERARCHIES[] = {
    {"birthdate", "1/21/76;*\n2/28/76;*\n4/13/86;*\n"},
    {"sex", "Male;Person\nFemale;Person\n"},
    {"zipcode", "53715;5371*;537**\n53710;5371*;537**\n53706;5370*;537**\n53703;5370*;537**\n"},
};

static kan_status hierarchies_write(kan_outputs *outputs, const char *directory) {
    for (size_t i = 0; i < sizeof HIERARCHIES / sizeof *HIERARCHIES; i++) {
        kan_text lines;
        kan_text_init(&lines, outputs->run);
        kan_text_add(&lines, HIERARCHIES[i].lines, strlen(HIERARCHIES[i].lines));
        kan_status status = kan_outputs_add(outputs, directory, HIERARCHIES[i].name, &lines);
        kan_text_destroy(&lines);
        KAN_TRY(status);
    }
    return KAN_OK;
}

static kan_status patients_generate(kan_run *run, uint64_t rows, uint64_t seed,
                                    const char *table_path, const char *hierarchy_dir,
                                    bool overwrite) {
    (void)seed; /* nothing here is random */
    if (rows != 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "patients: always has the six rows of its paper; leave --rows out, or "
                        "generate census, which has as many as you like");
    kan_outputs outputs;
    kan_output *table;
    kan_status status;
    kan_outputs_init(&outputs, run, overwrite);
    kan_report_units(run, "generate", "rows", 0, 6);
    if (hierarchy_dir)
        KAN_TRY_DONE(hierarchies_write(&outputs, hierarchy_dir));
    /* Last, because what went to standard output cannot be taken back. */
    if (table_path) {
        KAN_TRY_DONE(kan_outputs_open(&outputs, table_path, &table));
        KAN_TRY_DONE(kan_output_write(table, TABLE, sizeof TABLE - 1));
    }
    KAN_TRY_DONE(kan_outputs_commit(&outputs));
    kan_report_units(run, "generate", "rows", 6, 6);
done:
    kan_outputs_close(&outputs);
    return status;
}

const kan_generator_kind kan_generator_patients = {
    .kind = {.name = "patients",
             .summary = "the six patients of the Incognito paper, Figures 1 and 2",
             .is_everyday = true},
    .default_rows = 0,
    .default_seed = 1,
    .generate = patients_generate,
    .suggestion = "--qi birthdate,sex,zipcode --sensitive disease --k 2",
};
