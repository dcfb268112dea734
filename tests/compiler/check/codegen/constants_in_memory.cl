// RUN: WEFT_CPU=skylake-avx512 --emit=asm -k count
// RUN: --check-prefix=DOWN WEFT_CPU=skylake-avx512 --emit=asm -k down
// RUN: --check-prefix=HALF WEFT_CPU=haswell --emit=llvm -k count
// Adding or subtracting 1 in wide vectors reads it from memory. LLVM would make a register of ones in the
// loop, which waits for the value that the register had before.

// CHECK-NOT: vpternlogd $255
// CHECK: vpaddd weft_one32(%rip){1to16}, %zmm
// CHECK-NOT: vpternlogd $255
// HALF-NOT: @weft_one32
kernel void count(global const uint *in, global uint *out, int n)
{
    uint x = in[get_global_id(0)], sum = 0;
    for (int k = 0; k < n; k++) {
        x ^= x << 13;
        sum ^= (x >> 8) + 1;
    }
    out[get_global_id(0)] = sum;
}

// DOWN-NOT: vpternlogd $255
// DOWN: weft_minus_one64(%rip){{.*}}, %zmm
// DOWN-NOT: vpternlogd $255
kernel void down(global const ulong *in, global ulong *out, int n)
{
    ulong x = in[get_global_id(0)], sum = 0;
    for (int k = 0; k < n; k++) {
        x ^= x << 13;
        sum ^= (x >> 8) - 1;
    }
    out[get_global_id(0)] = sum;
}
