// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions that main has set, called for a thread of another node, and what the library of C++
// allocates and opens there.
#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory_resource>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sstream>
#include <thread>
#include <time.h>
#include <unistd.h>

static char *readable;

static void uses_library()
{
    readable = abi::__cxa_demangle("_ZSt13set_terminatePFvvE", nullptr, nullptr, nullptr);
    std::filesystem::create_directory("folder");
    std::ofstream("folder/file") << "of a thread\n";
    for (auto &entry : std::filesystem::directory_iterator("folder"))
        std::printf("%s, %d bytes\n", entry.path().c_str(), (int)entry.file_size());
}

// A thread-local file is written at the thread's end.
struct closing {
    std::ofstream file;
    ~closing()
    {
        file << "end\n";
        std::cout << "closing" << std::endl;
    }
};
static thread_local closing own;

static void opens()
{
    own.file.open("own");
    own.file << "begin\n";
}

static void thread_local_files()
{
    for (int i = 0; i < 3; i++) {
        std::thread(opens).join();
        std::ifstream in("own");
        std::string word;
        while (in >> word)
            std::cout << word << std::endl;
    }
}

struct noisy {
    ~noisy()
    {
        std::puts("destroyed");
    }
};

static void makes_static()
{
    static noisy one;
    (void)one;
}

struct counting : std::pmr::memory_resource {
    int count = 0;
    void *do_allocate(size_t bytes, size_t) override
    {
        count++;
        return ::operator new(bytes);
    }
    void do_deallocate(void *at, size_t, size_t) override
    {
        ::operator delete(at);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override
    {
        return this == &other;
    }
};

// exit destroys the variables of its thread first.
static void exits()
{
    thread_local noisy mine;
    (void)&mine;
    std::atexit([] { std::puts("at the end"); });
    own.file.open("own");
    std::exit(3);
}

// The format of std::cout, of which each node has one.
static void sets_format(int i)
{
    std::cout << std::hex << std::setprecision(2 + i) << std::setfill('*') << 255 << std::endl;
    std::cin.setstate(std::ios::eofbit);
}

static void uses_format()
{
    std::cout << 255 << ' ' << 2.71828 << ' ' << std::setw(4) << 1 << std::endl;
}

static void formats()
{
    for (int i = 0; i < 3; i++) {
        std::thread(sets_format, i).join();
        std::thread(uses_format).join();
        uses_format();
        std::cout << std::dec << std::cin.eof();
        std::cin.clear();
        std::thread(uses_format).join();
    }
}

// By a thread of one node, for all.
static void buffers()
{
    std::ostringstream captured;
    std::streambuf *before = nullptr;
    for (int i = 0; i < 3; i++) {
        std::thread([&] { before = std::cout.rdbuf(captured.rdbuf()); }).join();
        std::thread([] { std::cout << "captured "; }).join();
        std::cout << i << ' ';
        std::thread([&] { std::cout.rdbuf(before); }).join();
    }
    std::cout << captured.str() << std::endl;
    std::thread([&] { std::cout.rdbuf(captured.rdbuf()); }).join();
    std::cout.rdbuf(before);
}

// A thread computes as the one that has created it, and begins without an error.
static void computes()
{
    static const int round[] = { FE_UPWARD, FE_UPWARD, FE_UPWARD, FE_DOWNWARD };
    for (int way : round) {
        std::fesetround(way);
        std::thread([] {
            int error = errno;
            errno = ENOENT;
            std::printf("rounds %x, error %d\n", (unsigned)std::fegetround(), error);
        }).join();
    }
    std::fesetround(FE_TONEAREST);
}

// What a thread finds out about itself, and main about another thread.
static void describes(bool named)
{
    pthread_attr_t attr;
    void *stack = nullptr;
    std::size_t bytes = 0;
    int kind = -1, policy = -1;
    sched_param param = {};
    clockid_t clock = 0;
    timespec time = { -1, -1 };
    char name[16] = "";
    pthread_t self = pthread_self();
    int rc = pthread_getattr_np(self, &attr) | pthread_attr_getstack(&attr, &stack, &bytes) |
             pthread_attr_getdetachstate(&attr, &kind) | pthread_attr_destroy(&attr);
    char *here = (char *)__builtin_frame_address(0);
    std::printf("stack %d %d", rc, here > stack && here < (char *)stack + bytes);
    std::printf(" detached %d", kind);
    rc = pthread_getschedparam(self, &policy, &param);
    std::printf(", policy %d %d %d", rc, policy, param.sched_priority);
    rc = pthread_getcpuclockid(self, &clock) | clock_gettime(clock, &time);
    std::printf(", clock %d %d", rc, time.tv_sec >= 0 && time.tv_nsec >= 0);
    rc = pthread_getname_np(self, name, sizeof name);
    std::printf(", name %d %s", rc, named ? name : "");
    rc = pthread_setname_np(self, "longer than names may be");
    std::printf(" %d %d\n", rc, pthread_setname_np(self, "of a thread"));
}

static void descriptions()
{
    char name[16] = "";
    std::thread(describes, false).join();
    pthread_setname_np(pthread_self(), "of main");
    for (int i = 0; i < 2; i++)
        std::thread(describes, true).join();
    std::thread([] { pthread_setname_np(pthread_self(), "other"); }).join();
    std::thread other([] { pause(); });
    pthread_setname_np(other.native_handle(), "a waiting one");
    int rc = pthread_getname_np(other.native_handle(), name, sizeof name);
    std::printf("%d %s", rc, name);
    rc = pthread_getname_np(pthread_self(), name, sizeof name);
    std::printf(" %d %s\n", rc, name);
    other.detach();
}

/* The library has a key of each thread for it. */
static void pools()
{
    std::pmr::synchronized_pool_resource pool(std::pmr::new_delete_resource());
    std::pmr::vector<int> all(10, 1, &pool);
    for (int i = 0; i < 3; i++)
        std::thread([&] {
            std::pmr::vector<int> own(100, 2, &pool);
            all.insert(all.end(), own.begin(), own.end());
        }).join();
    std::printf("pool %zu\n", all.size());
}

static void without_stdio()
{
    std::fflush(stdout);
    std::cout.flush();
    bool before = std::ios::sync_with_stdio(false);
    std::cout << "synchronised " << before << '\n';
    for (int i = 0; i < 3; i++) {
        std::thread([&] { std::cout << "thread " << i << '\n'; }).join();
        std::cout << "main " << i << '\n';
    }
    std::cout << "synchronised " << std::ios::sync_with_stdio(true) << '\n'
              << std::flush; // still not
}

int main(int argc, char **argv)
{
    std::filesystem::current_path(argc > 1 ? argv[1] : ".");
    for (int i = 0; i < 2; i++) {
        std::thread(uses_library).join();
        std::puts(readable);
        std::free(readable);
        std::filesystem::remove_all("folder");
    }
    std::thread(makes_static).join();
    thread_local_files();
    formats();
    buffers();
    computes();
    descriptions();
    bool same[2] = { false, false };
    std::set_new_handler([] { std::puts("no memory"); });
    std::new_handler wanted = std::get_new_handler();
    for (bool &s : same)
        std::thread([&] { s = std::get_new_handler() == wanted; }).join();
    std::printf("new_handler %d %d\n", same[0], same[1]);
    static counting counted;
    std::pmr::set_default_resource(&counted);
    for (int i = 0; i < 2; i++)
        std::thread([] { std::pmr::string(100, 'x'); }).join();
    std::thread([] { std::pmr::set_default_resource(std::pmr::null_memory_resource()); }).join();
    int number = std::ios_base::xalloc();
    for (int i = 0; i < 2; i++)
        std::thread([&] { std::printf("number %d\n", std::ios_base::xalloc() - number); }).join();
    std::printf("resource %d %d\n", counted.count,
                std::pmr::get_default_resource() == std::pmr::null_memory_resource());
    pools();
    without_stdio();
    if (argc > 3) // the next thread is another node's
        std::thread([] {}).join();
    if (argc > 2)
        std::thread(exits).join();
    std::set_terminate([] {
        std::puts("terminated");
        std::fflush(stdout);
        std::_Exit(4);
    });
    std::thread([] { throw 1; }).join();
    return 0;
}
