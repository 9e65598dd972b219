/* The nodes of a lattice, as `kanon search --nodes` wrote them: levels, whether the promise holds, and
 * what it costs. Read anew for each request: tens of thousands of nodes take milliseconds. */
#ifndef KANON_SERVER_EXPLORE_NODES_H
#define KANON_SERVER_EXPLORE_NODES_H

#include <stdint.h>

#include "server/solutions/solutions.h"

enum { SV_MOST_COLUMNS = 64, SV_MOST_FIGURES = 32 };

/* What is known of each node beside its levels; costs follow from SV_COSTS on. */
typedef enum sv_figure_kind {
    SV_HEIGHT,
    SV_SATISFIES,
    SV_SUPPRESSED,
    SV_PEOPLE, /* left out; only where people are counted */
    SV_GROUPS,
    SV_SMALLEST,
    SV_HIGHEST_RISK,
    SV_AVERAGE_RISK,
    SV_FAILING_GROUPS,
    SV_FAILING_ROWS,
    SV_ONES,
    SV_TWOS,
    SV_SMALLEST_FAILING,
    SV_COSTS
} sv_figure_kind;

typedef struct sv_nodes {
    size_t n, n_columns;
    char *columns[SV_MOST_COLUMNS]; /* names of quasi-identifiers */
    unsigned most[SV_MOST_COLUMNS]; /* the highest level among the nodes */
    uint8_t *levels;                /* n_columns for each */
    double *figures;                /* n_figures for each; NAN: not known */
    size_t n_figures;
    char *names[SV_MOST_FIGURES]; /* of figures, and of costs */
    size_t most_height;
} sv_nodes;

/* NULL: there is no such file, it is not whole, or there are too many nodes; `why` says which. */
sv_nodes *sv_nodes_read(const sv_project *project, sv_text *why);
void sv_nodes_free(sv_nodes *nodes);

static inline double sv_node(const sv_nodes *nodes, size_t node, size_t figure) {
    return nodes->figures[node * nodes->n_figures + figure];
}

static inline bool sv_node_is_good(const sv_nodes *nodes, size_t node) {
    return sv_node(nodes, node, SV_SATISFIES) == 1;
}

/* "2-0-1-1", and the node of that name; SIZE_MAX: none. */
void sv_node_name(const sv_nodes *nodes, size_t node, sv_text *out);
size_t sv_node_find(const sv_nodes *nodes, const char *name);
/* The node of levels in a JSON array. */
size_t sv_node_of(const sv_nodes *nodes, const json_t *levels);
/* The figure of a cost, or of anything else by the name that it has in the file; SV_HEIGHT: none. */
size_t sv_figure_find(const sv_nodes *nodes, const char *name);
/* Whether a text is levels joined by hyphens, as many as there are quasi-identifiers. */
bool sv_is_node_name(const sv_project *project, const char *name);

#endif
