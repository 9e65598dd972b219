/* What handlers read of a request, and where they send the browser. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sv_field_at(const sv_request *request, const char *name, size_t index) {
    for (size_t i = 0; i < request->n_fields; i++)
        if (strcmp(request->fields[i].name, name) == 0 && index-- == 0)
            return request->fields[i].value;
    return NULL;
}

const char *sv_field_of(const sv_request *request, const char *name) {
    return sv_field_at(request, name, 0);
}

void sv_redirect(sv_reply *reply, const char *format, ...) {
    char room[4096];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    reply->status = 303;
    reply->location.size = 0;
    sv_raw(&reply->location, n < 0 || n >= (int)sizeof room ? "/" : room);
}

void sv_go(sv_reply *reply, const sv_project *project, const char *page) {
    sv_redirect(reply, "/p/%s/%s", project->name, page);
}
