// RUN: --emit=bc
// RUN: --check-prefix=STRICT -cl-strict-aliasing --emit=bc
// RUN: --check-prefix=RELAXED -cl-fast-relaxed-math --emit=bc
// The front end's IR is what the next stages expect (lib/compiler/compiler.h).

// CHECK: target triple = "spir64
// CHECK: define {{.*}}spir_kernel void @k(ptr addrspace(1) {{.*}}%p, ptr addrspace(3) {{.*}}%l) {{.*}}!kernel_arg_name
// CHECK-NOT: optnone
// CHECK: call void @llvm.lifetime.start
// CHECK: call spir_func i64 @_Z13get_global_idj
// CHECK-NOT: !tbaa
// CHECK: call spir_func void @_Z7barrierj
// CHECK: call float @llvm.fmuladd.f32
// CHECK: fdiv float {{.*}}!fpmath

// STRICT: store i64 %{{.*}}!tbaa

// RELAXED: fmul fast float
kernel void k(global float *p, local float *l)
{
    size_t i = get_global_id(0);
    l[i] = p[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i] = p[i] * l[0] + M_PI_F;
    p[i] = l[1] / p[i];
}
