/* What the name of a column says, in several languages.
 *
 * A name is folded first: letters in lower case and without accents, cut into words at everything
 * that is no letter and where a small letter meets a capital one (birthDate, native-country). A
 * term fits when it is one of the words, or the name without its gaps ("dateofbirth"); a stem, when
 * the name without gaps contains it ("geburtsdatum"). Terms of other scripts are looked for in the
 * name as it is. Of all terms that fit, the first in the order of the table counts. */
#include "analyze/profile.h"

enum { MOST_NAME = 128 };

typedef struct {
    kan_role role;
    bool is_weak;
    const char *what;
    const char *words; /* blank-separated */
    const char *stems;
} term;

static const term terms[] = {
    {KAN_ROLE_ID, false, "a person's name",
     "surname firstname lastname fullname forename givenname familyname vorname nachname prenom "
     "apellido apellidos cognome sobrenome achternaam voornaam imie nazwisko efternavn fornamn "
     "username initials",
     "surname lastname firstname personname patientname familienname nomdefamille фамилия 姓名 "
     "氏名"},
    {KAN_ROLE_ID, false, "a number given to one person",
     "ssn nin nino nhs mrn passport pesel cpf dni nif siren bsn personnummer uuid guid",
     "socialsecurity passport reisepass versichertennummer sozialversicherung steuernummer "
     "insurancenumber insuranceno driverslicen driverlicen fiscalcode codicefiscale nationalid "
     "patientid patientnumber patientno personid employeeid customerid memberid 身份证 паспорт"},
    {KAN_ROLE_ID, false, "a way to reach somebody",
     "email mail phone telephone tel mobile cell telefon telefono fax handy url website twitter "
     "address addr adresse direccion indirizzo endereco adres street strasse strase rue calle",
     "email telephone telefon phonenumber mobilephone streetaddress postaladdress hausnummer "
     "ipaddress macaddress 电话 地址 телефон адрес"},
    {KAN_ROLE_ID, false, "an account", "iban bic account konto kontonummer creditcard login",
     "accountnumber kontonummer creditcard cardnumber licenseplate kennzeichen"},
    {KAN_ROLE_QUASI, false, "a date of birth", "dob yob bday born birthday",
     "birth geburt nacimiento naissance nascita nascimento geboorte urodzen fodsel fodels syntym "
     "dogum 出生 生年 рожден"},
    {KAN_ROLE_QUASI, false, "an age",
     "age ages alter edad eta idade leeftijd wiek alder ika yas agegroup",
     "ageyears ageinyears "
     "agegroup altersgruppe 年龄 年齢 возраст"},
    {KAN_ROLE_QUASI, false, "a sex or gender",
     "sex gender sexo sexe sesso genero geschlecht geslacht plec kon kjonn sukupuoli cinsiyet",
     "gender geschlecht 性别 性別"},
    {KAN_ROLE_QUASI, false, "a postcode", "zip plz postcode zipcode postal cep postnr pincode",
     "zipcode postcode postleitzahl "
     "codigopostal codepostal codicepostale postnummer postalcode 邮编 郵便番号 индекс"},
    {KAN_ROLE_QUASI, false, "where somebody lives or comes from",
     "city town county state region country district province municipality village suburb "
     "neighborhood neighbourhood stadt wohnort ort land bundesland kreis landkreis gemeinde ville "
     "pays departement ciudad pais provincia municipio comune citta regione cidade estado stad "
     "provincie gemeente nation nationality citizenship miasto kraj lat lon lng latitude longitude",
     "country residence residenz nationalit nacionalidad staatsangeh citizenship birthplace "
     "latitude longitude geolocation hometown censustract 城市 国籍 страна город"},
    {KAN_ROLE_QUASI, false, "a race or ethnicity",
     "race ethnicity ethnic raza raca hispanic ethnie tribe caste", "ethnic hispanic 民族"},
    {KAN_ROLE_QUASI, false, "an education",
     "education educ school degree educacion istruzione escolaridade opleiding diploma "
     "qualification schulabschluss",
     "educat bildung schulabschluss 学历 образован"},
    {KAN_ROLE_QUASI, false, "an occupation",
     "occupation job jobtitle beruf profession metier profesion ocupacion professione beroep zawod "
     "workclass employer arbeitgeber industry rank",
     "occupat profess employer workclass jobtitle "
     "职业 職業 професси"},
    {KAN_ROLE_QUASI, false, "a marital status or family",
     "marital married relationship household children kids kinder enfants hijos spouse partner "
     "dependents siblings",
     "marital marriage familienstand etatcivil estadocivil statocivil "
     "burgerlijk zivilstand household familysize haushalt 婚姻"},
    {KAN_ROLE_SENSITIVE, false, "something about somebody's health",
     "hiv icd icd10 icd9 cancer tumor tumour drug drugs bmi cholesterol glucose therapy surgery",
     "diagnos disease illness krankheit maladie enfermedad malattia doenca health gesundheit "
     "medication treatment therap symptom disorder pregnan disabilit handicap genetic injur "
     "bloodpressure bloodtype alcohol smok suicid mortality 诊断 疾病 диагноз"},
    {KAN_ROLE_SENSITIVE, false, "somebody's money",
     "income salary wage wages pay earnings debt loan credit balance einkommen gehalt lohn revenu "
     "salaire ingreso ingresos sueldo stipendio reddito renda salario inkomen loon dochod tax",
     "income salary einkommen gehalt salaire ingresos earning creditscore capitalgain capitalloss "
     "networth 收入 工资 年収 зарплат"},
    {KAN_ROLE_SENSITIVE, false, "a belief, an orientation or a conviction",
     "religion faith church crime offence offense arrest orientation vote voted",
     "religio konfession politic crimin convict sexualorient tradeunion gewerkschaft 宗教"},
    {KAN_ROLE_ID, true, "a name", "name nom nome nombre naam nazwa navn namn nimi", "имя"},
    {KAN_ROLE_ID, true, "a number given to one person",
     "id ids identifier key uid pid nr no num number code serial index rowid record", "identifier"},
    {KAN_ROLE_QUASI, true, "something that can be seen or is told to others",
     "language sprache langue idioma height veteran religion vehicle car model plate eye hair",
     "language"},
};

/* ---- folding -------------------------------------------------------------------------------- */

/* The plain letter of U+00C0 .. U+017F where there is one, by the second byte of its UTF-8. */
static char plain_letter(unsigned char lead, unsigned char next) {
    static const char latin[] = "aaaaaaaceeeeiiiidnooooo ouuuuypsaaaaaaaceeeeiiiidnooooo ouuuuypy";
    static const char extended[] = "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllll"
                                   "lllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzz"
                                   "zzs";
    if (lead == 0xc3)
        return latin[next & 0x3f];
    const size_t at = (size_t)((lead - 0xc4) * 64 + (next & 0x3f));
    return at < sizeof extended - 1 ? extended[at] : ' ';
}

typedef struct {
    char words[MOST_NAME];  /* " native country " */
    char joined[MOST_NAME]; /* "nativecountry" */
} folded_name;

static bool is_small(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool begins_word(const char *name, size_t at) {
    return at > 0 && is_capital(name[at]) && is_small(name[at - 1]);
}

static void fold(const char *name, folded_name *out) {
    size_t n = 0, n_joined = 0;
    out->words[n++] = ' ';
    for (size_t i = 0; name[i] && n < MOST_NAME - 4; i++) {
        const unsigned char c = (unsigned char)name[i], next = (unsigned char)name[i + 1];
        char letter = ' ';
        if (is_capital(name[i]))
            letter = (char)(c | 0x20);
        else if (is_small(name[i]) || (c >= '0' && c <= '9'))
            letter = name[i];
        else if (c >= 0xc3 && c <= 0xc5 && (next & 0xc0) == 0x80) {
            letter = plain_letter(c, next);
            i++;
        }
        if (begins_word(name, i) && out->words[n - 1] != ' ')
            out->words[n++] = ' ';
        if (letter != ' ' || out->words[n - 1] != ' ')
            out->words[n++] = letter;
        if (letter != ' ')
            out->joined[n_joined++] = letter;
    }
    if (out->words[n - 1] != ' ')
        out->words[n++] = ' ';
    out->words[n] = '\0';
    out->joined[n_joined] = '\0';
}

/* ---- terms ---------------------------------------------------------------------------------- */

/* The next of blank-separated terms; false at the end. */
static bool next_term(const char **list, char room[MOST_NAME]) {
    *list += strspn(*list, " ");
    const size_t size = strcspn(*list, " ");
    if (size == 0 || size >= MOST_NAME - 2)
        return false;
    memcpy(room, *list, size);
    room[size] = '\0';
    *list += size;
    return true;
}

static bool has_word(const folded_name *name, const char *words) {
    char word[MOST_NAME], in_blanks[MOST_NAME + 2];
    while (next_term(&words, word)) {
        const size_t size = strlen(word);
        in_blanks[0] = ' ';
        memcpy(in_blanks + 1, word, size);
        memcpy(in_blanks + 1 + size, " ", 2);
        if (strstr(name->words, in_blanks) || strcmp(name->joined, word) == 0)
            return true;
    }
    return false;
}

static bool has_stem(const folded_name *folded, const char *name, const char *stems) {
    char stem[MOST_NAME];
    while (next_term(&stems, stem))
        if (strstr((unsigned char)stem[0] < 0x80 ? folded->joined : name, stem))
            return true;
    return false;
}

kan_profile_hint kan_profile_name_hint(const char *name, size_t skip) {
    folded_name whole, rest;
    fold(name, &whole);
    fold(name + skip, &rest);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        const term *t = &terms[i];
        if (has_word(&whole, t->words) || has_word(&rest, t->words) ||
            has_stem(&whole, name, t->stems))
            return (kan_profile_hint){t->role, t->is_weak, t->what};
    }
    return (kan_profile_hint){KAN_ROLE_OTHER, false, NULL};
}

size_t kan_profile_common(const char *const *names, size_t n) {
    size_t common = n >= 3 ? strlen(names[0]) : 0;
    for (size_t i = 1; i < n && common > 0; i++) {
        size_t same = 0;
        while (same < common && names[i][same] == names[0][same])
            same++;
        common = same;
    }
    for (size_t i = 0; i < n && common > 0; i++)
        if (strlen(names[i]) < common + 2)
            common = strlen(names[i]) >= 2 ? strlen(names[i]) - 2 : 0;
    /* Not into the middle of a character. */
    while (common > 0 && ((unsigned char)names[0][common] & 0xc0) == 0x80)
        common--;
    return common;
}
