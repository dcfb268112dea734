// RUN: WEFT_CPU=znver3 --report=vectorize -k reorder
// Whether the rows' 32-bit numbers wrap is known at run time only. Where they don't, lanes shuffle what they
// load and store, and gather nothing. Scalar code does as much work as without speculation, though more of
// it is known to be the same for all lanes then.
kernel void reorder(global const uchar *from, int from_step, int from_begin, global uchar *to, int to_step,
                    int to_begin, int rows, int columns)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < columns && y < rows) {
        global const uchar *in = from + mad24(y, from_step, mad24(x, 4, from_begin));
        global uchar *out = to + mad24(y, to_step, mad24(x, 3, to_begin));
        uchar4 v = vload4(0, in);
        out[0] = v.z, out[1] = v.y, out[2] = v.x;
    }
}
// CHECK: region 0: vectorized, 8 lanes
// CHECK: load of 1 byte: interleaved
// CHECK: store of 1 byte: interleaved
