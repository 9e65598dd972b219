/* Markdown, line by line. A block is a run of lines; what stands in a list or a quote is lines again, without
 * what marks them, and goes the same way. Text gets into the page through sv_html alone. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "manual.h"

typedef struct {
    const char *at;
    size_t size;
} line;

typedef struct {
    const sv_document *document;
    sv_text *out;
    bool has_title; /* the first heading was passed over: it is the title of the page */
    size_t n_tables;
    sv_text anchors; /* of the headings so far, a line each */
} writer;

static void put_blocks(writer *w, const line *lines, size_t n, bool is_tight);

/* ---- text ----------------------------------------------------------------------------------- */

static void put_escaped(sv_text *out, const char *text, size_t size) {
    sv_text copy = {0};
    sv_bytes(&copy, text, size);
    sv_html(out, "%s", copy.bytes ? copy.bytes : "");
    out->failed |= copy.failed;
    sv_text_free(&copy);
}

static size_t run_of(const char *text, size_t size, char sign) {
    size_t n = 0;
    while (n < size && text[n] == sign)
        n++;
    return n;
}

/* Where a run of exactly `n` signs begins, from `at` on; `size`: nowhere. */
static size_t find_run(const char *text, size_t size, size_t at, char sign, size_t n) {
    while (at < size) {
        const size_t here = run_of(text + at, size - at, sign);
        if (here == n)
            return at;
        at += here ? here : 1;
    }
    return size;
}

/* Behind the code that begins at `at`; `at` where it does not end. */
static size_t skip_code(const char *text, size_t size, size_t at) {
    const size_t n = run_of(text + at, size - at, '`'), end = find_run(text, size, at + n, '`', n);
    return end < size ? end + n : at;
}

/* The sign that closes what `at` opens, brackets within counted; `size`: none. */
static size_t find_close(const char *text, size_t size, size_t at, char open, char close) {
    size_t depth = 0;
    while (at < size) {
        const size_t behind = text[at] == '`' ? skip_code(text, size, at) : at;
        if (behind > at) {
            at = behind;
            continue;
        }
        if (text[at] == '\\' && at + 1 < size)
            at++;
        else if (text[at] == open)
            depth++;
        else if (text[at] == close && --depth == 0)
            return at;
        at++;
    }
    return size;
}

/* The marks that close emphasis, behind something and not alone; `size`: none. */
static size_t find_emphasis(const char *text, size_t size, size_t at, char sign, size_t n) {
    while (at < size) {
        const size_t behind = text[at] == '`' ? skip_code(text, size, at) : at;
        const size_t here = run_of(text + at, size - at, sign);
        if (behind > at)
            at = behind;
        else if (here >= n && here != 0 && !isspace((unsigned char)text[at - 1]) &&
                 (here == n || here == 3) &&
                 (sign != '_' || at + here == size || !isalnum((unsigned char)text[at + here])))
            return at;
        else
            at += here ? here : text[at] == '\\' && at + 1 < size ? 2 : 1;
    }
    return size;
}

static void put_inline(writer *w, const char *text, size_t size);

static void put_link(writer *w, const char *text, size_t size, const char *target, size_t n,
                     bool is_picture) {
    sv_text wanted = {0}, link = {0};
    sv_bytes(&wanted, target, strcspn(target, " )") < n ? strcspn(target, " )") : n);
    const bool is_here =
        !wanted.failed && sv_document_link(w->document, wanted.bytes ? wanted.bytes : "", &link);
    if (is_picture && is_here) {
        sv_html(w->out, "<img src=\"%s\" alt=\"", link.bytes);
        put_escaped(w->out, text, size);
        sv_raw(w->out, "\" loading=\"lazy\">");
    } else if (is_here) {
        sv_html(w->out, "<a href=\"%s\"", link.bytes);
        sv_raw(w->out, strncmp(link.bytes, "http", 4) == 0 ? " rel=\"noreferrer\">" : ">");
        put_inline(w, text, size);
        sv_raw(w->out, "</a>");
    } else {
        put_inline(w, text, size);
    }
    w->out->failed |= wanted.failed || link.failed;
    sv_text_free(&wanted);
    sv_text_free(&link);
}

/* Behind `[text](target)`, with an exclamation mark before it or without; 0: it is none. */
static size_t take_link(writer *w, const char *text, size_t size) {
    const bool is_picture = text[0] == '!';
    const size_t open = is_picture, close = find_close(text, size, open, '[', ']');
    if (close + 1 >= size || text[close + 1] != '(')
        return 0;
    const size_t end = find_close(text, size, close + 1, '(', ')');
    if (end == size)
        return 0;
    put_link(w, text + open + 1, close - open - 1, text + close + 2, end - close - 2, is_picture);
    return end + 1;
}

/* Behind `code`; 0: it does not end. */
static size_t take_code(writer *w, const char *text, size_t size) {
    const size_t n = run_of(text, size, '`'), end = find_run(text, size, n, '`', n);
    if (end == size)
        return 0;
    const bool is_padded = end - n > 2 && text[n] == ' ' && text[end - 1] == ' ';
    sv_raw(w->out, "<code>");
    put_escaped(w->out, text + n + is_padded, end - n - 2 * (size_t)is_padded);
    sv_raw(w->out, "</code>");
    return end + n;
}

/* Behind *text* or **text**; 0: it is none. */
static size_t take_emphasis(writer *w, const char *text, size_t size) {
    const size_t n = run_of(text, size, text[0]);
    if (n > 2 || n == size || isspace((unsigned char)text[n]))
        return 0;
    const size_t end = find_emphasis(text, size, n, text[0], n);
    if (end == size)
        return 0;
    sv_raw(w->out, n == 2 ? "<strong>" : "<em>");
    put_inline(w, text + n, end - n);
    sv_raw(w->out, n == 2 ? "</strong>" : "</em>");
    return end + n;
}

/* Behind <https://...>; 0: it is none. */
static size_t take_address(writer *w, const char *text, size_t size) {
    const char *end = memchr(text, '>', size);
    if (!end || strncmp(text, "<http", 5) != 0)
        return 0;
    const size_t n = (size_t)(end - text) - 1;
    put_link(w, text + 1, n, text + 1, n, false);
    return n + 2;
}

static size_t take_mark(writer *w, const char *text, size_t size, bool is_in_word) {
    switch (text[0]) {
    case '`':
        return take_code(w, text, size);
    case '!':
        return size > 1 && text[1] == '[' ? take_link(w, text, size) : 0;
    case '[':
        return take_link(w, text, size);
    case '<':
        return take_address(w, text, size);
    case '_':
        return is_in_word ? 0 : take_emphasis(w, text, size);
    case '*':
        return take_emphasis(w, text, size);
    case '\\':
        if (size < 2 || !ispunct((unsigned char)text[1]))
            return 0;
        put_escaped(w->out, text + 1, 1);
        return 2;
    default:
        return 0;
    }
}

static void put_inline(writer *w, const char *text, size_t size) {
    size_t from = 0;
    for (size_t at = 0; at < size;) {
        sv_text *page = w->out, taken = {0};
        const bool is_in_word = at > 0 && isalnum((unsigned char)text[at - 1]);
        w->out = &taken;
        const size_t n = take_mark(w, text + at, size - at, is_in_word);
        w->out = page;
        if (n > 0) {
            put_escaped(page, text + from, at - from);
            sv_bytes(page, taken.bytes ? taken.bytes : "", taken.size);
            page->failed |= taken.failed;
            from = at + n;
        }
        sv_text_free(&taken);
        at += n > 0                                ? n
              : text[at] == '`' || text[at] == '*' ? run_of(text + at, size - at, text[at])
                                                   : 1;
    }
    put_escaped(w->out, text + from, size - from);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static size_t indent_of(const line *l) {
    return run_of(l->at, l->size, ' ');
}

static bool is_blank(const line *l) {
    return indent_of(l) == l->size;
}

static bool begins(const line *l, const char *with) {
    const size_t n = indent_of(l), size = strlen(with);
    return n < 4 && l->size - n >= size && memcmp(l->at + n, with, size) == 0;
}

static line cut(const line *l, size_t n) {
    const size_t most = n < l->size ? n : l->size;
    return (line){l->at + most, l->size - most};
}

static size_t heading_of(const line *l) {
    const size_t n = run_of(l->at, l->size, '#');
    return n > 0 && n < 7 && n < l->size && l->at[n] == ' ' ? n : 0;
}

/* Where the text of an item begins that the line marks; 0: it is none. */
static size_t item_of(const line *l, bool *is_numbered) {
    size_t n = indent_of(l), digits = 0;
    if (n > 3)
        return 0;
    while (n + digits < l->size && isdigit((unsigned char)l->at[n + digits]))
        digits++;
    *is_numbered = digits > 0;
    if (digits > 0 ? digits > 9 || n + digits == l->size || l->at[n + digits] != '.'
                   : n == l->size || !strchr("-*+", l->at[n]))
        return 0;
    n += digits + 1;
    const size_t blanks = run_of(l->at + n, l->size - n, ' ');
    return blanks == 0 ? 0 : n + (blanks > 4 ? 1 : blanks);
}

/* Whether a line ends the paragraph before it. */
static bool interrupts(const line *l) {
    bool is_numbered;
    const bool is_item = item_of(l, &is_numbered) && (!is_numbered || begins(l, "1."));
    return is_blank(l) || heading_of(l) || begins(l, "```") || begins(l, ">") ||
           begins(l, "<!--") || is_item;
}

static void put_lines(writer *w, const line *lines, size_t n) {
    sv_text joined = {0};
    for (size_t i = 0; i < n; i++) {
        const line text = cut(&lines[i], indent_of(&lines[i]));
        sv_raw(&joined, i ? "\n" : "");
        sv_bytes(&joined, text.at, text.size);
    }
    put_inline(w, joined.bytes ? joined.bytes : "", joined.size);
    w->out->failed |= joined.failed;
    sv_text_free(&joined);
}

/* ---- blocks: each gives back how many lines it took ------------------------------------------ */

/* A heading that occurs twice is linked to by a number behind it. */
static void put_anchor(writer *w, const line *text) {
    sv_text anchor = {0};
    size_t before = 0;
    sv_markdown_anchor(text->at, text->size, &anchor);
    for (const char *at = w->anchors.bytes; at && *at && anchor.bytes;) {
        const size_t size = strcspn(at, "\n");
        before += size == anchor.size && memcmp(at, anchor.bytes, size) == 0;
        at += size + 1;
    }
    sv_html(w->out, "%s", anchor.bytes ? anchor.bytes : "");
    if (before > 0)
        sv_html(w->out, "-%zu", before);
    sv_bytes(&w->anchors, anchor.bytes ? anchor.bytes : "", anchor.size);
    sv_raw(&w->anchors, "\n");
    w->out->failed |= anchor.failed || w->anchors.failed;
    sv_text_free(&anchor);
}

static size_t put_heading(writer *w, const line *lines) {
    const size_t level = heading_of(lines);
    const line text = cut(lines, level + 1);
    if (level == 1 && !w->has_title) {
        w->has_title = true;
        return 1;
    }
    sv_html(w->out, "<h%zu id=\"", level);
    put_anchor(w, &text);
    sv_raw(w->out, "\">");
    put_inline(w, text.at, text.size);
    sv_html(w->out, "</h%zu>\n", level);
    return 1;
}

static void put_code(writer *w, const line *lines, size_t n, size_t indent) {
    sv_raw(w->out, "<pre tabindex=\"0\"><code>");
    for (size_t i = 0; i < n; i++) {
        const size_t own = indent_of(&lines[i]);
        const line text = cut(&lines[i], own < indent ? own : indent);
        put_escaped(w->out, text.at, text.size);
        sv_raw(w->out, "\n");
    }
    sv_raw(w->out, "</code></pre>\n");
}

static size_t put_fenced(writer *w, const line *lines, size_t n) {
    size_t end = 1;
    while (end < n && !begins(&lines[end], "```"))
        end++;
    put_code(w, lines + 1, end - 1, indent_of(lines));
    return end + (end < n);
}

static size_t put_indented(writer *w, const line *lines, size_t n) {
    size_t end = 0, last = 0;
    for (; end < n && (is_blank(&lines[end]) || indent_of(&lines[end]) > 3); end++)
        if (!is_blank(&lines[end]))
            last = end + 1;
    put_code(w, lines, last, 4);
    return end;
}

static size_t skip_comment(const line *lines, size_t n) {
    size_t i = 0;
    while (i < n && !memmem(lines[i].at, lines[i].size, "-->", 3))
        i++;
    return i < n ? i + 1 : n;
}

static size_t put_quote(writer *w, const line *lines, size_t n) {
    line *inside = calloc(n, sizeof *inside);
    size_t end = 0;
    for (; inside && end < n && begins(&lines[end], ">"); end++) {
        const line text = cut(&lines[end], indent_of(&lines[end]) + 1);
        inside[end] = cut(&text, text.size > 0 && text.at[0] == ' ');
    }
    w->out->failed |= !inside;
    sv_raw(w->out, "<blockquote>\n");
    put_blocks(w, inside, end, false);
    sv_raw(w->out, "</blockquote>\n");
    free(inside);
    return inside ? end : n;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The next cell of a row, which begins behind a bar; false: there is none. */
static bool next_cell(line *row, line *cell) {
    size_t end = 0;
    if (row->size == 0 || is_blank(row))
        return false;
    while (end < row->size && row->at[end] != '|')
        end += row->at[end] == '\\' && end + 1 < row->size ? 2 : 1;
    *cell = cut(&(line){row->at, end}, indent_of(&(line){row->at, end}));
    while (cell->size > 0 && cell->at[cell->size - 1] == ' ')
        cell->size--;
    *row = cut(row, end + 1);
    return true;
}

static bool is_rule(const line *l) {
    size_t dashes = 0;
    for (size_t i = 0; i < l->size; i++) {
        dashes += l->at[i] == '-';
        if (!strchr("|-: ", l->at[i]))
            return false;
    }
    return dashes > 0 && begins(l, "|");
}

static bool is_table(const line *lines, size_t n) {
    return n > 1 && begins(lines, "|") && is_rule(&lines[1]);
}

/* "\|" is a bar, also within code. */
static void put_cell(writer *w, const line *cell) {
    sv_text text = {0};
    for (size_t i = 0; i < cell->size; i++)
        if (!(cell->at[i] == '\\' && i + 1 < cell->size && cell->at[i + 1] == '|'))
            sv_bytes(&text, &cell->at[i], 1);
    put_inline(w, text.bytes ? text.bytes : "", text.size);
    w->out->failed |= text.failed;
    sv_text_free(&text);
}

static void put_row(writer *w, const line *l, const line *rule, const char *tag) {
    line row = cut(l, indent_of(l) + 1), rules = cut(rule, indent_of(rule) + 1), cell, how;
    sv_raw(w->out, "<tr>");
    while (next_cell(&row, &cell)) {
        const bool is_right =
            next_cell(&rules, &how) && how.size > 0 && how.at[how.size - 1] == ':';
        sv_html(w->out, "<%s", tag);
        sv_raw(w->out, is_right ? " class=\"n\">" : ">");
        put_cell(w, &cell);
        sv_html(w->out, "</%s>", tag);
    }
    sv_raw(w->out, "</tr>\n");
}

static size_t put_table(writer *w, const line *lines, size_t n) {
    size_t end = 2;
    sv_html(w->out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table %zu\">"
            "<table><thead>\n",
            ++w->n_tables);
    put_row(w, &lines[0], &lines[1], "th");
    sv_raw(w->out, "</thead><tbody>\n");
    for (; end < n && begins(&lines[end], "|"); end++)
        put_row(w, &lines[end], &lines[1], "td");
    sv_raw(w->out, "</tbody></table></div>\n");
    return end;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* The lines of one item: those behind its mark, and all that are indented as far. */
static size_t item_lines(const line *lines, size_t n, size_t indent) {
    bool is_numbered;
    size_t end = 1, last = 1;
    for (; end < n; end++) {
        const bool is_inside = indent_of(&lines[end]) >= indent,
                   goes_on = !is_blank(&lines[end - 1]) && !interrupts(&lines[end]) &&
                             !item_of(&lines[end], &is_numbered);
        if (is_blank(&lines[end]))
            continue;
        if (!is_inside && !goes_on)
            break;
        last = end + 1;
    }
    return last;
}

static bool has_gap(const line *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (is_blank(&lines[i]))
            return true;
    return false;
}

static size_t put_item(writer *w, const line *lines, size_t n, bool is_tight) {
    bool is_numbered;
    const size_t indent = item_of(lines, &is_numbered), taken = item_lines(lines, n, indent);
    line *inside = calloc(taken, sizeof *inside);
    w->out->failed |= !inside;
    for (size_t i = 0; inside && i < taken; i++) {
        const size_t own = indent_of(&lines[i]);
        inside[i] = cut(&lines[i], i == 0 || own >= indent ? indent : own);
    }
    sv_raw(w->out, "<li>");
    put_blocks(w, inside, inside ? taken : 0, is_tight);
    sv_raw(w->out, "</li>\n");
    free(inside);
    return taken;
}

/* Items of one sort, with at most empty lines between them. */
static size_t next_item(const line *lines, size_t n, size_t at, bool wants_numbers) {
    bool is_numbered;
    while (at < n && is_blank(&lines[at]))
        at++;
    return at < n && item_of(&lines[at], &is_numbered) && is_numbered == wants_numbers ? at : n;
}

static size_t put_list(writer *w, const line *lines, size_t n) {
    bool is_numbered, is_tight = true;
    size_t end = 0;
    (void)item_of(lines, &is_numbered);
    for (size_t at = 0; at < n; at = next_item(lines, n, end, is_numbered)) {
        bool any;
        is_tight = is_tight && at == end;
        end = at + item_lines(lines + at, n - at, item_of(&lines[at], &any));
        is_tight = is_tight && !has_gap(lines + at, end - at);
    }
    sv_raw(w->out, is_numbered ? "<ol" : "<ul");
    if (is_numbered && !begins(lines, "1."))
        sv_html(w->out, " start=\"%ld\"", strtol(lines->at, NULL, 10));
    sv_raw(w->out, ">\n");
    for (size_t at = 0; at < end; at = next_item(lines, end, at, is_numbered))
        at += put_item(w, lines + at, end - at, is_tight);
    sv_raw(w->out, is_numbered ? "</ol>\n" : "</ul>\n");
    return end;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static size_t put_paragraph(writer *w, const line *lines, size_t n, bool is_tight) {
    size_t end = 1;
    while (end < n && !interrupts(&lines[end]) && !is_table(lines + end, n - end))
        end++;
    sv_raw(w->out, is_tight ? "" : "<p>");
    put_lines(w, lines, end);
    sv_raw(w->out, is_tight ? "\n" : "</p>\n");
    return end;
}

static void put_blocks(writer *w, const line *lines, size_t n, bool is_tight) {
    bool is_numbered;
    for (size_t i = 0; i < n && !w->out->failed;) {
        const line *here = &lines[i];
        const size_t left = n - i;
        if (is_blank(here))
            i++;
        else if (begins(here, "<!--"))
            i += skip_comment(here, left);
        else if (indent_of(here) > 3)
            i += put_indented(w, here, left);
        else if (begins(here, "```"))
            i += put_fenced(w, here, left);
        else if (heading_of(here))
            i += put_heading(w, here);
        else if (begins(here, ">"))
            i += put_quote(w, here, left);
        else if (is_table(here, left))
            i += put_table(w, here, left);
        else if (item_of(here, &is_numbered))
            i += put_list(w, here, left);
        else
            i += put_paragraph(w, here, left, is_tight);
    }
}

void sv_markdown_anchor(const char *heading, size_t size, sv_text *out) {
    for (size_t i = 0; i < size; i++) {
        const char sign = (char)tolower((unsigned char)heading[i]);
        if (isalnum((unsigned char)sign) || sign == '_' || sign == '-')
            sv_bytes(out, &sign, 1);
        else if (sign == ' ')
            sv_raw(out, "-");
    }
}

void sv_markdown(sv_text *out, const sv_document *document) {
    const char *text = (const char *)document->bytes;
    size_t n = 1, i = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n++;
    line *lines = calloc(n, sizeof *lines);
    writer w = {.document = document, .out = out};
    out->failed |= !lines;
    for (const char *at = text; lines && i < n; i++) {
        const size_t size = strcspn(at, "\n");
        lines[i] = (line){at, size};
        at += size + (at[size] == '\n');
    }
    put_blocks(&w, lines, lines ? n : 0, false);
    sv_text_free(&w.anchors);
    free(lines);
}
