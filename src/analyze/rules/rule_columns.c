/* What a column says about the kinds of a rule.
 *
 * Order: the words of its name and label; patterns in every different value; then whether all values
 * belong to a closed set that goes with the name. Only that makes a column clear. The rest is for a
 * person to decide, free text among it. What is found is found, whatever else the column holds. */
#include <math.h>
#include <stdio.h>

#include "analyze/rules/rules.h"

enum { LONG_TEXT = 60, MANY_WORDS = 5, MANY_DIGITS = 3, FEW_CODES = 20, NO_YEAR = 0 };

/* What all values of a column come to. */
typedef struct {
    uint32_t n_years;
    uint32_t n_known;            /* different values that show something */
    uint32_t n_of[KAN_ID_KINDS]; /* of them, with a pattern of the kind */
    unsigned sets;               /* that all of them belong to */
    double low, high;            /* of ranges and years, ends left aside */
    double high_end, low_end; /* the least bound of ends without a most, and the other way round */
    uint32_t n_across_oldest; /* ranges that begin at 89 or below and end above */
    uint32_t n_above_oldest;  /* numbers and ranges above 89 that are not `90 or older` */
    bool has_fraction, begins_with_zero, is_single; /* single: plain numbers, no labels */
    unsigned most_digits, least_digits, most_decimals;
    uint32_t n_long; /* that are texts */
    uint32_t n_zips, n_zips_fine, n_zips_small;
    /* Too few digits, or three without a mask: from 501 on (00501 is a ZIP code), and others. */
    uint32_t n_short, n_high, n_three;
    bool has_zeros; /* a ZIP code that begins with zero: none were lost */
} sums;

typedef struct {
    const kan_rule_question *q;
    kan_rule_column *out;
    unsigned meanings; /* KAN_WORD_ of name and label */
    unsigned strong, weak;
    bool is_weak_id, names_state;
    sums s;
} judge;

/* ---- telling -------------------------------------------------------------------------------- */

__attribute__((format(printf, 5, 6))) static void tell(judge *j, kan_id_kind kind,
                                                       kan_rule_verdict verdict, kan_rule_by by,
                                                       const char *format, ...) {
    kan_rule_finding *finding = &j->out->kinds[kind];
    va_list values;
    if (!(j->q->rule->kinds & KAN_ID_BIT(kind)) || finding->verdict >= verdict)
        return;
    finding->verdict = verdict;
    finding->by = by;
    va_start(values, format);
    vsnprintf(finding->reason, sizeof finding->reason, format, values);
    va_end(values);
}

static void settle(judge *j, kan_rule_verdict verdict, const char *reason) {
    j->out->verdict = verdict;
    snprintf(j->out->reason, sizeof j->out->reason, "%s", reason);
}

/* ---- looking at values ---------------------------------------------------------------------- */

static bool is_text(kan_slice v) {
    unsigned n_words = 0;
    for (size_t i = 0; i < v.size; i++)
        n_words += v.bytes[i] != ' ' && (i == 0 || v.bytes[i - 1] == ' ');
    return v.size > LONG_TEXT || n_words > MANY_WORDS || memchr(v.bytes, '\n', v.size);
}

/* Without its leading zeros 03601 is 3601, and 036 is 36. */
static void add_zip(judge *j, kan_slice value) {
    unsigned digits, n_shown;
    sums *s = &j->s;
    if (!kan_zip_read(value, &digits, &n_shown))
        return;
    while (value.size > 0 && value.bytes[0] == ' ')
        value = (kan_slice){value.bytes + 1, value.size - 1};
    while (value.size > 0 && value.bytes[value.size - 1] == ' ')
        value.size--;
    const bool is_plain = n_shown == value.size;
    s->n_zips++;
    s->n_zips_fine += n_shown > 3;
    if (n_shown == 4 && is_plain)
        digits /= 10;
    if ((n_shown >= 3 || is_plain) && j->q->areas->is_small[digits])
        s->n_zips_small++;
    s->n_short += n_shown < 3; /* 36** may be 036** */
    s->n_high += is_plain && n_shown == 3 && digits >= 501;
    s->n_three += is_plain && n_shown == 3 && digits < 501;
    s->has_zeros |= value.bytes[0] == '0' && n_shown >= 3;
}

static void add_range(sums *s, const kan_closed_value *v) {
    const bool is_end = isinf(v->low) || isinf(v->high);
    s->is_single &= v->digits > 0;
    s->has_fraction |= v->has_fraction;
    s->begins_with_zero |= v->begins_with_zero;
    if (v->digits > s->most_digits)
        s->most_digits = v->digits;
    if (v->decimals > s->most_decimals)
        s->most_decimals = v->decimals;
    if (v->digits < s->least_digits)
        s->least_digits = v->digits;
    if (!isinf(v->low) && v->low < s->low)
        s->low = v->low;
    if (!isinf(v->high) && v->high > s->high)
        s->high = v->high;
    if (isinf(v->high) && !isinf(v->low) && v->low > s->high_end)
        s->high_end = v->low;
    if (isinf(v->low) && !isinf(v->high) && v->high < s->low_end)
        s->low_end = v->high;
    if (is_end) {
        s->n_above_oldest += isinf(v->high) && v->low > KAN_ID_OLDEST + 1;
        s->n_across_oldest += isinf(v->low) && v->high > KAN_ID_OLDEST;
        return;
    }
    s->n_above_oldest += v->low > KAN_ID_OLDEST;
    s->n_across_oldest += v->low <= KAN_ID_OLDEST && v->high > KAN_ID_OLDEST;
}

/* 1980, 1980-1989, 1970s, <1937-01-01 */
static bool is_years(const kan_closed_value *v) {
    if (v->sets & KAN_CLOSED_DAYS)
        return true;
    return (v->sets & KAN_CLOSED_RANGE) && !v->has_fraction && !v->begins_with_zero &&
           (isinf(v->low) || (v->low >= 1800 && v->low < 2200)) &&
           (isinf(v->high) || (v->high >= 1800 && v->high < 2200));
}

static void add_value(judge *j, kan_slice value) {
    sums *s = &j->s;
    kan_closed_value v;
    kan_closed_read(value, &v);
    if (v.sets & KAN_CLOSED_BLANK)
        return;
    s->n_known++;
    s->sets &= v.sets;
    if (v.sets & (KAN_CLOSED_RANGE | KAN_CLOSED_DAYS))
        add_range(s, &v);
    s->n_years += is_years(&v);
    s->n_long += v.sets == 0 && is_text(value);
    unsigned kinds = v.sets & KAN_CLOSED_DAYS ? 0 : kan_rule_kinds_in(value);
    if (v.digits > 0)
        kinds &= ~KAN_ID_BIT(KAN_ID_DATE); /* 12.1980 is a number */
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        s->n_of[kind] += (kinds & KAN_ID_BIT(kind)) != 0;
    add_zip(j, value);
}

/* What a code is called stands in the file, too: words of a closed set say no more than the code does. */
static void add_label(judge *j, kan_slice label) {
    kan_closed_value v;
    kan_closed_read(label, &v);
    if (v.sets == 0 || v.digits > MANY_DIGITS)
        add_value(j, label);
}

static kan_status look(kan_run *run, judge *j) {
    const kan_dictionary *dictionary = &j->q->column->dictionary;
    enum { OFTEN = 4096 };
    j->s = (sums){.sets = ~0u,
                  .low = INFINITY,
                  .high = -INFINITY,
                  .high_end = -INFINITY,
                  .low_end = INFINITY,
                  .is_single = true,
                  .least_digits = ~0u};
    for (uint32_t code = 0; code < dictionary->n; code++) {
        if (code % OFTEN == 0)
            KAN_TRY(kan_check_cancel(run));
        add_value(j, kan_dictionary_value(dictionary, code));
    }
    for (size_t i = 0; i < j->q->n_value_labels; i++)
        add_label(j, j->q->value_labels[i]);
    for (size_t i = 0; i < j->q->n_hidden; i++)
        add_value(j, j->q->hidden[i]);
    return KAN_OK;
}

/* ---- by name and label ---------------------------------------------------------------------- */

static bool is_strong_id(kan_profile_hint hint) {
    return hint.role == KAN_ROLE_ID && !hint.is_weak;
}

/* What a hint of profile means as a kind. */
static kan_id_kind hinted_kind(kan_profile_hint hint, unsigned meanings) {
    if (hint.identifier == KAN_IDENTIFIER_NAME)
        return KAN_ID_NAME;
    return (meanings & KAN_WORD_EXACT_PLACE) ? KAN_ID_PLACE : KAN_ID_OTHER;
}

static void judge_words(judge *j, const char *name, size_t skip, kan_rule_by by) {
    const kan_profile_hint hint = kan_profile_name_hint(name, skip);
    kan_name_kinds of = kan_rule_name_kinds(name, skip);
    if (of.names_state && j->s.n_known > 0 && (j->s.sets & KAN_CLOSED_PLACE))
        of.strong &= ~KAN_ID_BIT(KAN_ID_PLACE); /* address_state */
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        if (of.strong & KAN_ID_BIT(kind))
            tell(j, (kan_id_kind)kind, KAN_RULE_FOUND, by, "its %s speaks of %s",
                 kan_rule_by_word(by), kan_id_word_of((kan_id_kind)kind)->title);
    if (is_strong_id(hint) && !of.names_state && (of.strong == 0 || (of.meanings & KAN_WORD_NAME)))
        tell(j, hinted_kind(hint, of.meanings), KAN_RULE_FOUND, by, "its %s suggests %s",
             kan_rule_by_word(by), hint.what);
    j->meanings |= of.meanings;
    j->strong |= of.strong;
    j->weak |= of.weak;
    j->names_state |= of.names_state;
    j->is_weak_id |= hint.role == KAN_ROLE_ID && hint.identifier != KAN_IDENTIFIER_TEXT;
}

/* Words that have other meanings, too: where nothing else says what the column is. */
static void judge_weak_words(judge *j) {
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        if (j->weak & KAN_ID_BIT(kind))
            tell(j, (kan_id_kind)kind, KAN_RULE_UNDECIDED, KAN_RULE_BY_NAME,
                 "its name or label may speak of %s", kan_id_word_of((kan_id_kind)kind)->title);
    if (j->is_weak_id)
        tell(j, KAN_ID_OTHER, KAN_RULE_UNDECIDED, KAN_RULE_BY_NAME,
             "its name or label may speak of a person, or of a number given to one");
}

/* ---- dates and ages ------------------------------------------------------------------------- */

static bool is_dated(const judge *j) {
    return j->meanings & (KAN_WORD_BIRTH | KAN_WORD_DATE | KAN_WORD_TIME);
}

static bool is_age(const judge *j) {
    return (j->meanings & KAN_WORD_AGE) != 0;
}

static bool are_years(const judge *j) {
    return j->s.n_known > 0 && j->s.n_years == j->s.n_known;
}

/* Whole numbers, no labels. */
static bool are_counts(const judge *j) {
    return j->s.n_known > 0 && (j->s.sets & KAN_CLOSED_RANGE) && j->s.is_single &&
           !j->s.has_fraction;
}

static bool are_ages(const judge *j) {
    return j->s.n_known > 0 && (j->s.sets & KAN_CLOSED_RANGE) && j->s.most_digits <= MANY_DIGITS &&
           j->s.low >= 0;
}

/* Years that tell an age above 89: who was there 90 years ago. One category for all of them may stay. */
static bool judge_years(judge *j) {
    const sums *s = &j->s;
    const int last = j->q->release_year - KAN_ID_OLDEST - 1;
    if (!(j->q->rule->kinds & KAN_ID_BIT(KAN_ID_DATE)))
        return true;
    if (j->q->release_year == NO_YEAR) {
        j->out->lacks_date = true;
        tell(j, KAN_ID_DATE, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "years: which of them tell an age above 89 depends on the day of release; say it with "
             "--release-date");
        return false;
    }
    if (s->low <= last || s->low_end < last) {
        tell(j, KAN_ID_DATE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "years up to %d tell an age above 89; show all of them as one category", last);
        return false;
    }
    if (s->high > j->q->release_year || s->high_end > j->q->release_year) {
        tell(j, KAN_ID_DATE, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "years behind the day of release: is --release-date right?");
        return false;
    }
    return true;
}

static bool judge_ages(judge *j) {
    const sums *s = &j->s;
    if (s->n_above_oldest > 0) {
        tell(j, KAN_ID_DATE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "ages above 89; show all of them as one category, 90 or older");
        return false;
    }
    if (s->n_across_oldest > 0) {
        tell(j, KAN_ID_DATE, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "ranges that begin at 89 or below and end above it");
        return false;
    }
    if (s->has_fraction)
        tell(j, KAN_ID_DATE, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "ages with fractions of a year: with a date they may tell a date of birth");
    return are_ages(j) && !s->has_fraction;
}

/* What is date-like by its name, and not in whole years. */
static void judge_date_parts(judge *j) {
    const bool is_date = j->q->column->dictionary.type == KAN_TYPE_DATE ||
                         j->q->profile->mixture.kind == KAN_MIXTURE_DATES ||
                         j->q->profile->mixture.kind == KAN_MIXTURE_OTHER_DATES;
    if (is_date && !are_years(j))
        tell(j, KAN_ID_DATE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES, "dates finer than a year");
    if ((j->meanings & (KAN_WORD_BIRTH | KAN_WORD_DATE)) && are_counts(j) &&
        j->s.least_digits >= 8 && j->s.most_digits <= 8)
        tell(j, KAN_ID_DATE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "numbers of eight digits under the name of a date: dates finer than a year");
    if (is_dated(j) && j->s.n_known > 0 && !are_years(j))
        tell(j, KAN_ID_DATE, KAN_RULE_UNDECIDED, KAN_RULE_BY_NAME,
             "its name speaks of a time, and not all its values are years");
}

/* ---- places --------------------------------------------------------------------------------- */

static bool judge_zips(judge *j) {
    const sums *s = &j->s;
    if (s->n_zips_fine > 0) {
        j->out->is_small_area = s->n_zips_small > 0;
        tell(j, KAN_ID_PLACE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "ZIP codes with more than three digits%s",
             s->n_zips_small ? ", some of areas with 20,000 people or fewer" : "");
        return false;
    }
    if (s->n_zips_small > 0) {
        j->out->is_small_area = true;
        tell(j, KAN_ID_PLACE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "first digits of areas with 20,000 people or fewer (census of %s): show 000 for them",
             j->q->areas->census);
        return false;
    }
    if (s->n_zips < s->n_known) {
        tell(j, KAN_ID_PLACE, KAN_RULE_UNDECIDED, KAN_RULE_BY_NAME,
             "its name speaks of postcodes, and some values are no ZIP codes");
        return false;
    }
    if (s->n_short > 0 || (s->n_high > 0 && s->n_three == 0 && !s->has_zeros)) {
        tell(j, KAN_ID_PLACE, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "numbers of three digits or fewer: ZIP codes whose leading zeros were lost look like "
             "these; write them as text");
        return false;
    }
    return true;
}

/* ---- clear ---------------------------------------------------------------------------------- */

/* Name and label, where there is one, say nothing else. */
static bool is_called(const judge *j, kan_rule_names names) {
    const char *label = j->q->label;
    return kan_rule_is_called(names, j->out->name) &&
           (!label || !*label || kan_rule_is_called(names, label));
}

static bool are_few_codes(const judge *j, kan_rule_names names) {
    return is_called(j, names) && are_counts(j) && j->s.most_digits <= 2 && j->s.low >= 0 &&
           j->s.n_known <= FEW_CODES;
}

static const double NEARLY_ALL = 0.95;

static bool are_nearly_unique(const kan_profile_column *p) {
    return p->n_rows - p->n_missing >= 10 && kan_profile_distinctness(p) >= NEARLY_ALL;
}

/* Small numbers of something measured: a weight, a blood pressure. */
static bool are_measured(const judge *j) {
    static const double beyond = 1000;
    const sums *s = &j->s;
    const bool is_small =
        s->low > -beyond && s->high < beyond && s->low_end > -beyond && s->high_end < beyond;
    return is_called(j, KAN_NAMES_MEASURE) && s->n_known > 0 && (s->sets & KAN_CLOSED_RANGE) &&
           is_small && s->most_digits <= MANY_DIGITS && s->most_decimals <= MANY_DIGITS &&
           !s->begins_with_zero &&
           (s->has_fraction || kan_profile_distinctness(j->q->profile) < NEARLY_ALL);
}

/* Each value of a flag is more than one row's. */
static bool are_flags(const judge *j) {
    const sums *s = &j->s;
    const bool is_binary = are_counts(j) && s->low >= 0 && s->high <= 1 && s->most_digits == 1;
    return (is_binary || (s->n_known > 0 && (s->sets & KAN_CLOSED_FLAG))) &&
           j->q->profile->n_once == 0;
}

/* A column of flags says by its name what it holds: boston, dr_meier. */
static bool are_known_flags(const judge *j) {
    const char *label = j->q->label;
    return are_flags(j) && kan_rule_is_flag_name(j->out->name) &&
           (!label || !*label || kan_rule_is_flag_name(label));
}

/* Weak words that only say whose the measure is: patient_height. */
#define OF_PEOPLE (KAN_ID_BIT(KAN_ID_RECORD) | KAN_ID_BIT(KAN_ID_SOCIAL) | KAN_ID_BIT(KAN_ID_OTHER))

/* Whether the values belong to the closed set that goes with the name; why. */
static const char *clear_reason(judge *j) {
    const unsigned m = j->meanings, sets = j->s.n_known ? j->s.sets : 0;
    const bool is_number = m & (KAN_WORD_ID_NUMBER | KAN_WORD_NUMBER);
    if (is_number)
        return are_known_flags(j) ? "yes or no" : NULL;
    if (is_age(j))
        return judge_ages(j) ? "ages up to 89, others as one category" : NULL;
    if (m & KAN_WORD_POSTCODE)
        return judge_zips(j)
                   ? "first three digits of ZIP codes, of areas with more than 20,000 people"
                   : NULL;
    if (is_dated(j) && are_years(j))
        return judge_years(j) ? "years, none of which tells an age above 89" : NULL;
    if (is_dated(j))
        return NULL;
    if ((m & KAN_WORD_SEX) && (sets & KAN_CLOSED_SEX || are_few_codes(j, KAN_NAMES_SEX)))
        return "words or codes for sex and gender";
    if ((m & KAN_WORD_RACE) && (sets & KAN_CLOSED_RACE || are_few_codes(j, KAN_NAMES_RACE)))
        return "words or codes for race and ethnicity";
    if ((m & KAN_WORD_FAMILY) && (sets & KAN_CLOSED_FAMILY || are_few_codes(j, KAN_NAMES_FAMILY)))
        return "words or codes for a family status";
    if ((m & KAN_WORD_EDUCATION) && are_few_codes(j, KAN_NAMES_EDUCATION))
        return "codes or years of education";
    if (j->names_state && (sets & KAN_CLOSED_PLACE))
        return "states and countries";
    if (is_called(j, KAN_NAMES_DIAGNOSIS) && (sets & KAN_CLOSED_DIAGNOSIS) &&
        !are_nearly_unique(j->q->profile))
        return "codes of diagnoses";
    if (!(m & KAN_WORD_CODE) && !(j->weak & ~OF_PEOPLE) && are_measured(j))
        return "small numbers of something measured";
    if (are_known_flags(j))
        return "yes or no";
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* A column may be called what others hold: John Smith, with yes and no below. */
static void judge_name_itself(judge *j) {
    enum { MOST_NAME = 80 };
    char spaced[MOST_NAME];
    snprintf(spaced, sizeof spaced, "%s", j->out->name);
    for (char *at = spaced; *at; at++)
        *at = *at == '_' || *at == '.' ? ' ' : *at;
    const kan_slice name = kan_slice_of(spaced);
    const unsigned kinds = kan_rule_kinds_in(kan_slice_of(j->out->name)) | kan_rule_kinds_in(name);
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        if (kinds & KAN_ID_BIT(kind))
            tell(j, (kan_id_kind)kind, KAN_RULE_FOUND, KAN_RULE_BY_NAME, "its name holds one: %s",
                 kan_id_word_of((kan_id_kind)kind)->title);
    if (kan_profile_is_name_like(name) && kan_profile_has_common_name(name))
        tell(j, KAN_ID_NAME, KAN_RULE_UNDECIDED, KAN_RULE_BY_NAME,
             "its name may be that of a person");
}

static void judge_values(judge *j) {
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        if (j->s.n_of[kind] > 0)
            tell(j, (kan_id_kind)kind, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
                 "%s in %u of %u different values",
                 kind == KAN_ID_DATE ? "dates finer than a year"
                                     : kan_id_word_of((kan_id_kind)kind)->title,
                 j->s.n_of[kind], j->s.n_known);
    if (j->q->profile->shape == KAN_SHAPE_NAMES && !(j->s.sets & KAN_CLOSED_PLACE))
        tell(j, KAN_ID_NAME, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "its values look like names of people");
    if (j->q->profile->shape == KAN_SHAPE_PHONE && !(j->meanings & KAN_WORD_POSTCODE))
        tell(j, KAN_ID_PHONE, KAN_RULE_FOUND, KAN_RULE_BY_VALUES,
             "its values look like telephone numbers");
    if (j->q->profile->shape == KAN_SHAPE_CODES)
        tell(
            j, KAN_ID_OTHER, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
            "its values look like codes, and so many different ones that each may be one person's");
    if (are_nearly_unique(j->q->profile) && are_counts(j))
        tell(j, KAN_ID_OTHER, KAN_RULE_UNDECIDED, KAN_RULE_BY_VALUES,
             "nearly all rows have a number of their own");
}

/* A strong word stands for what the column holds, not where it holds nothing but yes and no. */
static void excuse_flags(judge *j) {
    if (!are_flags(j))
        return;
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++) {
        kan_rule_finding *finding = &j->out->kinds[kind];
        if (finding->verdict == KAN_RULE_FOUND && finding->by != KAN_RULE_BY_VALUES) {
            finding->verdict = KAN_RULE_UNDECIDED;
            snprintf(finding->reason, sizeof finding->reason,
                     "its name or label speaks of %s, and its values are yes or no",
                     kan_id_word_of((kan_id_kind)kind)->title);
        }
    }
}

static kan_rule_verdict worst(const judge *j, unsigned *which) {
    kan_rule_verdict verdict = KAN_RULE_CLEAR;
    for (unsigned kind = 0; kind < KAN_ID_KINDS; kind++)
        if (j->out->kinds[kind].verdict > verdict) {
            verdict = j->out->kinds[kind].verdict;
            *which = kind;
        }
    return verdict;
}

static void conclude(judge *j) {
    unsigned which = 0;
    const char *reason = clear_reason(j);
    if (j->q->rule->kinds & KAN_ID_BIT(KAN_ID_DATE))
        judge_date_parts(j);
    j->out->is_text =
        j->s.n_long > 0 || j->q->profile->shape == KAN_SHAPE_PROSE || (j->meanings & KAN_WORD_TEXT);
    excuse_flags(j);
    judge_name_itself(j);
    if (!reason)
        judge_weak_words(j);
    const kan_rule_verdict verdict = worst(j, &which);
    if (verdict != KAN_RULE_CLEAR) {
        settle(j, verdict, j->out->kinds[which].reason);
        return;
    }
    if (j->out->is_text)
        settle(j, KAN_RULE_UNDECIDED, "free text: anything may stand in it");
    else if (reason)
        settle(j, KAN_RULE_CLEAR, reason);
    else
        settle(j, KAN_RULE_UNDECIDED, "neither its name nor its values say for sure what it holds");
}

kan_status kan_rule_judge(kan_run *run, const kan_rule_question *question, kan_rule_column *out) {
    judge j = {.q = question, .out = out};
    unsigned which = 0;
    *out = (kan_rule_column){.name = question->profile->name};
    if (question->column)
        KAN_TRY(look(run, &j));
    judge_words(&j, out->name, question->skip, KAN_RULE_BY_NAME);
    if (question->label && *question->label)
        judge_words(&j, question->label, 0, KAN_RULE_BY_LABEL);
    if (!question->column) {
        settle(&j, worst(&j, &which) == KAN_RULE_FOUND ? KAN_RULE_FOUND : KAN_RULE_UNDECIDED,
               "lists, records or bytes, which kanon does not read");
        out->is_text = true;
        return KAN_OK;
    }
    if (j.s.n_known == 0) {
        memset(out->kinds, 0, sizeof out->kinds);
        settle(&j, KAN_RULE_CLEAR, "it shows no value");
        return KAN_OK;
    }
    judge_values(&j);
    conclude(&j);
    return KAN_OK;
}

/* ---- caps ----------------------------------------------------------------------------------- */

kan_rule_verdict kan_rule_judge_cap(const kan_column *column, double low, double high) {
    kan_rule_verdict verdict = KAN_RULE_CLEAR;
    for (uint32_t code = 0; code < column->dictionary.n && verdict != KAN_RULE_FOUND; code++) {
        kan_closed_value v;
        kan_closed_read(kan_dictionary_value(&column->dictionary, code), &v);
        if (v.sets & KAN_CLOSED_BLANK)
            continue;
        if (!(v.sets & KAN_CLOSED_RANGE)) {
            verdict = KAN_RULE_UNDECIDED;
            continue;
        }
        /* <LOW and >=HIGH are as far as a value may go; a range across says less than they do */
        if ((v.low < low && v.high < low && !(isinf(v.low) && v.high >= low - 1)) ||
            (v.low >= high && !(isinf(v.high) && v.low <= high)))
            verdict = KAN_RULE_FOUND;
        else if (!isinf(v.low) && !isinf(v.high) && (v.low < low || v.high >= high))
            verdict = KAN_RULE_UNDECIDED;
    }
    return verdict;
}
