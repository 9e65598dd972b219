/* Whatever kind of identifier a column holds, under whatever name, it is never clear: values of all
 * eighteen kinds under names of their own, under names that are changed as people change them, under
 * names of columns that would be clear, and a single one among values that are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/rules.h"
#include "core/run.h"

enum { ROWS = 40, ROOM = 80, ROUNDS = 40 };

static uint64_t state_of_chance = 88172645463325252u;

static unsigned pick(unsigned n) {
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (unsigned)(state_of_chance % n);
}

/* The names of a kind, blank-separated. */
static const char *const names_of[KAN_ID_KINDS] = {
    [KAN_ID_NAME] = "patient_name last_name surname first_name Nachname mother_name",
    [KAN_ID_PLACE] = "street_address home_address city Wohnort county latitude",
    [KAN_ID_DATE] =
        "date_of_birth admission_date discharge_date Geburtsdatum death_date visit_date",
    [KAN_ID_PHONE] = "phone home_phone telephone Telefonnummer mobile_phone",
    [KAN_ID_FAX] = "fax fax_number telefax",
    [KAN_ID_EMAIL] = "email e_mail contact_email email_address",
    [KAN_ID_SOCIAL] = "ssn social_security_number ssn_no",
    [KAN_ID_RECORD] = "mrn medical_record_number patient_id chart_number",
    [KAN_ID_PLAN] = "health_plan_number insurance_number member_id Versichertennummer",
    [KAN_ID_ACCOUNT] = "account_number account_no bank_account Kontonummer",
    [KAN_ID_LICENSE] = "drivers_license license_number certificate_number passport_number",
    [KAN_ID_VEHICLE] = "vin license_plate vehicle_id Kennzeichen",
    [KAN_ID_DEVICE] = "device_serial serial_number implant_id device_id",
    [KAN_ID_URL] = "url homepage website web_url",
    [KAN_ID_IP] = "ip_address ip ipv4",
    [KAN_ID_BIOMETRIC] = "fingerprint voiceprint retina_scan biometric_id",
    [KAN_ID_PHOTO] = "photo face_photo portrait picture",
    [KAN_ID_OTHER] = "study_id uuid pseudonym participant_id",
};

static void make_value(kan_id_kind kind, char out[ROOM]) {
    static const char *const first[] = {"Anna", "Hans", "Maria", "Oluwaseun", "Xenia", "Peter"};
    static const char *const last[] = {"Miller", "Xhosandi", "Garcia", "Nowak", "O'Brien", "Silva"};
    static const char *const streets[] = {"Main Street", "Elm Ave", "Hauptstr.", "rue Cler"};
    const unsigned a = 10000 + pick(90000), b = 1000 + pick(9000), c = 100 + pick(900);
    const unsigned day = 1 + pick(28), month = 1 + pick(12), year = 1920 + pick(100);
    switch (kind) {
    case KAN_ID_NAME:
        snprintf(out, ROOM, "%s %s", first[pick(6)], last[pick(6)]);
        return;
    case KAN_ID_PLACE:
        snprintf(out, ROOM, "%u %s", c, streets[pick(4)]);
        return;
    case KAN_ID_DATE:
        snprintf(out, ROOM, pick(2) ? "%04u-%02u-%02u" : "%04u/%u/%u", year, month, day);
        return;
    case KAN_ID_PHONE:
    case KAN_ID_FAX:
        snprintf(out, ROOM, pick(2) ? "(%u) 555-%u" : "%u-555-%u", c, b);
        return;
    case KAN_ID_EMAIL:
        snprintf(out, ROOM, "%s%u@mail.example.org", first[pick(6)], b);
        return;
    case KAN_ID_SOCIAL:
        snprintf(out, ROOM, pick(2) ? "%03u-%02u-%04u" : "%03u%02u%04u", c, day + 10, b);
        return;
    case KAN_ID_RECORD:
        snprintf(out, ROOM, pick(2) ? "M%u%u" : "%u%u", a, c);
        return;
    case KAN_ID_PLAN:
        snprintf(out, ROOM, "HP-%u-%u", a, b);
        return;
    case KAN_ID_ACCOUNT:
        snprintf(out, ROOM, "%u%u", a, a);
        return;
    case KAN_ID_LICENSE:
        snprintf(out, ROOM, "D%u%u", a, c);
        return;
    case KAN_ID_VEHICLE:
        snprintf(out, ROOM, "1HGCM826%uA%u%03u", 1 + pick(9), b, c);
        return;
    case KAN_ID_DEVICE:
        snprintf(out, ROOM, "SN%u-%u", a, c);
        return;
    case KAN_ID_URL:
        snprintf(out, ROOM, "https://people.example.org/%u", a);
        return;
    case KAN_ID_IP:
        snprintf(out, ROOM, "10.%u.%u.%u", pick(256), pick(256), pick(256));
        return;
    case KAN_ID_BIOMETRIC:
        snprintf(out, ROOM, "print_%u.wsq", a);
        return;
    case KAN_ID_PHOTO:
        snprintf(out, ROOM, "img%u.jpg", a);
        return;
    default:
        snprintf(out, ROOM, "X%u-%u", a, b);
        return;
    }
}

/* What would be clear, and a name under which it is. */
static const struct {
    const char *name, *values;
} clean[] = {{"sex", "m f"},
             {"age", "34 35 77 90+"},
             {"year_of_birth", "1950 1990 2001"},
             {"zip", "100 021 787"},
             {"diagnosis", "E11.9 C34"},
             {"weight", "71.5 80.0 65.5"},
             {"state", "CA TX NY"},
             {"race", "white black"},
             {"treated", "yes no"},
             {"marital_status", "single married"}};
enum { CLEAN = sizeof clean / sizeof *clean };

static void word_of(const char *list, unsigned which, char out[ROOM]) {
    const char *at = list;
    for (; which > 0; which--)
        at += strcspn(at, " ") + 1;
    snprintf(out, ROOM, "%.*s", (int)strcspn(at, " "), at);
}

static unsigned words_in(const char *list) {
    unsigned n = 1;
    for (; *list; list++)
        n += *list == ' ';
    return n;
}

/* As people write names: capitals, blanks, points, humps, something before or behind. */
static void change_name(char name[ROOM]) {
    char made[ROOM];
    size_t n = 0;
    const unsigned way = pick(7);
    bool is_start = false;
    for (const char *at = name; *at && n + 1 < sizeof made; at++) {
        const bool is_joint = *at == '_';
        if (is_joint && way == 2) {
            is_start = true;
            continue;
        }
        made[n++] = is_joint   ? (way == 0   ? ' '
                                  : way == 1 ? '.'
                                             : '_')
                    : way == 3 ? (char)toupper((unsigned char)*at)
                    : is_start ? (char)toupper((unsigned char)*at)
                               : *at;
        is_start = false;
    }
    made[n] = '\0';
    snprintf(name, ROOM, way == 4 ? "pt_%s" : way == 5 ? "%s_1" : "%s", made);
}

static kan_rule_column judge(const char *name, char values[ROWS][ROOM]) {
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_profile_column profile;
    kan_rule_column out;
    kan_zip_areas areas;
    kan_zip_areas_shipped(&areas);
    assert_non_null(run);
    assert_int_equal(kan_table_create(run, 1, &name, &table), KAN_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const char *cell = values[i];
        assert_int_equal(kan_table_add_row(table, &cell), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_profile_column_make(run, &table->columns[0], ROWS, &profile), KAN_OK);
    profile.name = name;
    kan_profile_suggest(&profile, 0);
    const kan_rule_question question = {.rule = &kan_rule_hipaa,
                                        .column = &table->columns[0],
                                        .profile = &profile,
                                        .areas = &areas,
                                        .release_year = 2026};
    assert_int_equal(kan_rule_judge(run, &question, &out), KAN_OK);
    kan_table_destroy(table);
    kan_run_destroy(run);
    return out;
}

static void fill(kan_id_kind kind, char values[ROWS][ROOM]) {
    for (size_t i = 0; i < ROWS; i++)
        make_value(kind, values[i]);
}

static void fill_clean(size_t which, char values[ROWS][ROOM]) {
    const unsigned n = words_in(clean[which].values);
    for (unsigned i = 0; i < ROWS; i++)
        word_of(clean[which].values, i % n, values[i]);
}

static void under_names_of_their_own_all_kinds_are_found(void **state) {
    char values[ROWS][ROOM], name[ROOM];
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
            word_of(names_of[kind], pick(words_in(names_of[kind])), name);
            if (round > 0)
                change_name(name);
            fill((kan_id_kind)kind, values);
            const kan_rule_column column = judge(name, values);
            if (column.verdict != KAN_RULE_FOUND || column.kinds[kind].verdict == KAN_RULE_CLEAR)
                fail_msg("%s: %s as %s, %s", name, kan_rule_verdict_word(column.verdict),
                         kan_id_word_of((kan_id_kind)kind)->name, column.reason);
        }
}

static void under_any_name_none_is_clear(void **state) {
    char values[ROWS][ROOM], name[ROOM];
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
            if (pick(2))
                snprintf(name, sizeof name, "%s", clean[pick(CLEAN)].name);
            else
                snprintf(name, sizeof name, "v%u", pick(100));
            change_name(name);
            fill((kan_id_kind)kind, values);
            if (pick(2)) /* few people, many rows */
                for (size_t i = 2; i < ROWS; i++)
                    memcpy(values[i], values[i % 2], ROOM);
            const kan_rule_column column = judge(name, values);
            if (column.verdict == KAN_RULE_CLEAR)
                fail_msg("%s of %s is clear: %s", name, values[0], column.reason);
        }
}

static void a_single_one_among_clean_values_is_not_clear(void **state) {
    char values[ROWS][ROOM], name[ROOM];
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
            const size_t which = pick(CLEAN);
            snprintf(name, sizeof name, "%s", clean[which].name);
            fill_clean(which, values);
            kan_rule_column column = judge(name, values);
            if (column.verdict != KAN_RULE_CLEAR)
                fail_msg("%s of %s: %s", name, clean[which].values, column.reason);
            make_value((kan_id_kind)kind, values[pick(ROWS)]);
            column = judge(name, values);
            if (column.verdict == KAN_RULE_CLEAR)
                fail_msg("%s with one %s is clear: %s", name,
                         kan_id_word_of((kan_id_kind)kind)->name, column.reason);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_names_of_their_own_all_kinds_are_found),
        cmocka_unit_test(under_any_name_none_is_clear),
        cmocka_unit_test(a_single_one_among_clean_values_is_not_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
