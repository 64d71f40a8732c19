/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* names.h - functions that node 0 performs for all (names.c), by the number of their arguments.
 * The linker gets --wrap for each: compat/local.mk. */
/* clang-format off */
/* ---- descriptors ---- */
/* ---- files ---- */
NAMES(1, unlink, remove, rmdir, mkstemp, mkstemp64, mkdtemp, sysconf, chdir, fchdir, chroot, umask,
      shm_unlink, umount, acct)
NAMES(2, stat, lstat, fstat, stat64, lstat64, fstat64, statfs, statfs64, fstatfs, fstatfs64,
      statvfs, statvfs64, fstatvfs, fstatvfs64, access, euidaccess, eaccess, chmod, fchmod, lchmod,
      link, symlink, rename, mkdir, mkfifo, utime, utimes, futimens, futimes, lutimes, mkostemp,
      mkostemp64, mkstemps, mkstemps64, removexattr, lremovexattr, fremovexattr, pathconf,
      fpathconf, umount2)
NAMES(3, chown, fchown, lchown, symlinkat, readlink, unlinkat, mkdirat, mkfifoat, mknod, futimesat,
      mkostemps, mkostemps64, listxattr, llistxattr, flistxattr, shm_open)
NAMES(4, fstatat, fstatat64, faccessat, fchmodat, readlinkat, __readlink_chk, renameat, mknodat,
      utimensat, getxattr, lgetxattr, fgetxattr, quotactl)
NAMES(5, statx, fchownat, linkat, __readlinkat_chk, renameat2, setxattr, lsetxattr, fsetxattr,
      mount)
/* Their results are of node 0, where only the program's calls get them back. */
PROGRAM_NAMES(2, sem_open)
PROGRAM_NAMES(1, sem_close, sem_unlink)
/* Destructors of variables in functions run on node 0. Libraries' variables are of each node. */
PROGRAM_NAMES(3, __cxa_atexit)
/* ---- directories ---- */
NAMES(1, opendir, fdopendir, rewinddir, telldir, dirfd)
NAMES(2, seekdir)
NAMES(3, ftw, ftw64)
NAMES(3, readdir_r, readdir64_r, getdents64)
NAMES(4, getdirentries, getdirentries64, nftw, nftw64)
/* ---- streams ---- */
NAMES(2, fopen, fopen64)
/* ---- the process ---- */
NAMES(0, getpid, getppid, getpgrp, setpgrp, setsid, getuid, geteuid, getgid, getegid, clock,
      setpwent, endpwent, setgrent, endgrent, endservent, endprotoent, endnetent, endrpcent,
      endhostent)
NAMES(1, getpgid, getsid, setuid, seteuid, setgid, setegid, setfsuid, setfsgid, nice, times, uname,
      sysinfo, alarm, atexit, setservent, setprotoent, setnetent, setrpcent, sethostent,
      timer_getoverrun, timer_delete,
      posix_spawn_file_actions_init, posix_spawn_file_actions_destroy, personality, reboot)
NAMES(2, setpgid, setreuid, setregid, getgroups, setgroups, initgroups, getpriority,
      kill, killpg, on_exit, ualarm, getitimer, timer_gettime, posix_spawn_file_actions_addclose,
      posix_spawn_file_actions_addchdir_np, posix_spawn_file_actions_addfchdir_np, daemon, ptrace,
      getloadavg, clock_settime, settimeofday, adjtime)
NAMES(3, getresuid, getresgid, setresuid, setresgid, setpriority, sigqueue, setitimer,
      posix_spawn_file_actions_adddup2)
NAMES(4, timer_settime, __register_atfork)
NAMES(5, posix_spawn_file_actions_addopen)
/* ---- state of the C library ---- */
NAMES(0, rand, random, lrand48, mrand48, hdestroy, closelog)
NAMES(1, getenv, secure_getenv, srand, srandom, setstate, srand48, seed48,
      lcong48, regfree, iconv_close, setlogmask, catclose, mq_close, mq_unlink)
NAMES(2, strtok, ctime_r, getlogin_r, getdate_r, iconv_open, mblen, wctomb,
      catopen, mq_open, mq_getattr, msgget, ftok)
NAMES(3, getopt, hsearch, __getlogin_r_chk, __gethostname_chk, __getdomainname_chk, __getgroups_chk,
      initstate, regcomp, openlog, mbtowc, mq_setattr, msgctl, semget, semop, semctl, shmget,
      shmctl)
NAMES(4, strftime, wcsftime, __ttyname_r_chk, __ptsname_r_chk, getpwent_r, getgrent_r, regerror,
      semtimedop)
NAMES(5, getopt_long, getopt_long_only, regexec, iconv, fgetpwent_r, fgetgrent_r)
/* ---- descriptors, streams and sockets ---- */
NAMES(0, sync, inotify_init, getpt, fcloseall, tmpfile, tmpfile64, getchar_unlocked, _flushlbf,
      getwchar, getwchar_unlocked, gethostid, getdtablesize)
NAMES(1, endmntent, putwchar_unlocked, dup, pipe, syncfs, epoll_create,
      epoll_create1, inotify_init1, isatty, tcgetpgrp, tcgetsid, posix_openpt, grantpt, unlockpt,
      fflush_unlocked, setlinebuf, pclose, getc_unlocked, fgetc_unlocked, getw, putchar,
      putchar_unlocked, __uflow, _IO_getc, ftell, ftello, rewind, feof, ferror, clearerr,
      feof_unlocked, ferror_unlocked, clearerr_unlocked, fileno_unlocked, perror, flockfile,
      ftrylockfile, funlockfile, __fpending, __fpurge, __fbufsize, __freading, __fwriting,
      __freadable, __fwritable, __flbf, fgetwc, getwc, putwchar, getwc_unlocked, fgetwc_unlocked,
      sockatmark, if_nametoindex, fileno, ftello64, login_tty)
NAMES(2, isfdtype, posix_spawn_file_actions_addclosefrom_np,
      posix_spawn_file_actions_addtcsetpgrp_np, setmntent, addmntent, putpwent,
      putgrent, fputws_unlocked, fanotify_init, pidfd_open, __open_2, __open64_2, dup2, pipe2,
      ioctl, ftruncate, ftruncate64, truncate, truncate64, flock, eventfd, eventfd_read,
      eventfd_write, timerfd_create, timerfd_gettime, inotify_rm_watch, memfd_create, tcgetattr,
      tcflush, tcflow, tcsendbreak, tcsetpgrp, setbuf, putw, fputc, putc_unlocked, fputc_unlocked,
      fputs_unlocked, __overflow, _IO_putc, fgetpos, fgetpos64, fsetpos, fsetpos64, __fsetlocking,
      ungetwc, fputwc, putwc, fputws, fwide, fputwc_unlocked, putwc_unlocked, psignal, psiginfo,
      listen, shutdown, if_indextoname, gethostname, sethostname, getdomainname, setdomainname,
      fdopen, putc, ungetc)
NAMES(3, pidfd_getfd, open_by_handle_at,
      fgetws_unlocked, __openat_2, __openat64_2, dup3, lseek, posix_fallocate,
      posix_fallocate64, readahead, signalfd, inotify_add_watch, ttyname_r, tcsetattr, ptsname_r,
      freopen, freopen64, setbuffer, fmemopen, fgets_unlocked, fseek, fseeko, fgetws, socket, bind,
      getsockname, getpeername, lseek64, fseeko64)
NAMES(4, pidfd_send_signal, getmntent_r, sync_file_range, __fgetws_chk,
      __fgetws_unlocked_chk, fallocate, fallocate64, posix_fadvise, posix_fadvise64, sendfile,
      sendfile64, tee, vmsplice, epoll_ctl, timerfd_settime, setvbuf, fread_unlocked,
      fwrite_unlocked, __fgets_chk, __fgets_unlocked_chk, socketpair, sendmmsg)
NAMES(5, openpty, name_to_handle_at,
      preadv2, pwritev2, preadv64v2, pwritev64v2, fanotify_mark, __pread_chk, __pread64_chk,
      __ppoll_chk, __fread_chk, __fread_unlocked_chk, recvmmsg, getsockopt, setsockopt)
NAMES(6, splice, copy_file_range)
/* ---- cancellation points (delegate_at_point) ---- */
POINTS(0, pause, getchar)
POINTS(1, wait, sigpause, __xpg_sigpause, fsync, fdatasync, tcdrain, fgetc,
      getc)
POINTS(2, open, open64, creat, creat64, fcntl, fcntl64)
POINTS(3, readv, writev, waitpid, wait3, openat,
      openat64, lockf, lockf64, poll, accept, connect, sendmsg, recvmsg)
POINTS(4, wait4, waitid, mq_send, mq_receive, msgsnd, preadv, preadv64, pwritev, pwritev64,
      __read_chk, ppoll, __poll_chk, epoll_wait, accept4)
POINTS(5, epoll_pwait2, mq_timedsend, mq_timedreceive, msgrcv, select, epoll_pwait)
POINTS(6, pselect, sendto, recvfrom)
/* ---- of Fortran's library, which programs of C lack (fortran.c) ---- */
WEAK_NAMES(0, _gfortran_iargc)
WEAK_NAMES(1, _gfortran_flush_i4, _gfortran_flush_i8, _gfortran_fnum_i4, _gfortran_fnum_i8,
           _gfortran_isatty_l4, _gfortran_isatty_l8, _gfortran_ftell, _gfortran_irand,
           _gfortran_srand)
WEAK_NAMES(2, _gfortran_ftell_i1_sub, _gfortran_ftell_i2_sub, _gfortran_ftell_i4_sub,
           _gfortran_ftell_i8_sub, _gfortran_fget, _gfortran_fput, _gfortran_fstat_i4,
           _gfortran_fstat_i8)
WEAK_NAMES(3, _gfortran_fgetc, _gfortran_fputc, _gfortran_fget_i1_sub, _gfortran_fget_i2_sub,
           _gfortran_fget_i4_sub, _gfortran_fget_i8_sub, _gfortran_fput_i1_sub,
           _gfortran_fput_i2_sub, _gfortran_fput_i4_sub, _gfortran_fput_i8_sub,
           _gfortran_fstat_i4_sub, _gfortran_fstat_i8_sub, _gfortran_ttynam_sub,
           _gfortran_getarg_i4, _gfortran_getarg_i8)
WEAK_NAMES(4, _gfortran_fseek_sub, _gfortran_fgetc_i1_sub, _gfortran_fgetc_i2_sub,
           _gfortran_fgetc_i4_sub, _gfortran_fgetc_i8_sub, _gfortran_fputc_i1_sub,
           _gfortran_fputc_i2_sub, _gfortran_fputc_i4_sub, _gfortran_fputc_i8_sub,
           _gfortran_get_command_i4, _gfortran_get_command_i8)
WEAK_NAMES(5, _gfortran_get_command_argument_i4, _gfortran_get_command_argument_i8)
