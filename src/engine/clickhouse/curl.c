#include "engine/clickhouse/http.h"
#include "engine/library.h"

kan_status kan_curl_load(kan_run *run, kan_curl *out) {
    static const char *const names[] = {
        "curl_global_init",         "curl_global_cleanup", "curl_easy_init",
        "curl_easy_cleanup",        "curl_easy_setopt",    "curl_easy_getinfo",
        "curl_easy_strerror",       "curl_slist_append",   "curl_slist_free_all",
        "curl_multi_init",          "curl_multi_cleanup",  "curl_multi_add_handle",
        "curl_multi_remove_handle", "curl_multi_perform",  "curl_multi_poll",
        "curl_multi_info_read",
    };
    enum { N_CALLS = sizeof names / sizeof *names };
    _Static_assert(sizeof *out == N_CALLS * sizeof(void *), "a name for each call");
    KAN_TRY(kan_library_load(run, &(kan_library_plan){
                                      .what = "a table of ClickHouse",
                                      .files = {"libcurl.so.4", "libcurl-gnutls.so.4"},
                                      .package = "libcurl4",
                                      .names = names,
                                      .n = N_CALLS,
                                      .calls = out,
                                  }));
    /* Counted by libcurl itself, and safe with threads since 7.84. */
    if (out->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return kan_fail(run, KAN_FAILED, "libcurl could not be started");
    return KAN_OK;
}
