! SPDX-License-Identifier: LGPL-2.1-or-later
! Fortran across nodes: allocatable arrays, common blocks, threadprivate, reductions, library routines.
program fortran
    use omp_lib
    implicit none
    integer :: i, wrong, threads
    integer(8) :: total
    real(8) :: s
    real(8), allocatable :: a(:), b(:, :)
    integer, save :: own
    real(8) :: shared_one(500)
    common /block/ shared_one
    integer(omp_lock_kind) :: lock
!$omp threadprivate(own)
    allocate (a(20000), b(50, 60))
    own = 7
    total = 0
    s = 0
    wrong = 0
!$omp parallel do
    do i = 1, 20000
        a(i) = i
    end do
!$omp parallel do reduction(+:s) schedule(dynamic, 100)
    do i = 1, 20000
        s = s + a(i)
    end do
!$omp parallel copyin(own) reduction(+:wrong)
    if (own /= 7) wrong = wrong + 1
!$omp end parallel
!$omp parallel do schedule(guided)
    do i = 1, 500
        shared_one(i) = 2*i
    end do
!$omp parallel workshare
    b = 1.5d0
!$omp end parallel workshare
    call omp_init_lock(lock)
!$omp parallel
!$omp single
    threads = omp_get_num_threads()
!$omp end single
    call omp_set_lock(lock)
    total = total + 11
    call omp_unset_lock(lock)
!$omp atomic
    wrong = wrong + 0
!$omp end parallel
    call omp_destroy_lock(lock)
    write (*, '(f14.1, i4, f12.1, f12.1, i6)') s, wrong, sum(shared_one), sum(b), total/threads
end program
