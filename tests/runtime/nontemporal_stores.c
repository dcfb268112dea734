// Which launches ask for non-temporal stores (lib/compiler/vectorize/emit/nontemporal.c emits these).
// env: WEFT_TIER=2
// env: WEFT_HWLOC_SYNTHETIC=l3:2(size=1048576) l2:1 core:1 pu:1
#include "fixture.h"

// Two last caches of 1 MB: from 3 MB on that is too much.
enum { BYTES = 12, FITS = 3 * 1048576 / BYTES };

static int stores_are_temporal(struct fixture *f, cl_uint dim, const size_t *global, const size_t *local)
{
    int reported = 77;
    cl_mem out = fixture_buffer(f, sizeof reported, &reported);
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 0, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, f->kernel, dim, NULL, global, local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, sizeof reported, &reported, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
    return reported;
}

TEST(a_launch_that_touches_more_than_the_last_caches_hold_stores_past_them)
{
    struct fixture f = fixture_of_kernel("nontemporal");
    stores_are_temporal(&f, 1, (size_t[]){1}, NULL); // is planned before there is code
    CHECK_EQ(stores_are_temporal(&f, 1, (size_t[]){64}, NULL), 1);
    CHECK_EQ(stores_are_temporal(&f, 1, (size_t[]){FITS}, NULL), 1);
    CHECK_EQ(stores_are_temporal(&f, 1, (size_t[]){FITS + 64}, NULL), 0);
    CHECK_EQ(stores_are_temporal(&f, 2, (size_t[]){1024, FITS / 1024}, NULL), 1);
    CHECK_EQ(stores_are_temporal(&f, 3, (size_t[]){64, 64, FITS / 4096 + 1}, (size_t[]){64, 1, 1}), 0);
    CHECK_EQ(stores_are_temporal(&f, 1, (size_t[]){FITS}, NULL), 1);
    fixture_close(&f);
}

TEST(the_setting_forces_nontemporal_stores)
{
    setenv("WEFT_NONTEMPORAL", "always", 1);
    weft_config_reload();
    struct fixture f = fixture_of_kernel("nontemporal");
    stores_are_temporal(&f, 1, (size_t[]){64}, NULL); // is planned before there is code
    CHECK_EQ(stores_are_temporal(&f, 1, (size_t[]){64}, NULL), 0);
    fixture_close(&f);
}
