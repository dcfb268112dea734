// Private arrays with varying indices, nested loops, early returns. private.c includes this file as C too.

// Spheres in the leaves of a complete binary tree of bounding spheres: node k has the children 2k+1 and 2k+2.
float hit_sphere(global const float *s, float ox, float oy, float oz, float dx, float dy, float dz)
{
    float cx = s[0] - ox, cy = s[1] - oy, cz = s[2] - oz;
    float along = cx * dx + cy * dy + cz * dz;
    float rest = cx * cx + cy * cy + cz * cz - along * along, r2 = s[3] * s[3];
    if (rest > r2)
        return -1.0f;
    float half_chord = sqrt(r2 - rest), near = along - half_chord;
    if (near > 1e-3f)
        return near;
    float far = along + half_chord;
    return far > 1e-3f ? far : -1.0f;
}

// The nearest leaf that the ray hits, with its distance, or -1. any: the first hit is enough.
int trace(global const float *nodes, int inner, int total, float ox, float oy, float oz, float dx, float dy,
          float dz, int any, float *distance)
{
    int stack[24], top = 0, best = -1;
    float nearest = 1e30f;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        float t = hit_sphere(nodes + 4 * node, ox, oy, oz, dx, dy, dz);
        if (t < 0.0f)
            continue;
        if (node >= inner) {
            if (t < nearest) {
                nearest = t;
                best = node;
                if (any)
                    break;
            }
            continue;
        }
        for (int child = 2 * node + 1; child <= 2 * node + 2 && child < total; child++)
            stack[top++] = child;
    }
    *distance = nearest;
    return best;
}

kernel void raytrace(global float *out, global const float *nodes, int inner, int total, int w, int h)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= w || y >= h)
        return;
    float dx = ((float)x + 0.5f) / (float)w - 0.5f, dy = ((float)y + 0.5f) / (float)h - 0.5f, dz = 1.0f;
    float ox = 0.0f, oy = 0.0f, oz = -2.0f, light = 1.0f, sum = 0.0f;
    float scale = rsqrt(dx * dx + dy * dy + dz * dz);
    dx *= scale;
    dy *= scale;
    dz *= scale;
    for (int bounce = 0; bounce < 3; bounce++) {
        float t;
        int hit = trace(nodes, inner, total, ox, oy, oz, dx, dy, dz, 0, &t);
        if (hit < 0) {
            if (bounce == 0) {
                out[y * w + x] = 0.1f * dy;
                return;
            }
            sum += light * 0.2f;
            break;
        }
        global const float *s = nodes + 4 * hit;
        ox += dx * t;
        oy += dy * t;
        oz += dz * t;
        float inv = 1.0f / s[3], nx = (ox - s[0]) * inv, ny = (oy - s[1]) * inv, nz = (oz - s[2]) * inv;
        float facing = 0.6f * nx - 0.64f * ny - 0.48f * nz, shadow;
        if (facing > 0.0f && trace(nodes, inner, total, ox, oy, oz, 0.6f, -0.64f, -0.48f, 1, &shadow) < 0)
            sum += light * facing * 0.7f;
        float along = 2.0f * (dx * nx + dy * ny + dz * nz);
        dx -= along * nx;
        dy -= along * ny;
        dz -= along * nz;
        light *= 0.5f;
    }
    out[y * w + x] = sum;
}

kernel void sort_rows(global uint *out, global const uint *in)
{
    uint row[16];
    size_t first = get_global_id(0) * 16;
    for (int i = 0; i < 16; i++)
        row[i] = in[first + (size_t)i];
    for (int i = 1; i < 16; i++) {
        uint v = row[i];
        int j = i;
        while (j > 0 && row[j - 1] > v) {
            row[j] = row[j - 1];
            j--;
        }
        row[j] = v;
    }
    for (int i = 0; i < 16; i++)
        out[first + (size_t)i] = row[i];
}
