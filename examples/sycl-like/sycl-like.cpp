// Single-source C++ without a SYCL compiler: queue.parallel_for(n, Function{...}) runs function objects on a device. The
// same objects are compiled ahead of time to SPIR-V (kernels.clcpp).
// sycl-like [kernels.spv]
#define CL_HPP_TARGET_OPENCL_VERSION 210
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include "kernels.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

// The kernel of a function object.
template <typename F> const char *kernel_name();
template <> const char *kernel_name<Axpy<float>>()
{
    return "axpy_float";
}
template <> const char *kernel_name<Axpy<int>>()
{
    return "axpy_int";
}
template <> const char *kernel_name<Smooth<float>>()
{
    return "smooth_float";
}

class Queue
{
  public:
    Queue(const cl::Device &device, const std::vector<char> &module)
        : context_(device), queue_(context_, device), program_(context_, module)
    {
        program_.build(device);
    }
    ~Queue()
    {
        // Not queue_.finish(): that throws, which ends the program if another exception has called this.
        (void)clFinish(queue_());
        for (void *memory : shared_)
            clSVMFree(context_(), memory);
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    // Memory that host and device use under the same address. It lives as long as the queue.
    template <typename T> T *malloc_shared(size_t count)
    {
        void *memory =
            clSVMAlloc(context_(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, count * sizeof(T), 0);
        if (!memory)
            throw std::bad_alloc();
        shared_.push_back(memory);
        return static_cast<T *>(memory);
    }

    // Calls function(i) on the device for each i below n. The object is copied, with the pointers in it.
    template <typename F> void parallel_for(size_t n, const F &function)
    {
        cl::Kernel kernel(program_, kernel_name<F>());
        kernel.setArg(0, sizeof function, &function);
        // The driver can't see pointers in objects, so it is told of all shared memory.
        const cl_int error = clSetKernelExecInfo(kernel(), CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                                 shared_.size() * sizeof(void *), shared_.data());
        if (error != CL_SUCCESS)
            throw cl::Error(error, "clSetKernelExecInfo");
        queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n));
    }

    void wait()
    {
        queue_.finish();
    }

  private:
    cl::Context context_;
    cl::CommandQueue queue_;
    cl::Program program_;
    std::vector<void *> shared_;
};

// The first device of any platform that takes SPIR-V and shares memory without mapping.
static bool find_device(cl::Device &found)
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const auto &platform : platforms) {
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        for (const auto &device : devices) {
            char languages[1024] = "";
            cl_device_svm_capabilities svm = 0;
            clGetDeviceInfo(device(), CL_DEVICE_IL_VERSION, sizeof languages, languages, nullptr);
            clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, nullptr);
            if (std::string(languages).find("SPIR-V_1.") != std::string::npos &&
                (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
                found = device;
                return true;
            }
        }
    }
    return false;
}

// Launches the function on the device, and calls the same function of other memory here.
template <typename F> static void run_both(Queue &queue, size_t n, const F &on_device, const F &on_host)
{
    queue.parallel_for(n, on_device);
    for (size_t i = 0; i < n; i++)
        on_host(i);
}

static Address address(const void *pointer)
{
    return reinterpret_cast<Address>(pointer);
}

template <typename T> static int count_wrong(const T *result, const std::vector<T> &expected)
{
    int wrong = 0;
    for (size_t i = 0; i < expected.size(); i++)
        wrong +=
            !(std::fabs((double)result[i] - (double)expected[i]) <= 1e-5 * std::fabs((double)expected[i]));
    return wrong;
}

static int run(const std::string &path)
{
    const size_t n = 100000;
    cl::Device device;
    if (!find_device(device)) {
        std::cerr << "sycl-like: there is no OpenCL device with SPIR-V and fine-grained shared memory\n";
        return 77;
    }
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> module{std::istreambuf_iterator<char>(file), {}};
    if (module.empty())
        throw std::runtime_error("cannot read " + path + " (start it in its folder, or name the file)");

    Queue queue(device, module);
    float *x = queue.malloc_shared<float>(n), *y = queue.malloc_shared<float>(n),
          *z = queue.malloc_shared<float>(n);
    int *i = queue.malloc_shared<int>(n), *j = queue.malloc_shared<int>(n);
    for (size_t k = 0; k < n; k++) {
        x[k] = (float)(k % 1000);
        y[k] = (float)(k % 7);
        i[k] = (int)k;
        j[k] = -(int)k;
    }
    std::vector<float> a(x, x + n), b(y, y + n), c(n);
    std::vector<int> d(i, i + n), e(j, j + n);

    run_both(queue, n, Axpy<float>{0.5f, {address(x)}, {address(y)}},
             Axpy<float>{0.5f, {address(a.data())}, {address(b.data())}});
    run_both(queue, n, Smooth<float>{n, {address(y)}, {address(z)}},
             Smooth<float>{n, {address(b.data())}, {address(c.data())}});
    run_both(queue, n, Axpy<int>{3, {address(i)}, {address(j)}},
             Axpy<int>{3, {address(d.data())}, {address(e.data())}});
    queue.wait();

    const int wrong = count_wrong(y, b) + count_wrong(z, c) + count_wrong(j, e);
    std::cout << "3 launches, " << wrong << " of " << 3 * n << " numbers wrong\n";
    return wrong != 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc > 1 && argv[1][0] == '-')) {
        std::cerr << "usage: sycl-like [kernels.spv]\n";
        return 2;
    }
    try {
        return run(argc > 1 ? argv[1] : "kernels.spv");
    } catch (const cl::BuildError &e) {
        for (const auto &log : e.getBuildLog())
            std::cerr << log.second << '\n';
        std::cerr << "sycl-like: the program doesn't build\n";
    } catch (const cl::Error &e) {
        std::cerr << "sycl-like: " << e.what() << " failed with error " << e.err()
                  << (std::strcmp(e.what(), "clGetPlatformIDs") == 0 ? " (is a driver installed?)\n" : "\n");
    } catch (const std::exception &e) {
        std::cerr << "sycl-like: " << e.what() << '\n';
    }
    return 1;
}
