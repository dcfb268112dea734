// RUN: WEFT_CPU=haswell --emit=asm -k rotate_image
// RUN: --check-prefix=LLVM WEFT_CPU=haswell --emit=llvm -k rotate_image
// RUN: --check-prefix=MASKS WEFT_CPU=skylake-avx512 --emit=llvm -k rotate_image
// Without mask registers a mask that goes to another block is a vector of words, which a gather takes as it
// is. It isn't packed for the way.

// CHECK: vgatherdps
// CHECK-NOT: vpmovzxbd
// CHECK-NOT: vpmovzxwd
// CHECK: ret
// LLVM: icmp slt <{{8|16}} x i32>
// MASKS-NOT: sext <16 x i1>
kernel void rotate_image(global const float *in, global float *out, int w, int h, float c, float s)
{
    int x = get_global_id(0), y = get_global_id(1);
    int ix = (int)(c * x - s * y), iy = (int)(s * x + c * y);
    out[y * w + x] = ix >= 0 && ix < w && iy >= 0 && iy < h ? in[iy * w + ix] : 0;
}
