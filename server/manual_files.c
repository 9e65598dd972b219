/* The manual as files: what `kanon pages html` writes, and packages install. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "serve.h"
#include "server/manual/manual.h"
#include "server_inside.h"

static bool write_file(const char *folder, const char *name, const sv_text *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = text->failed ? NULL : fopen(path, "w");
    const bool is_good = file && fwrite(text->bytes, 1, text->size, file) == text->size;
    return file && fclose(file) == 0 && is_good;
}

/* A page that needs nothing but the sheet beside it. */
static void put_page(sv_text *out, const sv_document *document) {
    sv_text title = {0};
    sv_document_title(document, &title);
    const char *text = title.bytes ? title.bytes : "";
    sv_html(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta "
            "name=\"color-scheme\" content=\"light dark\">\n<title>%s – kanon</title>\n<link "
            "rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n<header class=\"top\"><p "
            "class=\"kicker\">kanon</p></header>\n<main id=\"main\">\n<h1>%s</h1>\n",
            text, text);
    sv_manual_body(out, document, false);
    sv_html(out, "</main>\n<footer><p>kanon %s</p></footer>\n</body>\n</html>\n", kan_version());
    out->failed |= title.failed;
    sv_text_free(&title);
}

static bool write_document(const char *folder, const sv_document *document) {
    sv_text name = {0}, page = {0};
    sv_document_name(document, &name);
    if (sv_document_is_page(document))
        put_page(&page, document);
    else
        sv_bytes(&page, (const char *)document->bytes, document->size);
    const bool is_good = !name.failed && write_file(folder, name.bytes, &page);
    sv_text_free(&name);
    sv_text_free(&page);
    return is_good;
}

bool sv_manual_write(const char *folder) {
    sv_reply sheet = {0};
    bool is_good =
        sv_asset_get("/style.css", &sheet) && write_file(folder, "style.css", &sheet.body);
    sv_text_free(&sheet.body);
    for (const sv_document *document = sv_documents; is_good && document->path; document++)
        is_good = write_document(folder, document);
    return is_good;
}
