/* The door of job/registry: one line per privacy model, cost, search, recoding model, generator,
 * source and sink. Help, job files, `kanon list` and the generic tests follow from it. */
#ifndef KANON_JOB_REGISTRY_REGISTRY_H
#define KANON_JOB_REGISTRY_REGISTRY_H

#include "core/options.h"

typedef enum kan_family {
    KAN_FAMILY_PRIVACY,
    KAN_FAMILY_COST,
    KAN_FAMILY_SEARCH,
    KAN_FAMILY_RECODING,
    KAN_FAMILY_GENERATOR,
    KAN_FAMILY_SOURCE,
    KAN_FAMILY_SINK,
    KAN_N_FAMILIES
} kan_family;

size_t kan_registry_count(kan_family family);
/* Every registered kind starts with its kan_kind, so the pointer is also one to the whole kind. */
const kan_kind *kan_registry_at(kan_family family, size_t index);
/* The kind of that name, or NULL. */
const kan_kind *kan_registry_find(kan_family family, const char *name);
/* Whether it is only the name of a search where a recoding model is wanted, or the reverse. */
bool kan_registry_is_other(kan_family family, const char *name);
/* The same as find, failing with a message that lists the names and suggests the nearest. */
KAN_MUST_USE kan_status kan_registry_need(kan_run *run, kan_family family, const char *name,
                                          const kan_kind **out);
/* Whether the options ask for a kind: its first option turns it on. */
bool kan_registry_wants(const kan_kind *kind, const kan_options *given);
/* Whether they ask for any kind of the family. */
bool kan_registry_wants_any(kan_family family, const kan_options *given);
/* Whether they ask for a kind; KAN_BAD_INPUT when only options are given that say more about it:
 * whoever names rare values wants a promise about them. */
KAN_MUST_USE kan_status kan_registry_ask(kan_run *run, const kan_kind *kind,
                                         const kan_options *given, bool *out);
/* Notes every option that was given, and that others of the family have but not the chosen kind:
 * it changes nothing. `flag` is the one that chooses the kind; `except` an option that somebody else has
 * a use for, or NULL. */
void kan_registry_note_unused(kan_run *run, kan_family family, const kan_kind *chosen,
                              const char *flag, const kan_options *given, const char *except);
/* The same, and KAN_BAD_INPUT where it was not a job file that gave it: whoever types an option expects
 * that it does something, and a job file serves several searches. */
KAN_MUST_USE kan_status kan_registry_refuse_unused(kan_run *run, kan_family family,
                                                   const kan_kind *chosen, const char *flag,
                                                   const kan_options *given, const char *except);
/* The `index`-th option that kinds of a family have, each once; NULL: there are fewer. */
const char *kan_registry_option_at(kan_family family, size_t index);
/* The names of the kinds that have an option, with commas. */
void kan_registry_list_owners(kan_family family, const char *option, char *room, size_t size);

#endif
