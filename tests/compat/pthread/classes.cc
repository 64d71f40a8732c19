// SPDX-License-Identifier: LGPL-2.1-or-later
// Threads of C++: std::thread, its locks, condition variables, call_once, variables in functions, thread_local ones with
// destructors, and what an exception leaves.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static std::map<int, std::string> names;
static std::atomic<long> counter;
static long gone;

struct Noisy {
    long value;
    explicit Noisy(long v) : value(v) {}
    ~Noisy()
    {
        std::lock_guard<std::mutex> hold(mutex);
        gone += value;
    }
};

static thread_local Noisy own(3);

static std::vector<int> &table()
{
    static std::vector<int> all = [] {
        counter += 1000;
        return std::vector<int>(100, 7);
    }();
    return all;
}

static void fill(int me)
{
    own.value += me;
    for (int i = 0; i < 5; i++) {
        std::lock_guard<std::mutex> hold(mutex);
        names[me * 5 + i] = std::to_string(me) + ":" + std::to_string(i);
    }
    counter += table()[me];
}

static void throws(int me)
{
    static int tries;
    static std::mutex one;
    std::lock_guard<std::mutex> hold(one);
    try {
        static int made = [] {
            if (++tries < 3)
                throw std::runtime_error("not yet");
            return tries;
        }();
        counter += made * 0;
    } catch (const std::runtime_error &) {
        counter += 10000;
    }
    (void)me;
}

static void with_threads(int n, void (*fn)(int))
{
    std::vector<std::thread> all;
    for (int i = 0; i < n; i++)
        all.emplace_back(fn, i);
    for (auto &t : all)
        t.join();
}

static bool ready;
static int served;
static std::once_flag once;
static std::shared_mutex shared;
static std::recursive_timed_mutex again;

static void wait_for(int)
{
    std::unique_lock<std::mutex> hold(mutex);
    changed.wait(hold, [] { return ready; });
    served++;
    std::call_once(once, [] { counter += 100000; });
}

static void locks(int me)
{
    for (int i = 0; i < 10; i++) {
        if ((i + me) % 3 == 0) {
            std::unique_lock<std::shared_mutex> write(shared);
            gone += 0;
        } else {
            std::shared_lock<std::shared_mutex> read(shared);
        }
        std::lock_guard<std::recursive_timed_mutex> outer(again), inner(again);
        served++;
    }
}

/* The same line each time: nodes write in any order; what is left in buffers at their end, too. */
static void tell(int)
{
    std::lock_guard<std::mutex> hold(mutex);
    std::ios::sync_with_stdio(false);
    std::cout << "one of a few, " << std::showbase << std::hex << 255 << "\n";
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        with_threads(6, tell);
        return argv[1][0] == 's' ? 0 : 1;
    }
    with_threads(6, fill);
    std::printf("names %zu, last %s\n", names.size(), names.rbegin()->second.c_str());
    std::printf("counter %ld, gone %ld\n", counter.load(), gone);
    with_threads(5, throws);
    std::printf("counter %ld\n", counter.load());

    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back(wait_for, i);
    {
        std::lock_guard<std::mutex> hold(mutex);
        ready = true;
    }
    changed.notify_all();
    for (auto &t : all)
        t.join();
    std::printf("served %d, counter %ld\n", served, counter.load());
    with_threads(4, locks);
    std::printf("served %d\n", served);

    std::unique_lock<std::mutex> hold(mutex);
    std::condition_variable never;
    auto rc = never.wait_for(hold, std::chrono::milliseconds(20));
    std::printf("timeout %d\n", rc == std::cv_status::timeout);
    hold.unlock();

    auto passed = std::make_shared<std::string>("kept");
    std::thread last([passed](int n, std::string text) { *passed += text + std::to_string(n); }, 5, std::string(", given "));
    std::printf("joinable %d\n", last.joinable());
    last.join();
    std::printf("%s, joinable %d, uses %ld\n", passed->c_str(), last.joinable(), passed.use_count());
    try {
        last.join();
    } catch (const std::system_error &e) {
        std::printf("second join: %d\n", e.code().value());
    }
    return 6;
}
