/* Settings that go with every statement, whatever the profile of the user says: a profile may else ask for
 * a part of the rows without a word. A limit that is met must be an error (*_overflow_mode), a shard
 * that is down, too; filters, samples and limits that settings can add are taken away. A server that
 * does not know a setting refuses it, so only known ones are sent. */
#include "engine/clickhouse/connection.h"

static const struct {
    const char *name, *value;
} forced[] = {
    /* all shards, or an error */
    {"skip_unavailable_shards", "0"},
    {"optimize_skip_unused_shards", "0"},
    {"distributed_group_by_no_merge", "0"},
    {"distributed_aggregation_memory_efficient", "1"}, /* groups are merged piece by piece */
    {"max_parallel_replicas", "1"},
    {"enable_parallel_replicas", "0"},
    {"allow_experimental_parallel_reading_from_replicas", "0"},
    {"fallback_to_stale_replicas_for_distributed_queries", "0"},
    {"insert_distributed_sync", "1"},
    {"distributed_foreground_insert", "1"},
    /* all rows, or an error */
    {"read_overflow_mode", "throw"},
    {"read_overflow_mode_leaf", "throw"},
    {"group_by_overflow_mode", "throw"},
    {"sort_overflow_mode", "throw"},
    {"result_overflow_mode", "throw"},
    {"timeout_overflow_mode", "throw"},
    {"timeout_overflow_mode_leaf", "throw"},
    {"set_overflow_mode", "throw"},
    {"join_overflow_mode", "throw"},
    {"transfer_overflow_mode", "throw"},
    {"distinct_overflow_mode", "throw"},
    {"limit", "0"},
    {"offset", "0"},
    /* rows as they are when all versions are merged (kind.c), in views, too */
    {"final", "1"},
    {"do_not_merge_across_partitions_select_final", "0"},
    {"optimize_move_to_prewhere_if_final", "0"},
    {"apply_deleted_mask", "1"},
    {"extremes", "0"},
    {"additional_table_filters", "{}"},
    {"additional_result_filter", ""},
    {"use_query_cache", "0"},
    {"ignore_materialized_views_with_dropped_target_table", "0"},
    {"insert_deduplicate", "0"},
    {"async_insert", "0"},
    {"send_progress_in_http_headers", "0"}, /* it would send a status before the end is known */
    {"enable_http_compression", "0"},
    /* the language */
    {"max_query_size", "1073741824"},
    {"max_ast_elements", "1000000000"},
    {"max_expanded_ast_elements", "1000000000"},
    {"join_use_nulls", "0"},
    {"transform_null_in", "0"},
    {"cast_keep_nullable", "0"},
    {"data_type_default_nullable", "0"},
    {"prefer_column_name_to_alias", "0"},
    {"empty_result_for_aggregation_by_empty_set", "0"},
    {"aggregate_functions_null_for_empty", "0"},
    {"allow_experimental_low_cardinality_type", "1"},
    {"allow_suspicious_low_cardinality_types", "1"},
    {"low_cardinality_allow_in_native_format", "1"},
    {"date_time_output_format", "simple"},
    {"session_timezone", "UTC"},
    {"mutations_sync", "1"},
};

typedef struct settings {
    kan_text *text;
    bool is_frozen, knows_final;
} settings;

static kan_status take_setting(void *context, const kan_slice *values) {
    settings *found = context;
    if (kan_slice_is(values[0], "readonly") && kan_slice_is(values[1], "1"))
        found->is_frozen = true;
    found->knows_final |= kan_slice_is(values[0], "final");
    for (size_t i = 0; i < sizeof forced / sizeof *forced; i++) {
        if (!kan_slice_is(values[0], forced[i].name))
            continue;
        kan_text_print(found->text, "&%s=%s", forced[i].name,
                       strcmp(forced[i].value, "{}") == 0 ? "%7B%7D" : forced[i].value);
    }
    return kan_text_status(found->text);
}

kan_status kan_click_set_up(kan_click *click, kan_click_server *server) {
    kan_text text;
    kan_text_init(&text, click->run);
    settings found = {.text = &text};
    kan_status status;
    KAN_TRY_DONE(kan_click_texts(server, "SELECT name, toString(value) FROM system.settings",
                                 "connect", 2, &(kan_row_taker){take_setting, &found}));
    if (found.is_frozen) {
        status = kan_fail(click->run, KAN_BAD_INPUT,
                          "connect: the user %s of %s may not set anything (its profile has "
                          "readonly=1), and kanon has to, so that counts are right; readonly=2 is "
                          "enough to read, 0 to make a release",
                          click->login.user, server->name);
        goto done;
    }
    /* A shard that is silent is an error after this time. */
    kan_text_print(&text, "&receive_timeout=%llu&send_timeout=%llu",
                   (unsigned long long)click->login.silence_s,
                   (unsigned long long)click->login.silence_s);
    KAN_TRY_DONE(kan_text_status(&text));
    kan_text_add(&server->settings, text.bytes, text.size);
    server->knows_final = found.knows_final;
    status = kan_text_status(&server->settings);
done:
    kan_text_destroy(&text);
    return status;
}
