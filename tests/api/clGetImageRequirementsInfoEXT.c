// clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info, cl_ext_image_from_buffer): errors, and that
// images can be had as it says.
#include "image_fixture.h"

#include <CL/cl_ext.h>

static clGetImageRequirementsInfoEXT_fn ask;

static struct world open_asking(void)
{
    struct world w = open_world(0);
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    ask = (clGetImageRequirementsInfoEXT_fn)clGetExtensionFunctionAddressForPlatform(
        platform, "clGetImageRequirementsInfoEXT");
    CHECK(ask != NULL);
    return w;
}

static const cl_image_desc flat = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 20, .image_height = 10};
#define SIZE CL_IMAGE_REQUIREMENTS_SIZE_EXT

TEST(each_wrong_argument_has_its_error)
{
    struct world w = open_asking();
    size_t n = 0;
    const cl_image_format odd = {CL_INTENSITY, CL_UNORM_SHORT_555}, absent = {CL_Rx, CL_FLOAT},
                          depth = {CL_DEPTH, CL_FLOAT};
    const cl_mem_properties property[] = {1, 2, 0}, none[] = {0};
    cl_image_desc d = flat;
#define ASK(flags, f, d, name) ask(w.context, NULL, flags, f, d, name, sizeof n, &n, NULL)
    CHECK_EQ(ask(NULL, NULL, 0, &rgba8, &d, SIZE, sizeof n, &n, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(ask(w.context, property, 0, &rgba8, &d, SIZE, sizeof n, &n, NULL), CL_INVALID_PROPERTY);
    CHECK_EQ(ask(w.context, none, 0, &rgba8, &d, SIZE, sizeof n, &n, NULL), CL_SUCCESS);
    CHECK_EQ(ask(w.context, NULL, 0, &rgba8, &d, SIZE, sizeof n - 1, &n, NULL), CL_INVALID_VALUE);
    CHECK_EQ(ASK(~(cl_mem_flags)0, &rgba8, &d, SIZE), CL_INVALID_VALUE);
    CHECK_EQ(ASK(CL_MEM_KERNEL_READ_AND_WRITE, &rgba8, &d, SIZE), CL_SUCCESS);
    CHECK_EQ(ASK(0, &odd, &d, SIZE), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK_EQ(ASK(0, &absent, &d, SIZE), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK_EQ(ASK(CL_MEM_KERNEL_READ_AND_WRITE, &depth, &d, SIZE), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK_EQ(ASK(0, NULL, &d, SIZE), CL_INVALID_VALUE);
    CHECK_EQ(ASK(0, &rgba8, NULL, SIZE), CL_INVALID_VALUE);
    CHECK_EQ(ASK(0, &rgba8, &d, CL_IMAGE_FORMAT), CL_INVALID_VALUE);
    CHECK_EQ(ASK(0, &rgba8, NULL, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT), CL_INVALID_VALUE);
    CHECK_EQ(ASK(0, &rgba8, &d, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK_EQ(ASK(0, &rgba8, &d, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT), CL_INVALID_IMAGE_DESCRIPTOR);
    d.image_row_pitch = 79;
    CHECK_EQ(ASK(0, &rgba8, &d, SIZE), CL_INVALID_IMAGE_DESCRIPTOR);
    d.image_row_pitch = 0;
    d.image_width = 0;
    CHECK_EQ(ASK(0, &rgba8, &d, SIZE), CL_INVALID_IMAGE_DESCRIPTOR);
    d.image_width = 16385;
    CHECK_EQ(ASK(0, &rgba8, &d, SIZE), CL_INVALID_IMAGE_SIZE);
    d.image_type = CL_MEM_OBJECT_BUFFER;
    CHECK_EQ(ASK(0, &rgba8, &d, SIZE), CL_INVALID_IMAGE_DESCRIPTOR);
    close_world(&w);
}

TEST(an_image_fits_into_a_buffer_of_the_size)
{
    struct world w = open_asking();
    for (int i = 0; i < SHAPES; i++) {
        const struct shape *s = &shapes[i];
        bool layers = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        cl_image_desc d = {.image_type = s->type,
                           .image_width = 7,
                           .image_height = 5,
                           .image_depth = 3,
                           .image_array_size = layers ? 5 : 3};
        size_t bytes = 0, row = 0, base = 0;
        CHECK_EQ(ask(w.context, NULL, 0, &rgba8, &d, SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        CHECK_EQ(bytes, 4 * s->extent[0] * s->extent[1] * s->extent[2]);
        CHECK_EQ(ask(w.context, NULL, 0, &rgba8, &d, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                     sizeof row, &row, NULL),
                 CL_SUCCESS);
        CHECK_EQ(row, 4);
        CHECK_EQ(ask(w.context, NULL, 0, &rgba8, &d, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                     sizeof base, &base, NULL),
                 CL_SUCCESS);
        CHECK_EQ(base, 1);
        for (size_t less = 0; less < 2; less++) {
            cl_mem buffer = make_buffer(w.context, 0, bytes - less, NULL);
            d.mem_object = buffer;
            cl_int error = 1;
            cl_mem m = clCreateImage(w.context, 0, &rgba8, &d, NULL, &error);
            CHECK_EQ(error, less ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS);
            if (m)
                CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
            CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
        }
    }
    close_world(&w);
}

TEST(the_maximum_is_what_the_device_reports)
{
    struct world w = open_asking();
    const struct {
        cl_mem_object_type type;
        cl_image_requirements_info_ext name;
        cl_device_info device;
    } rows[] = {
        {CL_MEM_OBJECT_IMAGE1D, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, CL_DEVICE_IMAGE2D_MAX_WIDTH},
        {CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE},
        {CL_MEM_OBJECT_IMAGE2D, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_DEVICE_IMAGE2D_MAX_HEIGHT},
        {CL_MEM_OBJECT_IMAGE3D, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_DEVICE_IMAGE3D_MAX_HEIGHT},
        {CL_MEM_OBJECT_IMAGE3D, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, CL_DEVICE_IMAGE3D_MAX_DEPTH},
        {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
         CL_DEVICE_IMAGE_MAX_ARRAY_SIZE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cl_image_desc d = {.image_type = rows[i].type,
                                 .image_width = 1,
                                 .image_height = 1,
                                 .image_depth = 1,
                                 .image_array_size = 1};
        cl_uint most = 0;
        size_t reported = 0;
        CHECK_EQ(ask(w.context, NULL, 0, NULL, &d, rows[i].name, sizeof most, &most, NULL), CL_SUCCESS);
        CHECK_EQ(clGetDeviceInfo(w.device, rows[i].device, sizeof reported, &reported, NULL), CL_SUCCESS);
        CHECK_EQ(most, reported);
    }
    close_world(&w);
}
