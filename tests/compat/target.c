/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Needs what is not there. */
#include <stdio.h>

int main(void)
{
    int x = 0;
#pragma omp target map(tofrom : x)
    x = 1;
    printf("%d\n", x);
    return 0;
}
