/* Counts of child processes, in builds with the preset `coverage` alone. A child that ends with _exit, as readers in
 * io/confined.h do, would not write what it counted, and may not write files at all; and whoever has heard all of it ends it.
 * The linker hands these calls to what is here (-Wl,--wrap): the limit on files holds while the child works and is
 * lifted when it ends, and there is a moment for that before it is killed. */
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
int __real_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __real_kill(pid_t id, int number);
int __wrap_kill(pid_t id, int number);
void __gcov_dump(void);

int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit) {
    struct rlimit now;
    if (what != RLIMIT_FSIZE || limit->rlim_max != 0 || getrlimit(what, &now) != 0)
        return __real_setrlimit(what, limit);
    now.rlim_cur = 0;
    return __real_setrlimit(what, &now);
}

void __wrap__exit(int code) {
    struct rlimit now;
    if (getrlimit(RLIMIT_FSIZE, &now) == 0) {
        now.rlim_cur = now.rlim_max;
        (void)__real_setrlimit(RLIMIT_FSIZE, &now);
    }
    __gcov_dump();
    __real__exit(code);
}

int __wrap_kill(pid_t id, int number) {
    enum { TURNS = 200, TURN_MS = 10 };
    siginfo_t ended = {.si_pid = 0};
    for (int i = 0; i < TURNS && number == SIGKILL && id > 0 && ended.si_pid == 0; i++)
        if (waitid(P_PID, (id_t)id, &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
            break;
        else if (ended.si_pid == 0)
            (void)poll(NULL, 0, TURN_MS);
    return __real_kill(id, number);
}
