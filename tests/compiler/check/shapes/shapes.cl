// RUN: --emit=shapes -k data
// RUN: --check-prefix=FLOW --emit=shapes -k flow
// RUN: --check-prefix=MEMORY --emit=shapes -k memory
// RUN: --check-prefix=REGIONS --emit=shapes -k regions
// RUN: --check-prefix=ROUNDED --emit=shapes -k rounded
// What is known of values over the lanes: uniform, strided or varying; where lanes diverge and where they
// meet again.

// CHECK: shapes of data, region 0, for {{[0-9]+}} lanes
// CHECK: block 0: full
// CHECK: strided(1) {{.*}} @weft.global_id32.0()
// CHECK: uniform {{.*}} load float
// CHECK: strided(1) {{.*}} sext i32
// CHECK: strided(4) {{.*}} getelementptr
// CHECK: varying {{.*}} load float
// CHECK: strided(8) {{.*}} getelementptr
// An unsigned sum may wrap, which seldom happens between two lanes.
// CHECK: strided(1)? {{.*}} add i32 {{.*}}%n
// CHECK: wrap-guarded(1) {{.*}} zext i32
// CHECK: wrap-guarded(4) {{.*}} getelementptr
kernel void data(global float *a, global float *b, uint n, global double *d)
{
    int i = get_global_id(0);
    a[i] += b[n];
    d[i + 7] = 1.0;
    uint u = get_global_id(0);
    b[u + n] = 2.0f;
}

// A loop that lanes leave in different iterations; a uniform loop inside a divergent branch.
// FLOW: block 0: full divergent ->
// FLOW: divergent loop to {{[0-9]+}} divergent ->
// FLOW: uniform {{.*}} phi i32
// FLOW: varying {{.*}}lcssa = phi i32
// FLOW: uniform loop to
// FLOW: uniform {{.*}} phi i32
// FLOW: block {{[0-9]+}}: full
// FLOW: ret void
kernel void flow(global int *p, int n)
{
    int x = p[get_global_id(0)], k = 0, sum = 0;
    if (x > 5) {
        while (k * k < x)
            k++;
        p[get_global_id(0)] = k;
        for (int j = 0; j < n; j++)
            sum += p[j];
        p[get_global_id(0) + 1] = sum;
    }
}

// Each lane's elements lie beside the other lanes', as long as all that is done with them is loads and
// stores.
// MEMORY: private interleaved, 4 bytes from lane to lane
kernel void memory(global int *p, int n)
{
    int a[16];
    for (int k = 0; k < 16; k++)
        a[k] = p[k * n];
    p[get_global_id(0)] = a[p[get_global_id(0)] & 15];
}

// Each region on its own.
// REGIONS: shapes of regions, region 0, for
// REGIONS: strided(1) {{.*}}@weft.global_id.0
// REGIONS: ret { i32 } { i32 1 }
// REGIONS: shapes of regions, region 1, for
// REGIONS: varying {{.*}} xor
kernel void regions(local int *l, global int *p)
{
    l[get_local_id(0)] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = l[get_local_id(0) ^ 1];
}

// A multiple of 4 that is rounded down to one keeps its stride; of 2, it doesn't.
// ROUNDED: strided(4)? {{.*}} and i32 {{.*}}, -4
// ROUNDED: varying {{.*}} and i32 {{.*}}, -4
kernel void rounded(global int *p, int n)
{
    int i = get_global_id(0);
    p[i] = (4 * i + n) & ~3;
    p[i + 1] = (2 * i + n) & ~3;
}
