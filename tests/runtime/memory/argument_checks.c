// The argument checks of memory objects (lib/runtime/check): every error, and what must be accepted.
#include "harness.h"

#include "runtime/check/memory.h"

static char host[64];

TEST(flags_that_exclude_each_other_are_refused)
{
    const cl_mem_flags bad[] = {
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
        CL_MEM_SVM_FINE_GRAIN_BUFFER,
        CL_MEM_SVM_ATOMICS,
        CL_MEM_KERNEL_READ_AND_WRITE,
        CL_MEM_IMMUTABLE_EXT | CL_MEM_READ_WRITE,
        CL_MEM_IMMUTABLE_EXT | CL_MEM_HOST_WRITE_ONLY,
        1u << 13,
        (cl_mem_flags)1 << 40,
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(weft_check_mem_flags(bad[i]), CL_INVALID_VALUE);
    const cl_mem_flags good[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                 CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_EQ(weft_check_mem_flags(good[i]), CL_SUCCESS);
}

TEST(creation_reports_the_first_error_in_the_specs_order)
{
    const cl_mem_properties none[] = {0}, unknown[] = {0x1234, 1, 0};
    CHECK_EQ(weft_check_buffer_create(NULL, 0, 64, 100, NULL), CL_SUCCESS);
    CHECK_EQ(weft_check_buffer_create(none, 0, 100, 100, NULL), CL_SUCCESS);
    CHECK_EQ(weft_check_buffer_create(unknown, 0x40, 0, 100, host), CL_INVALID_PROPERTY);
    CHECK_EQ(weft_check_buffer_create(NULL, 0x40, 0, 100, host), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_buffer_create(NULL, 0, 0, 100, host), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(weft_check_buffer_create(NULL, 0, 101, 100, host), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(weft_check_buffer_create(NULL, 0, 64, 100, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(weft_check_buffer_create(NULL, CL_MEM_ALLOC_HOST_PTR, 64, 100, host), CL_INVALID_HOST_PTR);
    CHECK_EQ(weft_check_buffer_create(NULL, CL_MEM_USE_HOST_PTR, 64, 100, NULL), CL_INVALID_HOST_PTR);
    CHECK_EQ(weft_check_buffer_create(NULL, CL_MEM_COPY_HOST_PTR, 64, 100, NULL), CL_INVALID_HOST_PTR);
    CHECK_EQ(weft_check_buffer_create(NULL, CL_MEM_COPY_HOST_PTR, 64, 100, host), CL_SUCCESS);
    CHECK_EQ(weft_check_buffer_create(NULL, CL_MEM_USE_HOST_PTR, 64, 100, (void *)(SIZE_MAX - 8)),
             CL_INVALID_HOST_PTR);
}

static cl_int sub(cl_mem_flags parent, cl_mem_flags flags, size_t origin, size_t size)
{
    cl_buffer_region r = {origin, size};
    return weft_check_sub_buffer(parent, 1024, flags, CL_BUFFER_CREATE_TYPE_REGION, &r, 128);
}

TEST(a_sub_buffer_may_not_allow_more_than_its_buffer)
{
    const struct {
        cl_mem_flags parent, flags;
    } bad[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
        {0, CL_MEM_USE_HOST_PTR},
        {0, CL_MEM_ALLOC_HOST_PTR},
        {0, CL_MEM_COPY_HOST_PTR},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
        {0, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
        {CL_MEM_IMMUTABLE_EXT, CL_MEM_READ_WRITE},
        {0, 1u << 13},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(sub(bad[i].parent, bad[i].flags, 0, 64), CL_INVALID_VALUE);
    CHECK_EQ(sub(CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, 0, 64), CL_SUCCESS);
    CHECK_EQ(sub(0, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, 0, 64), CL_SUCCESS);
    CHECK_EQ(sub(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS, 0, 64), CL_SUCCESS);
}

TEST(a_sub_buffer_lies_in_its_buffer_and_on_the_alignment)
{
    cl_buffer_region r = {0, 64};
    CHECK_EQ(weft_check_sub_buffer(0, 1024, 0, CL_BUFFER_CREATE_TYPE_REGION + 1, &r, 128), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_sub_buffer(0, 1024, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, 128), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, 1025, 1), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, 1024, 1), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, 128, 897), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, 128, SIZE_MAX), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, SIZE_MAX, 2), CL_INVALID_VALUE);
    CHECK_EQ(sub(0, 0, 128, 0), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(sub(0, 0, 64, 64), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK_EQ(sub(0, 0, 128, 896), CL_SUCCESS);
}

TEST(a_sub_buffer_inherits_what_it_does_not_say)
{
    const cl_mem_flags parent = CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    CHECK_EQ(weft_mem_flags_inherit(parent, 0), parent);
    CHECK_EQ(weft_mem_flags_inherit(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS),
             (cl_mem_flags)(CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_USE_HOST_PTR));
}

TEST(regions_do_not_wrap)
{
    CHECK_EQ(weft_check_region(100, 0, 100), CL_SUCCESS);
    CHECK_EQ(weft_check_region(100, 100, 0), CL_SUCCESS);
    CHECK_EQ(weft_check_region(100, 101, 0), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_region(100, 50, 51), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_region(100, 50, SIZE_MAX - 40), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_region(100, SIZE_MAX, 2), CL_INVALID_VALUE);
}

TEST(ranges_overlap_when_they_share_a_byte)
{
    CHECK(!weft_ranges_overlap(0, 10, 10));
    CHECK(weft_ranges_overlap(0, 9, 10));
    CHECK(weft_ranges_overlap(9, 0, 10));
    CHECK(!weft_ranges_overlap(10, 0, 10));
    CHECK(weft_ranges_overlap(5, 5, 1));
    CHECK(!weft_ranges_overlap(5, 5, 0));
}

TEST(host_access_is_what_the_flags_say)
{
    CHECK_EQ(weft_check_host_read(0), CL_SUCCESS);
    CHECK_EQ(weft_check_host_read(CL_MEM_HOST_READ_ONLY), CL_SUCCESS);
    CHECK_EQ(weft_check_host_read(CL_MEM_HOST_WRITE_ONLY), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_host_read(CL_MEM_HOST_NO_ACCESS), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_host_write(0), CL_SUCCESS);
    CHECK_EQ(weft_check_host_write(CL_MEM_HOST_WRITE_ONLY), CL_SUCCESS);
    CHECK_EQ(weft_check_host_write(CL_MEM_HOST_READ_ONLY), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_host_write(CL_MEM_HOST_NO_ACCESS), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_READ_ONLY, CL_MAP_READ), CL_SUCCESS);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_READ_ONLY, CL_MAP_READ | CL_MAP_WRITE), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION),
             CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ), CL_INVALID_OPERATION);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE), CL_SUCCESS);
    CHECK_EQ(weft_check_map_access(CL_MEM_HOST_NO_ACCESS, CL_MAP_READ), CL_INVALID_OPERATION);
}

TEST(map_flags_are_known_and_invalidation_stands_alone)
{
    CHECK_EQ(weft_check_map_flags(CL_MAP_READ | CL_MAP_WRITE), CL_SUCCESS);
    CHECK_EQ(weft_check_map_flags(CL_MAP_WRITE_INVALIDATE_REGION), CL_SUCCESS);
    CHECK_EQ(weft_check_map_flags(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_map_flags(CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_map_flags(8), CL_INVALID_VALUE);
}

TEST(patterns_are_powers_of_two_up_to_128)
{
    for (size_t n = 0; n <= 256; n++) {
        bool good = n == 1 || n == 2 || n == 4 || n == 8 || n == 16 || n == 32 || n == 64 || n == 128;
        CHECK_EQ(weft_check_fill(1024, host, n, 0, 0), good ? CL_SUCCESS : CL_INVALID_VALUE);
    }
    CHECK_EQ(weft_check_fill(1024, NULL, 4, 0, 4), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_fill(1024, host, 4, 2, 4), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_fill(1024, host, 4, 4, 6), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_fill(1024, host, 4, 1024, 4), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_fill(1024, host, 4, SIZE_MAX - 3, 8), CL_INVALID_VALUE);
    CHECK_EQ(weft_check_fill(1024, host, 4, 1020, 4), CL_SUCCESS);
}
