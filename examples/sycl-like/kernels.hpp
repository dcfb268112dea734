// What runs for each index: function objects that keep their arguments, as lambdas do in SYCL. The host's compiler
// compiles them, and so does Clang for SPIR-V.
#ifndef KERNELS_HPP
#define KERNELS_HPP

#ifdef __OPENCL_CPP_VERSION__
#define GLOBAL global
using Address = ulong;
#else
#include <cstddef>
#include <cstdint>
#define GLOBAL
using Address = std::uint64_t;
using std::size_t;
#endif

// A pointer to shared memory. OpenCL allows no pointers inside of a kernel's arguments, so it is kept as a number.
template <typename T> struct Pointer {
    Address address;
    GLOBAL T &operator[](size_t i) const
    {
        return reinterpret_cast<GLOBAL T *>(address)[i];
    }
};

// y = a * x + y
template <typename T> struct Axpy {
    T a;
    Pointer<const T> x;
    Pointer<T> y;
    void operator()(size_t i) const
    {
        y[i] = a * x[i] + y[i];
    }
};

// Each number becomes the mean of itself and its neighbours.
template <typename T> struct Smooth {
    Address count;
    Pointer<const T> in;
    Pointer<T> out;
    void operator()(size_t i) const
    {
        const T left = in[i == 0 ? i : i - 1], right = in[i + 1 == count ? i : i + 1];
        out[i] = (left + in[i] + right) / 3;
    }
};

#endif
