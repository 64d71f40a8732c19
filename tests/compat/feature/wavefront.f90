! SPDX-License-Identifier: LGPL-2.1-or-later
! What Fortran makes of loops that wait for each other, reductions of tasks, and cancelling where that is off.
program wavefront
    use omp_lib
    implicit none
    integer, parameter :: n = 30
    integer(8) :: grid(0:n, 0:n), total, parts(4)
    integer :: i, j, last, found

    do j = 0, n
        do i = 0, n
            grid(i, j) = i + 2 * j
        end do
    end do
    !$omp parallel do ordered(2) schedule(static, 1) private(i)
    do j = 1, n
        do i = 1, n
            !$omp ordered depend(sink: j - 1, i) depend(sink: j, i - 1)
            grid(i, j) = mod(grid(i - 1, j) * 3 + grid(i, j - 1), 65521_8)
            !$omp ordered depend(source)
        end do
    end do
    print '(a, i0)', 'grid: ', mod(sum(grid * 7), 65521_8)

    total = 0
    parts = 0
    !$omp parallel
    !$omp single
    !$omp taskgroup task_reduction(+: total, parts)
    do i = 1, 40
        !$omp task in_reduction(+: total, parts) firstprivate(i)
        total = total + i
        parts(mod(i, 4) + 1) = parts(mod(i, 4) + 1) + i * i
        !$omp end task
    end do
    !$omp end taskgroup
    !$omp taskloop reduction(+: total)
    do i = 1, 10
        total = total + 1000
    end do
    !$omp end single
    !$omp end parallel
    print '(5(i0, 1x))', total, parts

    last = -1
    found = 0
    !$omp parallel
    !$omp do lastprivate(conditional: last) schedule(dynamic)
    do i = 1, 200
        if (mod(i, 9) == 4) last = i
    end do
    !$omp do schedule(dynamic)
    do i = 1, 200
        !$omp cancel do if (i == 77)
        !$omp atomic
        found = found + 1
    end do
    !$omp end parallel
    print '(2(i0, 1x))', last, found
end program wavefront
