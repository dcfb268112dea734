// RUN: WEFT_CPU=haswell --report=vectorize -k gradient
// RUN: --check-prefix=STAYS WEFT_CPU=haswell --report=vectorize -k different_work
// A switch that only chooses between values becomes selects.

// CHECK: branches: 0 uniform, 0 divergent
kernel void gradient(global const int *hash, global const float *a, global const float *b, global float *out)
{
    size_t i = get_global_id(0);
    int h = hash[i] & 15;
    float x = a[i], y = b[i], z = 0.5f;
    float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    out[i] = ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

// STAYS: branches: 0 uniform, {{[1-9]}} divergent
kernel void different_work(global const int *what, global const float *a, global float *out)
{
    size_t i = get_global_id(0);
    float x = a[i];
    switch (what[i]) {
    case 1: x = sin(x); break;
    case 5: x = exp(x); break;
    case 9: x = sqrt(x) * x; break;
    }
    out[i] = x;
}
