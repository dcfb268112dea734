// RUN: --emit=bc
// RUN: --check-prefix=ERROR ! -Werror --emit=bc
// RUN: --check-prefix=SILENT -w --emit=bc
// A barrier that only some work-items of a group can reach is warned of. What may be the same for all of them
// isn't.

// ERROR: barriers.cl:[[#@LINE+21]]:9: error: in a group of 128 work-items, only 16 can reach this barrier
// SILENT-NOT: warning
// SILENT-NOT: all or none
// CHECK-NOT: warning
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define WARP 32

void meet(void)
{
    SYNC();
}

kernel void some(global int *out, int n, int flag)
{
    const int l = get_local_id(0);
    int changed = get_local_id(0);
    changed += n;

    if (l < 16) { // the condition
        out[l] = n;
        // CHECK: barriers.cl:[[#@LINE+1]]:9: warning: in a group of 128 work-items, only 16 can reach this barrier; all or none must
        barrier(CLK_LOCAL_MEM_FENCE);
        // CHECK: barriers.cl:[[#@LINE-4]]:11: note: this condition keeps the others away
    }
    // CHECK: barriers.cl:[[#@LINE+2]]:9: warning: in a group of 128 work-items, only 1 can reach this call of 'meet'
    if (get_global_id(0) == 0 && flag)
        meet();
    if (l % WARP)
        out[l] = 0;
    else
        // CHECK: barriers.cl:[[#@LINE+1]]:9: warning: in a group of 128 work-items, only 4 can reach this barrier
        SYNC();
    if (l > (int)get_local_size(0) / 2 - 1)
        return;
    for (int i = 0; i < n; i++)
        // CHECK: barriers.cl:[[#@LINE+1]]:9: warning: in a group of 128 work-items, only 64 can reach this barrier
        barrier(CLK_GLOBAL_MEM_FENCE);
    // CHECK: barriers.cl:[[#@LINE-5]]:11: note: this condition keeps the others away
}

kernel void two_dimensions(global int *out)
{
    const uint x = get_local_id(0), y = get_local_id(1);
    // CHECK: barriers.cl:[[#@LINE+2]]:9: warning: in a group of 256 work-items, only 16 can reach this barrier
    if (x == 3)
        SYNC();
    if (x < 16 && y < 16) // all of a group of 16 by 16
        SYNC();
    out[0] = 1;
}

kernel __attribute__((reqd_work_group_size(8, 1, 1))) void required(global int *out)
{
    if (get_local_id(0) < 8)
        SYNC();
    // CHECK: barriers.cl:[[#@LINE+2]]:9: warning: in a group of 8 work-items, only 7 can reach this barrier
    if (get_local_id(0) < 7)
        SYNC();
    out[0] = 1;
}

// CHECK-NOT: warning:
kernel void guarded(global int *out, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    SYNC();
    if (get_local_id(0) == n)
        return;
    if (get_global_id(0) < 1000)
        SYNC();
    out[i] = n;
}

kernel void sum(local int *tile, global int *out, int n)
{
    int l = get_local_id(0), changes = l;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (l < half_size)
            tile[l] += tile[l + half_size];
        SYNC();
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
    changes = n;
    if (changes == 0)
        SYNC();
    if (n > 3 && get_num_groups(0) > 1)
        SYNC();
    switch (n) {
    case 0:
        if (l == 0)
            return;
        break;
    case 1:
        SYNC();
    }
    for (int i = l; i < 1024; i += get_local_size(0))
        SYNC();
}

kernel void may_go_elsewhere(global int *out, int n)
{
    if (n)
        goto end;
    if (get_local_id(0) == 0)
        return;
end:
    SYNC();
}
// CHECK: warnings generated
