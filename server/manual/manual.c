/* The pages of the manual, and the search over them. */
#include "manual.h"

#include <string.h>
#include <strings.h>

enum { MOST_WORDS = 8, MOST_HITS = 40, SNIPPET = 220, LEAST_SECTIONS = 3 };

/* ---- one page ------------------------------------------------------------------------------- */

static void put_bar(sv_text *out, bool has_search, const char *asked) {
    sv_raw(out,
           "<nav class=\"manual-bar\" aria-label=\"Manual\"><a href=\"index.html\">All pages of "
           "the manual</a>");
    if (has_search)
        sv_html(out,
                "<form action=\"search\" role=\"search\"><label class=\"off\" for=\"q\">Words"
                "</label><input type=\"search\" name=\"q\" id=\"q\" value=\"%s\"> <button "
                "class=\"plain\">Search the manual</button></form>",
                asked);
    sv_raw(out, "</nav>\n");
}

/* Where the text of a heading begins, of a level from 2 to `most`; 0: the line is none. */
static size_t heading_of(const char *at, size_t most) {
    const size_t n = strspn(at, "#");
    return n >= 2 && n <= most && at[n] == ' ' ? n + 1 : 0;
}

/* The next line that is such a heading, code left out; NULL: there is none. */
static const char *next_heading(const char *at, size_t most, bool *is_code) {
    for (; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
        *is_code ^= strncmp(at, "```", 3) == 0;
        if (!*is_code && heading_of(at, most))
            return at;
    }
    return NULL;
}

static const char *line_behind(const char *at) {
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* Without marks: of links the text alone. */
static void put_plain(sv_text *out, const char *text, size_t size) {
    sv_text plain = {0};
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ']' && i + 1 < size && text[i + 1] == '(')
            i += strcspn(text + i, ")") < size - i ? strcspn(text + i, ")") : size - i;
        else if (!strchr("`*[]|#", text[i]))
            sv_bytes(&plain, &text[i], 1);
    }
    sv_html(out, "%s", plain.bytes ? plain.bytes : "");
    out->failed |= plain.failed;
    sv_text_free(&plain);
}

static void put_section_link(sv_text *out, const char *heading, size_t size) {
    sv_raw(out, "<li><a href=\"#");
    sv_markdown_anchor(heading, size, out);
    sv_raw(out, "\">");
    put_plain(out, heading, size);
    sv_raw(out, "</a></li>\n");
}

static void put_sections(sv_text *out, const sv_document *document) {
    bool is_code = false;
    const char *at = (const char *)document->bytes;
    size_t n = 0;
    while ((at = next_heading(at, 2, &is_code))) {
        n++;
        at = line_behind(at);
    }
    if (n < LEAST_SECTIONS)
        return;
    sv_raw(out, "<details class=\"manual-sections\"><summary>On this page</summary><ul>\n");
    is_code = false;
    for (at = (const char *)document->bytes; (at = next_heading(at, 2, &is_code));
         at = line_behind(at))
        put_section_link(out, at + 3, strcspn(at + 3, "\n"));
    sv_raw(out, "</ul></details>\n");
}

void sv_manual_body(sv_text *out, const sv_document *document, bool has_search) {
    put_bar(out, has_search, "");
    sv_raw(out, "<section class=\"manual\">\n");
    put_sections(out, document);
    sv_markdown(out, document);
    sv_raw(out, "</section>\n");
}

void sv_manual(sv_request *request, sv_reply *reply) {
    (void)request;
    sv_redirect(reply, "/manual/index.html");
}

void sv_manual_page(sv_request *request, sv_reply *reply) {
    const sv_document *document = sv_document_find(request->rest[0]);
    sv_text title = {0};
    if (!document) {
        sv_refuse(request, reply, 404, "The manual has no such page.");
    } else if (!sv_document_is_page(document)) {
        reply->type = document->type;
        sv_bytes(&reply->body, (const char *)document->bytes, document->size);
    } else {
        sv_document_title(document, &title);
        sv_page_begin(request, &reply->body, title.bytes ? title.bytes : "", NULL);
        sv_manual_body(&reply->body, document, true);
        sv_page_end(request, &reply->body);
        sv_text_free(&title);
    }
}

/* ---- search --------------------------------------------------------------------------------- */

typedef struct {
    char room[256];
    const char *words[MOST_WORDS];
    size_t n;
} query;

static void read_query(const char *asked, query *q) {
    char *rest = NULL;
    snprintf(q->room, sizeof q->room, "%s", asked);
    q->n = 0;
    for (char *word = strtok_r(q->room, " \t\r\n", &rest); word && q->n < MOST_WORDS;
         word = strtok_r(NULL, " \t\r\n", &rest))
        q->words[q->n++] = word;
}

/* Where a word stands in a part of a text, in letters of any case; NULL: nowhere. */
static const char *find_word(const char *text, size_t size, const char *word) {
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= size; i++)
        if (strncasecmp(text + i, word, n) == 0)
            return text + i;
    return NULL;
}

static bool has_all(const query *q, const char *text, size_t size) {
    for (size_t i = 0; i < q->n; i++)
        if (!find_word(text, size, q->words[i]))
            return false;
    return q->n > 0;
}

/* Some text around the first word, beginning with a line. */
static void put_snippet(sv_text *out, const char *text, size_t size, const char *word) {
    const char *at = find_word(text, size, word), *end = text + size;
    while (at && at > text && at[-1] != '\n')
        at--;
    size_t n = at ? (size_t)(end - at) : 0;
    if (n > SNIPPET) {
        n = SNIPPET;
        while (n > SNIPPET / 2 && at[n] != ' ' && at[n] != '\n')
            n--;
        while (n > 0 && ((unsigned char)at[n] & 0xC0) == 0x80)
            n--;
    }
    put_plain(out, at ? at : "", n);
    sv_raw(out, at && at + n < end ? " …" : "");
}

static void put_hit(sv_text *out, const sv_document *document, const char *part, size_t size,
                    const query *q) {
    const size_t mark = heading_of(part, 3), heading = strcspn(part, "\n") - mark;
    sv_text name = {0}, title = {0};
    sv_document_name(document, &name);
    sv_document_title(document, &title);
    sv_html(out, "<li><a href=\"%s", name.bytes ? name.bytes : "");
    if (mark) {
        sv_raw(out, "#");
        sv_markdown_anchor(part + mark, heading, out);
    }
    sv_html(out, "\">%s", title.bytes ? title.bytes : "");
    if (mark) {
        sv_raw(out, ": ");
        put_plain(out, part + mark, heading);
    }
    sv_raw(out, "</a><p>");
    const char *body = mark ? line_behind(part) : part;
    const size_t left = size - (size_t)(body - part);
    put_snippet(out, find_word(body, left, q->words[0]) ? body : part,
                find_word(body, left, q->words[0]) ? left : size, q->words[0]);
    sv_raw(out, "</p></li>\n");
    out->failed |= name.failed || title.failed;
    sv_text_free(&name);
    sv_text_free(&title);
}

/* Sections of one document, divided by their headings, that have all words; how many. Those that have them
 * in the heading by itself, or those that do not. */
static size_t put_hits(sv_text *out, const sv_document *document, const query *q, bool is_heading,
                       size_t most) {
    const char *at = (const char *)document->bytes, *end = at + document->size;
    bool is_code = false;
    size_t n = 0;
    while (at < end && n < most) {
        const char *next = next_heading(line_behind(at), 3, &is_code);
        const size_t size = (size_t)((next ? next : end) - at);
        if (has_all(q, at, size) && has_all(q, at, strcspn(at, "\n")) == is_heading) {
            put_hit(out, document, at, size, q);
            n++;
        }
        at += size;
    }
    return n;
}

void sv_manual_search(sv_request *request, sv_reply *reply) {
    const char *asked = sv_field_of(request, "q");
    sv_text *out = &reply->body, hits = {0};
    query q;
    size_t n = 0;
    read_query(asked ? asked : "", &q);
    for (int pass = 0; pass < 2; pass++)
        for (const sv_document *document = sv_documents; document->path; document++)
            if (sv_document_is_page(document))
                n += put_hits(&hits, document, &q, pass == 0, MOST_HITS - n);
    sv_page_begin(request, out, "Search the manual", NULL);
    put_bar(out, true, asked ? asked : "");
    sv_raw(out, "<section class=\"manual\">\n");
    if (n == 0)
        sv_html(out, "<p>%s</p>\n",
                q.n ? "No section has all of these words. Try fewer of them."
                    : "Type one word or more.");
    else
        sv_html(out, "<p>%s%zu %s with all of these words.</p>\n",
                n == MOST_HITS ? "The first " : "", n, n == 1 ? "section" : "sections");
    sv_raw(out, "<ul class=\"hits\">\n");
    sv_bytes(out, hits.bytes ? hits.bytes : "", hits.size);
    sv_raw(out, "</ul></section>\n");
    out->failed |= hits.failed;
    sv_page_end(request, out);
    sv_text_free(&hits);
}
