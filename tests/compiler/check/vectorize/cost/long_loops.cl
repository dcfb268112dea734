// RUN: WEFT_CPU=znver3 --report=vectorize -k find_index
// RUN: --check-prefix=SHORT WEFT_CPU=znver3 --report=vectorize -k eight
// RUN: --check-prefix=SHORT WEFT_CPU=znver3 --report=vectorize -k halved
// What surrounds a loop may speak against lanes, but counts little if the loop runs for long. Where the trip
// count is known only to the launch, lanes are taken, and the runtime measures scalar code too.

kernel void find_index(global float *to_x, global float *to_y, global const float *sums, global const float *u,
                       global const float *x, global const float *y, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        int index = n - 1;
        for (int k = 0; k < n; k++) {
            if (sums[k] >= u[i]) {
                index = k;
                break;
            }
        }
        to_x[i] = x[index];
        to_y[i] = y[index];
    }
}
// CHECK: region 0: vectorized, 8 lanes
// CHECK-NEXT: costs about as much as {{[0-9.]+}} work-items in scalar code; if its loops are long, as is assumed, {{[0-4]\.[0-9]$}}
// CHECK: the runtime also measures scalar code

// It counts to a constant.
kernel void eight(global float *to_x, global float *to_y, global const float *sums, global const float *u,
                  global const float *x, global const float *y)
{
    int i = get_global_id(0), index = 19;
    #pragma unroll 1
    for (int k = 0; k < 20; k++) {
        if (sums[k] >= u[i]) {
            index = k;
            break;
        }
    }
    to_x[x[index] > 0.5f ? 3 * index : 7 * i] = y[index];
}
// SHORT: region 0: not vectorized: lanes wouldn't pay

// However large n is, there are few iterations.
kernel void halved(global float *to_x, global float *to_y, global const float *sums, global const float *u,
                   global const float *x, global const float *y, uint n)
{
    int i = get_global_id(0), index = 0;
    for (uint k = n; k > 0; k /= 2) {
        if (sums[k] >= u[i]) {
            index = k;
            break;
        }
    }
    to_x[x[index] > 0.5f ? 3 * index : 7 * i] = y[index] + y[index * index] + y[x[index] > u[index] ? i * i : 0];
}
