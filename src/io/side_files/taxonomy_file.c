/* Taxonomies: reading and writing trees as indented text.
 *
 * Reading takes the nodes in their order, with a stack of the indentations that are open: a line
 * that is indented more than the one before is its child, else it must be indented exactly as a
 * node further up, whose sibling it is. Tabs and blanks are compared as they are, never counted,
 * so that no width of a tab is guessed. When the deepest node is known, each leaf becomes a line of
 * columns: its label as often as it takes to reach the bottom, then its ancestors.
 *
 * Linear in the size of the file, and in the number of leaves times levels. */
#include "io/side_files/taxonomy_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/signs.h"
#include "data/spelling.h"
#include "io/streams/streams.h"

typedef struct {
    kan_slice label;
    uint32_t parent; /* KAN_NO_NODE: the top */
    unsigned depth;
    bool has_children;
    uint64_t line;
} tree_node;

typedef struct {
    kan_run *run;
    const char *path;
    kan_arena arena; /* labels that were in quotes */
    tree_node *nodes;
    size_t n, capacity;
    unsigned deepest;
    uint32_t open[KAN_HEIGHT_MOST + 2]; /* nodes from the top to the last one */
    kan_slice indents[KAN_HEIGHT_MOST + 2];
    unsigned n_open;
    uint64_t line;
} parser;

/* The next line without its end; false behind the last. */
static bool next_line(const char **at, const char *end, kan_slice *line) {
    if (*at == end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    const char *next = stop ? stop + 1 : end;
    size_t size = (size_t)((stop ? stop : end) - *at);
    if (size > 0 && (*at)[size - 1] == '\r')
        size--;
    *line = (kan_slice){*at, size};
    *at = next;
    return true;
}

/* Splits a line into its indentation and its node; false when it says nothing. */
static bool split_line(kan_slice line, kan_slice *indent, kan_slice *node) {
    size_t first = 0;
    while (first < line.size && kan_is_blank(line.bytes[first]))
        first++;
    while (line.size > first && kan_is_blank(line.bytes[line.size - 1]))
        line.size--;
    *indent = (kan_slice){line.bytes, first};
    *node = (kan_slice){line.bytes + first, line.size - first};
    return node->size > 0 && node->bytes[0] != '#';
}

static size_t mark_size(const char *bytes, size_t size) {
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Whether a node begins with a quote that does not end with it: then it is a field of columns. */
static bool is_field(kan_slice node) {
    size_t at = 1;
    if (node.bytes[0] != '"')
        return false;
    while (at < node.size && node.bytes[at] != '"')
        at += node.bytes[at] == '\\' ? 2 : 1;
    return at + 1 != node.size;
}

bool kan_taxonomy_is(const char *path, const char *bytes, size_t size) {
    const char *at = bytes + mark_size(bytes, size), *end = bytes + size;
    const bool is_named = kan_ends_with(path, ".txt");
    bool has_node = false, has_separator = false;
    kan_slice line, indent, node;
    if (kan_ends_with(path, ".csv"))
        return false;
    while (next_line(&at, end, &line)) {
        if (!split_line(line, &indent, &node))
            continue;
        if (has_node && indent.size > 0)
            return is_named || !has_separator;
        if (!has_node && is_field(node))
            return false;
        if (!has_node)
            for (size_t i = 0; i < node.size; i++)
                has_separator |= strchr(";,\t", node.bytes[i]) && node.bytes[i];
        else if (!is_named)
            return false; /* the first node has no child: a list of lines */
        has_node = true;
    }
    return is_named && !has_separator;
}

/* ---- labels --------------------------------------------------------------------------------- */

static void tell(const parser *p, const char *what) {
    kan_problem_add(p->run, "%s:%" PRIu64 ": %s", p->path, p->line, what);
}

/* One escape behind the backslash at *at; false when it is none. */
static bool take_escape(kan_slice text, size_t *at, char *out) {
    static const char names[] = "\"\\nrt", meant[] = "\"\\\n\r\t";
    const char *known =
        *at + 1 < text.size && text.bytes[*at + 1] ? strchr(names, text.bytes[*at + 1]) : NULL;
    if (known) {
        *out = meant[known - names];
        *at += 2;
        return true;
    }
    if (*at + 3 >= text.size || text.bytes[*at + 1] != 'x')
        return false;
    const int high = kan_hex_value(text.bytes[*at + 2]), low = kan_hex_value(text.bytes[*at + 3]);
    if (high < 0 || low < 0)
        return false;
    *out = (char)(unsigned char)(16 * high + low);
    *at += 4;
    return true;
}

/* A node in quotes; untouched, and a problem, when it is malformed. */
static kan_status unquote(parser *p, kan_slice text, kan_slice *label) {
    char *bytes;
    size_t size = 0, at = 1;
    KAN_TRY(kan_arena_alloc(&p->arena, text.size, 1, &bytes));
    while (at < text.size && text.bytes[at] != '"') {
        if (text.bytes[at] != '\\') {
            bytes[size++] = text.bytes[at++];
        } else if (take_escape(text, &at, &bytes[size])) {
            size++;
        } else {
            tell(p, "a backslash in quotes begins \\\", \\\\, \\n, \\r, \\t or \\xNN; write \\\\ "
                    "for the backslash itself");
            return KAN_OK;
        }
    }
    if (at == text.size) {
        tell(p, "the quote that begins the node does not end; close it, or write \\\" for the "
                "quote itself: \"\\\"so\\\" called\"");
        return KAN_OK;
    }
    if (at + 1 < text.size) {
        tell(p, "something follows the closing quote; one line holds one node, and a "
                "comment has a line of its own");
        return KAN_OK;
    }
    *label = (kan_slice){bytes, size};
    return KAN_OK;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The depth at which a node of that indentation stands; false when it fits nowhere. */
static bool find_depth(parser *p, kan_slice indent, unsigned *depth) {
    if (p->n_open == 0) {
        *depth = 0;
        return true;
    }
    const kan_slice last = p->indents[p->n_open - 1];
    if (indent.size > last.size && kan_slice_begins(indent, last)) {
        *depth = p->n_open;
        return true;
    }
    for (unsigned i = p->n_open; i-- > 0;)
        if (kan_slice_equal(indent, p->indents[i])) {
            *depth = i;
            return true;
        }
    tell(p, "no line above has this indentation; indent a child more than its parent, and "
            "siblings alike (with spaces, or with tabs)");
    return false;
}

static kan_status add_node(parser *p, kan_slice indent, kan_slice label) {
    unsigned depth;
    if (!find_depth(p, indent, &depth))
        return KAN_OK;
    if (depth > KAN_HEIGHT_MOST) {
        char text[96];
        snprintf(text, sizeof text, "the tree is deeper than %d levels; make it flatter",
                 KAN_HEIGHT_MOST);
        tell(p, text);
        return KAN_OK;
    }
    if (depth == 0 && p->n > 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "a second top, the first is on line %" PRIu64
                 "; indent all lines below one top, such as *",
                 p->nodes[0].line);
        tell(p, text);
    }
    if (p->n >= UINT32_MAX - 1)
        return kan_fail(p->run, KAN_FAILED, "%s: more than 4 billion nodes", p->path);
    KAN_TRY(kan_reserve(p->run, p->n + 1, sizeof *p->nodes, &p->capacity, &p->nodes));
    const uint32_t parent = depth ? p->open[depth - 1] : KAN_NO_NODE;
    if (depth)
        p->nodes[parent].has_children = true;
    p->nodes[p->n] = (tree_node){label, parent, depth, false, p->line};
    p->open[depth] = (uint32_t)p->n++;
    p->indents[depth] = indent;
    p->n_open = depth + 1;
    p->deepest = depth > p->deepest ? depth : p->deepest;
    return KAN_OK;
}

static kan_status read_nodes(parser *p, const char *bytes, size_t size) {
    const char *at = bytes + mark_size(bytes, size);
    kan_slice line, indent, node;
    while (next_line(&at, bytes + size, &line)) {
        p->line++;
        if (p->line % 65536 == 0)
            KAN_TRY(kan_check_cancel(p->run));
        if (!split_line(line, &indent, &node))
            continue;
        /* one that is malformed still has its place: its children do not fall on others */
        if (node.bytes[0] == '"')
            KAN_TRY(unquote(p, node, &node));
        if (node.size > 0 && memchr(node.bytes, '\0', node.size))
            tell(p, "a NUL byte, which no table can hold; this is not a text, or \\x00 is not "
                    "meant");
        KAN_TRY(add_node(p, indent, node));
    }
    return KAN_OK;
}

/* Leaves as lines of columns. */
static kan_status add_leaves(const parser *p, kan_hierarchy_lines *lines) {
    kan_slice fields[KAN_HEIGHT_MOST + 1];
    uint64_t line_of[KAN_HEIGHT_MOST + 1];
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->nodes[i].has_children)
            continue;
        uint32_t node = i;
        for (unsigned level = 0; level <= p->deepest; level++) {
            if (level > p->deepest - p->nodes[node].depth)
                node = p->nodes[node].parent;
            fields[level] = p->nodes[node].label;
            line_of[level] = p->nodes[node].line;
        }
        KAN_TRY(kan_hierarchy_lines_add_path(lines, fields, line_of, p->deepest + 1));
    }
    return KAN_OK;
}

kan_status kan_taxonomy_parse(kan_run *run, const char *path, const char *bytes, size_t size,
                              kan_hierarchy_lines *lines) {
    parser p = {.run = run, .path = path};
    const size_t before = kan_problems_count(run);
    kan_status status;
    lines->is_taxonomy = true;
    kan_arena_init(&p.arena, run);
    KAN_TRY_DONE(read_nodes(&p, bytes, size));
    if (p.n > 0 && p.deepest == 0 && kan_problems_count(run) == before)
        kan_problem_add(run,
                        "%s:%" PRIu64 ": the top has nothing below it; indent the labels and "
                        "values on the lines that follow",
                        path, p.nodes[0].line);
    if (kan_problems_count(run) > before)
        status = KAN_BAD_INPUT;
    else
        status = add_leaves(&p, lines);
done:
    kan_free(run, p.nodes);
    kan_arena_destroy(&p.arena);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_control(char c) {
    return (unsigned char)c < ' ' || c == '\x7f';
}

static bool needs_quotes(kan_slice label) {
    if (label.size == 0 || kan_is_blank(label.bytes[0]) ||
        kan_is_blank(label.bytes[label.size - 1]) || label.bytes[0] == '#' ||
        label.bytes[0] == '"' || mark_size(label.bytes, label.size))
        return true;
    for (size_t i = 0; i < label.size; i++)
        if (is_control(label.bytes[i]))
            return true;
    return false;
}

static void add_label(kan_text *text, unsigned depth, kan_slice label) {
    for (unsigned i = 0; i < depth; i++)
        kan_text_add(text, "  ", 2);
    /* a file must not begin like one that is compressed, or has another encoding */
    if (!(depth == 0 && kan_stream_is_marked(label)) && !needs_quotes(label)) {
        kan_text_add(text, label.bytes, label.size);
        kan_text_add(text, "\n", 1);
        return;
    }
    kan_text_add(text, "\"", 1);
    for (size_t i = 0; i < label.size; i++) {
        const char c = label.bytes[i];
        if (c == '"' || c == '\\')
            kan_text_print(text, "\\%c", c);
        else if (c == '\n' || c == '\r' || c == '\t')
            kan_text_print(text, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (is_control(c))
            kan_text_print(text, "\\x%02x", (unsigned char)c);
        else
            kan_text_add(text, &c, 1);
    }
    kan_text_add(text, "\"\n", 2);
}

/* Whether some value goes through all levels under labels of its own; if not, one has to spell out
 * its repetitions, or the tree that is read would be flatter. */
static bool reaches_bottom(const kan_hierarchy_tree *tree) {
    const kan_tree_level *first = &tree->levels[1];
    for (uint32_t node = 0; node < first->n; node++)
        if (!first->is_value[node])
            return true;
    return false;
}

typedef struct {
    const kan_hierarchy_tree *tree;
    kan_text *text;
    bool must_spell;
} writer;

/* Recursion is as deep as the tree: KAN_HEIGHT_MOST levels at most. */
static void write_node(writer *w, unsigned level, uint32_t node) {
    const kan_tree_level *here = &w->tree->levels[level];
    char room[KAN_SPELLING_ROOM];
    add_label(w->text, w->tree->height - level,
              kan_spelling_put(w->tree->spelling, here->nodes[node].label, room));
    if (level == 0) {
        w->must_spell = false;
        return;
    }
    if (here->is_value[node] && !w->must_spell)
        return;
    for (uint32_t i = here->start[node]; i < here->start[node + 1]; i++)
        write_node(w, level - 1, here->child[i]);
}

kan_status kan_taxonomy_compose(const kan_hierarchy_tree *tree, kan_text *text) {
    writer w = {.tree = tree, .text = text, .must_spell = !reaches_bottom(tree)};
    write_node(&w, tree->height, 0);
    return kan_text_status(text);
}
