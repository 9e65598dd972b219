/* Which handler answers which path. A star stands for one part of it. */
#include "routes.h"

#include "server/attack/attack.h"
#include "server/columns/columns.h"
#include "server/explore/explore.h"
#include "server/manual/manual.h"
#include "server/pages/pages.h"
#include "server/promise/promise.h"
#include "server/release/release.h"
#include "server/rows/rows.h"
#include "server/utility/utility.h"

static const sv_route routes[] = {
    {"GET", "/", sv_projects},
    {"GET", "/manual", sv_manual},
    {"GET", "/manual/search", sv_manual_search},
    {"GET", "/manual/*", sv_manual_page},
    {"POST", "/projects", sv_projects_new},
    {"POST", "/p/*/delete", sv_projects_delete},
    {"GET", "/p/*/table", sv_table},
    {"POST", "/p/*/table", sv_table_change},
    {"GET", "/p/*/rows", sv_rows_show},
    {"GET", "/p/*/tables", sv_tables},
    {"POST", "/p/*/tables", sv_tables_start},
    {"GET", "/p/*/columns", sv_columns},
    {"POST", "/p/*/columns", sv_columns_change},
    {"GET", "/p/*/hierarchies", sv_hierarchies},
    {"GET", "/p/*/hierarchies/*", sv_hierarchy},
    {"POST", "/p/*/hierarchies/*", sv_hierarchy_change},
    {"POST", "/p/*/hierarchies/*/preview", sv_hierarchy_preview},
    {"GET", "/p/*/hierarchies/*/file", sv_hierarchy_file_get},
    {"GET", "/p/*/promise", sv_promise},
    {"POST", "/p/*/promise", sv_promise_change},
    {"POST", "/p/*/promise/estimate", sv_promise_estimate},
    {"POST", "/p/*/promise/population", sv_promise_population},
    {"GET", "/p/*/explore", sv_explore},
    {"POST", "/p/*/explore", sv_explore_start},
    {"POST", "/p/*/explore/pin", sv_explore_pin},
    {"GET", "/p/*/explore/nodes", sv_explore_nodes},
    {"GET", "/p/*/explore/compare", sv_compare},
    {"GET", "/p/*/release", sv_release},
    {"POST", "/p/*/release", sv_release_start},
    {"GET", "/p/*/release/*/*", sv_release_file},
    {"POST", "/p/*/release/*/delete", sv_release_delete_it},
    {"GET", "/p/*/history", sv_release_history},
    {"GET", "/p/*/attack", sv_attack},
    {"POST", "/p/*/attack", sv_attack_start},
    {"GET", "/p/*/utility", sv_utility},
    {"POST", "/p/*/utility", sv_utility_start},
    {"GET", "/p/*/utility/picture", sv_utility_picture},
    {"GET", "/p/*/tasks/*", sv_task_page},
    {"GET", "/p/*/tasks/*/events", sv_task_events},
    {"POST", "/p/*/tasks/*/stop", sv_task_stop_it},
};

const sv_route *sv_routes(size_t *n) {
    *n = sizeof routes / sizeof *routes;
    return routes;
}
