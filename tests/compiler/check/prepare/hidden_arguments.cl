// RUN: --emit=prepare -k ids
// RUN: --check-prefix=LOCAL --emit=prepare -k locals
// RUN: --check-prefix=PRINTF --emit=prepare -k prints
// RUN: --check-prefix=CALL --emit=wiloops -k prints
// RUN: --check-prefix=LANES --report=vectorize -k ids
// RUN: --check-prefix=ERROR ! --emit=prepare -k barriers
// RUN: --check-prefix=SMALL --emit=prepare -k small
// Each function calls the one below twice, so inlined, they would be exponentially large. What only the
// kernel knows is handed over to them: ids, the address of a __local variable, and weft_exec for printf.
#define LEVEL(name, below, k)                               \
    int name##k(int x, local int *t)                        \
    {                                                       \
        if (x & k)                                          \
            x ^= k + 2;                                     \
        return below(x + k, t) ^ below(x * 3 + k, t) * 5;   \
    }
#define LEVELS(name)                                                                                          \
    LEVEL(name, name##0, 1) LEVEL(name, name##1, 2) LEVEL(name, name##2, 3) LEVEL(name, name##3, 4)           \
    LEVEL(name, name##4, 5) LEVEL(name, name##5, 6) LEVEL(name, name##6, 7) LEVEL(name, name##7, 8)           \
    LEVEL(name, name##8, 9) LEVEL(name, name##9, 10) LEVEL(name, name##10, 11) LEVEL(name, name##11, 12)      \
    LEVEL(name, name##12, 13) LEVEL(name, name##13, 14) LEVEL(name, name##14, 15) LEVEL(name, name##15, 16)

int id0(int x, local int *t)
{
    return x * 3 + (int)get_global_id(0) * (int)get_local_size(1);
}
LEVELS(id)

// CHECK: define {{.*}} @ids(
// CHECK: call i64 @weft.global_id.0()
// CHECK: call i32 @id{{[0-9]+}}.flat(i32 {{%[^,]+}}, i64 {{%[0-9]+}}, i64 {{%[0-9]+}})
// CHECK: define internal i32 @id{{[0-9]+}}.flat(i32 {{%[0-9]+}}, i64 {{%[0-9]+}}, i64 {{%[0-9]+}})
// CHECK-NOT: call {{.*}} @weft
// LANES: region 0: vectorized
// LANES: of all lanes together
// LANES: functions are not inlined, since the kernel would become too large
kernel void ids(global int *out)
{
    out[get_global_id(0)] = id16((int)get_global_id(0), 0);
}

// SMALL: define {{.*}} @small(
// SMALL-NOT: .flat
kernel void small(global int *out)
{
    out[get_global_id(0)] = id3((int)get_global_id(0), 0);
}

int local0(int x, local int *t)
{
    return x * 3 + t[x & 15];
}
LEVELS(local)
// LOCAL: define {{.*}} @locals(
// LOCAL: @weft.local_memory()
// LOCAL: define internal i32 @local{{[0-9]+}}.flat(i32 {{%[0-9]+}}, ptr {{%[0-9]+}})
kernel void locals(global int *out)
{
    local int tile[16];
    tile[get_local_id(0) & 15] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = local16((int)get_global_id(0), tile);
}

int print0(int x, local int *t)
{
    if (x == 7)
        printf("%d\n", x);
    return x * 3;
}
LEVELS(print)
// PRINTF: define {{.*}} @prints(
// PRINTF: call ptr @weft.exec()
// PRINTF: define internal i32 @print{{[0-9]+}}.flat(i32 {{%[0-9]+}}, ptr [[EXEC:%[0-9]+]])
// PRINTF: call i32 @weft.printf.exec(ptr [[EXEC]],
// CALL-NOT: @weft.printf
// CALL: define internal {{.*}} @print{{[0-9]+}}.flat
kernel void prints(global int *out)
{
    out[get_global_id(0)] = print16((int)get_global_id(0), 0);
}

// Barriers are looked for in the kernel only.
int meet0(int x, local int *t)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    return x * 3;
}
LEVELS(meet)
// ERROR: error: function '{{.*}}' is copied to {{[0-9]+}} places, since it reaches a barrier or needs to be inlined
kernel void barriers(global int *out)
{
    out[get_global_id(0)] = meet16((int)get_global_id(0), 0);
}
