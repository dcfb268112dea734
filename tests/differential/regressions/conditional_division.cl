// Shrunk from a random kernel (seed 1001166). Only some work-items divide uniform values, in a region that
// runs them one by one: LLVM's loop vectorizer left the division out where the first of several work-items
// doesn't do it, and all loaded from a poisoned address.

//: conditional_division in=16 out=16 local=4
kernel void conditional_division(global const uint *in, global uint *out, global uint *sums, local uint *tile)
{
    int i = item(), n = items();
    uint l = (uint)local_item(), ln = (uint)local_items(), m = 4u * (uint)n, u = in[i];
    tile[l] = u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((u & 64) == 0 && (u & 2) == 0)
        atomic_max(&tile[in[12345u % m] % ln], 4294967295u);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * i] = tile[(u & 0xff) % ln];
}
