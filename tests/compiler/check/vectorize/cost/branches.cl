// RUN: -k rare --emit=vectorize
// RUN: --check-prefix=EVEN -k even --emit=vectorize
// A branch goes around blocks that hardly a lane comes to, however little they do: the processor predicts it.
// Where both ways are as likely, the few operations of one are done for no lane.

// CHECK: fdiv <[[N:[0-9]+]] x float>
// CHECK: [[BITS:%[0-9]+]] = bitcast <[[N]] x i1> %{{[0-9]+}} to i
// CHECK: [[ANY:%[0-9]+]] = icmp ne i{{[0-9]+}} [[BITS]], 0
// CHECK: br i1 [[ANY]]
// CHECK: fadd <[[N]] x float>
kernel void rare(global float *a, float y)
{
    size_t i = get_global_id(0);
    float x = a[i] / 3;
    if (__builtin_expect(!(x < y), 0)) {
        x = x > 4 * y ? x - 3 : x * x;
        x += y;
    }
    a[i] = x;
}

// EVEN: fdiv <[[N:[0-9]+]] x float>
// EVEN-NOT: bitcast <{{[0-9]+}} x i1>
// EVEN: fadd <[[N]] x float>
kernel void even(global float *a, float y)
{
    size_t i = get_global_id(0);
    float x = a[i] / 3;
    if (!(x < y)) {
        x = x > 4 * y ? x - 3 : x * x;
        x += y;
    }
    a[i] = x;
}
