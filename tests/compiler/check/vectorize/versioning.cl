// RUN: WEFT_VF=8 --emit=vectorize -k columns
// RUN: --check-prefix=CUT WEFT_VF=16 --emit=vectorize -k cut
// RUN: --check-prefix=UNVERSIONED WEFT_VF=16 --emit=vectorize -k small
// RUN: --check-prefix=SCALAR WEFT_CPU=haswell --emit=vectorize -k exchange
// RUN: --check-prefix=CLAMP WEFT_VF=16 --emit=vectorize -k blur
// RUN: --check-prefix=ROW WEFT_VF=16 --emit=vectorize -k blur
// RUN: --check-prefix=GUARD WEFT_VF=16 --emit=vectorize -k guarded
// RUN: --check-prefix=RING WEFT_VF=16 --emit=vectorize -k ring
// RUN: --check-prefix=LOCAL WEFT_VF=16 --emit=vectorize -k within
// A shape that holds in most vector iterations is speculated. Each iteration checks it at run time: one
// version of the code relies on it, the other works for any shape.

// CHECK: define internal void @weft.region.0.vector
// CHECK: br i1 {{.*}}, label %fast_path, label %slow_path
// CHECK: fast_path:
// CHECK: load <8 x float>
// CHECK: slow_path:
// CHECK: masked.gather.v8f32
kernel void columns(global float *out, global const float *in, int w, int pitch)
{
    int i = get_global_id(0);
    out[i] = in[i / w * pitch + i % w];
}

// CUT: br i1 {{.*}}, label %fast_path, label %slow_path
kernel void cut(global float *out, global const float *in)
{
    int l = get_local_id(0);
    out[get_global_id(0)] = in[l / 16 * 100 + l % 16];
}

// UNVERSIONED-NOT: label %fast_path
kernel void small(global float *out, global const float *in)
{
    int l = get_local_id(0);
    out[get_global_id(0)] = in[l / 8 * 100 + l % 8];
}

// SCALAR: label %fast_path, label %slow_path
// SCALAR: slow_path:
// SCALAR: br label %slow_path_item
kernel void exchange(local uint *key, int distance)
{
    int l = get_local_id(0), i = 2 * l - (l & (distance - 1)), j = i + distance;
    uint a = key[i], b = key[j];
    if (a > b) {
        key[i] = b;
        key[j] = a;
    }
}


// One check for the row comes first, from the row's first work-item and its length.
// ROW: define internal void @weft.region.0.vector
// ROW: call i64 @weft.row_items()
// ROW: call i32 @weft.row_global_id32()
// ROW: br i1 {{.*}}, label %fast_path, label %not_all_of_the_row
// ROW: not_all_of_the_row:
// ROW: br i1 {{.*}}, label %fast_path, label %slow_path
// CLAMP: br i1 {{.*}}, label %fast_path, label %slow_path
// CLAMP: fast_path:
// CLAMP-NOT: masked.gather
// CLAMP: load <16 x float>
// CLAMP: load <16 x float>
// CLAMP: load <16 x float>
// CLAMP: slow_path:
// CLAMP: masked.gather.v16f32
kernel void blur(global float *out, global const float *in, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * w + x] = in[y * w + clamp(x - 1, 0, w - 1)] + in[y * w + x] + in[y * w + min(x + 1, w - 1)];
}

// GUARD: br i1 {{.*}}, label %fast_path, label %slow_path
// GUARD: fast_path:
// GUARD-NOT: masked
// GUARD: store <16 x i8>
// GUARD: slow_path:
// GUARD: masked.store.v16i8
kernel void guarded(global uchar *out, global const uchar *in, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    out[y * w + x] = (uchar)((in[y * w + x - 1] + in[y * w + x + 1]) >> 1);
}

// RING: label %fast_path, label %slow_path
// RING: fast_path:
// RING-NOT: masked.gather
// RING: slow_path:
// RING: masked.gather.v16f32
kernel void ring(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    out[i] = in[i == 0 ? n - 1 : i - 1] + in[i == n - 1 ? 0 : i + 1];
}

// A group may be as narrow as the lanes.
// LOCAL-NOT: label %fast_path
kernel void within(global float *out, global const float *in, int n)
{
    int l = get_local_id(0);
    if (l < n)
        out[get_global_id(0)] = in[get_global_id(0)];
}
