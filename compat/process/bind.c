/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bind.c - with several nodes, calls of the C library by other libraries do what the program's own
 * do: memory that a library allocates and returns, such as an array of Fortran's RESHAPE, is shared
 * memory, and node 0 performs what belongs to the process (delegate.h).
 *
 * HLRC uses libraries, too, and libraries have threads of their own. Such calls remain the C
 * library's: they are made on private stacks, and calls for the program on shared ones (lane.h).
 * Memory is recognised by its address when it is freed, and so are objects of POSIX threads: those
 * in shared memory are the ones of compat/pthread, in whatever library.
 */
#include "compat/process/bind.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* Functions in place of realloc and reallocarray. */
void *bind_realloc(void *ptr, size_t size) __attribute__((visibility("hidden")));
void *bind_reallocarray(void *ptr, size_t count, size_t size) __attribute__((visibility("hidden")));

/* The table has pairs of a name and a function. The first argument of BY_OBJECT is an address. */
/* clang-format off */
#define BY_STACK(...)  ".irp name, " #__VA_ARGS__ "\n by_stack \\name\n.endr\n"
#define BY_OBJECT(...) ".irp name, " #__VA_ARGS__ "\n by_object \\name\n.endr\n"
#define NAMES(count, ...) BY_STACK(__VA_ARGS__)
#define PROGRAM_NAMES(count, ...)
#define WEAK(...) ".irp name, " #__VA_ARGS__ "\n .weak \\name\n.endr\n" BY_STACK(__VA_ARGS__)
#define WEAK_NAMES(count, ...) WEAK(__VA_ARGS__)
#define POINTS NAMES
__asm__(".pushsection .data.rel, \"aw\"\n"
        ".balign 8\n"
        ".globl bind_functions, bind_functions_end\n"
        ".hidden bind_functions, bind_functions_end\n"
        "bind_functions:\n"
        ".popsection\n"
#ifdef __x86_64__ /* elsewhere programs run as one process, which needs none */
        ".text\n"
        ".macro bind_entry name, function\n"
        ".pushsection .rodata\n"
        "bind_text_\\name: .asciz \"\\name\"\n"
        ".popsection\n"
        ".pushsection .data.rel, \"aw\"\n"
        ".quad bind_text_\\name, \\function\n"
        ".popsection\n"
        ".endm\n"
        ".macro bind_call name\n" /* 1: the C library's */
        "jmp *__wrap_\\name@GOTPCREL(%rip)\n"
        "1: jmp *\\name@GOTPCREL(%rip)\n"
        ".cfi_endproc\n"
        ".size bind_\\name, . - bind_\\name\n"
        ".endm\n"
        ".macro bind_begin name\n"
        "bind_entry \\name, bind_\\name\n"
        ".type bind_\\name, @function\n"
        ".p2align 4\n"
        "bind_\\name:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        ".endm\n"
        ".macro by_stack name\n"
        "bind_begin \\name\n"
        "cmpq lane_shared_from(%rip), %rsp\n"
        "jb 1f\n"
        "cmpq lane_shared_to(%rip), %rsp\n"
        "jae 1f\n"
        "bind_call \\name\n"
        ".endm\n"
        ".macro by_object name\n"
        "bind_begin \\name\n"
        "pushq %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rsi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rdx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call start_is_shared\n"
        "popq %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "testb %al, %al\n"
        "jz 1f\n"
        "bind_call \\name\n"
        ".endm\n"
        "bind_entry free, heap_free\n"
        "bind_entry malloc_usable_size, heap_usable_size\n"
        "bind_entry realloc, bind_realloc\n"
        "bind_entry reallocarray, bind_reallocarray\n"
        /* a key shows whose it is */
        "bind_entry pthread_getspecific, __wrap_pthread_getspecific\n"
        "bind_entry pthread_setspecific, __wrap_pthread_setspecific\n"
        "bind_entry pthread_key_delete, __wrap_pthread_key_delete\n"
        BY_STACK(pthread_key_create)
        BY_STACK(malloc, calloc, aligned_alloc, memalign, valloc, pvalloc, posix_memalign, strdup,
                 strndup, wcsdup, asprintf, vasprintf, __asprintf_chk, __vasprintf_chk, getline,
                 getdelim, __getdelim, open_memstream, open_wmemstream, getcwd,
                 get_current_dir_name, realpath, canonicalize_file_name, __getcwd_chk,
                 __realpath_chk)
        BY_STACK(read, write, pread, pwrite, pread64, pwrite64, recv, send, fread, fwrite, fgets,
                 fputs, puts, printf, fprintf, dprintf, vprintf, vfprintf, vdprintf, __printf_chk,
                 __fprintf_chk, __dprintf_chk, __vprintf_chk, __vfprintf_chk, __vdprintf_chk, scanf,
                 fscanf, vscanf, vfscanf, __isoc99_scanf, __isoc99_fscanf, __isoc99_vscanf,
                 __isoc99_vfscanf, __isoc99_wscanf, __isoc99_fwscanf, __isoc99_vwscanf,
                 __isoc99_vfwscanf, wprintf, fwprintf, vwprintf, vfwprintf)
        BY_STACK(close, close_range, closefrom)
        BY_STACK(fclose, fflush, getrusage, setrlimit, setrlimit64, getrlimit, getrlimit64, prlimit,
                 prlimit64)
        BY_STACK(readdir, readdir64, closedir, scandir, scandir64, scandirat, scandirat64,
                 setenv, putenv, unsetenv,
        localtime, localtime_r, mktime, timelocal, gmtime, ctime, prctl,
 gmtime_r, timegm, strptime, strptime_l, strftime_l, __strftime_l, wcsftime_l, __wcsftime_l,
                 asctime, drand48, getlogin, ttyname, setlocale, newlocale, duplocale, freelocale,
                 __newlocale, __duplocale, __freelocale, posix_spawn, posix_spawnp,
                 system, popen, getmntent, getpwnam, getpwuid, getpwent, getgrnam, getgrgid,
                 getgrent, getservbyname, getservbyport, getprotobyname, getprotobynumber,
                 gethostbyname, gethostbyname2, gethostbyaddr,
                 getaddrinfo, freeaddrinfo, sigaction, signal, raise, exit, _exit, _Exit,
                 quick_exit, tzset, hcreate, tsearch, syslog, vsyslog, __syslog_chk,
                 __vsyslog_chk, warn, warnx, vwarn, vwarnx, fopencookie, getifaddrs, sigset,
                 sigignore, siginterrupt, bsd_signal, ssignal, sysv_signal, sigwait,
                 sigsuspend, sigwaitinfo, sigtimedwait, sigpending, timer_create, mq_notify,
                 aio_read, aio_read64, aio_write, aio_write64, aio_error, aio_error64, aio_return,
                 aio_return64, aio_fsync, aio_fsync64, aio_cancel, aio_cancel64, aio_suspend,
                 aio_suspend64, lio_listio, lio_listio64)
        WEAK(_gfortran_st_open, _gfortran_st_close, _gfortran_st_inquire,
                _gfortran_st_rewind, _gfortran_st_backspace, _gfortran_st_endfile,
                _gfortran_st_flush, _gfortran_st_wait, _gfortran_st_wait_async,
                _gfortran_st_read, _gfortran_st_read_done, _gfortran_st_write,
                _gfortran_st_write_done, _gfortran_transfer_integer,
                _gfortran_transfer_integer_write, _gfortran_transfer_logical,
                _gfortran_transfer_logical_write, _gfortran_transfer_real,
                _gfortran_transfer_real_write, _gfortran_transfer_real128,
                _gfortran_transfer_real128_write, _gfortran_transfer_complex,
                _gfortran_transfer_complex_write, _gfortran_transfer_complex128,
                _gfortran_transfer_complex128_write, _gfortran_transfer_character,
                _gfortran_transfer_character_write, _gfortran_transfer_character_wide,
                _gfortran_transfer_character_wide_write, _gfortran_transfer_array,
                _gfortran_transfer_array_write, _gfortran_transfer_derived,
                _gfortran_st_set_nml_var, _gfortran_st_set_nml_dtio_var,
                _gfortran_st_set_nml_var_dim, _gfortran_random_r4, _gfortran_random_r8,
                _gfortran_random_r10, _gfortran_random_r16, _gfortran_arandom_r4,
                _gfortran_arandom_r8, _gfortran_arandom_r10, _gfortran_arandom_r16,
                _gfortran_random_seed_i4, _gfortran_random_seed_i8, _gfortran_random_init,
                _gfortran_rand)
        BY_OBJECT(pthread_mutex_init, pthread_mutex_destroy, pthread_mutex_lock,
                  pthread_mutex_trylock, pthread_mutex_timedlock, pthread_mutex_unlock,
                  pthread_cond_init, pthread_cond_destroy, pthread_cond_wait,
                  pthread_cond_timedwait, pthread_cond_signal, pthread_cond_broadcast,
                  pthread_rwlock_init, pthread_rwlock_destroy, pthread_rwlock_rdlock,
                  pthread_rwlock_tryrdlock, pthread_rwlock_wrlock, pthread_rwlock_trywrlock,
                  pthread_rwlock_unlock, pthread_spin_init, pthread_spin_destroy, pthread_spin_lock,
                  pthread_spin_trylock, pthread_spin_unlock, pthread_once, sem_init, sem_destroy,
                  sem_wait, sem_trywait, sem_post, sem_getvalue)
#    include "compat/process/names.h"
        ".purgem bind_entry\n.purgem bind_call\n.purgem bind_begin\n"
        ".purgem by_stack\n.purgem by_object\n"
#endif
        ".pushsection .data.rel, \"aw\"\n"
        "bind_functions_end:\n"
        ".popsection\n");
/* clang-format on */

void *bind_realloc(void *ptr, size_t size)
{
    bool program = heap_is_shared(ptr) || lane_is_shared(__builtin_frame_address(0));
    return program ? heap_realloc(ptr, size) : realloc(ptr, size);
}

void *bind_reallocarray(void *ptr, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? reallocarray(NULL, count, size)
                                                       : bind_realloc(ptr, bytes);
}

extern struct bind_function {
    const char *name;
    const void *function;
} bind_functions[], bind_functions_end[];

static int bind_compare(const void *a, const void *b)
{
    return strcmp(((const struct bind_function *)a)->name, ((const struct bind_function *)b)->name);
}

static size_t bind_count(void)
{
    return (size_t)(bind_functions_end - bind_functions);
}

static const void *bind_find(const char *name)
{
    const struct bind_function wanted = { name, NULL },
                               *f = bsearch(&wanted, bind_functions, bind_count(), sizeof wanted,
                                            bind_compare);
    return f ? f->function : NULL;
}

void hlrc_bind_libraries(void)
{
    if (start_sharing)
        image_bind(bind_find);
}

static void bind_begin(void)
{
    qsort(bind_functions, bind_count(), sizeof *bind_functions, bind_compare);
    hlrc_bind_libraries();
}

__attribute__((constructor)) static void bind_at_start(void)
{
    start_at_begin(bind_begin);
}
