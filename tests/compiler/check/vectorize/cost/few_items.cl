// RUN: WEFT_CPU=haswell --report=vectorize -k halo
// RUN: --check-prefix=MANY WEFT_CPU=haswell --report=vectorize -k much
// What only the first few work-items of a row do, such as loading the edges of a tile, counts little.

// CHECK: region 0: vectorized
// CHECK: costs about as much as {{[0-2]\.[0-9]}} work-items
kernel void halo(global float *out, global const float *in, local float *tile, int stride)
{
    int l = get_local_id(0), i = get_global_id(0);
    tile[l + 2] = in[i] * 3;
    if (l < 2)
        tile[l] = in[i * stride] + in[i * stride + 77] + in[i * stride + 177];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}

// MANY: region 0: {{not vectorized|vectorized, 8 lanes}}
// MANY: {{[3-9]|1[0-9]}}.{{[0-9]}} work-items
kernel void much(global float *out, global const float *in, local float *tile, int stride)
{
    int l = get_local_id(0), i = get_global_id(0);
    tile[l + 2] = in[i] * 3;
    if (l < 32)
        tile[l] = in[i * stride] + in[i * stride + 77] + in[i * stride + 177];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l] + tile[l + 1] + tile[l + 2];
}
