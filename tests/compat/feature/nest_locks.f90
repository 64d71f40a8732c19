! SPDX-License-Identifier: LGPL-2.1-or-later
! Nestable locks, which belong to tasks, and have eight bytes: neighbours keep their values.
program nest_locks
  use omp_lib
  implicit none
  type :: guarded
    integer(omp_nest_lock_kind) :: lock
    integer :: after(2)
  end type
  type(guarded) :: g(2)
  integer :: k, wrong, total
  wrong = 0
  total = 0
  do k = 1, 2
    g(k)%after = 77
    call omp_init_nest_lock(g(k)%lock)
  end do
  if (omp_test_nest_lock(g(1)%lock) /= 1) wrong = wrong + 1
  if (omp_test_nest_lock(g(1)%lock) /= 2) wrong = wrong + 1
  !$omp parallel if (.false.) reduction(+ : wrong)
  if (omp_test_nest_lock(g(1)%lock) /= 0) wrong = wrong + 1
  !$omp end parallel
  !$omp task if (.false.) shared(wrong)
  if (omp_test_nest_lock(g(1)%lock) /= 0) wrong = wrong + 1
  !$omp end task
  if (omp_test_nest_lock(g(1)%lock) /= 3) wrong = wrong + 1
  do k = 1, 3
    call omp_unset_nest_lock(g(1)%lock)
  end do
  !$omp parallel do
  do k = 1, 200
    call omp_set_nest_lock(g(2)%lock)
    call omp_set_nest_lock(g(2)%lock)
    total = total + k
    call omp_unset_nest_lock(g(2)%lock)
    call omp_unset_nest_lock(g(2)%lock)
  end do
  do k = 1, 2
    call omp_destroy_nest_lock(g(k)%lock)
    if (any(g(k)%after /= 77)) wrong = wrong + 1
  end do
  print '(i0, a, i0)', wrong, ' wrong, ', total
end program
