/* The page of all solutions: what its files share. */
#ifndef KANON_SERVER_EXPLORE_EXPLORE_H
#define KANON_SERVER_EXPLORE_EXPLORE_H

#include "nodes.h"
#include "server/rows/rows.h"
#include "server/solutions/solutions.h"

/* What is looked at: from the fields of a request, and back into links. */
typedef struct sv_query {
    char show[8];             /* "good", "bad", "all" */
    long height;              /* -1: any */
    long at[SV_MOST_COLUMNS]; /* the level of each column; -1: any */
    double most;              /* rows that may be left out, in per cent; below 0: any */
    char sort[40];            /* a figure's name */
    bool is_down;
    size_t page;    /* from 0 */
    char cost[40];  /* of the picture, and of the table */
    char risk[8];   /* "average" or "highest" */
    char node[160]; /* that is looked at closely; "": none */
} sv_query;

void sv_query_read(const sv_request *request, sv_query *query);
/* "?show=good&sort=..." as text of an attribute. */
void sv_query_link(const sv_query *query, sv_text *out);
/* The same for the location of a reply. */
void sv_query_plain(const sv_query *query, sv_text *out);
/* The same as hidden fields of a form, but those that the form has itself ("" or "show sort"). */
void sv_query_fields(const sv_query *query, const char *but, sv_text *out);

/* All that is known, for one page. */
typedef struct sv_view {
    const sv_request *request;
    sv_nodes *nodes;
    json_t *found;  /* work/search.json */
    json_t *rivals; /* other recoding models, compared with the settings of now; NULL: none */
    json_t *pins;   /* names of nodes */
    size_t best;    /* SIZE_MAX: not known */
    size_t cost;    /* the figure of query.cost */
    size_t risk;    /* the figure of query.risk */
    double rows;    /* of the table */
    sv_query query;
} sv_view;

/* Opens what there is; false: no nodes, `why` says why where there is a reason. */
bool sv_view_open(const sv_request *request, sv_view *view, sv_text *why);
void sv_view_close(sv_view *view);

void sv_explore_lattice(const sv_view *view, sv_text *out);
void sv_explore_scatter(const sv_view *view, sv_text *out);
/* The filter, the table and the pins: what changes without the rest. */
void sv_explore_table(const sv_view *view, sv_text *out);
/* One node closely: what it does, or why it fails. */
void sv_explore_node(const sv_view *view, sv_text *out);
/* The command that looks at all combinations of levels. */
void sv_explore_words(const sv_project *project, sv_words *words);
/* What is only looked at writes no certificate over that of a release, where the job names one. */
void sv_words_aside(const sv_project *project, sv_words *words);
/* The bounds of levels, and the buttons that start searches. */
void sv_explore_bounds(const sv_request *request, sv_text *out);

/* ---- the best answer ------------------------------------------------------------------------- */

/* The release that the settings of now would make, to look at: suppressed rows are kept as rows of *, so
 * that it stands row by row beside the table. */
#define SV_ANSWER_JSON "work/answer.json"
#define SV_ANSWER_ROWS "work/answer-rows.txt"
#define SV_ANSWER_RAW                                                                              \
    "work/answer-raw.txt" /* the table that it was made of, even if that was replaced since */

typedef struct sv_answer {
    sv_found found;      /* the task, and the result of `anonymize` */
    sv_rows *raw;        /* NULL: they cannot be shown */
    sv_rows *released;   /* the same */
    const char *refusal; /* why there is none; NULL: nothing speaks against it */
} sv_answer;

void sv_answer_open(const sv_request *request, sv_answer *out);
void sv_answer_close(sv_answer *answer);
bool sv_answer_start(const sv_request *request, sv_text *wrong);
/* What each column becomes, in words and figures, and the rows before and after. */
void sv_answer_show(const sv_request *request, sv_text *out, const sv_answer *answer);

/* What each quasi-identifier becomes, as a sentence, where the answer is one of the settings of now; nothing
 * otherwise. For the page on which it is released. */
void sv_answer_preview(const sv_request *request, sv_text *out);

/* What becomes of a column of the result: "in steps of 5", "as it is". */
void sv_answer_words(const sv_project *project, sv_text *out, const json_t *result,
                     const json_t *column);
/* A value that a column shows in the release and not in the table; NULL: none is among the first rows. */
json_t *sv_answer_example(const sv_answer *answer, const json_t *column);
/* Rows of both, side by side. */
void sv_answer_rows(const sv_request *request, sv_text *out, const sv_answer *answer);

/* ---- what would help ------------------------------------------------------------------------- */

/* Smaller promises and fewer columns, each with its figures, and a button that takes it. */
void sv_help_section(const sv_request *request, sv_text *out);
bool sv_help_start(const sv_request *request, sv_text *wrong);
/* Takes what a button of the section says, in memory; false: `wrong` says why not. */
bool sv_help_take(const sv_request *request, sv_text *wrong);

/* ---- levers ---------------------------------------------------------------------------------- */

/* A level for each column as a choice, and what they cost. `view`: what was listed, or NULL. */
void sv_levers(const sv_request *request, sv_text *out, const sv_view *view);
/* Works out what the form of levers says, where it is not known; the page that shows it. */
bool sv_lever_ask(const sv_request *request, sv_text *page, sv_text *wrong);

/* ---- pins ----------------------------------------------------------------------------------- */

enum { SV_MOST_PINS = 6 };

/* The names of pinned nodes, an array; never NULL but when memory is out. Empty where they were
 * pinned under other quasi-identifiers. */
json_t *sv_pins_read(const sv_project *project);
bool sv_pins_write(const sv_project *project, json_t *pins);
size_t sv_pin_find(const json_t *pins, const char *name); /* SIZE_MAX: not pinned */
/* The command that makes the release of a node, to look at. */
void sv_look_words(const sv_project *project, sv_words *words, const char *levels,
                   const char *table);
/* Why no release may be made only to look at it; NULL: it may. */
const char *sv_looking_costs(const sv_project *project);
/* Starts the task that makes the release of a node, to look at. */
bool sv_look_start(const sv_request *request, const char *name, sv_text *wrong);
/* "2-0-1-1" to "2,0,1,1". */
void sv_levels_text(const char *name, sv_text *out);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_explore(sv_request *request, sv_reply *reply);       /* GET  /p/NAME/explore          */
void sv_explore_start(sv_request *request, sv_reply *reply); /* POST /p/NAME/explore          */
void sv_explore_pin(sv_request *request, sv_reply *reply);   /* POST /p/NAME/explore/pin      */
void sv_explore_nodes(sv_request *request, sv_reply *reply); /* GET  /p/NAME/explore/nodes    */
void sv_compare(sv_request *request, sv_reply *reply);       /* GET  /p/NAME/explore/compare  */

#endif
