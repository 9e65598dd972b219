/* Suggestions: what part a column might play, and why.
 *
 * The rules, the first that fits:
 *   nothing to tell apart                            other, for it tells nothing
 *   a name or a shape that means one person          id
 *   nearly all values different                      id, unless the name says that it is a
 *                                                    quasi-identifier or sensitive
 *   a name or a shape that others know of people     quasi-identifier
 *   a name or a shape of health, money, belief       sensitive
 *   a date; a value that few rows share              perhaps a quasi-identifier
 *   all else                                         other
 * Who releases a table decides: nothing here is certain, and the words say so. */
#include <math.h>
#include <stdio.h>

#include "analyze/profile.h"
#include "data/hierarchy.h"

enum { LEAST_ROWS = 10 }; /* below, that all values are different says little */

static const double NEARLY_ALL = 0.95; /* of the known rows have a value of their own */
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

/* ---- by shape ------------------------------------------------------------------------------- */

static bool suggest_by_shape(kan_profile_column *column) {
    switch (column->shape) {
    case KAN_SHAPE_EMAIL:
    case KAN_SHAPE_PHONE:
    case KAN_SHAPE_IP:
        suggest(column, KAN_ROLE_ID, KAN_LIKELY, "its values look like %s: a way to reach somebody",
                column->shape == KAN_SHAPE_EMAIL   ? "e-mail addresses"
                : column->shape == KAN_SHAPE_PHONE ? "telephone numbers"
                                                   : "network addresses");
        return true;
    case KAN_SHAPE_UUID:
    case KAN_SHAPE_SSN:
        suggest(column, KAN_ROLE_ID, KAN_LIKELY,
                "its values look like numbers given to one person");
        return true;
    case KAN_SHAPE_POSTCODE:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like postcodes: where somebody lives is known to others");
        return true;
    case KAN_SHAPE_OTHER_DATE:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like dates; written as 2003-11-16 they can be generalized to "
                "months and years");
        return true;
    case KAN_SHAPE_YEAR:
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "its values look like years: others may know when something happened");
        return true;
    case KAN_SHAPE_ICD:
        suggest(column, KAN_ROLE_SENSITIVE, KAN_PERHAPS,
                "its values look like codes of diagnoses, which nobody should learn");
        return true;
    case KAN_SHAPE_PROSE:
        suggest(column, KAN_ROLE_ID, KAN_PERHAPS,
                "free text: names, places and dates may stand in it; read it before you release "
                "it");
        return true;
    default:
        return false;
    }
}

/* ---- by name -------------------------------------------------------------------------------- */

static bool suggest_by_name(kan_profile_column *column, kan_profile_hint hint) {
    const kan_certainty certainty = hint.is_weak ? KAN_PERHAPS : KAN_LIKELY;
    switch (hint.role) {
    case KAN_ROLE_ID:
        /* `number` of rooms, `name` of one of five shops. */
        if (hint.is_weak && kan_profile_distinctness(column) < 0.5)
            return false;
        suggest(column, KAN_ROLE_ID, certainty, "its name speaks of %s", hint.what);
        return true;
    case KAN_ROLE_QUASI:
        suggest(column, KAN_ROLE_QUASI, certainty,
                "its name speaks of %s, which others know or can look up%s", hint.what,
                is_nearly_unique(column) ? "; nearly every row has a value of its own" : "");
        return true;
    case KAN_ROLE_SENSITIVE:
        suggest(column, KAN_ROLE_SENSITIVE, KAN_PERHAPS,
                "its name speaks of %s, which nobody should learn", hint.what);
        return true;
    default:
        return false;
    }
}

/* ---- by counts ------------------------------------------------------------------------------ */

static void suggest_unique(kan_profile_column *column) {
    const bool is_all = column->n_once == column->n_rows - column->n_missing;
    suggest(column, KAN_ROLE_ID, is_measured(column) ? KAN_PERHAPS : KAN_LIKELY,
            "%s rows have a value of their own: whoever knows it knows the person",
            is_all ? "all" : "nearly all");
}

static void suggest_by_counts(kan_profile_column *column) {
    if (column->type == KAN_TYPE_DATE) {
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "a date: others may know when something happened to somebody%s",
                column->greatest_number - column->least_number > 15 * 365.0
                    ? ", or when somebody was born"
                    : "");
        return;
    }
    if (column->n_distinct > 1 && alone_share(column) >= MANY_ALONE) {
        suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
                "%.0f %% of the rows have a value of their own: whoever knows it knows the person",
                100 * alone_share(column));
        return;
    }
    suggest(column, KAN_ROLE_OTHER, KAN_PERHAPS,
            "neither its name nor its values say that others know it of people; can they?");
}

void kan_profile_suggest(kan_profile_column *column, size_t skip) {
    const kan_profile_hint hint = kan_profile_name_hint(column->name, skip);
    if (column->n_distinct == 0) {
        suggest(column, KAN_ROLE_OTHER, KAN_LIKELY, "it holds no known value");
        return;
    }
    if (column->n_distinct == 1 && column->n_missing == 0) {
        suggest(column, KAN_ROLE_OTHER, KAN_LIKELY,
                "the same value in every row tells nobody apart");
        return;
    }
    if (hint.role == KAN_ROLE_ID && !hint.is_weak && suggest_by_name(column, hint))
        return;
    const bool is_named =
        !hint.is_weak && (hint.role == KAN_ROLE_QUASI ||
                          (hint.role == KAN_ROLE_SENSITIVE && column->type == KAN_TYPE_NUMBER));
    if (is_nearly_unique(column) && !is_named && column->type != KAN_TYPE_DATE &&
        column->shape != KAN_SHAPE_PROSE && column->shape != KAN_SHAPE_POSTCODE) {
        suggest_unique(column);
        return;
    }
    if (suggest_by_name(column, hint) || suggest_by_shape(column))
        return;
    suggest_by_counts(column);
}

void kan_profile_suggest_any(kan_profile_column *column) {
    if (column->role != KAN_ROLE_OTHER || column->certainty != KAN_PERHAPS)
        return;
    suggest(column, KAN_ROLE_QUASI, KAN_PERHAPS,
            "nothing says what it is, and no column looks better known: until you know that "
            "others do not have it, it is safer to think so");
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* Three widths that divide each other, the least so that about fifteen intervals cover the range:
 * 1, 2 or 5 times a power of ten. False where intervals would say nothing. */
static bool intervals_spec(const kan_profile_column *column, char spec[KAN_PROFILE_SPEC]) {
    static const double factors[3][3] = {{1, 5, 10}, {2, 10, 20}, {5, 10, 20}};
    const double range = column->greatest_number - column->least_number;
    if (column->n_distinct < 8 || !isfinite(range) || range <= 0 || range < 1e-6 || range > 1e15)
        return false;
    const double wanted = range / 15;
    double power = pow(10, floor(log10(wanted)));
    unsigned mantissa = wanted / power <= 1.5 ? 0 : wanted / power <= 3.5 ? 1 : 2;
    if (wanted / power > 7.5) {
        power *= 10;
        mantissa = 0;
    }
    if (column->is_whole && factors[mantissa][0] * power < 2) {
        power = 1;
        mantissa = 1;
    }
    const int decimals = power < 1 ? (int)lround(-log10(power)) : 0;
    int size = snprintf(spec, KAN_PROFILE_SPEC, "intervals");
    for (unsigned i = 0; i < 3; i++)
        if (i == 0 || factors[mantissa][i] * power < range)
            size += snprintf(spec + size, (size_t)(KAN_PROFILE_SPEC - size), "%s%.*f",
                             i ? "," : ":", decimals, factors[mantissa][i] * power);
    return true;
}

static bool is_postcode_like(const kan_profile_column *column) {
    const kan_profile_hint hint = kan_profile_name_hint(column->name, 0);
    return column->shape == KAN_SHAPE_POSTCODE ||
           (hint.role == KAN_ROLE_QUASI && strcmp(hint.what, "a postcode") == 0);
}

static void choose_spec(kan_profile_column *column) {
    char *spec = column->spec;
    snprintf(spec, KAN_PROFILE_SPEC, "suppress");
    if (is_postcode_like(column) && column->longest >= 2 && column->longest <= 10) {
        if (column->shortest == column->longest)
            snprintf(spec, KAN_PROFILE_SPEC, "digits:%u", column->longest - 1);
        else
            snprintf(spec, KAN_PROFILE_SPEC, "prefix:%s", column->longest > 3 ? "3,1" : "1");
        return;
    }
    if (column->type == KAN_TYPE_DATE) {
        const double days = column->greatest_number - column->least_number;
        snprintf(spec, KAN_PROFILE_SPEC, "date:%s",
                 days > 20 * 365.0  ? "month,year,decade"
                 : days > 2 * 365.0 ? "month,quarter,year"
                                    : "month,quarter");
        return;
    }
    if (column->type == KAN_TYPE_NUMBER)
        (void)intervals_spec(column, spec);
}

/* A suggestion that the builder refuses (numbers of forty digits, say) is none. */
kan_status kan_profile_suggest_hierarchy(kan_run *run, const kan_column *column,
                                         kan_profile_column *profile) {
    kan_hierarchy *hierarchy = NULL;
    choose_spec(profile);
    kan_problems_begin(run);
    const kan_status status = kan_hierarchy_build(run, profile->spec, column, &hierarchy);
    kan_hierarchy_destroy(hierarchy);
    if (status != KAN_BAD_INPUT)
        return status;
    kan_problems_begin(run);
    snprintf(profile->spec, KAN_PROFILE_SPEC, "suppress");
    return KAN_OK;
}
