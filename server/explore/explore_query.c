/* What is looked at, as fields of a link. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

enum { MOST_FIELD = 200 };

static void take_text(const sv_request *request, const char *name, char *room, size_t size,
                      const char *fallback) {
    const char *value = sv_field_of(request, name);
    snprintf(room, size, "%s", value && strlen(value) < size ? value : fallback);
}

static long take_number(const sv_request *request, const char *name, long fallback) {
    const char *value = sv_field_of(request, name);
    char *end;
    if (!value || !*value || strlen(value) > 9)
        return fallback;
    const long number = strtol(value, &end, 10);
    return *end || number < 0 ? fallback : number;
}

void sv_query_read(const sv_request *request, sv_query *query) {
    const char *most = sv_field_of(request, "most"), *down = sv_field_of(request, "down");
    char name[16], *end;
    *query = (sv_query){.most = -1};
    take_text(request, "show", query->show, sizeof query->show, "good");
    query->height = take_number(request, "height", -1);
    for (size_t c = 0; c < SV_MOST_COLUMNS; c++) {
        snprintf(name, sizeof name, "at.%zu", c);
        query->at[c] = take_number(request, name, -1);
    }
    if (most && *most) {
        query->most = strtod(most, &end);
        if (*end || !(query->most >= 0 && query->most <= 100))
            query->most = -1;
    }
    take_text(request, "sort", query->sort, sizeof query->sort, "");
    query->is_down = down && strcmp(down, "1") == 0;
    query->page = (size_t)take_number(request, "page", 0);
    take_text(request, "cost", query->cost, sizeof query->cost, sv_cost(request->project));
    take_text(request, "risk", query->risk, sizeof query->risk, "average");
    take_text(request, "node", query->node, sizeof query->node, "");
    if (query->node[0] && !sv_is_node_name(request->project, query->node))
        query->node[0] = '\0';
}

/* ---- back into links ------------------------------------------------------------------------ */

typedef struct {
    char name[16], value[MOST_FIELD];
} pair;

/* Everything that is not as usual. */
static size_t list_pairs(const sv_query *query, pair *pairs) {
    size_t n = 0;
#define ADD(wanted, key, format, what)                                                             \
    if (wanted) {                                                                                  \
        snprintf(pairs[n].name, sizeof pairs[n].name, "%s", key);                                  \
        snprintf(pairs[n].value, sizeof pairs[n].value, format, what);                             \
        n++;                                                                                       \
    }
    ADD(strcmp(query->show, "good") != 0, "show", "%s", query->show)
    ADD(query->height >= 0, "height", "%ld", query->height)
    ADD(query->most >= 0, "most", "%g", query->most)
    ADD(query->sort[0], "sort", "%s", query->sort)
    ADD(query->is_down, "down", "%d", 1)
    ADD(query->page > 0, "page", "%zu", query->page)
    ADD(query->cost[0], "cost", "%s", query->cost)
    ADD(strcmp(query->risk, "average") != 0, "risk", "%s", query->risk)
    ADD(query->node[0], "node", "%s", query->node)
    for (size_t c = 0; c < SV_MOST_COLUMNS; c++) {
        char name[16];
        snprintf(name, sizeof name, "at.%u", (unsigned)c);
        ADD(query->at[c] >= 0, name, "%ld", query->at[c])
    }
#undef ADD
    return n;
}

static void put_link(const sv_query *query, const char *joint, sv_text *out) {
    pair pairs[SV_MOST_COLUMNS + 12];
    const size_t n = list_pairs(query, pairs);
    sv_raw(out, "?");
    for (size_t i = 0; i < n; i++) {
        sv_print(out, "%s%s=", i ? joint : "", pairs[i].name);
        sv_url(out, pairs[i].value);
    }
}

void sv_query_link(const sv_query *query, sv_text *out) {
    put_link(query, "&amp;", out);
}

void sv_query_plain(const sv_query *query, sv_text *out) {
    put_link(query, "&", out);
}

static bool has_word(const char *words, const char *word) {
    const size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

void sv_query_fields(const sv_query *query, const char *but, sv_text *out) {
    pair pairs[SV_MOST_COLUMNS + 12];
    const size_t n = list_pairs(query, pairs);
    for (size_t i = 0; i < n; i++)
        if (!has_word(but, pairs[i].name) &&
            !(has_word(but, "at") && strncmp(pairs[i].name, "at.", 3) == 0))
            sv_html(out, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", pairs[i].name,
                    pairs[i].value);
}
