/* Ends what a database does for a run that has to stop. ODBC calls block; while one is under way, this
 * thread asks the run ten times a second, and ends the statement in the way that the product has
 * (odbc.h). Drivers differ in what SQLCancel does to a statement that another thread is in the middle of,
 * so it never gets one. What cleans up gets ten seconds. */
#include <signal.h>

#include "engine/odbc/odbc.h"

enum { LOOK_MS = 100, CLEAN_UP_MS = 10000 };

static void wait_a_little(struct kan_odbc_watch *watch) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    (void)pthread_cond_timedwait(&watch->change, &watch->lock, &until);
}

static bool is_to_end(const kan_odbc *odbc) {
    const struct kan_odbc_watch *watch = &odbc->watch;
    if (!watch->is_working || !kan_should_stop(odbc->run))
        return false;
    return !watch->cleans_up || kan_now_ms() - watch->since_ms > CLEAN_UP_MS;
}

static void *watch_main(void *context) {
    kan_odbc *odbc = context;
    struct kan_odbc_watch *watch = &odbc->watch;
    (void)pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        wait_a_little(watch);
        /* The lock is held: the owner cannot leave its call, so that it is this one that ends. Once may
         * be too early for the database, so it is done again until the call is back. */
        if (is_to_end(odbc)) {
            if (watch->spare)
                (void)odbc->calls.SQLCancel(watch->spare);
            else if (watch->kill[0])
                (void)kan_odbc_kill(odbc);
        }
    }
    (void)pthread_mutex_unlock(&watch->lock);
    return NULL;
}

kan_status kan_odbc_watch_start(kan_odbc *odbc) {
    struct kan_odbc_watch *watch = &odbc->watch;
    if (pthread_mutex_init(&watch->lock, NULL) != 0)
        return kan_fail(odbc->run, KAN_FAILED, "ODBC: out of memory");
    if (pthread_cond_init(&watch->change, NULL) != 0) {
        (void)pthread_mutex_destroy(&watch->lock);
        return kan_fail(odbc->run, KAN_FAILED, "ODBC: out of memory");
    }
    /* Signals are for the threads of the program. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    watch->is_started = pthread_create(&watch->thread, NULL, watch_main, odbc) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (watch->is_started)
        return KAN_OK;
    (void)pthread_cond_destroy(&watch->change);
    (void)pthread_mutex_destroy(&watch->lock);
    return kan_fail(odbc->run, KAN_FAILED, "ODBC: a thread could not be started");
}

void kan_odbc_watch_stop(kan_odbc *odbc) {
    struct kan_odbc_watch *watch = &odbc->watch;
    if (!watch->is_started)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->ends = true;
    (void)pthread_cond_signal(&watch->change);
    (void)pthread_mutex_unlock(&watch->lock);
    (void)pthread_join(watch->thread, NULL);
    (void)pthread_cond_destroy(&watch->change);
    (void)pthread_mutex_destroy(&watch->lock);
    watch->is_started = false;
}

void kan_odbc_work_begins(kan_odbc *odbc, bool cleans_up) {
    struct kan_odbc_watch *watch = &odbc->watch;
    if (!watch->is_started)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->is_working = true;
    watch->cleans_up = cleans_up;
    watch->since_ms = kan_now_ms();
    (void)pthread_mutex_unlock(&watch->lock);
}

void kan_odbc_work_ends(kan_odbc *odbc) {
    struct kan_odbc_watch *watch = &odbc->watch;
    if (!watch->is_started)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->is_working = false;
    (void)pthread_mutex_unlock(&watch->lock);
}
