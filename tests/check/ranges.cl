// Accesses just outside of objects, and just within, by ways that the compiler follows to prove that they are
// within (checker/ranges.c). Buffers have 64 elements, and 64 work-items run, 16 a group; n is 64, five 5.
kernel void up_to_end(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = 0; k <= n; k += 4)
        sum += a[k]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void up_ok(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k += 4)
        sum += a[k + 3];
    b[get_global_id(0)] = sum;
}
kernel void odd_steps(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = 1; k < n; k += 16)
        sum += a[k + 15]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void down_from_end(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = n; k > 0; k--)
        sum += a[k]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void down_ok(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = n; k > 0; k--)
        sum += a[k - 1];
    b[get_global_id(0)] = sum;
}
kernel void down_too_far(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int k = n - 1; k >= 0; k--)
        sum += a[k - 1]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void halves(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int s = n; s > 0; s /= 2)
        sum += a[s]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void halves_ok(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int s = n / 2; s > 0; s >>= 1)
        sum += a[s];
    b[get_global_id(0)] = sum;
}
kernel void doubles(global int *a, global int *b, int n)
{
    int sum = 0;
    for (int s = 1; s <= n; s *= 2)
        sum += a[s]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void not_yet(global int *a, global int *b, int five)
{
    int sum = 0;
    for (int k = 0; k != 13 * five; k++)
        sum += a[k]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void wraps(global int *a, global int *b, int five)
{
    int i = get_global_id(0), x = i + 2147483595 + five, sum = 0;
    if (x < 64)
        sum = a[x]; // FAULT bounds
    b[i] = sum;
}
kernel void wraps_in_loop(global int *a, global int *b, int five)
{
    int sum = 0;
    for (int k = get_global_id(0) & 3; k < 64; k += 2147483640 + five)
        sum += a[k]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void less_than_none(global int *a, global int *b)
{
    uint u = (uint)get_global_id(0) - 1;
    b[get_global_id(0)] = a[u]; // FAULT bounds
}
kernel void masked_ok(global int *a, global int *b)
{
    uint u = (uint)get_global_id(0) - 1;
    b[get_global_id(0)] = a[u & 63];
}
kernel void below_a_negative(global int *a, global int *b, int n)
{
    uint u = (uint)get_global_id(0) * 2, limit = (uint)(n - 65);
    int sum = 0;
    if (u < limit)
        sum = a[u]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void steps(global int *a, global int *b, int five)
{
    global int *p = a;
    int sum = 0;
    for (int k = 0; k < 14; k++, p += five)
        sum += *p; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void steps_ok(global int *a, global int *b, int five)
{
    global int *p = a;
    int sum = 0;
    for (int k = 0; k < 13; k++, p += five)
        sum += *p;
    b[get_global_id(0)] = sum;
}
kernel void steps_back(global int *a, global int *b, int five)
{
    global int *p = a + 60;
    int sum = 0;
    for (int k = 0; k < 14; k++, p -= five)
        sum += *p; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void difference(global int *a, global int *b, int five)
{
    int i = get_global_id(0), sum = 0;
    if (i >= five)
        sum = a[i - five - 1]; // FAULT bounds
    b[i] = sum;
}
kernel void difference_ok(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = i >= five ? a[i - five] : 0;
}
kernel void rest(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = a[i % five + 60]; // FAULT bounds
}
kernel void rest_ok(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = a[i % five + 59];
}
kernel void quotient(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = a[i / five + 52]; // FAULT bounds
}
kernel void bits(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = a[i ^ n]; // FAULT bounds
}
kernel void bits_ok(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = a[i ^ (n - 1)] + a[i | 3];
}
kernel void clamped(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = a[clamp(i + 9, 0, n)]; // FAULT bounds
}
kernel void clamped_ok(global int *a, global int *b, int n)
{
    int i = get_global_id(0);
    b[i] = a[clamp(i - 9, 0, n - 1)] + a[min(i + 9, n - 1)] + a[max(i - 9, 0)];
}
kernel void in_groups(global int *a, global int *b)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    b[i] = a[i + 1]; // FAULT bounds
}
kernel void triangle(global int *a, global int *b)
{
    int sum = 0;
    for (int j = 0; j < 8; j++)
        for (int k = j; k <= 8; k++)
            sum += a[j * 8 + k]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void triangle_ok(global int *a, global int *b)
{
    int sum = 0;
    for (int j = 0; j < 8; j++)
        for (int k = j; k < 8; k++)
            sum += a[j * 8 + k];
    b[get_global_id(0)] = sum;
}
kernel void other_way(global int *a, global int *b, int n)
{
    int i = get_global_id(0), inside = i > 0 && i < n - 1, sum = 0;
    if (inside)
        sum = a[i - 1] + a[i + 1];
    else
        sum = a[i + 1]; // FAULT bounds
    b[i] = sum;
}
kernel void conditions_ok(global int *a, global int *b, int n)
{
    int i = get_global_id(0), inside = i > 0 && i < n - 1, sum = 0;
    if (inside)
        sum = a[i - 1] + a[i + 1];
    if (i == 0 || i == n - 1)
        sum = a[i];
    else
        sum += a[i - 1] + a[i + 1];
    b[i] = sum;
}
kernel void chosen(global int *a, global int *b, int n)
{
    int i = get_global_id(0), j = i < n - 1 ? i + 2 : 0;
    b[i] = a[j]; // FAULT bounds
}
kernel void chosen_ok(global int *a, global int *b, int n)
{
    int i = get_global_id(0), j = i < n - 1 ? i + 1 : 0;
    b[i] = a[j];
}
kernel void narrow(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = a[(char)(i * five)]; // FAULT bounds
}
kernel void shifts(global int *a, global int *b, int five)
{
    int i = get_global_id(0);
    b[i] = a[i >> 1 << (five - 3)]; // FAULT bounds
}
kernel void local_behind(global int *b)
{
    local int t[16];
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l + 1]; // FAULT bounds
}
kernel void local_ok(global int *b)
{
    local int t[17];
    int l = get_local_id(0);
    t[l] = l;
    t[16] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[l + 1];
}
// Pointers that go on, in loops inside of loops, by steps that only the launch knows.
kernel void goes_on(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    a += get_local_id(0);
    for (int k = 0; k < n / 8; k += 4)
        for (int m = 0; m < 4; m++, a += five + 2)
            sum += a[0]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void goes_on_ok(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    a += get_local_id(0);
    for (int k = 0; k < n / 8; k += 4)
        for (int m = 0; m < 4; m++, a += five + 1)
            sum += a[0];
    b[get_global_id(0)] = sum;
}
kernel void goes_back(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    a += 63 - get_local_id(0);
    for (int k = 0; k < n / 8; k += 4)
        for (int m = 0; m < 4; m++, a -= five + 2)
            sum += a[0]; // FAULT bounds
    b[get_global_id(0)] = sum;
}
kernel void goes_back_ok(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    a += 63 - get_local_id(0);
    for (int k = 0; k < n / 8; k += 4)
        for (int m = 0; m < 4; m++, a -= five + 1)
            sum += a[0];
    b[get_global_id(0)] = sum;
}
kernel void goes_on_sometimes(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    for (int k = 0; k < n / 4; k++) {
        sum += a[0]; // FAULT bounds
        if (sum >= 0)
            a += five;
        for (int m = 0; m < k; m++)
            a += five - 5;
    }
    b[get_global_id(0)] = sum;
}
kernel void after_the_loop(global const int *a, global int *b, int n, int five)
{
    int sum = 0;
    for (int k = 0; k < n / 8; k += 4)
        for (int m = 0; m < 4; m++, a += five + 3)
            sum += a[0];
    b[get_global_id(0)] = sum + a[0]; // FAULT bounds
}
