/* Released columns as vectors of R. Each becomes a list: its name, the kind that R/columns.R looks at, its data,
 * and the levels of a dictionary. */
#include <stdint.h>
#include <string.h>

#include "kanon_r.h"

typedef struct {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    size_t n, first;
    const unsigned char *valid; /* NULL: all are there */
} column;

static bool is_there(const column *c, size_t i) {
    const size_t at = c->first + i;
    return !c->valid || (c->valid[at >> 3] >> (at & 7) & 1) != 0;
}

/* The whole number at a place, by its format. */
static int64_t word_at(const column *c, size_t i) {
    const void *words = c->array->buffers[1];
    const size_t at = c->first + i;
    switch (*c->schema->format) {
    case 'c':
        return ((const int8_t *)words)[at];
    case 'C':
        return ((const uint8_t *)words)[at];
    case 's':
        return ((const int16_t *)words)[at];
    case 'S':
        return ((const uint16_t *)words)[at];
    case 'i':
        return ((const int32_t *)words)[at];
    case 'I':
        return ((const uint32_t *)words)[at];
    default:
        return ((const int64_t *)words)[at];
    }
}

static SEXP text_at(const column *c, size_t i) {
    const size_t at = c->first + i;
    const char *format = c->schema->format;
    if (strcmp(format, "vu") == 0) {
        const int32_t *view = (const int32_t *)c->array->buffers[1] + 4 * at;
        const char *bytes = view[0] <= 12 ? (const char *)(view + 1)
                                          : (const char *)c->array->buffers[2 + view[2]] + view[3];
        return Rf_mkCharLenCE(bytes, view[0], CE_UTF8);
    }
    const char *bytes = c->array->buffers[2];
    const bool is_large = *format == 'U';
    const int64_t begin = is_large ? ((const int64_t *)c->array->buffers[1])[at]
                                   : ((const int32_t *)c->array->buffers[1])[at];
    const int64_t end = is_large ? ((const int64_t *)c->array->buffers[1])[at + 1]
                                 : ((const int32_t *)c->array->buffers[1])[at + 1];
    return Rf_mkCharLenCE(bytes ? bytes + begin : "", (int)(end - begin), CE_UTF8);
}

static SEXP texts_of(const column *c) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)c->n));
    for (size_t i = 0; i < c->n; i++)
        SET_STRING_ELT(out, (R_xlen_t)i, is_there(c, i) ? text_at(c, i) : NA_STRING);
    UNPROTECT(1);
    return out;
}

static SEXP logicals_of(const column *c) {
    const unsigned char *bits = c->array->buffers[1];
    SEXP out = Rf_allocVector(LGLSXP, (R_xlen_t)c->n);
    int *values = LOGICAL(out);
    for (size_t i = 0; i < c->n; i++) {
        const size_t at = c->first + i;
        values[i] = is_there(c, i) ? bits[at >> 3] >> (at & 7) & 1 : NA_LOGICAL;
    }
    return out;
}

/* `plus` is 1 for codes of factors. */
static SEXP integers_of(const column *c, int plus) {
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)c->n);
    int *values = INTEGER(out);
    for (size_t i = 0; i < c->n; i++)
        values[i] = is_there(c, i) ? (int)word_at(c, i) + plus : NA_INTEGER;
    return out;
}

static SEXP reals_of(const column *c) {
    const char form = *c->schema->format;
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)c->n);
    double *values = REAL(out);
    for (size_t i = 0; i < c->n; i++) {
        if (!is_there(c, i))
            values[i] = NA_REAL;
        else if (form == 'g')
            values[i] = ((const double *)c->array->buffers[1])[c->first + i];
        else if (form == 'f')
            values[i] = (double)((const float *)c->array->buffers[1])[c->first + i];
        else
            values[i] = (double)word_at(c, i);
    }
    return out;
}

/* As bit64 has them. */
static SEXP bits_of(const column *c) {
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)c->n);
    double *values = REAL(out);
    for (size_t i = 0; i < c->n; i++) {
        const int64_t word = is_there(c, i) ? word_at(c, i) : INT64_MIN;
        memcpy(&values[i], &word, sizeof word);
    }
    return out;
}

static column column_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                        size_t first, size_t n) {
    return (column){schema, array, n, first,
                    array->n_buffers > 0 && array->null_count != 0 ? array->buffers[0] : NULL};
}

static SEXP days_of(const column *c) {
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)c->n);
    double *values = REAL(out);
    const bool has_ms = strcmp(c->schema->format, "tdm") == 0;
    for (size_t i = 0; i < c->n; i++)
        values[i] = !is_there(c, i) ? NA_REAL
                    : has_ms
                        ? (double)((const int64_t *)c->array->buffers[1])[c->first + i] / 86400000.0
                        : (double)((const int32_t *)c->array->buffers[1])[c->first + i];
    return out;
}

/* The data of a column, and its kind. */
static SEXP data_of(const column *c, const char **kind) {
    const char *format = c->schema->format;
    if (c->array->dictionary) {
        *kind = "factor";
        return integers_of(c, 1);
    }
    *kind = "real";
    switch (*format) {
    case 'n':
        *kind = "missing";
        return R_NilValue;
    case 'b':
        *kind = "logical";
        return logicals_of(c);
    case 'u':
    case 'U':
    case 'v':
        *kind = "text";
        return texts_of(c);
    case 'c':
    case 'C':
    case 's':
    case 'S':
    case 'i':
        *kind = "integer";
        return integers_of(c, 0);
    case 'l':
        *kind = "bits";
        return bits_of(c);
    case 'I':
    case 'L':
    case 'f':
    case 'g':
        return reals_of(c);
    case 't':
        if (format[1] == 'd') {
            *kind = "days";
            return days_of(c);
        }
        *kind = format;
        if (format[1] == 't' && (format[2] == 's' || format[2] == 'm')) {
            column words = *c;
            struct ArrowSchema as_int = {.format = "i"};
            words.schema = &as_int;
            return reals_of(&words);
        }
        return reals_of(c);
    default:
        *kind = "unread";
        return R_NilValue;
    }
}

static SEXP list_of(const column *c) {
    static const char *const names[] = {"name", "kind", "data", "levels", ""};
    const char *kind;
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)(uintptr_t)names));
    SET_VECTOR_ELT(out, 2, data_of(c, &kind));
    SET_VECTOR_ELT(out, 1, Rf_mkString(kind));
    SEXP name = PROTECT(Rf_allocVector(STRSXP, 1));
    SET_STRING_ELT(name, 0, Rf_mkCharCE(c->schema->name ? c->schema->name : "", CE_UTF8));
    SET_VECTOR_ELT(out, 0, name);
    if (c->array->dictionary) {
        const struct ArrowArray *array = c->array->dictionary;
        const column levels =
            column_of(c->schema->dictionary, array, (size_t)array->offset, (size_t)array->length);
        SEXP inner = PROTECT(list_of(&levels)); /* of any type */
        SET_VECTOR_ELT(out, 3, inner);
        UNPROTECT(1);
    }
    UNPROTECT(2);
    return out;
}

SEXP kanon_columns_of(const struct ArrowSchema *schema, const struct ArrowArray *batch) {
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)batch->n_children));
    for (int64_t i = 0; i < batch->n_children; i++) {
        const struct ArrowArray *array = batch->children[i];
        const column c = column_of(schema->children[i], array,
                                   (size_t)(array->offset + batch->offset), (size_t)batch->length);
        SET_VECTOR_ELT(out, (R_xlen_t)i, list_of(&c));
    }
    UNPROTECT(1);
    return out;
}
