// SPDX-License-Identifier: LGPL-2.1-or-later
// objects.cc - for restart.sh: threads of C++ with containers, exceptions, streams, and thread-local
// objects. Halfway they wait until the file go exists.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> ended;
struct counted {
    std::vector<int> seen;
    ~counted()
    {
        ended += static_cast<int>(seen.size());
    }
};
static thread_local counted mine;

static std::mutex lock;
static std::condition_variable changed;
static std::map<std::string, long> table;
static int token;

static void work(int me, int turns, int threads, std::ofstream &out)
{
    for (int t = 0; t < turns; t++) {
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [&] { return token == me; });
        mine.seen.push_back(t);
        std::ostringstream name;
        name << "key " << (me * 13 + t * 7) % 11;
        try {
            if (t % 2)
                throw std::runtime_error(name.str());
            table[name.str()] += t;
        } catch (const std::runtime_error &e) {
            table[e.what()] -= me;
        }
        out << me << ' ' << t << ' ' << table.size() << '\n';
        while (t == turns / 2 && me == 0 && access("go", F_OK) != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        token = (me + 1) % threads;
        changed.notify_all();
        held.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

int main()
{
    const int threads = 3, turns = 40;
    std::ofstream out("steps");
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(work, i, turns, threads, std::ref(out));
    for (auto &t : all)
        t.join();
    for (const auto &entry : table)
        std::cout << entry.first << ' ' << entry.second << '\n';
    std::cout << ended << std::endl;
}
