/* Hierarchies between the settings, the forms and the commands.
 *
 * What makes values of a column coarser is a *spec*: a builder with its numbers ("intervals:5,10"),
 * or a file of the project's folder hierarchies/, in columns (.csv) or as a tree (.txt). No other
 * path is ever read or written. A *draft* is a spec that is looked at and not saved; a tree that is
 * a draft lies in work/. Columns have numbers from 1 on, in the order of the table. */
#ifndef KANON_SERVER_PAGES_HIERARCHY_PARTS_H
#define KANON_SERVER_PAGES_HIERARCHY_PARTS_H

#include <jansson.h>

#include "found.h"
#include "request.h"

/* ---- specs ---------------------------------------------------------------------------------- */

/* The spec with the project's own folder taken off a path; borrowed from `spec`. */
const char *sv_spec_relative(const sv_project *project, const char *spec);
/* Parts of dates, from small to large. */
enum { SV_N_DATE_PARTS = 7 };
extern const char *const sv_date_parts[SV_N_DATE_PARTS];
/* A day on which everybody of a column of births has an age: the last of the year of the latest birth. */
void sv_day_of_ages(const json_t *column, char day[16]);
/* Adds "@2025-12-31"; false: it is no day. */
bool sv_spec_add_day(sv_text *out, const char *day);
/* Whether it is a builder with numbers. */
bool sv_spec_is_builder(const char *spec);
/* Whether it is a file of hierarchies/, or a draft of work/. */
bool sv_spec_is_file(const char *spec);
bool sv_spec_is_tree(const char *spec);
/* In words, for people. */
void sv_spec_words(sv_text *out, const char *spec);
/* A file that the column had before, where there is one; false: there is none. */
bool sv_hierarchy_kept(const sv_project *project, size_t number, const char *column, sv_text *out);

/* The spec that a form says: the field `builder` and those that belong to it. A tree is
 * SV_DRAFT_TREE. False: `wrong` says what is the matter. */
bool sv_spec_of_form(const sv_request *request, const char *now, sv_text *out, sv_text *wrong);
#define SV_DRAFT_TREE "tree"

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct sv_quasi {
    size_t number;
    const json_t *column; /* of the profile */
    const char *name;
    char *spec; /* now, relative; "" for none; the caller's */
} sv_quasi;

/* The quasi-identifier of that number; false: there is none. */
bool sv_quasi_find(const sv_project *project, const json_t *columns, size_t number, sv_quasi *out);
/* Replaces its spec, in memory. */
bool sv_quasi_set(sv_project *project, const char *name, const char *spec);

/* ---- files ---------------------------------------------------------------------------------- */

/* hierarchies/c3-age.txt, with that ending. */
void sv_hierarchy_path(const sv_quasi *quasi, const char *ending, sv_text *out);
/* work/draft-3.tree.txt, work/tree-3.made.txt, work/export-3.made.csv. */
void sv_work_path(size_t number, const char *kind, const char *ending, sv_text *out);

/* ---- tasks ---------------------------------------------------------------------------------- */

/* How the spec looks (of an empty one: which would suit), from the task "hierarchy-N", or "draft-N" of a draft. */
void sv_preview_open(const sv_request *request, const sv_quasi *quasi, const char *spec,
                     bool is_draft, sv_found *out);
/* What `hierarchy check` warns of; NULL: it was not asked. */
json_t *sv_preview_warnings(const sv_request *request, const sv_quasi *quasi, bool is_draft);
bool sv_preview_start(const sv_request *request, const sv_quasi *quasi, const char *spec,
                      bool is_draft, sv_text *error);
/* Writes the spec out, as a tree to be edited ("tree"), or in columns to be kept ("export"). */
void sv_made_open(const sv_request *request, const sv_quasi *quasi, const char *kind,
                  const char *spec, sv_found *out);
bool sv_made_start(const sv_request *request, const sv_quasi *quasi, const char *kind,
                   const char *spec, sv_text *error);
/* The words of `hierarchy show` for a spec, for the box with the command: kept in `room`. */
enum { SV_SHOW_WORDS = 13 };
void sv_show_words(const sv_quasi *quasi, const char *spec, bool is_draft, sv_text room[3],
                   const char *words[SV_SHOW_WORDS]);

/* ---- in place ------------------------------------------------------------------------------- */

/* A hierarchy as a strip: one value level by level, what each level is, and fields that change it. A
 * `preview` that is NULL has no examples yet. */
void sv_strip(const sv_request *request, sv_text *out, const sv_quasi *quasi,
              const json_t *preview);
/* The spec that the fields of a strip say; false: `wrong` says what is the matter. */
bool sv_spec_of_strip(const sv_request *request, const sv_quasi *quasi, sv_text *out,
                      sv_text *wrong);

/* ---- drawing -------------------------------------------------------------------------------- */

/* Levels, labels and rows of a preview. `least`: rows that a label should have. */
void sv_preview_levels(sv_text *out, const json_t *preview, uint64_t least);
/* One value on its way up: "38 → 35-39 → 30-39 → *". */
void sv_preview_path(sv_text *out, const json_t *preview);
/* The labels of one value at all levels, as far as they are known: how many. */
size_t sv_preview_example(const json_t *preview, const char **labels, size_t most);
/* Of a column without a hierarchy: what suits its values, and a button that takes it. */
void sv_preview_proposal(const sv_request *request, sv_text *out, const sv_quasi *quasi,
                         const json_t *preview);
/* The lines of an error, each at the line of the file that it is about. */
void sv_preview_problems(sv_text *out, const char *error, const char *text);
/* The form with all builders; `spec` is what it shows, `tree` the text of the tree or NULL. */
void sv_builder_form(const sv_request *request, sv_text *out, const sv_quasi *quasi,
                     const char *spec, const char *tree);

#endif
