// RUN: WEFT_CPU=haswell --emit=asm -k rows
// RUN: --check-prefix=LANES WEFT_CPU=nehalem --emit=asm -k looked_up
// RUN: --check-prefix=WHOLE WEFT_CPU=znver3 --emit=asm -k rows
// An index that isn't negative is extended by the gather itself. Without gathers an index is an operand of
// the load. Where a gather would be a branch for each lane, lanes that don't take part load a zero.

// WHOLE: weft.nothing(%rip)
// WHOLE-NOT: testb ${{1|2|4|8|16|32|64|-128}}, %
// WHOLE: .Lfunc_end
// CHECK-NOT: vgatherqps
// CHECK: vgatherdps
// CHECK-NOT: vgatherqps
kernel void rows(global const float *v, global const int *column, global const float *x, global float *y, int n, int k)
{
    int r = get_global_id(0);
    float s = 0;
    for (int i = 0; i < k; i++) {
        int c = column[i * n + r];
        if (c >= 0)
            s += v[i * n + r] * x[c];
    }
    y[r] = s;
}

// LANES-NOT: psllq
// LANES: pinsrd ${{[0-9]}}, ({{.*}},{{.*}},4)
// LANES-NOT: psllq
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void looked_up(global const int *table, global const int *in,
                                                                      global int *out)
{
    size_t i = get_global_id(0);
    int x = in[i], sum = 0;
    for (int k = 0; k < 4; k++) {
        x = x * 7 + 1;
        sum += table[x & 255] * x + (x ^ sum);
        sum ^= x << 3;
        sum *= (x ^ sum) + 3;
        sum += (x + sum) * (x - sum) * 5;
        sum ^= sum >> 5;
    }
    out[i] = sum;
}
