// SPDX-License-Identifier: LGPL-2.1-or-later
// hlrc.hpp on all nodes of a job: what is computed together is compared with what one thread would compute. The first argument
// may be a way to fail. Prints "NODES nodes, bad NUMBER".
#include <hlrc.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

static int bad;

static void expect(bool right, const char *what)
{
    if (right)
        return;
    bad++;
    std::fprintf(stderr, "node %d: %s\n", hlrc::node(), what);
}

// Each node writes its part; the parts are all, once.
static void arrays()
{
    for (auto how :
         { hlrc::placement::first_write, hlrc::placement::block, hlrc::placement::cyclic }) {
        constexpr std::size_t size = 12345;
        hlrc::array<int> a(size, how);
        std::size_t sum = 0;
        for (int n = 0; n < hlrc::nodes(); n++)
            sum += a.part(n).size();
        expect(sum == size && a.part(0).data() == a.data(), "parts");
        for (int &x : a.local())
            x += 1 + static_cast<int>(&x - a.data());
        hlrc::barrier();
        long long all = std::accumulate(a.begin(), a.end(), 0LL);
        expect(all == static_cast<long long>(size) * (size + 1) / 2, "array");
        std::span<int> whole = a;
        expect(whole.size() == size && &whole[5] == &a[5], "span");
        hlrc::barrier();
    }
    hlrc::array<char> block(9 * 4096);
    for (char &c : block.local())
        c = 1;
    hlrc::barrier();
    expect(block.local().empty() || hlrc_home(block.local().data()) == hlrc::node(), "home");
    hlrc::array<double> none(0);
    expect(none.size() == 0 && none.begin() == none.end() && none.local().empty(), "empty");
}

static void together()
{
    expect(hlrc::broadcast(hlrc::node() + 7, hlrc::nodes() - 1) == hlrc::nodes() + 6, "broadcast");
    expect(hlrc::reduce(hlrc::node() + 1) == hlrc::nodes() * (hlrc::nodes() + 1) / 2, "reduce");
    expect(hlrc::reduce(1.5 * hlrc::node(), HLRC_MAX) == 1.5 * (hlrc::nodes() - 1), "maximum");
    std::vector<std::uint64_t> v = { 1, static_cast<std::uint64_t>(hlrc::node()) };
    hlrc::reduce(std::span(v));
    expect(v[0] == static_cast<std::uint64_t>(hlrc::nodes()), "reduce of several");
}

static void locks()
{
    constexpr int rounds = 200;
    hlrc::mutex one, two;
    hlrc::shared_mutex many;
    hlrc::array<long> sum(3, hlrc::placement::first_write);
    for (int i = 0; i < rounds; i++) {
        std::scoped_lock both(one, two);
        sum[0]++, sum[1] += 2;
    }
    for (int i = 0; i < rounds; i++) {
        std::unique_lock<hlrc::shared_mutex> alone(many);
        sum[2]++;
    }
    {
        std::shared_lock<hlrc::shared_mutex> reads(many);
        expect(sum[2] >= rounds, "shared_lock");
    }
    hlrc::barrier();
    long n = hlrc::nodes();
    expect(sum[0] == rounds * n && sum[1] == 2 * rounds * n && sum[2] == rounds * n, "locks");
    if (hlrc::node() == 0) {
        std::unique_lock<hlrc::mutex> held(one);
        expect(!one.try_lock(), "try_lock");
    }
    hlrc::barrier();
}

// A token goes round.
static void conditions()
{
    hlrc::mutex guard;
    hlrc::condition_variable changed;
    hlrc::array<int> turn(1);
    for (int round = 0; round < 20; round++) {
        std::unique_lock<hlrc::mutex> held(guard);
        changed.wait(held, [&] { return turn[0] % hlrc::nodes() == hlrc::node(); });
        turn[0]++;
        changed.notify_all();
    }
    hlrc::barrier();
    expect(turn[0] == 20 * hlrc::nodes(), "condition");
}

template <typename T> static void atomics()
{
    hlrc::array<T> a(4);
    hlrc::atomic_ref<T> sum(a[0]), swapped(a[1]), most(a[2]);
    for (int i = 0; i < 50; i++) {
        sum.fetch_add(T(2));
        sum.fetch_sub(T(1));
        T seen = swapped.load();
        while (!swapped.compare_exchange(seen, static_cast<T>(seen + 3)))
            ;
    }
    most.fetch_max(static_cast<T>(hlrc::node()), HLRC_RELEASE);
    hlrc::barrier();
    expect(sum.load() == T(50 * hlrc::nodes()) && swapped.load() == T(150 * hlrc::nodes()),
           "atomic_ref");
    expect(most.load() == T(hlrc::nodes() - 1), "fetch_max");
    hlrc::barrier();
}

// Times, groups.
static void newer()
{
    using namespace std::chrono_literals;
    hlrc::mutex guard;
    hlrc::condition_variable changed;
    hlrc::array<int> flag(1);
    {
        std::unique_lock<hlrc::mutex> held(guard);
        expect(changed.wait_for(held, 1ms) == std::cv_status::timeout || hlrc::nodes() > 1,
               "wait_for");
        flag[0] = 1;
        changed.notify_all();
    }
    hlrc::barrier();
    if (hlrc::node() == 0) {
        std::unique_lock<hlrc::mutex> held(guard, 60s);
        expect(held.owns_lock() && !guard.try_lock_for(2ms), "try_lock_for");
    }
    hlrc::barrier();
    std::vector<int> all(static_cast<std::size_t>(hlrc::nodes()));
    std::iota(all.begin(), all.end(), 0);
    hlrc::group some(all);
    std::vector<double> values(500, hlrc::node());
    some.reduce(std::span(values), HLRC_MAX);
    some.barrier();
    expect(values[499] == hlrc::nodes() - 1 && some.broadcast(hlrc::node(), 0) == 0, "group");
}

static void words()
{
    hlrc::word tickets(5);
    for (int i = 0; i < 10; i++)
        tickets.fetch_add(1);
    hlrc::barrier();
    expect(tickets.load() == 5 + 10u * static_cast<unsigned>(hlrc::nodes()), "word");
    hlrc::barrier();
    std::uint64_t wrong = 1;
    if (hlrc::node() == 0) {
        expect(!tickets.compare_exchange(wrong, 9) && tickets.exchange(9) == wrong, "exchange");
        expect(tickets.load() == 9, "after exchange");
    }
}

// Node 0 makes containers, the last node reads and changes them.
static void containers()
{
    using numbers = std::vector<int, hlrc::allocator<int>>;
    using names =
        std::map<int, numbers, std::less<int>, hlrc::allocator<std::pair<const int, numbers>>>;
    hlrc::array<names *> root(1);
    if (hlrc::node() == 0) {
        root[0] = std::construct_at(hlrc::allocator<names>().allocate(1));
        for (int i = 0; i < 100; i++)
            (*root[0])[i % 7].push_back(i);
    }
    hlrc::barrier();
    if (hlrc::node() == hlrc::nodes() - 1) {
        long sum = 0;
        for (const auto &[key, values] : *root[0])
            sum += std::accumulate(values.begin(), values.end(), 0L);
        expect(sum == 4950 && root[0]->size() == 7, "containers");
        (*root[0])[3].clear();
        root[0]->erase(4);
    }
    hlrc::barrier();
    expect(root[0]->size() == 6 && (*root[0]).at(3).empty(), "changed containers");
    hlrc::barrier();
    if (hlrc::node() == 0) {
        std::destroy_at(root[0]);
        hlrc::allocator<names>().deallocate(root[0], 1);
    }
}

static void errors()
{
    bool thrown = false;
    try {
        hlrc::allocator<double>().allocate(SIZE_MAX / 4);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    expect(thrown, "bad_alloc");
    try {
        hlrc::broadcast(1, hlrc::nodes());
        thrown = false;
    } catch (const std::system_error &e) {
        thrown = e.code().value() == EINVAL;
    }
    expect(thrown, "system_error");
}

static void run()
{
    arrays();
    together();
    locks();
    conditions();
    atomics<int>();
    atomics<std::uint64_t>();
    atomics<double>();
    words();
    newer();
    containers();
    errors();
}

int main(int argc, char **argv)
{
    try {
        hlrc::job job(argc, argv);
        hlrc::array<int> held(1);
        hlrc::mutex guard;
        if (argc > 1 && std::strcmp(argv[1], "throw") == 0 && hlrc::node() == hlrc::nodes() - 1)
            throw std::runtime_error("left the scope of the job");
        run();
        bad = hlrc::reduce(bad);
        if (hlrc::node() == 0)
            std::printf("%d nodes, bad %d\n", hlrc::nodes(), bad);
        return bad != 0;
    } catch (const std::runtime_error &) {
        return 3; // the job has ended before
    }
}
