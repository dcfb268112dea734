// clGetMemObjectInfo: every row of info/mem.def by the rules of all queries, and the values.
#include "memory_fixture.h"

typedef void *weft_host_ptr;

static const struct {
    cl_mem_info name;
    size_t size; // 0: an array, empty here
} rows[] = {
#define WEFT_INFO_VALUE(name, type, expression) {name, sizeof(type)},
#define WEFT_INFO_ARRAY(name, type, pointer, count) {name, 0},
#include "runtime/info/mem.def"
};

TEST(every_row_follows_the_rules_of_queries)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char value[64];
        size_t size = 99;
        CHECK_EQ(clGetMemObjectInfo(m, rows[i].name, 0, NULL, &size), CL_SUCCESS);
        CHECK_EQ(size, rows[i].size);
        CHECK_EQ(clGetMemObjectInfo(m, rows[i].name, rows[i].size, value, NULL), CL_SUCCESS);
        memset(value, 0xaa, sizeof value);
        CHECK_EQ(clGetMemObjectInfo(m, rows[i].name, sizeof value, value, &size), CL_SUCCESS);
        CHECK_EQ(size, rows[i].size);
        CHECK_EQ(value[size], 0xaa);
        if (rows[i].size)
            CHECK_EQ(clGetMemObjectInfo(m, rows[i].name, rows[i].size - 1, value, &size), CL_INVALID_VALUE);
        CHECK_EQ(clGetMemObjectInfo(NULL, rows[i].name, sizeof value, value, &size), CL_INVALID_MEM_OBJECT);
        CHECK_EQ(clGetMemObjectInfo((cl_mem)w.queue, rows[i].name, sizeof value, value, &size),
                 CL_INVALID_MEM_OBJECT);
    }
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_TYPE - 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

#define VALUE(m, name, type, expected)                                               \
    do {                                                                             \
        type got_;                                                                   \
        memset(&got_, 0xaa, sizeof got_);                                            \
        CHECK_EQ(clGetMemObjectInfo(m, name, sizeof got_, &got_, NULL), CL_SUCCESS); \
        CHECK_EQ(got_, expected);                                                    \
    } while (0)

TEST(values_are_those_of_the_object)
{
    struct world w = open_world(0);
    static char host[100];
    cl_mem m = make_buffer(w.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 100, host);
    VALUE(m, CL_MEM_TYPE, cl_mem_object_type, (cl_mem_object_type)CL_MEM_OBJECT_BUFFER);
    VALUE(m, CL_MEM_FLAGS, cl_mem_flags, (cl_mem_flags)(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR));
    VALUE(m, CL_MEM_SIZE, size_t, (size_t)100);
    VALUE(m, CL_MEM_HOST_PTR, void *, (void *)host);
    VALUE(m, CL_MEM_MAP_COUNT, cl_uint, 0u);
    VALUE(m, CL_MEM_CONTEXT, cl_context, w.context);
    VALUE(m, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, (cl_mem)NULL);
    VALUE(m, CL_MEM_OFFSET, size_t, (size_t)0);
    VALUE(m, CL_MEM_USES_SVM_POINTER, cl_bool, (cl_bool)CL_FALSE);
    VALUE(m, CL_MEM_REFERENCE_COUNT, cl_uint, 1u);
    CHECK_EQ(clRetainMemObject(m), CL_SUCCESS);
    VALUE(m, CL_MEM_REFERENCE_COUNT, cl_uint, 2u);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    VALUE(m, CL_MEM_REFERENCE_COUNT, cl_uint, 1u);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);

    cl_mem plain = make_buffer(w.context, CL_MEM_COPY_HOST_PTR, 100, host);
    VALUE(plain, CL_MEM_HOST_PTR, void *, NULL);
    CHECK_EQ(clReleaseMemObject(plain), CL_SUCCESS);
    close_world(&w);
}

TEST(sub_buffers_and_queued_commands_do_not_count_as_references)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL), sub = make_sub(m, 0, 128);
    cl_event gate = make_user_event(w.context);
    CHECK_EQ(clEnqueueFillBuffer(w.queue, m, "x", 1, 0, 1024, 1, &gate, NULL), CL_SUCCESS);
    VALUE(m, CL_MEM_REFERENCE_COUNT, cl_uint, 1u);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}
