// Arithmetic that stays in registers. compute.c includes this file as C too: scalar code only.

kernel void fma_chains(global float *out, float a, float b, int n)
{
    float x = (float)get_global_id(0) * 1e-6f;
    float c0 = x, c1 = x + 1.0f, c2 = x + 2.0f, c3 = x + 3.0f, c4 = x + 4.0f, c5 = x + 5.0f, c6 = x + 6.0f,
          c7 = x + 7.0f, c8 = x + 8.0f, c9 = x + 9.0f, c10 = x + 10.0f, c11 = x + 11.0f, c12 = x + 12.0f,
          c13 = x + 13.0f, c14 = x + 14.0f, c15 = x + 15.0f;
    for (int i = 0; i < n; i++) {
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
        c8 = fma(c8, a, b);
        c9 = fma(c9, a, b);
        c10 = fma(c10, a, b);
        c11 = fma(c11, a, b);
        c12 = fma(c12, a, b);
        c13 = fma(c13, a, b);
        c14 = fma(c14, a, b);
        c15 = fma(c15, a, b);
    }
    out[get_global_id(0)] = ((c0 + c1) + (c2 + c3)) + ((c4 + c5) + (c6 + c7)) + ((c8 + c9) + (c10 + c11)) +
                            ((c12 + c13) + (c14 + c15));
}

kernel void mandelbrot(global int *out, int w, float scale, int limit)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1), n = 0;
    float cr = (float)x * scale - 2.0f, ci = (float)y * scale - 1.25f, zr = 0.0f, zi = 0.0f;
    while (n < limit && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[y * w + x] = n;
}

float normal_cdf(float x)
{
    float d = fabs(x), k = 1.0f / (1.0f + 0.2316419f * d);
    float tail =
        0.39894228f * exp(-0.5f * d * d) * k *
        (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return x > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global float *call, global float *put, global const float *price,
                          global const float *strike, global const float *years, float rate, float sigma)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
    float n1 = normal_cdf(d1), n2 = normal_cdf(d2), discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

kernel void hash_chain(global uint *out, int rounds)
{
    uint h = (uint)get_global_id(0) * 0x9e3779b9u + 1u;
    for (int i = 0; i < rounds; i++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += (uint)i;
    }
    out[get_global_id(0)] = h;
}

// Lennard-Jones energies between one particle and all others.
kernel void double_pairs(global double *energy, global const double *x, global const double *y,
                         global const double *z, int n)
{
    int i = (int)get_global_id(0);
    double px = x[i], py = y[i], pz = z[i], e = 0.0;
    for (int j = 0; j < n; j++) {
        double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
        double s = 1.0 / (dx * dx + dy * dy + dz * dz + 0.01), s3 = s * s * s;
        e += s3 * s3 - s3;
    }
    energy[i] = e;
}

kernel void nbody_soa(global float *ax, global float *ay, global float *az, global const float *x,
                      global const float *y, global const float *z, global const float *m, int n)
{
    int i = (int)get_global_id(0);
    float px = x[i], py = y[i], pz = z[i], sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
        float inv = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f), w = m[j] * inv * inv * inv;
        sx += dx * w;
        sy += dy * w;
        sz += dz * w;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
}

// Each work-item looks for the first sum that is at least its number, from the start, as particle filters do.
// What follows the loop are gathers.
kernel void find_index(global float *to_x, global float *to_y, global const float *sums, global const float *u,
                       global const float *x, global const float *y, int n)
{
    int i = (int)get_global_id(0);
    if (i < n) {
        int index = n - 1;
        for (int k = 0; k < n; k++) {
            if (sums[k] >= u[i]) {
                index = k;
                break;
            }
        }
        to_x[i] = x[index];
        to_y[i] = y[index];
    }
}
