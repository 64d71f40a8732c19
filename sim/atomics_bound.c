/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/atomics_bound.h"

unsigned atomics_bound_message_to_host(const struct atomics_bytes *b)
{
    return b->write;
}

unsigned atomics_bound_message_to_nic(const struct atomics_bytes *b)
{
    return b->command;
}

unsigned atomics_bound_atomic_to_host(const struct atomics_bytes *b)
{
    return b->read_request + b->write;
}

unsigned atomics_bound_atomic_to_nic(const struct atomics_bytes *b)
{
    return b->command + b->read_answer;
}

unsigned atomics_bound_at_target_to_nic(const struct atomics_bytes *b)
{
    return b->read_answer;
}

double atomics_bound_rate(double bandwidth, unsigned to_host, unsigned to_nic)
{
    return bandwidth / (to_host > to_nic ? to_host : to_nic);
}

double atomics_bound_requests(double rate, double read_ns, double write_ns, double memory_ns)
{
    return rate * (read_ns + write_ns + memory_ns) / 1e9;
}

unsigned atomics_bound_nearest(double requests)
{
    return (unsigned)(requests + 0.5);
}

unsigned atomics_bound_upward(double requests)
{
    unsigned whole = (unsigned)requests;

    return whole + (whole < requests);
}
