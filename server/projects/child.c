#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEAT_MS = 5000, MOST_LINE = 64 << 10 };

/* ---- in the child: nothing but system calls ------------------------------------------------- */

static void become(const sv_child *child, char **arguments, int errors, pid_t parent, int most) {
    sigset_t none;
    sigemptyset(&none);
    for (int i = 1; i < 32; i++)
        (void)signal(i, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    /* Whatever ends the server ends its work. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    const int nothing = open("/dev/null", O_RDWR);
    if (chdir(child->folder) != 0 || nothing < 0)
        _exit(1);
    const int output = child->output
                           ? open(child->output, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600)
                           : nothing;
    if (output < 0 || dup2(errors, 2) < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0)
        _exit(1);
    for (int i = 3; i < most; i++)
        (void)close(i);
    execv(child->program, arguments);
    static const char words[] = "kanon: the program could not be started again\n";
    (void)!write(2, words, sizeof words - 1);
    _exit(1);
}

/* ---- in the server -------------------------------------------------------------------------- */

/* The words of the command line; the strings are borrowed. */
static char **make_arguments(const sv_child *child) {
    static const char *const progress[] = {"--progress", "json"};
    size_t n = 0, n_flags = 0;
    while (child->words[n])
        n++;
    while (child->flags[n_flags])
        n_flags++;
    char **arguments = calloc(n + n_flags + 4, sizeof *arguments);
    if (!arguments)
        return NULL;
    size_t at = 0;
    arguments[at++] = (char *)"kanon";
    for (size_t i = 0; i < n; i++)
        arguments[at++] = (char *)child->words[i];
    for (size_t i = 0; i < n_flags; i++)
        arguments[at++] = (char *)child->flags[i];
    for (size_t i = 0; i < 2; i++)
        arguments[at++] = (char *)progress[i];
    return arguments;
}

/* Hands on the whole lines, and keeps what is left. */
static void split(const sv_child *child, sv_text *kept, bool is_end) {
    size_t began = 0;
    for (size_t i = 0; i < kept->size; i++)
        if (kept->bytes[i] == '\n') {
            child->on_line(child->user, kept->bytes + began, i - began);
            began = i + 1;
        }
    if (is_end || kept->size - began > MOST_LINE) {
        if (kept->size > began)
            child->on_line(child->user, kept->bytes + began, kept->size - began);
        began = kept->size;
    }
    if (kept->bytes && began) {
        memmove(kept->bytes, kept->bytes + began, kept->size - began);
        kept->size -= began;
        kept->bytes[kept->size] = '\0';
    }
}

static void follow(const sv_child *child, int errors) {
    sv_text kept = {0};
    for (;;) {
        char room[4096];
        struct pollfd wait = {.fd = errors, .events = POLLIN};
        const int n_ready = poll(&wait, 1, BEAT_MS);
        if (n_ready < 0 && errno == EINTR)
            continue;
        if (n_ready == 0) {
            child->on_beat(child->user);
            continue;
        }
        const ssize_t n = read(errors, room, sizeof room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        sv_bytes(&kept, room, (size_t)n);
        split(child, &kept, false);
    }
    split(child, &kept, true);
    sv_text_free(&kept);
}

static int most_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 65536)
        return 65536;
    return (int)limit.rlim_cur;
}

int sv_child_run(const sv_child *child, sv_text *why) {
    int ends[2];
    char **arguments = make_arguments(child);
    const pid_t parent = getpid();
    const int most = most_files();
    if (!arguments || pipe2(ends, O_CLOEXEC) != 0) {
        free(arguments);
        sv_print(why, "the command could not be started: %s", strerror(errno));
        return 1;
    }
    const pid_t pid = fork();
    if (pid == 0)
        become(child, arguments, ends[1], parent, most);
    const int failure = errno;
    close(ends[1]);
    free(arguments);
    if (pid < 0) {
        close(ends[0]);
        sv_print(why, "the command could not be started: %s", strerror(failure));
        return 1;
    }
    child->on_child(child->user, pid);
    follow(child, ends[0]);
    close(ends[0]);
    int status = 0;
    siginfo_t ended;
    /* The process id is ours until it is waited for: it is forgotten first, then given back. */
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    child->on_child(child->user, 0);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGKILL)
        sv_raw(why,
               "the task was killed: by the user, or by the system because it ran out of memory");
    else
        sv_print(why, "the task was ended by signal %d (%s)", number, strsignal(number));
    return 1;
}
