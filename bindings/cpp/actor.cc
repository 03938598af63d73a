// An actor of bindings/conformance, by the C++ binding.
#include "berth.hpp"

#include <atomic>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

namespace {

std::map<std::string, berth::pool> pools;
std::map<std::string, berth::grant> grants;

// Another thread stops the wait after a while.
berth::grant cancelled(berth::pool &pool, int milliseconds)
{
    volatile int stop = 0;
    std::atomic<bool> over{false};
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        stop = 1;
        while (!over) {
            pool.interrupt();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    try {
        berth::grant grant = pool.acquire_unless(stop);
        over = true;
        other.join();
        return grant;
    } catch (...) {
        over = true;
        other.join();
        throw;
    }
}

std::string answer(std::istringstream &line)
{
    std::string word, name, key;
    unsigned number = 0;
    line >> word >> name;
    if (word == "open") {
        line >> key >> number;
        berth::options how;
        how.slots = number;
        pools.erase(name);
        pools.emplace(name, berth::pool(key, how));
        return "";
    }
    berth::pool &pool = pools.at(name);
    if (word == "close") {
        for (auto &entry : grants)
            entry.second = berth::grant();
        pool.close();
        return "";
    }
    if (word == "slots")
        return std::to_string(pool.slots());
    if (word == "resize") {
        line >> number;
        pool.resize(number);
        return "";
    }
    line >> key;
    if (word == "acquire") {
        grants[key] = pool.acquire();
    } else if (word == "try") {
        auto grant = pool.try_acquire();
        if (!grant)
            throw std::system_error(EBUSY, std::generic_category(), berth_reason());
        grants[key] = std::move(*grant);
    } else if (word == "for") {
        line >> number;
        grants[key] = pool.acquire(std::chrono::milliseconds(number));
    } else if (word == "cancel") {
        line >> number;
        grants[key] = cancelled(pool, static_cast<int>(number));
    } else if (word == "release") {
        grants.at(key).release();
        return "";
    } else if (word == "drop") {
        grants.erase(key);
        return "";
    } else if (word == "token") {
        return std::to_string(grants.at(key).token());
    }
    return std::to_string(grants.at(key).slot());
}

} // namespace

int main()
{
    for (std::string text; std::getline(std::cin, text);) {
        std::istringstream line(text);
        try {
            const std::string result = answer(line);
            std::cout << "ok " << result << std::endl;
        } catch (const std::system_error &error) {
            std::cout << "error " << strerrorname_np(error.code().value()) << " " << error.what()
                      << std::endl;
        }
    }
    return 0;
}
