/* Documents: their names as pages, and where their links lead. */
#include <string.h>

#include "manual.h"

#define DOCS   "docs/"
#define MANUAL "docs/manual/"

bool sv_document_is_page(const sv_document *document) {
    return sv_ends_with(document->path, ".md");
}

void sv_document_name(const sv_document *document, sv_text *out) {
    const char *path = document->path;
    if (strcmp(path, MANUAL "README.md") == 0) {
        sv_raw(out, "index.html");
        return;
    }
    if (strncmp(path, MANUAL, strlen(MANUAL)) == 0)
        path += strlen(MANUAL);
    else if (strncmp(path, DOCS, strlen(DOCS)) == 0)
        path += strlen(DOCS);
    const size_t size = strlen(path) - (sv_document_is_page(document) ? 3 : 0);
    for (size_t i = 0; i < size; i++)
        sv_bytes(out, path[i] == '/' ? "-" : &path[i], 1);
    if (sv_document_is_page(document))
        sv_raw(out, ".html");
}

const sv_document *sv_document_find(const char *name) {
    for (const sv_document *document = sv_documents; document->path; document++) {
        sv_text own = {0};
        sv_document_name(document, &own);
        const bool is_it = !own.failed && strcmp(own.bytes, name) == 0;
        sv_text_free(&own);
        if (is_it)
            return document;
    }
    return NULL;
}

void sv_document_title(const sv_document *document, sv_text *out) {
    const char *at = (const char *)document->bytes;
    while (at && strncmp(at, "# ", 2) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    for (at = at ? at + 2 : document->path; *at && *at != '\n'; at++)
        if (*at != '`')
            sv_bytes(out, at, 1);
}

/* ---- links ---------------------------------------------------------------------------------- */

/* "docs/manual/risk.md" and "../searches.md" are "docs/searches.md". */
static void resolve(const char *from, const char *target, size_t size, sv_text *out) {
    const char *slash = strrchr(from, '/');
    sv_bytes(out, from, slash ? (size_t)(slash - from) + 1 : 0);
    for (size_t at = 0; at < size && !out->failed;) {
        const char *next = memchr(target + at, '/', size - at);
        const size_t n = next ? (size_t)(next - target) - at : size - at;
        if (n == 2 && memcmp(target + at, "..", 2) == 0) {
            while (out->size > 0 && out->bytes[--out->size] == '/')
                ;
            while (out->size > 0 && out->bytes[out->size - 1] != '/')
                out->size--;
            if (out->bytes)
                out->bytes[out->size] = '\0';
        } else {
            sv_bytes(out, target + at, n);
            sv_raw(out, next ? "/" : "");
        }
        at += n + (next != NULL);
    }
}

static const sv_document *find_path(const char *path) {
    for (const sv_document *document = sv_documents; document->path; document++)
        if (strcmp(document->path, path) == 0)
            return document;
    return NULL;
}

bool sv_document_link(const sv_document *from, const char *target, sv_text *out) {
    const size_t size = strcspn(target, "#");
    if (strncmp(target, "https://", 8) == 0 || strncmp(target, "http://", 7) == 0 || size == 0) {
        sv_raw(out, target);
        return true;
    }
    sv_text path = {0};
    resolve(from->path, target, size, &path);
    const sv_document *document = path.failed || !path.bytes ? NULL : find_path(path.bytes);
    sv_text_free(&path);
    if (!document)
        return false;
    sv_document_name(document, out);
    sv_raw(out, target + size);
    return true;
}
