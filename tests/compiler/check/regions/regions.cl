// RUN: --check-prefix=LIVES --emit=regions -k lives
// RUN: --check-prefix=LOOPS --emit=regions -k loops
// RUN: --check-prefix=ARRAY --emit=regions -k array
// RUN: --check-prefix=ADDRESS --emit=regions -k address
// RUN: --check-prefix=OWN --emit=wiloops -k many
// RUN: --check-prefix=ONE --emit=wiloops -k some
// RUN: --check-prefix=SPAN --emit=wiloops -k plain
// RUN: --check-prefix=FLAT WEFT_VF=8 --emit=llvm -k plain
// RUN: --check-prefix=CODE WEFT_VF=8 WEFT_CPU=haswell --emit=asm -k plain
// Regions between barriers (--emit=regions), the loops around them (--emit=wiloops), and what LLVM makes of
// these.

// A value that lives across a barrier has a spill row. Ids are recomputed, and values that aren't used after
// the barrier have none.
// LIVES: define internal { i32 } @weft.region.0(
// LIVES: [[MINE:%[0-9]+]] = load i32
// LIVES: [[ITEM:%[0-9]+]] = call i64 @weft.item()
// LIVES: [[ROW:%[0-9]+]] = getelementptr inbounds i32, ptr {{.*}}, i64 [[ITEM]]
// LIVES: store i32 [[MINE]], ptr [[ROW]]
// LIVES-NOT: store
// LIVES: ret { i32 } { i32 1 }
// LIVES: define internal { i32 } @weft.region.1(
// LIVES: call ptr @weft.state()
// LIVES: load i32
// LIVES: call i64 @weft.global_id.0()
// LIVES: ret { i32 } zeroinitializer
kernel void lives(global int *p, local int *l)
{
    size_t i = get_global_id(0);
    int mine = p[i], dead = p[i + 1];
    l[get_local_id(0)] = mine * dead;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i] = l[get_local_id(0) ^ 1] * mine;
}

// The counter of a loop around a barrier is uniform: it passes from region to region as one value, without
// memory.
// LOOPS: define internal { i32, i32 } @weft.region.0(
// LOOPS-NOT: @weft.state
// LOOPS: define internal { i32, i32 } @weft.region.1({{.*}}, i32 [[K:%[0-9]+]])
// LOOPS: add nuw nsw i32 [[K]], 1
// LOOPS: insertvalue { i32, i32 } { i32 1, i32 poison }
// LOOPS: insertvalue { i32, i32 } { i32 0, i32 poison }
// LOOPS: "weft-next"="1,0"
kernel void loops(global int *p, local int *l, int n)
{
    for (int k = 0; k < n; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        l[get_local_id(0)] += l[k];
    }
    p[get_global_id(0)] = l[get_local_id(0)];
}

// An array that lives across one has a row too; one that is used up before stays where it was.
// ARRAY: define {{.*}}@weft.region.0(
// ARRAY: call ptr @weft.state()
// ARRAY: alloca [8 x i32]
// ARRAY-NOT: alloca
// ARRAY: define {{.*}}@weft.region.1(
// ARRAY-NOT: alloca
// ARRAY: call ptr @weft.state()
// ARRAY: ret { i32 } zeroinitializer
kernel void array(global int *p, local int *l)
{
    int live[8], dead[8];
    for (int k = 0; k < 8; k++) {
        live[k] = p[k];
        dead[k] = p[k + 8];
    }
    l[get_local_id(0)] = dead[p[1] & 7];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[2] = live[p[0] & 7] + l[get_local_id(0) ^ 1];
}

// Nothing of this array lives across a barrier, so it is the region's own. The address in it that LLVM makes
// before the loop is made anew there, of the index, which has the row.
// ADDRESS: define internal { i32, i32 } @weft.region.0(
// ADDRESS-NOT: alloca
// ADDRESS: define {{.*}}@weft.region.1(
// ADDRESS: [[GONE:%[0-9]+]] = alloca [8 x i32]
// ADDRESS: [[AT:%[0-9]+]] = load i64
// ADDRESS: getelementptr inbounds {{\[8 x i32\]|nuw i32}}, ptr [[GONE]], {{(i64 0, )?}}i64 [[AT]]
// ADDRESS: define {{.*}}@weft.region.2(
kernel void address(global int *p, local int *l, int n)
{
    size_t i = get_local_id(0);
    int x = p[i], at = x * 5 >> (x & 15) & 7;
    for (int k = 0; k < n; k++) {
        l[i] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        int dead[8];
        for (int j = 0; j < 8; j++)
            dead[j] = l[j] + x;
        x ^= dead[at];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    p[i] = x;
}

// The loops of more regions than 128 are functions of their own. Fewer small ones are in one function.
// OWN: define internal void @many.run(
// OWN: call void @many.run.region(
// OWN: define internal void @many.run.region(
#define NEXT(k)                             \
    l[get_local_id(0)] = l[n] * 3 + (k);    \
    barrier(CLK_LOCAL_MEM_FENCE);
#define SOME(k) NEXT(k) NEXT(k + 1) NEXT(k + 2) NEXT(k + 3)
#define MANY(k) SOME(k) SOME(k + 4) SOME(k + 8) SOME(k + 12) SOME(k + 16) SOME(k + 20) SOME(k + 24) SOME(k + 28)
kernel void many(local int *l, int n)
{
    MANY(0) MANY(32) MANY(64) MANY(96) MANY(128)
}
// ONE: define internal void @some.run(
// ONE-NOT: @some.run.region
kernel void some(local int *l, int n)
{
    MANY(0) SOME(32)
}

// Groups that nobody can tell apart are one row.
// SPAN: define internal void @plain.run(ptr noalias %0, ptr noalias {{.*}}%1, ptr noalias %2, i64 %3, i64 %4)
// SPAN: group:
// SPAN: sub i64 %4, %group
// SPAN: {{^}}z:
// SPAN: {{^}}y:
// SPAN: lanes:
// SPAN: tail:
// FLAT-NOT: @weft.
// FLAT-NOT: define internal {{.*}}region
// FLAT: load <8 x i32>
// FLAT: add nsw <8 x i32>
// FLAT: store <8 x i32>
// CODE: plain.run:
// CODE: vpaddd {{.*}}ymm
// CODE-NOT: call
kernel void plain(global int *p)
{
    p[get_global_id(0)] += 3;
}
