/* The door of analyze/rules: rules that a table is held against, such as a list of identifiers that
 * a law names, and what each column of a table says about them.
 *
 * A rule is one constant and one line of rule_list.c, or a file of an office (job/rules). Nothing here
 * is certain that a program cannot be certain of: a column is *clear* only where each of its values
 * belongs to a closed set that cannot hold an identifier; what is not clear and no identifier for sure
 * is for a person to decide. May touch core, data and analyze/profile. */
#ifndef KANON_ANALYZE_RULES_RULES_H
#define KANON_ANALYZE_RULES_RULES_H

#include "analyze/profile/profile.h"

/* ---- kinds of identifiers ------------------------------------------------------------------- */

/* In the order of 45 CFR 164.514(b)(2)(i), which calls them (A) to (R). */
typedef enum kan_id_kind {
    KAN_ID_NAME,
    KAN_ID_PLACE,
    KAN_ID_DATE, /* finer than a year, and what tells an age above 89 */
    KAN_ID_PHONE,
    KAN_ID_FAX,
    KAN_ID_EMAIL,
    KAN_ID_SOCIAL,
    KAN_ID_RECORD,
    KAN_ID_PLAN,
    KAN_ID_ACCOUNT,
    KAN_ID_LICENSE,
    KAN_ID_VEHICLE,
    KAN_ID_DEVICE,
    KAN_ID_URL,
    KAN_ID_IP,
    KAN_ID_BIOMETRIC,
    KAN_ID_PHOTO,
    KAN_ID_OTHER,
    KAN_ID_KINDS
} kan_id_kind;

#define KAN_ID_BIT(kind) (1u << (kind))
enum { KAN_ID_ALL = (1 << KAN_ID_KINDS) - 1, KAN_ID_OLDEST = 89 };

typedef struct kan_id_word {
    const char *name;  /* "medical-record": results and rule files call it so */
    const char *title; /* "medical record numbers" */
} kan_id_word;

const kan_id_word *kan_id_word_of(kan_id_kind kind);
/* The kind of that name; KAN_ID_KINDS: there is none. */
kan_id_kind kan_id_kind_find(const char *name);

/* ---- rules ---------------------------------------------------------------------------------- */

/* A setting that the promise is made of: k=12. */
typedef struct kan_rule_promise {
    const char *setting, *value;
} kan_rule_promise;

/* NAME=LOW..HIGH, as --cap writes it. */
typedef struct kan_rule_cap {
    const char *column, *range;
} kan_rule_cap;

enum { KAN_RULE_PROMISES = 8, KAN_RULE_COLUMNS = 64, KAN_RULE_LEFT = 8 };

typedef struct kan_rule {
    const char *name, *title;
    const char *source; /* where it stands */
    const char *date;   /* of the text: 2013-06-07 */
    const char *text;   /* what it says, in words of its own */
    const char *by;     /* who says so; NULL: the source does */
    unsigned kinds;     /* KAN_ID_BIT of what no column may hold */
    kan_rule_promise promise[KAN_RULE_PROMISES];
    const char *promise_note; /* what is easily got wrong; NULL: nothing */
    bool needs_weights;       /* --sampling-weight: its promise means little without */
    /* By name; each list ends with NULL. */
    const char *qi[KAN_RULE_COLUMNS + 1];   /* the promise is about them */
    const char *drop[KAN_RULE_COLUMNS + 1]; /* no release has them */
    const char *keep[KAN_RULE_COLUMNS + 1]; /* decided on by who made the rule */
    kan_rule_cap caps[KAN_RULE_COLUMNS + 1];
    const char *left[KAN_RULE_LEFT + 1]; /* what remains for a person, in words */
} kan_rule;

const kan_rule *kan_rule_find(const char *name);
/* By number; NULL behind the last. */
const kan_rule *kan_rule_at(size_t index);

extern const kan_rule kan_rule_hipaa, kan_rule_ema, kan_rule_hdx;

/* ---- areas of few people -------------------------------------------------------------------- */

/* Initial three digits of ZIP codes whose areas have 20,000 people or fewer. */
typedef struct kan_zip_areas {
    char census[40];
    bool is_small[1000];
} kan_zip_areas;

/* The list that kanon ships: rules/zip3-2000.txt has the same. */
void kan_zip_areas_shipped(kan_zip_areas *out);
/* Reads such a list: `census: 2000`, then three digits per line; # begins a comment. KAN_BAD_INPUT
 * with file, line and remedy. */
KAN_MUST_USE kan_status kan_zip_areas_read(kan_run *run, const char *path, kan_slice text,
                                           kan_zip_areas *out);

/* ---- values --------------------------------------------------------------------------------- */

/* The kinds that stand anywhere in a value for sure: an e-mail address in a text. */
unsigned kan_rule_kinds_in(kan_slice value);

/* Closed sets that a value may belong to; a word may belong to several: `other`. */
enum {
    KAN_CLOSED_BLANK = 1 << 0, /* missing, or * */
    KAN_CLOSED_FLAG = 1 << 1,  /* yes, no */
    KAN_CLOSED_SEX = 1 << 2,
    KAN_CLOSED_RACE = 1 << 3,
    KAN_CLOSED_FAMILY = 1 << 4,    /* single, married */
    KAN_CLOSED_PLACE = 1 << 5,     /* states and countries */
    KAN_CLOSED_DIAGNOSIS = 1 << 6, /* C34, E11.9 */
    KAN_CLOSED_RANGE = 1 << 7,     /* numbers: 34, 30-39, [30..39], 90+, >=90, <20 */
    KAN_CLOSED_DAYS = 1 << 8       /* whole years: <1937-01-01, [1990-01-01..1999-12-31] */
};

typedef struct kan_closed_value {
    unsigned sets; /* KAN_CLOSED_; 0: anything else */
    /* Of a RANGE, and of DAYS as years; both are in it, and without a bound -INFINITY, INFINITY. */
    double low, high;
    unsigned digits;   /* before the point of a single number; 0: it is none */
    unsigned decimals; /* behind the point; the most, where there are two numbers */
    bool has_fraction, begins_with_zero;
} kan_closed_value;

void kan_closed_read(kan_slice value, kan_closed_value *out);

/* The first digits of a ZIP code and how many are shown: 036, 036**, 036*, 03601, 03601-1234, 000.
 * False: it is none. */
bool kan_zip_read(kan_slice value, unsigned *digits, unsigned *n_shown);

/* ---- columns -------------------------------------------------------------------------------- */

typedef enum kan_rule_verdict {
    KAN_RULE_CLEAR,
    KAN_RULE_UNDECIDED, /* a person has to look */
    KAN_RULE_FOUND      /* the rule does not allow it */
} kan_rule_verdict;

const char *kan_rule_verdict_word(kan_rule_verdict verdict);

/* What speaks for a kind. */
typedef enum kan_rule_by { KAN_RULE_BY_NAME, KAN_RULE_BY_LABEL, KAN_RULE_BY_VALUES } kan_rule_by;
const char *kan_rule_by_word(kan_rule_by by);

enum { KAN_RULE_REASON = 200 };

typedef struct kan_rule_finding {
    kan_rule_verdict verdict; /* CLEAR: nothing speaks for it */
    kan_rule_by by;
    char reason[KAN_RULE_REASON]; /* without a value of the table */
} kan_rule_finding;

typedef struct kan_rule_column {
    const char *name; /* borrowed */
    kan_rule_verdict verdict;
    char reason[KAN_RULE_REASON]; /* why the whole is clear or undecided */
    bool is_text;                 /* free text: nobody's reading makes it clear */
    bool is_reviewed;             /* it is clear because somebody said so */
    bool lacks_date;              /* --release-date would decide */
    bool is_small_area;           /* ZIP codes of areas with few people are among it */
    kan_rule_finding kinds[KAN_ID_KINDS];
} kan_rule_column;

/* What a column is asked with. */
typedef struct kan_rule_question {
    const kan_rule *rule;
    const kan_column *column; /* encoded, with all its values; NULL: it cannot be read */
    const kan_profile_column *profile;
    const char *label;             /* of the column; NULL: none */
    const kan_slice *value_labels; /* of its codes */
    size_t n_value_labels;
    const kan_slice *hidden; /* values that the file has, and that are read as missing */
    size_t n_hidden;
    const kan_zip_areas *areas;
    int release_year; /* 0: not known */
    size_t skip;      /* kan_profile_common of the names */
} kan_rule_question;

/* Judges it by the kinds of its rule. Does not know what a person has decided. O(bytes of the different
 * values). */
KAN_MUST_USE kan_status kan_rule_judge(kan_run *run, const kan_rule_question *question,
                                       kan_rule_column *out);
/* The same of a cap: FOUND where a value beyond it is shown, UNDECIDED where some are no numbers. */
kan_rule_verdict kan_rule_judge_cap(const kan_column *column, double low, double high);

/* What a name speaks for. */
typedef struct kan_name_kinds {
    unsigned strong, weak; /* KAN_ID_BIT: for sure, and perhaps */
    uint32_t meanings;     /* KAN_WORD_ of profile */
    bool names_state;      /* a state or a country */
} kan_name_kinds;

kan_name_kinds kan_rule_name_kinds(const char *name, size_t skip);

/* What whole names say for sure (rule_names.c). */
typedef enum kan_rule_names {
    KAN_NAMES_MEASURE, /* weight, patient_height */
    KAN_NAMES_SEX,
    KAN_NAMES_RACE,
    KAN_NAMES_FAMILY,
    KAN_NAMES_EDUCATION,
    KAN_NAMES_DIAGNOSIS
} kan_rule_names;

/* Whether the name is one of them, with no word beside it but whose it is: patient. */
bool kan_rule_is_called(kan_rule_names names, const char *name);
/* Whether each of its words is known, and names nobody and no place: has_diabetes. */
bool kan_rule_is_flag_name(const char *name);

#endif
