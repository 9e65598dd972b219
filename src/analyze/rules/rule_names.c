/* Names of columns that say for sure what the values are: whole names, and no word beside them. A weight is
 * a weight, while a weight_centre is a place. A name that is missing here costs a person a look; one too
 * many could clear a column of another kind, so that no list has words with a second meaning. */
#include "analyze/rules/rules.h"
#include "core/signs.h"

enum { MOST_NAME = 80 };

/* |name|name|: lower case, nothing between the words. */
static const char *const whole_names[] = {
    [KAN_NAMES_MEASURE] =
        "|weight|weightkg|weightlb|weightlbs|bodyweight|birthweight|gewicht|koerpergewicht|poids|"
        "height|heightcm|heightin|bodyheight|koerpergroesse|bmi|bodymassindex|glucose|"
        "bloodglucose|fastingglucose|bloodsugar|cholesterol|totalcholesterol|hdl|ldl|"
        "hdlcholesterol|ldlcholesterol|triglycerides|hba1c|a1c|creatinine|serumcreatinine|egfr|"
        "hemoglobin|haemoglobin|hematocrit|haematocrit|bloodpressure|systolic|diastolic|"
        "systolicbloodpressure|diastolicbloodpressure|bloodpressuresystolic|"
        "bloodpressurediastolic|systolicbp|diastolicbp|bpsystolic|bpdiastolic|sbp|dbp|blutdruck|"
        "heartrate|pulserate|respiratoryrate|temperature|bodytemperature|oxygensaturation|spo2|"
        "sodium|potassium|calcium|albumin|bilirubin|crp|",
    [KAN_NAMES_SEX] = "|sex|gender|geschlecht|sexe|sexo|sesso|sexcode|gendercode|",
    [KAN_NAMES_RACE] = "|race|ethnicity|raceethnicity|ethnicgroup|racecode|ethnicitycode|",
    [KAN_NAMES_FAMILY] = "|marital|maritalstatus|familystatus|civilstatus|familienstand|"
                         "maritalcode|maritalstatuscode|estadocivil|etatcivil|statocivile|",
    [KAN_NAMES_EDUCATION] = "|education|educationlevel|leveleducation|educationyears|"
                            "yearsofeducation|educationnum|educationcode|"
                            "educationalattainment|bildungsabschluss|",
    [KAN_NAMES_DIAGNOSIS] =
        "|diagnosis|diagnoses|diag|dx|primarydiagnosis|secondarydiagnosis|maindiagnosis|"
        "admissiondiagnosis|dischargediagnosis|diagnosiscode|diagcode|dxcode|icd|icd10|icd9|"
        "icdcode|icd10code|icd10gm|icd10cm|diagnose|hauptdiagnose|nebendiagnose|disease|"
        "diagnostico|diagnosi|",
};

/* Words that flags are called by, none of which names anybody or a place. */
static const char flag_words[] =
    "|is|has|had|have|any|ever|current|currently|former|past|prior|previous|history|of|with|"
    "without|and|or|not|patient|treated|treatment|therapy|surgery|operated|operation|vaccinated|"
    "vaccination|vaccine|medicated|medication|drug|drugs|diabetes|diabetic|hypertension|"
    "hypertensive|asthma|asthmatic|cancer|tumor|tumour|copd|stroke|infarction|depression|anxiety|"
    "dementia|obesity|obese|overweight|smoker|smoking|smokes|smoked|alcohol|drinker|drinking|"
    "pregnant|pregnancy|died|dead|deceased|death|alive|survived|survival|event|outcome|censored|"
    "relapse|recurrence|readmitted|readmission|admitted|hospitalized|hospitalised|emergency|"
    "inpatient|outpatient|icu|intubated|ventilated|dialysis|fever|cough|nausea|vomiting|headache|"
    "infection|infected|sepsis|positive|negative|tested|screened|screening|symptom|symptoms|"
    "symptomatic|chronic|acute|severe|mild|complication|complications|allergy|allergic|insulin|"
    "aspirin|statin|metformin|steroid|steroids|antibiotic|antibiotics|chemotherapy|radiotherapy|"
    "transfusion|transplant|amputation|fracture|anemia|anaemia|epilepsy|arthritis|hepatitis|"
    "pneumonia|tuberculosis|malaria|hiv|covid|influenza|disabled|disability|exposed|exposure|"
    "control|placebo|randomized|randomised|consent|consented|employed|unemployed|employment|"
    "retired|insured|uninsured|married|divorced|widowed|male|female|citizen|veteran|urban|rural|"
    "homeless|flag|indicator|behandelt|raucher|verstorben|schwanger|geimpft|";

static bool is_between(char c) {
    return c == '_' || c == '-' || c == '.' || c == ' ';
}

/* Whether the text stands in the list. */
static bool is_listed(const char *list, const char *text, size_t size) {
    char framed[MOST_NAME + 3];
    if (size == 0 || size > MOST_NAME)
        return false;
    framed[0] = framed[size + 1] = '|';
    memcpy(framed + 1, text, size);
    framed[size + 2] = '\0';
    return strstr(list, framed) != NULL;
}

static char lowered(char c) {
    return kan_is_capital(c) ? (char)(c | 0x20) : c;
}

bool kan_rule_is_called(kan_rule_names names, const char *name) {
    char folded[MOST_NAME + 1];
    size_t n = 0;
    for (; *name; name++) {
        if (is_between(*name))
            continue;
        if (n == MOST_NAME || *name == '|')
            return false;
        folded[n++] = lowered(*name);
    }
    static const char owner[] = "patient"; /* patient_weight is one, too */
    const size_t skip = n > strlen(owner) && memcmp(folded, owner, strlen(owner)) == 0;
    return is_listed(whole_names[names], folded, n) ||
           (skip && is_listed(whole_names[names], folded + strlen(owner), n - strlen(owner)));
}

bool kan_rule_is_flag_name(const char *name) {
    char word[MOST_NAME + 1];
    size_t n = 0, n_words = 0;
    for (const char *at = name;; at++) {
        const bool is_hump = at > name && kan_is_capital(*at) && n > 0 && !kan_is_capital(at[-1]);
        if (!*at || is_between(*at) || is_hump) {
            if (n > 0 && !is_listed(flag_words, word, n))
                return false;
            n_words += n > 0;
            n = 0;
        }
        if (!*at)
            return n_words > 0;
        if (is_between(*at))
            continue;
        if (n == MOST_NAME || *at == '|')
            return false;
        word[n++] = lowered(*at);
    }
}
