// A context and its queue, for all tests of a file.
#ifndef WEFT_TESTS_QUEUE_FIXTURE_H
#define WEFT_TESTS_QUEUE_FIXTURE_H

#include "api.h"

static cl_context context;
static cl_command_queue queue;

static void open_all(void)
{
    context = new_context();
    queue = new_queue(context, 0);
}

static void close_all(void)
{
    OK(clFinish(queue));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

#endif
