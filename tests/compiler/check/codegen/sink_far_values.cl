// RUN: WEFT_CPU=haswell --emit=llvm -k sum
// RUN: --check-prefix=LOOPS WEFT_CPU=znver3 --emit=llvm -k loops
// RUN: --check-prefix=FEW WEFT_CPU=haswell --emit=llvm -k few_loops
// RUN: --check-prefix=TWICE WEFT_CPU=haswell -cl-std=CL3.0 --emit=llvm -k conditions
// RUN: --check-prefix=FIELDS WEFT_CPU=haswell --emit=llvm -k fields
// In large functions, values that are computed far before their only use move to it.
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define ALL(F)                                                                                                \
    TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9) TEN(F, 10)      \
    TEN(F, 11) TEN(F, 12) TEN(F, 13) TEN(F, 14) TEN(F, 15) TEN(F, 16) TEN(F, 17) TEN(F, 18) TEN(F, 19)        \
    TEN(F, 20) TEN(F, 21) TEN(F, 22) TEN(F, 23) TEN(F, 24) TEN(F, 25) TEN(F, 26) TEN(F, 27) TEN(F, 28)        \
    TEN(F, 29) TEN(F, 30) TEN(F, 31) TEN(F, 32) TEN(F, 33) TEN(F, 34) TEN(F, 35) TEN(F, 36) TEN(F, 37)

// CHECK: define internal void @sum.run
// CHECK: xor {{.*}}i32 21
// CHECK-NEXT: mul
// CHECK-NEXT: add
// CHECK-NEXT: xor {{.*}}i32 22
// CHECK-NEXT: mul
// CHECK-NEXT: add
#define PRODUCT(k) const int p##k = (x ^ k) * (2 * k + 3);
#define ADD(k) sum += p##k;
kernel void sum(global int *out)
{
    const int x = out[get_global_id(0)];
    int sum = 0;
    ALL(PRODUCT)
    ALL(ADD)
    out[get_global_id(0)] = sum;
}

// LOOPS: define internal void @loops.run
// LOOPS: and i32 %{{.*}}, 102
// LOOPS-NEXT: br label
#define LOOP(k)                                                                                               \
    for (int j = 0; j < (n & k); j++)                                                                         \
        x += in[(j + x * k) & 0xffff];
kernel void loops(global int *out, global const int *in, int n)
{
    int x = out[get_global_id(0)];
    ALL(LOOP)
    out[get_global_id(0)] = x;
}

// Few values stay outside of the loops over work-items.
// FEW: define internal void @few_loops.run
// FEW: and i32 %{{.*}}, 11
// FEW-NEXT: icmp
// FEW-NEXT: and i32 %{{.*}}, 12
// FEW: {{^}}x:
kernel void few_loops(global int *out, global const int *in, int n)
{
    int x = out[get_global_id(0)];
    TEN(LOOP, 1)
    out[get_global_id(0)] = x;
}

// The loop with lanes and the code for what is left over ask for the same conditions.
// TWICE: define internal void @conditions.run
// TWICE: icmp sgt i32 [[BOUND:%.*]], 102
// TWICE-NEXT: br i1
// TWICE: icmp sgt i32 [[BOUND]], 102
// TWICE-NEXT: br i1
#define CONDITION(k) \
    if (n > k)       \
        x ^= sub_group_reduce_max(x + k);
kernel void conditions(global int *out, int n)
{
    int x = out[get_global_id(0)];
    ALL(CONDITION)
    out[get_global_id(0)] = x;
}

// What a structure has that is an argument is read where it is used.
// FIELDS: define internal void @fields.run
// FIELDS: load i32
// FIELDS: xor <8 x i32>
// FIELDS: load i32
// FIELDS-NOT: load i32
// FIELDS: xor <8 x i32>
// FIELDS: load i32
// FIELDS-NOT: load i32
// FIELDS: xor <8 x i32>
// FIELDS: load i32
// FIELDS-NOT: load i32
// FIELDS: xor <8 x i32>
#define FIELD(k) int f##k;
#define USE(k) x = (x ^ s.f##k) * (2 * k + 3);
struct fields {
    ALL(FIELD)
};
kernel void fields(global int *out, struct fields s)
{
    int x = out[get_global_id(0)];
    ALL(USE)
    out[get_global_id(0)] = x;
}
