// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef HLRC_HPP
#define HLRC_HPP

/*
 * hlrc.hpp - the interface of hlrc.h for C++20.
 *
 *     #include <hlrc.hpp>
 *
 *     int main(int argc, char **argv)
 *     {
 *         hlrc::job job(argc, argv);
 *         hlrc::array<double> field(1000000);     // shared, zero
 *         for (double &x : field.local())         // this node's part
 *             x = 1;
 *         hlrc::barrier();
 *     }
 *
 * Objects that stand for something of the whole job (array, mutex, shared_mutex,
 * condition_variable, word) are constructed by all nodes together, in the same order, after the
 * job, and destroyed in the same way, before it. They are not copied.
 * A failure of the library throws std::system_error with its errno value; what ends the job in C
 * ends it here as well. Memory is ordered as by the functions of hlrc.h that the members call.
 */

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <span>
#include <system_error>
#include <type_traits>

#include <hlrc.h>

namespace hlrc
{

namespace detail
{

inline void check(int error, const char *what)
{
    if (error < 0)
        throw std::system_error(-error, std::generic_category(), what);
}

// What node 0 has created, on all nodes.
template <typename Handle, typename Create> Handle created(Create create, const char *what)
{
    struct {
        Handle handle;
        int error;
    } made = {};
    if (hlrc_node_id() == 0)
        made.error = create(&made.handle);
    check(hlrc_broadcast(&made, sizeof made, 0), what);
    check(made.error, what);
    return made.handle;
}

// Is destroyed by all nodes together; or, when an exception leaves its scope, not at all: the
// others may be somewhere else.
class collective
{
  public:
    collective(const collective &) = delete;
    collective &operator=(const collective &) = delete;

  protected:
    collective() = default;
    bool unwinds() const noexcept
    {
        return std::uncaught_exceptions() > exceptions;
    }
    // By node 0, once no node uses it any more.
    template <typename Destroy> void destroyed(Destroy destroy)
    {
        if (unwinds())
            return;
        hlrc_barrier();
        if (hlrc_node_id() == 0)
            destroy();
    }

  private:
    int exceptions = std::uncaught_exceptions();
};

// A time that has passed is no time, and not without a limit.
template <typename Rep, typename Period>
std::int64_t nanoseconds(const std::chrono::duration<Rep, Period> &time)
{
    return std::max<std::int64_t>(
        0, std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

template <typename T> constexpr hlrc_type type_of()
{
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                      !std::is_same_v<T, long double>,
                  "an integer of 4 or 8 bytes, float or double");
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? HLRC_FLOAT : HLRC_DOUBLE;
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 4 ? HLRC_INT32 : HLRC_INT64;
    else
        return sizeof(T) == 4 ? HLRC_UINT32 : HLRC_UINT64;
}

} // namespace detail

inline int node() noexcept
{
    return hlrc_node_id();
}
inline int nodes() noexcept
{
    return hlrc_node_count();
}
inline void barrier()
{
    hlrc_barrier();
}

// The job of this process, from construction to destruction. An exception that leaves its scope
// ends the job with one line and status 1: the other nodes would wait for this one.
class job : detail::collective
{
  public:
    job()
    {
        begin(nullptr, nullptr);
    }
    job(int &argc, char **&argv)
    {
        begin(&argc, &argv);
    }
    ~job()
    {
        if (unwinds()) {
            std::fprintf(stderr, "hlrc: node %d: an exception left the scope of hlrc::job\n",
                         node());
            hlrc_exit(EXIT_FAILURE);
        }
        hlrc_finalize();
    }

  private:
    static void begin(int *argc, char ***argv)
    {
        detail::check(hlrc_init(argc, argv), "hlrc_init");
    }
};

// ---- collective operations ----

// The value of node `root`, on all.
template <typename T> T broadcast(T value, int root = 0)
{
    static_assert(std::is_trivially_copyable_v<T>, "the value is copied byte by byte");
    detail::check(hlrc_broadcast(&value, sizeof value, root), "hlrc_broadcast");
    return value;
}

// Each value combined with the other nodes' values; the same bits on all.
template <typename T> void reduce(std::span<T> values, hlrc_op op = HLRC_SUM)
{
    detail::check(hlrc_reduce(values.data(), values.data(), values.size(), detail::type_of<T>(),
                              op),
                  "hlrc_reduce");
}

template <typename T> T reduce(T value, hlrc_op op = HLRC_SUM)
{
    reduce(std::span<T>(&value, 1), op);
    return value;
}

// Some nodes of the job; made by these and no others, in the same order, and destroyed so.
class group : detail::collective
{
  public:
    explicit group(std::span<const int> members)
    {
        detail::check(hlrc_group_create(members.data(), static_cast<int>(members.size()), &handle),
                      "hlrc_group_create");
    }
    ~group()
    {
        if (!unwinds())
            hlrc_group_free(handle);
    }

    void barrier()
    {
        hlrc_group_barrier(handle);
    }
    template <typename T> T broadcast(T value, int root)
    {
        static_assert(std::is_trivially_copyable_v<T>, "the value is copied byte by byte");
        detail::check(hlrc_group_broadcast(handle, &value, sizeof value, root),
                      "hlrc_group_broadcast");
        return value;
    }
    template <typename T> void reduce(std::span<T> values, hlrc_op op = HLRC_SUM)
    {
        detail::check(hlrc_group_reduce(handle, values.data(), values.data(), values.size(),
                                        detail::type_of<T>(), op),
                      "hlrc_group_reduce");
    }

  private:
    hlrc_group_t handle;
};

// ---- memory ----

enum class placement { first_write, block, cyclic };

// `size` shared elements, zero, at the same address on all nodes. With placement::block each node
// is home of as many consecutive pages.
template <typename T> class array : detail::collective
{
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "elements are shared byte by byte, and begin as zeros");

  public:
    explicit array(std::size_t size, placement how = placement::block) : count(size)
    {
        if (size > SIZE_MAX / sizeof(T))
            throw std::bad_array_new_length();
        void *got =
            how == placement::first_write
                ? hlrc_malloc_all(bytes())
                : hlrc_alloc_placed(bytes(), how == placement::block ? HLRC_BLOCK : HLRC_CYCLIC, 0);
        if (!got)
            throw std::bad_alloc();
        first = static_cast<T *>(got);
    }
    ~array()
    {
        if (!unwinds())
            hlrc_free_all(first);
    }

    T *data() const noexcept
    {
        return first;
    }
    std::size_t size() const noexcept
    {
        return count;
    }
    T &operator[](std::size_t i) const noexcept
    {
        return first[i];
    }
    T *begin() const noexcept
    {
        return first;
    }
    T *end() const noexcept
    {
        return first + count;
    }

    // The part of a node: consecutive elements, by whole pages, so that no page is in two parts
    // but for elements that lie across a border.
    std::span<T> part(int of) const noexcept
    {
        std::size_t from = border(of);
        return { first + from, border(of + 1) - from };
    }
    std::span<T> local() const noexcept
    {
        return part(node());
    }

  private:
    static constexpr std::size_t page = 4096;
    T *first;
    std::size_t count;

    std::size_t bytes() const noexcept
    {
        return count ? count * sizeof(T) : 1;
    }
    std::size_t border(int of) const noexcept
    {
        std::size_t n = static_cast<std::size_t>(nodes()), pages = (bytes() + page - 1) / page,
                    each = (pages + n - 1) / n * page;
        return std::min(count, (static_cast<std::size_t>(of) * each + sizeof(T) - 1) / sizeof(T));
    }
};

// Shared memory for containers. Any node allocates and frees, at any time. A container that
// several nodes use lies in shared memory itself, and is guarded as between threads.
template <typename T> struct allocator {
    using value_type = T;

    allocator() noexcept = default;
    template <typename Other> allocator(const allocator<Other> &) noexcept
    {
    }

    T *allocate(std::size_t n)
    {
        constexpr std::size_t align = std::max<std::size_t>(alignof(T), 16);
        void *got =
            n > SIZE_MAX / sizeof(T) ? nullptr : hlrc_alloc_uninitialized(align, n * sizeof(T));
        if (!got)
            throw std::bad_alloc();
        return static_cast<T *>(got);
    }
    void deallocate(T *at, std::size_t) noexcept
    {
        hlrc_free(at);
    }

    friend bool operator==(const allocator &, const allocator &) noexcept
    {
        return true;
    }
};

// Operations on an element of shared memory, atomic for all threads of all nodes. Unlike those of
// std::atomic_ref they order other memory only as `order` says: see hlrc_word_fetch.
template <typename T> class atomic_ref
{
  public:
    using value_type = T;

    explicit atomic_ref(T &of) noexcept : word(&of)
    {
    }

    T load(hlrc_order order = HLRC_RELAXED) const
    {
        return change(T(), HLRC_NO_OP, order);
    }
    void store(T value, hlrc_order order = HLRC_RELAXED) const
    {
        change(value, HLRC_REPLACE, order);
    }
    T exchange(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_REPLACE, order);
    }
    bool compare_exchange(T &expected, T desired, hlrc_order order = HLRC_RELAXED) const
    {
        int done = hlrc_word_compare(hlrc_word_shared(word), detail::type_of<T>(), &expected,
                                     &desired, order);
        detail::check(done, "hlrc_word_compare");
        return done == 1;
    }
    // Each returns the previous value.
    T fetch_add(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_SUM, order);
    }
    T fetch_sub(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(static_cast<T>(T() - value), HLRC_SUM, order);
    }
    T fetch_and(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_AND, order);
    }
    T fetch_or(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_OR, order);
    }
    T fetch_xor(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_XOR, order);
    }
    T fetch_min(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_MIN, order);
    }
    T fetch_max(T value, hlrc_order order = HLRC_RELAXED) const
    {
        return change(value, HLRC_MAX, order);
    }

  private:
    T *word;

    T change(T value, hlrc_op op, hlrc_order order) const
    {
        T old;
        detail::check(hlrc_word_fetch(hlrc_word_shared(word), detail::type_of<T>(), op, &value,
                                      &old, order),
                      "hlrc_word_fetch");
        return old;
    }
};

// A 64-bit word outside the shared memory (hlrc_atomic_create), which needs no page.
class word : detail::collective
{
  public:
    explicit word(std::uint64_t value = 0)
        : handle(detail::created<hlrc_atomic_t>(
              [value](hlrc_atomic_t *to) { return hlrc_atomic_create(to, value); },
              "hlrc_atomic_create"))
    {
    }
    ~word()
    {
        destroyed([this] { hlrc_atomic_destroy(handle); });
    }

    std::uint64_t load(hlrc_order order = HLRC_RELAXED) const
    {
        return hlrc_word_fetch_uint64(name(), HLRC_NO_OP, 0, order);
    }
    std::uint64_t fetch_add(std::uint64_t value, hlrc_order order = HLRC_RELAXED) const
    {
        return hlrc_word_fetch_uint64(name(), HLRC_SUM, value, order);
    }
    std::uint64_t exchange(std::uint64_t value, hlrc_order order = HLRC_RELAXED) const
    {
        return hlrc_word_fetch_uint64(name(), HLRC_REPLACE, value, order);
    }
    bool compare_exchange(std::uint64_t &expected, std::uint64_t desired,
                          hlrc_order order = HLRC_RELAXED) const
    {
        return hlrc_word_compare_uint64(name(), &expected, desired, order) == 1;
    }

  private:
    hlrc_atomic_t handle;

    hlrc_word_t name() const
    {
        return hlrc_word_atomic(handle);
    }
};

// ---- locks: for std::lock_guard, std::unique_lock, std::scoped_lock ----

// At most one thread of all nodes holds it; it orders memory. Locks of different objects never
// exclude each other.
class mutex : detail::collective
{
  public:
    mutex() : handle(detail::created<hlrc_lock_t>(hlrc_lock_create, "hlrc_lock_create"))
    {
    }
    ~mutex()
    {
        destroyed([this] { hlrc_lock_destroy(handle); });
    }

    void lock()
    {
        hlrc_lock(handle);
    }
    bool try_lock()
    {
        return hlrc_trylock(handle) == 0;
    }
    template <typename Rep, typename Period>
    bool try_lock_for(const std::chrono::duration<Rep, Period> &time)
    {
        return hlrc_lock_for(handle, detail::nanoseconds(time)) == 0;
    }
    void unlock()
    {
        hlrc_unlock(handle);
    }
    hlrc_lock_t native_handle() const noexcept
    {
        return handle;
    }

  private:
    hlrc_lock_t handle;
};

// For std::shared_lock, too.
class shared_mutex : detail::collective
{
  public:
    shared_mutex()
        : handle(detail::created<hlrc_rwlock_t>(hlrc_rwlock_create, "hlrc_rwlock_create"))
    {
    }
    ~shared_mutex()
    {
        destroyed([this] { hlrc_rwlock_destroy(handle); });
    }

    void lock()
    {
        hlrc_rwlock_wrlock(handle);
    }
    bool try_lock()
    {
        return hlrc_rwlock_trywrlock(handle) == 0;
    }
    void unlock()
    {
        hlrc_rwlock_wrunlock(handle);
    }
    void lock_shared()
    {
        hlrc_rwlock_rdlock(handle);
    }
    bool try_lock_shared()
    {
        return hlrc_rwlock_tryrdlock(handle) == 0;
    }
    void unlock_shared()
    {
        hlrc_rwlock_rdunlock(handle);
    }

  private:
    hlrc_rwlock_t handle;
};

class condition_variable : detail::collective
{
  public:
    condition_variable()
        : handle(detail::created<hlrc_cond_t>(hlrc_cond_create, "hlrc_cond_create"))
    {
    }
    ~condition_variable()
    {
        destroyed([this] { hlrc_cond_destroy(handle); });
    }

    void wait(std::unique_lock<mutex> &lock)
    {
        hlrc_cond_wait(handle, lock.mutex()->native_handle());
    }
    template <typename Rep, typename Period>
    std::cv_status wait_for(std::unique_lock<mutex> &lock,
                            const std::chrono::duration<Rep, Period> &time)
    {
        int done =
            hlrc_cond_wait_for(handle, lock.mutex()->native_handle(), detail::nanoseconds(time));
        return done == 0 ? std::cv_status::no_timeout : std::cv_status::timeout;
    }
    template <typename Ready> void wait(std::unique_lock<mutex> &lock, Ready ready)
    {
        while (!ready())
            wait(lock);
    }
    void notify_one()
    {
        hlrc_cond_signal(handle);
    }
    void notify_all()
    {
        hlrc_cond_broadcast(handle);
    }

  private:
    hlrc_cond_t handle;
};

} // namespace hlrc

#endif
