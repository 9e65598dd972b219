/* What the name of a column says, in several languages.
 *
 * A name is folded first: letters in lower case and without accents, cut into words at everything
 * that is not a letter, between letters and digits, and where a small letter meets a capital one
 * (birthDate, native-country). Umlauts are folded twice, as ae and as a. Words are looked up
 * (profile_words.c) alone, and several in a row as one ("estado civil"); a word that is unknown is
 * taken apart into known ones that leave nothing over ("casenumber", "Patientennr", "gebdat").
 * Stems are looked for anywhere in the name. The meanings of all words together decide, the first
 * rule that fits: what names people comes before what is known of them, and that before what nobody
 * should learn, because a column that is suggested as sensitive is released as it is. */
#include "analyze/profile/profile.h"
#include "analyze/profile/profile_words.h"
#include "core/signs.h"

enum { MOST_NAME = 128, MOST_PARTS = 8 };

/* ---- folding -------------------------------------------------------------------------------- */

typedef struct {
    char text[MOST_NAME + 1];        /* "nativecountry" */
    bool begins_word[MOST_NAME + 1]; /* and the end */
    size_t size;
    bool is_new_word;
} folded_name;

/* What is written behind the plain letter where there are no umlauts: ae, oe, ue, ss, aa. */
static char second_letter(unsigned char lead, unsigned char next) {
    if (lead != 0xc3)
        return 0;
    switch (next | 0x20) {
    case 0xa4: /* ä */
    case 0xa6: /* æ */
    case 0xb6: /* ö */
    case 0xb8: /* ø */
    case 0xbc: /* ü */
        return 'e';
    case 0xa5: /* å */
        return 'a';
    default:
        return next == 0x9f ? 's' : 0; /* ß */
    }
}

static bool is_small(char c) {
    return c >= 'a' && c <= 'z';
}

static void add_letter(folded_name *out, char letter) {
    if (out->size == MOST_NAME)
        return;
    const bool is_other_kind =
        out->size > 0 && kan_is_digit(out->text[out->size - 1]) != kan_is_digit(letter);
    out->begins_word[out->size] = out->is_new_word || is_other_kind;
    out->text[out->size++] = letter;
    out->is_new_word = false;
}

static void fold(const char *name, bool with_e, folded_name *out) {
    *out = (folded_name){.is_new_word = true};
    for (size_t i = 0; name[i]; i++) {
        const unsigned char c = (unsigned char)name[i], next = (unsigned char)name[i + 1];
        const bool is_latin = (c >= 0xc3 && c <= 0xc5) || c == 0xc8;
        if (kan_is_capital(name[i])) {
            out->is_new_word |= i > 0 && is_small(name[i - 1]);
            add_letter(out, (char)(c | 0x20));
        } else if (is_small(name[i]) || kan_is_digit(name[i])) {
            add_letter(out, name[i]);
        } else if ((c == 0xcc || c == 0xcd) && (next & 0xc0) == 0x80) {
            i++; /* an accent by itself, behind its letter */
        } else if (is_latin && (next & 0xc0) == 0x80 && kan_profile_plain_letter(c, next) != ' ') {
            add_letter(out, kan_profile_plain_letter(c, next));
            if (with_e && second_letter(c, next))
                add_letter(out, second_letter(c, next));
            i++;
        } else {
            out->is_new_word = true;
        }
    }
    out->begins_word[out->size] = true;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Takes the text from `at` to `end` apart into known words, the longest first. 0 when something is
 * left over. Letters that hold a compound together (Geburt-s-datum) stand behind a word only. */
static uint32_t take_apart(const kan_vocabulary *vocabulary, const char *text, size_t at,
                           size_t end, unsigned n_parts) {
    uint32_t meanings[KAN_WORD_LONGEST + 1];
    if (n_parts == MOST_PARTS)
        return 0;
    kan_profile_words_at(vocabulary, text + at, meanings);
    for (size_t size = end - at < KAN_WORD_LONGEST ? end - at : KAN_WORD_LONGEST; size > 0;
         size--) {
        const bool is_joint = meanings[size] == KAN_WORD_JOINT && size < 3;
        if (!meanings[size] || ((size == 1 || is_joint) && n_parts == 0))
            continue;
        if (at + size == end)
            return size > 1 ? meanings[size] : 0;
        const uint32_t rest = take_apart(vocabulary, text, at + size, end, n_parts + 1);
        if (rest)
            return meanings[size] | rest;
    }
    return 0;
}

static uint32_t find_meanings(const kan_vocabulary *vocabulary, const char *name, bool with_e) {
    folded_name f;
    uint32_t meanings[KAN_WORD_LONGEST + 1], found = 0;
    fold(name, with_e, &f);
    for (size_t at = 0, end; at < f.size; at = end) {
        bool is_known = false;
        for (end = at + 1; !f.begins_word[end];)
            end++;
        if (kan_is_digit(f.text[at]))
            continue;
        kan_profile_words_at(vocabulary, f.text + at, meanings);
        for (size_t size = end - at; size <= KAN_WORD_LONGEST && at + size <= f.size; size++)
            if (meanings[size] && f.begins_word[at + size] && (size > 1 || f.size == 1)) {
                found |= meanings[size];
                is_known = true;
            }
        if (!is_known && end - at > 2)
            found |= take_apart(vocabulary, f.text, at, end, 0);
    }
    return found | kan_profile_stems_in(vocabulary, f.text, name);
}

static uint32_t all_meanings(const kan_vocabulary *vocabulary, const char *name) {
    uint32_t found = find_meanings(vocabulary, name, false);
    if (strchr(name, (char)0xc3))
        found |= find_meanings(vocabulary, name, true);
    return found;
}

uint32_t kan_profile_name_meanings(const kan_vocabulary *vocabulary, const char *name,
                                   size_t skip) {
    uint32_t has = all_meanings(vocabulary, name);
    if (skip > 0 && skip < strlen(name))
        has |= all_meanings(vocabulary, name + skip);
    return has;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static const uint32_t KNOWN_OF_PEOPLE =
    KAN_WORD_DATE | KAN_WORD_TIME | KAN_WORD_AGE | KAN_WORD_SEX | KAN_WORD_POSTCODE |
    KAN_WORD_PLACE | KAN_WORD_RACE | KAN_WORD_EDUCATION | KAN_WORD_JOB | KAN_WORD_FAMILY;
static const uint32_t NOT_TO_BE_LEARNT = KAN_WORD_HEALTH | KAN_WORD_MONEY | KAN_WORD_BELIEF;
static const uint32_t NAMED_THINGS = KAN_WORD_THING | KAN_WORD_PLACE | KAN_WORD_SITE |
                                     KAN_WORD_JOB | KAN_WORD_EDUCATION | KAN_WORD_HEALTH;

static bool names_a_person(uint32_t has) {
    if (has & KAN_WORD_FULL_NAME)
        return true;
    return (has & KAN_WORD_NAME) && ((has & KAN_WORD_PERSON) || !(has & NAMED_THINGS));
}

/* Case number, patient id, insurance no; not "customer country code". */
static bool numbers_a_person(uint32_t has) {
    if (has & KAN_WORD_ID_NUMBER)
        return true;
    const bool is_number = has & (KAN_WORD_NUMBER | KAN_WORD_CODE);
    if (!is_number || (has & KNOWN_OF_PEOPLE))
        return false;
    return (has & (KAN_WORD_PERSON | KAN_WORD_CASE)) ||
           ((has & KAN_WORD_NUMBER) && (has & (KAN_WORD_ISSUER | KAN_WORD_EVENT | KAN_WORD_BIRTH)));
}

static bool hint_id(uint32_t has, kan_profile_hint *out) {
    static const struct {
        uint32_t meaning;
        kan_identifier identifier;
        const char *what;
    } ways[] = {
        {KAN_WORD_CONTACT, KAN_IDENTIFIER_CONTACT, "a way to reach somebody"},
        {KAN_WORD_EXACT_PLACE, KAN_IDENTIFIER_CONTACT, "an exact place, as good as an address"},
        {KAN_WORD_ACCOUNT, KAN_IDENTIFIER_NUMBER, "an account"}};
    *out = (kan_profile_hint){.role = KAN_ROLE_ID};
    if (has & KAN_WORD_MONEY)
        has &= ~(uint32_t)KAN_WORD_ACCOUNT; /* the balance of one */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (has & ways[i].meaning) {
            out->identifier = ways[i].identifier;
            out->what = ways[i].what;
            return true;
        }
    const bool is_name = names_a_person(has);
    out->identifier = is_name ? KAN_IDENTIFIER_NAME : KAN_IDENTIFIER_NUMBER;
    out->what = is_name ? "a person's name" : "a number given to one person";
    out->is_of_person = (has & (KAN_WORD_PERSON | KAN_WORD_ID_NUMBER)) && !(has & KAN_WORD_CASE);
    return is_name || numbers_a_person(has);
}

static const char *const when_it_happened = "when something happened";

/* What others know, and what nobody should learn. */
static bool hint_known(uint32_t has, kan_profile_hint *out) {
    static const struct {
        uint32_t meaning;
        kan_role role;
        bool has_codes;
        const char *what;
    } known[] = {
        {KAN_WORD_BIRTH, KAN_ROLE_QUASI, false, "a date of birth"},
        {KAN_WORD_AGE, KAN_ROLE_QUASI, false, "an age"},
        {KAN_WORD_DATE, KAN_ROLE_QUASI, false, "when something happened"},
        {KAN_WORD_SEX, KAN_ROLE_QUASI, false, "a sex or gender"},
        {KAN_WORD_POSTCODE, KAN_ROLE_QUASI, true, "a postcode"},
        {KAN_WORD_FAMILY, KAN_ROLE_QUASI, false, "a marital status or family"},
        {KAN_WORD_RACE, KAN_ROLE_QUASI, false, "a race or ethnicity"},
        {KAN_WORD_BELIEF, KAN_ROLE_SENSITIVE, false, "a belief, an orientation or a conviction"},
        {KAN_WORD_PLACE, KAN_ROLE_QUASI, true, "where somebody lives or comes from"},
        {KAN_WORD_EDUCATION, KAN_ROLE_QUASI, false, "an education"},
        {KAN_WORD_JOB, KAN_ROLE_QUASI, true, "an occupation"},
        {KAN_WORD_MONEY, KAN_ROLE_SENSITIVE, true, "somebody's money"},
        {KAN_WORD_HEALTH, KAN_ROLE_SENSITIVE, true, "something about somebody's health"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has & known[i].meaning) {
            const bool is_numbered = (has & KAN_WORD_NUMBER) && (has & NOT_TO_BE_LEARNT);
            *out = (kan_profile_hint){.role = known[i].role,
                                      .identifier =
                                          is_numbered ? KAN_IDENTIFIER_NUMBER : KAN_IDENTIFIER_NONE,
                                      /* "name and place" may hold names of people */
                                      .has_codes = known[i].has_codes && !(has & KAN_WORD_NAME),
                                      .is_postcode = known[i].meaning == KAN_WORD_POSTCODE,
                                      .what = known[i].what};
            return true;
        }
    return false;
}

/* Words that have other meanings, too. */
static kan_profile_hint hint_weak(uint32_t has) {
    kan_profile_hint hint = {.role = KAN_ROLE_QUASI, .is_weak = true};
    const bool is_numbered = (has & (KAN_WORD_NUMBER | KAN_WORD_CODE)) && !(has & KAN_WORD_THING);
    if (has & KAN_WORD_SITE) {
        hint.what = "where somebody was";
    } else if (has & KAN_WORD_SEEN) {
        hint.what = "something that can be seen or is told to others";
    } else if (has & KAN_WORD_TIME) {
        hint.what = when_it_happened;
    } else if (is_numbered || (has & KAN_WORD_PERSON)) {
        hint.role = KAN_ROLE_ID;
        hint.identifier = KAN_IDENTIFIER_NUMBER;
        hint.what = has & KAN_WORD_PERSON ? "a person" : "a number given to one person";
    } else {
        hint = (kan_profile_hint){.role = KAN_ROLE_OTHER};
    }
    return hint;
}

static kan_profile_hint hint_of(uint32_t has) {
    static const uint32_t when = KAN_WORD_TIME | KAN_WORD_EVENT;
    kan_profile_hint hint;
    if (hint_id(has, &hint))
        return hint;
    if (has & KAN_WORD_TEXT)
        return (kan_profile_hint){.role = KAN_ROLE_ID,
                                  .is_weak = true,
                                  .identifier = KAN_IDENTIFIER_TEXT,
                                  .what = "free text"};
    if ((has & when) == when)
        return (kan_profile_hint){.role = KAN_ROLE_QUASI, .what = when_it_happened};
    return hint_known(has, &hint) ? hint : hint_weak(has);
}

kan_profile_hint kan_profile_name_hint(const char *name, size_t skip) {
    return hint_of(kan_profile_name_meanings(&kan_profile_vocabulary, name, skip));
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
