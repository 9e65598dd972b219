#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server_inside.h"

enum { MOST_FIELDS = 50000, MOST_BYTES = 8 << 20 };

bool sv_form_add(sv_request *request, const char *name, const char *value, size_t size) {
    const size_t n = request->n_fields;
    if ((n & (n - 1)) == 0) { /* full at 0, 1, 2, 4, 8 ... */
        sv_field *more = realloc(request->fields, (n ? 2 * n : 1) * sizeof *more);
        if (!more)
            return false;
        request->fields = more;
    }
    sv_field *field = &request->fields[n];
    field->name = strdup(name);
    field->value = strndup(value, size);
    if (!field->name || !field->value) {
        free(field->name);
        free(field->value);
        return false;
    }
    request->n_fields++;
    return true;
}

void sv_request_free(sv_request *request) {
    for (size_t i = 0; i < request->n_fields; i++) {
        free(request->fields[i].name);
        free(request->fields[i].value);
    }
    free(request->fields);
    if (request->upload.path)
        (void)unlink(request->upload.path); /* unless it was moved */
    free(request->upload.path);
    free(request->upload.name);
    sv_project_close(request->project);
}

static enum MHD_Result refuse(sv_form_reader *reader, unsigned status, const char *why) {
    if (!reader->status) {
        reader->status = status;
        reader->why = why;
    }
    return MHD_NO;
}

static enum MHD_Result take_field(sv_form_reader *reader, const char *key, const char *bytes,
                                  uint64_t offset, size_t size) {
    sv_request *request = reader->request;
    reader->bytes += size + strlen(key);
    if (reader->bytes > MOST_BYTES || request->n_fields >= MOST_FIELDS)
        return refuse(reader, 413, "The form is too large.");
    if (size && memchr(bytes, '\0', size))
        return refuse(reader, 400, "A field of the form contains a NUL byte.");
    if (offset == 0) {
        if (!sv_form_add(request, key, size ? bytes : "", size))
            return refuse(reader, 500, "Out of memory.");
        return MHD_YES;
    }
    sv_field *field = &request->fields[request->n_fields - 1];
    char *more = realloc(field->value, offset + size + 1);
    if (!more)
        return refuse(reader, 500, "Out of memory.");
    memcpy(more + offset, bytes, size);
    more[offset + size] = '\0';
    field->value = more;
    return MHD_YES;
}

static bool begin_file(sv_form_reader *reader, const char *file_name) {
    sv_upload *upload = &reader->request->upload;
    sv_text path = {0};
    sv_print(&path, "%s/.incoming-XXXXXX", reader->folder);
    reader->file = path.failed ? -1 : mkostemp(path.bytes, O_CLOEXEC);
    if (reader->file < 0) {
        sv_text_free(&path);
        return false;
    }
    upload->path = path.bytes;
    upload->name = strdup(file_name);
    return upload->name != NULL;
}

static enum MHD_Result take_file(sv_form_reader *reader, const char *file_name, const char *bytes,
                                 uint64_t offset, size_t size) {
    sv_upload *upload = &reader->request->upload;
    if (offset == 0 && upload->path)
        return refuse(reader, 400, "One file at a time, please.");
    if (!upload->path && !begin_file(reader, file_name))
        return refuse(reader, 500, "No file can be created in the folder of projects.");
    while (size > 0) {
        const ssize_t n = write(reader->file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return refuse(reader, 507, "The disk is full; the file was not kept.");
        bytes += n;
        size -= (size_t)n;
        upload->size += (uint64_t)n;
    }
    return MHD_YES;
}

enum MHD_Result sv_form_take(void *user, enum MHD_ValueKind kind, const char *key,
                             const char *file_name, const char *type, const char *encoding,
                             const char *bytes, uint64_t offset, size_t size) {
    sv_form_reader *reader = user;
    (void)kind;
    (void)type;
    (void)encoding;
    if (reader->status || !key)
        return MHD_NO;
    /* A browser sends a file without a name where none was chosen. */
    if (file_name && !*file_name)
        return MHD_YES;
    if (file_name)
        return take_file(reader, file_name, bytes, offset, size);
    return take_field(reader, key, bytes, offset, size);
}
