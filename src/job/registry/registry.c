/* Looking kinds up in the tables of registry_table.h. */
#include "job/registry/registry.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "core/wording.h"
#include "job/registry/registry_table.h"

enum { MOST_KINDS = 64 };

static const struct kan_registry_family *const families = kan_registry_families;

size_t kan_registry_count(kan_family family) {
    return families[family].n;
}

const kan_kind *kan_registry_at(kan_family family, size_t index) {
    return families[family].kinds[index];
}

const kan_kind *kan_registry_find(kan_family family, const char *name) {
    for (size_t i = 0; i < families[family].n; i++)
        if (strcmp(families[family].kinds[i]->name, name) == 0)
            return families[family].kinds[i];
    return NULL;
}

bool kan_registry_is_other(kan_family family, const char *name) {
    if (kan_registry_find(family, name)) /* some names are those of both */
        return false;
    return (family == KAN_FAMILY_SEARCH && kan_registry_find(KAN_FAMILY_RECODING, name)) ||
           (family == KAN_FAMILY_RECODING && kan_registry_find(KAN_FAMILY_SEARCH, name));
}

/* The names that most users choose from, and where the others are. */
static void list_everyday(kan_family family, char *room, size_t size) {
    kan_name_list list = kan_names_begin(room, size, 0);
    size_t n_shown = 0;
    for (size_t i = 0; i < families[family].n; i++)
        if (families[family].kinds[i]->is_everyday) {
            kan_names_add(&list, families[family].kinds[i]->name);
            n_shown++;
        }
    kan_names_end(&list);
    const size_t used = strlen(room);
    if (n_shown < families[family].n)
        snprintf(room + used, size - used, "%s%zu more (kanon list --all)", n_shown ? " and " : "",
                 families[family].n - n_shown);
}

kan_status kan_registry_need(kan_run *run, kan_family family, const char *name,
                             const kan_kind **out) {
    const kan_kind *kind = kan_registry_find(family, name);
    if (kind) {
        *out = kind;
        return KAN_OK;
    }
    char names[512], quoted[256], meant[128] = "";
    const char *all[MOST_KINDS] = {NULL};
    size_t n_all = 0;
    for (size_t i = 0; i < families[family].n && i < MOST_KINDS; i++)
        all[n_all++] = families[family].kinds[i]->name;
    list_everyday(family, names, sizeof names);
    const char *near = kan_nearest(name, all, n_all);
    if (near)
        snprintf(meant, sizeof meant, " did you mean %s?", near);
    return kan_fail(run, KAN_BAD_INPUT, "no %s is called %s;%s there are: %s",
                    families[family].name, kan_quote(kan_slice_of(name), quoted), meant, names);
}

bool kan_registry_wants(const kan_kind *kind, const kan_options *given) {
    return kind->n_options > 0 && kan_options_find(given, kind->options[0].name);
}

bool kan_registry_wants_any(kan_family family, const kan_options *given) {
    for (size_t i = 0; i < families[family].n; i++)
        if (kan_registry_wants(families[family].kinds[i], given))
            return true;
    return false;
}

kan_status kan_registry_ask(kan_run *run, const kan_kind *kind, const kan_options *given,
                            bool *out) {
    const kan_option_spec *specs = kind->options;
    *out = kan_registry_wants(kind, given);
    for (size_t i = 1; i < kind->n_options && !*out; i++)
        if (kan_options_find(given, specs[i].name))
            return kan_fail(run, KAN_BAD_INPUT, "--%s needs --%s, which is not given; add --%s %s",
                            specs[i].name, specs[0].name, specs[0].name, specs[0].argument);
    return KAN_OK;
}

void kan_registry_list_owners(kan_family family, const char *option, char *room, size_t size) {
    kan_name_list names = kan_names_begin(room, size, 0);
    for (size_t i = 0; i < families[family].n; i++)
        if (kan_kind_has_option(families[family].kinds[i], option))
            kan_names_add(&names, families[family].kinds[i]->name);
}

const char *kan_registry_option_at(kan_family family, size_t index) {
    for (size_t i = 0; i < families[family].n; i++) {
        const kan_kind *kind = families[family].kinds[i];
        for (size_t j = 0; j < kind->n_options; j++) {
            const char *option = kind->options[j].name;
            bool is_first = true; /* of the kinds that have it */
            for (size_t before = 0; before < i; before++)
                is_first = is_first && !kan_kind_has_option(families[family].kinds[before], option);
            if (is_first && index-- == 0)
                return option;
        }
    }
    return NULL;
}

/* One line per option, which names the kinds that have it. */
static void tell_unused(kan_run *run, kan_family family, const kan_kind *chosen, const char *flag,
                        const char *option, bool is_refused) {
    char names[512];
    kan_registry_list_owners(family, option, names, sizeof names);
    if (is_refused)
        kan_problem_add(run, "--%s does nothing with --%s %s; it is an option of %s; leave it out",
                        option, flag, chosen->name, names);
    else
        kan_note(run, "--%s does nothing with --%s %s; it is an option of %s", option, flag,
                 chosen->name, names);
}

static void tell_all_unused(kan_run *run, kan_family family, const kan_kind *chosen,
                            const char *flag, const kan_options *given, const char *except,
                            bool is_strict) {
    const char *option;
    for (size_t i = 0; (option = kan_registry_option_at(family, i)) != NULL; i++)
        if (kan_options_find(given, option) && !kan_kind_has_option(chosen, option) &&
            !(except && strcmp(option, except) == 0))
            tell_unused(run, family, chosen, flag, option,
                        is_strict && kan_options_is_flag(given, option));
}

void kan_registry_note_unused(kan_run *run, kan_family family, const kan_kind *chosen,
                              const char *flag, const kan_options *given, const char *except) {
    tell_all_unused(run, family, chosen, flag, given, except, false);
}

kan_status kan_registry_refuse_unused(kan_run *run, kan_family family, const kan_kind *chosen,
                                      const char *flag, const kan_options *given,
                                      const char *except) {
    kan_problems_begin(run);
    tell_all_unused(run, family, chosen, flag, given, except, true);
    return kan_problems_end(run);
}
