// RUN: -cl-std=CL3.0 --emit=prepare -k known
// RUN: --check-prefix=ASKED -cl-std=CL3.0 --emit=prepare -k asked
// RUN: --check-prefix=FRAME -cl-std=CL3.0 --emit=wiloops -k asked
// RUN: --check-prefix=NONE -cl-std=CL3.0 --emit=wiloops -k known
// Once everything is inlined, it is mostly known where a generic pointer came from. Then there is no check at
// run time, and each access has its address space's properties.

uint get(atomic_uint *p)
{
    return atomic_fetch_add_explicit(p, 1u, memory_order_relaxed, memory_scope_work_group);
}

// CHECK-LABEL: @known(
// CHECK: atomicrmw add ptr {{.*}} syncscope("singlethread") monotonic
// CHECK-NOT: weft.local_end
// CHECK-NOT: ptrtoint
// CHECK: store i32 7
// CHECK: ret void
// NONE-NOT: llvm.frameaddress
// NONE-NOT: llvm.stacksave
kernel void known(global uint *out, local atomic_uint *l)
{
    uint v = get(l);
    out[1] = v;
    uint mine = v;
    const void *p = &mine, *q = l, *r = out;
    out[0] = (to_private(p) == p && !to_global(p) && !to_local(p)) +
             2 * (to_local(q) == q && !to_global(q) && !to_private(q)) +
             4 * (to_global(r) == r && !to_local(r) && !to_private(r));
}

// ASKED-LABEL: @asked(
// ASKED-DAG: @weft.local_memory()
// ASKED-DAG: @weft.local_end()
// ASKED-DAG: @weft.frame()
// ASKED: atomicrmw {{.*}} monotonic
// FRAME: call ptr @llvm.frameaddress
kernel void asked(global uint *out, local atomic_uint *l)
{
    atomic_uint *p = out[0] ? (atomic_uint *)l : (atomic_uint *)out;
    out[1] = to_global(p) == (global atomic_uint *)out;
    out[2] = get(p);
}
