#!/usr/bin/env python3
"""Writes the declarations of OpenCL C that Clang doesn't have itself: names of vector types, limits and constants,
as_type, fence flags, printf. Everything else (the built-in functions and their overloads) is in Clang's own table
(-fdeclare-opencl-builtins). Keep the text short: every compile parses it.

usage: frontend/prelude.py OUTPUT.inc   (a C array `weft_prelude`, NUL-terminated)
"""
import math
import sys

SIZES = (2, 3, 4, 8, 16)
INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")


def vectors(name):
    return [f"typedef {name} {name}{n} __attribute__((ext_vector_type({n})));" for n in SIZES]


def as_types(name):
    return [f"#define as_{name}{n}(x) __builtin_astype((x),{name}{n})" for n in ("",) + SIZES]


def hex_float(value):
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa}p{exponent}"


def constants(*names_and_suffixes):
    """Macros for the mathematical constants.

    names_and_suffixes: the suffix of the macros' names and that of the literals. Default: those of float and double.
    """
    values = {
        "E": math.e, "LN2": math.log(2), "LN10": math.log(10), "PI": math.pi, "PI_2": math.pi / 2,
        "PI_4": math.pi / 4, "1_PI": 1 / math.pi, "2_PI": 2 / math.pi, "SQRT2": math.sqrt(2),
        "SQRT1_2": math.sqrt(0.5),
        # Not quotients of rounded values: they may be off by one unit in the last place.
        "LOG2E": float.fromhex("0x1.71547652b82fep+0"), "LOG10E": float.fromhex("0x1.bcb7b1526e50ep-2"),
        "2_SQRTPI": float.fromhex("0x1.20dd750429b6dp+0"),
    }
    pairs = [names_and_suffixes] if names_and_suffixes else [("_F", "f"), ("", "")]
    return [f"#define M_{name}{suffix} {hex_float(value)}{letter}" for name, value in values.items() for suffix, letter in pairs]


def limits():
    table = [
        ("CHAR_BIT", "8"), ("CHAR_MAX", "127"), ("CHAR_MIN", "(-128)"), ("SCHAR_MAX", "127"), ("SCHAR_MIN", "(-128)"),
        ("UCHAR_MAX", "255"), ("SHRT_MAX", "32767"), ("SHRT_MIN", "(-32768)"), ("USHRT_MAX", "65535"),
        ("INT_MAX", "2147483647"), ("INT_MIN", "(-2147483647-1)"), ("UINT_MAX", "0xffffffffU"),
        ("LONG_MAX", "0x7fffffffffffffffL"), ("LONG_MIN", "(-0x7fffffffffffffffL-1)"),
        ("ULONG_MAX", "0xffffffffffffffffUL"),
        ("FLT_DIG", "6"), ("FLT_MANT_DIG", "24"), ("FLT_MAX_10_EXP", "+38"), ("FLT_MAX_EXP", "+128"),
        ("FLT_MIN_10_EXP", "-37"), ("FLT_MIN_EXP", "-125"), ("FLT_RADIX", "2"), ("FLT_MAX", "0x1.fffffep127f"),
        ("FLT_MIN", "0x1.0p-126f"), ("FLT_EPSILON", "0x1.0p-23f"),
        ("DBL_DIG", "15"), ("DBL_MANT_DIG", "53"), ("DBL_MAX_10_EXP", "+308"), ("DBL_MAX_EXP", "+1024"),
        ("DBL_MIN_10_EXP", "-307"), ("DBL_MIN_EXP", "-1021"), ("DBL_RADIX", "2"),
        ("DBL_MAX", "0x1.fffffffffffffp1023"), ("DBL_MIN", "0x1.0p-1022"), ("DBL_EPSILON", "0x1.0p-52"),
        ("HALF_DIG", "3"), ("HALF_MANT_DIG", "11"), ("HALF_MAX_10_EXP", "+4"), ("HALF_MAX_EXP", "+16"),
        ("HALF_MIN_10_EXP", "-4"), ("HALF_MIN_EXP", "-13"), ("HALF_RADIX", "2"), ("HALF_MAX", "0x1.ffcp15h"),
        ("HALF_MIN", "0x1.0p-14h"), ("HALF_EPSILON", "0x1.0p-10h"),
        ("MAXFLOAT", "0x1.fffffep127f"), ("HUGE_VALF", "__builtin_huge_valf()"), ("HUGE_VAL", "__builtin_huge_val()"),
        ("INFINITY", "__builtin_inff()"), ("NAN", '__builtin_nanf("")'),
        ("FP_ILOGB0", "INT_MIN"), ("FP_ILOGBNAN", "INT_MAX"),
        ("NULL", "__weft_null"),
        ("CLK_LOCAL_MEM_FENCE", "1"), ("CLK_GLOBAL_MEM_FENCE", "2"),
    ]
    return [f"#define {name} {value}" for name, value in table]


# A sampler is one word. Bit 0: normalized coordinates; bits 1-3: addressing mode; bits 4-5: filter (the
# encoding of cl_khr_spir and Clang).
SAMPLERS = """
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_FILTER_NEAREST 0x10
#define CLK_FILTER_LINEAR 0x20
""".strip().splitlines()

CHANNELS = """
R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH DEPTH_STENCIL sRGB sRGBx sRGBA sBGRA ABGR
SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 UNORM_INT_101010 SIGNED_INT8
SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 HALF_FLOAT FLOAT UNORM_INT24 UNORM_INT_101010_2
""".split()


def channels():
    # In the host API, channel orders are numbered from 0x10B0, and channel types from 0x10D0, in this order.
    orders = CHANNELS[:20]
    types = CHANNELS[20:]
    return [f"#define CLK_{n} {0x10B0 + i:#x}" for i, n in enumerate(orders)] + \
           [f"#define CLK_{n} {0x10D0 + i:#x}" for i, n in enumerate(types)] + \
           ["#define CLK_UNSIGNED_INT_RAW10_EXT 0x10e3", "#define CLK_UNSIGNED_INT_RAW12_EXT 0x10e4"]


SCALARS = """
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef uint cl_mem_fence_flags;
""".strip().splitlines()

ATOMICS = """
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200
typedef enum memory_scope {
memory_scope_work_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
#ifdef __opencl_c_atomic_scope_all_devices
memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
memory_scope_all_devices = memory_scope_all_svm_devices,
#endif
#ifdef __opencl_c_subgroups
memory_scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP,
#endif
} memory_scope;
typedef enum memory_order {
memory_order_relaxed = __ATOMIC_RELAXED,
memory_order_acquire = __ATOMIC_ACQUIRE,
memory_order_release = __ATOMIC_RELEASE,
memory_order_acq_rel = __ATOMIC_ACQ_REL,
#ifdef __opencl_c_atomic_order_seq_cst
memory_order_seq_cst = __ATOMIC_SEQ_CST,
#endif
} memory_order;
#define ATOMIC_VAR_INIT(x) (x)
#define ATOMIC_FLAG_INIT 0
#define CLK_IMAGE_MEM_FENCE 4
#endif
""".strip().splitlines()

# __builtin_assume_aligned becomes its argument: Clang 19 gives calls of it a type that it can't generate code
# for, and the hint has no benefit here.
REST = """
#ifdef __OPENCL_CPP_VERSION__
#define __weft_null nullptr
#define __weft_extern extern "C"
#else
#define __weft_null ((void*)0)
#define __weft_extern extern
#endif
#ifndef __opencl_c_generic_address_space
#define __opencl_c_named_address_space_builtins 1
#endif
#if defined(__opencl_c_subgroups) || defined(cl_intel_subgroups)
#define __opencl_subgroup_builtins 1
#endif
#ifdef __opencl_c_pipes
__weft_extern reserve_id_t __weft_null_reserve_id(void);
#define CLK_NULL_RESERVE_ID __weft_null_reserve_id()
#endif
#if defined(__opencl_c_device_enqueue) && (defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 200)
typedef int kernel_enqueue_flags_t;
typedef int clk_profiling_info;
typedef struct {
uint workDimension;
size_t globalWorkOffset[3];
size_t globalWorkSize[3];
size_t localWorkSize[3];
} ndrange_t;
#define MAX_WORK_DIM 3
#define CL_COMPLETE 0
#define CL_RUNNING 1
#define CL_SUBMITTED 2
#define CL_QUEUED 3
#define CLK_SUCCESS 0
#define CLK_ENQUEUE_FAILURE -101
#define CLK_INVALID_QUEUE -102
#define CLK_INVALID_NDRANGE -160
#define CLK_INVALID_EVENT_WAIT_LIST -57
#define CLK_DEVICE_QUEUE_FULL -161
#define CLK_INVALID_ARG_SIZE -51
#define CLK_EVENT_ALLOCATION_FAILURE -100
#define CLK_OUT_OF_RESOURCES -5
#define CLK_NULL_QUEUE 0
#define CLK_ENQUEUE_FLAGS_NO_WAIT 0
#define CLK_ENQUEUE_FLAGS_WAIT_KERNEL 1
#define CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP 2
#define CLK_PROFILING_COMMAND_EXEC_TIME 1
__weft_extern clk_event_t __weft_null_event(void);
#define CLK_NULL_EVENT __weft_null_event()
#endif
#define __half half
#define __builtin_assume_aligned(pointer, ...) (pointer)
#define kernel_exec(x,type) __kernel __attribute__((work_group_size_hint(x,1,1))) __attribute__((vec_type_hint(type)))
#define __kernel_exec(x,type) kernel_exec(x,type)
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ >= 120
#ifdef __OPENCL_CPP_VERSION__
extern "C"
#endif
int printf(__constant const char*,...) __attribute__((format(printf,1,2)));
#endif
""".strip().splitlines()


def prelude():
    lines = SCALARS[:]
    for name in INTEGERS + ("float",):
        lines += vectors(name) + as_types(name)
    # Before OpenCL C 1.2, `double` can be used only with the extension enabled. Programs enable it
    # themselves, so it is disabled again here.
    lines += ["#ifdef cl_khr_fp64", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable", *vectors("double"), *as_types("double"),
              "#pragma OPENCL EXTENSION cl_khr_fp64 : disable", "#endif"]
    # Many programs that use half don't enable the extension, so it stays enabled.
    lines += ["#ifdef cl_khr_fp16", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable", *vectors("half"), *as_types("half"),
              *constants("_H", "h"), "#endif"]
    for name in ("size_t", "ptrdiff_t", "intptr_t", "uintptr_t"):
        lines.append(f"#define as_{name}(x) __builtin_astype((x),{name})")
    # As a system header, the prelude causes no warnings, even with -Weverything. Nor does a program that
    # repeats `typedef unsigned int uint`, as many do.
    return ["#pragma GCC system_header"] + lines + limits() + constants() + SAMPLERS + channels() + ATOMICS + REST


def main():
    text = ("\n".join(prelude()) + "\n").encode() + b"\0"
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("// Made by lib/compiler/frontend/prelude.py.\nstatic const char weft_prelude[] = {\n")
        for i in range(0, len(text), 20):
            out.write(",".join(str(b) for b in text[i:i + 20]) + ",\n")
        out.write("};\n")


main()
