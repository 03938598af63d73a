/*
 * berth for C++17: slots of a named resource, in arrival order, among processes that may be killed.
 *
 *     berth::pool gpus("gpu", {.slots = 4});          // C++20; before it: berth::options o; o.slots = 4;
 *     berth::grant grant = gpus.acquire(std::chrono::seconds(30));
 *     train(grant.slot());                            // given back at the end of the block
 *
 * A pool may be shared by threads, and outlives its grants. Errors are berth::error, a
 * std::system_error whose what() has the library's sentence.
 */
#ifndef BERTH_HPP
#define BERTH_HPP

#include <berth.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace berth {

class error : public std::system_error {
public:
    explicit error(int number)
        : std::system_error(number, std::generic_category(), berth_reason())
    {
    }
};

inline void check(int number)
{
    if (number != 0)
        throw error(number);
}

/* As berth_options; what is empty or 0 is the default. */
struct options {
    unsigned slots = 0, seats = 0, mode = 0, flags = 0;
    std::string store, command;
};

/* A slot that is held; like std::unique_lock it can be moved, and not copied. */
class grant {
public:
    grant() = default;
    grant(berth_pool *pool, const berth_grant &held) : pool_(pool), held_(held) {}
    grant(grant &&other) noexcept : pool_(std::exchange(other.pool_, nullptr)), held_(other.held_) {}
    grant &operator=(grant &&other) noexcept
    {
        if (this != &other) {
            drop();
            pool_ = std::exchange(other.pool_, nullptr);
            held_ = other.held_;
        }
        return *this;
    }
    ~grant() { drop(); }

    /* Gives the slot back now, and says what went wrong. */
    void release()
    {
        berth_pool *pool = std::exchange(pool_, nullptr);
        if (pool == nullptr)
            throw std::system_error(EPERM, std::generic_category(),
                                    "the slot was given back already");
        check(berth_release(pool, &held_));
    }

    [[nodiscard]] bool owns_slot() const noexcept { return pool_ != nullptr; }
    explicit operator bool() const noexcept { return owns_slot(); }
    [[nodiscard]] unsigned slot() const noexcept { return held_.slot; }
    [[nodiscard]] std::uint64_t token() const noexcept { return held_.token; }
    [[nodiscard]] const berth_grant &native() const noexcept { return held_; }

private:
    void drop() noexcept
    {
        if (pool_ != nullptr)
            berth_release(pool_, &held_);
        pool_ = nullptr;
    }

    berth_pool *pool_ = nullptr;
    berth_grant held_{};
};

class pool {
public:
    explicit pool(const std::string &name, const options &how = {})
    {
        for (const std::string *text : {&name, &how.store, &how.command})
            if (text->find('\0') != std::string::npos)
                throw std::system_error(EINVAL, std::generic_category(), "a null character in a name");
        berth_options options{};
        options.size = sizeof options;
        options.slots = how.slots;
        options.seats = how.seats;
        options.mode = how.mode;
        options.flags = how.flags;
        options.store = how.store.empty() ? nullptr : how.store.c_str();
        options.command = how.command.empty() ? nullptr : how.command.c_str();
        check(berth_open(&handle_, name.c_str(), &options));
    }
    pool(pool &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    pool &operator=(pool &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~pool()
    {
        if (handle_ != nullptr)
            berth_close(handle_);
    }

    /* Waits, in arrival order. */
    [[nodiscard]] grant acquire()
    {
        berth_grant held;
        check(berth_acquire(handle_, &held));
        return {handle_, held};
    }

    /* The same for a time at most; std::errc::timed_out. */
    template <class Rep, class Period>
    [[nodiscard]] grant acquire(std::chrono::duration<Rep, Period> timeout)
    {
        using namespace std::chrono;
        const auto whole = duration_cast<seconds>(timeout);
        timespec time{};
        time.tv_sec = static_cast<std::time_t>(whole.count());
        time.tv_nsec = static_cast<long>(duration_cast<nanoseconds>(timeout - whole).count());
        berth_grant held;
        check(berth_acquire_for(handle_, &held, &time));
        return {handle_, held};
    }

    /* The same until the word is not 0; std::errc::operation_canceled. interrupt() has it looked at. */
    [[nodiscard]] grant acquire_unless(const volatile int &stop)
    {
        berth_grant held;
        check(berth_acquire_unless(handle_, &held, nullptr, &stop));
        return {handle_, held};
    }
    void interrupt() { check(berth_interrupt(handle_)); }

    /* A slot that is free and for which nobody waits. */
    [[nodiscard]] std::optional<grant> try_acquire()
    {
        berth_grant held;
        const int number = berth_try_acquire(handle_, &held);
        if (number == EBUSY)
            return std::nullopt;
        check(number);
        return grant(handle_, held);
    }

    [[nodiscard]] unsigned slots() const { return berth_slots(handle_); }
    void resize(unsigned slots) { check(berth_resize(handle_, slots)); }
    void close() { check(berth_close(std::exchange(handle_, nullptr))); }
    [[nodiscard]] berth_pool *native() const noexcept { return handle_; }

private:
    berth_pool *handle_ = nullptr;
};

} // namespace berth

#endif
