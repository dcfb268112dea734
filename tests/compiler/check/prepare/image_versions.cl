// RUN: --check-prefix=MANY WEFT_CPU=skylake-avx512 --report=vectorize -k many_reads
// RUN: --check-prefix=PREPARE --emit=prepare -k box
// RUN: --check-prefix=REPORT --report=vectorize -k box
// RUN: --check-prefix=SIZE --emit=prepare -k size_only
// RUN: --check-prefix=ANY WEFT_VF=8 --emit=vectorize -k any_sampler
// RUN: --check-prefix=TWO WEFT_VF=8 --emit=vectorize -k any_sampler_twice
// RUN: --check-prefix=APART WEFT_VF=8 --emit=llvm -k any_sampler_twice
// A kernel has a second body for images that all have the most common format. Reads are plain loads there,
// its loops are unrolled, and what it clamps is speculated to lie inside.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// PREPARE: define {{.*}}@box(ptr {{.*}}dereferenceable({{.*}}"weft-image"
// PREPARE: [[A:%.*]] = load i32
// PREPARE: icmp eq i32 [[A]], 1
// PREPARE: br i1
// REPORT: region 0: vectorized
// REPORT: line {{[0-9]+}}: speculated to be strided, which each vector iteration checks first
// REPORT: load of 4 bytes: consecutive
kernel void box(write_only image2d_t out, read_only image2d_t in)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(in, s, p + (int2)(x, y));
    write_imagef(out, p, sum * (1.0f / 9));
}

// SIZE: define {{.*}}@size_only
// SIZE-NOT: icmp
// SIZE: ret void
kernel void size_only(read_only image2d_t in, global int *out)
{
    out[get_global_id(0)] = get_image_width(in);
}

// Most vector iterations need little code for RGBA8, but the function for the others is large, so it isn't
// interleaved.
// MANY: vectorized, 16 lanes
// MANY: no iterations of 32 lanes: the slow path is large
#define READ(k) v = v * 0.9f + read_imagef(im, (int2)(x + k, y));
kernel void many_reads(read_only image2d_t im, global float4 *out, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = 0;
    READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7) READ(8) READ(9) READ(10) READ(11)
    out[y * w + x] = v;
}

// A sampler that isn't known: lanes have one read of RGBA8 inlined. Scalar code beside them calls the
// function for any format, in both bodies.
// ANY: define {{.*}}@weft.region.0(
// ANY-COUNT-2: call {{.*}}.flat(
// ANY: define {{.*}}@weft.region.0.vector(
// ANY-COUNT-1: call {{.*}}@weft.called
// ANY-NOT: call {{.*}}@weft.called
// ANY-NOT: weft.access.known
kernel void any_sampler(read_only image2d_t im, sampler_t t, global float4 *out, float y)
{
    out[get_global_id(0)] = read_imagef(im, t, (float2)(get_global_id(0) * 0.1f, y));
}

// Several such reads are calls in both bodies. What is called is set apart while the kernel is
// optimised.

// TWO: define {{.*}}@weft.region.0(
// TWO-COUNT-4: call {{.*}}.flat(
// TWO: define {{.*}}@weft.region.0.vector(
// TWO-COUNT-4: call {{.*}}@weft.called
// TWO-NOT: weft.access.known
// APART: @weft.called
// APART-NOT: optnone
// APART-NOT: noinline
kernel void any_sampler_twice(read_only image2d_t im, sampler_t t, global float4 *out, float y)
{
    float x = get_global_id(0) * 0.1f;
    out[get_global_id(0)] = read_imagef(im, t, (float2)(x, y)) * read_imagef(im, t, (float2)(x + 2, y));
}
