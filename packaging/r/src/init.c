/* What R calls, and what there is: settings, commands, kinds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kanon_r.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

SEXP kanon_c_version(void) {
    return Rf_mkString(kan_version());
}

static SEXP char_of(const char *text) {
    return text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING;
}

/* A data frame's columns, one row for each setting. */
SEXP kanon_c_settings(void) {
    static const char *const names[] = {
        "name",    "argument",      "summary",    "group",  "fallback",    "choices", "commands",
        "repeats", "takes_columns", "takes_path", "writes", "is_everyday", ""};
    enum { N_TEXTS = 7, N_TRUTHS = 5 };
    const R_xlen_t n = (R_xlen_t)kan_setting_count();
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)(uintptr_t)names));
    for (int i = 0; i < N_TEXTS + N_TRUTHS; i++)
        SET_VECTOR_ELT(out, i, Rf_allocVector(i < N_TEXTS ? STRSXP : LGLSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const kan_setting *s = kan_setting_at((size_t)i);
        const char *const texts[N_TEXTS] = {s->name,    s->argument, s->summary,
                                            s->group,   s->fallback, kan_setting_choices(s),
                                            s->commands};
        const bool truths[N_TRUTHS] = {s->repeats, kan_setting_takes_columns(s),
                                       kan_setting_takes_path(s), s->file == KAN_FILE_WRITTEN,
                                       (s->traits & KAN_TRAIT_EVERYDAY) != 0};
        for (int j = 0; j < N_TEXTS; j++)
            SET_STRING_ELT(VECTOR_ELT(out, j), i, char_of(texts[j]));
        for (int j = 0; j < N_TRUTHS; j++)
            LOGICAL(VECTOR_ELT(out, N_TEXTS + j))[i] = truths[j];
    }
    UNPROTECT(1);
    return out;
}

SEXP kanon_c_commands(void) {
    static const char *const names[] = {"name", "summary", "about", ""};
    const R_xlen_t n = (R_xlen_t)kan_command_count();
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)(uintptr_t)names));
    for (int i = 0; i < 3; i++)
        SET_VECTOR_ELT(out, i, Rf_allocVector(STRSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const kan_command *c = kan_command_at((size_t)i);
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, char_of(c->name));
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, char_of(c->summary));
        SET_STRING_ELT(VECTOR_ELT(out, 2), i, char_of(c->about));
    }
    UNPROTECT(1);
    return out;
}

SEXP kanon_c_nearest(SEXP name, SEXP command) {
    const char *near = kan_setting_nearest(CHAR(STRING_ELT(name, 0)), CHAR(STRING_ELT(command, 0)));
    SEXP out = PROTECT(Rf_allocVector(STRSXP, 1));
    SET_STRING_ELT(out, 0, char_of(near));
    UNPROTECT(1);
    return out;
}

SEXP kanon_c_list(void) {
    const char *text = NULL;
    kan_run *run = kan_run_create();
    char *copy = NULL;
    if (run && kan_list(run, false, &text) == KAN_OK) {
        copy =
            R_alloc(strlen(text) + 1, 1); /* a jump from here leaves a run behind, which is small */
        strcpy(copy, text);
    }
    kan_run_destroy(run);
    if (!copy)
        Rf_error("kanon: out of memory");
    SEXP out = PROTECT(Rf_allocVector(STRSXP, 1));
    SET_STRING_ELT(out, 0, char_of(copy));
    UNPROTECT(1);
    return out;
}

/* The text that kanon has for a number: the fewest digits that give the same one, whole ones as such. NA for what
 * is missing. */
SEXP kanon_c_texts(SEXP numbers) {
    const R_xlen_t n = Rf_xlength(numbers);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const double number = REAL(numbers)[i];
        char text[40];
        if (ISNAN(number)) {
            SET_STRING_ELT(out, i, NA_STRING);
            continue;
        }
        if (!R_FINITE(number)) {
            snprintf(text, sizeof text, "%s", number > 0 ? "inf" : "-inf");
        } else if (number > -9.2e18 && number < 9.2e18 && number == (double)(int64_t)number) {
            snprintf(text, sizeof text, "%lld", (long long)number);
        } else {
            for (int digits = 15; digits <= 17; digits++) {
                snprintf(text, sizeof text, "%.*g", digits, number);
                if (strtod(text, NULL) == number)
                    break;
            }
        }
        SET_STRING_ELT(out, i, Rf_mkChar(text));
    }
    UNPROTECT(1);
    return out;
}

/* What is missing in numbers, as R tells it apart: NaN, NA, and NA with a letter, as haven tags it. */
SEXP kanon_c_missing_kinds(SEXP numbers) {
    const R_xlen_t n = Rf_xlength(numbers);
    const double *values = REAL_RO(numbers);
    bool is_seen[257] = {false}; /* by the tag, 0 for none; NaN is the last */
    int n_kinds = 0;
    for (R_xlen_t i = 0; i < n; i++) {
        uint64_t bits;
        if (!ISNAN(values[i]))
            continue;
        memcpy(&bits, &values[i], sizeof bits);
        const int kind = R_IsNA(values[i]) ? (int)(bits >> 32 & 255) : 256;
        n_kinds += !is_seen[kind];
        is_seen[kind] = true;
    }
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n_kinds));
    for (int kind = 0, at = 0; kind <= 256; kind++) {
        char text[16];
        if (!is_seen[kind])
            continue;
        if (kind > 32 && kind < 127)
            snprintf(text, sizeof text, "NA(%c)", kind);
        else
            snprintf(text, sizeof text, kind == 256 ? "NaN" : kind ? "NA(?)" : "NA");
        SET_STRING_ELT(out, at++, Rf_mkChar(text));
    }
    UNPROTECT(1);
    return out;
}

#define CALL(name, n)                                                                              \
    { #name, (DL_FUNC)(void (*)(void))(name), n }

static const R_CallMethodDef calls[] = {
    CALL(kanon_c_version, 0), CALL(kanon_c_settings, 0), CALL(kanon_c_commands, 0),
    CALL(kanon_c_nearest, 2), CALL(kanon_c_list, 0),     CALL(kanon_c_json, 1),
    CALL(kanon_c_texts, 1),   CALL(kanon_c_run, 6),      CALL(kanon_c_missing_kinds, 1),
    {NULL, NULL, 0},
};

attribute_visible void R_init_kanon(DllInfo *dll) {
    R_registerRoutines(dll, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
