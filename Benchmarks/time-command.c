/* time-command: run a command and write what it took as one line of JSON.
 *
 *   gcc -O2 -o time-command time-command.c
 *   time-command REPORT COMMAND [ARGUMENT...]
 *
 * Wall time is the monotonic clock's; user, sys and peak memory are the kernel's for the command and all of its
 * children that it waited for. The exit status is the command's.
 *
 * Why not a script: Linux counts the memory of the process that forked into the peak of the one that it becomes by
 * exec, so that no command started from Python seems smaller than Python.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int argc, char **argv) {
  if (argc < 3) {
    fputs("usage: time-command REPORT COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  struct timespec start, end;
  struct rusage used;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pid_t child = fork();
  if (child < 0) {
    perror("time-command: fork");
    return 2;
  }
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  if (wait4(child, &status, 0, &used) < 0) {
    perror("time-command: wait4");
    return 2;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  FILE *report = fopen(argv[1], "w");
  if (!report) {
    perror(argv[1]);
    return 2;
  }
  fprintf(report, "{\"wall\": %.6f, \"user\": %.6f, \"sys\": %.6f, \"peak_kib\": %ld}\n",
          end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9, seconds(used.ru_utime),
          seconds(used.ru_stime), used.ru_maxrss);
  fclose(report);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
