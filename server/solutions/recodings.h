/* Recoding models on the pages: how values may change. What models there are, and which searches make
 * each, stands in the registry. */
#ifndef KANON_SERVER_SOLUTIONS_RECODINGS_H
#define KANON_SERVER_SOLUTIONS_RECODINGS_H

#include "server/pages/pages.h"

/* The model that the job asks for; NULL: what its search makes. */
const char *sv_recoding(const sv_project *project);
/* One of the registry that some search makes; NULL: there is none of that name. */
const json_t *sv_recoding_find(const json_t *registry, const char *name);
bool sv_recoding_is_made_by(const json_t *model, const char *search);
/* Whether its releases are combinations of levels: what Explore shows. */
bool sv_recoding_has_levels(const json_t *model);
/* Whether it cuts ordered domains: such searches know two costs, and get better with time. */
bool sv_recoding_cuts(const json_t *model);

/* The model that Explore has to ask for in place of that of the job, which has no levels; NULL: that
 * of the job will do. */
const char *sv_recoding_of_levels(const sv_project *project);

/* Whether hidden cells match anything; the setting by which this is promised of cell suppression, and
 * the word that takes it back for a model that hides no single cells. */
#define SV_MATCHES     "missing-matches"
#define SV_MATCHES_OFF "--missing-matches=false"
bool sv_has_matches(const sv_project *project);

/* The section of the form of the promise. */
void sv_recoding_choice(const sv_project *project, sv_text *out, const json_t *registry);

/* ---- side by side --------------------------------------------------------------------------- */

/* What was compared with the settings of now; NULL: nothing. */
json_t *sv_recodings_compared(const sv_request *request);
/* The section in which models are chosen and compared; losses by `cost`. `to`: the page that its form
 * leads back to. */
void sv_recodings_section(const sv_request *request, sv_text *out, const json_t *compared,
                          const char *cost, const char *to);
/* Starts the comparison of the models that the request names, or of all. */
bool sv_recodings_start(const sv_request *request, sv_text *wrong);

#endif
