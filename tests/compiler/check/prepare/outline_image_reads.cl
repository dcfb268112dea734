// RUN: --check-prefix=PREPARE --emit=prepare -k linear
// RUN: --check-prefix=LANES WEFT_VF=8 --emit=vectorize -k linear
// RUN: --check-prefix=REPORT WEFT_VF=8 --report=vectorize -k linear
// RUN: --check-prefix=PLACES WEFT_VF=8 --emit=vectorize -k places
// RUN: --check-prefix=SOME WEFT_VF=8 --emit=vectorize -k some
// RUN: --check-prefix=SAME WEFT_VF=8 --emit=vectorize -k same
// RUN: --check-prefix=LOOP --emit=prepare -k loop
// RUN: --check-prefix=ONE --emit=prepare -k one
// RUN: --check-prefix=FEW --emit=prepare -k few
// RUN: --check-prefix=INLINED WEFT_IMAGE_READS=inline --emit=prepare -k places
// RUN: --check-prefix=TAIL WEFT_VF=8 --emit=vectorize -k eight
// RUN: --check-prefix=SCALAR WEFT_VF=1 --emit=vectorize -k eight
// RUN: --check-prefix=WRITES WEFT_VF=8 --emit=prepare -k writes
// RUN: --check-prefix=WRITTEN WEFT_VF=8 --emit=vectorize -k writes
// RUN: --check-prefix=ZOOM WEFT_VF=8 --emit=vectorize -k zoom
// RUN: --check-prefix=COLOURS WEFT_VF=8 --emit=vectorize -k colours
// RUN: --check-prefix=ROLLED --emit=llvm -k eight
// RUN: --check-prefix=SHARED --emit=prepare -k shared
// RUN: --check-prefix=TWO --emit=prepare -k two
// RUN: --check-prefix=NEAREST --emit=prepare -k nearest
// Image reads are calls of one function, which has a vector version.
constant sampler_t l = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t n = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define TEN(F, k) F(k) F(k + 1) F(k + 2) F(k + 3) F(k + 4) F(k + 5) F(k + 6) F(k + 7) F(k + 8) F(k + 9)
#define FORTY(F) TEN(F, 0) TEN(F, 10) TEN(F, 20) TEN(F, 30)

// What the sampler decides is decided in that function; it takes numbers and gives numbers.
// PREPARE: define {{.*}}@linear(
// PREPARE: call { float, float, float, float } @{{.*}}.flat(ptr {{.*}}, float {{.*}}, float {{.*}})
// PREPARE: define internal { float, float, float, float } @{{.*}}.flat(ptr {{.*}}, float {{.*}}, float {{.*}})
// A uniform value stays one number.
// LANES: define internal { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @weft.called(ptr {{%[0-9]+}}, <8 x float> {{%[0-9]+}}, float {{%[0-9]+}})
// LANES: define {{.*}}@weft.region.0.vector(
// LANES: call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @weft.called{{.*}}(ptr {{.*}}, <8 x float> {{.*}}, float {{.*}})
// REPORT: region 0: vectorized, 8 lanes
// REPORT: calls of all lanes together: 80
// REPORT: call: of all lanes together
kernel void linear(read_only image2d_t im, global float4 *out)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
#define READ(k) v = v * 0.9f + read_imagef(im, l, (float2)(x + k, y));
    FORTY(READ)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;
}

// The first position shows whether the positions are consecutive. If so, texels are loaded together.
// PLACES: define internal { <8 x i32>, <8 x i32>, <8 x i32>, <8 x i32> } @weft.called(ptr {{%[0-9]+}}, i32 {{%[0-9]+}}, i32 {{%[0-9]+}})
// PLACES: = load <8 x i32>, ptr
// INLINED: define {{.*}}@places(
// INLINED-NOT: call {{.*}}read_image
kernel void places(read_only image2d_t im, global uint4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint4 v = 0;
#define PLACE(k) v = v * 3 + read_imageui(im, n, (int2)(x + k, y));
    FORTY(PLACE)
    out[y * get_global_size(0) + x] = v;
}

// Some lanes call: which do is the last argument.
// SOME: define internal {{.*}} @weft.called({{.*}}<8 x i1> {{%[0-9]+}})
// SOME: define {{.*}}@weft.region.0.vector(
// SOME: call {{.*}} @weft.called{{.*}}, <8 x i1> {{.*}})
kernel void some(read_only image2d_t im, global uint4 *out, global int *which)
{
    int x = get_global_id(0);
    uint4 v = 0;
#define ASK(k) if (which[x] > k) v = v * 3 + read_imageui(im, n, (int2)(which[x] + k, 2));
    FORTY(ASK)
    out[x] = v;
}

// A uniform read: one call of the scalar function.
// SAME: define {{.*}}@weft.region.0.vector(
// SAME-NOT: @weft.called
// SAME: call { i32, i32, i32, i32 } @{{.*}}.flat(
// SAME-NOT: @weft.called
kernel void same(read_only image2d_t im, global uint4 *out)
{
    uint4 v = get_global_id(0);
#define HERE(k) v = v * 3 + read_imageui(im, n, (int2)(k, get_global_id(1)));
    FORTY(HERE)
    out[get_global_id(0)] = v;
}

// Iterations of a loop that is to be unrolled count.
// LOOP: define {{.*}}@loop(
// LOOP-COUNT-49: call { float, float, float, float } @{{.*}}.flat(
kernel void loop(read_only image2d_t im, global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 v = 0;
#pragma unroll
    for (int i = -3; i <= 3; i++)
#pragma unroll
        for (int j = -3; j <= 3; j++)
            v = v * 0.9f + read_imagef(im, l, (float2)(x + i, y + j));
    out[y * get_global_size(0) + x] = v;
}

// Of two bodies for one read, only that for any format has the call.
// ONE: define {{.*}}@one(
// ONE-COUNT-1: call {{.*}}.flat(
// ONE-NOT: call {{.*}}.flat(
kernel void one(read_only image2d_t im, global uint4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x] = read_imageui(im, n, (int2)(x, y));
}

// A kernel with barriers has one body, which also reads the most common format. Four reads are inlined.
// FEW: define {{.*}}@few(
// FEW-NOT: call {{.*}}read_image
kernel void few(read_only image2d_t im, global float4 *out, local float4 *t)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
    READ(0) READ(1) READ(2) READ(3)
    t[get_local_id(0)] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[0];
}

// With RGBA8, code with lanes has reads with a filter inlined. Scalar code beside it, for the ends of rows,
// calls them; scalar code alone doesn't. Nobody prices the long loops in order to unroll them.
// TAIL: define {{.*}}@weft.region.0(
// TAIL-COUNT-8: call {{.*}}@weft.access.known(
// TAIL: define {{.*}}@weft.region.0.vector(
// TAIL-NOT: call {{.*}}@weft.access.known(
// SCALAR: define {{.*}}@weft.region.0(
// SCALAR-NOT: call {{.*}}@weft.access.known(
// ROLLED: !"llvm.loop.unroll.disable"
kernel void eight(read_only image2d_t im, global float4 *out)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
    READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;
}

// Writes are calls, too, which take numbers; not for RGBA8.
// WRITES: define {{.*}}@writes(
// WRITES-COUNT-3: call void @{{.*}}write_imagef{{.*}}.flat(ptr {{.*}}, i32 {{.*}}, i32 {{.*}}, float {{.*}}, float {{.*}}, float {{.*}}, float {{.*}})
// WRITES-NOT: call void @{{.*}}.flat(
// WRITES: define internal void @{{.*}}write_imagef{{.*}}.flat(ptr
// WRITTEN: define internal void @weft.called(ptr {{%[0-9]+}}, i32 {{%[0-9]+}}, i32 {{%[0-9]+}}, <8 x float>
// WRITTEN: define {{.*}}@weft.region.0.vector(
// WRITTEN: store <8 x i32>
// WRITTEN: call void @weft.called
kernel void writes(write_only image2d_t im, global const float4 *in)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(im, (int2)(x, y), in[x]);
    write_imagef(im, (int2)(x, y + 1), in[x + 1]);
    write_imagef(im, (int2)(x, y + 2), in[x + 2]);
}

// With few calls, the slow path and the scalar code beside lanes have the body for any format only.
// ZOOM: define {{.*}}@weft.region.0(
// ZOOM: call {{.*}}read_imagef{{.*}}.flat(
// ZOOM-NEXT: extractvalue
// ZOOM: call void @{{.*}}write_imagef{{.*}}.flat(
// ZOOM-NOT: store i32
// ZOOM: define internal {{.*}}read_imagef{{.*}}.flat(
// ZOOM: define {{.*}}@weft.region.0.vector(
// ZOOM: fast_path:
// ZOOM: store <8 x i32>
// ZOOM: slow_path:
// ZOOM-NOT: !weft.likely
// ZOOM: call {{.*}}@weft.called
// ZOOM: call void @weft.called
// ZOOM-NOT: store <8 x i32>
// ZOOM: ret void
kernel void zoom(write_only image2d_t out, read_only image2d_t im)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(out, (int2)(x, y), read_imagef(im, l, (float2)(x * 0.01f, y * 0.01f)));
}

// A colour's clamp to 255 is speculated: such a slow path may run often, and keeps both bodies.
// COLOURS: define {{.*}}@weft.region.0.vector(
// COLOURS: slow_path:
// COLOURS: br i1 {{.*}}!weft.likely
// COLOURS: call void @weft.called
kernel void colours(write_only image2d_t im)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imageui(im, (int2)(x, y), (uint4)(x, y, 0, 255));
}

constant sampler_t b = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t m = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
#define BY(s) v = v * 0.9f + read_imagef(im, s, (float2)(x, y));

// Three samplers share a function for formats other than the most common one. For that each has its own code.
// SHARED: define {{.*}}@shared(
// SHARED-COUNT-3: call {{.*}} @[[FLAT:.*read_imagef.*flat]](ptr {{.*}}, ptr {{.*}}, float
// SHARED-NOT: define
// SHARED: define internal {{.*}}.flat(ptr {{.*}}, ptr {{.*}}, float
// SHARED-NOT: .flat(ptr
kernel void shared(read_only image2d_t im, global float4 *out)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
    BY(l) BY(n) BY(b)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;
}

// Two samplers have a function each, which knows its sampler.
// TWO: define internal {{.*}}.flat(ptr {{[^,]*}}, float
// TWO: define internal {{.*}}.flat(ptr {{[^,]*}}, float
kernel void two(read_only image2d_t im, global float4 *out)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
    BY(l) BY(n) BY(l)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;
}

// What all of its samplers have in common the function knows: it has no filter, so no sums.
// NEAREST: define internal {{.*}}.flat(ptr {{.*}}, ptr {{.*}}, float
// NEAREST-NOT: fadd
// NEAREST-NOT: @llvm.fmuladd
kernel void nearest(read_only image2d_t im, global float4 *out)
{
    float x = get_global_id(0) * 0.01f, y = get_global_id(1) * 0.01f;
    float4 v = 0;
    BY(n) BY(b) BY(m)
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v;
}
