/* Values that cannot hold an identifier because they belong to a closed set: what is clear is clear by
 * these alone. A word that is missing here costs a person a look; a word too many could let a name
 * through, so that each list holds words that stand for the thing itself and for nothing else. */
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "analyze/rules/rules.h"
#include "core/signs.h"
#include "data/mixture.h"

/* ---- words ---------------------------------------------------------------------------------- */

/* |word|word|: lower case. */
static const char *const flags =
    "|yes|no|y|n|true|false|ja|nein|oui|non|si|sí|tak|nie|sim|não|nej|kyllä|ei|";
static const char *const sexes =
    "|m|f|w|d|x|male|female|man|woman|other|diverse|divers|männlich|weiblich|mann|frau|homme|femme|"
    "masculin|féminin|hombre|mujer|masculino|femenino|maschio|femmina|uomo|donna|mężczyzna|kobieta|"
    "man|vrouw|kvinna|kvinne|mand|kvinde|mies|nainen|nonbinary|non-binary|intersex|unknown|";
static const char *const races =
    "|white|black|asian|hispanic|latino|hispanic or latino|not hispanic|not hispanic or "
    "latino|non-hispanic|"
    "black or african american|african american|american indian or alaska native|american indian|"
    "alaska native|native hawaiian or other pacific islander|pacific islander|native hawaiian|"
    "two or more races|multiracial|mixed|other|other race|some other race|caucasian|"
    "asian-pac-islander|amer-indian-eskimo|unknown|declined|";
static const char *const families =
    "|single|married|divorced|widowed|separated|never married|never-married|partnered|"
    "domestic partner|civil "
    "partnership|ledig|verheiratet|geschieden|verwitwet|célibataire|marié|mariée|"
    "divorcé|divorcée|veuf|veuve|soltero|soltera|casado|casada|divorciado|divorciada|viudo|viuda|"
    "celibe|nubile|coniugato|coniugata|divorziato|divorziata|vedovo|vedova|married-civ-spouse|"
    "married-spouse-absent|married-af-spouse|unknown|other|";

static const struct {
    unsigned set;
    const char *words;
} words[] = {{KAN_CLOSED_FLAG, flags},
             {KAN_CLOSED_SEX, sexes},
             {KAN_CLOSED_RACE, races},
             {KAN_CLOSED_FAMILY, families}};

static bool is_among(const char *list, kan_slice value) {
    enum { LONGEST = 48 };
    char framed[LONGEST + 3];
    if (value.size == 0 || value.size > LONGEST || memchr(value.bytes, '|', value.size) ||
        memchr(value.bytes, '\0', value.size))
        return false;
    framed[0] = '|';
    for (size_t i = 0; i < value.size; i++)
        framed[i + 1] =
            kan_is_capital(value.bytes[i]) ? (char)(value.bytes[i] | 0x20) : value.bytes[i];
    framed[value.size + 1] = '|';
    framed[value.size + 2] = '\0';
    return strstr(list, framed) != NULL;
}

static kan_slice trimmed(kan_slice v) {
    while (v.size > 0 && v.bytes[0] == ' ')
        v = (kan_slice){v.bytes + 1, v.size - 1};
    while (v.size > 0 && v.bytes[v.size - 1] == ' ')
        v.size--;
    return v;
}

/* C34, E11.9: one letter, two digits, and behind a point one to four more. */
static bool is_diagnosis(kan_slice v) {
    if (v.size < 3 || v.size > 8 || !kan_is_capital(v.bytes[0]) || !kan_is_digit(v.bytes[1]) ||
        !kan_is_digit(v.bytes[2]))
        return false;
    if (v.size == 3)
        return true;
    if (v.bytes[3] != '.' || v.size == 4)
        return false;
    for (size_t i = 4; i < v.size; i++)
        if (!kan_is_digit(v.bytes[i]) && !kan_is_capital(v.bytes[i]))
            return false;
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* A plain number from *at on, with a sign, and with a point or a comma before its decimals. */
static bool take_number(kan_slice v, size_t *at, kan_closed_value *out, double *number) {
    size_t i = *at;
    double value = 0, unit = 1;
    const bool is_negative = i < v.size && v.bytes[i] == '-';
    i += is_negative;
    const size_t first = i;
    for (; i < v.size && kan_is_digit(v.bytes[i]); i++)
        value = 10 * value + (v.bytes[i] - '0');
    if (i == first || i - first > 15)
        return false;
    unsigned decimals = 0;
    out->digits = (unsigned)(i - first);
    out->begins_with_zero |= v.bytes[first] == '0' && out->digits > 1;
    if (i + 1 < v.size && (v.bytes[i] == '.' || v.bytes[i] == ',') &&
        kan_is_digit(v.bytes[i + 1])) {
        const bool is_comma = v.bytes[i] == ',';
        out->has_fraction = true;
        for (i++; i < v.size && kan_is_digit(v.bytes[i]); i++, decimals++)
            value += (v.bytes[i] - '0') * (unit /= 10);
        if (is_comma && decimals == 3)
            return false; /* 123,456 may be a whole number */
    }
    if (decimals > out->decimals)
        out->decimals = decimals;
    *number = is_negative ? -value : value;
    *at = i;
    return true;
}

/* A whole date from *at on: 1936-12-31. */
static bool take_date(kan_slice v, size_t *at, kan_date *date) {
    if (v.size - *at < 10 || !kan_date_parse((kan_slice){v.bytes + *at, 10}, date))
        return false;
    *at += 10;
    return true;
}

static bool has_at(kan_slice v, size_t *at, const char *text) {
    const size_t size = strlen(text);
    if (v.size - *at < size || memcmp(v.bytes + *at, text, size) != 0)
        return false;
    *at += size;
    return true;
}

/* One bound: a number, or a day that begins or ends a year, as a year. */
static bool take_bound(kan_slice v, size_t *at, bool is_low, bool *is_day, kan_closed_value *out,
                       double *bound) {
    kan_date date;
    *is_day = take_date(v, at, &date);
    if (!*is_day)
        return take_number(v, at, out, bound);
    *bound = date.year;
    return is_low ? date.month == 1 && date.day == 1 : date.month == 12 && date.day == 31;
}

static bool close_range(kan_closed_value *out, bool is_day, double low, double high) {
    *out = (kan_closed_value){
        .sets = is_day ? KAN_CLOSED_DAYS : KAN_CLOSED_RANGE, .low = low, .high = high};
    return true;
}

/* The same, with how its numbers are written. */
static bool close_numbers(kan_closed_value *out, const kan_closed_value *numbers, double low,
                          double high) {
    close_range(out, false, low, high);
    out->decimals = numbers->decimals;
    out->has_fraction = numbers->has_fraction;
    out->begins_with_zero = numbers->begins_with_zero;
    return true;
}

/* <20, <1937-01-01, <=19, >=90, >89, 90+, 90 or older. */
static bool read_end(kan_slice v, kan_closed_value *out) {
    size_t at = 0;
    double bound;
    kan_date date;
    const bool is_most = has_at(v, &at, "<="), is_least = !is_most && has_at(v, &at, ">=");
    const bool is_below = !is_most && !is_least && has_at(v, &at, "<");
    const bool is_above = !is_most && !is_least && !is_below && has_at(v, &at, ">");
    if ((is_below || is_least) && take_date(v, &at, &date) && at == v.size) {
        if (date.month != 1 || date.day != 1)
            return false;
        return is_below ? close_range(out, true, -INFINITY, date.year - 1)
                        : close_range(out, true, date.year, INFINITY);
    }
    kan_closed_value number = {0};
    if (!take_number(v, &at, &number, &bound) || number.has_fraction)
        return false;
    if (at == v.size) {
        if (is_most || is_below)
            return close_range(out, false, -INFINITY, is_below ? bound - 1 : bound);
        return (is_least || is_above) &&
               close_range(out, false, is_above ? bound + 1 : bound, INFINITY);
    }
    if (is_most || is_least || is_below || is_above)
        return false;
    const kan_slice rest = {v.bytes + at, v.size - at};
    if (is_among(
            "|+| +| or older| or above| or more| and older| and over| and above| years or older|"
            " und älter| oder älter| et plus| y más|",
            rest))
        return close_range(out, false, bound, INFINITY);
    return is_among("| or less| or earlier| and earlier| or younger| or below| and before|",
                    rest) &&
           close_range(out, false, -INFINITY, bound);
}

/* [30..39], [30, 40), (30, 40], 30-39, [85..>=90], [<20..24]; of days [1990-01-01..1999-12-31]. */
static bool read_range(kan_slice v, kan_closed_value *out) {
    size_t at = 0;
    bool is_day, is_day_too = false;
    double low = -INFINITY, high = INFINITY, end;
    kan_closed_value number = {0};
    const bool is_round = v.size > 0 && v.bytes[0] == '(';
    const bool is_framed = is_round || (v.size > 0 && v.bytes[0] == '[');
    at += is_framed;
    const bool has_low_end = is_framed && has_at(v, &at, "<");
    if (!take_bound(v, &at, true, &is_day, &number, &low))
        return false;
    if (has_low_end && is_day)
        return false;
    if (!(is_framed ? has_at(v, &at, "..") || has_at(v, &at, ", ") || has_at(v, &at, ",")
                    : has_at(v, &at, "-") || has_at(v, &at, "–") || has_at(v, &at, " - ")))
        return false;
    if (is_framed && has_at(v, &at, ">=")) {
        if (is_day || !take_number(v, &at, &number, &end))
            return false;
    } else if (!take_bound(v, &at, false, &is_day_too, &number, &high) || is_day_too != is_day) {
        return false;
    }
    if (is_framed && (at >= v.size || (v.bytes[at] != ']' && v.bytes[at] != ')')))
        return false;
    if (is_framed && (is_round || v.bytes[at] == ')') && is_day)
        return false;
    at += is_framed;
    if (at != v.size || low > high)
        return false;
    if (is_day)
        return close_range(out, true, low, high);
    return close_numbers(out, &number, has_low_end ? -INFINITY : low, high);
}

/* 1970s */
static bool read_decade(kan_slice v, kan_closed_value *out) {
    size_t at = 0;
    double year;
    kan_closed_value number = {0};
    if (v.size != 5 || !take_number(v, &at, &number, &year) || at != 4 || v.bytes[4] != 's' ||
        v.bytes[3] != '0')
        return false;
    return close_range(out, true, year, year + 9);
}

static bool read_number(kan_slice v, kan_closed_value *out) {
    size_t at = 0;
    kan_closed_value number = {.sets = KAN_CLOSED_RANGE};
    if (!take_number(v, &at, &number, &number.low) || at != v.size)
        return false;
    number.high = number.low;
    *out = number;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool is_blank(kan_slice v) {
    size_t stars = 0;
    while (stars < v.size && v.bytes[stars] == '*')
        stars++;
    return kan_value_is_unknown(v) || stars == v.size ||
           is_among("|na|n/a|nan|null|none|missing|.|-|", v);
}

void kan_closed_read(kan_slice value, kan_closed_value *out) {
    const kan_slice v = trimmed(value);
    *out = (kan_closed_value){0};
    if (is_blank(v)) {
        out->sets = KAN_CLOSED_BLANK;
        return;
    }
    if (read_number(v, out) || read_decade(v, out) || read_end(v, out) || read_range(v, out))
        return;
    *out = (kan_closed_value){0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_among(words[i].words, v))
            out->sets |= words[i].set;
    if (is_diagnosis(v))
        out->sets |= KAN_CLOSED_DIAGNOSIS;
    if (kan_profile_is_place(v))
        out->sets |= KAN_CLOSED_PLACE;
}

bool kan_zip_read(kan_slice value, unsigned *digits, unsigned *n_shown) {
    const kan_slice v = trimmed(value);
    size_t n = 0, i;
    *digits = 0;
    while (n < v.size && kan_is_digit(v.bytes[n])) {
        if (n < 3)
            *digits = 10 * *digits + (unsigned)(v.bytes[n] - '0');
        n++;
    }
    *n_shown = (unsigned)n;
    for (i = n; i < v.size && strchr("*xX", v.bytes[i]) && v.bytes[i]; i++)
        ;
    if (i == v.size)
        return n > 0 && v.size <= 9;
    /* 03601-1234 */
    return n == 5 && v.size == 10 && v.bytes[5] == '-';
}
