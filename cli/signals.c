/* Ctrl-C (SIGINT) is somebody who has waited long enough: the first interrupts the run, which writes the
 * best that an anytime search has found, or else ends and leaves nothing half-written. In the former
 * case a second one gives that up too. One more ends the program at once.
 *
 * SIGTERM is a machine that ends a job (timeout, systemd, a scheduler) and reports a failure: the run
 * ends with nothing under its name, in a search, too. timeout signals twice, so that the second changes
 * nothing; the third ends the program at once. SIGHUP, from a terminal that is closed, is the same.
 *
 * A broken pipe and a file that may not grow further are errors of the write, not signals. */
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cli.h"

/* A handler is given nothing but the signal, so what it needs has to stand here. */
static _Atomic(kan_run *) current;

static _Atomic(unsigned) n_ints, n_terms;

static void on_signal(int signal_number) {
    (void)signal_number;
    kan_run *run = atomic_load(&current);
    const bool is_first = atomic_fetch_add(&n_ints, 1) == 0; /* with SIGTERM before it, perhaps */
    if (!run || (kan_run_is_cancelled(run) && !is_first))
        _exit(KAN_CANCELLED);
    kan_run_interrupt(run);
}

static void on_term(int signal_number) {
    (void)signal_number;
    kan_run *run = atomic_load(&current);
    if (!run || atomic_fetch_add(&n_terms, 1) > 1)
        _exit(KAN_CANCELLED);
    kan_run_cancel(run);
}

static void attach_unless_ignored(int signal_number, const struct sigaction *action) {
    struct sigaction before;
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal_number, action, NULL);
}

void cli_signals_attach(kan_run *run) {
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction term = {.sa_handler = on_term};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    atomic_store(&current, run);
    sigemptyset(&action.sa_mask);
    sigemptyset(&term.sa_mask);
    sigemptyset(&ignore.sa_mask);
    /* Without SA_RESTART, so that a read which waits for standard input notices. What the caller
     * chose to ignore (nohup, a background job) stays ignored. */
    attach_unless_ignored(SIGINT, &action);
    attach_unless_ignored(SIGHUP, &term);
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

void cli_signals_ignore(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    atomic_store(&current, NULL);
}
