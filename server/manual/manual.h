/* The manual as pages: documents in Markdown, which the build puts into the program, made into HTML when
 * somebody asks for one. `kanon serve` shows them below /manual/, `kanon pages html` writes them as files.
 * All are in one folder, and their links are relative, so that both are the same pages.
 *
 *   docs/manual/README.md -> index.html, docs/manual/risk.md -> risk.html, docs/searches.md -> searches.html,
 *   docs/papers/people.md -> papers-people.html, docs/manual/pictures/table.webp -> pictures-table.webp */
#ifndef KANON_SERVER_MANUAL_MANUAL_H
#define KANON_SERVER_MANUAL_MANUAL_H

#include "server/pages/pages.h"

typedef struct sv_document {
    const char *path, *type; /* from the top of the sources on; of what it is sent as */
    const unsigned char *bytes;
    size_t size; /* a NUL stands behind */
} sv_document;

/* Every document; made by the build. NULL path behind the last. */
extern const sv_document sv_documents[];

/* ---- document.c ----------------------------------------------------------------------------- */

/* Whether it is text that becomes a page; all others are sent as they are. */
bool sv_document_is_page(const sv_document *document);
/* The name of its page, "risk.html". */
void sv_document_name(const sv_document *document, sv_text *out);
/* The document of a page's name; NULL: there is none. */
const sv_document *sv_document_find(const char *name);
/* Its first heading. */
void sv_document_title(const sv_document *document, sv_text *out);
/* Where a link of a document leads, for an attribute (not escaped yet); false: to nothing that is here. */
bool sv_document_link(const sv_document *from, const char *target, sv_text *out);

/* ---- markdown.c ----------------------------------------------------------------------------- */

/* The text of a document as HTML, without its first heading: as much of Markdown as the documents use,
 * which is headings, paragraphs, lists, tables, code, quotes, links, pictures and emphasis. */
void sv_markdown(sv_text *out, const sv_document *document);
/* The name by which a heading is linked to: small letters, hyphens for blanks, no other marks. */
void sv_markdown_anchor(const char *heading, size_t size, sv_text *out);

/* ---- manual.c ------------------------------------------------------------------------------- */

/* What stands between the frame of a page and its end. `has_search`: a server answers. */
void sv_manual_body(sv_text *out, const sv_document *document, bool has_search);

void sv_manual(sv_request *request, sv_reply *reply);        /* GET /manual        */
void sv_manual_page(sv_request *request, sv_reply *reply);   /* GET /manual/NAME   */
void sv_manual_search(sv_request *request, sv_reply *reply); /* GET /manual/search */

#endif
