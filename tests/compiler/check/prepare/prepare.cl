// RUN: --check-prefix=DIVIDES --emit=prepare -k divides
// RUN: --check-prefix=ONCE WEFT_CPU=haswell --emit=prepare -k fuses
// RUN: --check-prefix=TWICE WEFT_CPU=nehalem --emit=prepare -k fuses
// RUN: --check-prefix=PRINTS --emit=prepare -k prints
// RUN: --check-prefix=LOCALS --emit=prepare -k locals
// RUN: --check-prefix=TAKES --emit=prepare -k takes
// RUN: --check-prefix=STEPS --emit=prepare -k steps
// The kernel before it is cut into regions: one function for this machine, which reaches the runtime through
// primitives (lib/compiler/ir).

// No division traps: by 0, or of the least number by -1, it is one by 1. Where that can't be nothing is
// asked.
// DIVIDES: [[ZERO:%[0-9]+]] = icmp eq i32 %d, 0
// DIVIDES: icmp eq i32 %d, -1
// DIVIDES: select i1 {{.*}}, i32 1, i32 %d
// DIVIDES: sdiv i32
// DIVIDES: srem i32
// DIVIDES-NOT: select
// DIVIDES: sdiv i32 {{.*}}, 7
kernel void divides(global int *p, int d)
{
    p[0] = p[1] / d;
    p[2] = p[3] % d;
    p[4] = p[5] / 7;
}

// Rounded once where the processor can, twice where it can't; fma is always rounded once.
// ONCE-COUNT-3: call {{.*}}float @llvm.fma.f32(
// ONCE-NOT: fmul
// TWICE: fmul float
// TWICE: fadd float
// TWICE: fmul float
// TWICE: fadd float
// TWICE: call {{.*}}float @llvm.fma.f32(
kernel void fuses(global float *p)
{
    p[0] = p[1] * p[2] + p[3];
    p[4] = mad(p[5], p[6], p[7]);
    p[8] = fma(p[9], p[10], p[11]);
}

// printf stores a record of its arguments and hands that over.
// PRINTS: [[RECORD:%.*]] = alloca [32 x i8], align 32
// PRINTS: store i64 {{[0-9]+}}, ptr [[RECORD]]
// PRINTS: store ptr @.str.1
// PRINTS: call i32 @weft.printf(ptr {{.*}}@.str, ptr {{.*}}[[RECORD]], i32 32)
kernel void prints(global int *p)
{
    printf("%d of %s\n", p[0], "many");
}

// Local memory is the group's block, or an argument's; that it is no global memory stays known.
// LOCALS-NOT: addrspace
// LOCALS: define {{.*}}@locals(ptr {{.*}}"weft-kind"="value" "weft-offset"="0" %p, ptr {{.*}}"weft-kind"="local" "weft-offset"="8" %given)
// LOCALS: [[BLOCK:%[0-9]+]] = call ptr @weft.local_memory()
// LOCALS: load i32, ptr %p, align 4, !alias.scope [[GLOBAL:![0-9]+]], !noalias
// LOCALS: getelementptr {{.*}}ptr [[BLOCK]]
// LOCALS: store i32 {{.*}}!alias.scope [[LOCAL:![0-9]+]], !noalias
// LOCALS: store i32 {{.*}}ptr %given, align 4, !alias.scope [[LOCAL]]
// LOCALS: !weft.local_bytes = !{[[BYTES:![0-9]+]]}
// LOCALS: [[BYTES]] = !{i64 16}
kernel void locals(global int *p, local int *given)
{
    local int own[4];
    own[get_local_id(0) & 3] = p[0];
    given[0] = own[1];
    p[1] = given[2];
}

// One function is left, and arguments have places in the block that the runtime hands over.
// TAKES-NOT: define {{.*}}@twice
// TAKES: define {{.*}}@takes(i32 {{.*}}"weft-offset"="0" %n, <4 x float> {{.*}}"weft-offset"="16" %v, ptr {{.*}}"weft-offset"="32" %p)
// TAKES: shl nsw i32
// TAKES-NOT: call
// TAKES: ret void
int twice(int x)
{
    return 2 * x;
}
kernel void takes(int n, float4 v, global int *p)
{
    p[n] = twice((int)v.y);
}

// A sum of values from many branches is formed step by step, not in the last block from values that live
// until then.
// STEPS: @steps
// STEPS: fmul float
// STEPS: switch i32
// STEPS: fmul float
// STEPS: switch i32
#define STEP(k)                   \
    switch (how >> k & 3) {       \
    case 0:                       \
        x = in[i + 5 + k];        \
        break;                    \
    case 1:                       \
        x = in[i * 2 + k];        \
        break;                    \
    case 2:                       \
        x = in[i * 3 + k];        \
        break;                    \
    default:                      \
        x = in[i * 4 + k];        \
    }                             \
    v = (v + x) * 0.9f;
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7) STEP(k + 8) STEP(k + 9)
kernel void steps(global float *out, global const float *in, int how)
{
    size_t i = get_global_id(0);
    float x, v = 0;
    STEPS(0) STEPS(10) STEPS(20) STEPS(30) STEPS(40) STEPS(50)
    out[i] = v;
}
