/* Signs of text: digits, letters, blanks, and how texts begin and end. ASCII alone, whatever the locale says;
 * cli, server and python include nothing of src, and have their own where they need one. */
#ifndef KANON_CORE_SIGNS_H
#define KANON_CORE_SIGNS_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static inline bool kan_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool kan_is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

static inline bool kan_is_letter(char c) {
    return kan_is_capital(c) || (c >= 'a' && c <= 'z');
}

/* The same, or a byte of a sign beyond ASCII. */
static inline bool kan_is_letter_byte(char c) {
    return kan_is_letter(c) || (unsigned char)c >= 0x80;
}

/* A sign of a name as most languages have them: a letter, a digit or _. */
static inline bool kan_is_name_sign(char c) {
    return kan_is_letter(c) || kan_is_digit(c) || c == '_';
}

static inline bool kan_is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int kan_hex_value(char c) {
    return kan_is_digit(c)        ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static inline bool kan_begins_with(const char *text, const char *begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

static inline bool kan_ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && memcmp(text + size - end_size, end, end_size) == 0;
}

/* Whether a file is called NAME.ENDING, the ending in letters of either case: `ending` has its dot. */
static inline bool kan_path_ends_with(const char *path, const char *ending) {
    const size_t size = strlen(path), ending_size = strlen(ending);
    return size > ending_size && strcasecmp(path + size - ending_size, ending) == 0;
}

#endif
