// differential_host's main: the same launches and results as runner.c, with kernels that the host's Clang
// compiled for this machine, called once a work-item. The build (engine.py) defines PROGRAM, and
// host_kernels in a file of its own.
#include "data.h"

typedef void host_kernel(const void *in, void *out, uint32_t *sums, void *tile);
extern host_kernel *const host_kernels[];

static size_t group_id[3], local_id[3];
static const struct data_launch *now;

// ---- The work-item functions, by their mangled names ----

static size_t size_of(unsigned d, const size_t *sizes, size_t otherwise)
{
    return d < now->dims ? sizes[d] : otherwise;
}
static size_t local_size(unsigned d)
{
    return now->local[0] ? size_of(d, now->local, 1) : 1;
}
#define WORK_ITEM(name, value)              \
    size_t name(unsigned d) __asm__(#name); \
    size_t name(unsigned d)                 \
    {                                       \
        return value;                       \
    }
WORK_ITEM(_Z13get_global_idj, d < now->dims ? group_id[d] * local_size(d) + local_id[d] + now->offset[d] : 0)
WORK_ITEM(_Z12get_local_idj, d < now->dims ? local_id[d] : 0)
WORK_ITEM(_Z12get_group_idj, d < now->dims ? group_id[d] : 0)
WORK_ITEM(_Z15get_global_sizej, size_of(d, now->global, 1))
WORK_ITEM(_Z14get_local_sizej, local_size(d))
WORK_ITEM(_Z14get_num_groupsj, size_of(d, now->global, 1) / local_size(d))
WORK_ITEM(_Z17get_global_offsetj, size_of(d, now->offset, 0))

static void run(host_kernel *kernel, const void *in, void *out, uint32_t *sums)
{
    size_t groups[3], locals[3];
    for (unsigned d = 0; d < 3; d++) {
        locals[d] = local_size(d);
        groups[d] = size_of(d, now->global, 1) / locals[d];
    }
    for (size_t g = 0; g < groups[0] * groups[1] * groups[2]; g++) {
        group_id[0] = g % groups[0];
        group_id[1] = g / groups[0] % groups[1];
        group_id[2] = g / groups[0] / groups[1];
        for (size_t l = 0; l < locals[0] * locals[1] * locals[2]; l++) {
            local_id[0] = l % locals[0];
            local_id[1] = l / locals[0] % locals[1];
            local_id[2] = l / locals[0] / locals[1];
            kernel(in, out, sums, NULL);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    char *text = data_read(argv[1]);
    static struct data_kernel list[DATA_KERNELS];
    size_t count = data_kernels(text, list);
    FILE *results = fopen(argv[2], "wb");
    if (!results)
        return 2;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t number = 0; number < DATA_LAUNCHES; number++) {
            now = &data_launches[number];
            if (!host_kernels[i] || !data_runs(&list[i], now))
                continue;
            size_t items = data_items(now);
            uint32_t sums[DATA_SUMS];
            void *in = aligned_alloc(128, (list[i].in * items + 127) / 128 * 128 + 128),
                 *out = aligned_alloc(128, (list[i].out * items + 127) / 128 * 128 + 128);
            if (!in || !out)
                return 2;
            for (int at_end = 0; at_end < 2; at_end++) {
                data_fill(in, list[i].in * items, list[i].kind, number + 1);
                memset(out, 0xcd, list[i].out * items);
                data_fill_sums(sums);
                run(host_kernels[i], in, out, sums);
                struct data_record r = {i, number, at_end, 0, list[i].out * items};
                data_write(results, &r, out, sums);
            }
            free(in);
            free(out);
        }
    }
    free(text);
    return fclose(results) == 0 ? 0 : 2;
}
