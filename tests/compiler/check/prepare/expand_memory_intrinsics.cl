// RUN: --check-prefix=FILLED WEFT_VF=16 --report=vectorize -k filled
// RUN: --check-prefix=LOOP --emit=prepare -k filled
// RUN: --check-prefix=COPIED WEFT_VF=16 --report=vectorize -k copied
// RUN: --check-prefix=MIXED WEFT_VF=16 --report=vectorize -k mixed
// RUN: --check-prefix=PACKED --emit=prepare -k packed
// RUN: --check-prefix=PADDED --emit=prepare -k padded
// RUN: --check-prefix=SHIFTS WEFT_VF=16 --report=vectorize -k shifts
// Private arrays that are filled or copied as a whole are interleaved too, if their elements are of one size:
// memset and memcpy become loops.

// FILLED: accesses: {{[0-9a-z, -]*}}{{$}}
// FILLED-NOT: a block for each lane
// LOOP-NOT: call void @llvm.mem
// LOOP: memory_loop:
kernel void filled(global const int *in, global int *out)
{
    int i = get_global_id(0), small[4] = {1, 2, 3, 4}, large[100] = {0};
    for (int k = 0; k < 8; k++) {
        small[k & 3] += in[k];
        large[in[k] & 63] += small[k & 3];
    }
    out[i] = small[in[i] & 3] + large[in[0] & 63];
}

struct two {
    float a[4];
    int b[4];
};

// COPIED: accesses: {{[0-9a-z, -]*}}{{$}}
// COPIED-NOT: a block for each lane
kernel void copied(global const struct two *in, global float *out, int n)
{
    int i = get_global_id(0);
    struct two t = in[0];
    for (int k = 0; k < n; k++)
        t.a[k & 3] += t.b[(k + n) & 3];
    out[i] = t.a[n & 3] + i;
}

struct three {
    char a[4];
    int b[4];
};

// MIXED: a block for each lane
kernel void mixed(global const struct three *in, global float *out, int n)
{
    int i = get_global_id(0);
    struct three t = in[0];
    for (int k = 0; k < n; k++)
        t.a[k & 3] += t.b[(k + n) & 3];
    out[i] = t.a[n & 3] + i;
}

// One that may begin anywhere isn't stored as if it began where its elements could.
struct __attribute__((packed)) four {
    int a[8];
};

// PACKED: alloca %struct.four{{.*}} align 1
// PACKED: call void @llvm.memset
kernel void packed(global const int *in, global int *out, int n)
{
    struct four t = {{0}};
    for (int k = 0; k < n; k++)
        t.a[k & 3] += in[k];
    out[0] = t.a[n & 3];
}

// As in modules of SPIR-V that were optimised before: an id's cut to 32 bits and its extension.
// SHIFTS: store of 4 bytes: consecutive
kernel void shifts(global int *out)
{
    long id = get_global_id(0), narrow = (id << 32) >> 32;
    out[narrow] = 1;
}

struct padded {
    int a;
    float4 v; // twelve bytes of padding before it
    int b[8];
};

struct padded add(struct padded x, struct padded y)
{
    x.a += y.b[3];
    x.v *= y.v;
    return x;
}

// The padding is copied in words.
// PADDED: define {{.*}}@padded(
// PADDED-NOT: load i8
// PADDED-NOT: store i8
// PADDED: ret void
kernel void padded(global int *out, int n)
{
    int i = get_global_id(0);
    struct padded s = {.a = n}, t = {.a = i};
    for (int k = 0; k < 8; k++)
        s.b[k] = t.b[k] = out[k];
    for (int k = 0; k < n; k++)
        s = add(s, t);
    out[i] = s.a + s.b[n & 7] + t.b[i & 7] + (int)s.v.x;
}
