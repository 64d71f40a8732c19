! SPDX-License-Identifier: LGPL-2.1-or-later
! What Fortran's library allocates and returns, and its units and the end, by threads of several nodes.
module points
  implicit none
  type :: point
    integer :: x, y
  contains
    procedure :: put
    generic :: write (formatted) => put
  end type
contains
  subroutine put(p, unit, kind, list, status, message)
    class(point), intent(in) :: p
    integer, intent(in) :: unit, list(:)
    character(*), intent(in) :: kind
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    write (unit, '(a, i0, a, i0, a)', iostat=status, iomsg=message) '<', p%x, ':', p%y, '>'
  end subroutine
end module

program library
  use points
  implicit none
  integer, allocatable :: a(:, :), b(:), c(:, :)
  integer :: i, unit, value, values(3), seed(8), total
  integer, save :: own
  !$omp threadprivate(own)
  real :: numbers(3)
  real(8) :: table(3), back(3)
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
  ! units of the process
  open (10, file='shared')
  open (11, file='direct', access='direct', recl=8)
  table = [1.5d0, 2.5d0, 3.5d0]
  !$omp parallel do ordered schedule(static, 1) num_threads(3) private(name)
  do i = 1, 3
    own = 100*i
    write (11, rec=4 - i) table(i)
    write (name, '(f4.1, i4)') -0.01, own
    !$omp ordered
    write (10, '(a, i4)', advance='no') 'of a thread', own
    write (10, *) i > 1, table(:i), trim(name)
    write (12, *) i
    print *, 'thread', own, point(i, 2*i)
    !$omp end ordered
  end do
  !$omp end parallel do
  rewind (10)
  rewind (12)
  total = 0
  !$omp parallel do ordered schedule(static, 1) num_threads(3) private(folder, value)
  do i = 1, 3
    !$omp ordered
    read (10, '(a)') folder
    read (12, *) own
    value = own
    total = total + value
    print '(a, i4)', trim(folder), own
    !$omp end ordered
    write (text(i), '(dt)') point(i, value)
  end do
  !$omp end parallel do
  read (11, rec=1) back(1)
  print *, total, back(1), text
  ! the same numbers, in whatever order threads get their streams
  seed = 4711
  call random_seed(put=seed)
  call random_number(numbers(1))
  !$omp parallel do ordered schedule(static, 1) num_threads(3)
  do i = 1, 3
    !$omp ordered
    call random_number(numbers(i))
    !$omp end ordered
  end do
  !$omp end parallel do
  print *, numbers
  flush (6)
  !$omp parallel do schedule(static, 1)
  do i = 1, 3
    if (i == 2) stop 3
    call sleep(i + 20)
  end do
end program
