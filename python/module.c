/* The C part of the Python package: jobs, and columns in memory, by the public headers alone.
 *
 * Stable ABI of Python 3.9: one binary for it and all that follow. Everything that has to do with
 * frames, defaults and names is Python (kanon/); here is what Python cannot do: calling the library
 * without the interpreter's lock, and the structs of Arrow.
 */
#include "streams.h"

static PyObject *text_or_none(const char *text) {
    if (text)
        return kanon_text_of(text);
    Py_INCREF(Py_None);
    return Py_None;
}

/* ---- what there is -------------------------------------------------------------------------- */

static PyObject *list_settings(PyObject *module, PyObject *args) {
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (size_t i = 0; list && i < kan_setting_count(); i++) {
        const kan_setting *s = kan_setting_at(i);
        PyObject *item = Py_BuildValue(
            "{s:s,s:z,s:s,s:s,s:z,s:N,s:s,s:N,s:N,s:z,s:N,s:N,s:N}", "name", s->name, "argument",
            s->argument, "summary", s->summary, "group", s->group, "fallback", s->fallback,
            "repeats", PyBool_FromLong(s->repeats), "commands", s->commands, "takes_columns",
            PyBool_FromLong(kan_setting_takes_columns(s)), "writes",
            PyBool_FromLong(s->file == KAN_FILE_WRITTEN), "choices", kan_setting_choices(s),
            "takes_path", PyBool_FromLong(kan_setting_takes_path(s)), "everyday",
            PyBool_FromLong((s->traits & KAN_TRAIT_EVERYDAY) != 0), "secret",
            PyBool_FromLong(kan_setting_is_secret(s)));
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *list_commands(PyObject *module, PyObject *args) {
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (size_t i = 0; list && i < kan_command_count(); i++) {
        const kan_command *c = kan_command_at(i);
        PyObject *item = Py_BuildValue("{s:s,s:s,s:s,s:z,s:N}", "name", c->name, "words", c->words,
                                       "summary", c->summary, "about", c->about, "needs_columns",
                                       PyBool_FromLong(kan_command_needs(c, "qi")));
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* Every kind that there is, as JSON, and those of every day in words. */
static PyObject *list_kinds(PyObject *module, PyObject *args) {
    const char *json = NULL, *words = NULL;
    PyObject *both = NULL;
    (void)module;
    (void)args;
    kan_run *run = kan_run_create();
    if (!run)
        return PyErr_NoMemory();
    if (kan_list(run, true, &json) == KAN_OK && kan_list_everyday(run, &words) == KAN_OK)
        both = Py_BuildValue("(NN)", kanon_text_of(json), kanon_text_of(words));
    else
        PyErr_NoMemory(); /* nothing else can be wrong with a list of constants */
    kan_run_destroy(run);
    return both;
}

static PyObject *nearest_setting(PyObject *module, PyObject *args) {
    const char *name, *command;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss", &name, &command))
        return NULL;
    return Py_BuildValue("z", kan_setting_nearest(name, command));
}

static PyObject *version(PyObject *module, PyObject *args) {
    (void)module;
    (void)args;
    return PyUnicode_FromString(kan_version());
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* A job at work. */
typedef struct {
    kan_run *run;
    PyThreadState *thread; /* saved while the library works */
    PyObject *progress, *note;
    PyObject *error_type, *error, *error_trace; /* what a callback raised */
    bool is_interrupted;                        /* by Ctrl-C, once */
} work;

enum { MOST_LEVELS = 250 };

/* Keeps what was raised, and stops the job. */
static void take_error(work *w) {
    if (w->error_type)
        PyErr_Clear();
    else
        PyErr_Fetch(&w->error_type, &w->error, &w->error_trace);
    kan_run_cancel(w->run);
}

/* Ctrl-C means what it does on the command line: the first one lets a search that gets better with time
 * end with its best so far, and cancels all else; the second one cancels. A handler of the user's that
 * raises something else is an error as any other. */
static void take_signal(work *w) {
    if (w->is_interrupted || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        take_error(w);
        return;
    }
    PyErr_Clear();
    w->is_interrupted = true;
    kan_run_interrupt(w->run);
}

/* The library works without the lock from `leave` to `enter`; callbacks take it in between. */
static void leave(work *w) {
    w->thread = PyEval_SaveThread();
}

static void enter(work *w) {
    PyThreadState *thread = w->thread;
    w->thread = NULL;
    PyEval_RestoreThread(thread);
}

static void on_progress(void *user, const kan_progress *p) {
    work *w = user;
    const bool has_left = w->thread != NULL;
    if (has_left)
        enter(w);
    if (PyErr_CheckSignals() != 0) {
        take_signal(w);
    } else if (w->progress != Py_None && !w->error_type) {
        PyObject *best = p->has_best ? PyFloat_FromDouble(p->best) : Py_BuildValue("");
        PyObject *bound = p->has_bound ? PyFloat_FromDouble(p->bound) : Py_BuildValue("");
        PyObject *done =
            PyObject_CallFunction(w->progress, "sKKNN", p->stage, (unsigned long long)p->done,
                                  (unsigned long long)p->total, best, bound);
        if (!done)
            take_signal(w); /* it may come while the function runs */
        Py_XDECREF(done);
    }
    if (has_left)
        leave(w);
}

static void on_note(void *user, const char *note) {
    work *w = user;
    const bool has_left = w->thread != NULL;
    if (has_left)
        enter(w);
    PyObject *done = PyObject_CallFunction(w->note, "N", kanon_text_of(note));
    if (!done)
        take_signal(w);
    Py_XDECREF(done);
    if (has_left)
        leave(w);
}

/* A hierarchy whose lines are Python's: texts, as many in each. */
static kan_status use_lines(work *w, kan_job *job, const char *setting, const char *column,
                            PyObject *lines) {
    const char *names[MOST_LEVELS], *cells[MOST_LEVELS];
    char named[MOST_LEVELS][8];
    PyObject *first = PyList_GetItem(lines, 0);
    const Py_ssize_t n = first ? PyList_Size(first) : -1;
    kan_table *table;
    if (n < 1 || n > MOST_LEVELS) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "lines have too many labels");
        return KAN_FAILED;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyOS_snprintf(named[i], sizeof named[i], "%d", (int)i);
        names[i] = named[i];
    }
    kan_status status = kan_table_create(w->run, (size_t)n, names, &table);
    if (status != KAN_OK)
        return status;
    for (Py_ssize_t row = 0; row < PyList_Size(lines) && status == KAN_OK; row++) {
        PyObject *line = PyList_GetItem(lines, row);
        for (Py_ssize_t i = 0; i < n && status == KAN_OK; i++) {
            PyObject *cell = PyList_GetItem(line, i);
            cells[i] = cell ? PyBytes_AsString(cell) : NULL;
            status = cells[i] ? KAN_OK : KAN_FAILED;
        }
        if (status == KAN_OK)
            status = kan_table_add_row(table, cells);
    }
    if (status == KAN_OK)
        status = kan_job_use_hierarchy(job, setting, column, table);
    kan_table_destroy(table);
    return status;
}

/* Each is (name, column or None, text or None); lines of a hierarchy stand in place of a text. */
static kan_status set_all(work *w, kan_job *job, PyObject *settings) {
    kan_status status = KAN_OK;
    for (Py_ssize_t i = 0; i < PyList_Size(settings) && status == KAN_OK; i++) {
        const char *name, *column, *value;
        PyObject *item = PyList_GetItem(settings, i), *lines;
        if (PyTuple_Size(item) == 3 && PyList_Check(PyTuple_GetItem(item, 2))) {
            if (!PyArg_ParseTuple(item, "ssO", &name, &column, &lines))
                return KAN_FAILED;
            status = use_lines(w, job, name, column, lines);
            continue;
        }
        if (!PyArg_ParseTuple(item, "szz", &name, &column, &value))
            return KAN_FAILED;
        status =
            column ? kan_job_set_column(job, name, column, value) : kan_job_set(job, name, value);
    }
    return status;
}

/* Tables by setting; each stream is taken. */
static kan_status use_tables(work *w, kan_job *job, PyObject *tables, kan_table **out, size_t *n) {
    for (Py_ssize_t i = 0; i < PyList_Size(tables); i++) {
        const char *setting;
        PyObject *capsule;
        if (!PyArg_ParseTuple(PyList_GetItem(tables, i), "sO", &setting, &capsule))
            return KAN_FAILED;
        struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, KANON_STREAM);
        if (!stream)
            return KAN_FAILED;
        leave(w);
        kan_status status = kan_table_from_arrow(w->run, stream, &out[*n]);
        *n += status == KAN_OK;
        if (status == KAN_OK)
            status = kan_job_use_table_as(job, setting, out[*n - 1]);
        enter(w);
        if (status != KAN_OK)
            return status;
    }
    return KAN_OK;
}

static PyObject *error_of(const work *w, kan_status status) {
    return Py_BuildValue("(iN)", (int)status, kanon_text_of(kan_run_error(w->run)));
}

/* What came out, as a dict, or an error; a new reference. */
static PyObject *outcome(const work *w, kan_job *job, kan_result *result, int wants_arrow) {
    struct ArrowArrayStream *stream;
    const char *text = "", *no_job = NULL;
    PyObject *capsule;
    kan_status status = KAN_OK;
    if (wants_arrow && !kan_job_get(job, "output", 0)) { /* a job file may have one */
        capsule = kanon_make_capsule(&stream);
        if (!capsule)
            return NULL;
        status = kan_result_to_arrow(result, stream);
    } else {
        capsule = text_or_none(NULL);
    }
    if (status == KAN_OK)
        status = kan_job_write(job, &text);
    if (status == KAN_BAD_INPUT) { /* what was asked for is done all the same */
        no_job = kan_run_error(w->run);
        status = KAN_OK;
    }
    if (status != KAN_OK) {
        Py_DECREF(capsule);
        return error_of(w, status);
    }
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "json", text_or_none(kan_result_json(result)),
        "summary", text_or_none(kan_result_summary(result)), "holds",
        PyBool_FromLong(kan_result_holds(result)), "unchecked",
        text_or_none(kan_result_unchecked(result)), "stream", capsule, "job", kanon_text_of(text),
        "no_job", text_or_none(no_job), "interrupted", PyBool_FromLong(w->is_interrupted));
}

enum { MOST_TABLES = 3 };

static PyObject *run_work(work *w, const char *command, PyObject *settings, PyObject *tables,
                          int wants_arrow) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_table *made[MOST_TABLES];
    size_t n_made = 0;
    PyObject *out = NULL;
    kan_status status = kan_job_create(w->run, &job);
    if (status == KAN_OK)
        status = set_all(w, job, settings);
    if (status == KAN_OK)
        status = use_tables(w, job, tables, made, &n_made);
    if (status == KAN_OK) {
        if (wants_arrow)
            kan_job_want_arrow(job);
        kan_job_want_figures(job);
        leave(w);
        status = kan_job_run(job, command, &result);
        enter(w);
    }
    if (status == KAN_OK && !w->error_type)
        out = outcome(w, job, result, wants_arrow);
    else if (!w->error_type && !PyErr_Occurred())
        out = error_of(w, status);
    kan_result_destroy(result);
    kan_job_destroy(job);
    leave(w); /* producers may want the lock when they are released */
    for (size_t i = 0; i < n_made; i++)
        kan_table_destroy(made[i]);
    enter(w);
    if (w->error_type)
        PyErr_Restore(w->error_type, w->error, w->error_trace);
    return out;
}

/* A dict where it worked, else (status, text). */
static PyObject *run(PyObject *module, PyObject *args) {
    const char *command;
    PyObject *settings, *tables, *progress, *note;
    int wants_arrow;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!O!pOO", &command, &PyList_Type, &settings, &PyList_Type,
                          &tables, &wants_arrow, &progress, &note))
        return NULL;
    if (PyList_Size(tables) > MOST_TABLES) {
        PyErr_SetString(PyExc_ValueError, "too many tables");
        return NULL;
    }
    work w = {.run = kan_run_create(), .progress = progress, .note = note};
    if (!w.run)
        return PyErr_NoMemory();
    kan_run_on_progress(w.run, on_progress, &w);
    if (note != Py_None)
        kan_run_on_note(w.run, on_note, &w);
    PyObject *out = run_work(&w, command, settings, tables, wants_arrow);
    kan_run_destroy(w.run);
    return out;
}

static PyMethodDef methods[] = {
    {"settings", list_settings, METH_NOARGS, "Every setting that jobs understand."},
    {"all_commands", list_commands, METH_NOARGS, "Every command that there is."},
    {"kinds", list_kinds, METH_NOARGS, "What kanon list tells: JSON, and words."},
    {"nearest", nearest_setting, METH_VARARGS, "The setting that a misspelt name means."},
    {"version", version, METH_NOARGS, "The version of the library."},
    {"make_stream", kanon_make_stream, METH_VARARGS, "A stream of batches, each (columns, rows)."},
    {"read_stream", kanon_read_stream, METH_VARARGS,
     "The batches of a stream, as (columns, rows)."},
    {"view", kanon_view, METH_VARARGS, "The bytes at an address."},
    {"number_texts", kanon_number_texts, METH_VARARGS, "Texts between offsets, each once."},
    {"run", run, METH_VARARGS, "Runs a job."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kanon", "The C part of kanon.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kanon(void);
PyMODINIT_FUNC PyInit__kanon(void) {
    /* Streams are released by whoever has them, without a word about the interpreter that made them:
     * PyGILState, which finds the main one alone, would wait for ever in another. */
    const int64_t interpreter = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (interpreter < 0)
        return NULL;
    if (interpreter > 0) {
        PyErr_SetString(PyExc_ImportError,
                        "kanon works in the main interpreter of a process, and this is a "
                        "subinterpreter; use a separate process, such as multiprocessing or "
                        "concurrent.futures.ProcessPoolExecutor");
        return NULL;
    }
    return PyModule_Create(&definition);
}
