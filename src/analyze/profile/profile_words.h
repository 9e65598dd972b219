/* What words in names of columns mean, in the common European languages. */
#ifndef KANON_ANALYZE_PROFILE_PROFILE_WORDS_H
#define KANON_ANALYZE_PROFILE_PROFILE_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Meanings of a word; a word may have several, and a name has those of all its words. */
enum {
    KAN_WORD_FULL_NAME = 1 << 0, /* vorname, surname: always of a person */
    KAN_WORD_NAME = 1 << 1,      /* name, nom: of a person, unless a thing stands beside it */
    KAN_WORD_PERSON = 1 << 2,    /* patient, customer */
    KAN_WORD_THING = 1 << 3,     /* product, file */
    KAN_WORD_ID_NUMBER = 1 << 4, /* ssn, kvnr: a number given to one person */
    KAN_WORD_NUMBER = 1 << 5,    /* id, nr */
    KAN_WORD_CODE = 1 << 6,      /* code, key */
    KAN_WORD_CASE = 1 << 7,      /* case, invoice: what gets a number for one person */
    KAN_WORD_ISSUER = 1 << 8,    /* insurance, tax, passport, device: who or what has numbers */
    KAN_WORD_CONTACT = 1 << 9,   /* e-mail, phone, street, ip */
    KAN_WORD_ACCOUNT = 1 << 10,
    KAN_WORD_EXACT_PLACE = 1 << 11, /* gps, latitude */
    KAN_WORD_TEXT = 1 << 12,        /* comment, remarks */
    KAN_WORD_BIRTH = 1 << 13,
    KAN_WORD_DATE = 1 << 14,
    KAN_WORD_TIME = 1 << 15,  /* a date beside an event; has other meanings alone */
    KAN_WORD_EVENT = 1 << 16, /* admission, death */
    KAN_WORD_AGE = 1 << 17,
    KAN_WORD_SEX = 1 << 18,
    KAN_WORD_POSTCODE = 1 << 19,
    KAN_WORD_PLACE = 1 << 20,
    KAN_WORD_SITE = 1 << 21, /* hospital, ward, branch */
    KAN_WORD_RACE = 1 << 22,
    KAN_WORD_EDUCATION = 1 << 23,
    KAN_WORD_JOB = 1 << 24,
    KAN_WORD_FAMILY = 1 << 25,
    KAN_WORD_HEALTH = 1 << 26,
    KAN_WORD_MONEY = 1 << 27,
    KAN_WORD_BELIEF = 1 << 28,
    KAN_WORD_SEEN = 1 << 29, /* what can be seen or heard of somebody */
    KAN_WORD_JOINT = 1 << 30 /* of, des: means nothing, and holds compounds together */
};

enum { KAN_WORD_LONGEST = 32 };

/* The letter without its accent, in lower case, of U+00C0 to U+017F and of Romanian, by the two
 * bytes of its UTF-8; a blank where there is none. */
char kan_profile_plain_letter(unsigned char lead, unsigned char next);

/* Words by what they mean. Blank-separated, in lower case and without accents. */
typedef struct kan_word_list {
    uint32_t meaning;
    const char *words;
} kan_word_list;

/* Words, and stems that mean the same wherever they stand in a name. */
typedef struct kan_vocabulary {
    const kan_word_list *lists, *stems;
    size_t n_lists, n_stems;
} kan_vocabulary;

/* The one above. */
extern const kan_vocabulary kan_profile_vocabulary;

/* meanings[size] becomes those of the word of that size with which the text begins, 0 where it is
 * no word. One pass over all words. The text: lower case, no gaps. */
void kan_profile_words_at(const kan_vocabulary *vocabulary, const char *text,
                          uint32_t meanings[KAN_WORD_LONGEST + 1]);

/* Meanings of all stems that stand anywhere in the text. `name` is the name as it is, for stems of
 * other scripts. */
uint32_t kan_profile_stems_in(const kan_vocabulary *vocabulary, const char *text, const char *name);

#endif
