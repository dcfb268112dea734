// RUN: --check-prefix=REPORT WEFT_CPU=skylake-avx512 --report=vectorize -k masked
// RUN: --check-prefix=LOADS WEFT_CPU=skylake-avx512 --emit=vectorize -k masked
// RUN: --check-prefix=HOISTED WEFT_CPU=skylake-avx512 --emit=llvm -k in_loop
// RUN: --check-prefix=STORES WEFT_CPU=skylake-avx512 --emit=vectorize -k stores
// RUN: --check-prefix=FAR WEFT_CPU=skylake-avx512 --report=vectorize -k far
// RUN: --check-prefix=NARROW WEFT_CPU=haswell --report=vectorize -k masked
// Elements within two registers' worth of memory, in an order that depends on the lane alone. They are loaded
// whole and permuted.

// REPORT: load of 4 bytes: in a window of 2 registers, permuted
// LOADS: define internal void @weft.region.0.vector(
// LOADS: @llvm.vector.reduce.or.v16i32
// LOADS: @llvm.masked.load.v16i32
// LOADS: @llvm.masked.load.v16i32
// LOADS: @llvm.x86.avx512.vpermi2var.d.512
// LOADS: @llvm.masked.gather.v16i32
// NARROW: load of 4 bytes: gathered
kernel void masked(global float *out, global const float *in, int m)
{
    int l = get_global_id(0);
    out[l] = in[2 * l - (l & m)] * in[2 * l - (l & m) + m];
}

// Which element is whose doesn't depend on the step: it's found before the loop over steps.
// HOISTED: @llvm.vector.reduce.or.v16i32
// HOISTED: = phi
// HOISTED: @llvm.masked.load.v16i32
kernel void in_loop(global uint *out, global const uint *in, int m)
{
    local uint tile[512];
    int l = get_local_id(0);
    tile[l] = in[l];
    tile[l + 256] = in[l + 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = tile[2 * l - (l & m)] + tile[l ^ m];
}

// STORES: @llvm.x86.avx512.mask.expand.v16i32
// STORES: @llvm.masked.store.v16i32
// STORES: @llvm.masked.store.v16i32
// STORES: @llvm.masked.scatter.v16i32
kernel void stores(global uint *out, global const uint *in, int m)
{
    int l = get_global_id(0);
    uint v = in[l];
    if (v > 5)
        out[2 * l - (l & m)] = v;
}

// 4 * l - (l & m): the last lane's may be 60 from the first one's.
// FAR: load of 4 bytes: gathered
kernel void far(global float *out, global const float *in, int m)
{
    int l = get_global_id(0);
    out[l] = sin(in[4 * l - (l & m)]) * in[l];
}
