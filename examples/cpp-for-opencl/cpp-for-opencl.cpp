// Draws a fractal with a kernel in C++ for OpenCL (fractal.clcpp), started by opencl.hpp. Kernel and host share newton.hpp.
// cpp-for-opencl [IMAGE.png [FOLDER]]        FOLDER: where fractal.clcpp and newton.hpp are
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include "newton.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <png.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// The file as a string.
static std::string read_file(const std::string &path)
{
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw std::runtime_error("cannot read " + path + " (start it in its folder, or name the file)");
    return text.str();
}

// The same in plain C++.
static void draw(std::vector<cl_uchar4> &image, int size, int limit)
{
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            Complex z{3.0f * x / size - 1.5f, 3.0f * y / size - 1.5f};
            const int steps = newton<5>(z, limit);
            const float angle = std::atan2(z.im, z.re), light = 1.0f - (float)steps / limit;
            const auto wave = [=](float shift) {
                return (cl_uchar)std::lrint(255.0f * light * (0.6f + 0.4f * std::cos(angle + shift)));
            };
            image[y * size + x] = {{wave(0.0f), wave(2.1f), wave(4.2f), 255}};
        }
}

// The first device of any platform that compiles C++ for OpenCL.
static bool find_device(cl::Device &found)
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const auto &platform : platforms) {
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        for (const auto &device : devices)
            if (device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_ext_cxx_for_opencl") != std::string::npos) {
                found = device;
                return true;
            }
    }
    return false;
}

static int run(const char *path, const std::string &folder)
{
    const int size = 240, limit = 32;
    cl::Device device;
    if (!find_device(device)) {
        std::cerr << "cpp-for-opencl: there is no OpenCL device with cl_ext_cxx_for_opencl\n";
        return 77;
    }
    // Every object releases itself, and every error is an exception.
    cl::Context context(device);
    cl::CommandQueue queue(context, device);
    cl::Program program(context, read_file(folder + "/fractal.clcpp"));
    program.build(device, ("-cl-std=CLC++ -I " + folder).c_str());
    cl::KernelFunctor<cl::Buffer, int, int> fractal(program, "fractal");

    std::vector<cl_uchar4> image(size * size), expected(size * size);
    cl::Buffer buffer(context, CL_MEM_WRITE_ONLY, image.size() * sizeof image[0]);
    fractal(cl::EnqueueArgs(queue, cl::NDRange(size, size)), buffer, size, limit);
    cl::copy(queue, buffer, image.begin(), image.end());

    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = png.height = size;
    png.format = PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&png, path, 0, image.data(), 0, nullptr)) {
        std::cerr << "cpp-for-opencl: cannot write " << path << ": " << png.message << '\n';
        return 1;
    }

    // Where the basins meet, the last bit of a number decides.
    draw(expected, size, limit);
    const auto differ = [](const cl_uchar4 &a, const cl_uchar4 &b) {
        return std::abs(a.s[0] - b.s[0]) > 1 || std::abs(a.s[1] - b.s[1]) > 1 ||
               std::abs(a.s[2] - b.s[2]) > 1;
    };
    int different = 0;
    for (std::size_t i = 0; i < image.size(); i++)
        different += differ(image[i], expected[i]);
    const bool right = different < size * size / 100;
    std::cout << "image: " << path << ", which is " << (right ? "right" : "WRONG") << '\n';
    return !right;
}

int main(int argc, char **argv)
{
    if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
        std::cerr << "usage: cpp-for-opencl [IMAGE.png [FOLDER]]\n";
        return 2;
    }
    try {
        return run(argc > 1 ? argv[1] : "cpp-for-opencl.png", argc > 2 ? argv[2] : ".");
    } catch (const cl::BuildError &e) {
        for (const auto &log : e.getBuildLog())
            std::cerr << log.second << '\n';
        std::cerr << "cpp-for-opencl: the program doesn't build\n";
    } catch (const cl::Error &e) {
        std::cerr << "cpp-for-opencl: " << e.what() << " failed with error " << e.err()
                  << (std::strcmp(e.what(), "clGetPlatformIDs") == 0 ? " (is a driver installed?)\n" : "\n");
    } catch (const std::exception &e) {
        std::cerr << "cpp-for-opencl: " << e.what() << '\n';
    }
    return 1;
}
