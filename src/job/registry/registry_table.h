/* The tables of the registry: one line per kind. Their order is the order of `kanon list`.
 *
 * They stand by themselves, and registry_table.c makes nothing but arrays of them, so that a test
 * can add lines of its own: it defines kan_registry_families, and is linked with that in place of
 * ours (tests/toys/). */
#ifndef KANON_JOB_REGISTRY_REGISTRY_TABLE_H
#define KANON_JOB_REGISTRY_REGISTRY_TABLE_H

#include "cost/cost.h"
#include "generate/generate.h"
#include "io/sink.h"
#include "io/source.h"
#include "job/registry/registry.h"
#include "privacy/privacy.h"
#include "recode/models.h"
#include "search/search.h"

#define KAN_PRIVACY_KINDS(KIND)                                                                    \
    KIND(kan_privacy_kind, kan_privacy_k_anonymity)                                                \
    KIND(kan_privacy_kind, kan_privacy_alpha)                                                      \
    KIND(kan_privacy_kind, kan_privacy_l_diversity)                                                \
    KIND(kan_privacy_kind, kan_privacy_t_closeness)                                                \
    KIND(kan_privacy_kind, kan_privacy_delta_disclosure)                                           \
    KIND(kan_privacy_kind, kan_privacy_beta_likeness)                                              \
    KIND(kan_privacy_kind, kan_privacy_average_risk)                                               \
    KIND(kan_privacy_kind, kan_privacy_at_risk)                                                    \
    KIND(kan_privacy_kind, kan_privacy_k_map)                                                      \
    KIND(kan_privacy_kind, kan_privacy_presence)                                                   \
    KIND(kan_privacy_kind, kan_privacy_individual_risk)                                            \
    KIND(kan_privacy_kind, kan_privacy_global_risk)                                                \
    KIND(kan_privacy_kind, kan_privacy_household_risk)                                             \
    KIND(kan_privacy_kind, kan_privacy_population_uniques)

#define KAN_COST_KINDS(KIND)                                                                       \
    KIND(kan_cost_kind, kan_cost_height)                                                           \
    KIND(kan_cost_kind, kan_cost_discernibility)                                                   \
    KIND(kan_cost_kind, kan_cost_average_class)                                                    \
    KIND(kan_cost_kind, kan_cost_classification)                                                   \
    KIND(kan_cost_kind, kan_cost_precision)                                                        \
    KIND(kan_cost_kind, kan_cost_distortion)                                                       \
    KIND(kan_cost_kind, kan_cost_ncp)

#define KAN_SEARCH_KINDS(KIND)                                                                     \
    KIND(kan_search_kind, kan_search_bisect)                                                       \
    KIND(kan_search_kind, kan_search_screen)                                                       \
    KIND(kan_search_kind, kan_search_exhaustive)                                                   \
    KIND(kan_search_kind, kan_search_incognito)                                                    \
    KIND(kan_search_kind, kan_search_incognito_superroots)                                         \
    KIND(kan_search_kind, kan_search_incognito_cube)                                               \
    KIND(kan_search_kind, kan_search_bottom_up)                                                    \
    KIND(kan_search_kind, kan_search_bottom_up_rollup)                                             \
    KIND(kan_search_kind, kan_search_samarati)                                                     \
    KIND(kan_search_kind, kan_search_hash_minimal)                                                 \
    KIND(kan_search_kind, kan_search_datafly)                                                      \
    KIND(kan_search_kind, kan_search_k_optimize)                                                   \
    KIND(kan_search_kind, kan_search_k_optimize_paper)                                             \
    KIND(kan_search_kind, kan_search_hill_climb)                                                   \
    KIND(kan_search_kind, kan_search_anneal)                                                       \
    KIND(kan_search_kind, kan_search_genetic)                                                      \
    KIND(kan_search_kind, kan_search_greedy)                                                       \
    KIND(kan_search_kind, kan_search_mondrian)                                                     \
    KIND(kan_search_kind, kan_search_mondrian_relaxed)                                             \
    KIND(kan_search_kind, kan_search_mdav)                                                         \
    KIND(kan_search_kind, kan_search_univariate)                                                   \
    KIND(kan_search_kind, kan_search_iterate)                                                      \
    KIND(kan_search_kind, kan_search_progressive)                                                  \
    KIND(kan_search_kind, kan_search_top_down)                                                     \
    KIND(kan_search_kind, kan_search_unrestricted)                                                 \
    KIND(kan_search_kind, kan_search_full_subgraph)                                                \
    KIND(kan_search_kind, kan_search_unrestricted_multi)                                           \
    KIND(kan_search_kind, kan_search_forest)                                                       \
    KIND(kan_search_kind, kan_search_cover)

/* In the order of the taxonomy. */
#define KAN_RECODING_KINDS(KIND)                                                                   \
    KIND(kan_recoding_kind, kan_model_full_domain)                                                 \
    KIND(kan_recoding_kind, kan_model_attribute_suppression)                                       \
    KIND(kan_recoding_kind, kan_model_full_subtree)                                                \
    KIND(kan_recoding_kind, kan_model_ordered_set)                                                 \
    KIND(kan_recoding_kind, kan_model_unrestricted)                                                \
    KIND(kan_recoding_kind, kan_model_full_subgraph)                                               \
    KIND(kan_recoding_kind, kan_model_unrestricted_multi)                                          \
    KIND(kan_recoding_kind, kan_model_ordered_regions)                                             \
    KIND(kan_recoding_kind, kan_model_relaxed_regions)                                             \
    KIND(kan_recoding_kind, kan_model_cell_suppression)                                            \
    KIND(kan_recoding_kind, kan_model_cell_generalization)                                         \
    KIND(kan_recoding_kind, kan_model_microaggregation)

#define KAN_GENERATOR_KINDS(KIND)                                                                  \
    KIND(kan_generator_kind, kan_generator_patients)                                               \
    KIND(kan_generator_kind, kan_generator_census)                                                 \
    KIND(kan_generator_kind, kan_generator_sales)                                                  \
    KIND(kan_generator_kind, kan_generator_visits)                                                 \
    KIND(kan_generator_kind, kan_generator_hospital)                                               \
    KIND(kan_generator_kind, kan_generator_wide_census)

/* The first that takes a path opens it: CSV, which takes any, stands last. */
#define KAN_SOURCE_KINDS(KIND)                                                                     \
    KIND(kan_source_kind, kan_source_clickhouse)                                                   \
    KIND(kan_source_kind, kan_source_sav)                                                          \
    KIND(kan_source_kind, kan_source_zsav)                                                         \
    KIND(kan_source_kind, kan_source_por)                                                          \
    KIND(kan_source_kind, kan_source_dta)                                                          \
    KIND(kan_source_kind, kan_source_sas7bdat)                                                     \
    KIND(kan_source_kind, kan_source_xpt)                                                          \
    KIND(kan_source_kind, kan_source_xlsx)                                                         \
    KIND(kan_source_kind, kan_source_parquet)                                                      \
    KIND(kan_source_kind, kan_source_json)                                                         \
    KIND(kan_source_kind, kan_source_postgres)                                                     \
    KIND(kan_source_kind, kan_source_odbc)                                                         \
    KIND(kan_source_kind, kan_source_duckdb)                                                       \
    KIND(kan_source_kind, kan_source_csv)

#define KAN_SINK_KINDS(KIND)                                                                       \
    KIND(kan_sink_kind, kan_sink_sav)                                                              \
    KIND(kan_sink_kind, kan_sink_zsav)                                                             \
    KIND(kan_sink_kind, kan_sink_por)                                                              \
    KIND(kan_sink_kind, kan_sink_dta)                                                              \
    KIND(kan_sink_kind, kan_sink_xpt)                                                              \
    KIND(kan_sink_kind, kan_sink_xlsx)                                                             \
    KIND(kan_sink_kind, kan_sink_parquet)                                                          \
    KIND(kan_sink_kind, kan_sink_json)                                                             \
    KIND(kan_sink_kind, kan_sink_csv)

/* What a line becomes: a declaration, so that no header needs one; and an entry of an array of
 * const kan_kind *. */
#define KAN_KIND_DECLARE(type, kind) extern const type kind;
#define KAN_KIND_ENTRY(type, name)   &name.kind,

#define KAN_REGISTRY_FAMILY(word, list)                                                            \
    { word, sizeof(list) / sizeof *(list), list }

extern const struct kan_registry_family {
    const char *name;
    size_t n;
    const kan_kind *const *kinds;
} kan_registry_families[KAN_N_FAMILIES];

#endif
