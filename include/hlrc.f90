! SPDX-License-Identifier: LGPL-2.1-or-later
!
! hlrc.f90 - the module hlrc, for Fortran 2018: hlrc.h, and shared arrays as array pointers.
!
!     program columns
!       use hlrc
!       real(c_double), pointer :: a(:, :)
!       if (hlrc_init() /= 0) stop 1
!       call hlrc_allocate(a, [1000, 1000])       ! collective: zero, the same memory on all nodes
!       a(:, 1 + hlrc_node_id()) = 1              ! columns lie together: divide those
!       call hlrc_barrier()
!       ...
!       call hlrc_deallocate(a)
!       call hlrc_finalize()
!     end program columns
!
! Compile it beside the program: gfortran $(pkg-config --variable=includedir hlrc)/hlrc.f90 columns.f90
! $(pkg-config --libs hlrc). Procedures without a comment are those of hlrc.h, with its rules and
! results; numbers of nodes begin with 0. Memory that nodes share must not be kept in variables
! over a lock or a barrier: give an array that is a dummy argument the attribute TARGET.
!
! What the module has for coarrays:
!     this_image(), num_images()       hlrc_node_id() + 1, hlrc_node_count()
!     real(c_double) :: a(n)[*]        real(c_double), pointer :: a(:, :)
!                                      call hlrc_allocate(a, [n, hlrc_node_count()])
!     a(i), a(i)[k]                    a(i, hlrc_node_id() + 1), a(i, k)
!     sync all                         call hlrc_barrier()
!     sync images of a set             call hlrc_group_barrier(group), of hlrc_group_create
!     lock(l), unlock(l); critical     call hlrc_lock(number), call hlrc_unlock(number)
!     atomic_fetch_add                 hlrc_atomic_fetch_add, of hlrc_atomic_create
!     event post, event wait           hlrc_cond_signal, hlrc_cond_wait, under a lock
!     co_sum, co_max; co_broadcast     hlrc_reduce; hlrc_broadcast
!     error stop                       call hlrc_exit(status)
! The node that writes a page of a column first is its home.
!
module hlrc
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! hlrc_placement
  integer(c_int), parameter :: HLRC_BLOCK = 0, HLRC_CYCLIC = 1, HLRC_AT = 2
  ! hlrc_type
  integer(c_int), parameter :: HLRC_INT32 = 0, HLRC_UINT32 = 1, HLRC_INT64 = 2, HLRC_UINT64 = 3, &
                               HLRC_FLOAT = 4, HLRC_DOUBLE = 5
  ! hlrc_op
  integer(c_int), parameter :: HLRC_SUM = 0, HLRC_PRODUCT = 1, HLRC_MIN = 2, HLRC_MAX = 3, &
                               HLRC_AND = 4, HLRC_OR = 5, HLRC_XOR = 6, HLRC_REPLACE = 7, &
                               HLRC_NO_OP = 8
  ! hlrc_order: as in C, where the names have no ORDER. Without it they would be those of calls.
  integer(c_int), parameter :: HLRC_ORDER_RELAXED = 0, HLRC_ORDER_ACQUIRE = 1, &
                               HLRC_ORDER_RELEASE = 2, HLRC_ORDER_ACQ_REL = 3

  integer(c_int64_t), parameter :: HLRC_FOREVER = -1

  ! Handles.
  type, bind(c) :: hlrc_cond_t
    integer(c_int32_t) :: id
  end type
  type, bind(c) :: hlrc_atomic_t
    integer(c_int32_t) :: id
  end type
  type, bind(c) :: hlrc_group_t
    integer(c_int32_t) :: id
  end type
  ! The name of a word for hlrc_word_fetch.
  type, bind(c) :: hlrc_word_t
    type(c_ptr) :: addr
    integer(c_int32_t) :: node, id
  end type

  interface
    subroutine hlrc_finalize() bind(c)
    end subroutine
    subroutine hlrc_exit(status) bind(c)
      import c_int
      integer(c_int), value :: status
    end subroutine
    integer(c_int) function hlrc_node_id() bind(c)
      import c_int
    end function
    integer(c_int) function hlrc_node_count() bind(c)
      import c_int
    end function
    subroutine hlrc_barrier() bind(c)
    end subroutine
    subroutine hlrc_barrier_arrive() bind(c)
    end subroutine
    subroutine hlrc_barrier_depart() bind(c)
    end subroutine
    subroutine hlrc_lock(lock) bind(c)
      import c_int32_t
      integer(c_int32_t), value :: lock
    end subroutine
    integer(c_int) function hlrc_trylock(lock) bind(c)
      import c_int, c_int32_t
      integer(c_int32_t), value :: lock
    end function
    subroutine hlrc_unlock(lock) bind(c)
      import c_int32_t
      integer(c_int32_t), value :: lock
    end subroutine
    integer(c_int) function hlrc_lock_create(lock) bind(c)
      import c_int, c_int32_t
      integer(c_int32_t), intent(out) :: lock
    end function
    subroutine hlrc_lock_destroy(lock) bind(c)
      import c_int32_t
      integer(c_int32_t), value :: lock
    end subroutine
    integer(c_int) function hlrc_broadcast(buf, len, root) bind(c)
      import c_int, c_size_t
      type(*), dimension(*), intent(inout) :: buf
      integer(c_size_t), value :: len ! bytes
      integer(c_int), value :: root
    end function
    integer(c_int) function hlrc_reduce(in, out, count, type, op) bind(c)
      import c_int, c_size_t
      type(*), dimension(*), intent(in) :: in
      type(*), dimension(*), intent(inout) :: out
      integer(c_size_t), value :: count
      integer(c_int), value :: type, op
    end function
    type(hlrc_word_t) function hlrc_word_shared(addr) bind(c)
      import hlrc_word_t
      type(*), intent(inout) :: addr
    end function
    type(hlrc_word_t) function hlrc_word_atomic(word) bind(c)
      import hlrc_atomic_t, hlrc_word_t
      type(hlrc_atomic_t), value :: word
    end function
    integer(c_int) function hlrc_word_fetch(word, type, op, value, old, order) bind(c)
      import c_int, hlrc_word_t
      type(hlrc_word_t), value :: word
      integer(c_int), value :: type, op, order
      type(*), intent(in) :: value
      type(*), intent(inout) :: old
    end function
    integer(c_int) function hlrc_word_compare(word, type, expected, desired, order) bind(c)
      import c_int, hlrc_word_t
      type(hlrc_word_t), value :: word
      integer(c_int), value :: type, order
      type(*), intent(inout) :: expected
      type(*), intent(in) :: desired
    end function
    ! Deprecated: hlrc_word_fetch and hlrc_word_compare of hlrc_word_shared(word).
    integer(c_int) function hlrc_fetch_op(word, value, old, type, op) bind(c)
      import c_int
      !GCC$ ATTRIBUTES DEPRECATED :: hlrc_fetch_op
      type(*), intent(inout) :: word
      type(*), intent(in) :: value
      type(*), intent(inout) :: old
      integer(c_int), value :: type, op
    end function
    integer(c_int) function hlrc_compare_swap(word, expected, desired, type) bind(c)
      import c_int
      !GCC$ ATTRIBUTES DEPRECATED :: hlrc_compare_swap
      type(*), intent(inout) :: word, expected
      type(*), intent(in) :: desired
      integer(c_int), value :: type
    end function
    subroutine hlrc_release() bind(c)
    end subroutine
    integer(c_int) function hlrc_acquire() bind(c)
      import c_int
    end function
    ! Times are in nanoseconds, HLRC_FOREVER: no limit.
    integer(c_int) function hlrc_lock_for(lock, timeout) bind(c)
      import c_int, c_int32_t, c_int64_t
      integer(c_int32_t), value :: lock
      integer(c_int64_t), value :: timeout
    end function
    integer(c_int) function hlrc_barrier_test() bind(c)
      import c_int
    end function
    integer(c_int) function hlrc_flush() bind(c)
      import c_int
    end function
    integer(c_int) function hlrc_cond_create(cond) bind(c)
      import c_int, hlrc_cond_t
      type(hlrc_cond_t), intent(out) :: cond
    end function
    subroutine hlrc_cond_destroy(cond) bind(c)
      import hlrc_cond_t
      type(hlrc_cond_t), value :: cond
    end subroutine
    subroutine hlrc_cond_signal(cond) bind(c)
      import hlrc_cond_t
      type(hlrc_cond_t), value :: cond
    end subroutine
    subroutine hlrc_cond_broadcast(cond) bind(c)
      import hlrc_cond_t
      type(hlrc_cond_t), value :: cond
    end subroutine
    subroutine hlrc_cond_wait(cond, lock) bind(c)
      import c_int32_t, hlrc_cond_t
      type(hlrc_cond_t), value :: cond
      integer(c_int32_t), value :: lock
    end subroutine
    integer(c_int) function hlrc_cond_wait_for(cond, lock, timeout) bind(c)
      import c_int, c_int32_t, c_int64_t, hlrc_cond_t
      type(hlrc_cond_t), value :: cond
      integer(c_int32_t), value :: lock
      integer(c_int64_t), value :: timeout
    end function
    integer(c_int) function hlrc_atomic_create(word, value) bind(c)
      import c_int, c_int64_t, hlrc_atomic_t
      type(hlrc_atomic_t), intent(out) :: word
      integer(c_int64_t), value :: value
    end function
    subroutine hlrc_atomic_destroy(word) bind(c)
      import hlrc_atomic_t
      type(hlrc_atomic_t), value :: word
    end subroutine
    integer(c_int64_t) function hlrc_atomic_load(word) bind(c)
      import c_int64_t, hlrc_atomic_t
      type(hlrc_atomic_t), value :: word
    end function
    integer(c_int64_t) function hlrc_atomic_fetch_add(word, value) bind(c)
      import c_int64_t, hlrc_atomic_t
      type(hlrc_atomic_t), value :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int64_t) function hlrc_atomic_exchange(word, value) bind(c)
      import c_int64_t, hlrc_atomic_t
      type(hlrc_atomic_t), value :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function hlrc_atomic_compare_exchange(word, expected, desired) bind(c)
      import c_int, c_int64_t, hlrc_atomic_t
      type(hlrc_atomic_t), value :: word
      integer(c_int64_t), intent(inout) :: expected
      integer(c_int64_t), value :: desired
    end function
    integer(c_int) function hlrc_group_create(nodes, count, group) bind(c)
      import c_int, hlrc_group_t
      integer(c_int), intent(in) :: nodes(*)
      integer(c_int), value :: count
      type(hlrc_group_t), intent(inout) :: group
    end function
    subroutine hlrc_group_free(group) bind(c)
      import hlrc_group_t
      type(hlrc_group_t), value :: group
    end subroutine
    subroutine hlrc_group_barrier(group) bind(c)
      import hlrc_group_t
      type(hlrc_group_t), value :: group
    end subroutine
    integer(c_int) function hlrc_group_broadcast(group, buf, len, root) bind(c)
      import c_int, c_size_t, hlrc_group_t
      type(hlrc_group_t), value :: group
      type(*), dimension(*), intent(inout) :: buf
      integer(c_size_t), value :: len ! bytes
      integer(c_int), value :: root
    end function
    integer(c_int) function hlrc_group_reduce(group, in, out, count, type, op) bind(c)
      import c_int, c_size_t, hlrc_group_t
      type(hlrc_group_t), value :: group
      type(*), dimension(*), intent(in) :: in
      type(*), dimension(*), intent(inout) :: out
      integer(c_size_t), value :: count
      integer(c_int), value :: type, op
    end function
    integer(c_int) function hlrc_home(addr) bind(c)
      import c_int
      type(*), dimension(*), intent(in) :: addr
    end function
    integer(c_int) function hlrc_prefetch(addr, len) bind(c)
      import c_int, c_size_t
      type(*), dimension(*), intent(in) :: addr
      integer(c_size_t), value :: len
    end function
    ! For arrays of other types: c_f_pointer makes an array pointer of the result.
    type(c_ptr) function hlrc_malloc_all(size) bind(c)
      import c_ptr, c_size_t
      integer(c_size_t), value :: size
    end function
    type(c_ptr) function hlrc_alloc_placed(size, how, unit) bind(c)
      import c_ptr, c_size_t, c_int
      integer(c_size_t), value :: size
      integer(c_int), value :: how
      integer(c_size_t), value :: unit
    end function
    subroutine hlrc_free_all(ptr) bind(c)
      import c_ptr
      type(c_ptr), value :: ptr
    end subroutine
  end interface

  ! hlrc_allocate(a, shape [, stat]) - a shared array of this shape, zero, at the same address on
  ! all nodes. Collective. stat: 0, or -1 if there is no memory; without it that ends the job.
  ! a: a pointer of rank 1 to 7 to integer(c_int32_t), integer(c_int64_t), real(c_float),
  ! real(c_double) or complex(c_double_complex).
  interface hlrc_allocate
    module procedure hlrc_module_allocate_int32, hlrc_module_allocate_int64, hlrc_module_allocate_float, &
      hlrc_module_allocate_double, hlrc_module_allocate_complex
  end interface
  ! hlrc_deallocate(a) - frees it, and makes it null. Collective.
  interface hlrc_deallocate
    module procedure hlrc_module_free_int32, hlrc_module_free_int64, hlrc_module_free_float, &
      hlrc_module_free_double, hlrc_module_free_complex
  end interface
  private :: hlrc_module_allocate, &
      hlrc_module_allocate_int32, hlrc_module_allocate_int64, hlrc_module_allocate_float, &
      hlrc_module_allocate_double, hlrc_module_allocate_complex, &
      hlrc_module_free_int32, hlrc_module_free_int64, hlrc_module_free_float, &
      hlrc_module_free_double, hlrc_module_free_complex

contains

  ! 0 if the job has begun.
  integer(c_int) function hlrc_init()
    interface
      integer(c_int) function hlrc_module_init(argc, argv) bind(c, name='hlrc_init')
        import c_int, c_ptr
        type(c_ptr), value :: argc, argv
      end function
    end interface
    hlrc_init = hlrc_module_init(c_null_ptr, c_null_ptr)
  end function

  type(c_ptr) function hlrc_module_allocate(shape, bytes, stat)
    integer, intent(in) :: shape(:)
    integer(c_size_t), intent(in) :: bytes ! of an element
    integer, intent(out), optional :: stat
    hlrc_module_allocate = hlrc_malloc_all(max(1_c_size_t, product(int(shape, c_size_t))*bytes))
    if (present(stat)) then
      stat = merge(0, -1, c_associated(hlrc_module_allocate))
    else if (.not. c_associated(hlrc_module_allocate)) then
      write (*, '(a)') 'hlrc: hlrc_allocate: no memory for this array; raise --memory'
      call hlrc_exit(1_c_int)
    end if
  end function

  ! The same for each type: an array pointer of any rank gets or loses its memory.

  subroutine hlrc_module_allocate_int32(a, shape, stat)
    integer(c_int32_t), pointer, intent(inout) :: a(..)
    integer, intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    at = hlrc_module_allocate(shape, 4_c_size_t, stat)
    select rank (a)
    rank (1); call c_f_pointer(at, a, shape)
    rank (2); call c_f_pointer(at, a, shape)
    rank (3); call c_f_pointer(at, a, shape)
    rank (4); call c_f_pointer(at, a, shape)
    rank (5); call c_f_pointer(at, a, shape)
    rank (6); call c_f_pointer(at, a, shape)
    rank (7); call c_f_pointer(at, a, shape)
    end select
  end subroutine

  subroutine hlrc_module_free_int32(a)
    integer(c_int32_t), pointer, intent(inout) :: a(..)
    if (associated(a)) call hlrc_free_all(c_loc(a))
    select rank (a)
    rank (1); nullify (a)
    rank (2); nullify (a)
    rank (3); nullify (a)
    rank (4); nullify (a)
    rank (5); nullify (a)
    rank (6); nullify (a)
    rank (7); nullify (a)
    end select
  end subroutine

  subroutine hlrc_module_allocate_int64(a, shape, stat)
    integer(c_int64_t), pointer, intent(inout) :: a(..)
    integer, intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    at = hlrc_module_allocate(shape, 8_c_size_t, stat)
    select rank (a)
    rank (1); call c_f_pointer(at, a, shape)
    rank (2); call c_f_pointer(at, a, shape)
    rank (3); call c_f_pointer(at, a, shape)
    rank (4); call c_f_pointer(at, a, shape)
    rank (5); call c_f_pointer(at, a, shape)
    rank (6); call c_f_pointer(at, a, shape)
    rank (7); call c_f_pointer(at, a, shape)
    end select
  end subroutine

  subroutine hlrc_module_free_int64(a)
    integer(c_int64_t), pointer, intent(inout) :: a(..)
    if (associated(a)) call hlrc_free_all(c_loc(a))
    select rank (a)
    rank (1); nullify (a)
    rank (2); nullify (a)
    rank (3); nullify (a)
    rank (4); nullify (a)
    rank (5); nullify (a)
    rank (6); nullify (a)
    rank (7); nullify (a)
    end select
  end subroutine

  subroutine hlrc_module_allocate_float(a, shape, stat)
    real(c_float), pointer, intent(inout) :: a(..)
    integer, intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    at = hlrc_module_allocate(shape, 4_c_size_t, stat)
    select rank (a)
    rank (1); call c_f_pointer(at, a, shape)
    rank (2); call c_f_pointer(at, a, shape)
    rank (3); call c_f_pointer(at, a, shape)
    rank (4); call c_f_pointer(at, a, shape)
    rank (5); call c_f_pointer(at, a, shape)
    rank (6); call c_f_pointer(at, a, shape)
    rank (7); call c_f_pointer(at, a, shape)
    end select
  end subroutine

  subroutine hlrc_module_free_float(a)
    real(c_float), pointer, intent(inout) :: a(..)
    if (associated(a)) call hlrc_free_all(c_loc(a))
    select rank (a)
    rank (1); nullify (a)
    rank (2); nullify (a)
    rank (3); nullify (a)
    rank (4); nullify (a)
    rank (5); nullify (a)
    rank (6); nullify (a)
    rank (7); nullify (a)
    end select
  end subroutine

  subroutine hlrc_module_allocate_double(a, shape, stat)
    real(c_double), pointer, intent(inout) :: a(..)
    integer, intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    at = hlrc_module_allocate(shape, 8_c_size_t, stat)
    select rank (a)
    rank (1); call c_f_pointer(at, a, shape)
    rank (2); call c_f_pointer(at, a, shape)
    rank (3); call c_f_pointer(at, a, shape)
    rank (4); call c_f_pointer(at, a, shape)
    rank (5); call c_f_pointer(at, a, shape)
    rank (6); call c_f_pointer(at, a, shape)
    rank (7); call c_f_pointer(at, a, shape)
    end select
  end subroutine

  subroutine hlrc_module_free_double(a)
    real(c_double), pointer, intent(inout) :: a(..)
    if (associated(a)) call hlrc_free_all(c_loc(a))
    select rank (a)
    rank (1); nullify (a)
    rank (2); nullify (a)
    rank (3); nullify (a)
    rank (4); nullify (a)
    rank (5); nullify (a)
    rank (6); nullify (a)
    rank (7); nullify (a)
    end select
  end subroutine

  subroutine hlrc_module_allocate_complex(a, shape, stat)
    complex(c_double_complex), pointer, intent(inout) :: a(..)
    integer, intent(in) :: shape(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    at = hlrc_module_allocate(shape, 16_c_size_t, stat)
    select rank (a)
    rank (1); call c_f_pointer(at, a, shape)
    rank (2); call c_f_pointer(at, a, shape)
    rank (3); call c_f_pointer(at, a, shape)
    rank (4); call c_f_pointer(at, a, shape)
    rank (5); call c_f_pointer(at, a, shape)
    rank (6); call c_f_pointer(at, a, shape)
    rank (7); call c_f_pointer(at, a, shape)
    end select
  end subroutine

  subroutine hlrc_module_free_complex(a)
    complex(c_double_complex), pointer, intent(inout) :: a(..)
    if (associated(a)) call hlrc_free_all(c_loc(a))
    select rank (a)
    rank (1); nullify (a)
    rank (2); nullify (a)
    rank (3); nullify (a)
    rank (4); nullify (a)
    rank (5); nullify (a)
    rank (6); nullify (a)
    rank (7); nullify (a)
    end select
  end subroutine

end module hlrc
