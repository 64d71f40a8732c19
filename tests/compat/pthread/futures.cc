// SPDX-License-Identifier: LGPL-2.1-or-later
// What std::future, std::promise, std::async and std::packaged_task pass from thread to thread, exceptions among it; exceptions
// that several threads throw again; atomic flags; and words that threads sleep on by the system's call, as std::latch does.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static std::atomic<int> alive;

struct Bad : std::runtime_error {
    int number;
    explicit Bad(int n) : std::runtime_error("bad " + std::to_string(n)), number(n) { alive++; }
    Bad(const Bad &other) : std::runtime_error(other), number(other.number) { alive++; }
    ~Bad() { alive--; }
};

static long sum_to(int n)
{
    if (n % 7 == 3)
        throw Bad(n);
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    return std::accumulate(all.begin(), all.end(), 0L);
}

static int fib(int n)
{
    if (n < 8)
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    auto first = std::async(std::launch::async, fib, n - 1);
    int second = fib(n - 2);
    return first.get() + second;
}

static void tasks()
{
    std::vector<std::future<long>> results;
    std::vector<std::thread> threads;
    for (int i = 0; i < 12; i++) {
        std::packaged_task<long(int)> task(sum_to);
        results.push_back(task.get_future());
        threads.emplace_back(std::move(task), i);
    }
    long sum = 0;
    for (auto &result : results) {
        try {
            sum += result.get();
        } catch (const Bad &bad) {
            std::printf("%s, ", bad.what());
            sum += 1000 * bad.number;
        }
    }
    for (auto &thread : threads)
        thread.join();
    std::printf("sum %ld, fib %d\n", sum, fib(11));
}

static void promises()
{
    std::promise<std::string> promise;
    std::shared_future<std::string> text = promise.get_future().share();
    std::vector<std::future<std::size_t>> lengths;
    for (std::size_t i = 0; i < 4; i++)
        lengths.push_back(std::async(std::launch::async, [text, i] { return text.get().size() + i; }));
    promise.set_value("as long as no small string is");
    for (auto &length : lengths)
        std::printf("%zu ", length.get());

    std::promise<int> gone, never, late;
    auto broken = gone.get_future(), in_vain = never.get_future(), at_exit = late.get_future();
    std::thread([](std::promise<int>) {}, std::move(gone)).join();
    try {
        broken.get();
    } catch (const std::future_error &e) {
        std::printf("broken %d ", e.code() == std::future_errc::broken_promise);
    }
    std::packaged_task<void()> leaves([] { pthread_exit(nullptr); });
    auto left = leaves.get_future();
    std::thread leaver(std::move(leaves));
    try {
        left.get();
    } catch (const std::future_error &e) {
        std::printf("left %d ", e.code() == std::future_errc::broken_promise);
    }
    leaver.join();
    auto soon = std::chrono::milliseconds(5);
    std::printf("in time %d%d ", in_vain.wait_for(soon) == std::future_status::ready,
                in_vain.wait_until(std::chrono::system_clock::now() + soon) == std::future_status::ready);
    std::thread last([&late] { late.set_value_at_thread_exit(9); });
    std::printf("at exit %d\n", at_exit.get());
    last.join();
}

/* Each exception is destroyed once, when the last that refers to it is gone. */
static void thrown_again()
{
    std::vector<std::exception_ptr> all(12);
    std::vector<std::thread> threads;
    std::atomic<long> sum{0};
    for (int i = 0; i < 6; i++)
        threads.emplace_back([&all, i] {
            try {
                throw Bad(i);
            } catch (...) {
                all[i] = std::current_exception();
            }
            all[i + 6] = std::make_exception_ptr(Bad(i + 6));
        });
    for (auto &thread : threads)
        thread.join();
    threads.clear();
    for (int i = 0; i < 6; i++)
        threads.emplace_back([&all, &sum, i] {
            for (int k = 0; k < 24; k++) {
                std::exception_ptr mine = all[(i + k) % 12];
                try {
                    std::rethrow_exception(mine);
                } catch (const Bad &bad) {
                    sum += bad.number + (std::current_exception() == mine);
                }
            }
        });
    for (auto &thread : threads)
        thread.join();
    int before = alive;
    all.clear();
    std::printf("thrown %ld, alive %d, then %d\n", sum.load(), before, alive.load());
}

static void flags()
{
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    long count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            for (int k = 0; k < 25; k++) {
                while (flag.test_and_set(std::memory_order_acquire))
                    std::this_thread::yield();
                count++;
                flag.clear(std::memory_order_release);
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("counted %ld\n", count);
}

static long futex(std::atomic<int> &word, int what, int value, const timespec *time)
{
    return syscall(SYS_futex, &word, what, value, time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

static void words()
{
    std::atomic<int> here{0}, word{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; i++)
        threads.emplace_back([&] {
            here++;
            while (word == 0)
                futex(word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, nullptr);
            here--;
        });
    while (here < 5)
        std::this_thread::yield();
    word = 1;
    futex(word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1000, nullptr);
    for (auto &thread : threads)
        thread.join();
    timespec short_time = { 0, 3000000 }, past = { 1, 0 };
    std::printf("here %d, other value %ld, in vain %ld %ld\n", here.load(), futex(word, FUTEX_WAIT, 7, nullptr),
                futex(word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, &short_time), futex(word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 1, &past));
}

int main()
{
    tasks();
    promises();
    thrown_again();
    flags();
    words();
    std::printf("alive %d\n", alive.load());
    return 0;
}
