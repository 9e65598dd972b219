/* Jobs: settings and tables in, a list of what came out. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kanon_r.h"

#include <R_ext/Utils.h>

/* ---- what is not R's ------------------------------------------------------------------------ */

static void end_work(kanon_work *w) {
    if (w->batch.release)
        w->batch.release(&w->batch);
    if (w->schema.release)
        w->schema.release(&w->schema);
    if (w->stream.release)
        w->stream.release(&w->stream);
    kan_result_destroy(w->result);
    kan_job_destroy(w->job);
    for (int i = 0; i < w->n_tables; i++)
        kan_table_destroy(w->tables[i]);
    for (int i = 0; i < w->n_lines; i++)
        kan_table_destroy(w->lines[i]);
    for (size_t i = 0; i < w->n_notes; i++)
        free(w->notes[i]);
    free(w->notes);
    kan_run_destroy(w->run);
    memset(w, 0, sizeof *w);
}

static void forget(SEXP holder) {
    kanon_work *w = R_ExternalPtrAddr(holder);
    if (!w)
        return;
    end_work(w);
    free(w);
    R_ClearExternalPtr(holder);
}

/* ---- callbacks ------------------------------------------------------------------------------ */

static void look_for_interrupt(void *nothing) {
    (void)nothing;
    R_CheckUserInterrupt();
}

static SEXP real_or_null(bool is_known, double value) {
    return is_known ? Rf_ScalarReal(value) : R_NilValue;
}

/* Within R_ToplevelExec: whatever fails here does not jump over the library. */
typedef struct {
    const kanon_work *work;
    const kan_progress *told;
    int outcome; /* what R/commands.R makes of the function: 0 it is done, 1 it was interrupted, 2 it failed */
} call;

static void tell_progress(void *data) {
    call *c = data;
    const kan_progress *p = c->told;
    int error = 0;
    SEXP stage = PROTECT(Rf_mkString(p->stage));
    SEXP done = PROTECT(Rf_ScalarReal((double)p->done));
    SEXP total = PROTECT(real_or_null(p->total > 0, (double)p->total));
    SEXP best = PROTECT(real_or_null(p->has_best, p->best));
    SEXP bound = PROTECT(real_or_null(p->has_bound, p->bound));
    SEXP words = PROTECT(Rf_lang6(c->work->progress, stage, done, total, best, bound));
    SEXP out = R_tryEvalSilent(words, R_GlobalEnv, &error);
    if (!error && Rf_isInteger(out) && Rf_xlength(out) == 1)
        c->outcome = INTEGER(out)[0];
    UNPROTECT(6);
}

/* Ctrl-C and Esc mean what they do on the command line: the first one lets a search that gets better with time
 * end with its best so far, and cancels all else; the second one cancels. */
static void take_interrupt(kanon_work *w) {
    if (w->is_interrupted)
        kan_run_cancel(w->run);
    else
        kan_run_interrupt(w->run);
    w->is_interrupted = true;
}

static void on_progress(void *user, const kan_progress *p) {
    kanon_work *w = user;
    call c = {w, p, 2};
    if (!R_ToplevelExec(look_for_interrupt, NULL)) {
        take_interrupt(w);
    } else if (w->progress != R_NilValue && !w->has_failed) {
        if (!R_ToplevelExec(tell_progress, &c) || c.outcome == 2) {
            w->has_failed = true;
            kan_run_cancel(w->run);
        } else if (c.outcome == 1) {
            take_interrupt(w);
        }
    }
}

static void on_note(void *user, const char *note) {
    kanon_work *w = user;
    if (w->n_notes == w->note_capacity) {
        const size_t capacity = w->note_capacity ? 2 * w->note_capacity : 16;
        char **notes = realloc(w->notes, capacity * sizeof *notes);
        if (!notes)
            return;
        w->notes = notes;
        w->note_capacity = capacity;
    }
    char *copy = malloc(strlen(note) + 1);
    if (copy)
        w->notes[w->n_notes++] = strcpy(copy, note);
}

/* ---- what goes in --------------------------------------------------------------------------- */

static const char *text_or_null(SEXP texts, R_xlen_t i) {
    return STRING_ELT(texts, i) == NA_STRING ? NULL : CHAR(STRING_ELT(texts, i));
}

/* Each table is (setting, columns, number of rows). */
static kan_status use_tables(kanon_work *w, SEXP tables) {
    kan_status status = KAN_OK;
    for (R_xlen_t i = 0; i < Rf_xlength(tables) && status == KAN_OK; i++) {
        SEXP table = VECTOR_ELT(tables, i);
        struct ArrowArrayStream stream;
        if (!kanon_stream_of(VECTOR_ELT(table, 1), Rf_asReal(VECTOR_ELT(table, 2)), &stream))
            return KAN_FAILED; /* without a text: memory is out */
        status = kan_table_from_arrow(w->run, &stream, &w->tables[w->n_tables]);
        w->n_tables += status == KAN_OK;
        if (status == KAN_OK)
            status = kan_job_use_table_as(w->job, CHAR(STRING_ELT(VECTOR_ELT(table, 0), 0)),
                                          w->tables[w->n_tables - 1]);
    }
    return status;
}

/* Each hierarchy is (setting, column, a list of levels, each a vector of texts of one length). */
static kan_status use_hierarchy(kanon_work *w, SEXP hierarchy) {
    SEXP levels = VECTOR_ELT(hierarchy, 2);
    const size_t n_levels = (size_t)Rf_xlength(levels);
    const R_xlen_t n = n_levels ? Rf_xlength(VECTOR_ELT(levels, 0)) : 0;
    const char **cells = malloc((n_levels ? n_levels : 1) * sizeof *cells);
    char(*names)[8] = malloc((n_levels ? n_levels : 1) * sizeof *names);
    kan_status status = cells && names ? KAN_OK : KAN_FAILED;
    for (size_t i = 0; i < n_levels && status == KAN_OK; i++) {
        snprintf(names[i], sizeof names[i], "%u", (unsigned)(i % 1000000));
        cells[i] = names[i];
    }
    kan_table *lines = NULL;
    if (status == KAN_OK)
        status = kan_table_create(w->run, n_levels, cells, &lines);
    if (status == KAN_OK)
        w->lines[w->n_lines++] = lines;
    for (R_xlen_t row = 0; row < n && status == KAN_OK; row++) {
        for (size_t i = 0; i < n_levels; i++)
            cells[i] = text_or_null(VECTOR_ELT(levels, (R_xlen_t)i), row);
        status = kan_table_add_row(lines, cells);
    }
    if (status == KAN_OK)
        status = kan_job_use_hierarchy(w->job, CHAR(STRING_ELT(VECTOR_ELT(hierarchy, 0), 0)),
                                       CHAR(STRING_ELT(VECTOR_ELT(hierarchy, 1), 0)), lines);
    free(cells);
    free(names);
    return status;
}

/* Settings are three vectors of texts: names, columns (NA: it is about none) and values (NA: none); and which
 * hierarchy in memory stands for the value, NA: none. They are set in their order, which settings go by. */
static kan_status set_all(kanon_work *w, SEXP settings, SEXP hierarchies) {
    const int *lines = INTEGER_RO(VECTOR_ELT(settings, 3));
    SEXP names = VECTOR_ELT(settings, 0), columns = VECTOR_ELT(settings, 1),
         values = VECTOR_ELT(settings, 2);
    kan_status status = KAN_OK;
    for (R_xlen_t i = 0; i < Rf_xlength(names) && status == KAN_OK; i++) {
        const char *name = CHAR(STRING_ELT(names, i)), *column = text_or_null(columns, i);
        const char *value = text_or_null(values, i);
        if (lines[i] != NA_INTEGER)
            status = use_hierarchy(w, VECTOR_ELT(hierarchies, lines[i] - 1));
        else
            status = column ? kan_job_set_column(w->job, name, column, value)
                            : kan_job_set(w->job, name, value);
    }
    return status;
}

static kan_status begin(kanon_work *w, SEXP settings, SEXP tables, SEXP hierarchies) {
    kan_status status = kan_job_create(w->run, &w->job);
    if (status == KAN_OK)
        status = use_tables(w, tables);
    return status == KAN_OK ? set_all(w, settings, hierarchies) : status;
}

/* Errors of R before anything is held: nothing is read beyond its end, whatever R/ hands over. */
static void check_lengths(SEXP settings, SEXP tables, SEXP hierarchies) {
    const R_xlen_t n_settings = Rf_xlength(VECTOR_ELT(settings, 0)),
                   n_lines = Rf_xlength(hierarchies);
    for (int i = 1; i < 4; i++)
        if (Rf_xlength(VECTOR_ELT(settings, i)) != n_settings)
            Rf_error("kanon: settings of different lengths");
    for (R_xlen_t i = 0; i < n_settings; i++) {
        const int line = INTEGER_ELT(VECTOR_ELT(settings, 3), i);
        if (line != NA_INTEGER && (line < 1 || line > n_lines))
            Rf_error("kanon: no such hierarchy");
    }
    if (Rf_xlength(tables) > KANON_MOST_TABLES || n_lines > KANON_MOST_LINES)
        Rf_error("kanon: too many tables or hierarchies");
    for (R_xlen_t i = 0; i < Rf_xlength(tables); i++)
        kanon_check_columns(VECTOR_ELT(VECTOR_ELT(tables, i), 1),
                            Rf_asReal(VECTOR_ELT(VECTOR_ELT(tables, i), 2)));
    for (R_xlen_t i = 0; i < n_lines; i++) {
        SEXP levels = VECTOR_ELT(VECTOR_ELT(hierarchies, i), 2);
        for (R_xlen_t j = 0; j < Rf_xlength(levels); j++)
            if (!Rf_isString(VECTOR_ELT(levels, j)) ||
                Rf_xlength(VECTOR_ELT(levels, j)) != Rf_xlength(VECTOR_ELT(levels, 0)))
                Rf_error("kanon: levels of a hierarchy have different lengths");
    }
}

/* ---- what comes out ------------------------------------------------------------------------- */

static SEXP text_of(const char *text) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, 1));
    SET_STRING_ELT(out, 0, text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
    UNPROTECT(1);
    return out;
}

static kan_status take_release(kanon_work *w) {
    kan_status status = kan_result_to_arrow(w->result, &w->stream);
    if (status != KAN_OK)
        return status;
    if (w->stream.get_schema(&w->stream, &w->schema) != 0) {
        w->schema.release = NULL;
        return KAN_FAILED;
    }
    if (w->stream.get_next(&w->stream, &w->batch) != 0) {
        w->batch.release = NULL;
        return KAN_FAILED;
    }
    return KAN_OK;
}

enum {
    STATUS,
    ERROR_TEXT,
    NO_MEMORY,
    INTERRUPTED,
    PROGRESS_FAILED,
    NOTES,
    JSON,
    SUMMARY,
    HOLDS,
    UNCHECKED,
    JOB,
    COLUMNS,
    ROWS
};

static SEXP outcome(kanon_work *w, kan_status status, const char *job) {
    static const char *const names[] = {
        "status",  "error", "no_memory", "interrupted", "progress_failed", "notes", "json",
        "summary", "holds", "unchecked", "job",         "columns",         "rows",  ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, (const char **)(uintptr_t)names));
    SET_VECTOR_ELT(out, STATUS, Rf_ScalarInteger((int)status));
    if (status != KAN_OK) {
        const char *error = kan_run_error(w->run);
        SET_VECTOR_ELT(out, ERROR_TEXT, text_of(*error ? error : "out of memory"));
        SET_VECTOR_ELT(out, NO_MEMORY,
                       Rf_ScalarLogical(kan_run_is_out_of_memory(w->run) || !*error));
    }
    SET_VECTOR_ELT(out, INTERRUPTED, Rf_ScalarLogical(w->is_interrupted));
    SET_VECTOR_ELT(out, PROGRESS_FAILED, Rf_ScalarLogical(w->has_failed));
    SEXP notes = Rf_allocVector(STRSXP, (R_xlen_t)w->n_notes);
    SET_VECTOR_ELT(out, NOTES, notes);
    for (size_t i = 0; i < w->n_notes; i++)
        SET_STRING_ELT(notes, (R_xlen_t)i, Rf_mkCharCE(w->notes[i], CE_UTF8));
    if (status == KAN_OK) {
        SET_VECTOR_ELT(out, JSON, text_of(kan_result_json(w->result)));
        SET_VECTOR_ELT(out, SUMMARY, text_of(kan_result_summary(w->result)));
        SET_VECTOR_ELT(out, HOLDS, Rf_ScalarLogical(kan_result_holds(w->result)));
        SET_VECTOR_ELT(out, UNCHECKED, text_of(kan_result_unchecked(w->result)));
        SET_VECTOR_ELT(out, JOB, text_of(job));
        if (w->batch.release) {
            SET_VECTOR_ELT(out, COLUMNS, kanon_columns_of(&w->schema, &w->batch));
            SET_VECTOR_ELT(out, ROWS, Rf_ScalarReal((double)w->batch.length));
        }
    }
    UNPROTECT(1);
    return out;
}

SEXP kanon_c_run(SEXP command, SEXP settings, SEXP tables, SEXP hierarchies, SEXP wants_table,
                 SEXP progress) {
    check_lengths(settings, tables, hierarchies);
    kanon_work *w = calloc(1, sizeof *w);
    if (!w)
        Rf_error("kanon: out of memory");
    SEXP holder = PROTECT(R_MakeExternalPtr(w, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(holder, forget, TRUE);
    w->progress = progress;
    w->run = kan_run_create();
    if (!w->run)
        Rf_error("kanon: out of memory");
    kan_run_on_progress(w->run, on_progress, w);
    kan_run_on_note(w->run, on_note, w);
    const char *job = NULL;
    const bool is_asked = Rf_asLogical(wants_table) == 1;
    kan_status status = begin(w, settings, tables, hierarchies);
    const bool gives_table = status == KAN_OK && is_asked && !kan_job_get(w->job, "output", 0);
    if (gives_table) /* a job file may have an output */
        kan_job_want_arrow(w->job);
    if (status == KAN_OK)
        status = kan_job_run(w->job, CHAR(STRING_ELT(command, 0)), &w->result);
    if (status == KAN_OK && gives_table)
        status = take_release(w);
    if (status == KAN_OK && kan_job_write(w->job, &job) != KAN_OK)
        job =
            NULL; /* YAML cannot hold one of the values; what was asked for is done all the same */
    SEXP out = PROTECT(outcome(w, status, job));
    forget(holder);
    UNPROTECT(2);
    return out;
}
