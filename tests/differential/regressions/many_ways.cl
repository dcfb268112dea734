// Very many edges into one block, and rows of loops. Switches of hundreds of cases: their ends are joined all
// at once (ir/passes/join_empty.c, where a list that was walked had moved away), their edges come together in
// groups (ir/passes/group_edges.c), and constants are read from a table (prepare/prepare.c). Lanes that leave
// a loop by a return in a switch have a flag (vectorize/emit/control_flow.c). Of loops one after the other,
// only the last few are known to the next (weftc_bridge_part_loops).
#define TEN(F, k) F(k##0) F(k##1) F(k##2) F(k##3) F(k##4) F(k##5) F(k##6) F(k##7) F(k##8) F(k##9)
#define HUNDRED(F) TEN(F, ) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9)
#define SECOND(F) TEN(F, 10) TEN(F, 11) TEN(F, 12) TEN(F, 13) TEN(F, 14) TEN(F, 15) TEN(F, 16) TEN(F, 17) TEN(F, 18) TEN(F, 19)
#define THIRD(F) TEN(F, 20) TEN(F, 21) TEN(F, 22) TEN(F, 23) TEN(F, 24) TEN(F, 25) TEN(F, 26) TEN(F, 27) TEN(F, 28) TEN(F, 29)

#define HASH(x) ((uint)(x) * 2654435761u >> 13)

//: nested_switches in=64 out=64
#define OUTER(k)                   \
    case k:                        \
        switch (HASH(x + k) & 7) { \
        case 0: x += k; break;     \
        case 1: x ^= y; break;     \
        case 5:                    \
        case 6: x *= 3; break;     \
        default: x--;              \
        }                          \
        break;
kernel void nested_switches(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x >> 5;
    switch (x & 511) { HUNDRED(OUTER) SECOND(OUTER) }
    out[i] = x;
}

//: long_constants in=64 out=64
#define CONSTANT(k) case k: x = k * 7919 + 3; break;
kernel void long_constants(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i];
    for (int j = 0; j < 3; j++) {
        x = (x ^ j) & 511;
        switch (x) { HUNDRED(CONSTANT) SECOND(CONSTANT) THIRD(CONSTANT) default: x *= 5; }
        out[i] = x;
    }
}

//: switch_in_loop in=64 out=64
#define BREAKS(k)                            \
    case k:                                  \
        x += HASH(i + j + k);           \
        if ((x & 15) == k % 16)              \
            break;                           \
        x ^= k;                              \
        break;
kernel void switch_in_loop(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i];
    for (int j = 0; j < 4; j++)
        switch ((x + j) % 300) { HUNDRED(BREAKS) SECOND(BREAKS) THIRD(BREAKS) }
    out[i] = x;
}

//: returns_in_switch in=64 out=64
#define OPERATION(k) case k: a = k % 3 ? k % 2 ? b * 3 + k : b ^ k : b - k; if (a % 5 > k % 5) at += k % 4; break;
kernel void returns_in_switch(global const uint *in, global uint *out)
{
    int i = item();
    uint at = i & 7, a = in[i], y = a >> 5;
    out[i] = a;
    while (at < 24) {
        uint operation = (HASH(at++) ^ y) % 104, b = a;
        switch (operation) { HUNDRED(OPERATION) default: return; }
    }
    out[i] = a ^ at;
}

//: tree_of_conditions in=64 out=64
#define LEAF(n) if (x < n * 4) x = n; else x = y > n ? n + 7 : n * 3;
#define TWO(n) if (y & 1) { LEAF(n) } else { LEAF((n + 1)) }
#define FOUR(n) if (y & 2) { TWO(n) } else { TWO((n + 2)) }
#define EIGHT(n) if (y & 4) { FOUR(n) } else { FOUR((n + 4)) }
#define SIXTEEN(n) if (y & 8) { EIGHT(n) } else { EIGHT((n + 8)) }
#define THIRTYTWO(n) if (y & 16) { SIXTEEN(n) } else { SIXTEEN((n + 16)) }
#define SIXTYFOUR(n) if (y & 32) { THIRTYTWO(n) } else { THIRTYTWO((n + 32)) }
kernel void tree_of_conditions(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i] & 511, y = in[i] >> 7;
    if (y & 64) { SIXTYFOUR(0) } else { SIXTYFOUR(64) }
    out[i] = x;
}

//: row_of_loops in=64 out=64
#define ROW(k) for (int j = 0; j < 24; j++) if ((x += HASH(j + k) * (j + k)) % 9 == k % 9) x ^= j + y;
kernel void row_of_loops(global const uint *in, global uint *out)
{
    int i = item();
    uint x = in[i], y = x >> 9;
    HUNDRED(ROW)
    out[i] = x;
}
