/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * companion.h - runs a program that is installed with the library (tools/).
 *
 *   - It is searched in the folder that HLRC_TOOLS names (hlrcrun sets it to its own), in the
 *     folder bin of the tree in which the library lies, in the build tree of the library, in the
 *     folder that configure chose for programs, and in PATH. For a program that contains the
 *     library, "the library" is that program.
 */
#ifndef HLRC_COMPANION_H
#define HLRC_COMPANION_H

/* companion_run - runs argv[0] with standard output on this process's standard error, and waits
 * for its end. `in`: its standard input; -1: the same as here. `signals`: a signalfd of SIGCHLD and
 * of signals of the user, which the program gets as well; -1: this process blocks none. Returns its
 * exit status, 128 + N for signal N, or a negative errno if it could not be run. */
int companion_run(const char *const *argv, int in, int signals);

#endif
