// OPTIONS -cl-std=CL2.0 Components of vectors in memory: other work-items may access the others.
kernel void field_ok(global int4 *p, global int *out)
{
    int i = get_global_id(0);
    p[i].x = i + 5;
    out[i] = p[(i + 1) & 63].y;
}
kernel void field(global int4 *p, global int *out)
{
    int i = get_global_id(0);
    p[i].x = i + 5;
    out[i] = p[(i + 1) & 63].x; // FAULT race 11
}
kernel void pairs_ok(global int4 *p)
{
    int i = get_global_id(0);
    if (i & 1) p[i / 2].xy = (int2)(i, 100); else p[i / 2].zw = (int2)(200, i);
}
kernel void pairs(global int4 *p)
{
    int i = get_global_id(0);
    if (i & 1) p[i / 2].xy = (int2)(i + 77, 100);
    else p[i / 2].yw = (int2)(200, i); // FAULT race 22
}
kernel void components_of_one_ok(global float4 *p)
{
    int i = get_global_id(0);
    ((global float *)p)[i] = p[i / 4 + 16].w;
}
kernel void swizzle_ok(global float4 *p, global float2 *out)
{
    int i = get_global_id(0);
    p[i].s13 = (float2)(i, 7);
    out[i] = p[63 - i].s02;
}
kernel void swizzle(global float4 *p, global float2 *out)
{
    int i = get_global_id(0);
    p[i].s13 = (float2)(i, 7);
    out[i] = p[63 - i].s03; // FAULT race 39
}
kernel void increments_ok(global int4 *p)
{
    int i = get_global_id(0);
    switch (i & 3) {
    case 0: p[i / 4].x += 1; break;
    case 1: p[i / 4].y += 2; break;
    case 2: p[i / 4].z += 3; break;
    default: p[i / 4].w += 4;
    }
}
kernel void increments(global int4 *p)
{
    int i = get_global_id(0);
    switch (i & 3) {
    case 0: p[i / 4].x += 1; break;
    case 1: p[i / 4].y += 2; break;
    case 2: p[i / 4].x += 3; break; // FAULT race 56
    default: p[i / 4].w += 4;
    }
}
kernel void local_components_ok(global int *out, local int4 *t)
{
    int l = get_local_id(0);
    t[l] = (int4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l].x = l + 1;
    out[get_global_id(0)] = t[15 - l].z;
}
kernel void local_components(global int *out, local int4 *t)
{
    int l = get_local_id(0);
    t[l] = (int4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l].z = l + 1;
    out[get_global_id(0)] = t[15 - l].z; // FAULT race 75
}
kernel void by_index(global int4 *p, global int *out, int zero)
{
    int i = get_global_id(0);
    p[i].y = i + 5;
    int4 v = p[(i + 1) & 63]; // FAULT race 81
    out[i] = v.y;
}
