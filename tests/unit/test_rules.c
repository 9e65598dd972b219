/* Rules: patterns in values, closed sets, boundaries of ages, years and ZIP codes, the words for each
 * kind of identifier, and the list of areas that ships. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/rules/rules.h"
#include "core/run.h"

#define S(text) kan_slice_of(text)

/* ---- values --------------------------------------------------------------------------------- */

static void identifiers_are_found_within_texts(void **state) {
    static const struct {
        const char *value;
        int kind; /* -1: none */
    } cases[] = {{"write to anna.b@mail.example.org soon", KAN_ID_EMAIL},
                 {"see https://x.example/p/7", KAN_ID_URL},
                 {"www.example.org", KAN_ID_URL},
                 {"from 192.168.10.7 at noon", KAN_ID_IP},
                 {"2001:db8::ff00:42:8329", KAN_ID_IP},
                 {"call (555) 010-9999", KAN_ID_PHONE},
                 {"+49 341 1234567", KAN_ID_PHONE},
                 {"ssn 078-05-1120.", KAN_ID_SOCIAL},
                 {"00:1B:44:11:3A:B7", KAN_ID_DEVICE},
                 {"VIN 1HGCM82633A004352", KAN_ID_VEHICLE},
                 {"DE89 3704 0044 0532 0130 00", KAN_ID_ACCOUNT},
                 {"4111-1111-1111-1111", KAN_ID_ACCOUNT},
                 {"123e4567-e89b-12d3-a456-426614174000", KAN_ID_OTHER},
                 {"img_0042.JPG", KAN_ID_PHOTO},
                 {"scan.dcm", KAN_ID_PHOTO},
                 {"left_thumb.wsq", KAN_ID_BIOMETRIC},
                 {"48.1371, 11.5754", KAN_ID_PLACE},
                 {"1980-03-14", KAN_ID_DATE},
                 {"14.03.1980", KAN_ID_DATE},
                 {"seen 3/14/80, well", KAN_ID_DATE},
                 {"1980-03", KAN_ID_DATE},
                 {"03/1980", KAN_ID_DATE},
                 {"14. März", KAN_ID_DATE},
                 {"March 1980", KAN_ID_DATE},
                 {"on Mar 3", KAN_ID_DATE},
                 {"2020-Q1", KAN_ID_DATE},
                 {"Q1 2020", KAN_ID_DATE},
                 {"1980-W05", KAN_ID_DATE},
                 {"2024-03-14T08:30", KAN_ID_DATE},
                 {"20240314T0830", KAN_ID_DATE},
                 {"1980", -1},
                 {"1980-1989", -1},
                 {"marker 3", -1},
                 {"decile 10", -1},
                 {"13:45:00", -1},
                 {"1.2.3", -1},
                 {"E11.9", -1},
                 {"30-39", -1},
                 {"m", -1},
                 {"", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned kinds = kan_rule_kinds_in(S(cases[i].value));
        if (cases[i].kind < 0 ? kinds != 0 : !(kinds & KAN_ID_BIT(cases[i].kind)))
            fail_msg("%s: kinds %#x", cases[i].value, kinds);
    }
}

static void closed_sets_have_nothing_but_their_own(void **state) {
    static const struct {
        const char *value;
        unsigned sets;
    } cases[] = {{"", KAN_CLOSED_BLANK},
                 {"*", KAN_CLOSED_BLANK},
                 {"NA", KAN_CLOSED_BLANK},
                 {"34", KAN_CLOSED_RANGE},
                 {"34,5", KAN_CLOSED_RANGE},
                 {"-3.5", KAN_CLOSED_RANGE},
                 {"30-39", KAN_CLOSED_RANGE},
                 {"[30..39]", KAN_CLOSED_RANGE},
                 {"[85..>=90]", KAN_CLOSED_RANGE},
                 {"90+", KAN_CLOSED_RANGE},
                 {"90 or older", KAN_CLOSED_RANGE},
                 {">=90", KAN_CLOSED_RANGE},
                 {"1970s", KAN_CLOSED_DAYS},
                 {"<1937-01-01", KAN_CLOSED_DAYS},
                 {"[1990-01-01..1999-12-31]", KAN_CLOSED_DAYS},
                 {"female", KAN_CLOSED_SEX},
                 {"C34", KAN_CLOSED_DIAGNOSIS},
                 {"E11.9", KAN_CLOSED_DIAGNOSIS},
                 {"<1937-03-01", 0},
                 {"[1990-01-01..1999-12-30]", 0},
                 {"E1199", 0},
                 {"Smith", 0},
                 {"34 Smith", 0},
                 {"90+x", 0},
                 {"[30..39", 0},
                 {"39-30", 0},
                 {"12345678901234567", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_closed_value v;
        kan_closed_read(S(cases[i].value), &v);
        if (v.sets != cases[i].sets)
            fail_msg("%s: sets %#x", cases[i].value, v.sets);
    }
    kan_closed_value v;
    kan_closed_read(S("<1937-01-01"), &v);
    assert_true(isinf(v.low) && v.high == 1936);
    kan_closed_read(S(">89"), &v);
    assert_true(v.low == 90 && isinf(v.high));
}

/* ---- names ---------------------------------------------------------------------------------- */

static void every_kind_is_known_by_its_names(void **state) {
    static const struct {
        kan_id_kind kind;
        const char *names; /* blank-separated */
    } cases[] = {
        {KAN_ID_PLACE, "street_address homeCity Wohnort ville latitude gps_lat Hausnummer county"},
        {KAN_ID_PHONE, "phone home_phone PhoneNumber Telefonnummer tel téléphone puhelin handynr"},
        {KAN_ID_FAX, "fax fax_no Telefax faxNumber"},
        {KAN_ID_EMAIL, "email e_mail_address eMail courriel contact_email"},
        {KAN_ID_SOCIAL,
         "ssn SSN social_security_no bsn pesel personnummer Sozialversicherungsnummer"},
        {KAN_ID_RECORD, "mrn medical_record_number patient_id PatientID Patientennummer chart_no"},
        {KAN_ID_PLAN, "health_plan_no insurance_number Versichertennummer medicare_id member_no"},
        {KAN_ID_ACCOUNT, "account_number iban Kontonummer credit_card bank_no"},
        {KAN_ID_LICENSE, "drivers_license license_no certificate_number passport_no Reisepass"},
        {KAN_ID_VEHICLE, "vin license_plate vehicle_id Kennzeichen plate"},
        {KAN_ID_DEVICE, "device_serial serial_number implant_no imei mac_address Seriennummer"},
        {KAN_ID_URL, "url homepage web_site linkedin"},
        {KAN_ID_IP, "ip ip_address ipv4 IPAddr"},
        {KAN_ID_BIOMETRIC, "fingerprint voice_print retina_scan biometric_hash Fingerabdruck"},
        {KAN_ID_PHOTO, "photo face_image portrait_file Lichtbild foto"},
        {KAN_ID_OTHER, "uuid username login participant_no"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *at = cases[i].names; *at;) {
            char name[64];
            const size_t size = strcspn(at, " ");
            snprintf(name, sizeof name, "%.*s", (int)size, at);
            if (!(kan_rule_name_kinds(name, 0).strong & KAN_ID_BIT(cases[i].kind)))
                fail_msg("%s does not speak of %s", name, kan_id_word_of(cases[i].kind)->title);
            at += size + (at[size] == ' ');
        }
}

static void names_of_other_things_speak_of_nothing(void **state) {
    static const char *const names[] = {"sex",    "age",       "race",   "bmi",       "weight",
                                        "zip",    "diagnosis", "state",  "education", "patient_age",
                                        "height", "race_code", "income", "year"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (kan_rule_name_kinds(names[i], 0).strong)
            fail_msg("%s: %#x", names[i], kan_rule_name_kinds(names[i], 0).strong);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Judges one column of the values, blank-separated. */
static kan_rule_column judge(const char *name, const char *values, int release_year) {
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_profile_column profile;
    kan_rule_column out;
    kan_zip_areas areas;
    kan_zip_areas_shipped(&areas);
    assert_non_null(run);
    assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
    for (const char *at = values; *at;) {
        char value[64];
        const char *cell = value;
        const size_t size = strcspn(at, " ");
        snprintf(value, sizeof value, "%.*s", (int)size, at);
        for (char *sign = value; *sign; sign++)
            *sign = *sign == '_' ? ' ' : *sign;
        assert_int_equal(kan_table_add_row(table, &cell), KAN_OK);
        at += size + (at[size] == ' ');
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    const kan_column *column = &table->columns[0];
    assert_int_equal(kan_profile_column_make(run, column, table->n_rows, &profile), KAN_OK);
    profile.name = name;
    kan_profile_suggest(&profile, 0);
    const kan_rule_question question = {.rule = &kan_rule_hipaa,
                                        .column = column,
                                        .profile = &profile,
                                        .areas = &areas,
                                        .release_year = release_year};
    assert_int_equal(kan_rule_judge(run, &question, &out), KAN_OK);
    kan_table_destroy(table);
    kan_run_destroy(run);
    out.name = NULL;
    return out;
}

static void boundaries_are_where_the_rule_has_them(void **state) {
    static const struct {
        const char *name, *values;
        kan_rule_verdict verdict;
    } cases[] = {
        {"age", "34 89", KAN_RULE_CLEAR},
        {"age", "34 90", KAN_RULE_FOUND},
        {"age", "34 90+", KAN_RULE_CLEAR},
        {"age", "34 >=90", KAN_RULE_CLEAR},
        {"age", "34 >89", KAN_RULE_CLEAR},
        {"age", "34 95+", KAN_RULE_FOUND},
        {"age", "34 [85..>=90]", KAN_RULE_CLEAR},
        {"age", "34 85-94", KAN_RULE_UNDECIDED},
        {"age", "34 90-99", KAN_RULE_FOUND},
        {"age", "34 80-89", KAN_RULE_CLEAR},
        {"age", "34.51 40", KAN_RULE_UNDECIDED},
        {"age", "34 ninety", KAN_RULE_UNDECIDED},
        {"age", "34 1980-03-14", KAN_RULE_FOUND},
        {"age_id", "34 35", KAN_RULE_FOUND},
        {"year_of_birth", "1937 1990", KAN_RULE_CLEAR},
        {"year_of_birth", "1936 1990", KAN_RULE_FOUND},
        {"year_of_birth", "<1937-01-01 1990", KAN_RULE_CLEAR},
        {"year_of_birth", "<1936-01-01 1990", KAN_RULE_FOUND},
        {"year_of_birth", "<=1936 1990", KAN_RULE_CLEAR},
        {"year_of_birth", "1930s 1990", KAN_RULE_FOUND},
        {"year_of_birth", "2027 1990", KAN_RULE_UNDECIDED},
        {"year_of_birth", "90 85", KAN_RULE_UNDECIDED},
        {"admission_year", "2019 2020", KAN_RULE_CLEAR},
        {"admission_date", "2019-01 2020-02", KAN_RULE_FOUND},
        {"admission_date", "20190114 20200211", KAN_RULE_FOUND},
        {"birth_month", "1 12", KAN_RULE_UNDECIDED},
        {"zip", "100 101", KAN_RULE_CLEAR},
        {"zip", "100** 101**", KAN_RULE_CLEAR},
        {"zip", "000 021", KAN_RULE_CLEAR},
        {"zip", "036 100", KAN_RULE_FOUND},
        {"zip", "893* 100*", KAN_RULE_FOUND},
        {"zip", "36 100", KAN_RULE_FOUND},
        {"zip", "21 100", KAN_RULE_UNDECIDED},
        {"zip", "601 602", KAN_RULE_UNDECIDED},
        {"zip", "3601 10001", KAN_RULE_FOUND},
        {"zip", "10001-1234", KAN_RULE_FOUND},
        {"zip", "100 Boston", KAN_RULE_UNDECIDED},
        {"sex", "m f x", KAN_RULE_CLEAR},
        {"sex", "m f Smith", KAN_RULE_UNDECIDED},
        {"household_id", "1 1 2 2", KAN_RULE_UNDECIDED},
        {"state", "CA TX", KAN_RULE_CLEAR},
        {"location", "LA NY", KAN_RULE_UNDECIDED},
        {"city", "LA NY", KAN_RULE_FOUND},
        {"John_Smith", "yes no yes no", KAN_RULE_UNDECIDED},
        {"078-05-1120", "yes no yes no", KAN_RULE_FOUND},
        {"treated", "yes no yes no", KAN_RULE_CLEAR},
        {"has_octuplets", "yes no no no", KAN_RULE_UNDECIDED},
        {"phone", "* *", KAN_RULE_CLEAR},
        {"remark", "seen_by_the_nurse moved_to_the_third_floor_at_night_by_two",
         KAN_RULE_UNDECIDED},
        {"income", "20500 3601", KAN_RULE_UNDECIDED},
        {"anything", "1 2 3", KAN_RULE_UNDECIDED},
        {"diagnosis", "E11.9 E11.9 C34 C34", KAN_RULE_CLEAR},
        {"diagnosis", "Smith Smith Jones Jones", KAN_RULE_UNDECIDED},
        {"bmi", "21.5 24.0", KAN_RULE_CLEAR},
        {"bmi", "21,5 24,0", KAN_RULE_CLEAR},
        {"bmi", "123,456 123,457", KAN_RULE_UNDECIDED},
        {"height", "48.137154 11.575490", KAN_RULE_UNDECIDED},
        {"bmi", "21.5 078051120", KAN_RULE_UNDECIDED},
        {"bmi", "[20..21] [22..24] [20..21] [22..24]", KAN_RULE_CLEAR},
        {"bmi", "[78051120..78051121] 21", KAN_RULE_UNDECIDED},
        {"bmi", "[036..037] 21.5", KAN_RULE_UNDECIDED},
        {"height", "[48.137154..48.137155] 1.5", KAN_RULE_FOUND},
        {"zip", "36** 100**", KAN_RULE_UNDECIDED},
        {"zip", "36* 100*", KAN_RULE_UNDECIDED},
        {"zip", "1**** 100**", KAN_RULE_UNDECIDED},
        {"year_of_birth", "[1980.20..1980.21] 1990", KAN_RULE_UNDECIDED},
        {"year_of_birth", "[1980..1989] 1990", KAN_RULE_CLEAR},
        {"age", "[30.25..30.5] 40", KAN_RULE_UNDECIDED},
        {"age", "[30..39] 40", KAN_RULE_CLEAR},
        {"E11", "yes no yes no", KAN_RULE_UNDECIDED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", cases[i].name);
        const kan_rule_column column = judge(name, cases[i].values, 2026);
        /* age_id and household_id: numbers by name are no clear columns, whichever they are */
        const bool is_id = strstr(name, "_id") != NULL;
        if (is_id ? column.verdict == KAN_RULE_CLEAR : column.verdict != cases[i].verdict)
            fail_msg("%s of %s: %s, %s", cases[i].name, cases[i].values,
                     kan_rule_verdict_word(column.verdict), column.reason);
    }
}

/* A word beside a measure makes it something else: a place, a day, a number of somebody. */
static void only_whole_names_make_small_numbers_clear(void **state) {
    static const struct {
        const char *values, *clear, *undecided; /* names, blank-separated */
    } cases[] = {
        {"71 95 71 95 68 68", "weight patient_weight Weight bmi systolic_bp heartRate",
         "diagnosis_patient surgery_case therapy_chart diagnosis_years surgery_mon dx_wk "
         "treatment_center weight_center height_id weight_day diagnosis treatment vaccine_batch "
         "weight2 patient"},
        {"1 2 3 1 2 3", "sex gender race marital_status education education_years patient_sex",
         "household school school_name school_district university college education_place "
         "ethnic_area sex_doctor family_number children father_race mother_education degree"},
        {"1 0 1 0", "treated has_diabetes diabetes PatientDied smoker sex",
         "boston z03601 dr_meier a_b is_smith st_marys_hospital smith.john ward_7 patient_id room"},
        {"C34 E11.9 C34 E11.9", "diagnosis patient_diagnosis icd_10 dx",
         "treatment_room surgery_bed diagnosis_ward illness_unit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned is_clear = 0; is_clear < 2; is_clear++)
            for (const char *at = is_clear ? cases[i].clear : cases[i].undecided; *at;) {
                char name[64];
                const size_t size = strcspn(at, " ");
                snprintf(name, sizeof name, "%.*s", (int)size, at);
                const kan_rule_column column = judge(name, cases[i].values, 2026);
                if ((column.verdict == KAN_RULE_CLEAR) != is_clear)
                    fail_msg("%s of %s: %s, %s", name, cases[i].values,
                             kan_rule_verdict_word(column.verdict), column.reason);
                at += size + (at[size] == ' ');
            }
}

static void years_need_the_day_of_release(void **state) {
    (void)state;
    const kan_rule_column column = judge("year_of_birth", "1990 1991", 0);
    assert_int_equal(column.verdict, KAN_RULE_UNDECIDED);
    assert_true(column.lacks_date);
}

static void caps_are_ends_and_not_values(void **state) {
    static const struct {
        const char *values;
        kan_rule_verdict verdict;
    } cases[] = {{"30 79", KAN_RULE_CLEAR},         {"30 >=80", KAN_RULE_CLEAR},
                 {"30 80", KAN_RULE_FOUND},         {"30 >=85", KAN_RULE_FOUND},
                 {"19 30", KAN_RULE_FOUND},         {"<20 30", KAN_RULE_CLEAR},
                 {"<15 30", KAN_RULE_FOUND},        {"70-85 30", KAN_RULE_UNDECIDED},
                 {"thirty 30", KAN_RULE_UNDECIDED}, {"* 30", KAN_RULE_CLEAR}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_run *run = kan_run_create();
        const char *name = "x";
        kan_table *table;
        assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
        for (const char *at = cases[i].values; *at;) {
            char value[64];
            const char *cell = value;
            const size_t size = strcspn(at, " ");
            snprintf(value, sizeof value, "%.*s", (int)size, at);
            assert_int_equal(kan_table_add_row(table, &cell), KAN_OK);
            at += size + (at[size] == ' ');
        }
        assert_int_equal(kan_table_seal(table), KAN_OK);
        if (kan_rule_judge_cap(&table->columns[0], 20, 80) != cases[i].verdict)
            fail_msg("%s", cases[i].values);
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
}

/* ---- the list of areas ---------------------------------------------------------------------- */

static void the_list_that_ships_is_the_one_in_the_program(void **state) {
    char path[512], text[4096];
    kan_zip_areas shipped, read;
    kan_run *run = kan_run_create();
    (void)state;
    snprintf(path, sizeof path, "%s/../rules/zip3-2000.txt", KANON_TESTS_DIR);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    kan_zip_areas_shipped(&shipped);
    assert_int_equal(kan_zip_areas_read(run, path, (kan_slice){text, size}, &read), KAN_OK);
    assert_string_equal(read.census, shipped.census);
    assert_memory_equal(read.is_small, shipped.is_small, sizeof read.is_small);
    assert_int_not_equal(kan_zip_areas_read(run, "x", S("036\n"), &read), KAN_OK);
    assert_int_not_equal(kan_zip_areas_read(run, "x", S("census: 2020\n"), &read), KAN_OK);
    assert_int_not_equal(kan_zip_areas_read(run, "x", S("census: 2020\n36\n"), &read), KAN_OK);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_found_within_texts),
        cmocka_unit_test(closed_sets_have_nothing_but_their_own),
        cmocka_unit_test(every_kind_is_known_by_its_names),
        cmocka_unit_test(names_of_other_things_speak_of_nothing),
        cmocka_unit_test(boundaries_are_where_the_rule_has_them),
        cmocka_unit_test(only_whole_names_make_small_numbers_clear),
        cmocka_unit_test(years_need_the_day_of_release),
        cmocka_unit_test(caps_are_ends_and_not_values),
        cmocka_unit_test(the_list_that_ships_is_the_one_in_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
