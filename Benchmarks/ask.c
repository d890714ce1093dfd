/* ask: ask an HTTP server on this machine for paths, many at a time, and say how long the answers took.

     ask PORT CONNECTIONS REQUESTS < paths

   Each connection asks for one path after the other, in the order of the list, as soon as it has the whole answer to the
   one before. One thread, epoll. Prints one line of JSON: requests, seconds, quantiles in milliseconds, bytes, statuses
   other than 200. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct connection {
    int fd;
    double asked;
    char head[4096];
    size_t had;
    long left; /* of the body; -1 while the head is read */
};

static char **paths;
static size_t path_count, next_path;
static int port;

static void ask(struct connection *c) {
    char request[4096];
    int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n",
                     paths[next_path++ % path_count], port);
    c->asked = now();
    c->had = 0;
    c->left = -1;
    if (send(c->fd, request, (size_t)n, MSG_NOSIGNAL) != n) {
        perror("send");
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "ask PORT CONNECTIONS REQUESTS < paths\n");
        return 2;
    }
    port = atoi(argv[1]);
    size_t connections = (size_t)atoi(argv[2]), wanted = (size_t)atol(argv[3]), room = 0;
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (path_count == room) paths = realloc(paths, (room = room * 2 + 64) * sizeof *paths);
        paths[path_count++] = strdup(line);
    }
    if (!path_count || !connections) return 2;
    double *took = malloc(wanted * sizeof *took);
    struct connection *all = calloc(connections, sizeof *all);
    int poll = epoll_create1(0);
    size_t asked = 0, answered = 0, other = 0;
    unsigned long long bytes = 0;
    double start = now();
    for (size_t i = 0; i < connections; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
        inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        all[i].fd = socket(AF_INET, SOCK_STREAM, 0);
        int yes = 1;
        setsockopt(all[i].fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (connect(all[i].fd, (struct sockaddr *)&to, sizeof to)) {
            perror("connect");
            return 1;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[i]};
        epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &event);
        if (asked < wanted) {
            ask(&all[i]);
            asked++;
        }
    }
    static char buffer[1 << 18];
    while (answered < wanted) {
        struct epoll_event events[64];
        int n = epoll_wait(poll, events, 64, 20000);
        if (n <= 0) {
            fprintf(stderr, "no answer in 20 s\n");
            return 1;
        }
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            ssize_t got = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) {
                fprintf(stderr, "a connection ended\n");
                return 1;
            }
            bytes += (unsigned long long)got;
            if (c->left >= 0) {
                c->left -= got;
            } else {
                size_t part = (size_t)got < sizeof c->head - 1 - c->had ? (size_t)got : sizeof c->head - 1 - c->had;
                memcpy(c->head + c->had, buffer, part);
                size_t before = c->had;
                c->had += part;
                c->head[c->had] = 0;
                char *end = strstr(c->head, "\r\n\r\n");
                if (!end) continue;
                char *length = strcasestr(c->head, "content-length:");
                c->left = (length ? atol(length + 15) : 0) - (got - (long)((size_t)(end + 4 - c->head) - before));
                if (atoi(c->head + 9) != 200) other++;
            }
            if (c->left > 0) continue;
            took[answered++] = now() - c->asked;
            if (asked < wanted) {
                ask(c);
                asked++;
            }
        }
    }
    double seconds = (now() - start) / 1e3;
    qsort(took, answered, sizeof *took, ascending);
    printf("{\"requests\": %zu, \"connections\": %zu, \"seconds\": %.3f, \"perSecond\": %.0f, \"median\": %.3f, "
           "\"p90\": %.3f, \"p99\": %.3f, \"max\": %.3f, \"bytes\": %llu, \"not200\": %zu}\n",
           answered, connections, seconds, (double)answered / seconds, took[answered / 2], took[answered * 9 / 10],
           took[answered * 99 / 100], took[answered - 1], bytes, other);
    return 0;
}
