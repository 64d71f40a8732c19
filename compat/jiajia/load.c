/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load.c - JIAJIA's load balancing: each host's share of a loop. */
#include "compat/jiajia/jia.h"
#include "compat/jiajia/jiajia.h"

static int balanced;           /* jia_config(LOADBAL, ON) */
static float powers[Maxhosts]; /* of all hosts, sum 1; equal on all hosts */
static float since;            /* start of this host's work */

void jia_config(int option, int value)
{
    jiajia_check("jia_config", "option", option, WVEC + 1);
    jiajia_check("jia_config", "value", value, ON + 1);
    if (option != LOADBAL)
        return; /* for HLRC these are chosen at launch */
    balanced = value;
    for (int host = 0; host < jia_hosts; host++)
        powers[host] = 1.0F / (float)jia_hosts;
    since = jia_clock();
}

/* A host that took longer than others gets less from now on. */
void jia_loadcheck(void)
{
    float times[Maxhosts], sum = 0;
    if (!balanced)
        return;
    jiajia_message_gather(jia_clock() - since, times);
    for (int host = 0; host < jia_hosts; host++) {
        powers[host] /= times[host] > 1e-6F ? times[host] : 1e-6F;
        sum += powers[host];
    }
    for (int host = 0; host < jia_hosts; host++)
        powers[host] /= sum;
    since = jia_clock();
}

/* Divides the integers from *begin to *end, inclusive, by the hosts' powers, or evenly. */
void jia_divtask(int *begin, int *end)
{
    int from = *begin, count = *end - *begin + 1;
    double before = 0;
    if (jia_hosts == 1)
        return;
    for (int host = 0; host < jia_pid; host++)
        before += balanced ? (double)powers[host] : 1.0 / jia_hosts;
    double upto = before + (balanced ? (double)powers[jia_pid] : 1.0 / jia_hosts);
    *begin = from + (int)(before * count + 1e-6);
    *end = jia_pid == jia_hosts - 1 ? from + count - 1 : from + (int)(upto * count + 1e-6) - 1;
}
