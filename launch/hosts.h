/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_H
#define HLRC_HOSTS_H

/*
 * hlrcrun --hosts h1:2,h2:2: another launcher starts and ends a job on several hosts. hlrcrun
 * translates its options and executes the first of srun, mpirun and prterun that works here.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "launch/hosts_list.h"

/* hosts_given - whether the job runs on several hosts */
bool hosts_given(const struct config *cfg);

/* hosts_check - the number of nodes, or -EINVAL and a line in err: wrong hosts, or an option that
 * works on one machine only */
int hosts_check(const struct config *cfg, char *err, size_t errlen);

/* hosts_lose - from now on the hosts of these names, separated by commas, are left out. False: too
 * many of them. hosts_lost - all of these */
bool hosts_lose(const char *names);
const char *hosts_lost(void);

/* hosts_places - the list with its spare places. 0, or a negative errno and one line */
int hosts_places(const struct config *cfg, struct hosts_list *hosts, char *err, size_t errlen);

/* hosts_launcher_find - number of the first launcher that works here, or -ENOENT */
int hosts_launcher_find(void);

/* hosts_execute_at - executes a command on one host, by the launcher of the nodes. Returns a
 * negative errno */
int hosts_execute_at(const char *host, char *const *argv);

/*
 * hosts_hand_over - reports which launcher is used and executes it, with argv (NULL-terminated) as
 * the program and its arguments, and the variables that -x named. Changes the environment. Returns
 * only on failure: a negative errno and a line in err. ERRORS: -EINVAL as hosts_check(); -ENOENT
 * no launcher; errors of execvp
 */
int hosts_hand_over(const struct config *cfg, const char **exported, char **argv, char *err,
                    size_t errlen);

#endif
