! SPDX-License-Identifier: LGPL-2.1-or-later
! The module hlrc on all nodes of a job. Prints "NODES nodes, bad NUMBER".
program module_test
  use hlrc
  implicit none
  integer, parameter :: rounds = 100
  integer(c_int) :: node, nodes
  integer(c_int32_t) :: bad(1), all_bad(1)
  bad = 0
  if (hlrc_init() /= 0) stop 1
  node = hlrc_node_id()
  nodes = hlrc_node_count()
  call columns()
  call ranks()
  call locks()
  call words()
  call together()
  call handles()
  if (hlrc_reduce(bad, all_bad, 1_c_size_t, HLRC_INT32, HLRC_SUM) /= 0) stop 2
  if (node == 0) print '(i0, a, i0)', nodes, ' nodes, bad ', all_bad(1)
  call hlrc_finalize()
  if (all_bad(1) /= 0) stop 3

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    bad = bad + 1
    print '(a, i0, 2a)', 'node ', node, ': ', what
  end subroutine

  ! Each node writes columns of its own; all read all.
  subroutine columns()
    real(c_double), pointer :: a(:, :)
    integer :: i, j
    call hlrc_allocate(a, [500, 60])
    call expect(all(shape(a) == [500, 60]) .and. all(a == 0), 'a new array')
    call hlrc_barrier()
    do j = 1 + node, 60, nodes
      a(:, j) = [(i + 1000*j, i=1, 500)]
    end do
    call hlrc_barrier()
    call expect(sum(a) == 60*125250d0 + 1000*500*1830d0, 'columns')
    call hlrc_barrier()
    call hlrc_deallocate(a)
    call expect(.not. associated(a), 'freed')
  end subroutine

  subroutine ranks()
    integer(c_int32_t), pointer :: one(:)
    integer(c_int64_t), pointer :: three(:, :, :)
    complex(c_double_complex), pointer :: four(:, :, :, :)
    real(c_float), pointer :: seven(:, :, :, :, :, :, :)
    integer :: stat
    call hlrc_allocate(one, [5])
    call hlrc_allocate(three, [2, 3, 4], stat)
    call hlrc_allocate(four, [2, 1, 2, 3])
    call hlrc_allocate(seven, [2, 1, 2, 1, 2, 1, 3])
    call expect(stat == 0 .and. size(one) == 5 .and. size(three) == 24 .and. size(four) == 12 .and. size(seven) == 24, 'sizes')
    if (node == nodes - 1) then
      three(2, 3, 4) = 7000000000_c_int64_t
      four(2, 1, 2, 3) = (1d0, -2d0)
      seven(2, 1, 2, 1, 2, 1, 3) = 1.5
    end if
    call hlrc_barrier()
    call expect(sum(three) == 7000000000_c_int64_t .and. sum(four) == (1d0, -2d0) .and. sum(seven) == 1.5, 'elements')
    call hlrc_barrier()
    call hlrc_deallocate(seven)
    call hlrc_deallocate(four)
    call hlrc_deallocate(three)
    call hlrc_deallocate(one)
  end subroutine

  subroutine locks()
    integer(c_int64_t), pointer :: total(:)
    integer(c_int32_t) :: lock(1)
    integer :: i
    call hlrc_allocate(total, [1])
    if (node == 0) call expect(hlrc_lock_create(lock(1)) == 0, 'a new lock')
    call expect(hlrc_broadcast(lock, 4_c_size_t, 0) == 0, 'its broadcast')
    do i = 1, rounds
      call hlrc_lock(lock(1))
      total(1) = total(1) + 1
      call hlrc_unlock(lock(1))
    end do
    call hlrc_barrier()
    call expect(total(1) == rounds*nodes, 'lock')
    call hlrc_barrier()
    call hlrc_deallocate(total)
  end subroutine

  subroutine words()
    integer(c_int64_t), pointer :: word(:)
    integer(c_int64_t) :: old, last
    integer :: i
    call hlrc_allocate(word, [4])
    last = -1
    do i = 1, rounds
      call expect(hlrc_word_fetch(hlrc_word_shared(word(3)), HLRC_INT64, HLRC_SUM, 2_c_int64_t, old, &
                                  HLRC_ORDER_RELAXED) == 0, 'fetch')
      call expect(old > last, 'values that grow')
      last = old
    end do
    call hlrc_barrier()
    call expect(word(3) == 2*rounds*nodes .and. hlrc_home(word) >= 0, 'words')
    call hlrc_barrier()
    old = 2*rounds*nodes
    i = hlrc_word_compare(hlrc_word_shared(word(3)), HLRC_INT64, old, -1_c_int64_t, HLRC_ORDER_ACQ_REL)
    call expect(i == merge(1, 0, old /= -1), 'one node changes it, the others see its value')
    call hlrc_barrier()
    call hlrc_deallocate(word)
  end subroutine

  subroutine together()
    real(c_double) :: x(2)
    x = [1d0*node, 1d0]
    call expect(hlrc_reduce(x, x, 2_c_size_t, HLRC_DOUBLE, HLRC_MAX) == 0, 'reduce')
    call expect(x(1) == nodes - 1 .and. x(2) == 1, 'maxima')
    x = node
    call expect(hlrc_broadcast(x, 16_c_size_t, nodes - 1) == 0, 'broadcast')
    call expect(all(x == nodes - 1), 'values of the last node')
    call expect(hlrc_broadcast(x, 16_c_size_t, nodes) /= 0, 'an error')
  end subroutine

  ! A condition variable, an atomic word and a group of all nodes.
  subroutine handles()
    integer(c_int64_t), pointer :: turn(:)
    type(hlrc_cond_t) :: cond
    type(hlrc_atomic_t) :: word
    type(hlrc_group_t) :: group
    integer(c_int32_t) :: ids(2)
    integer(c_int64_t) :: x(1)
    integer :: i, rc
    call hlrc_allocate(turn, [1])
    ids = 0
    if (node == 0) then
      call expect(hlrc_cond_create(cond) == 0 .and. hlrc_atomic_create(word, 7_c_int64_t) == 0, 'new handles')
      ids = [cond%id, word%id]
    end if
    call expect(hlrc_broadcast(ids, 8_c_size_t, 0) == 0, 'their broadcast')
    cond%id = ids(1)
    word%id = ids(2)
    call expect(hlrc_lock_for(3_c_int32_t, HLRC_FOREVER) == 0, 'lock_for')
    do while (mod(turn(1), int(nodes, c_int64_t)) /= node)
      rc = hlrc_cond_wait_for(cond, 3_c_int32_t, 60000000000_c_int64_t)
      call expect(rc == 0, 'a signal')
    end do
    turn(1) = turn(1) + 1
    call hlrc_cond_broadcast(cond)
    call hlrc_unlock(3_c_int32_t)
    x(1) = hlrc_atomic_fetch_add(word, 2_c_int64_t)
    call expect(hlrc_group_create([(int(i, c_int), i=0, nodes - 1)], nodes, group) == 0, 'a group')
    x = node + 1
    call expect(hlrc_group_reduce(group, x, x, 1_c_size_t, HLRC_INT64, HLRC_PRODUCT) == 0, 'group_reduce')
    call expect(x(1) == product([(i, i=1, nodes)]), 'the product')
    x = node
    call expect(hlrc_group_broadcast(group, x, 8_c_size_t, 0) == 0 .and. x(1) == 0, 'group_broadcast')
    call hlrc_group_free(group)
    call expect(hlrc_atomic_load(word) == 7 + 2*nodes .and. turn(1) == nodes, 'word and turns')
    call hlrc_barrier_arrive()
    do while (hlrc_barrier_test() == 0)
    end do
    call hlrc_barrier_depart()
    call hlrc_deallocate(turn)
  end subroutine
end program
