/* The door of analyze/profile: what the columns of a table hold, what part each might play in a
 * release, and which combinations of them single people out. May touch core, data and
 * analyze/verify.
 *
 * Order of calls: kan_profile_column_make for each column, kan_profile_common for the names of all,
 * then kan_profile_suggest. All of it is about raw data: what is kept here of the values is for
 * those who may see the table. */
#ifndef KANON_ANALYZE_PROFILE_PROFILE_H
#define KANON_ANALYZE_PROFILE_PROFILE_H

#include "analyze/profile/profile_words.h"
#include "analyze/profile/subsets.h"
#include "core/hash.h"
#include "data/mixture.h"
#include "data/table.h"

enum {
    KAN_PROFILE_TOP = 5,   /* most frequent values that are kept */
    KAN_PROFILE_BINS = 16, /* of numbers and dates, at most */
    KAN_PROFILE_KEPT = 96  /* bytes of a value that are kept */
};

/* What the values of a column look like, whatever its name. */
typedef enum kan_profile_shape {
    KAN_SHAPE_NONE,
    KAN_SHAPE_EMAIL,
    KAN_SHAPE_UUID,
    KAN_SHAPE_IP,
    KAN_SHAPE_PHONE,
    KAN_SHAPE_SSN,        /* 078-05-1120 */
    KAN_SHAPE_POSTCODE,   /* five digits, some with a leading zero; 12345-6789; EC1A 1BB; K1A 0B1 */
    KAN_SHAPE_OTHER_DATE, /* 31.12.1999, 12/31/1999: dates, but not as kanon reads them */
    KAN_SHAPE_YEAR,       /* whole numbers from 1900 to 2100 */
    KAN_SHAPE_ICD,        /* codes of diagnoses: E11.9 */
    KAN_SHAPE_PROSE,      /* texts of several words */
    KAN_SHAPE_URL,
    KAN_SHAPE_IBAN,
    KAN_SHAPE_COORDINATES, /* 48.1371, 11.5754 */
    KAN_SHAPE_PLACE,       /* states and countries */
    KAN_SHAPE_NAMES,       /* of people */
    KAN_SHAPE_CODES        /* many different ones: P-004711 */
} kan_profile_shape;

/* The beginning of a value. */
typedef struct kan_profile_value {
    char bytes[KAN_PROFILE_KEPT];
    unsigned size;
    bool is_cut; /* the value is longer */
} kan_profile_value;

static inline kan_slice kan_profile_slice(const kan_profile_value *value) {
    return (kan_slice){value->bytes, value->size};
}

/* What names people in a column. */
typedef enum kan_identifier {
    KAN_IDENTIFIER_NONE,
    KAN_IDENTIFIER_NUMBER,  /* given to one person, or to what belongs to one */
    KAN_IDENTIFIER_NAME,    /* several people may have the same */
    KAN_IDENTIFIER_CONTACT, /* several people may share it */
    KAN_IDENTIFIER_TEXT     /* free text, in which anything may stand */
} kan_identifier;

/* How a suggested role is to be taken. Nothing here is certain. */
typedef enum kan_certainty { KAN_PERHAPS, KAN_LIKELY } kan_certainty;

enum { KAN_PROFILE_REASON = 480, KAN_PROFILE_SPEC = 128 };

typedef struct kan_profile_column {
    const char *name; /* borrowed */
    kan_type type;
    bool is_called_text;  /* somebody said so: its values may look like numbers */
    uint32_t n_looked_at; /* where not all values were looked at: how many; 0: all were */
    uint64_t n_rows, n_missing;
    uint32_t n_distinct; /* known values */
    uint64_t n_once;     /* known values that one row has */
    kan_u128 n_together; /* pairs of rows that the column does not tell apart; "" and "?" count as
                            values here */
    unsigned n_top;      /* known values, the most frequent first; equals by value */
    kan_profile_value top[KAN_PROFILE_TOP];
    uint64_t top_rows[KAN_PROFILE_TOP];

    /* Numbers and dates alone. */
    kan_profile_value least, median, greatest; /* median: the least that half of the rows do not
                                                  exceed */
    double least_number, greatest_number;
    bool is_whole; /* all are whole numbers */
    unsigned n_bins;
    uint64_t bins[KAN_PROFILE_BINS]; /* rows in bins of equal width from the least value on */

    kan_mixture mixture; /* dates or numbers, except for the way they are written */
    kan_profile_shape shape;
    unsigned shortest, longest; /* characters of known values */

    /* By kan_profile_suggest. */
    kan_role role; /* id, quasi, sensitive or drop; other: undecided, somebody has to say */
    kan_identifier identifier; /* where the role is id or drop */
    bool is_of_person;         /* of a number: by its name the person's, not that of a case */
    kan_certainty certainty;
    char reason[KAN_PROFILE_REASON]; /* in plain words, without a value of the table */
    char spec[KAN_PROFILE_SPEC];     /* a hierarchy that can be built; quasi-identifiers alone */

    /* Rows that are alone with it and the quasi-identifiers, and those of them that are not without
     * it. Undecided and sensitive columns of tables that are not too large. */
    bool is_risk_known;
    uint64_t n_alone, n_singled;
} kan_profile_column;

/* Known values that are different, as a share of the known rows; 0 when there are none. */
static inline double kan_profile_distinctness(const kan_profile_column *column) {
    const uint64_t n = column->n_rows - column->n_missing;
    return n ? (double)column->n_distinct / (double)n : 0;
}

/* Counts an encoded column of `n_rows` rows. Any thread. O(rows + values). */
KAN_MUST_USE kan_status kan_profile_column_make(kan_run *run, const kan_column *column,
                                                uint64_t n_rows, kan_profile_column *out);

/* What is known of all rows, where a column has some of its values alone, each with all of its rows:
 * of those with n rows a share of 1 - exp(-n clock). */
typedef struct kan_profile_whole {
    double clock;
    uint64_t n_rows, n_missing;
    uint64_t n_distinct, n_once;
    kan_slice least, greatest; /* of numbers and dates; empty: not known */
} kan_profile_whole;

/* The same of such a column. What the whole says stands for itself; the most frequent values have
 * their rows, because of these hardly any is left out; the median and the bins are estimates. */
KAN_MUST_USE kan_status kan_profile_column_make_some(kan_run *run, const kan_column *column,
                                                     const kan_profile_whole *whole,
                                                     kan_profile_column *out);

/* Whether the value is written as names of people are (Anna, "Müller, Hans", DUPONT Marie), and
 * whether a common first or last name stands in it. */
bool kan_profile_is_name_like(kan_slice value);
bool kan_profile_has_common_name(kan_slice value);

/* A state of the USA, Germany, Austria, Switzerland or Canada, or a country: by name or code. */
bool kan_profile_is_place(kan_slice value);

/* What most of the known values look like. */
kan_profile_shape kan_profile_shape_find(const kan_column *column, const kan_profile_column *known);

/* ---- names ---------------------------------------------------------------------------------- */

/* What a name says: a role, and in plain words what the column would hold ("an age"). */
typedef struct kan_profile_hint {
    kan_role role; /* KAN_ROLE_OTHER: the name says nothing */
    bool is_weak;  /* the word has other meanings, too */
    kan_identifier identifier;
    bool is_of_person; /* of a number: the person's, not that of a case */
    bool has_codes;    /* what the name says is often written in codes: places, diagnoses */
    bool is_postcode;
    const char *what;
} kan_profile_hint;

/* What the words of a name mean in a vocabulary, as the names above are taken apart. */
uint32_t kan_profile_name_meanings(const kan_vocabulary *vocabulary, const char *name, size_t skip);

/* `skip`: bytes that all names of the table begin with, see kan_profile_common. */
kan_profile_hint kan_profile_name_hint(const char *name, size_t skip);

/* Bytes that all names begin with, of three names or more; 0 when a name would not be left. */
size_t kan_profile_common(const char *const *names, size_t n);

/* ---- roles ---------------------------------------------------------------------------------- */

/* Fills role, identifier, certainty and reason. */
void kan_profile_suggest(kan_profile_column *column, size_t skip);
/* The same for a column of lists or records, of which nothing is known. */
void kan_profile_suggest_nested(kan_profile_column *column, uint64_t n_rows);
/* For a table where nothing looks like a quasi-identifier: every column that nothing was said about
 * may be one; except many different words, which may be names and stay undecided. */
void kan_profile_suggest_any(kan_profile_column *column);

/* ---- beside the quasi-identifiers ------------------------------------------------------------ */

typedef struct kan_singled_question {
    const kan_table *table; /* fewer than 2^32 rows; the columns below are encoded */
    const size_t *quasi, *others;
    size_t n_quasi, n_others; /* at least one quasi-identifier */
} kan_singled_question;

/* n_with[i]: rows that are alone with the quasi-identifiers and others[i]; *n_before: with the
 * quasi-identifiers and nothing else. Who is alone before stays so: the others are alone by it. */
KAN_MUST_USE kan_status kan_profile_singled(kan_run *run, const kan_singled_question *question,
                                            uint64_t *n_with, uint64_t *n_before);

/* ---- households ----------------------------------------------------------------------------- */

typedef struct kan_profile_households {
    uint64_t n, n_several, n_most; /* households, those of several rows, rows of the largest */
    uint64_t n_rows_without;       /* whose household is empty or unknown: of no household */
} kan_profile_households;

/* Of an encoded column that says which rows are one household's. */
KAN_MUST_USE kan_status kan_profile_households_count(kan_run *run, const kan_column *household,
                                                     kan_profile_households *out);
/* Households in which not all rows have the same value of another column of the table. */
KAN_MUST_USE kan_status kan_profile_households_differ(kan_run *run, const kan_column *household,
                                                      const kan_column *column,
                                                      uint64_t *n_differing);

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* Fills spec with the hierarchy that `hierarchy build` proposes for the column, after it was tried;
 * `suppress` where it proposes none. */
KAN_MUST_USE kan_status kan_profile_suggest_hierarchy(kan_run *run, const kan_column *column,
                                                      kan_profile_column *profile);

#endif
