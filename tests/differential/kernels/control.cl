// Control flow.

//: straight
kernel void straight(global const uint *in, global uint *out)
{
    int i = item();
    out[i] = in[i] * 3u + (uint)i;
}

//: if_else
kernel void if_else(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i];
    if (v & 1)
        v = v * 5 + 1;
    else
        v ^= v >> 7;
    out[i] = v;
}

//: nested_if
kernel void nested_if(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], r = 1;
    if (v & 1) {
        r = v >> 3;
        if (v & 2) {
            r += 7;
            if (v & 4)
                out[i] = r;
            else
                out[i] = r * v;
        } else if (v & 8) {
            out[i] = ~r;
        }
        r++;
    } else if (i & 4) {
        out[i] = r - v;
    }
    if (r == 1)
        out[i] = 99;
}

//: only_some_store
kernel void only_some_store(global const uint *in, global uint *out)
{
    int i = item();
    if ((in[i] & 3) == 2)
        out[i] = in[i];
}

//: one_lane
kernel void one_lane(global const uint *in, global uint *out)
{
    int i = item();
    if (i == items() - 1)
        out[i] = in[0] + in[i];
}

//: divergent_loop
kernel void divergent_loop(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], n = 0;
    while (v) {
        v &= v - 1;
        n = n * 3 + v;
    }
    out[i] = n;
}

//: loop_live_outs out=12
kernel void loop_live_outs(global const uint *in, global uint *out)
{
    int i = item(), k = 0;
    uint v = in[i], a = 1, b = 2;
    for (; k < (int)(v & 31); k++) {
        uint t = a + b;
        a = b;
        b = t ^ v;
    }
    out[3 * i] = a;
    out[3 * i + 1] = b;
    out[3 * i + 2] = (uint)k;
}

//: nested_loops
kernel void nested_loops(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], r = 0;
    for (uint a = 0; a < (v & 7); a++) {
        for (uint b = a; b < (v >> 3 & 7); b++) {
            if (((a + b) ^ v) & 1)
                continue;
            for (uint c = 0; c < (r & 3); c++)
                r += c * v;
            r = r * 31 + a * b + 1;
        }
        r ^= a;
    }
    out[i] = r;
}

//: multi_exit out=8
kernel void multi_exit(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], how = 0, k;
    for (k = 0; k < 40; k++) {
        if (v % 13 == 5) {
            how = 1;
            break;
        }
        v = v * 1103515245u + 12345u;
        if (v % 17 == 3) {
            how = 2;
            break;
        }
        if ((v & 0x70) == 0x10)
            continue;
        v ^= k;
        if (v % 19 == 7)
            how = 3;
    }
    out[2 * i] = v + how;
    out[2 * i + 1] = k;
}

//: leave_two_loops out=12
kernel void leave_two_loops(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], a = 0, b = 0;
    for (a = 0; a < 10; a++) {
        for (b = 0; b < 10; b++) {
            v = v * 69069u + 1u;
            if ((v >> 27) == 3)
                goto found;
            if ((v >> 28) == 9)
                break;
        }
    }
    v = 0;
found:
    out[3 * i] = v;
    out[3 * i + 1] = a;
    out[3 * i + 2] = b;
}

//: early_return
kernel void early_return(global const uint *in, global uint *out)
{
    int i = item();
    if (in[i] & 1)
        return;
    uint v = in[i] * 2;
    if (v & 4) {
        out[i] = 4;
        return;
    }
    out[i] = v;
}

//: return_in_loop
kernel void return_in_loop(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i];
    for (int k = 0; k < 20; k++) {
        v = v * 1664525u + 1013904223u;
        if (v > 0xe0000000u) {
            out[i] = (uint)k;
            return;
        }
        for (uint j = v; j & 3; j >>= 1) {
            if ((j & 31) == 7)
                return;
        }
    }
    out[i] = v;
}

//: do_while
kernel void do_while(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], n = 0;
    do {
        v = v & 1 ? v * 3 + 1 : v / 2;
        n++;
    } while (v > 1 && n < 100);
    out[i] = n * 1000 + (v & 255);
}

//: switch_dense
kernel void switch_dense(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], r;
    switch (v & 7) {
    case 0:
        r = v + 1;
        break;
    case 1:
        r = v * v;
        break;
    case 2:
        r = v >> 5;
        break;
    case 3:
    case 4:
        r = ~v;
        break;
    case 5:
        r = v / 7;
        break;
    default:
        r = v % 11;
    }
    out[i] = r;
}

//: switch_falls_through
kernel void switch_falls_through(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], r = 1;
    switch (v % 6) {
    case 4:
        r += v;
    case 1:
        r *= 3;
        if (v & 64)
            break;
    case 2:
        r ^= 0x55;
    case 0:
        r += 7;
        break;
    case 3:
        out[i] = 3;
        return;
    }
    out[i] = r;
}

//: switch_sparse
kernel void switch_sparse(global const uint *in, global uint *out)
{
    int i = item();
    uint r = 0;
    for (uint k = 0; k < 6; k++) {
        switch ((in[i] >> (4 * k)) & 0xf0f) {
        case 0x001:
            r += 5;
            continue;
        case 0x10a:
            r *= 9;
            break;
        case 0xf0f:
            k++;
        case 0x302:
            r -= k;
            break;
        default:
            r = r * 2 + 1;
        }
        if (r > 100)
            break;
    }
    out[i] = r;
}

//: irreducible
kernel void irreducible(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], n = 0;
    if (v & 1)
        goto middle;
top:
    v = v * 5 + 3;
    n += 1;
middle:
    v ^= v >> 3;
    n += 16;
    if (n < 200 && (v & 6))
        goto top;
    out[i] = v + n;
}

//: irreducible_three
kernel void irreducible_three(global const uint *in, global uint *out)
{
    int i = item(), fuel = 30;
    uint v = in[i];
    switch (v & 3) {
    case 0:
        goto a;
    case 1:
        goto b;
    case 2:
        goto c;
    }
    out[i] = 1;
    return;
a:
    v = v * 3 + 1;
    if (fuel-- < 0)
        goto end;
    if (v & 8)
        goto c;
b:
    v += v >> 9;
    if (fuel-- < 0)
        goto end;
    if (v & 16)
        goto a;
c:
    v ^= 0x1234567;
    if (fuel-- < 0)
        goto end;
    if (v & 32)
        goto b;
    if (v & 1)
        goto a;
end:
    out[i] = v;
}

//: uniform_branch
kernel void uniform_branch(global const uint *in, global uint *out)
{
    int i = item();
    uint r = in[i];
    if (in[0] & 1)
        r *= 3;
    else
        r += 3;
    if (items() > 60)
        for (uint k = 0; k < (in[0] & 15); k++)
            r = r * 7 + k;
    out[i] = r;
}

//: uniform_loop_divergent_body
kernel void uniform_loop_divergent_body(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    uint r = 0;
    for (int k = 0; k < n && k < 20; k++) {
        if (in[k] > in[i])
            r += in[k] & 255;
        else if (in[k] == in[i])
            continue;
        if (r > 2000)
            break;
        r++;
    }
    out[i] = r;
}

//: short_circuit
kernel void short_circuit(global const uint *in, global uint *out)
{
    int i = item(), n = items();
    // Other lanes must not read the operand after the &&: it is out of bounds.
    uint r = (i + 1 < n && in[i + 1] > in[i]) || (i > 0 && in[i - 1] == in[i]) ? 1u : 2u;
    out[i] = i + 5 < n && i >= 3 ? in[i + 5] + in[i - 3] : r;
}

uint collatz(uint v, uint limit)
{
    uint n = 0;
    while (v > 1) {
        if (n == limit)
            return 0xffffu;
        v = v & 1 ? 3 * v + 1 : v >> 1;
        n++;
    }
    return n;
}

//: call_under_mask
kernel void call_under_mask(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i] & 1023, r = 5;
    if (v & 2)
        r = collatz(v, 60);
    else if (v & 4)
        r = collatz(v * 3, 5) + collatz(v, 9);
    out[i] = r;
}

//: two_loops_after_each_other
kernel void two_loops_after_each_other(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], a = 0, k = 0;
    for (; k < (v & 15); k++)
        a += k;
    for (; k < 16; k++)
        a = a * 3 + (v >> k);
    while (a & 1)
        a >>= 1;
    out[i] = a + k;
}

//: divergent_then_uniform out=8
kernel void divergent_then_uniform(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], r = 0, same = 0;
    if (v & 1) {
        for (int k = 0; k < 8; k++) { // uniform count in divergent code
            r += v >> k;
            same++;
        }
    }
    for (int k = 0; k < 4; k++)
        r ^= (v << k) + same;
    out[2 * i] = r;
    out[2 * i + 1] = same;
}

//: phi_swap out=8
kernel void phi_swap(global const uint *in, global uint *out)
{
    int i = item();
    uint a = in[i], b = (uint)i, n = a & 7;
    while (n--) {
        uint t = a;
        a = b;
        b = t;
    }
    out[2 * i] = a;
    out[2 * i + 1] = b;
}

//: nested_exits_with_values out=16
kernel void nested_exits_with_values(global const uint *in, global uint *out)
{
    int i = item();
    uint v = in[i], a = 11, b = 22, c = 33, turn = 0;
    while (turn < 12) {
        turn++;
        a = mix(a, v);
        uint inner = 0;
        for (;;) {
            b = mix(b, a + inner);
            if ((b & 7) == 0)
                break;
            if ((b & 63) == 9) {
                c = inner;
                goto out_of_both;
            }
            if (++inner > 9)
                break;
            c = mix(c, b);
        }
        if ((c & 31) == 4)
            break;
    }
out_of_both:
    out[4 * i] = a;
    out[4 * i + 1] = b;
    out[4 * i + 2] = c;
    out[4 * i + 3] = turn;
}

//: no_work
kernel void no_work(global const uint *in, global uint *out)
{
}

//: ids out=36 ids
kernel void ids(global const uint *in, global uint *out)
{
    global uint *o = out + 9 * item();
    for (uint d = 0; d < 3; d++) {
        o[d] = (uint)get_global_id(d);
        o[3 + d] = (uint)get_local_id(d);
        o[6 + d] = (uint)(get_group_id(d) * 100 + get_local_size(d));
    }
}

//: branch_on_id
kernel void branch_on_id(global const uint *in, global uint *out)
{
    int i = item();
    uint r = in[i];
    if (get_global_id(0) == 0)
        r += 1000;
    if (get_global_id(0) + 1 == get_global_size(0) + get_global_offset(0))
        r *= 2;
    if (get_global_id(1) & 1)
        r = ~r;
    if (get_global_id(0) % 3 == 1)
        for (size_t k = 0; k < get_global_id(0) % 5; k++)
            r += r >> 1;
    out[i] = r;
}

// Loops that end after their first iteration (ir/passes/single_iterations.c), and some that don't.
//: single_iterations in=1024 out=1024
kernel void single_iterations(global const int *in, global int *out)
{
    int i = item(), n = items(), rows = 1 + in[0] % 40, sum = in[i];
#pragma unroll
    for (int y = i, end = min(rows, i + 1); y < end; ++y)
        sum += in[y + 1] * 3;
    for (int y = i, end = min(rows, i + 2); y < end; y += 2)
        sum ^= in[y + 2];
    for (int y = i, end = min(rows, i + 3); y < end; y += 2)
        sum += in[y + 3];
    for (uint y = (uint)i, end = min((uint)rows, (uint)i + 1); y < end; y++)
        sum = sum * 5 + in[y];
    for (int y = i; y < i + 1; y++)
        if (in[y] & 1)
            sum += y;
    for (int y = 0, end = min(rows & 1, 1); y < end; y++) {
        if (sum & 4)
            break;
        sum = sum * 7 + 1;
    }
    out[i] = sum;
    out[n + i] = rows;
}
