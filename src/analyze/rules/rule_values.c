/* Identifiers that stand anywhere in a value, whatever surrounds them: "see http://x.org/p/7, call
 * (555) 010-9999". Only patterns that hardly anything else has: what is not found here is not clear by
 * that. O(bytes of the value) for each pattern. */
#include <string.h>
#include <strings.h>

#include "analyze/rules/rules.h"
#include "core/signs.h"

/* ---- looking at a value --------------------------------------------------------------------- */

static char at(kan_slice v, size_t i) {
    return i < v.size ? v.bytes[i] : '\0';
}

static bool is_alnum(char c) {
    return kan_is_digit(c) || kan_is_letter_byte(c);
}

/* Whether v has the pattern at i: 9 a digit, x a hexadecimal one, A a letter, others themselves. */
static bool fits(kan_slice v, size_t i, const char *pattern) {
    for (; *pattern; pattern++, i++) {
        const char c = at(v, i);
        const bool is_fit = *pattern == '9'   ? kan_is_digit(c)
                            : *pattern == 'x' ? kan_hex_value(c) >= 0
                            : *pattern == 'A' ? kan_is_letter(c)
                                              : i < v.size && c == *pattern;
        if (!is_fit)
            return false;
    }
    return true;
}

/* The same anywhere, with no letter and no digit on either side. */
static bool has(kan_slice v, const char *pattern) {
    const size_t size = strlen(pattern);
    for (size_t i = 0; i + size <= v.size; i++)
        if ((i == 0 || !is_alnum(v.bytes[i - 1])) && !is_alnum(at(v, i + size)) &&
            fits(v, i, pattern))
            return true;
    return false;
}

static bool has_text(kan_slice v, const char *text) {
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= v.size; i++)
        if (strncasecmp(v.bytes + i, text, size) == 0)
            return true;
    return false;
}

static unsigned read_digits(kan_slice v, size_t i, unsigned *n) {
    unsigned number = 0;
    for (*n = 0; kan_is_digit(at(v, i + *n)); ++*n)
        number = number < 100000000 ? 10 * number + (unsigned)(v.bytes[i + *n] - '0') : number;
    return number;
}

/* ---- ways to reach somebody ----------------------------------------------------------------- */

static bool is_mail_sign(char c) {
    return is_alnum(c) || (c && strchr("._%+-", c));
}

static bool has_email(kan_slice v) {
    for (size_t i = 1; i + 1 < v.size; i++) {
        size_t end = i + 1, dot = 0;
        if (v.bytes[i] != '@' || !is_mail_sign(v.bytes[i - 1]))
            continue;
        for (; end < v.size && is_mail_sign(v.bytes[end]); end++)
            if (v.bytes[end] == '.' && end > i + 1)
                dot = end;
        if (dot > 0 && is_alnum(at(v, dot + 1)))
            return true;
    }
    return false;
}

static bool has_url(kan_slice v) {
    return has_text(v, "://") || has_text(v, "www.");
}

static bool has_phone(kan_slice v) {
    static const char *const patterns[] = {"999-999-9999", "999.999.9999",   "999 999 9999",
                                           "999/999-9999", "(999) 999-9999", "(999)999-9999"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (has(v, patterns[i]))
            return true;
    for (size_t i = 0; i < v.size; i++) { /* +49 341 1234567 */
        unsigned n_digits = 0;
        if (v.bytes[i] != '+' || (i > 0 && is_alnum(v.bytes[i - 1])))
            continue;
        for (size_t j = i + 1;
             j < v.size && (kan_is_digit(v.bytes[j]) || strchr(" -()./", v.bytes[j])); j++)
            n_digits += kan_is_digit(v.bytes[j]);
        if (n_digits >= 8 && n_digits <= 15)
            return true;
    }
    return false;
}

static bool has_ip4(kan_slice v) {
    for (size_t i = 0; i < v.size; i++) {
        size_t end = i;
        unsigned part = 0, n;
        if (i > 0 && (is_alnum(v.bytes[i - 1]) || v.bytes[i - 1] == '.'))
            continue;
        for (; part < 4; part++) {
            const unsigned number = read_digits(v, end, &n);
            if (n == 0 || n > 3 || number > 255)
                break;
            end += n;
            if (part < 3 && at(v, end++) != '.')
                break;
        }
        if (part == 4 && !is_alnum(at(v, end)) &&
            !(at(v, end) == '.' && kan_is_digit(at(v, end + 1))))
            return true;
    }
    return false;
}

/* Groups of hexadecimal digits between colons, five at least, or with :: and letters among them: a time
 * of day is none. */
static bool has_ip6(kan_slice v) {
    for (size_t i = 0; i < v.size; i++) {
        unsigned colons = 0, digits = 0, doubles = 0;
        size_t end = i;
        if (i > 0 && (is_alnum(v.bytes[i - 1]) || v.bytes[i - 1] == ':'))
            continue;
        for (; end < v.size && (kan_hex_value(v.bytes[end]) >= 0 || v.bytes[end] == ':'); end++) {
            const bool is_colon = v.bytes[end] == ':';
            doubles += is_colon && end > i && v.bytes[end - 1] == ':';
            colons += is_colon;
            digits = is_colon ? 0 : digits + 1;
            if (digits > 4)
                break;
        }
        if (digits <= 4 &&
            ((colons >= 2 && doubles == 1 && end > i + 2) || (colons == 7 && !doubles)))
            return true;
    }
    return false;
}

/* ---- numbers of people and things ----------------------------------------------------------- */

static bool has_ssn(kan_slice v) {
    return has(v, "999-99-9999") || has(v, "999 99 9999");
}

static bool has_mac(kan_slice v) {
    return has(v, "xx:xx:xx:xx:xx:xx") || has(v, "xx-xx-xx-xx-xx-xx");
}

static bool has_uuid(kan_slice v) {
    return has(v, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
}

/* 17 letters and digits without I, O and Q, both among them. */
static bool has_vin(kan_slice v) {
    for (size_t i = 0; i + 17 <= v.size; i++) {
        unsigned n = 0, n_digits = 0;
        if (i > 0 && is_alnum(v.bytes[i - 1]))
            continue;
        for (; n < 17; n++) {
            const char c = v.bytes[i + n];
            if (!(kan_is_digit(c) || kan_is_capital(c)) || c == 'I' || c == 'O' || c == 'Q')
                break;
            n_digits += kan_is_digit(c);
        }
        if (n == 17 && n_digits >= 4 && n_digits < 17 && !is_alnum(at(v, i + 17)))
            return true;
    }
    return false;
}

static bool has_iban(kan_slice v) {
    for (size_t i = 0; i + 15 <= v.size; i++) {
        unsigned n = 0;
        if ((i > 0 && is_alnum(v.bytes[i - 1])) || !fits(v, i, "AA99"))
            continue;
        for (size_t j = i; j < v.size && (is_alnum(v.bytes[j]) || v.bytes[j] == ' '); j++)
            n += kan_is_digit(v.bytes[j]);
        if (n >= 12)
            return true;
    }
    return false;
}

static bool has_card(kan_slice v) {
    return has(v, "9999 9999 9999 9999") || has(v, "9999-9999-9999-9999");
}

/* ---- dates ---------------------------------------------------------------------------------- */

static bool is_month(unsigned n) {
    return n >= 1 && n <= 12;
}

static bool is_year(unsigned number, unsigned n_digits) {
    return n_digits == 4 && number >= 1800 && number < 2200;
}

/* The names of months in the languages of profile, and how they are cut short. */
static bool is_month_name(kan_slice word) {
    static const char *const months = "|january|jan|february|feb|march|mar|april|apr|may|june|jun|"
                                      "july|jul|august|aug|september|sep|"
                                      "sept|october|oct|november|nov|december|dec|januar|jänner|"
                                      "februar|märz|mär|mrz|mai|juni|juli|"
                                      "oktober|okt|dezember|dez|janvier|janv|février|fevrier|févr|"
                                      "mars|avril|avr|juin|juillet|juil|"
                                      "août|aout|septembre|octobre|novembre|décembre|decembre|déc|"
                                      "enero|ene|febrero|marzo|abril|abr|"
                                      "mayo|junio|julio|agosto|ago|septiembre|octubre|noviembre|"
                                      "diciembre|dic|gennaio|gen|febbraio|"
                                      "aprile|maggio|mag|giugno|giu|luglio|lug|settembre|set|"
                                      "ottobre|ott|dicembre|janeiro|fevereiro|"
                                      "março|maio|junho|julho|setembro|outubro|novembro|dezembro|"
                                      "januari|februari|maart|mei|augustus|"
                                      "stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|"
                                      "września|października|listopada|"
                                      "grudnia|maj|";
    enum { LONGEST = 16 };
    char framed[LONGEST + 3];
    if (word.size < 3 || word.size > LONGEST)
        return false;
    framed[0] = '|';
    for (size_t i = 0; i < word.size; i++)
        framed[i + 1] =
            kan_is_capital(word.bytes[i]) ? (char)(word.bytes[i] | 0x20) : word.bytes[i];
    memcpy(framed + word.size + 1, "|", 2);
    return strstr(months, framed) != NULL;
}

/* 1980-03-14, 14.03.1980, 3/14/80, 1980-03, 03/1980, from the number at i on; no number goes on before. */
static bool has_date_at(kan_slice v, size_t i) {
    unsigned n1, n2, n3;
    const unsigned first = read_digits(v, i, &n1);
    const char sign = at(v, i + n1);
    if (n1 == 0 || n1 > 4 || !sign || !strchr("-./", sign))
        return false;
    const unsigned second = read_digits(v, i + n1 + 1, &n2);
    const size_t end = i + n1 + 1 + n2;
    if (n2 == 0 || n2 > 4)
        return false;
    const unsigned third = at(v, end) == sign ? read_digits(v, end + 1, &n3) : (n3 = 0);
    if (n3 > 0) {
        const char behind = at(v, end + 1 + n3);
        if (behind == sign && kan_is_digit(at(v, end + 2 + n3)))
            return false; /* a version, an address */
        if (is_year(first, n1))
            return is_month(second) && third >= 1 && third <= 31 && n3 <= 2;
        return n1 <= 2 && n2 <= 2 && first >= 1 && first <= 31 && second >= 1 && second <= 31 &&
               (is_month(first) || is_month(second)) && (is_year(third, n3) || n3 == 2);
    }
    /* a day and a month */
    if (sign == '.' && at(v, end) == '.' && n1 <= 2 && n2 <= 2)
        return first >= 1 && first <= 31 && is_month(second);
    /* a month of a year; 1.1990 is a number */
    if (is_alnum(at(v, end)) || (sign == '.' && n1 != 2))
        return false;
    if (is_year(first, n1) && sign != '.')
        return n2 == 2 && is_month(second);
    return n1 <= 2 && is_month(first) && is_year(second, n2);
}

/* March 1980, 14. März, Mar 3rd; also Q1 1980, 1980-W05. */
static bool has_named_date(kan_slice v) {
    for (size_t i = 0; i < v.size;) {
        size_t end = i, before = i;
        if (!kan_is_letter_byte(v.bytes[i])) {
            i++;
            continue;
        }
        while (end < v.size && kan_is_letter_byte(v.bytes[end]))
            end++;
        while (before > 0 && strchr(" .-/,", v.bytes[before - 1]) && v.bytes[before - 1])
            before--;
        size_t after = end;
        while (after < v.size && v.bytes[after] && strchr(" .-/,", v.bytes[after]))
            after++;
        const bool has_number =
            (before > 0 && kan_is_digit(v.bytes[before - 1])) || kan_is_digit(at(v, after));
        const kan_slice word = {v.bytes + i, end - i};
        if (has_number && is_month_name(word))
            return true;
        const bool is_part = word.size == 1 && strchr("QqWwHh", word.bytes[0]);
        if (is_part && after == end && kan_is_digit(at(v, end))) {
            unsigned n;
            (void)read_digits(v, end, &n);
            size_t year = end + n;
            while (year < v.size && v.bytes[year] && strchr(" -/", v.bytes[year]))
                year++;
            const unsigned number = read_digits(v, year, &n);
            if (is_year(number, n))
                return true;
            if (before >= 4 && before < i + 1 && n <= 4) {
                const unsigned earlier = read_digits(v, before - 4, &n);
                if (is_year(earlier, n))
                    return true;
            }
        }
        i = end;
    }
    return false;
}

static bool has_date(kan_slice v) {
    for (size_t i = 0; i < v.size; i++)
        if (kan_is_digit(v.bytes[i]) &&
            (i == 0 || (!is_alnum(v.bytes[i - 1]) && !(strchr("./-", v.bytes[i - 1]) && i > 1 &&
                                                       kan_is_digit(v.bytes[i - 2])))) &&
            has_date_at(v, i))
            return true;
    /* 2024-03-14T08:30 and 20240314T0830: the T is a letter */
    for (size_t i = 0; i + 10 < v.size; i++)
        if (fits(v, i, "9999-99-99T") || fits(v, i, "99999999T99"))
            return true;
    return has_named_date(v);
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool has_ending(kan_slice v, const char *const *endings) {
    for (; *endings; endings++) {
        const size_t size = strlen(*endings);
        for (size_t i = 1; i + size <= v.size; i++)
            if (strncasecmp(v.bytes + i, *endings, size) == 0 && !is_alnum(at(v, i + size)))
                return true;
    }
    return false;
}

static bool has_picture(kan_slice v) {
    static const char *const endings[] = {".jpg", ".jpeg", ".png",  ".gif",  ".bmp",
                                          ".tif", ".tiff", ".heic", ".webp", ".raw",
                                          ".dcm", ".mp4",  ".mov",  ".avi",  NULL};
    return has_ending(v, endings);
}

static bool has_biometric(kan_slice v) {
    static const char *const endings[] = {".wav",   ".mp3",   ".m4a",      ".flac", ".ogg",
                                          ".wsq",   ".fpt",   ".iris",     ".bam",  ".vcf",
                                          ".fastq", ".fasta", ".ansi-fmr", NULL};
    return has_ending(v, endings);
}

/* 48.1371, 11.5754: a pair of numbers with three digits behind the point, or more. */
static bool has_coordinates(kan_slice v) {
    unsigned n_exact = 0, n_other = 0;
    for (size_t i = 0; i < v.size;) {
        unsigned n, behind;
        (void)read_digits(v, i, &n);
        if (n == 0) {
            n_other += kan_is_letter_byte(v.bytes[i]);
            i++;
            continue;
        }
        (void)(at(v, i + n) == '.' ? read_digits(v, i + n + 1, &behind) : (behind = 0));
        n_exact += n <= 3 && behind >= 3;
        i += n + (behind ? behind + 1 : 0);
    }
    return n_exact == 2 && n_other <= 8;
}

unsigned kan_rule_kinds_in(kan_slice value) {
    static const struct {
        kan_id_kind kind;
        bool (*test)(kan_slice value);
    } tests[] = {{KAN_ID_EMAIL, has_email},      {KAN_ID_URL, has_url},
                 {KAN_ID_PHONE, has_phone},      {KAN_ID_IP, has_ip4},
                 {KAN_ID_IP, has_ip6},           {KAN_ID_SOCIAL, has_ssn},
                 {KAN_ID_DEVICE, has_mac},       {KAN_ID_VEHICLE, has_vin},
                 {KAN_ID_ACCOUNT, has_iban},     {KAN_ID_ACCOUNT, has_card},
                 {KAN_ID_OTHER, has_uuid},       {KAN_ID_DATE, has_date},
                 {KAN_ID_PHOTO, has_picture},    {KAN_ID_BIOMETRIC, has_biometric},
                 {KAN_ID_PLACE, has_coordinates}};
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (tests[i].test(value))
            kinds |= KAN_ID_BIT(tests[i].kind);
    if (kinds & KAN_ID_BIT(KAN_ID_IP))
        kinds &= ~KAN_ID_BIT(KAN_ID_PLACE);
    return kinds;
}
