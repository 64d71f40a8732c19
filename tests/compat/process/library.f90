! SPDX-License-Identifier: LGPL-2.1-or-later
! What Fortran's library allocates and returns, and its units and the end, by threads of several nodes.
program library
  implicit none
  integer, allocatable :: a(:, :), b(:), c(:, :)
  integer :: i, unit, value, values(3)
  character(len=20) :: text(3), name
  character(len=4096) :: folder
  logical :: there(3)
  call get_command_argument(1, folder)
  call chdir(folder)
  allocate (a(300, 40), b(12000), c(40, 300))
  a = reshape([(i, i=1, 12000)], [300, 40])
  !$omp parallel workshare
  b = reshape(a, [12000])
  c = transpose(a)
  where (b > 20) b = -b
  !$omp end parallel workshare
  print *, sum(b), c(7, 9), sum(pack(a, a > 11000))
  !$omp parallel do schedule(static, 1) private(unit, name, value)
  do i = 1, 3
    write (text(i), '(a, i3)') 'thread', 7*i
    write (name, '(a, i1)') 'file', i
    open (newunit=unit, file=name)
    write (unit, *) 7*i
    rewind (unit)
    read (unit, *) value
    close (unit)
    inquire (file=name, exist=there(i))
    values(i) = value
  end do
  !$omp end parallel do
  print *, text, values, there
  flush (6)
  !$omp parallel do schedule(static, 1)
  do i = 1, 3
    if (i == 2) stop 3
    call sleep(i + 20)
  end do
end program
