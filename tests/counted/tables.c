/* The product's kinds, and a source that counts the rows of a CSV file where they are. */
#include "analyze/models/models.h"
#include "job/registry/registry_table.h"

#define SOURCE_KINDS(KIND)                                                                         \
    KIND(kan_source_kind, kan_source_counted)                                                      \
    KAN_SOURCE_KINDS(KIND)

KAN_PRIVACY_KINDS(KAN_KIND_DECLARE)
KAN_COST_KINDS(KAN_KIND_DECLARE)
KAN_SEARCH_KINDS(KAN_KIND_DECLARE)
KAN_RECODING_KINDS(KAN_KIND_DECLARE)
KAN_GENERATOR_KINDS(KAN_KIND_DECLARE)
SOURCE_KINDS(KAN_KIND_DECLARE)
KAN_SINK_KINDS(KAN_KIND_DECLARE)

static const kan_kind *const privacy_kinds[] = {KAN_PRIVACY_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const cost_kinds[] = {KAN_COST_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const search_kinds[] = {KAN_SEARCH_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const recoding_kinds[] = {KAN_RECODING_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const generator_kinds[] = {KAN_GENERATOR_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const source_kinds[] = {SOURCE_KINDS(KAN_KIND_ENTRY)};
static const kan_kind *const sink_kinds[] = {KAN_SINK_KINDS(KAN_KIND_ENTRY)};

const struct kan_registry_family kan_registry_families[KAN_N_FAMILIES] = {
    [KAN_FAMILY_PRIVACY] = KAN_REGISTRY_FAMILY("privacy", privacy_kinds),
    [KAN_FAMILY_COST] = KAN_REGISTRY_FAMILY("cost", cost_kinds),
    [KAN_FAMILY_SEARCH] = KAN_REGISTRY_FAMILY("search", search_kinds),
    [KAN_FAMILY_RECODING] = KAN_REGISTRY_FAMILY("recoding", recoding_kinds),
    [KAN_FAMILY_GENERATOR] = KAN_REGISTRY_FAMILY("generator", generator_kinds),
    [KAN_FAMILY_SOURCE] = KAN_REGISTRY_FAMILY("format", source_kinds),
    [KAN_FAMILY_SINK] = KAN_REGISTRY_FAMILY("format of releases", sink_kinds),
};
