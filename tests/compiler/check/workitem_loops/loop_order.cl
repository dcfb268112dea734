// RUN: WEFT_VF=16 --emit=wiloops -k multiply
// RUN: --check-prefix=ROWS WEFT_VF=16 --emit=wiloops -k by_row
// What all rows of a group load alike is loaded once: the loop over rows is the inner one, the loop over
// vectors of a row the outer one.

// CHECK: br i1 {{.*}}, label %interchanged, label %rows
// CHECK: interchanged:
// CHECK: rows:
// CHECK: {{^}}column:
// CHECK: {{^}}y{{[0-9]*}}:
// CHECK: load <16 x float>
// CHECK: {{^}}y{{[0-9]*}}:
// CHECK: x{{[0-9]*}}:
kernel void multiply(global float *c, global const float *a, global const float *b, int n)
{
    local float ta[4][16], tb[4][16];
    int x = get_local_id(0), y = get_local_id(1);
    ta[y][x] = a[y * n + x];
    tb[y][x] = b[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += ta[y][k] * tb[k][x];
    c[y * n + x] = sum;
}

// ROWS-NOT: label %interchanged
kernel void by_row(global float *c, global const float *a, global const float *b, int n)
{
    local float ta[4][16], tb[4][16];
    int x = get_local_id(0), y = get_local_id(1);
    ta[y][x] = a[y * n + x];
    tb[y][x] = b[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += ta[y][k] * tb[k * y & 3][x];
    c[y * n + x] = sum;
}
