// RUN: --group=128 --report=vectorize -k shared
// RUN: --check-prefix=UNEVEN --group=128 --report=vectorize -k uneven
// RUN: --check-prefix=ANY --report=vectorize -k shared
// RUN: --check-prefix=ROWS --report=vectorize -k rows
// RUN: --check-prefix=COUNT --group=128 --emit=prepare -k shared
// Loops whose iterations the work-items of a group share out. Where the group's size shows that all have the
// same trip count, the loop is uniform.

// CHECK: branches: {{[0-9]+}} uniform, 0 divergent
// ANY: divergent: goes on until the last lane has left
// COUNT: %[[COUNT:[0-9]+]] = phi i32 [ 0, %entry ]
// COUNT: icmp slt i32 %[[COUNT]], 1024
kernel void shared(global int *out, global const int *in)
{
    for (int k = get_local_id(0); k < 1024; k += 128)
        out[k] = in[k] * 3;
}

// With 1,000, not all work-items run the last iteration.
// UNEVEN: divergent: goes on until the last lane has left
kernel void uneven(global int *out, global const int *in)
{
    for (int k = get_local_id(0); k < 1000; k += 128)
        out[k] = in[k] * 3;
}

// ROWS: branches: {{[0-9]+}} uniform, 0 divergent
kernel __attribute__((reqd_work_group_size(16, 4, 1))) void rows(global int *out, global const int *in)
{
    for (size_t k = get_local_id(1) * 16 + get_local_id(0); k < 256; k += 64)
        out[k] = in[k] * 3;
}
