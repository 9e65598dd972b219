/* Ctrl-C and kill: the first interrupts the run, which writes the best that an anytime search has
 * found, or else ends and leaves nothing half-written. In the former case a second one gives that
 * up too. One more ends the program at once. A broken pipe and a file that may not grow further are
 * errors of the write, not signals. */
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cli.h"

/* A handler is given nothing but the signal, so what it needs has to stand here. */
static _Atomic(kan_run *) current;

static void on_signal(int signal_number) {
    (void)signal_number;
    kan_run *run = atomic_load(&current);
    if (!run || kan_run_is_cancelled(run))
        _exit(KAN_CANCELLED);
    kan_run_interrupt(run);
}

void cli_signals_attach(kan_run *run) {
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    atomic_store(&current, run);
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    struct sigaction before;
    /* Without SA_RESTART, so that a read which waits for standard input notices. What the caller
     * chose to ignore (nohup, a background job) stays ignored. */
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

void cli_signals_ignore(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    atomic_store(&current, NULL);
}
