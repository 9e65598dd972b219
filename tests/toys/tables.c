/* The product's tables with a line for each toy. This program is linked with them in place of
 * registry_table.c and models.c. */
#include "analyze/models/models.h"
#include "job/registry/registry_table.h"

#define PRIVACY_KINDS(KIND)                                                                        \
    KAN_PRIVACY_KINDS(KIND)                                                                        \
    KIND(kan_privacy_kind, kan_privacy_doubt)                                                      \
    KIND(kan_privacy_kind, kan_privacy_uncounted)

#define COST_KINDS(KIND)                                                                           \
    KAN_COST_KINDS(KIND)                                                                           \
    KIND(kan_cost_kind, kan_cost_largest)                                                          \
    KIND(kan_cost_kind, kan_cost_crowd)                                                            \
    KIND(kan_cost_kind, kan_cost_reach)                                                            \
    KIND(kan_cost_kind, kan_cost_tallest)

#define SEARCH_KINDS(KIND)                                                                         \
    KAN_SEARCH_KINDS(KIND)                                                                         \
    KIND(kan_search_kind, kan_search_stairs)

#define SOURCE_KINDS(KIND)                                                                         \
    KIND(kan_source_kind, kan_source_words)                                                        \
    KAN_SOURCE_KINDS(KIND)

#define SINK_KINDS(KIND)                                                                           \
    KIND(kan_sink_kind, kan_sink_words)                                                            \
    KAN_SINK_KINDS(KIND)

#define RECOUNT_KINDS(KIND)                                                                        \
    KAN_RECOUNT_KINDS(KIND)                                                                        \
    KIND(kan_recount_doubt)

PRIVACY_KINDS(KAN_KIND_DECLARE)
COST_KINDS(KAN_KIND_DECLARE)
SEARCH_KINDS(KAN_KIND_DECLARE)
KAN_RECODING_KINDS(KAN_KIND_DECLARE)
KAN_GENERATOR_KINDS(KAN_KIND_DECLARE)
SOURCE_KINDS(KAN_KIND_DECLARE)
SINK_KINDS(KAN_KIND_DECLARE)
RECOUNT_KINDS(KAN_RECOUNT_DECLARE)

static const kan_kind *const privacy_kinds[] = {PRIVACY_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const cost_kinds[] = {COST_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const search_kinds[] = {SEARCH_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const recoding_kinds[] = {KAN_RECODING_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const generator_kinds[] = {KAN_GENERATOR_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const source_kinds[] = {SOURCE_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const sink_kinds[] = {SINK_KINDS(KAN_KIND_ENTRY)};
static const kan_recount_kind *const recount_kinds[] = {RECOUNT_KINDS(KAN_RECOUNT_ENTRY)};

const struct kan_registry_family kan_registry_families[KAN_N_FAMILIES] = {
    [KAN_FAMILY_PRIVACY] = KAN_REGISTRY_FAMILY("privacy", privacy_kinds),
    [KAN_FAMILY_COST] = KAN_REGISTRY_FAMILY("cost", cost_kinds),
    [KAN_FAMILY_SEARCH] = KAN_REGISTRY_FAMILY("search", search_kinds),
    [KAN_FAMILY_RECODING] = KAN_REGISTRY_FAMILY("recoding", recoding_kinds),
    [KAN_FAMILY_GENERATOR] = KAN_REGISTRY_FAMILY("generator", generator_kinds),
    [KAN_FAMILY_SOURCE] = KAN_REGISTRY_FAMILY("format", source_kinds),
    [KAN_FAMILY_SINK] = KAN_REGISTRY_FAMILY("format of releases", sink_kinds),
};

const struct kan_recount_table kan_recount_table = {sizeof recount_kinds / sizeof *recount_kinds,
                                                    recount_kinds};
