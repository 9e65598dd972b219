/* The page of attacks: a release held against what somebody may have, before somebody else does it.
 *
 *   work/attack-NAME.json   what was found: as one of the profiles of `kanon attack`, with other releases,
 *                           and by the method
 *
 * Whatever it shows is internal. */
#ifndef KANON_SERVER_ATTACK_ATTACK_H
#define KANON_SERVER_ATTACK_ATTACK_H

#include "server/release/release.h"

enum { SV_MOST_OTHERS = 10 }; /* other releases that are offered, the newest */

/* An attack that a task can try. */
typedef struct sv_attack_kind {
    const char *name, *title; /* the file is of this name */
    bool is_profile;          /* of somebody who has the table: --as NAME */
} sv_attack_kind;

#define SV_OTHERS "others"
#define SV_UNDONE "undone"

/* NULL: there are no more. */
const sv_attack_kind *sv_attack_kind_at(size_t index);
/* "work/attack-NAME.json" */
void sv_attack_file(const sv_attack_kind *kind, sv_text *out);
/* Whether release N can be read again: a file, of one table. */
bool sv_attack_can_read(const sv_project *project, unsigned number, sv_text *path);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_attack(sv_request *request, sv_reply *reply);       /* GET  /p/NAME/attack */
void sv_attack_start(sv_request *request, sv_reply *reply); /* POST /p/NAME/attack */

#endif
