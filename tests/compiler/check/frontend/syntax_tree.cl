// RUN: -cl-std=CL1.2 --emit=ast
// RUN: --check-prefix=BAD ! --emit=ast -DBAD
// The syntax tree as Clang prints it. A built-in function is declared when it is called; no header is read.
// CHECK-NOT: FunctionDecl {{.*}} get_global_size
// CHECK: FunctionDecl {{.*}} line:[[#@LINE+6]]:13 k 'void (__global int *__private){{.*}}'
// CHECK: ParmVarDecl {{.*}} used p '__global int *__private'
// CHECK: CompoundAssignOperator {{.*}} 'int' '+='
// CHECK: DeclRefExpr {{.*}} 'get_global_id' '{{unsigned long|__size_t}} (unsigned int)'
// CHECK: {{OpenCL|Device}}KernelAttr
// BAD: error: use of undeclared identifier 'unknown'
kernel void k(global int *p)
{
    p[get_global_id(0)] += 3;
#ifdef BAD
    unknown = 1;
#endif
}
