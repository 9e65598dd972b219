#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sv_text_free(sv_text *text) {
    free(text->bytes);
    *text = (sv_text){0};
}

static bool reserve(sv_text *text, size_t more) {
    if (text->failed)
        return false;
    if (more < text->room - text->size && text->bytes)
        return true;
    if (more > SIZE_MAX / 4 - text->size) {
        text->failed = true;
        return false;
    }
    size_t room = text->room ? text->room : 256;
    while (room - text->size <= more)
        room *= 2;
    char *bytes = realloc(text->bytes, room);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->room = room;
    return true;
}

void sv_bytes(sv_text *text, const char *bytes, size_t size) {
    if (!reserve(text, size))
        return;
    if (size)
        memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void sv_raw(sv_text *text, const char *markup) {
    sv_bytes(text, markup, strlen(markup));
}

/* The bytes of the UTF-8 character that begins there; 0: none does. */
static size_t character(const unsigned char *at) {
    if (at[0] < 0x80)
        return 1;
    const size_t n = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0; /* also the end of the text */
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
        return 0;
    return n;
}

/* Marks that turn the direction of what follows: a value must not change how its neighbours read. */
static bool is_direction(const unsigned char *at, size_t n) {
    if (n != 3 || at[0] != 0xE2)
        return false;
    return (at[1] == 0x80 &&
            ((at[2] >= 0xAA && at[2] <= 0xAE) || at[2] == 0x8E || at[2] == 0x8F)) ||
           (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9);
}

static void escape(sv_text *text, const char *value) {
    const unsigned char *at = (const unsigned char *)value;
    while (*at) {
        const size_t n = character(at);
        if (n == 0 || (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7F ||
            is_direction(at, n))
            sv_raw(text, "\xEF\xBF\xBD");
        else if (*at == '&')
            sv_raw(text, "&amp;");
        else if (*at == '<')
            sv_raw(text, "&lt;");
        else if (*at == '>')
            sv_raw(text, "&gt;");
        else if (*at == '"')
            sv_raw(text, "&quot;");
        else if (*at == '\'')
            sv_raw(text, "&#39;");
        else
            sv_bytes(text, (const char *)at, n);
        at += n ? n : 1;
    }
}

static void print(sv_text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        text->failed = true;
    if (n < 0 || !reserve(text, (size_t)n))
        return;
    vsnprintf(text->bytes + text->size, (size_t)n + 1, format, arguments);
    text->size += (size_t)n;
}

void sv_print(sv_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(text, format, arguments);
    va_end(arguments);
}

/* One value of another kind than text. `spec` is the whole of its %...; the kinds are those that
 * pages need. */
static void put_other(sv_text *text, const char *spec, va_list *arguments) {
    const size_t n = strlen(spec);
    const char kind = spec[n - 1];
    if (strchr("eEfgG", kind))
        sv_print(text, spec, va_arg(*arguments, double)); /* NOLINT */
    else if (n > 1 && spec[n - 2] == 'z')
        sv_print(text, spec, va_arg(*arguments, size_t));
    else if (n > 2 && spec[n - 2] == 'l' && spec[n - 3] == 'l')
        sv_print(text, spec, va_arg(*arguments, unsigned long long));
    else if (n > 1 && spec[n - 2] == 'l')
        sv_print(text, spec, va_arg(*arguments, unsigned long));
    else if (kind == 'd' || kind == 'u' || kind == 'c' || kind == 'i')
        sv_print(text, spec, va_arg(*arguments, int));
    else
        text->failed = true; /* a format that nobody wrote yet: no page rather than a wrong one */
}

void sv_html(sv_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        sv_bytes(text, at, plain);
        at += plain;
        if (*at != '%')
            break;
        if (at[1] == '%') {
            sv_raw(text, "%");
            at += 2;
            continue;
        }
        const size_t size = strcspn(at + 1, "diucsfgeEG") + 2;
        char spec[16];
        if (size >= sizeof spec || at[size - 1] == '\0' || memchr(at, '*', size)) {
            text->failed = true;
            break;
        }
        memcpy(spec, at, size);
        spec[size] = '\0';
        if (strcmp(spec, "%s") == 0) {
            const char *value = va_arg(arguments, const char *);
            escape(text, value ? value : "");
        } else {
            put_other(text, spec, &arguments);
        }
        at += size;
    }
    va_end(arguments);
}

static bool is_plain(unsigned char c, const char *others) {
    return sv_is_letter_or_digit((char)c) || (c && strchr(others, c));
}

void sv_url(sv_text *text, const char *value) {
    for (const unsigned char *at = (const unsigned char *)value; *at; at++)
        if (is_plain(*at, "-._~"))
            sv_bytes(text, (const char *)at, 1);
        else
            sv_print(text, "%%%02X", *at);
}

void sv_shell(sv_text *text, const char *word) {
    const char *at = word;
    while (is_plain((unsigned char)*at, "-._/=:,%+@"))
        at++;
    if (*word && !*at) {
        sv_raw(text, word);
        return;
    }
    sv_raw(text, "'");
    for (at = word; *at; at++)
        if (*at == '\'')
            sv_raw(text, "'\\''");
        else
            sv_bytes(text, at, 1);
    sv_raw(text, "'");
}

void sv_count(sv_text *text, unsigned long long count) {
    char digits[32];
    const int n = snprintf(digits, sizeof digits, "%llu", count);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            sv_raw(text, ",");
        sv_bytes(text, &digits[i], 1);
    }
}
