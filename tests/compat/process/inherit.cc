// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions that main has set, called for a thread of another node.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

int main()
{
    bool same[2] = { false, false };
    std::set_new_handler([] { std::puts("no memory"); });
    std::new_handler wanted = std::get_new_handler();
    for (bool &s : same)
        std::thread([&] { s = std::get_new_handler() == wanted; }).join();
    std::printf("new_handler %d %d\n", same[0], same[1]);
    std::set_terminate([] {
        std::puts("terminated");
        std::fflush(stdout);
        std::_Exit(4);
    });
    std::thread([] { throw 1; }).join();
    return 0;
}
