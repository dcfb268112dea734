// RUN: --emit=regions
// Ten conditionals in a row, each with a barrier: eleven regions, which would share their ends (some fifty
// copies of the code after a conditional). Empty regions are added where the paths meet. There are more
// regions then, and no copies.

// CHECK: @weft.region.11
#define MAYBE(bit)                                \
    if (n >> bit & 1) {                           \
        tile[l] = v;                              \
        barrier(CLK_LOCAL_MEM_FENCE);             \
        v += tile[l ^ 1] * bit;                   \
    }                                             \
    v = v * 3.0f + sqrt(v) * v - rsqrt(v + 1.0f); \
    v = v / (1.0f + fabs(v)) + l;
kernel void conditionals(global float *out, local float *tile, int n)
{
    int l = get_local_id(0);
    float v = out[get_global_id(0)];
    MAYBE(1) MAYBE(2) MAYBE(3) MAYBE(4) MAYBE(5) MAYBE(6) MAYBE(7) MAYBE(8) MAYBE(9) MAYBE(10)
    out[get_global_id(0)] = v;
}
