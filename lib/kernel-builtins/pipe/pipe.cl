// Pipes (OpenCL C 3.0 §6.15.14), in the layout of include/weft/pipe.h. These are the functions that Clang
// calls for read_pipe and the like. In their arguments pipes are pointers, and reservations are numbers.
#include "../builtin.h"
#include "../../../include/weft/pipe.h"

// The size and alignment of a packet; the pipe has them too.
#pragma clang diagnostic ignored "-Wunused-parameter"

typedef global struct weft_pipe *pipe_pointer;

// The number of packets and the position of the first one. 0: invalid.
typedef ulong reservation;

static inline global atomic_uint *sequence(pipe_pointer p, uint position)
{
    return (global atomic_uint *)(p + 1) + (position & p->mask);
}

static inline global uchar *packet(pipe_pointer p, uint position)
{
    return (global uchar *)p + p->packets_begin + (size_t)(position & p->mask) * p->packet_size;
}

static inline bool is_at(pipe_pointer p, uint position, uint number)
{
    return atomic_load_explicit(sequence(p, position), memory_order_acquire, memory_scope_all_svm_devices) == number;
}

static inline void set(pipe_pointer p, uint position, uint number)
{
    atomic_store_explicit(sequence(p, position), number, memory_order_release, memory_scope_all_svm_devices);
}

// May a packet be written at this position? Only if the packet max_packets positions earlier has been read,
// and the one in the same slot too.
static inline bool is_free(pipe_pointer p, uint position)
{
    uint behind = position - p->max_packets;
    return is_at(p, behind, behind + p->mask + 1);
}

static inline reservation reserve(pipe_pointer p, global atomic_uint *end, uint count, bool to_write)
{
    if (count == 0 || count > p->max_packets)
        return 0;
    for (;;) {
        uint first = atomic_load_explicit(end, memory_order_relaxed, memory_scope_all_svm_devices), ready = 0;
        while (ready < count &&
               (to_write ? is_free(p, first + ready) : is_at(p, first + ready, first + ready + 1)))
            ready++;
        // A packet that isn't ready may have been taken by another work-item in the meantime. Then the end
        // has moved.
        if (ready < count) {
            if (atomic_load_explicit(end, memory_order_relaxed, memory_scope_all_svm_devices) == first)
                return 0;
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(end, &first, first + count, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_all_svm_devices))
            return (ulong)count << 32 | first;
    }
}

static inline void commit(pipe_pointer p, reservation r, uint by)
{
    for (uint i = 0; i < (uint)(r >> 32); i++)
        set(p, (uint)r + i, (uint)r + i + by);
}

static inline void copy(uchar *to, const uchar *from, uint size, uint align)
{
    if (align % 8 == 0)
        for (uint i = 0; i < size; i += 8)
            *(ulong *)(to + i) = *(const ulong *)(from + i);
    else if (align % 4 == 0)
        for (uint i = 0; i < size; i += 4)
            *(uint *)(to + i) = *(const uint *)(from + i);
    else
        for (uint i = 0; i < size; i++)
            to[i] = from[i];
}

reservation __reserve_read_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return reserve(p, &p->head, count, false);
}

reservation __reserve_write_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return reserve(p, &p->tail, count, true);
}

void __commit_read_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    commit(p, r, p->mask + 1);
}

void __commit_write_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    commit(p, r, 1);
}

int __read_pipe_4(pipe_pointer p, reservation r, uint index, uchar *to, uint size, uint align)
{
    if (index >= (uint)(r >> 32))
        return -1;
    copy(to, packet(p, (uint)r + index), size, align);
    return 0;
}

int __write_pipe_4(pipe_pointer p, reservation r, uint index, const uchar *from, uint size, uint align)
{
    if (index >= (uint)(r >> 32))
        return -1;
    copy(packet(p, (uint)r + index), from, size, align);
    return 0;
}

int __read_pipe_2(pipe_pointer p, uchar *to, uint size, uint align)
{
    reservation r = reserve(p, &p->head, 1, false);
    if (!r)
        return -1;
    copy(to, packet(p, (uint)r), size, align);
    commit(p, r, p->mask + 1);
    return 0;
}

int __write_pipe_2(pipe_pointer p, const uchar *from, uint size, uint align)
{
    reservation r = reserve(p, &p->tail, 1, true);
    if (!r)
        return -1;
    copy(packet(p, (uint)r), from, size, align);
    commit(p, r, 1);
    return 0;
}

// ---- work_group_* and sub_group_* ----

static inline reservation of_group(reservation r)
{
    return work_group_broadcast(r, 0, 0, 0);
}

static inline bool is_first(void)
{
    return get_local_linear_id() == 0;
}

reservation __work_group_reserve_read_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return of_group(is_first() ? reserve(p, &p->head, count, false) : 0);
}

reservation __work_group_reserve_write_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return of_group(is_first() ? reserve(p, &p->tail, count, true) : 0);
}

// All work-items have finished with their packets.
void __work_group_commit_read_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (is_first())
        commit(p, r, p->mask + 1);
}

void __work_group_commit_write_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (is_first())
        commit(p, r, 1);
}

reservation __sub_group_reserve_read_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return sub_group_broadcast(get_sub_group_local_id() == 0 ? reserve(p, &p->head, count, false) : 0, 0);
}

reservation __sub_group_reserve_write_pipe(pipe_pointer p, uint count, uint size, uint align)
{
    return sub_group_broadcast(get_sub_group_local_id() == 0 ? reserve(p, &p->tail, count, true) : 0, 0);
}

void __sub_group_commit_read_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0)
        commit(p, r, p->mask + 1);
}

void __sub_group_commit_write_pipe(pipe_pointer p, reservation r, uint size, uint align)
{
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_local_id() == 0)
        commit(p, r, 1);
}

// ---- queries ----

bool is_valid(reservation r) __asm__("_Z19is_valid_reserve_id13ocl_reserveid");
bool is_valid(reservation r)
{
    return r != 0;
}

// A value that no reservation has; a macro of the prelude uses it.
reservation __weft_null_reserve_id(void)
{
    return 0;
}

static inline uint count_packets(pipe_pointer p)
{
    uint head = atomic_load_explicit(&p->head, memory_order_relaxed, memory_scope_all_svm_devices);
    uint tail = atomic_load_explicit(&p->tail, memory_order_relaxed, memory_scope_all_svm_devices);
    // They were read one after the other: more packets may have been read than were written at first.
    uint count = tail - head;
    return (int)count < 0 ? 0 : min(count, p->max_packets);
}

uint __get_pipe_num_packets_ro(pipe_pointer p, uint size, uint align)
{
    return count_packets(p);
}

uint __get_pipe_num_packets_wo(pipe_pointer p, uint size, uint align)
{
    return count_packets(p);
}

uint __get_pipe_max_packets_ro(pipe_pointer p, uint size, uint align)
{
    return p->max_packets;
}

uint __get_pipe_max_packets_wo(pipe_pointer p, uint size, uint align)
{
    return p->max_packets;
}
