/* Pages that are not there yet. Each of these goes when its page comes. */
#include "pages.h"

#define NOT_YET(name)                                                                              \
    void name(sv_request *request, sv_reply *reply) {                                              \
        sv_refuse(request, reply, 501, "This page is not there yet.");                             \
    }

NOT_YET(sv_promise)
NOT_YET(sv_promise_change)
NOT_YET(sv_promise_estimate)
NOT_YET(sv_explore)
NOT_YET(sv_explore_start)
NOT_YET(sv_explore_pin)
NOT_YET(sv_explore_nodes)
NOT_YET(sv_compare)
NOT_YET(sv_release)
NOT_YET(sv_release_start)
NOT_YET(sv_release_file)
