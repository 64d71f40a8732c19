/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.c - hlrc_strerror: what the errors of HLRC's calls mean. */
#include <errno.h>
#include <hlrc.h>
#include <stddef.h>
#include <string.h>

static const struct {
    int error;
    const char *text;
} error_texts[] = {
    { 0, "no error" },
    { EALREADY, "hlrc_init was called before" },
    { EBUSY, "held or used by another thread or node" },
    { EINVAL, "an argument is not valid" },
    { ENOMEM, "no shared memory, or no handle of this kind, is left" },
    { ENOTSUP, "this fabric, launcher or machine cannot do that" },
    { ETIMEDOUT, "the time is over" },
};

const char *hlrc_strerror(int error)
{
    const char *text = NULL;
    unsigned code = error < 0 ? 0U - (unsigned)error : (unsigned)error;
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if ((unsigned)error_texts[i].error == code)
            return error_texts[i].text;
#if __GLIBC_PREREQ(2, 32)
    if (code <= 4095)
        text = strerrordesc_np((int)code);
#endif
    return text ? text : "unknown error";
}
