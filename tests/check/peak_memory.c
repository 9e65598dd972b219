/* Runs a command, and writes to FILE how much of its memory was resident at most, in KiB: what the
 * kernel has counted when it is over, so that no moment is missed however busy the machine is.
 *
 *   peak-memory FILE COMMAND...        the status is the command's */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int n, char **arguments) {
    struct rusage used;
    int status;
    if (n < 3)
        return 2;
    const pid_t child = fork();
    if (child == 0) {
        execvp(arguments[2], arguments + 2);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 2;
    FILE *file = fopen(arguments[1], "w");
    if (!file || fprintf(file, "%ld\n", used.ru_maxrss) < 0 || fclose(file) != 0)
        return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
