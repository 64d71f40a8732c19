/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the C library and the system keep for a process, changed and read by threads of several
 * nodes, and memory that the C library allocates. */
#define _GNU_SOURCE
#include <argz.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fts.h>
#include <getopt.h>
#include <glob.h>
#include <ifaddrs.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <nl_types.h>
#include <regex.h>
#include <search.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

#include "common.h"

static char *shared[12];
static const char *base;

static const char *last(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : "none";
}

/* ---- the system's ---- */

static int made_mode(const char *name)
{
    struct stat s;
    int fd = open(name, O_CREAT | O_WRONLY, 0666);
    int mode = fstat(fd, &s) == 0 ? (int)(s.st_mode & 0777) : -1;
    close(fd);
    unlink(name);
    return mode;
}

static void *folders(void *arg)
{
    char name[20], path[PATH_MAX];
    snprintf(name, sizeof name, "sub%ld", (long)arg);
    printf("in %s", last(getcwd(path, sizeof path)));
    printf(", mkdir %d", mkdir(name, 0700));
    printf(", chdir %d", chdir(name));
    printf(", umask %o", umask(022 + (mode_t)(long)arg));
    printf(", mode %o\n", made_mode("x"));
    return NULL;
}

static void *ids(void *arg)
{
    struct rlimit limit;
    pid_t *known = arg;
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("process %d %d", getpid() == known[0], getppid() == known[1]);
    printf(", files %d", (int)limit.rlim_cur);
    limit.rlim_cur--;
    printf(", %d\n", setrlimit(RLIMIT_NOFILE, &limit));
    return NULL;
}

static void process(void)
{
    struct rlimit limit = { 200, 300 };
    pid_t known[2] = { getpid(), getppid() };
    umask(077);
    run_everywhere(folders);
    printf("main in %s, umask %o\n", last(getcwd(NULL, 0)), umask(022));
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < THREADS; i++)
        run_in(ids, known);
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("files %d, %d\n", (int)limit.rlim_cur, chdir(base));
}

/* ---- the C library's ---- */

static void *randoms(void *arg)
{
    printf("rand %d", rand());
    printf(" random %ld", random());
    printf(" lrand48 %ld", lrand48());
    printf(" drand48 %.6f\n", drand48());
    return arg;
}

static char list[] = "one,two;three four";

static void *tokens(void *arg)
{
    char *t = strtok(arg ? NULL : list, ",; ");
    printf("token %s\n", t ? t : "none");
    return NULL;
}

static void *environment(void *arg)
{
    char name[20], value[20];
    long me = (long)arg;
    snprintf(name, sizeof name, "OF_THREAD_%ld", me);
    snprintf(value, sizeof value, "value %ld", me);
    printf("main's %s", getenv("OF_MAIN") ? getenv("OF_MAIN") : "none");
    printf(", mine %d %s", setenv(name, value, 1), getenv(name) ? getenv(name) : "none");
    printf(", kept %d %s", setenv(name, "other", 0), getenv(name) ? getenv(name) : "none");
    printf(", error %d", setenv("a=b", "c", 1));
    int found = 0;
    for (char **e = environ; *e; e++)
        found += strncmp(*e, name, strlen(name)) == 0;
    printf(", in environ %d\n", found);
    shared[me] = getenv(name);
    if (me == 1)
        unsetenv("OF_MAIN");
    return NULL;
}

/* Variables of the C library, as main has left them. */
static void *finds(void *arg)
{
    extern char **environ;
    int found = 0;
    for (char **e = environ; *e; e++)
        found += strncmp(*e, "OF_", 3) == 0;
    printf("variables %d, optind %d, %s", found, optind, nl_langinfo(CODESET));
    printf(", process %d\n", syscall(SYS_getpid) == *(pid_t *)arg);
    return arg;
}

static void *scans(void *arg)
{
    shared[6] = shared[7] = NULL;
    printf("scanned %d\n", sscanf("12 word [x] rest", "%*d %ms [%m[^]]]", &shared[6], &shared[7]));
    return arg;
}

static void *times_of_day(void *arg)
{
    time_t t = 86400 * 365;
    struct tm here, *there;
    if (!arg)
        setenv("TZ", "XYZ-3", 1);
    tzset();
    localtime_r(&t, &here);
    printf("hour %d", here.tm_hour);
    there = localtime(&t);
    printf(" %d %s", there->tm_hour, there->tm_zone);
    printf(", %ld", (long)mktime(&here));
    printf(", %s", ctime(&t));
    shared[6] = asctime(gmtime(&t));
    return NULL;
}

static void *sees_time(void *arg)
{
    printf("thread: %s", shared[6]);
    return arg;
}

static char *words[] = { "program", "-a", "-b", "beta", "rest", NULL };

static void *options(void *arg)
{
    int c = getopt(5, words, "ab:");
    printf("option %c %s at %d\n", c < 0 ? '.' : c, c == 'b' ? optarg : "", optind);
    return arg;
}

/* From the first argument, whatever another thread has read. */
static void *options_again(void *arg)
{
    optind = 1;
    while (optind < 4)
        options(arg);
    return arg;
}

static void *locales(void *arg)
{
    char *now = setlocale(LC_ALL, NULL);
    printf("locale %s", now);
    now = setlocale(LC_CTYPE, "C.UTF-8");
    printf(" %s, %d\n", now ? now : "none", mblen("\303\244", 2));
    return arg;
}

static regex_t expression;

static void *matches(void *arg)
{
    regmatch_t m[2];
    printf("match %d", regexec(&expression, "xx ab12 yy", 2, m, 0));
    printf(" %d %d\n", (int)m[1].rm_so, (int)m[1].rm_eo);
    return arg;
}

static void library(void)
{
    srand(7);
    srandom(8);
    srand48(9);
    run_everywhere(randoms);
    printf("main rand %d\n", rand());
    srand(7);
    printf("again %d\n", rand());
    run_everywhere(tokens);
    printf("main token %s\n", strtok(NULL, ",; "));
    setenv("OF_MAIN", "text", 1);
    run_everywhere(environment);
    printf("main sees %s %s %s %s\n", shared[0], shared[1], getenv("OF_THREAD_2"),
           getenv("OF_MAIN") ? "text" : "nothing");
    run_everywhere(times_of_day);
    run_everywhere(sees_time);
    run_everywhere(options_again);
    optind = 1;
    run_everywhere(options);
    printf("main option %c at %d\n", getopt(5, words, "ab:") < 0 ? '.' : '?', optind);
    run_everywhere(locales);
    pid_t me = getpid();
    for (int i = 0; i < THREADS; i++) {
        run_in(finds, &me);
        run_in(scans, NULL);
        printf("%s %s\n", shared[6], shared[7]);
        free(shared[6]);
        free(shared[7]);
    }
    printf("main %s\n", setlocale(LC_CTYPE, NULL));
    regcomp(&expression, "([a-z]+)[0-9]+", REG_EXTENDED);
    run_everywhere(matches);
    regfree(&expression);
}

/* ---- memory of the C library ---- */

static char *stream_text;
static size_t stream_bytes;
static FILE *stream, *wide_stream;
static wchar_t *wide_text;
static size_t wide_count;
static struct dirent **entries;
static int entry_count;

static void *allocates(void *arg)
{
    (void)arg;
    shared[0] = getcwd(NULL, 0);
    shared[1] = realpath(".", NULL);
    shared[2] = get_current_dir_name();
    shared[3] = canonicalize_file_name(".");
    shared[4] = strdup("copied");
    if (asprintf(&shared[5], "%d and %s", 12, "more") < 0)
        shared[5] = NULL;
    shared[6] = (char *)wcsdup(L"wide");
    shared[7] = pvalloc(10);
    strcpy(shared[7], "aligned");
    stream = open_memstream(&stream_text, &stream_bytes);
    fprintf(stream, "in memory %d", 7);
    fflush(stream);
    wide_stream = open_wmemstream(&wide_text, &wide_count);
    fwprintf(wide_stream, L"wide %ls", L"\x263a");
    fflush(wide_stream);
    entry_count = scandir(".", &entries, NULL, alphasort);
    return NULL;
}

static void *uses(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++)
        printf("%s ", last(shared[i]));
    printf("%s %s %ls %s\n", shared[4], shared[5], (wchar_t *)shared[6], shared[7]);
    fprintf(stream, ", longer %2000d", 8);
    fclose(stream);
    printf("stream '%.20s' %zu\n", stream_text, stream_bytes);
    printf("wide %zu %x\n", wide_count, (unsigned)wide_text[5]);
    fwprintf(wide_stream, L", longer %2000d", 8);
    fclose(wide_stream);
    printf("wide %zu %d %zu\n", wide_count, wide_text[wide_count - 1], wcslen(wide_text));
    free(wide_text);
    stream_text = realloc(stream_text, 5000);
    strcat(stream_text, " and end");
    printf("%zu\n", strlen(stream_text));
    free(stream_text);
    for (int i = 0; i < entry_count; i++) {
        printf("%s ", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    for (int i = 0; i < 8; i++)
        free(shared[i]);
    printf("of %d\n", entry_count);
    return NULL;
}

static DIR *dir;

static void *lists(void *arg)
{
    const struct dirent *e;
    int count = 0;
    if (!arg)
        dir = opendir(".");
    while ((e = readdir(dir)) && ++count < 2)
        ;
    printf("entries %d %d\n", count, e && strlen(e->d_name) > 0);
    return arg;
}

static void memory(void)
{
    mkdir("s", 0700);
    for (int i = 0; i < 2; i++) {
        run_in(allocates, NULL);
        i == 0 ? run_in(uses, NULL) : uses(NULL);
    }
    allocates(NULL);
    run_in(uses, NULL);
    run_everywhere(lists);
    printf("closed %d\n", closedir(dir));
}

/* ---- memory of functions of the C library ---- */

static void *tree;
static struct hsearch_data table;
static glob_t names;
static wordexp_t expanded;
static char *vector;
static size_t vector_bytes;
static struct ifaddrs *interfaces;

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void *adds(void *arg)
{
    static char texts[4][8] = { "delta", "alpha", "gamma", "beta" };
    long me = (long)arg;
    char *text = texts[me];
    struct hsearch_data *t = &table;
    ENTRY entry = { text, (void *)(me + 1) }, *found = NULL;
    printf("new %d", *(char **)tsearch(text, &tree, by_text) == text);
    printf(" table %d", hsearch(entry, ENTER) != NULL);
    printf(" other %d", hsearch_r(entry, ENTER, &found, t));
    printf(" argz %d\n", argz_add(&vector, &vector_bytes, text));
    fclose(fopen(text, "w"));
    return NULL;
}

static void show_node(const void *node, VISIT visit, int level)
{
    if (visit == postorder || visit == leaf)
        printf(" %s at %d", *(char *const *)node, level);
}

static void *finds_added(void *arg)
{
    char word[8] = "gamma";
    ENTRY entry = { word, NULL }, *found = hsearch(entry, FIND), *other = NULL;
    hsearch_r(entry, FIND, &other, &table);
    printf("found %ld %ld", found ? (long)found->data : 0, other ? (long)other->data : 0);
    if (found)
        found->data = (char *)found->data + 1;
    printf(" %d:", tfind(word, &tree, by_text) != NULL);
    twalk(tree, show_node);
    printf(", %zu texts\n", argz_count(vector, vector_bytes));
    return arg;
}

static void *lists_names(void *arg)
{
    names.gl_offs = 1;
    printf("glob %d", glob("*a", GLOB_DOOFFS | (arg ? GLOB_APPEND : 0), NULL, &names));
    printf(" %d", glob("nothing", GLOB_DOOFFS | GLOB_APPEND, NULL, &names) == GLOB_NOMATCH);
    printf(" words %d", wordexp("$OF_MAIN ? 'x y'", &expanded, arg ? WRDE_REUSE : 0));
    if (!arg)
        printf(" interfaces %d", getifaddrs(&interfaces));
    printf("\n");
    return NULL;
}

static void show_names(void)
{
    for (size_t i = 0; i < names.gl_pathc; i++)
        printf("%s ", names.gl_pathv[names.gl_offs + i]);
    for (size_t i = 0; i < expanded.we_wordc; i++)
        printf("'%s' ", expanded.we_wordv[i]);
    printf("%d\n", interfaces && interfaces->ifa_name[0]);
}

/* ---- walks of directories, by one thread after the other ---- */

static FTS *walk;

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void *walks(void *arg)
{
    char *paths[] = { "walked", NULL };
    if (!walk)
        walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    for (int i = 0; i < 2; i++) {
        FTSENT *entry = fts_read(walk);
        if (!entry) {
            printf("walked %d\n", fts_close(walk));
            walk = NULL;
            break;
        }
        printf("%s %d %ld\n", entry->fts_path, entry->fts_info,
               S_ISREG(entry->fts_statp->st_mode) ? (long)entry->fts_statp->st_size : 0);
        if (entry->fts_info == FTS_D && entry->fts_level == 1)
            printf("skip %d\n", fts_set(walk, entry, FTS_SKIP));
    }
    return arg;
}

static void walk_directories(void)
{
    system("mkdir -p walked/a walked/b && echo 1 >walked/b/c && echo 22 >walked/d");
    for (int i = 0; i < 2; i++)
        run_everywhere(walks);
    do
        walks(NULL);
    while (walk);
}

static void *removes(void *arg)
{
    (void)arg;
    for (const char *t = NULL; (t = argz_next(vector, vector_bytes, t));)
        printf("%d", tdelete(t, &tree, by_text) != NULL);
    printf(" left %d\n", tree != NULL);
    hdestroy_r(&table);
    hdestroy();
    globfree(&names);
    wordfree(&expanded);
    freeifaddrs(interfaces);
    free(vector);
    return NULL;
}

static void searches(void)
{
    printf("hcreate %d %d\n", hcreate(10), hcreate_r(10, &table));
    run_everywhere(adds);
    run_everywhere(finds_added);
    adds((void *)3);
    finds_added(NULL);
    setenv("OF_MAIN", "two words", 1);
    run_everywhere(lists_names);
    show_names();
    walk_directories();
    run_in(removes, NULL);
}

/* ---- messages ---- */

static nl_catd catalog;
static char *long_words[] = { "program", "--size=3", "-v", "--verbose", "rest", NULL };
static int verbose;

static void *long_options(void *arg)
{
    const struct option options[] = { { "size", required_argument, NULL, 's' },
                                      { "verbose", no_argument, &verbose, 7 },
                                      { NULL, 0, NULL, 0 } };
    int index = -1, c = getopt_long(5, long_words, "v", options, &index);
    printf("option %d %s at %d, %d, verbose %d\n", c, c == 's' ? optarg : "", optind, index,
           verbose);
    return arg;
}

static void *speaks(void *arg)
{
    errno = ENOENT;
    warn("warning %ld", (long)arg);
    warnx("%s %m", "plain");
    error(0, EACCES, "error %ld", (long)arg);
    error_at_line(0, 0, "a file", 12, "line");
    if (!arg) {
        textdomain("domain");
        bindtextdomain("domain", "/nowhere");
        catalog = catopen("./test.cat", 0);
    }
    printf("%s %s %s", gettext("text"), textdomain(NULL), bindtextdomain("domain", NULL));
    shared[8] = catgets(catalog, 1, 2, "missing");
    errno = EPERM;
    printf(", %s", catgets(catalog, 1, 3, "missing"));
    printf(", %ls\n", L"wide");
    return arg;
}

static void *reads_wide(void *arg)
{
    wchar_t *word = NULL;
    printf("scanned %d", swscanf(L"12 wide rest", L"%*d %mls", &word));
    printf(" %d\n", word && wcscmp(word, L"wide") == 0);
    shared[9] = (char *)word;
    return arg;
}

static void messages(void)
{
    optind = 1;
    run_everywhere(long_options);
    fflush(stdout);
    for (long i = 0; i < THREADS; i++) {
        run_in(speaks, (void *)i);
        printf("catalog: %s\n", shared[8]);
        run_in(reads_wide, NULL);
        printf("%ls\n", (wchar_t *)shared[9]);
        free(shared[9]);
    }
    printf("closed %d\n", catclose(catalog));
}

/* ---- children ---- */

static void *starts(void *arg)
{
    int status = system("exit 3");
    FILE *from = popen("echo from a child; umask", "r");
    char line[40] = "none";
    printf("system %d", WEXITSTATUS(status));
    while (from && fgets(line, sizeof line, from))
        printf(", %.*s", (int)strcspn(line, "\n"), line);
    printf(", %d\n", from ? WEXITSTATUS(pclose(from)) : -1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "echo executed: $OF_CHILD", (char *)NULL);
        _exit(1);
    }
    printf("child %d", child > 0 && waitpid(child, &status, 0) == child);
    printf(" %d\n", WEXITSTATUS(status));
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        int shell = i == 1 ? open("/bin/sh", O_RDONLY | O_CLOEXEC) : -1;
        char *args[] = { "sh", "-c", "echo executed by a child; exit 8", NULL };
        fflush(stdout);
        child = vfork();
        if (child == 0 && i == 0)
            execv("/bin/sh", args);
        if (child == 0 && i == 1)
            fexecve(shell, args, environ);
        if (child == 0)
            _exit(9);
        printf("vfork %d", child > 0 && waitpid(child, &status, 0) == child);
        printf(" %d\n", WEXITSTATUS(status));
        close(shell);
    }
    return arg;
}

int main(int argc, char **argv)
{
    base = argc > 1 ? argv[1] : ".";
    program_invocation_name = program_invocation_short_name = "state";
    if (chdir(base) != 0)
        return 2;
    process();
    library();
    memory();
    searches();
    if (system("printf '$set 1\\n1 one\\n2 two\\n' >text && gencat test.cat text") != 0)
        return 3;
    messages();
    setenv("OF_CHILD", "text", 1);
    fflush(stdout);
    run_everywhere(starts);
    printf("end\n");
    return 0;
}
