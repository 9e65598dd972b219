/* Slices, growing text, and the small conversions between numbers and what people write. */
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core/memory.h"
#include "core/signs.h"

int kan_slice_compare(kan_slice a, kan_slice b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    if (order != 0)
        return order;
    return a.size < b.size ? -1 : a.size > b.size;
}

void kan_text_init(kan_text *text, kan_run *run) {
    *text = (kan_text){.run = run};
}

void kan_text_destroy(kan_text *text) {
    kan_free(text->run, text->bytes);
    kan_text_init(text, text->run);
}

void kan_text_add(kan_text *text, const char *bytes, size_t size) {
    if (text->failed)
        return;
    if (kan_reserve(text->run, text->size + size + 1, 1, &text->capacity, &text->bytes) != KAN_OK) {
        text->failed = true;
        return;
    }
    if (size)
        memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

/* A program around us may have set a locale in which 3.5 is written 3,5; our numbers are not
 * localised. The C locale is a constant of the C library: asking for it neither allocates nor
 * fails. */
static locale_t plain_locale(void) {
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void kan_text_print(kan_text *text, const char *format, ...) {
    char small[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    locale_t plain = plain_locale(), before = uselocale(plain);
    int size = vsnprintf(small, sizeof small, format, arguments);
    if (size < 0) {
        text->failed = true;
    } else if ((size_t)size < sizeof small) {
        kan_text_add(text, small, (size_t)size);
    } else if (!text->failed) {
        size_t need = text->size + (size_t)size + 1;
        if (kan_reserve(text->run, need, 1, &text->capacity, &text->bytes) != KAN_OK) {
            text->failed = true;
        } else {
            vsnprintf(text->bytes + text->size, (size_t)size + 1, format, again);
            text->size += (size_t)size;
        }
    }
    uselocale(before);
    freelocale(plain);
    va_end(again);
    va_end(arguments);
}

kan_status kan_text_status(const kan_text *text) {
    return text->failed ? KAN_FAILED : KAN_OK;
}

size_t kan_text_columns(const char *bytes, size_t size) {
    size_t columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return columns;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

unsigned kan_edit_distance(const char *a, const char *b) {
    enum { MOST = 63 };
    size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST)
        return 2 * MOST;
    unsigned rows[3][MOST + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *above = rows[(i - 1) % 3], *here = rows[i % 3], *two_above = rows[(i + 1) % 3];
        here[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            here[j] =
                least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *kan_nearest(const char *name, const char *const *names, size_t n) {
    const char *best = NULL;
    unsigned least_distance = UINT_MAX;
    for (size_t i = 0; name && names && i < n; i++) {
        if (!names[i])
            continue;
        const bool is_same = strcasecmp(name, names[i]) == 0; /* AGE for age: nothing is nearer */
        const unsigned distance = is_same ? 0 : kan_edit_distance(name, names[i]);
        if (distance <= strlen(names[i]) / 3 + 1 && distance < least_distance) {
            best = names[i];
            least_distance = distance;
        }
    }
    return best;
}

size_t kan_utf8_length(const char *bytes, size_t left) {
    const unsigned char *at = (const unsigned char *)bytes;
    size_t n = at[0] < 0x80   ? 1
               : at[0] < 0xc2 ? 0
               : at[0] < 0xe0 ? 2
               : at[0] < 0xf0 ? 3
               : at[0] < 0xf5 ? 4
                              : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    /* Too long a form, a surrogate, or beyond the last code point. */
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return n;
}

bool kan_utf8_steers(const char *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    if (length == 1)
        return at[0] < 0x20 || at[0] == 0x7f;
    if (length == 2)
        return at[0] == 0xc2 && at[1] < 0xa0;
    if (length != 3 || at[0] != 0xe2)
        return false;
    /* U+2028 .. U+202E: line and paragraph ends, embeddings, overrides; U+2066 .. U+2069: isolates
     */
    return (at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
           (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

void kan_text_make_plain(kan_text *text) {
    size_t out = 0;
    for (size_t i = 0; i < text->size;) {
        const char *at = text->bytes + i;
        const size_t length = kan_utf8_length(at, text->size - i);
        if (length == 0 || (*at != '\n' && kan_utf8_steers(at, length))) {
            text->bytes[out++] = '?';
        } else {
            memmove(text->bytes + out, at, length);
            out += length;
        }
        i += length > 0 ? length : 1;
    }
    if (text->bytes)
        text->bytes[out] = '\0';
    text->size = out;
}

const char *kan_quote(kan_slice value, char *room) {
    const unsigned char *bytes = (const unsigned char *)value.bytes;
    size_t out = 0, i = 0;
    room[out++] = '\'';
    while (i < value.size && i < 40) {
        size_t n = kan_utf8_length(value.bytes + i, value.size - i);
        if (n == 0 || kan_utf8_steers(value.bytes + i, n)) {
            out += (size_t)snprintf(room + out, 5, "\\x%02x", bytes[i]);
            i++;
        } else {
            memcpy(room + out, bytes + i, n);
            out += n;
            i += n;
        }
    }
    if (i < value.size) {
        memcpy(room + out, "...", 3);
        out += 3;
    }
    room[out++] = '\'';
    room[out] = '\0';
    return room;
}

const char *kan_count_text(uint64_t count, char *room) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *out = room;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return room;
}

const char *kan_bytes_text(uint64_t bytes, char *room) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes;
    size_t unit = 0;
    while (amount >= 1024 && unit < 6) {
        amount /= 1024;
        unit++;
    }
    uint64_t tenths = (uint64_t)(amount * 10 + 0.5);
    if (unit == 0)
        snprintf(room, 32, "%" PRIu64 " %s", bytes, units[unit]);
    else
        snprintf(room, 32, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, units[unit]);
    return room;
}

bool kan_parse_count(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (!kan_is_digit(*text) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

/* Plain decimal notation, an optional exponent; no hexadecimal, no "inf", no blanks. */
static bool looks_like_number(const char *text, size_t size) {
    size_t i = 0, digits = 0;
    if (i < size && (text[i] == '+' || text[i] == '-'))
        i++;
    for (; i < size && kan_is_digit(text[i]); i++)
        digits++;
    if (i < size && text[i] == '.')
        for (i++; i < size && kan_is_digit(text[i]); i++)
            digits++;
    if (digits == 0)
        return false;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < size && (text[i] == '+' || text[i] == '-'))
            i++;
        size_t first = i;
        while (i < size && kan_is_digit(text[i]))
            i++;
        if (i == first)
            return false;
    }
    return i == size;
}

bool kan_parse_real(const char *text, size_t size, double *out) {
    if (size == 0 || size > 400 || !looks_like_number(text, size))
        return false;
    /* Whole numbers of up to 15 digits are exact without strtod, and far faster. */
    size_t first = text[0] == '-' || text[0] == '+';
    if (size - first <= 15) {
        uint64_t whole = 0;
        size_t i = first;
        for (; i < size && kan_is_digit(text[i]); i++)
            whole = whole * 10 + (uint64_t)(text[i] - '0');
        if (i == size) {
            *out = text[0] == '-' ? -(double)whole : (double)whole;
            return true;
        }
    }
    char copy[408];
    memcpy(copy, text, size);
    copy[size] = '\0';
    locale_t plain = plain_locale();
    double value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

bool kan_parse_bytes(const char *text, uint64_t *out) {
    size_t size = strlen(text);
    unsigned shift = 0;
    if (size >= 2 && (text[size - 1] == 'B' || text[size - 1] == 'b'))
        size--;
    bool is_binary = size >= 3 && text[size - 1] == 'i';
    size -= is_binary;
    if (size >= 2) {
        switch (text[size - 1]) {
        case 'k':
        case 'K':
            shift = 10;
            break;
        case 'm':
        case 'M':
            shift = 20;
            break;
        case 'g':
        case 'G':
            shift = 30;
            break;
        case 't':
        case 'T':
            shift = 40;
            break;
        default:
            break;
        }
        size -= shift > 0;
    }
    double amount;
    if ((is_binary && shift == 0) || !kan_parse_real(text, size, &amount) || amount < 0)
        return false;
    amount *= (double)(UINT64_C(1) << shift);
    if (amount >= 9e18)
        return false;
    *out = (uint64_t)amount;
    return true;
}
