/* The parts of the page of the table. */
#ifndef KANON_SERVER_PAGES_TABLE_PARTS_H
#define KANON_SERVER_PAGES_TABLE_PARTS_H

#include <jansson.h>

#include "request.h"

#define SV_RAW_NOTE                                                                                \
    "<p class=\"note careful\">These are raw values: for those who may see the table.</p>"

/* The table's file as the settings name it, within the project. */
const char *sv_input_name(const sv_project *project);

/* A column: what it holds, and what part it might play. */
void sv_table_card(sv_text *out, const json_t *profile, const json_t *column);

/* How the table is written, by looking at it, and a button that makes settings of it. */
void sv_table_found(const sv_request *request, sv_text *out, const json_t *profile);
/* Which sheet of a workbook is read, as a choice; nothing where there is one alone. */
void sv_table_sheets(const sv_request *request, sv_text *out, const json_t *profile);
/* The same where the sheet could not be read: nobody has listed the others then. */
void sv_table_other_sheet(const sv_request *request, sv_text *out);
/* The settings by which the table is read, as a form. */
void sv_table_reading(const sv_request *request, sv_text *out, bool is_open);
/* Takes over what the profile found and took for granted: other commands read by settings alone.
 * In memory; false: kan_run_error says why. */
bool sv_take_conventions(sv_project *project, const json_t *profile, bool *is_changed);

/* The words of a role: "quasi-identifier", "sensitive" ... */
const char *sv_role_words(const char *role);
/* How a column is written, as it was found, behind its name. */
void sv_way_words(sv_text *out, const json_t *way);
/* How each column is written, as choices. */
void sv_table_ways(const sv_request *request, sv_text *out, const json_t *profile);
/* What is wrong with that form; NULL: nothing. */
const char *sv_ways_wrong(const sv_request *request, const json_t *profile);
/* Takes what that form says, in memory; false: a setting was not understood. */
bool sv_take_ways(const sv_request *request, const json_t *profile);
/* What marks a missing value of a column, as a choice; `said` is what the settings say of it. And what was chosen, with
 * another code, as the setting has it. */
void sv_table_missing(sv_text *out, const json_t *profile, const json_t *column, const char *said,
                      size_t number);
/* Why what was written cannot be a code; NULL: it can, or nothing was written. */
const char *sv_missing_wrong(const char *another);
bool sv_missing_chosen(const char *chosen, const char *another, sv_text *out);
/* A value as lists of settings have it: in quotes where it needs them. */
void sv_quote_spelling(sv_text *out, const char *value);
/* Values that are no numbers or dates where nearly all others are; nothing where there are none. */
void sv_table_odd(const sv_request *request, sv_text *out, const json_t *profile);
/* Which columns together single people out. */
void sv_table_combinations(sv_text *out, const json_t *profile);

#endif
