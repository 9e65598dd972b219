/* Suggestions: what part a column might play, and why.
 *
 * The rules, the first that fits:
 *   nothing to tell apart                            undecided: it tells nothing
 *   a name that means one person                     id
 *   values that look like one person's               id: names, e-mail, codes; free text: drop
 *   nearly all values different                      id, unless the name says that it is a
 *                                                    quasi-identifier or sensitive
 *   a name or a shape that others know of people     quasi-identifier
 *   a name or a shape of health, money, belief       sensitive
 *   a date; a number that few rows share             perhaps a quasi-identifier
 *   all else                                         undecided
 * No column is suggested to be kept: that nothing speaks against it is no reason. What is undecided
 * stays out of the release until somebody decides. Nothing here is certain, and the words say so.
 */
#include <stdio.h>

#include "analyze/profile/profile.h"
#include "data/hierarchies/hierarchies.h"

enum {
    LEAST_ROWS = 10, /* below, that all values are different says little */
    FEW_VALUES = 5,  /* of a word that has other meanings: codes of something, not people */
    MANY_WORDS = 50, /* from which on they may not be categories */
    LONG_NUMBER = 8, /* digits */
    MANY_VALUES = 20 /* from which on a shape says more than the name */
};

static const double NEARLY_ALL = 0.95; /* of the known rows have a value of their own */
static const double MANY_CODES = 0.1;  /* different codes or words per row */
static const double MANY_ALONE = 0.05; /* of the rows are alone with their value */

__attribute__((format(printf, 4, 5))) static void suggest(kan_profile_column *column, kan_role role,
                                                          kan_certainty certainty,
                                                          const char *reason, ...) {
    va_list values;
    column->role = role;
    column->certainty = certainty;
    va_start(values, reason);
    vsnprintf(column->reason, sizeof column->reason, reason, values);
    va_end(values);
}

static double alone_share(const kan_profile_column *column) {
    return column->n_rows ? (double)column->n_once / (double)column->n_rows : 0;
}

static bool is_nearly_unique(const kan_profile_column *column) {
    return column->n_rows - column->n_missing >= LEAST_ROWS &&
           kan_profile_distinctness(column) >= NEARLY_ALL;
}

/* A number with a fraction is measured, not given to anybody. */
static bool is_measured(const kan_profile_column *column) {
    return column->type == KAN_TYPE_NUMBER && !column->is_whole;
}

static bool is_date_like(const kan_profile_column *column) {
    return column->type == KAN_TYPE_DATE || column->mixture.kind == KAN_MIXTURE_DATES ||
           column->mixture.kind == KAN_MIXTURE_OTHER_DATES;
}

/* ---- by shape ------------------------------------------------------------------------------- */

/* Shapes of what belongs to one person. */
static bool suggest_id_by_shape(kan_profile_column *column) {
    static const struct {
        kan_profile_shape shape;
        kan_identifier identifier;
        const char *what;
    } shapes[] = {
        {KAN_SHAPE_EMAIL, KAN_IDENTIFIER_CONTACT, "e-mail addresses: a way to reach somebody"},
        {KAN_SHAPE_PHONE, KAN_IDENTIFIER_CONTACT, "telephone numbers: a way to reach somebody"},
        {KAN_SHAPE_IP, KAN_IDENTIFIER_CONTACT, "network addresses: a way to reach somebody"},
        {KAN_SHAPE_URL, KAN_IDENTIFIER_CONTACT, "web addresses, which may lead to one person"},
        {KAN_SHAPE_COORDINATES, KAN_IDENTIFIER_CONTACT, "coordinates: as good as an address"},
        {KAN_SHAPE_IBAN, KAN_IDENTIFIER_NUMBER, "account numbers"},
        {KAN_SHAPE_UUID, KAN_IDENTIFIER_NUMBER, "numbers given to one person"},
        {KAN_SHAPE_SSN, KAN_IDENTIFIER_NUMBER, "numbers given to one person"},
        {KAN_SHAPE_NAMES, KAN_IDENTIFIER_NAME, "names of people"},
        {KAN_SHAPE_CODES, KAN_IDENTIFIER_NUMBER,
         "codes, and so many different ones that each may be given to one person"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (column->shape == shapes[i].shape) {
            const bool is_guess =
                column->shape == KAN_SHAPE_NAMES || column->shape == KAN_SHAPE_CODES;
            column->identifier = shapes[i].identifier;
            suggest(column, KAN_ROLE_ID, is_guess ? KAN_PERHAPS : KAN_LIKELY,
                    "its values look like %s", shapes[i].what);
            return true;
        }
    return false;
}

static bool suggest_text(kan_profile_column *column, kan_certainty certainty) {
    column->identifier = KAN_IDENTIFIER_TEXT;
    suggest(column, KAN_ROLE_DROP, certainty,
            "free text: names, places and dates may stand in it; read it before you release it");
    return true;
}

void kan_profile_suggest_nested(kan_profile_column *column, uint64_t n_rows) {
    *column = (kan_profile_column){.type = KAN_TYPE_TEXT, .n_rows = n_rows, .n_missing = n_rows};
    suggest(
        column, KAN_ROLE_DROP, KAN_LIKELY,
        "lists, records or bytes, which kanon does not read; to look at it, write it as columns "
        "of plain values");
}

static bool suggest_by_shape(kan_profile_column *column) {
    switch (column->shape) {
    case KAN_SHAPE_POSTCODE:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like postcodes: where somebody lives is known to others");
        return true;
    case KAN_SHAPE_PLACE:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like states or countries: where somebody lives is known to "
                "others");
        return true;
    case KAN_SHAPE_OTHER_DATE:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS, "others may know when something happened");
        return true;
    case KAN_SHAPE_YEAR:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like years: others may know when something happened");
        return true;
    case KAN_SHAPE_ICD:
        suggest(column, KAN_ROLE_SENSITIVE, KAN_PERHAPS,
                "its values look like diagnosis codes, which nobody should learn");
        return true;
    case KAN_SHAPE_PROSE:
        return suggest_text(column, KAN_PERHAPS);
    default:
        return suggest_id_by_shape(column);
    }
}

/* Of a column that would be released as it is: more different codes than diagnoses or drugs have,
 * and not the digits of an amount. */
static bool has_personal_codes(const kan_profile_column *column) {
    return kan_profile_distinctness(column) >= MANY_CODES &&
           (column->type == KAN_TYPE_TEXT || column->longest >= LONG_NUMBER);
}

/* Whether the values say that the column belongs to one person, whatever its name says: a
 * "diagnosis" of whole sentences, a "city" of e-mail addresses. Names of people are weaker
 * than a name that says something else, and codes than one of what has codes of its own. */
static bool is_id_by_values(const kan_profile_column *column, kan_profile_hint hint) {
    const bool says_other = hint.role != KAN_ROLE_OTHER && !hint.is_weak;
    switch (column->shape) {
    case KAN_SHAPE_EMAIL:
    case KAN_SHAPE_UUID:
    case KAN_SHAPE_URL:
    case KAN_SHAPE_IBAN:
    case KAN_SHAPE_SSN:
        return true;
    case KAN_SHAPE_IP:
    case KAN_SHAPE_PHONE:
    case KAN_SHAPE_COORDINATES:
        return !says_other || column->n_distinct >= MANY_VALUES;
    case KAN_SHAPE_NAMES:
        return !says_other || !hint.has_codes || hint.role == KAN_ROLE_SENSITIVE;
    case KAN_SHAPE_CODES:
        return !says_other || !hint.has_codes || hint.identifier == KAN_IDENTIFIER_NUMBER ||
               (hint.role == KAN_ROLE_SENSITIVE && has_personal_codes(column));
    default:
        return false;
    }
}

/* ---- by name -------------------------------------------------------------------------------- */

static bool suggest_by_name(kan_profile_column *column, kan_profile_hint hint) {
    const kan_certainty certainty = hint.is_weak ? KAN_PERHAPS : KAN_LIKELY;
    switch (hint.role) {
    case KAN_ROLE_ID:
        column->identifier = hint.identifier;
        column->is_of_person = hint.is_of_person;
        suggest(column, KAN_ROLE_ID, certainty, "its name suggests %s", hint.what);
        return true;
    case KAN_ROLE_QUASI:
        suggest(column, KAN_ROLE_QUASI, certainty,
                "its name suggests %s, which others know or can look up%s", hint.what,
                is_nearly_unique(column) ? "; nearly every row has a unique value" : "");
        return true;
    case KAN_ROLE_SENSITIVE:
        suggest(column, KAN_ROLE_SENSITIVE, KAN_PERHAPS,
                "its name suggests %s, which nobody should learn", hint.what);
        return true;
    default:
        return false;
    }
}

/* A number, a person, a text by a word that has other meanings: a mark at school, a flag. */
static bool suggest_by_weak_id(kan_profile_column *column, kan_profile_hint hint) {
    if (hint.identifier == KAN_IDENTIFIER_TEXT) {
        const bool is_text = column->type == KAN_TYPE_TEXT && !is_date_like(column) &&
                             column->mixture.kind == KAN_MIXTURE_NONE;
        return is_text && (column->longest > 3 || column->n_distinct >= MANY_VALUES) &&
               suggest_text(column, KAN_LIKELY);
    }
    return column->n_distinct >= FEW_VALUES && !is_date_like(column) && !is_measured(column) &&
           suggest_by_name(column, hint);
}

/* ---- by counts ------------------------------------------------------------------------------ */

static void suggest_unique(kan_profile_column *column) {
    const bool is_all = column->n_once == column->n_rows - column->n_missing;
    column->identifier = is_measured(column) ? KAN_IDENTIFIER_NONE : KAN_IDENTIFIER_NUMBER;
    suggest(column, KAN_ROLE_ID, is_measured(column) ? KAN_PERHAPS : KAN_LIKELY,
            "%s rows have a unique value: whoever knows it knows the person",
            is_all ? "all" : "nearly all");
}

static void suggest_by_counts(kan_profile_column *column) {
    if (is_date_like(column)) {
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "a date: others may know when something happened to somebody%s",
                column->greatest_number - column->least_number > 15 * 365.0
                    ? ", or when somebody was born"
                    : "");
        return;
    }
    if (column->n_distinct > 1 && alone_share(column) >= MANY_ALONE) {
        /* Words that single people out may be names, and the frequent ones would be shown. */
        const bool is_text =
            column->type == KAN_TYPE_TEXT && column->mixture.kind == KAN_MIXTURE_NONE;
        suggest(column, is_text ? KAN_ROLE_OTHER : KAN_ROLE_QUASI, KAN_PERHAPS,
                "%.0f %% of the rows have a unique value: whoever knows it knows the person",
                100 * alone_share(column));
        return;
    }
    suggest(column, KAN_ROLE_OTHER, KAN_PERHAPS,
            "neither its name nor its values say what it is; could others know it about people?");
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* All values are different, and the name does not say that this is as it should be. */
static bool is_unique_id(const kan_profile_column *column, kan_profile_hint hint) {
    const bool is_number =
        hint.identifier == KAN_IDENTIFIER_NUMBER; /* prescription_id: given, not measured */
    const bool is_named =
        !hint.is_weak &&
        (hint.role == KAN_ROLE_QUASI ||
         (hint.role == KAN_ROLE_SENSITIVE && column->type == KAN_TYPE_NUMBER && !is_number));
    return is_nearly_unique(column) && !is_named && !is_date_like(column) &&
           column->shape != KAN_SHAPE_PROSE && column->shape != KAN_SHAPE_POSTCODE;
}

/* prescription_no, drug_exposure_id: not a kind of drug, but one that somebody got. */
static bool suggest_numbered(kan_profile_column *column, kan_profile_hint hint) {
    if (hint.role != KAN_ROLE_SENSITIVE || hint.identifier != KAN_IDENTIFIER_NUMBER ||
        column->n_distinct < MANY_VALUES || kan_profile_distinctness(column) < MANY_ALONE)
        return false;
    column->identifier = KAN_IDENTIFIER_NUMBER;
    suggest(column, KAN_ROLE_ID, KAN_PERHAPS,
            "its name suggests a number, and with so many different ones each may belong to one "
            "person");
    return true;
}

static void suggest_role(kan_profile_column *column, kan_profile_hint hint) {
    const bool is_id = hint.role == KAN_ROLE_ID;
    if (is_id && !hint.is_weak && suggest_by_name(column, hint))
        return;
    if ((is_id_by_values(column, hint) && suggest_id_by_shape(column)) ||
        suggest_numbered(column, hint))
        return;
    if (column->shape == KAN_SHAPE_PROSE) {
        (void)suggest_text(column,
                           hint.identifier == KAN_IDENTIFIER_TEXT ? KAN_LIKELY : KAN_PERHAPS);
        return;
    }
    /* "code": of diagnoses, where it looks like them and many rows share each */
    const bool is_kind_of_code = column->shape == KAN_SHAPE_ICD && !has_personal_codes(column);
    if (is_id && !is_kind_of_code && suggest_by_weak_id(column, hint))
        return;
    if (is_unique_id(column, hint)) {
        suggest_unique(column);
        return;
    }
    if ((!is_id && suggest_by_name(column, hint)) || suggest_by_shape(column))
        return;
    suggest_by_counts(column);
}

/* What the column is, apart from the way it is written, comes before why. */
static void tell_mixture(kan_profile_column *column) {
    char what[KAN_MIXTURE_BYTES], reason[KAN_PROFILE_REASON];
    if (column->role != KAN_ROLE_QUASI && column->role != KAN_ROLE_OTHER)
        return;
    snprintf(reason, sizeof reason, "%s", column->reason);
    if (column->mixture.kind == KAN_MIXTURE_NONE) {
        if (column->mixture.code)
            snprintf(column->reason, sizeof column->reason,
                     "%.300s; %s looks like a code for a missing value: leave it empty", reason,
                     column->mixture.code);
        return;
    }
    snprintf(column->reason, sizeof column->reason, "%s: to be generalized as such, %s; %.160s",
             kan_mixture_text(&column->mixture, what), kan_mixture_remedy(&column->mixture),
             reason);
}

void kan_profile_suggest(kan_profile_column *column, size_t skip) {
    const kan_profile_hint hint = kan_profile_name_hint(column->name, skip);
    const bool names_people = hint.role == KAN_ROLE_ID && !hint.is_weak;
    if (column->n_distinct == 0) {
        suggest(column, KAN_ROLE_OTHER, KAN_LIKELY, "it holds no known value");
        return;
    }
    if (column->n_distinct == 1 && column->n_missing == 0 && !names_people) {
        suggest(column, KAN_ROLE_OTHER, KAN_LIKELY,
                "the same value in every row tells nobody apart");
        return;
    }
    suggest_role(column, hint);
    tell_mixture(column);
}

/* Words that are too many for categories: they may be names. Those that are frequent would be
 * shown. */
static bool has_many_words(const kan_profile_column *column) {
    return column->type == KAN_TYPE_TEXT && column->mixture.kind == KAN_MIXTURE_NONE &&
           (column->n_distinct >= MANY_WORDS || kan_profile_distinctness(column) >= MANY_CODES);
}

void kan_profile_suggest_any(kan_profile_column *column) {
    if (column->role != KAN_ROLE_OTHER || column->certainty != KAN_PERHAPS ||
        has_many_words(column))
        return;
    suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
            "nothing says what it is, and no column looks better known: until you know that others "
            "do not have it, it is safer to assume that they do");
    tell_mixture(column);
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* What the builder refuses (numbers of forty digits, say) is no suggestion. */
kan_status kan_profile_suggest_hierarchy(kan_run *run, const kan_column *column,
                                         kan_profile_column *profile) {
    char room[KAN_SPEC_BYTES];
    const char *spec;
    kan_problems_begin(run);
    const kan_status status = kan_hierarchy_propose_tried(run, column, room, &spec);
    kan_problems_begin(run);
    if (status != KAN_OK)
        spec = NULL;
    snprintf(profile->spec, KAN_PROFILE_SPEC, "%s", spec ? spec : "suppress");
    return status == KAN_BAD_INPUT ? KAN_OK : status;
}
