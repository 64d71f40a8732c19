/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* api_target.c - memory of devices; see api.h. The host is the only device, number 0. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "compat/openmp/api.h"
#include "compat/start/heap.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

static bool api_target_is_host(int device)
{
    return device == omp_get_initial_device();
}

void *omp_target_alloc(size_t size, int device)
{
    return api_target_is_host(device) ? heap_malloc(size) : NULL;
}

void omp_target_free(void *ptr, int device)
{
    if (api_target_is_host(device))
        heap_free(ptr);
}

int omp_target_is_present(const void *ptr, int device)
{
    return !ptr || api_target_is_host(device);
}

int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset,
                      size_t from_offset, int to_device, int from_device)
{
    if (!api_target_is_host(to_device) || !api_target_is_host(from_device))
        return EINVAL;
    memcpy((char *)to + to_offset, (const char *)from + from_offset, length);
    return 0;
}

/* The bytes of `count` elements or, of a part of an array, between elements of its first
 * dimension. False: too many. */
static bool api_target_size(size_t *bytes, size_t element, int dims, const size_t *dimensions)
{
    *bytes = element;
    for (int d = 1; d < dims; d++)
        if (__builtin_mul_overflow(*bytes, dimensions[d], bytes))
            return false;
    return true;
}

static int api_target_copy_rect(char *to, const char *from, size_t element, int dims,
                                const size_t *volume, const size_t *to_at, const size_t *from_at,
                                const size_t *to_dims, const size_t *from_dims)
{
    size_t to_step, from_step, to_offset, from_offset, length;
    if (!api_target_size(&to_step, element, dims, to_dims) ||
        !api_target_size(&from_step, element, dims, from_dims) ||
        __builtin_mul_overflow(to_step, *to_at, &to_offset) ||
        __builtin_mul_overflow(from_step, *from_at, &from_offset) ||
        __builtin_mul_overflow(element, *volume, &length))
        return EINVAL;
    to += to_offset;
    from += from_offset;
    if (dims == 1)
        memcpy(to, from, length);
    for (size_t k = 0; dims > 1 && k < *volume; k++) {
        int status =
            api_target_copy_rect(to + k * to_step, from + k * from_step, element, dims - 1,
                                 volume + 1, to_at + 1, from_at + 1, to_dims + 1, from_dims + 1);
        if (status)
            return status;
    }
    return 0;
}

int omp_target_memcpy_rect(void *to, const void *from, size_t element, int dims,
                           const size_t *volume, const size_t *to_at, const size_t *from_at,
                           const size_t *to_dims, const size_t *from_dims, int to_device,
                           int from_device)
{
    if (!to && !from)
        return INT_MAX; /* most dimensions */
    if (!api_target_is_host(to_device) || !api_target_is_host(from_device))
        return EINVAL;
    return api_target_copy_rect(to, from, element, dims, volume, to_at, from_at, to_dims,
                                from_dims);
}

/* The host's memory cannot be another device's. */
int omp_target_associate_ptr(const void *host, const void *at, size_t size, size_t offset,
                             int device)
{
    (void)host, (void)at, (void)size, (void)offset, (void)device;
    return EINVAL;
}

int omp_target_disassociate_ptr(const void *ptr, int device)
{
    (void)ptr, (void)device;
    return EINVAL;
}
