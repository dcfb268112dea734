// RUN: --check-prefix=SCAN WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --report=vectorize -k scan
// RUN: --check-prefix=SCAN-CODE WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --emit=vectorize -k scan
// RUN: --check-prefix=BROADCAST WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --report=vectorize -k broadcast
// RUN: --check-prefix=SHUFFLE WEFT_CPU=haswell,skylake-avx512 -cl-std=CL3.0 --report=vectorize -k shuffle
// What the report says of calls of sub-group functions, which OpenCL C 1.2 (report.cl) mostly hasn't.

// Sub-group functions are for all lanes at once. None of these kernels does anything lane by lane.
// SCAN-NOT: lane by lane
// SCAN: region 0: vectorized
// SCAN-NOT: lane by lane
// SCAN: calls of a sub-group function, all lanes at once: 1
// SCAN-NOT: lane by lane
// SCAN: line [[#@LINE + 7]]: call: of a sub-group function, all lanes at once
// SCAN-NOT: lane by lane
// SCAN-CODE: define {{.*}} @weft.region.0.vector(
// SCAN-CODE: shufflevector <[[N:(8|16)]] x i32>
kernel void scan(global const int *p, global int *r)
{
    int i = get_global_id(0);
    r[i] = sub_group_scan_inclusive_add(p[i]);
}

// BROADCAST: calls of a sub-group function, all lanes at once: 1
// BROADCAST-NOT: lane by lane
// BROADCAST: line [[#@LINE + 5]]: call: of a sub-group function, all lanes at once
// BROADCAST-NOT: lane by lane
kernel void broadcast(global const int *p, global int *r)
{
    int i = get_global_id(0);
    r[i] = sub_group_broadcast(p[i], 1);
}

// SHUFFLE: calls of a sub-group function, all lanes at once: 1
// SHUFFLE-NOT: lane by lane
// SHUFFLE: line [[#@LINE + 5]]: call: of a sub-group function, all lanes at once
// SHUFFLE-NOT: lane by lane
kernel void shuffle(global const int *p, global int *r)
{
    int i = get_global_id(0);
    r[i] = sub_group_shuffle(p[i], p[i + 1]);
}
