// RUN: --check-prefix=LANES WEFT_VF=16 --emit=vectorize -k lanes
// RUN: --check-prefix=ONE WEFT_VF=16 --emit=vectorize -k one
// RUN: --check-prefix=PLACES --emit=vectorize -k places
// RUN: --check-prefix=SERIAL WEFT_VF=16 --emit=vectorize -k serial
// Lanes divide whole numbers as doubles; by a number that is the same for all they multiply by its reciprocal.

// LANES: sitofp <{{.*}} to <{{[0-9]+}} x double>
// LANES: fdiv <{{[0-9]+}} x double>
// LANES: fptosi <{{[0-9]+}} x double> {{.*}} to <{{[0-9]+}} x i32>
kernel void lanes(global int *a, global const int *b)
{
    int i = get_global_id(0);
    a[i] /= b[i];
}

// ONE: fdiv double 0x3FF0000000000010
// ONE: fmul <{{[0-9]+}} x double>
// ONE: fptoui <{{[0-9]+}} x double> {{.*}} to <{{[0-9]+}} x i32>
kernel void one(global uint *a, uint b)
{
    int i = get_global_id(0);
    a[i] = a[i] * 17 % b;
}

// A private array whose places are known once the loop is straight code is no memory, and neighbours are loaded as such.
// PLACES-LABEL: define {{.*}}@weft.region.0.vector(
// PLACES-NOT: alloca [
// PLACES-NOT: llvm.masked.gather
// PLACES: ret
kernel void places(global float *out, global const float *in)
{
    const int by[12] = {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6};
    int i = get_global_id(0);
    float v[12], s = 0;
    for (int k = 0; k < 12; k++) {
        v[k] = in[i + by[k] + 8] * (k + 1.5f) + in[i - by[k] + 40] / (k + 2.5f) + in[i + by[k] * 2 + 90];
        s += v[k] * v[k] + sqrt(v[k]);
    }
    for (int k = 0; k < 12; k++)
        out[i * 12 + k] = v[k] / s + fabs(v[k] - s) * (k + 0.5f) + sqrt(v[k] * s) + fmax(v[k], s);
}

// Addresses that lanes take one after the other are in memory once, not once for each lane.
// SERIAL: store <{{[0-9]+}} x ptr> %[[ALL:.*]], ptr %[[SLOT:.*]],
// SERIAL: llvm.cttz
// SERIAL: getelementptr ptr, ptr %[[SLOT]]
// SERIAL: atomicrmw volatile add
kernel void serial(global uint *bins, global const uint *in)
{
    int i = get_global_id(0);
    atomic_inc(&bins[in[i] & 255]);
}
