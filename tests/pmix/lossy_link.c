/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lossy_link INTERFACE INTERFACE MICROSECONDS PERMILLE: a cable between two interfaces, which
 * delays each frame and loses some of them, as netem does where the kernel has it. The frames keep
 * the description of what an adapter still has to do to them (struct virtio_net_hdr).
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define FRAME  (sizeof(struct virtio_net_hdr) + 65536 + 64)
#define FRAMES 4096 /* on their way; more are lost */

static struct frame {
    long long due;
    int to;
    ssize_t len;
    char *bytes;
} queue[FRAMES];

static unsigned first, last; /* of the queue, modulo FRAMES */

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int open_end(const char *interface)
{
    int one = 1, fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    struct sockaddr_ll at = { .sll_family = AF_PACKET,
                              .sll_protocol = htons(ETH_P_ALL),
                              .sll_ifindex = (int)if_nametoindex(interface) };
    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        perror(interface);
        exit(1);
    }
    return fd;
}

static void take_frame(int from, int to, long long delay, int permille)
{
    static char bytes[FRAME];
    ssize_t len = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (len <= 0 || last - first == FRAMES || random() % 1000 < permille)
        return;
    struct frame *f = &queue[last++ % FRAMES];
    *f = (struct frame){ now_ns() + delay, to, len, malloc((size_t)len) };
    memcpy(f->bytes, bytes, (size_t)len);
}

static void send_due(void)
{
    while (first != last && queue[first % FRAMES].due <= now_ns()) {
        struct frame *f = &queue[first++ % FRAMES];
        (void)!send(f->to, f->bytes, (size_t)f->len, MSG_DONTWAIT);
        free(f->bytes);
    }
}

static void await_frames(struct pollfd *ends)
{
    struct timespec wait = { .tv_sec = 1 };
    if (first != last) {
        long long left = queue[first % FRAMES].due - now_ns();
        wait = (struct timespec){ .tv_nsec = left > 0 ? left % 1000000000 : 0 };
    }
    ppoll(ends, 2, &wait, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    struct pollfd ends[2] = { { .fd = open_end(argv[1]), .events = POLLIN },
                              { .fd = open_end(argv[2]), .events = POLLIN } };
    long long delay = atoll(argv[3]) * 1000;
    for (;;) {
        await_frames(ends);
        for (int i = 0; i < 2; i++)
            if (ends[i].revents)
                take_frame(ends[i].fd, ends[!i].fd, delay, atoi(argv[4]));
        send_due();
    }
}
