// The library from C++: a handle that is closed automatically, and a slot that is given back automatically.
//
//     c++ -std=c++11 plain.cc $(pkg-config --cflags --libs berth) -pthread -o plain
#include <berth.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static void check(int error)
{
    if (error != 0)
        throw std::runtime_error(berth_reason());
}

class Pool
{
public:
    Pool(const std::string &name, unsigned slots)
    {
        berth_options options = {};
        options.slots = slots;
        check(berth_open(&handle, name.c_str(), &options));
    }
    ~Pool()
    {
        berth_close(handle);
    }
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    class Slot
    {
    public:
        explicit Slot(Pool &from) : pool(from)
        {
            check(berth_acquire(pool.handle, &grant));
        }
        ~Slot()
        {
            berth_release(pool.handle, &grant);
        }
        Slot(const Slot &) = delete;
        Slot &operator=(const Slot &) = delete;

        unsigned number() const
        {
            return grant.slot;
        }

    private:
        Pool &pool;
        berth_grant grant;
    };

private:
    berth_pool *handle = nullptr;
};

int main()
try {
    const std::string name = "plain-example";
    unsigned long used[2] = {0, 0}; // each is written only by the thread that has the slot of that number
    {
        Pool pool(name, 2);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&] {
                for (int round = 0; round < 1000; round++) {
                    Pool::Slot slot(pool);
                    used[slot.number()]++;
                }
            });
        for (std::thread &thread : threads)
            thread.join();
    }
    check(berth_remove(name.c_str(), nullptr));
    std::cout << used[0] + used[1] << " times a slot was used\n";
    return used[0] + used[1] == 4000 ? 0 : 1;
} catch (const std::exception &failure) {
    std::cerr << failure.what() << "\n";
    return 1;
}
