// SPDX-License-Identifier: LGPL-2.1-or-later
// C++ across nodes: containers, exceptions, streams, objects that are there before main and after it.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Told {
    std::string text;
    explicit Told(const char *t) : text(t) { std::cout << "made: " << text << std::endl; }
    ~Told() { std::cout << "gone: " << text << std::endl; }
};
static Told told("an object whose text is longer than what fits into it");
static std::map<std::string, int> table{ { "a", 1 }, { "b", 2 } };

struct Sum {
    double value = 0;
};
#pragma omp declare reduction(add : Sum : omp_out.value += omp_in.value)

static int odd_ones_out(int i)
{
    if (i % 7 == 3)
        throw std::runtime_error("number " + std::to_string(i) + " is not to be had");
    return i;
}

/* The same line each time: nodes write in any order. */
static int streams()
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 12; i++)
#pragma omp critical
        std::cout << "one of a dozen, " << std::hex << 255 << std::endl;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && std::string(argv[1]) == "streams")
        return streams();
    std::vector<double> numbers(1000, 1.5);
    std::vector<std::string> lines(20);
    Sum sum;
    long caught = 0, length = 0;
#pragma omp parallel for reduction(add : sum) reduction(+ : caught) schedule(dynamic, 10)
    for (int i = 0; i < 1000; i++) {
        sum.value += numbers[i];
        try {
            odd_ones_out(i);
        } catch (const std::exception &e) {
            caught += (long)std::string(e.what()).size();
        }
    }
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 20; i++) {
        std::ostringstream out;
        out << "line " << i << " is long enough to be allocated " << numbers[i];
        lines[i] = out.str();
    }
    for (const std::string &line : lines)
        length += (long)line.size();
#pragma omp parallel
    {
#pragma omp critical
        table["by a thread"] += 1;
    }
    std::vector<std::exception_ptr> kept(20);
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 20; i++) {
        try {
            length += odd_ones_out(7 * i + 3);
        } catch (...) {
            kept[i] = std::current_exception();
        }
    }
    for (const std::exception_ptr &one : kept) {
        try {
            std::rethrow_exception(one);
        } catch (const std::runtime_error &e) {
            length += (long)std::string(e.what()).size();
        }
    }
    std::cout << sum.value << " " << caught << " " << length << " " << table.size() << "\n";
    if (argc > 1) {
        std::vector<char> bytes(200000, 'z');
        std::ofstream(argv[1], std::ios::binary).write(bytes.data(), (long)bytes.size());
        std::vector<char> again(200000);
        std::ifstream in(argv[1], std::ios::binary);
        in.read(again.data(), (long)again.size());
        std::cout << in.gcount() << " " << (bytes == again) << "\n";
    }
    return 0;
}
