"""ffmpeg's OpenCL filters on Weft, which read and write frames as images, give what its own filters give.

Where the two differ by ffmpeg's own doing (how they round, what they take a frame's edge or a chroma plane for), the bounds
are a little below what other OpenCL implementations reach, which all give the same frames.
"""
import re
from common import expect, need, run, skip

FILTERS = [  # name, pixel format, with OpenCL, without, least PSNR in dB (None: equal)
    ("erosion", "yuv420p", "erosion_opencl", "erosion", None),
    ("dilation", "yuv420p", "dilation_opencl", "dilation", None),
    ("transpose", "yuv420p", "transpose_opencl=1", "transpose=1", None),
    ("pad", "yuv420p", "pad_opencl=400:300:10:20", "pad=400:300:10:20", None),
    ("avgblur", "yuv420p", "avgblur_opencl=sizeX=3", "avgblur=sizeX=3", 45),
    ("boxblur", "yuv420p", "boxblur_opencl=2:1", "boxblur=2:1", 51),
    ("unsharp", "yuv420p", "unsharp_opencl", "unsharp", 48),
    ("convolution", "yuv420p", "convolution_opencl=0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0",
     "convolution=0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0", 51),
    ("sobel of gray", "gray", "sobel_opencl", "sobel", 60),
    ("prewitt of gray", "gray", "prewitt_opencl", "prewitt", 60),
    ("roberts of gray", "gray", "roberts_opencl", "roberts", 60),
    ("nlmeans", "yuv420p", "nlmeans_opencl=2", "nlmeans=2", 32),
    ("copy of nv12", "nv12", "convolution_opencl=0 0 0 0 1 0 0 0 0:0 0 0 0 1 0 0 0 0", "null", None),
]


def psnr(ffmpeg, name, pixels, filtered, plain):
    graph = (f"format={pixels},split[a][b];[a]hwupload,{filtered},hwdownload,format={pixels}[x];"
             f"[b]{plain},format={pixels}[y];[x][y]psnr")
    status, out, err = run([ffmpeg, "-hide_banner", "-nostats", "-init_hw_device", "opencl=weft:0.0", "-filter_hw_device", "weft",
                            "-f", "lavfi", "-i", "testsrc2=size=318x202:rate=5", "-lavfi", graph, "-frames:v", "3",
                            "-f", "null", "-"], timeout=200)
    expect(status == 0, f"{name}: exit status {status}", err)
    found = re.search(r"PSNR .*average:(\S+)", err)
    expect(found, f"{name}: no result", err)
    return float(found.group(1))


def main():
    ffmpeg = need("ffmpeg")
    status, out, err = run([ffmpeg, "-hide_banner", "-filters"])
    if "avgblur_opencl" not in out:
        skip("this ffmpeg is built without OpenCL")
    status, out, err = run([ffmpeg, "-hide_banner", "-loglevel", "verbose", "-init_hw_device", "opencl=weft:0.0"])
    expect("Weft" in err, "another device", err)
    for name, pixels, filtered, plain, least in FILTERS:
        got = psnr(ffmpeg, name, pixels, filtered, plain)
        expect(got == float("inf") if least is None else got >= least, f"{name}: {got} dB, not {least or 'equal'}")
        print(f"{name}: {got} dB")


main()
