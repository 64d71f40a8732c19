// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread's locale is the one of calls that node 0 performs for it, and locales made on one node are usable on all.
#include <cctype>
#include <climits>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <iostream>
#include <langinfo.h>
#include <locale>
#include <mutex>
#include <regex.h>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>
#include <wctype.h>

static std::mutex mutex;
static locale_t made[4];
static std::locale *named;

static int matches()
{
    regex_t r;
    int rc = regcomp(&r, "^.$", 0); // one character, or two bytes
    int found = rc == 0 ? regexec(&r, "\303\244", 0, nullptr, 0) : -1;
    regfree(&r);
    return found;
}

// Calls whose result depends on the thread's locale.
static void shows(const char *what)
{
    wchar_t wide = 0;
    char bytes[MB_LEN_MAX] = "";
    int length = mblen("\303\244", 2), taken = mbtowc(&wide, "\303\244", 2);
    int put = wctomb(bytes, 0xe4);
    std::printf("%s: %d %d %x %d match %d codeset %s", what, length, taken, (unsigned)wide, put,
                matches(), nl_langinfo(CODESET));
    std::printf(" upper %d\n", (int)std::toupper('a'));
    FILE *file = tmpfile();
    int rc = fwprintf(file, L"%lc|", 0xe4);
    fflush(file);
    std::printf("wide %d, %d bytes\n", rc, (int)pread(fileno(file), bytes, sizeof bytes, 0));
    fclose(file);
}

static void uses(int i)
{
    shows("global");
    locale_t mine = i == 0 ? newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr) : made[0];
    locale_t before = uselocale(mine);
    std::printf("before global: %d, now mine: %d\n", before == LC_GLOBAL_LOCALE,
                uselocale(nullptr) == mine);
    shows("own");
    made[i] = mine;
    if (i == 1) {
        uselocale(LC_GLOBAL_LOCALE);
        shows("global again");
    }
    // the handle of another node, without a call of uselocale
    std::printf("%x %x %d %d %s\n", (unsigned)toupper_l('b', made[0]),
                (unsigned)towupper_l(0xe4, made[0]), isalpha_l('x', made[0]) != 0,
                strcoll_l("a", "b", made[0]) < 0, nl_langinfo_l(CODESET, made[0]));
}

static void classic()
{
    locale_t c = newlocale(LC_ALL_MASK, "C", nullptr), copy = duplocale(c),
             none = newlocale(LC_ALL_MASK, "no_such", nullptr);
    std::printf("C %s, %s, none %d\n", nl_langinfo_l(CODESET, c), nl_langinfo_l(CODESET, copy),
                none == nullptr);
    freelocale(copy);
    freelocale(c);
    locale_t base = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr),
             changed = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "POSIX", base);
    locale_t global = duplocale(LC_GLOBAL_LOCALE);
    std::printf("changed %s, global %s\n", nl_langinfo_l(CODESET, changed),
                nl_langinfo_l(CODESET, global));
    freelocale(changed);
    freelocale(global);
    made[3] = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
}

static void streams(int i)
{
    if (i == 0)
        named = new std::locale("C.UTF-8");
    std::ostringstream out;
    out.imbue(*named);
    out << 1234567.5 << ' ' << std::use_facet<std::ctype<char>>(*named).toupper('q');
    std::wostringstream wide;
    wide.imbue(*named);
    wide << 12345;
    std::istringstream in("2.5");
    in.imbue(*named);
    double value = 0;
    in >> value;
    char text[8] = "";
    std::mbstate_t state = {};
    const wchar_t from[] = L"\u00e4", *next;
    char *end;
    auto rc = std::use_facet<std::codecvt<wchar_t, char, std::mbstate_t>>(*named).out(
        state, from, from + 1, next, text, text + 7, end);
    std::cout << out.str() << ' ' << wide.str().size() << ' ' << value << ' ' << named->name()
              << ' ' << rc << ' ' << end - text << ' '
              << (*named)(std::string("a"), std::string("b")) << std::endl;
    std::tm tm = {};
    std::ostringstream date;
    date.imbue(*named);
    date << std::use_facet<std::time_put<char>>(*named).put(date, date, ' ', &tm, 'A').failed();
    std::cout << date.str() << std::endl;
}

struct punctuation : std::numpunct<char> {
    char do_decimal_point() const override
    {
        return ',';
    }
};

static void prints(const char *what)
{
    std::ostringstream out;
    out << what << ' ' << 2.5;
    std::cout << out.str() << ' ' << std::locale().name() << ' '
              << std::setlocale(LC_CTYPE, nullptr) << std::endl;
}

// std::locale::global in a thread
static void globals()
{
    for (int i = 0; i < 3; i++) {
        std::thread([i] {
            if (i == 1)
                std::locale::global(std::locale(std::locale("C.UTF-8"), new punctuation));
            prints("thread");
        }).join();
        prints("main");
    }
    std::thread([] { std::locale::global(std::locale("C.UTF-8")); }).join();
    for (int i = 0; i < 3; i++)
        std::thread(prints, "named").join();
    prints("named");
    std::locale::global(std::locale::classic());
    for (int i = 0; i < 3; i++)
        std::thread(prints, "classic").join();
}

static void number()
{
    std::cout << 1.5 << ' ' << (std::cout.getloc() == std::locale::classic()) << std::endl;
    std::wclog << L"";
}

// std::cout has the locale that another thread has given it
static void imbues()
{
    std::cout.imbue(std::locale(std::locale(), new punctuation));
    for (int i = 0; i < 3; i++)
        std::thread(number).join();
    for (int i = 0; i < 2; i++) {
        std::thread([] { std::cout.imbue(std::locale::classic()); }).join();
        number();
        std::thread([] { std::cout.imbue(std::locale(std::locale(), new punctuation)); }).join();
        std::thread(number).join();
        number();
    }
    std::cout.imbue(std::locale::classic());
}

int main()
{
    imbues();
    globals();
    for (int i = 0; i < 3; i++)
        std::thread(uses, i).join();
    shows("main");
    uselocale(made[1]);
    shows("main's");
    std::thread(shows, "new thread").join();
    uselocale(LC_GLOBAL_LOCALE);
    std::vector<std::thread> all;
    for (int i = 0; i < 3; i++)
        std::thread(classic).join();
    for (int i = 0; i < 4; i++)
        all.emplace_back([] {
            std::lock_guard<std::mutex> guard(mutex);
            locale_t before = uselocale(made[3]);
            shows("guarded");
            uselocale(before);
        });
    for (auto &t : all)
        t.join();
    for (int i = 0; i < 3; i++)
        std::thread(streams, i).join();
    streams(3);
    freelocale(made[0]);
    delete named;
}
