// RUN: ! --emit=bc
// An asm label gives a function any name. Names that the compiler's stages or LLVM know functions by are an
// error.

// CHECK: error: the name 'weft.region.0' is reserved for the compiler
int region(int x) __asm__("weft.region.0");
int region(int x)
{
    return x * 3;
}

// CHECK: error: the name 'llvm.memcpy.p1.p1.i64' is reserved for the compiler
int copy(global int *p) __asm__("llvm.memcpy.p1.p1.i64");

// CHECK-NOT: fine
int other(int x) __asm__("fine.name");

kernel void k(global int *p)
{
    p[0] = region(p[1]) + copy(p);
}
