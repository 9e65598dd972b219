#include "io/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, OUT = KAN_CONFINED_FILE + 1 };

struct kan_confined {
    kan_run *run;
    pid_t id; /* -1: it has been waited for */
    int from;
    size_t begin, end; /* of what is in the buffer */
    char cause[96];
    char *buffer;
};

/* ---- in the child --------------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

static void set_limit(__rlimit_resource_t what, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(what, &limit) != 0)
        return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most)
        most = limit.rlim_max;
    limit = (struct rlimit){most, most};
    (void)setrlimit(what, &limit);
}

/* Bytes of address space that this process has now; 0: unknown. */
static rlim_t space_now(void) {
    char text[64];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        (void)close(file);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    return (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* What a terminal sends goes to this child, too, but its end is for the parent to decide. */
static void reset_signals(void) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The file and the socket get the numbers 3 and 4; standard streams lead nowhere; all else is
 * closed. */
static bool keep_files(int file, int out) {
    const int high = fcntl(out, F_DUPFD, OUT + 1);
    const int nowhere = open("/dev/null", O_RDWR);
    if (high < 0 || (file >= 0 && file != KAN_CONFINED_FILE && dup2(file, KAN_CONFINED_FILE) < 0))
        return false;
    if (dup2(high, OUT) < 0)
        return false;
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (nowhere < 0 || dup2(nowhere, i) < 0)
            (void)close(i);
    if (file < 0)
        (void)close(KAN_CONFINED_FILE);
    return close_range(OUT + 1, ~0U, 0) == 0;
}

static void confine(const kan_confined_task *task) {
    enum { MOST_FILES = 32 }; /* iconv reads its tables */
    const rlim_t space = task->memory_bytes > 0 && !IS_SANITIZED ? space_now() : 0;
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, 0);
    set_limit(RLIMIT_NOFILE, MOST_FILES);
    if (space > 0)
        set_limit(RLIMIT_AS, space + task->memory_bytes);
    if (task->cpu_seconds > 0)
        set_limit(RLIMIT_CPU, task->cpu_seconds);
}

static _Noreturn void act_in_child(const kan_confined_task *task, int out, pid_t parent) {
    reset_signals();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        !keep_files(task->file, out))
        _exit(1);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    confine(task);
    task->act(task->context, OUT);
    _exit(0);
}

/* A parent that has gone is an error here, not a signal. */
bool kan_confined_send(int out, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = send(out, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- in the parent -------------------------------------------------------------------------- */

static kan_status fail_start(kan_run *run, int error) {
    return kan_fail(run, KAN_FAILED, "a process to read the file cannot be started: %s",
                    strerror(error));
}

static kan_status start(kan_confined *child, const kan_confined_task *task) {
    int ends[2];
    const pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_start(child->run, errno);
    child->from = ends[0];
    child->id = fork();
    if (child->id == 0)
        act_in_child(task, ends[1], parent);
    const int error = errno;
    (void)close(ends[1]);
    return child->id < 0 ? fail_start(child->run, error) : KAN_OK;
}

kan_status kan_confined_start(kan_run *run, const kan_confined_task *task, kan_confined **out) {
    kan_confined *child;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *child, &child));
    child->run = run;
    child->id = child->from = -1;
    KAN_TRY_DONE(kan_alloc(run, BUFFER_BYTES, 1, &child->buffer));
    KAN_TRY_DONE(start(child, task));
    *out = child;
done:
    if (status != KAN_OK)
        kan_confined_close(child);
    return status;
}

/* An interrupt that comes just before the waiting does not end it, so it is looked for every now and
 * then. */
static kan_status await(kan_confined *child) {
    enum { LOOK_AGAIN_MS = 50 };
    struct pollfd on = {.fd = child->from, .events = POLLIN};
    for (;;) {
        KAN_TRY(kan_check_cancel(child->run));
        const int n = poll(&on, 1, LOOK_AGAIN_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            return KAN_OK;
    }
}

static kan_status receive(kan_confined *child, char *bytes, size_t room, size_t *n) {
    for (;;) {
        KAN_TRY(await(child));
        const ssize_t got = read(child->from, bytes, room);
        *n = got > 0 ? (size_t)got : 0;
        if (got >= 0 || errno == ECONNRESET)
            return KAN_OK;
        if (errno != EINTR)
            return kan_fail(child->run, KAN_FAILED,
                            "the answer of the process that reads the file cannot be read: %s",
                            strerror(errno));
    }
}

kan_status kan_confined_read(kan_confined *child, void *bytes, size_t size, size_t *n) {
    char *at = bytes;
    *n = 0;
    while (*n < size) {
        const size_t left = size - *n, has = child->end - child->begin;
        size_t got = left < has ? left : has;
        if (has > 0) {
            memcpy(at + *n, child->buffer + child->begin, got);
            child->begin += got;
        } else if (left >= BUFFER_BYTES) {
            KAN_TRY(receive(child, at + *n, left, &got));
        } else {
            child->begin = child->end = 0;
            KAN_TRY(receive(child, child->buffer, BUFFER_BYTES, &child->end));
            got = 0;
        }
        if (got == 0 && child->end == child->begin)
            return KAN_OK;
        *n += got;
    }
    return KAN_OK;
}

/* Where the process ignores the end of its children, nothing is known of this one's. */
static bool reap(kan_confined *child, int how, int *state) {
    pid_t id;
    *state = 0;
    while ((id = waitpid(child->id, state, how)) < 0 && errno == EINTR)
        ;
    if (id != 0)
        child->id = -1;
    return id != 0;
}

kan_status kan_confined_end(kan_confined *child, const char **cause) {
    int state;
    *cause = NULL;
    if (child->id < 0)
        return KAN_OK;
    while (!reap(child, WNOHANG, &state)) {
        KAN_TRY(kan_check_cancel(child->run));
        (void)poll(NULL, 0, 1);
    }
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU)
        (void)snprintf(child->cause, sizeof child->cause, "took too long");
    else if (WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL)
        (void)snprintf(child->cause, sizeof child->cause, "was ended from outside (signal 9)");
    else if (WIFSIGNALED(state))
        (void)snprintf(child->cause, sizeof child->cause, "stopped (signal %d)", WTERMSIG(state));
    else if (WIFEXITED(state) && WEXITSTATUS(state) != 0)
        (void)snprintf(child->cause, sizeof child->cause, "stopped (status %d)",
                       WEXITSTATUS(state));
    if (child->cause[0])
        *cause = child->cause;
    return KAN_OK;
}

void kan_confined_close(kan_confined *child) {
    if (!child)
        return;
    if (child->id > 0) {
        int state;
        (void)kill(child->id, SIGKILL);
        (void)reap(child, 0, &state);
    }
    if (child->from >= 0)
        (void)close(child->from);
    kan_free(child->run, child->buffer);
    kan_free(child->run, child);
}
