// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * 09-primes: C++20, with hlrc.hpp. The primes of 05-shares: each node fills its part of an array,
 * and adds to an element under a lock.
 *
 *     g++ -std=c++20 -O2 09-primes.cc $(pkg-config --cflags --libs hlrc) -o 09-primes
 */
#include <cstdio>
#include <hlrc.hpp>
#include <mutex>

constexpr std::size_t limit = 200000;

static bool is_prime(std::size_t n)
{
    for (std::size_t i = 2; i * i <= n; i++)
        if (n % i == 0)
            return false;
    return n >= 2;
}

int main(int argc, char **argv)
{
    hlrc::job job(argc, argv); // ends with its scope
    hlrc::array<bool> prime(limit);
    hlrc::array<long> count(1);
    hlrc::mutex mutex;
    long mine = 0;
    for (bool &at : prime.local()) // whole pages, whose home is this node
        mine += at = is_prime(static_cast<std::size_t>(&at - prime.data()));
    {
        std::scoped_lock guard(mutex);
        count[0] += mine;
    }
    hlrc::barrier();
    if (hlrc::node() == 0)
        std::printf("%ld primes below %zu\n", count[0], limit);
}
