// RUN: WEFT_CPU=haswell --report=vectorize -k byte
// RUN: --check-prefix=WORD WEFT_CPU=haswell --emit=vectorize -k byte
// RUN: --check-prefix=CODE WEFT_CPU=haswell --emit=asm -k byte
// RUN: --check-prefix=WIDE WEFT_CPU=skylake-avx512 --report=vectorize -k byte
// RUN: --check-prefix=ZEN WEFT_CPU=znver3 WEFT_VF=8 --report=vectorize -k byte
// RUN: --check-prefix=OLD WEFT_CPU=nehalem WEFT_VF=4 --report=vectorize -k byte
// RUN: --check-prefix=THREE WEFT_CPU=haswell WEFT_VF=8 --emit=vectorize -k three
// RUN: --check-prefix=OWN WEFT_CPU=haswell WEFT_VF=8 --report=vectorize -k own
// Bytes that lie anywhere are taken out of gathered aligned words, where an instruction gathers words
// (vectorize/emit/aligned_words.c). Processors that lack it, or on which it is slower than single loads, load
// byte by byte.

// CHECK: load of 1 byte: gathered in aligned words{{$}}
// WIDE: load of 1 byte: gathered in aligned words{{$}}
// ZEN: load of 1 byte: gathered{{$}}
// OLD: load of 1 byte: gathered{{$}}

// The word before the byte is found from the index, in 32 bits. An index whose word's index doesn't fit 32
// bits begins its word later.
// WORD: define internal void @weft.region.0.vector(
// WORD: ptrtoint ptr %{{[0-9]+}} to i32
// WORD: [[INTO:%[0-9]+]] = and <8 x i32> {{.*}}, {{<|splat \(}}i32 3
// WORD: [[LESS:%[0-9]+]] = call <8 x i32> @llvm.umin.v8i32(<8 x i32> [[INTO]],
// WORD: [[AT:%[0-9]+]] = sub <8 x i32> {{.*}}, [[LESS]]
// WORD: call <8 x i32> @llvm.masked.gather.v8i32.v8p0(
// WORD: lshr <8 x i32>
// WORD: trunc <8 x i32> {{.*}} to <8 x i8>
// CODE: vpgatherdd
// CODE-NOT: vpinsrb
kernel void byte(global int *out, global const uchar *in, global const int *index, int n)
{
    int i = get_global_id(0), x = index[i] * n;
    x = x * x * n + i * 5;
    x = (x ^ n) * 77 + (x & 255);
    out[i] = in[x] * x + n * 3;
}

// Three bytes may go on in the next word. It is gathered only for lanes where they do.
// THREE: define internal void @weft.region.0.vector(
// THREE: icmp ugt <8 x i32> {{.*}}, {{<|splat \(}}i32 4092
// THREE: call <8 x i32> @llvm.masked.gather.v8i32.v8p0({{.*}}{{<|splat \(}}i1 true
// THREE: [[MORE:%[0-9]+]] = icmp ugt <8 x i32> {{.*}}, {{<|splat \(}}i32 1
// THREE: call <8 x i32> @llvm.masked.gather.v8i32.v8p0({{.*}}<8 x i1> [[MORE]]
// THREE: call <8 x i32> @llvm.masked.gather.v8i32.v8p0({{.*}}{{<|splat \(}}i1 true
// THREE-NOT: masked.gather.v8i32
// THREE: ret void
kernel void three(global int *out, global const uchar *in, global const int *index)
{
    int i = get_global_id(0);
    uchar3 p = vload3(0, in + index[i]);
    out[i] = p.x * 3 + p.y * 5 + p.z * 7;
}

// The compiler may look through private memory, so nothing outside of an array is read.
// OWN: load of 1 byte: gathered{{$}}
kernel void own(global int *out, global const int *in)
{
    int i = get_global_id(0);
    uchar bytes[24];
    for (int k = 0; k < 6; k++)
        *(int *)(bytes + 4 * k) = in[i + k];
    out[i] = bytes[in[i] % 24u];
}
