/* Columns of Python and streams of Arrow: what the two files of the C part share. */
#ifndef KANON_PYTHON_STREAMS_H
#define KANON_PYTHON_STREAMS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include "kanon_arrow.h"

#define KANON_STREAM "arrow_array_stream"

/* A text of the library as one of Python; names and values may be no UTF-8, a cut message neither. */
PyObject *kanon_text_of(const char *text);

/* A capsule with room for a stream. */
PyObject *kanon_make_capsule(struct ArrowArrayStream **out);

/* Functions of the module: its table says what they do. */
PyObject *kanon_make_stream(PyObject *module, PyObject *args);
PyObject *kanon_read_stream(PyObject *module, PyObject *args);
PyObject *kanon_view(PyObject *module, PyObject *args);
PyObject *kanon_number_texts(PyObject *module, PyObject *args);

#endif
