/* JSON as R has it: objects are named lists; arrays of numbers, of texts and of truths are vectors, in which null is
 * NA; other arrays are lists. The text is libkanon's own, so that what is wrong in it is a fault of ours. */
#include <stdlib.h>
#include <string.h>

#include "kanon_r.h"

enum { MOST_DEPTH = 64, TEXT_ROOM = 4 };

typedef struct {
    const char *at;
    int depth;
} reader;

static SEXP read_value(reader *r);

static void fail(void) {
    Rf_error("kanon: the JSON of a result cannot be read; report it");
}

static void skip(reader *r) {
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static bool take(reader *r, char sign) {
    skip(r);
    if (*r->at != sign)
        return false;
    r->at++;
    return true;
}

static unsigned hex_of(reader *r) {
    unsigned out = 0;
    for (int i = 0; i < 4; i++) {
        const char c = *r->at++;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                      : 99;
        if (digit > 15)
            fail();
        out = out << 4 | digit;
    }
    return out;
}

static size_t put_utf8(char *out, unsigned code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static size_t read_escape(reader *r, char *out) {
    static const char signs[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char sign = *r->at++;
    const char *found = sign ? strchr(signs, sign) : NULL;
    if (found) {
        *out = means[found - signs];
        return 1;
    }
    if (sign != 'u')
        fail();
    unsigned code = hex_of(r);
    if (code >= 0xD800 && code < 0xDC00 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        code = 0x10000 + ((code - 0xD800) << 10) + (hex_of(r) - 0xDC00);
    }
    return code ? put_utf8(out, code) : 0; /* R has no text with a zero byte */
}

/* A text, behind its first quote. Its room is R's, which takes it back. */
static SEXP read_text(reader *r) {
    const char *end = r->at;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    const void *mark = vmaxget();
    char *room = R_alloc((size_t)(end - r->at) + TEXT_ROOM, 1);
    size_t n = 0;
    while (r->at < end) {
        if (*r->at == '\\') {
            r->at++;
            n += read_escape(r, room + n);
        } else {
            room[n++] = *r->at++;
        }
    }
    if (*r->at++ != '"')
        fail();
    SEXP out = Rf_mkCharLenCE(room, (int)n, CE_UTF8);
    vmaxset(mark);
    return out;
}

static SEXP read_object(reader *r) {
    PROTECT_INDEX at_list, at_names;
    SEXP list, names;
    R_xlen_t n = 0, room = 16;
    PROTECT_WITH_INDEX(list = Rf_allocVector(VECSXP, room), &at_list);
    PROTECT_WITH_INDEX(names = Rf_allocVector(STRSXP, room), &at_names);
    if (!take(r, '}')) {
        do {
            if (n == room) {
                room *= 2;
                REPROTECT(list = Rf_xlengthgets(list, room), at_list);
                REPROTECT(names = Rf_xlengthgets(names, room), at_names);
            }
            if (!take(r, '"'))
                fail();
            SET_STRING_ELT(names, n, read_text(r));
            if (!take(r, ':'))
                fail();
            SET_VECTOR_ELT(list, n++, read_value(r));
        } while (take(r, ','));
        if (!take(r, '}'))
            fail();
    }
    REPROTECT(list = Rf_xlengthgets(list, n), at_list);
    REPROTECT(names = Rf_xlengthgets(names, n), at_names);
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

/* A list whose values are all numbers, texts or truths, or null, as a vector; others as they are. */
static SEXP simplify(SEXP list) {
    const R_xlen_t n = Rf_xlength(list);
    int type = NILSXP;
    for (R_xlen_t i = 0; i < n; i++) {
        SEXP item = VECTOR_ELT(list, i);
        if (item == R_NilValue)
            continue;
        if (!Rf_isVectorAtomic(item) || Rf_xlength(item) != 1 ||
            Rf_getAttrib(item, Rf_install("kanon_array")) != R_NilValue ||
            (type != NILSXP && type != TYPEOF(item)))
            return list;
        type = TYPEOF(item);
    }
    if (type == NILSXP)
        return list;
    SEXP out = PROTECT(Rf_allocVector((SEXPTYPE)type, n));
    for (R_xlen_t i = 0; i < n; i++) {
        SEXP item = VECTOR_ELT(list, i);
        const bool is_null = item == R_NilValue;
        if (type == REALSXP)
            REAL(out)[i] = is_null ? NA_REAL : REAL(item)[0];
        else if (type == LGLSXP)
            LOGICAL(out)[i] = is_null ? NA_LOGICAL : LOGICAL(item)[0];
        else
            SET_STRING_ELT(out, i, is_null ? NA_STRING : STRING_ELT(item, 0));
    }
    UNPROTECT(1);
    return out;
}

static SEXP read_array(reader *r, bool *is_atomic) {
    PROTECT_INDEX at_list;
    SEXP list;
    R_xlen_t n = 0, room = 16;
    PROTECT_WITH_INDEX(list = Rf_allocVector(VECSXP, room), &at_list);
    if (!take(r, ']')) {
        do {
            if (n == room) {
                room *= 2;
                REPROTECT(list = Rf_xlengthgets(list, room), at_list);
            }
            skip(r);
            const bool is_array = *r->at == '[';
            SEXP item = PROTECT(read_value(r));
            if (is_array && Rf_isVectorAtomic(item))
                Rf_setAttrib(item, Rf_install("kanon_array"), Rf_ScalarLogical(1));
            SET_VECTOR_ELT(list, n++, item);
            UNPROTECT(1);
        } while (take(r, ','));
        if (!take(r, ']'))
            fail();
    }
    REPROTECT(list = Rf_xlengthgets(list, n), at_list);
    SEXP out = PROTECT(simplify(list));
    *is_atomic = out != list;
    if (out == list) /* the marks of arrays in it have done their work */
        for (R_xlen_t i = 0; i < n; i++)
            if (Rf_isVectorAtomic(VECTOR_ELT(out, i)))
                Rf_setAttrib(VECTOR_ELT(out, i), Rf_install("kanon_array"), R_NilValue);
    UNPROTECT(2);
    return out;
}

static SEXP read_value(reader *r) {
    bool is_atomic;
    if (++r->depth > MOST_DEPTH)
        fail();
    skip(r);
    const char sign = *r->at;
    SEXP out = R_NilValue;
    if (sign == '{') {
        r->at++;
        out = read_object(r);
    } else if (sign == '[') {
        r->at++;
        out = read_array(r, &is_atomic);
    } else if (sign == '"') {
        r->at++;
        SEXP text = PROTECT(read_text(r));
        out = Rf_ScalarString(text);
        UNPROTECT(1);
    } else if (strncmp(r->at, "true", 4) == 0) {
        r->at += 4;
        out = Rf_ScalarLogical(1);
    } else if (strncmp(r->at, "false", 5) == 0) {
        r->at += 5;
        out = Rf_ScalarLogical(0);
    } else if (strncmp(r->at, "null", 4) == 0) {
        r->at += 4;
    } else {
        char *end;
        const double number = R_strtod(r->at, &end); /* whatever the locale is */
        if (end == r->at)
            fail();
        r->at = end;
        out = Rf_ScalarReal(number);
    }
    r->depth--;
    return out;
}

SEXP kanon_c_json(SEXP text) {
    reader r = {CHAR(STRING_ELT(text, 0)), 0};
    return read_value(&r);
}
