/* Deterministic values of many kinds. A person has three rows: numbers of people repeat. */
#include "unit/profile_values.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned mix(unsigned x) {
    uint32_t h = x * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

#define PICK(list, n) ((list)[(n) % (sizeof(list) / sizeof *(list))])

static const char *const first[] = {"Anna",     "Hans",    "Jürgen", "Marie",    "Zdravko",
                                    "Ines",     "Åke",     "Pierre", "Giulia",   "Mikołaj",
                                    "Aylin",    "Susanne", "Thomas", "Ewa",      "Sören",
                                    "Jean-Luc", "Carlos",  "Fátima", "Walburga", "Oluwaseun"};
static const char *const last[] = {"Müller",   "Schmidt",  "Nowak",     "García",   "Rossi",
                                   "O'Brien",  "van Dijk", "Lindqvist", "Petersen", "Dupont",
                                   "Kowalska", "Horváth",  "Popescu",   "Silva",    "Wachtveitl",
                                   "Bergmann", "Yıldız",   "Weber",     "Thompson", "Papadakis"};
static const char *const words[] = {"red", "green", "blue", "amber", "violet"};
static const char *const states[] = {"CA", "TX", "NY", "FL", "WA", "OR", "IL", "OH", "GA", "MA"};
static const char *const state_names[] = {"California", "Texas", "New York", "Florida", "Ohio",
                                          "Georgia",    "Utah",  "Nevada",   "Iowa",    "Maine"};
static const char *const laender[] = {"Bayern", "Hessen",  "Sachsen", "Berlin",
                                      "Bremen", "Hamburg", "Saarland"};
static const char *const countries[] = {"DE", "FR", "IT", "ES", "PL", "AT", "CH", "NL"};
static const char *const cities[] = {"Leipzig", "Gdańsk",  "Lyon",    "Porto",   "Uppsala", "Graz",
                                     "Szeged",  "Tampere", "Bologna", "Utrecht", "Brno",    "Köln"};
static const char *const verbs[] = {"complains of", "was seen for", "refuses", "came back with",
                                    "asks about"};
static const char *const things[] = {"headache",       "a new knee",       "the blood test",
                                     "his medication", "pain in the back", "fever since Monday"};
static const char *const yes_no[] = {"yes", "no"}, *const sexes[] = {"m", "f"};

static int put_text(const char *kind, unsigned row, char *out) {
    const unsigned person = row / 3, a = mix(person), b = mix(person + 77), c = mix(row + 991);
    if (strcmp(kind, "first") == 0)
        return snprintf(out, VALUE_BYTES, "%s", PICK(first, a));
    if (strcmp(kind, "last") == 0)
        return snprintf(out, VALUE_BYTES, "%s", PICK(last, b));
    if (strcmp(kind, "full") == 0)
        return snprintf(out, VALUE_BYTES, "%s %s", PICK(first, a), PICK(last, b));
    if (strcmp(kind, "lastfirst") == 0)
        return snprintf(out, VALUE_BYTES, "%s, %s", PICK(last, b), PICK(first, a));
    if (strcmp(kind, "rare") == 0) /* names that no list has */
        return snprintf(out, VALUE_BYTES, "%c%s Xh%cosa", 'A' + (int)(a % 26), "wandi",
                        'a' + (int)(b % 26));
    if (strcmp(kind, "rareword") == 0)
        return snprintf(out, VALUE_BYTES, "%c%cwandi", 'A' + (int)(c % 26),
                        'a' + (int)(c / 26 % 26));
    if (strcmp(kind, "remark") == 0)
        return snprintf(out, VALUE_BYTES, "pat. %s %s", PICK(verbs, c), PICK(things, c / 7));
    if (strcmp(kind, "prose") == 0)
        return snprintf(out, VALUE_BYTES, "%s %s %s and %s; called %u days later by the nurse",
                        PICK(first, a), PICK(verbs, c), PICK(things, c / 7), PICK(things, c / 11),
                        c % 50);
    if (strcmp(kind, "street") == 0)
        return snprintf(out, VALUE_BYTES, "%sweg %u", PICK(cities, a), 1 + b % 90);
    if (strcmp(kind, "email") == 0)
        return snprintf(out, VALUE_BYTES, "m%u@example.org", a % 500);
    if (strcmp(kind, "url") == 0)
        return snprintf(out, VALUE_BYTES, "https://example.org/u/%u", a % 500);
    return 0;
}

static int put_number(const char *kind, unsigned row, char *out) {
    const unsigned person = row / 3, a = mix(person), b = mix(person + 77), c = mix(row + 991);
    if (strcmp(kind, "unique") == 0)
        return snprintf(out, VALUE_BYTES, "%u", row + 1);
    if (strcmp(kind, "case") == 0)
        return snprintf(out, VALUE_BYTES, "F2024-%05u", person * 7);
    if (strcmp(kind, "code8") == 0)
        return snprintf(out, VALUE_BYTES, "%u", 30000000 + a % 60000000);
    if (strcmp(kind, "kvnr") == 0)
        return snprintf(out, VALUE_BYTES, "%c%09u", 'A' + (int)(a % 26), b % 1000000000);
    if (strcmp(kind, "plate") == 0)
        return snprintf(out, VALUE_BYTES, "L-%c%c %u", 'A' + (int)(a % 26), 'A' + (int)(b % 26),
                        100 + c % 9000);
    if (strcmp(kind, "hex") == 0)
        return snprintf(out, VALUE_BYTES, "%08x%08x", a, b);
    if (strcmp(kind, "uuid") == 0)
        return snprintf(out, VALUE_BYTES, "%08x-%04x-4%03x-8%03x-%08x%04x", a, b & 0xffff,
                        a & 0xfff, b & 0xfff, b, a & 0xffff);
    if (strcmp(kind, "ssn") == 0)
        return snprintf(out, VALUE_BYTES, "%03u-%02u-%04u", 100 + a % 600, 10 + b % 80, a % 10000);
    if (strcmp(kind, "iban") == 0)
        return snprintf(out, VALUE_BYTES, "DE%02u3704004405%08u", 10 + a % 80, b % 100000000);
    if (strcmp(kind, "phone") == 0)
        return snprintf(out, VALUE_BYTES, "+49 341 %07u", a % 10000000);
    if (strcmp(kind, "ip") == 0)
        return snprintf(out, VALUE_BYTES, "10.%u.%u.%u", a % 256, b % 256, a % 200);
    if (strcmp(kind, "ip6") == 0)
        return snprintf(out, VALUE_BYTES, "2001:db8:%x:%x::%x", a & 0xffff, b & 0xffff, a & 0xff);
    if (strcmp(kind, "mac") == 0)
        return snprintf(out, VALUE_BYTES, "02:%02x:%02x:%02x:%02x:%02x", a & 255, a >> 8 & 255,
                        b & 255, b >> 8 & 255, b >> 16 & 255);
    if (strcmp(kind, "latlon") == 0)
        return snprintf(out, VALUE_BYTES, "%u.%04u, %u.%04u", 47 + a % 8, a % 10000, 6 + b % 9,
                        b % 10000);
    if (strcmp(kind, "decimal") == 0)
        return snprintf(out, VALUE_BYTES, "%u.%04u", 47 + a % 8, a % 10000);
    if (strcmp(kind, "small") == 0)
        return snprintf(out, VALUE_BYTES, "%u", c % 8);
    if (strcmp(kind, "int") == 0)
        return snprintf(out, VALUE_BYTES, "%u", 20 + c % 60);
    if (strcmp(kind, "money6") == 0)
        return snprintf(out, VALUE_BYTES, "%u", 100000 + 500 * (c % 900));
    if (strcmp(kind, "money") == 0)
        return snprintf(out, VALUE_BYTES, "%u", 900 + 50 * (c % 100));
    if (strcmp(kind, "icd") == 0)
        return snprintf(out, VALUE_BYTES, "%c%02u.%u", 'E' + (int)(c % 6), c % 30, c % 10);
    if (strcmp(kind, "plz") == 0)
        return snprintf(out, VALUE_BYTES, "%05u", 4100 + 13 * (a % 90));
    if (strcmp(kind, "uk") == 0)
        return snprintf(out, VALUE_BYTES, "%c%u %uA%c", 'E' + (int)(a % 4), 1 + a % 9, b % 9,
                        'A' + (int)(b % 20));
    return 0;
}

static int put_date(const char *kind, unsigned row, char *out) {
    const unsigned a = mix(row / 3), y = 1930 + a % 90, m = 1 + a % 12, d = 1 + a % 28;
    const _Bool is_missing = row % 60 == 17 && strstr(kind, "na");
    if (is_missing)
        return snprintf(out, VALUE_BYTES, "NA");
    if (strncmp(kind, "isona", 3) == 0)
        return snprintf(out, VALUE_BYTES, "%04u-%02u-%02u", y, m, d);
    if (strncmp(kind, "germanna", 6) == 0)
        return snprintf(out, VALUE_BYTES, "%02u.%02u.%04u", d, m, y);
    if (strcmp(kind, "us") == 0)
        return snprintf(out, VALUE_BYTES, "%02u/%02u/%04u", m, d, y);
    if (strcmp(kind, "compact") == 0)
        return snprintf(out, VALUE_BYTES, "%04u%02u%02u", y, m, d);
    if (strcmp(kind, "datetime") == 0)
        return snprintf(out, VALUE_BYTES, "%04u-%02u-%02u %02u:30", y, m, d, a % 24);
    if (strcmp(kind, "year") == 0)
        return snprintf(out, VALUE_BYTES, "%u", y);
    return 0;
}

static int put_category(const char *kind, unsigned row, char *out) {
    const unsigned c = mix(row + 991);
    const char *word = strcmp(kind, "cat5") == 0        ? PICK(words, c)
                       : strcmp(kind, "yesno") == 0     ? PICK(yes_no, c)
                       : strcmp(kind, "sexmf") == 0     ? PICK(sexes, c)
                       : strcmp(kind, "usstate") == 0   ? PICK(states, c)
                       : strcmp(kind, "statename") == 0 ? PICK(state_names, c)
                       : strcmp(kind, "land") == 0      ? PICK(laender, c)
                       : strcmp(kind, "country") == 0   ? PICK(countries, c)
                       : strcmp(kind, "city") == 0      ? PICK(cities, c)
                       : strcmp(kind, "constant") == 0  ? "same"
                                                        : NULL;
    if (strcmp(kind, "cat40") == 0)
        return snprintf(out, VALUE_BYTES, "%s%c", PICK(words, c), 'a' + (int)(c / 5 % 8));
    return word ? snprintf(out, VALUE_BYTES, "%s", word) : 0;
}

_Bool make_value(const char *kind, unsigned row, char out[VALUE_BYTES]) {
    return put_text(kind, row, out) > 0 || put_number(kind, row, out) > 0 ||
           put_date(kind, row, out) > 0 || put_category(kind, row, out) > 0;
}
