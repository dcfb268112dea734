// RUN: --check-prefix=BOX WEFT_CPU=nehalem --report=vectorize -k box
// RUN: --check-prefix=BOX-CODE WEFT_CPU=nehalem --emit=vectorize -k box
// RUN: --check-prefix=CRC WEFT_CPU=haswell --emit=vectorize -k crc
// RUN: --check-prefix=CRC-OLD WEFT_CPU=nehalem --report=vectorize -k crc
// RUN: --check-prefix=LARGE WEFT_CPU=znver4 --emit=vectorize -k large
// RUN: --check-prefix=LARGE-OLD WEFT_CPU=skylake-avx512 --report=vectorize -k large
// RUN: --check-prefix=PART WEFT_CPU=skylake-avx512 --emit=vectorize -k part
// RUN: --check-prefix=EITHER WEFT_CPU=skylake-avx512 --emit=vectorize -k either
// RUN: --check-prefix=BRANCHED WEFT_CPU=skylake-avx512 --emit=llvm -k branched
// A small table of constants is held in registers, where the target can permute elements of their size.

// BOX: load of 1 byte: looked up in a table in registers
// BOX-CODE: define internal void @weft.region.0.vector(
// BOX-CODE-NOT: gather
// BOX-CODE: call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 12, i8 5, i8 6, i8 11, i8 9, i8 0, i8
// 10, i8 13,
constant uchar four_bits[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
kernel void box(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = four_bits[in[i] >> 4];
}

// CRC: call <8 x i32> @llvm.x86.avx2.permd(
// CRC: call <8 x i32> @llvm.x86.avx2.permd(
// CRC: select <8 x i1>
// CRC-OLD-NOT: looked up
constant uint polynomials[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
kernel void crc(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint h = in[i];
    out[i] = h >> 4 ^ polynomials[h & 15];
}

// LARGE: call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(
// LARGE: call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(
// LARGE-OLD-NOT: looked up
constant uchar squares[200] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 7};
kernel void large(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = squares[in[i]];
}

// Which part of a table is meant may be known.
// PART: call <16 x i32> @llvm.x86.avx512.permvar.si.512(<16 x i32> <i32 5, i32 6, i32 7, i32 0, i32 0,
constant uint numbers[1000] = {0, 1, 2, 3, 4, 5, 6, 7};
kernel void part(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = numbers[5 + (in[i] & 15)];
}
// EITHER: call <16 x i32> @llvm.x86.avx512.permvar.si.512(<16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 0,
kernel void either(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    out[i] = numbers[in[i] & 3 | 4];
}

// A look-up is cheap, so it needs no branch around it for the case that no lane is there.
// BRANCHED: @branched.run
// BRANCHED-NOT: icmp eq i16
// BRANCHED: call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(
// BRANCHED-NOT: icmp eq i16
// BRANCHED: call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(
// BRANCHED-NOT: icmp eq i16
kernel void branched(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint x = in[i];
    switch (x & 3) {
    case 0:
        x = four_bits[x >> 3 & 15];
        break;
    case 1:
        x = four_bits[x >> 9 & 15] ^ 7;
    }
    out[i] = x;
}
