! Calls MPI as mpi_calls.c does: mpi_calls DIR, with -DHOW=1 by mpif.h, 2 by 'use mpi', 3 by
! 'use mpi_f08'.  There all return codes are left out.
#if HOW == 3
#define IERR
#define ADDRESS_T type(c_ptr)
#define BASE_T type(c_ptr)
#define COMM_T type(MPI_Comm)
#define TYPE_T type(MPI_Datatype)
#define REQUEST_T type(MPI_Request)
#define MESSAGE_T type(MPI_Message)
#define WIN_T type(MPI_Win)
#define FILE_T type(MPI_File)
#define STATUS_T(name) type(MPI_Status) :: name
#define STATUSES_T(name, many) type(MPI_Status) :: name(many)
#else
#define IERR , ierr
#define ADDRESS_T integer
#define BASE_T integer(kind=MPI_ADDRESS_KIND)
#define COMM_T integer
#define TYPE_T integer
#define REQUEST_T integer
#define MESSAGE_T integer
#define WIN_T integer
#define FILE_T integer
#define STATUS_T(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES_T(name, many) integer :: name(MPI_STATUS_SIZE, many)
#endif
#if HOW == 1
#define USE_MPI
#define OLD_MPI include 'mpif.h'
#elif HOW == 2
#define USE_MPI use mpi
#define OLD_MPI
#else
#define USE_MPI use mpi_f08
#define OLD_MPI
#endif

module rows
    implicit none
    integer :: row_count = 0
    character(len=40) :: row_name(200)
    integer :: row_calls(200) = 0, row_bytes(200) = 0
contains
    subroutine did(bytes, name)
        integer, intent(in) :: bytes
        character(len=*), intent(in) :: name
        integer :: i
        do i = 1, row_count
            if (row_name(i) == 'MPI_'//name) exit
        end do
        if (i > row_count) row_count = i
        row_name(i) = 'MPI_'//name
        row_calls(i) = row_calls(i) + 1
        row_bytes(i) = row_bytes(i) + bytes
    end subroutine
end module

program mpi_calls
    USE_MPI
    use, intrinsic :: iso_c_binding, only: c_ptr
    use rows
    implicit none
    OLD_MPI
    integer :: n, me, left, right, ierr, i, last, total
    COMM_T :: world
    TYPE_T :: int, double, types(64)
    REQUEST_T :: request(4)
    STATUS_T(status)
    STATUSES_T(statuses, 4)
    integer, save :: a(4096), b(4096), counts(64), places(64), sizes(64)
    character(len=1000) :: dir, path

    call get_command_argument(1, dir)
    call MPI_Init(ierr); call did(0, 'Init')
    world = MPI_COMM_WORLD
    int = MPI_INTEGER
    double = MPI_DOUBLE_PRECISION
    call MPI_Comm_size(world, n, ierr)
    call MPI_Comm_rank(world, me, ierr)
    right = mod(me + 1, n)
    left = mod(me + n - 1, n)
    last = n - 1
    total = n * (n + 1) / 2
    call messages()
    call collectives()
    call collectives_begun()
    call neighbours()
    if (n > 1) call two_groups()
    call one_sided()
    call files()
    call others()
    call MPI_Finalize(ierr); call did(0, 'Finalize')

    write (path, '(a,"/",i0)') trim(dir), me
    open (unit=10, file=trim(path), status='replace')
    do i = 1, row_count
        write (10, '(i0," ",a," ",i0," ",i0)') me, trim(row_name(i)), row_calls(i), row_bytes(i)
    end do
    close (10)
contains
    subroutine one_waits()
        call MPI_Wait(request(1), MPI_STATUS_IGNORE IERR); call did(0, 'Wait')
    end subroutine

    subroutine messages()
        logical :: flag
        integer :: at, detached
        ADDRESS_T :: old
        character, save :: attached(4096 + MPI_BSEND_OVERHEAD)
        TYPE_T :: grid
        MESSAGE_T :: message
        call MPI_Irecv(b, 10, int, left, 1, world, request(1) IERR); call did(40, 'Irecv')
        call MPI_Send(a, 10, int, right, 1, world IERR); call did(40, 'Send')
        call one_waits()
        call MPI_Irecv(b, 10, int, MPI_ANY_SOURCE, MPI_ANY_TAG, world, request(1) IERR); call did(40, 'Irecv')
        call MPI_Ssend(a, 3, int, right, 2, world IERR); call did(12, 'Ssend')
        call MPI_Waitall(1, request, MPI_STATUSES_IGNORE IERR); call did(0, 'Waitall')
        ! There is more room than comes, with a status and without one.
        call MPI_Isend(a, 7, int, right, 3, world, request(1) IERR); call did(28, 'Isend')
        call MPI_Recv(b, 100, int, left, 3, world, MPI_STATUS_IGNORE IERR); call did(28, 'Recv')
        call one_waits()
        call MPI_Issend(a, 0, int, right, 4, world, request(1) IERR); call did(0, 'Issend')
        call MPI_Recv(b, 100, int, left, 4, world, status IERR); call did(0, 'Recv')
        call MPI_Waitany(1, request, at, status IERR); call did(0, 'Waitany')
        call MPI_Buffer_attach(attached, size(attached) IERR)
        call MPI_Bsend(a, 8, MPI_CHARACTER, right, 5, world IERR); call did(8, 'Bsend')
        call MPI_Ibsend(a, 2, double, right, 6, world, request(1) IERR); call did(16, 'Ibsend')
        call one_waits()
        call MPI_Recv(b, 8, MPI_CHARACTER, left, 5, world, status IERR); call did(8, 'Recv')
        call MPI_Recv(b, 2, double, left, 6, world, status IERR); call did(16, 'Recv')
        call MPI_Buffer_detach(old, detached IERR); call did(0, 'Buffer_detach')
        call MPI_Sendrecv(a, 100, int, right, 7, b, 4096, int, left, 7, world, MPI_STATUS_IGNORE IERR)
        call did(400, 'Sendrecv')
        call MPI_Sendrecv_replace(a, 5, int, right, 8, left, 8, world, status IERR); call did(20, 'Sendrecv_replace')
        ! Nobody.
        call MPI_Send(a, 10, int, MPI_PROC_NULL, 1, world IERR); call did(0, 'Send')
        call MPI_Recv(b, 10, int, MPI_PROC_NULL, 1, world, status IERR); call did(0, 'Recv')
        call MPI_Sendrecv(a, 100, int, MPI_PROC_NULL, 7, b, 4096, int, MPI_PROC_NULL, 7, world, MPI_STATUS_IGNORE IERR)
        call did(0, 'Sendrecv')
        ! A type with holes: 2 x 3 x 2 doubles of 4 x 3 x 2.
        call MPI_Type_vector(3, 2, 4, double, grid IERR)
        call MPI_Type_commit(grid IERR)
        call MPI_Isend(a, 2, grid, right, 9, world, request(1) IERR); call did(96, 'Isend')
        call MPI_Recv(b, 2, grid, left, 9, world, MPI_STATUS_IGNORE IERR); call did(96, 'Recv')
        call one_waits()
        call MPI_Type_free(grid IERR)
        ! Looked for first.
        call MPI_Isend(a, 1, int, right, 10, world, request(1) IERR); call did(4, 'Isend')
        call MPI_Probe(left, 10, world, status IERR); call did(0, 'Probe')
        call MPI_Iprobe(left, 10, world, flag, status IERR); call did(0, 'Iprobe')
        call MPI_Mprobe(left, 10, world, message, status IERR); call did(0, 'Mprobe')
        call MPI_Mrecv(b, 5, int, message, MPI_STATUS_IGNORE IERR); call did(4, 'Mrecv')
        call one_waits()
        call MPI_Isend(a, 2, int, right, 11, world, request(1) IERR); call did(8, 'Isend')
        call MPI_Probe(left, 11, world, status IERR); call did(0, 'Probe')
        call MPI_Improbe(left, 11, world, flag, message, status IERR); call did(0, 'Improbe')
        call MPI_Imrecv(b, 5, int, message, request(2) IERR); call did(20, 'Imrecv')
        call MPI_Waitsome(2, request, at, sizes, statuses IERR); call did(0, 'Waitsome')
        call MPI_Waitall(2, request, statuses IERR); call did(0, 'Waitall')
        ! Again and again.
        call MPI_Send_init(a, 5, double, right, 12, world, request(1) IERR); call did(0, 'Send_init')
        call MPI_Recv_init(b, 6, double, left, 12, world, request(2) IERR); call did(0, 'Recv_init')
        do i = 1, 3
            call MPI_Startall(2, request IERR); call did(88, 'Startall')
            call MPI_Waitall(2, request, MPI_STATUSES_IGNORE IERR); call did(0, 'Waitall')
        end do
        call MPI_Start(request(2) IERR); call did(48, 'Start')
        call MPI_Start(request(1) IERR); call did(40, 'Start')
        flag = .false.
        do while (.not. flag)
            call MPI_Testall(2, request, flag, statuses IERR); call did(0, 'Testall')
        end do
        call MPI_Request_free(request(1) IERR); call did(0, 'Request_free')
        call MPI_Request_free(request(2) IERR); call did(0, 'Request_free')
        call MPI_Irecv(b, 1, int, left, 13, world, request(1) IERR); call did(4, 'Irecv')
        call MPI_Barrier(world IERR); call did(0, 'Barrier')
        call MPI_Rsend(a, 1, int, right, 13, world IERR); call did(4, 'Rsend')
        flag = .false.
        do while (.not. flag)
            call MPI_Test(request(1), flag, status IERR); call did(0, 'Test')
        end do
    end subroutine

    subroutine fill_counts(grow)
        logical, intent(in) :: grow
        do i = 1, n
            counts(i) = merge(i, 2, grow)
            places(i) = merge(i * (i - 1) / 2, 2 * (i - 1), grow)
            sizes(i) = 4 * places(i)
            types(i) = int
        end do
    end subroutine

    subroutine collectives()
        call MPI_Bcast(a, 3, int, last, world IERR); call did(merge(12, 0, me == last), 'Bcast')
        call MPI_Gather(a, 2, int, b, 2, int, 0, world IERR); call did(8, 'Gather')
        if (me == 0) then
            call MPI_Gather(MPI_IN_PLACE, 2, int, b, 2, int, 0, world IERR)
        else
            call MPI_Gather(a, 2, int, b, 2, int, 0, world IERR)
        end if
        call did(8, 'Gather')
        call fill_counts(.true.)
        call MPI_Gatherv(a, me + 1, int, b, counts, places, int, 0, world IERR); call did(4 * (me + 1), 'Gatherv')
        if (me == 0) then
            call MPI_Gatherv(MPI_IN_PLACE, me + 1, int, b, counts, places, int, 0, world IERR)
        else
            call MPI_Gatherv(a, me + 1, int, b, counts, places, int, 0, world IERR)
        end if
        call did(4 * (me + 1), 'Gatherv')
        call MPI_Scatter(a, 5, int, b, 5, int, 0, world IERR); call did(merge(20 * n, 0, me == 0), 'Scatter')
        call MPI_Scatterv(a, counts, places, int, b, me + 1, int, 0, world IERR)
        call did(merge(4 * total, 0, me == 0), 'Scatterv')
        call MPI_Allgather(a, 6, int, b, 6, int, world IERR); call did(24, 'Allgather')
        call MPI_Allgather(MPI_IN_PLACE, 0, int, b, 6, int, world IERR); call did(24, 'Allgather')
        call MPI_Allgatherv(a, me + 1, int, b, counts, places, int, world IERR); call did(4 * (me + 1), 'Allgatherv')
        call MPI_Allgatherv(MPI_IN_PLACE, 0, int, b, counts, places, int, world IERR)
        call did(4 * (me + 1), 'Allgatherv')
        call MPI_Alltoall(a, 3, int, b, 3, int, world IERR); call did(12 * n, 'Alltoall')
        call MPI_Alltoall(MPI_IN_PLACE, 0, int, b, 3, int, world IERR); call did(12 * n, 'Alltoall')
        call fill_counts(.false.)
        call MPI_Alltoallv(a, counts, places, int, b, counts, places, int, world IERR); call did(8 * n, 'Alltoallv')
        call MPI_Alltoallw(a, counts, sizes, types, b, counts, sizes, types, world IERR); call did(8 * n, 'Alltoallw')
        call MPI_Reduce(a, b, 4, double, MPI_SUM, 0, world IERR); call did(32, 'Reduce')
        call MPI_Allreduce(a, b, 4, double, MPI_SUM, world IERR); call did(32, 'Allreduce')
        call MPI_Allreduce(MPI_IN_PLACE, b, 4, double, MPI_SUM, world IERR); call did(32, 'Allreduce')
        call MPI_Reduce_scatter(a, b, counts, int, MPI_SUM, world IERR); call did(8 * n, 'Reduce_scatter')
        call MPI_Reduce_scatter_block(a, b, 3, int, MPI_SUM, world IERR); call did(12 * n, 'Reduce_scatter_block')
        call MPI_Scan(a, b, 1, int, MPI_SUM, world IERR); call did(4, 'Scan')
        call MPI_Exscan(a, b, 1, int, MPI_SUM, world IERR); call did(4, 'Exscan')
    end subroutine

    ! The same without blocking.
    subroutine collectives_begun()
        call MPI_Ibarrier(world, request(1) IERR); call began(0, 'Ibarrier')
        call MPI_Ibcast(a, 3, int, last, world, request(1) IERR); call began(merge(12, 0, me == last), 'Ibcast')
        call MPI_Igather(a, 2, int, b, 2, int, 0, world, request(1) IERR); call began(8, 'Igather')
        call fill_counts(.true.)
        call MPI_Igatherv(a, me + 1, int, b, counts, places, int, 0, world, request(1) IERR)
        call began(4 * (me + 1), 'Igatherv')
        call MPI_Iscatter(a, 5, int, b, 5, int, 0, world, request(1) IERR); call began(merge(20 * n, 0, me == 0), 'Iscatter')
        call MPI_Iscatterv(a, counts, places, int, b, me + 1, int, 0, world, request(1) IERR)
        call began(merge(4 * total, 0, me == 0), 'Iscatterv')
        call MPI_Iallgather(a, 6, int, b, 6, int, world, request(1) IERR); call began(24, 'Iallgather')
        call MPI_Iallgatherv(MPI_IN_PLACE, 0, int, b, counts, places, int, world, request(1) IERR)
        call began(4 * (me + 1), 'Iallgatherv')
        call MPI_Ialltoall(a, 3, int, b, 3, int, world, request(1) IERR); call began(12 * n, 'Ialltoall')
        call fill_counts(.false.)
        call MPI_Ialltoallv(a, counts, places, int, b, counts, places, int, world, request(1) IERR)
        call began(8 * n, 'Ialltoallv')
        call MPI_Ialltoallw(a, counts, sizes, types, b, counts, sizes, types, world, request(1) IERR)
        call began(8 * n, 'Ialltoallw')
        call MPI_Ireduce(a, b, 4, double, MPI_SUM, 0, world, request(1) IERR); call began(32, 'Ireduce')
        call MPI_Iallreduce(a, b, 4, double, MPI_SUM, world, request(1) IERR); call began(32, 'Iallreduce')
        call MPI_Ireduce_scatter(a, b, counts, int, MPI_SUM, world, request(1) IERR); call began(8 * n, 'Ireduce_scatter')
        call MPI_Ireduce_scatter_block(a, b, 3, int, MPI_SUM, world, request(1) IERR)
        call began(12 * n, 'Ireduce_scatter_block')
        call MPI_Iscan(a, b, 1, int, MPI_SUM, world, request(1) IERR); call began(4, 'Iscan')
        call MPI_Iexscan(a, b, 1, int, MPI_SUM, world, request(1) IERR); call began(4, 'Iexscan')
    end subroutine

    subroutine began(bytes, name)
        integer, intent(in) :: bytes
        character(len=*), intent(in) :: name
        call did(bytes, name)
        call one_waits()
    end subroutine

    ! On a ring of ranks, with a left and a right neighbour.
    subroutine neighbours()
        COMM_T :: ring, graph
        integer(kind=MPI_ADDRESS_KIND) :: far(2)
        integer :: ends(1), in(1), out(1)
        logical :: around(1)
        ends = n; around = .true.; in = left; out = right; far = (/0, 64/)
        call MPI_Cart_create(world, 1, ends, around, .false., ring IERR); call did(0, 'Cart_create')
        counts(1:2) = 3
        places(1:2) = (/0, 3/)
        types(1:2) = int
        call MPI_Neighbor_allgather(a, 2, int, b, 2, int, ring IERR); call did(8, 'Neighbor_allgather')
        call MPI_Neighbor_allgatherv(a, 3, int, b, counts, places, int, ring IERR); call did(12, 'Neighbor_allgatherv')
        call MPI_Neighbor_alltoall(a, 2, int, b, 2, int, ring IERR); call did(16, 'Neighbor_alltoall')
        call MPI_Neighbor_alltoallv(a, counts, places, int, b, counts, places, int, ring IERR)
        call did(24, 'Neighbor_alltoallv')
#if HOW != 3 || !defined MPI_IS_mpich /* whose mpi_f08 takes distributed graphs only */
        call MPI_Neighbor_alltoallw(a, counts, far, types, b, counts, far, types, ring IERR)
        call did(24, 'Neighbor_alltoallw')
#endif
        call MPI_Ineighbor_alltoall(a, 2, int, b, 2, int, ring, request(1) IERR); call began(16, 'Ineighbor_alltoall')
        call MPI_Comm_free(ring IERR); call did(0, 'Comm_free')
        ! Data goes to the right only.
        call MPI_Dist_graph_create_adjacent(world, 1, in, MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
                                            graph IERR)
        call did(0, 'Dist_graph_create_adjacent')
        call MPI_Neighbor_alltoall(a, 2, int, b, 2, int, graph IERR); call did(8, 'Neighbor_alltoall')
        call MPI_Comm_free(graph IERR); call did(0, 'Comm_free')
    end subroutine

    ! The even and the odd ranks, which have different numbers of them where n is odd.
    subroutine two_groups()
        integer :: odd, evens, rest, root
        COMM_T :: group, both, all
        odd = mod(me, 2)
        evens = (n + 1) / 2
        rest = merge(evens, n / 2, odd == 1)
        root = merge(0, merge(MPI_ROOT, MPI_PROC_NULL, me == 0), odd == 1)
        call MPI_Comm_split(world, odd, me, group IERR); call did(0, 'Comm_split')
        call MPI_Intercomm_create(group, 0, world, merge(0, 1, odd == 1), 14, both IERR); call did(0, 'Intercomm_create')
        call MPI_Bcast(a, 3, int, root, both IERR); call did(merge(12, 0, me == 0), 'Bcast')
        call MPI_Scatter(a, 5, int, b, 5, int, root, both IERR); call did(merge(20 * rest, 0, me == 0), 'Scatter')
        call MPI_Gather(a, 2, int, b, 2, int, root, both IERR); call did(merge(8, 0, odd == 1), 'Gather')
        call MPI_Allgather(a, 6, int, b, 6, int, both IERR); call did(24, 'Allgather')
        call MPI_Alltoall(a, 3, int, b, 3, int, both IERR); call did(12 * rest, 'Alltoall')
        call fill_counts(.false.)
        call MPI_Alltoallv(a, counts, places, int, b, counts, places, int, both IERR); call did(8 * rest, 'Alltoallv')
        call MPI_Barrier(both IERR); call did(0, 'Barrier')
        call MPI_Intercomm_merge(both, odd == 1, all IERR); call did(0, 'Intercomm_merge')
        call MPI_Comm_free(all IERR); call did(0, 'Comm_free')
        call MPI_Comm_free(both IERR); call did(0, 'Comm_free')
        call MPI_Comm_free(group IERR); call did(0, 'Comm_free')
    end subroutine

    subroutine one_sided()
        BASE_T :: base
        integer(kind=MPI_ADDRESS_KIND) :: bytes, at(6)
        WIN_T :: win
        bytes = 4096
        at = (/0, 16, 32, 40, 50, 51/)
        call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, world, base, win IERR); call did(0, 'Win_allocate')
        call MPI_Win_fence(0, win IERR); call did(0, 'Win_fence')
        call MPI_Put(a, 3, int, right, at(1), 3, int, win IERR); call did(12, 'Put')
        call MPI_Put(a, 3, int, MPI_PROC_NULL, at(1), 3, int, win IERR); call did(0, 'Put')
        call MPI_Get(b, 2, int, right, at(2), 2, int, win IERR); call did(8, 'Get')
        call MPI_Accumulate(a, 1, int, left, at(3), 1, int, MPI_SUM, win IERR); call did(4, 'Accumulate')
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win IERR); call did(0, 'Win_fence')
        call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win IERR); call did(0, 'Win_lock')
        call MPI_Get_accumulate(a, 0, int, b, 2, int, right, at(4), 2, int, MPI_NO_OP, win IERR)
        call did(8, 'Get_accumulate')
        call MPI_Fetch_and_op(a, b, int, right, at(5), MPI_SUM, win IERR); call did(4, 'Fetch_and_op')
        call MPI_Compare_and_swap(a, b, b(2:), int, right, at(6), win IERR); call did(4, 'Compare_and_swap')
        call MPI_Win_flush(right, win IERR); call did(0, 'Win_flush')
        at(1) = 60
        call MPI_Rput(a, 5, int, right, at(1), 5, int, win, request(1) IERR); call began(20, 'Rput')
        call MPI_Win_unlock(right, win IERR); call did(0, 'Win_unlock')
        call MPI_Win_free(win IERR); call did(0, 'Win_free')
    end subroutine

    subroutine files()
        integer(kind=MPI_OFFSET_KIND) :: at
        FILE_T :: file
        at = 0
        call MPI_File_open(world, trim(dir)//'/file', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file IERR)
        call did(0, 'File_open')
        call MPI_File_set_view(file, at, int, int, 'native', MPI_INFO_NULL IERR); call did(0, 'File_set_view')
        at = 10 * me
        call MPI_File_write_at_all(file, at, a, 10, int, MPI_STATUS_IGNORE IERR); call did(40, 'File_write_at_all')
        call MPI_File_read_at(file, at, b, 2, int, MPI_STATUS_IGNORE IERR); call did(8, 'File_read_at')
        call MPI_File_iwrite_at(file, at, a, 1, int, request(1) IERR); call began(4, 'File_iwrite_at')
        call MPI_File_sync(file IERR); call did(0, 'File_sync')
        call MPI_File_close(file IERR); call did(0, 'File_close')
        if (me == 0) call MPI_File_delete(trim(dir)//'/file', MPI_INFO_NULL IERR)
    end subroutine

    ! Calls that fail, and those that a program does not want to be recorded.
    subroutine others()
        COMM_T :: twin
        call MPI_Comm_dup(world, twin IERR); call did(0, 'Comm_dup')
        call MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN IERR)
        call MPI_Send(a, 1, int, n + 5, 1, twin IERR); call did(0, 'Send')
        call MPI_Comm_free(twin IERR); call did(0, 'Comm_free')
        call MPI_Pcontrol(0)
        call MPI_Barrier(world IERR)
        call MPI_Pcontrol(1)
        call MPI_Barrier(world IERR); call did(0, 'Barrier')
    end subroutine
end program
