! SPDX-License-Identifier: LGPL-2.1-or-later
!
! 10-primes: Fortran, with the module hlrc. The primes of 05-shares: numbers are dealt to the nodes,
! each of which adds to an element under a lock.
!
!     gfortran $(pkg-config --variable=includedir hlrc)/hlrc.f90 10-primes.f90 $(pkg-config --libs hlrc) -o 10-primes
!
program primes
  use hlrc
  implicit none
  integer(c_int32_t), parameter :: limit = 200000
  integer(c_int32_t), pointer :: prime(:), total(:)
  integer(c_int32_t) :: n

  if (hlrc_init() /= 0) stop 1
  call hlrc_allocate(prime, [limit])      ! zero, the same memory on all nodes
  call hlrc_allocate(total, [1])
  do n = 2 + hlrc_node_id(), limit - 1, hlrc_node_count()
    if (is_prime(n)) prime(n) = 1
  end do
  call hlrc_lock(0)
  total(1) = total(1) + sum(prime(2 + hlrc_node_id() : limit - 1 : hlrc_node_count()))
  call hlrc_unlock(0)
  call hlrc_barrier()
  if (hlrc_node_id() == 0) print '(i0, a, i0)', total(1), ' primes below ', limit
  call hlrc_finalize()

contains

  logical function is_prime(n)
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t) :: i

    is_prime = .false.
    i = 2
    do while (i*i <= n)
      if (mod(n, i) == 0) return
      i = i + 1
    end do
    is_prime = .true.
  end function is_prime

end program primes
