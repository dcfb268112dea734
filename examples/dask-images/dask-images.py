#!/usr/bin/env python3
"""A folder of images through a pipeline of OpenCL kernels, on the workers of a Dask cluster. Each worker owns a part of its
host's processors. The results are those of one process, bit by bit, even if a worker is killed in the middle.

dask-images.py [FOLDER] [--scheduler ADDRESS] [--workers N] [--timeout SECONDS] [--kill]     writes a folder `drawn`, and dask-images.png
dask-images.py --scaling ...                                             one worker, two, ... all: each with as much work
"""
import argparse
import asyncio
import collections
import contextlib
import glob
import logging
import math
import os
import signal
import socket
import sys
import tempfile
import time

try:
    import numpy as np
    import pyopencl as cl
    from distributed import CancelledError, Client, KilledWorker, LocalCluster, WorkerPlugin, get_worker
    from PIL import Image, ImageOps
except ImportError as e:
    print(f"skip: {e}. Pythons of pyenv or conda don't see Debian's packages: try /usr/bin/python3")
    sys.exit(77)

IMAGES, WIDTH, HEIGHT = 12, 1800, 1200  # if there is no folder
IMAGES_A_WORKER = 6  # with --scaling
PATIENCE = 60  # seconds, until a worker that was killed is gone
ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
UNFINISHED = ".unfinished."  # after the name of a result that is being written
DIED = "each worker that has tried it died"
SOURCE = """
constant float weight[5] = {0.2270f, 0.1946f, 0.1216f, 0.0541f, 0.0162f};

// Along rows (step = 1) or columns (step = width). At the edges the last pixel counts again.
kernel void blur(global const uchar4 *in, global uchar4 *out, int step, int last)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    int i = y * w + x, at = step == 1 ? x : y;
    float4 sum = weight[0] * convert_float4(in[i]);
    for (int k = 1; k < 5; k++)
        sum += weight[k] * (convert_float4(in[i - min(k, at) * step]) + convert_float4(in[i + min(k, last - at) * step]));
    out[i] = convert_uchar4_sat_rte(sum);
}

// Few colours, and dark lines where they change: a drawing of the image. From one colour to the next it takes a few steps,
// or noise would be seen wherever a plain area is about where they meet.
kernel void ink(global const uchar4 *in, global uchar4 *out)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), i = y * w + x;
    float4 dx = convert_float4(in[min(x + 1, w - 1) + y * w]) - convert_float4(in[max(x - 1, 0) + y * w]);
    float4 dy = convert_float4(in[min(y + 1, h - 1) * w + x]) - convert_float4(in[max(y - 1, 0) * w + x]);
    float edge = clamp((dot(dx.xyz, dx.xyz) + dot(dy.xyz, dy.xyz)) / 600.0f, 0.0f, 1.0f);
    float4 level = convert_float4(in[i]) / 43.0f;
    float4 few = (floor(level) + smoothstep(0.3f, 0.7f, level - floor(level))) * 51.0f;
    out[i] = convert_uchar4_sat_rte(few * (1.0f - edge));
}
"""


def first_device():
    """Of any platform: a driver may be installed whose device isn't there. If there is none, that is a RuntimeError."""
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:  # no platform is an error
        devices = []
    if not devices:
        raise RuntimeError("there is no OpenCL device")
    return devices[0]


class Pipeline:
    """The kernels on one part of the processors."""

    def __init__(self, part, parts):
        device = first_device()
        units = device.max_compute_units // parts
        self.is_shared = units == 0  # less than a unit for each: every part is the whole device
        if parts > 1 and units:
            device = device.create_sub_devices([cl.device_partition_property.EQUALLY, units])[part]
        self.units = device.max_compute_units
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, SOURCE).build()
        self.blur, self.ink = cl.Kernel(program, "blur"), cl.Kernel(program, "ink")

    def run(self, pixels):
        height, width, _ = pixels.shape
        flags, size = cl.mem_flags, (width, height)
        a = cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=pixels)
        b = cl.Buffer(self.context, flags.READ_WRITE, pixels.nbytes)
        launches = []
        for _ in range(3):
            launches.append(self.blur(self.queue, size, None, a, b, np.int32(1), np.int32(width - 1)))
            launches.append(self.blur(self.queue, size, None, b, a, np.int32(width), np.int32(height - 1)))
        launches.append(self.ink(self.queue, size, None, a, b))
        cl.wait_for_events(launches)  # an error if a kernel faults. The copy would succeed
        result = np.empty_like(pixels)
        cl.enqueue_copy(self.queue, result, b)
        return result


class OpenCL(WorkerPlugin):
    """Gives each worker its pipeline. A worker's part is the first that no other one of its host holds: a socket's name, which
    is free again when the worker ends, however it does. Workers that are bound to other processors don't share with this one."""

    name = "opencl"

    def __init__(self, workers_on_a_host):
        self.parts = workers_on_a_host

    def setup(self, worker):
        processors = hash(tuple(sorted(os.sched_getaffinity(0))))
        for part in range(self.parts):
            self.held = socket.socket(socket.AF_UNIX)
            try:
                # No file: a name of Linux that begins with a NUL.
                self.held.bind(f"\0dask-images {worker.scheduler.address} {processors} {part}")
                break
            except OSError:
                self.held.close()
        else:
            raise RuntimeError(f"{worker.name}: more than {self.parts} workers on this host's processors; use --workers")
        try:
            self.pipeline = Pipeline(part, self.parts)
        except cl.Error as e:  # it can't be sent
            raise RuntimeError(f"{worker.name}: {e}") from None


def has_shared_device(dask_worker):
    return dask_worker.plugins["opencl"].pipeline.is_shared


def load(path):
    """As it is to be seen: turned as the camera says. Grey with 16 bits becomes 8, which PIL's own conversion cuts off."""
    with Image.open(path) as image:
        image = ImageOps.exif_transpose(image)
        if image.mode.startswith("I"):
            image = Image.fromarray((np.asarray(image).clip(0, 65535) >> 8).astype(np.uint8))
        return np.asarray(image.convert("RGBA"))


def draw(path, result, pause=0):
    """A task: only names travel between processes. Returns the worker's name, and why there is no result, if so.
    A result appears as a whole, also if a worker is killed while it writes."""
    worker = get_worker()
    try:
        image = load(path)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as e:  # what PIL raises
        return str(worker.name), f"{path} can't be read: {e}"
    try:
        pixels = worker.plugins["opencl"].pipeline.run(image)
    except (cl.Error, MemoryError) as e:
        return str(worker.name), f"{path} can't be drawn: {e}"
    unfinished = f"{result}{UNFINISHED}{worker.id}"
    try:
        Image.fromarray(pixels).save(unfinished, format="png", compress_level=1)
        os.replace(unfinished, result)
    except OSError as e:
        return str(worker.name), f"{result} can't be written: {e.strerror}"
    time.sleep(pause)
    return str(worker.name), None


def remove_unfinished(results):
    """What killed workers have left, and those whose disk was full."""
    for result in results:
        for path in glob.glob(glob.escape(result + UNFINISHED) + "*"):
            os.remove(path)


def results_of(paths, folder):
    """The results' files: the name and .png; the whole name and .png for images that differ only in what follows the name."""
    stems = collections.Counter(os.path.splitext(os.path.basename(p))[0] for p in paths)
    results = []
    for path in paths:
        name = os.path.basename(path)
        stem = os.path.splitext(name)[0]
        result = os.path.join(folder, (stem if stems[stem] == 1 else name) + ".png")
        while result in results:
            result = result[:-4] + "-.png"
        results.append(result)
    return results


async def die():
    os.kill(os.getpid(), signal.SIGKILL)


def make_images(folder):
    """Hills in fog, each image others."""
    paths = []
    y, x = (places / np.float32(HEIGHT) for places in np.ogrid[0:HEIGHT, 0:WIDTH])
    for n in range(IMAGES):
        random = np.random.RandomState(n)
        image = np.dstack([np.repeat(first + step * y, WIDTH, 1) for first, step in ((120, 90), (150, 60), (220, -40))])
        for layer in range(5):
            line = 0.35 + 0.13 * layer
            for octave in range(1, 6):
                line = line + 0.12 / octave ** 1.4 * np.sin((1.7 ** octave * 2 * x + 6.3 * random.rand()))
            colour = np.array([90 - 14 * layer, 130 - 12 * layer, 150 - 26 * layer]) + random.randint(-20, 20, 3)
            image[y > line] = 0.25 * image[y > line] + 0.75 * colour.astype(np.float32)
        image += random.randint(-6, 7, image.shape, np.int8)
        paths.append(os.path.join(folder, f"{n:02}.png"))
        Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).save(paths[-1], compress_level=1)
    return paths


def sheet(path, results):
    """All results; the frame's colour says which worker it was."""
    colours = [(230, 90, 60), (60, 140, 230), (90, 180, 80), (220, 180, 50), (150, 90, 200), (80, 190, 190)]
    names = sorted({name for _, name in results})
    page = Image.new("RGB", (4 * 150, -(-len(results) // 4) * 104), "white")
    for n, (result, name) in enumerate(results):
        place = (n % 4 * 150 + 2, n // 4 * 104 + 2)
        page.paste(colours[names.index(name) % len(colours)], (*place, place[0] + 146, place[1] + 100))
        with Image.open(result) as image:
            page.paste(image.convert("RGB").resize((138, 92)), (place[0] + 4, place[1] + 4))
    page.quantize(256).save(path, optimize=True)


def give_up(why):
    logging.disable()  # of Dask, which is closed now: it reports whatever doesn't come any more
    sys.exit(f"dask-images: {why}")


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as e:
        sys.exit(f"dask-images: {path} can't be made: {e.strerror}")
    return path


def outcomes(client, futures, paths, seconds, needed=frozenset()):
    """Yields of each image its place and what `draw` has returned, when that is there. Ends the program if for so many seconds
    there is no worker, or one is gone that is needed: without it, tasks would wait for ever."""
    waiting, complete, next_look = dict(enumerate(futures)), time.monotonic(), 0
    while waiting:
        for place, future in list(waiting.items()):
            if future.status == "cancelled":  # all are, if the scheduler is gone
                raise CancelledError
            if future.status == "finished":
                try:
                    outcome = future.result(timeout=seconds)
                except asyncio.TimeoutError:  # the worker that had it is gone
                    continue
            elif future.status == "error":
                e = future.exception(timeout=seconds)
                outcome = None, f"{paths[place]} can't be drawn: {DIED if isinstance(e, KilledWorker) else repr(e)}"
            else:
                continue
            del waiting[place]
            yield place, outcome
        now = time.monotonic()
        if waiting and now > next_look:
            present, next_look = set(client.scheduler_info()["workers"]), now + 1
            if present and needed <= present:
                complete = now
            elif now > complete + seconds:
                gone = f"{len(needed - present)} of {len(needed)} workers are gone" if present else "there is no worker"
                give_up(f"since {seconds:g} s {gone}; nothing was heard of {len(waiting)} of {len(paths)} images")
        time.sleep(0.02)


def run(client, paths, folder, options, written):
    """Returns of each image its file, the result's, the worker, and why there is no result. `written` gets the results' files."""
    killed, files, before, results = None, results_of(paths, folder), min(3, len(paths) - 1), {}
    written += files
    futures = client.map(draw, paths, files, pause=0.3 if options.kill else 0)
    for count, (place, outcome) in enumerate(outcomes(client, futures, paths, options.timeout), 1):
        results[place] = outcome
        if options.kill and count == before:
            # One that is at work. Its tasks are done by the others, and by the one that takes its place.
            killed = max(client.processing().items(), key=lambda of: len(of[1]))[0]
            name = client.scheduler_info()["workers"][killed]["name"]
            client.run(die, workers=[killed], wait=False)
            print(f"after {count} image{'s' * (count > 1)}: worker {name} is killed")
    # A worker's death is counted against all images that it had. Alone, each shows whether it was the one.
    blamed = [place for place, (_, why) in results.items() if why and why.endswith(DIED)]
    for place in blamed if len(blamed) > 1 else ():
        again = client.submit(draw, paths[place], files[place], pure=False)
        results[place] = next(outcomes(client, [again], [paths[place]], options.timeout))[1]
    end = time.monotonic() + PATIENCE  # until the scheduler has seen it
    while killed and killed in client.scheduler_info()["workers"]:
        if time.monotonic() > end:
            sys.exit("dask-images: the worker that was to be killed is still there")
        time.sleep(0.1)
    names = {name for name, why in results.values() if not why}
    drawn = sum(not why for _, why in results.values())
    print(f"{drawn} image{'s' * (drawn != 1)} on {len(names)} worker{'s' * (len(names) != 1)}")
    return [(path, file, *results[place]) for place, (path, file) in enumerate(zip(paths, files))]


def print_scaling(client, paths, folder, options, written):
    """Each worker has some images: how much longer do more take?"""
    workers, alone = sorted(client.scheduler_info()["workers"]), 0
    for count in range(1, len(workers) + 1):
        images = [paths[i % len(paths)] for i in range(IMAGES_A_WORKER * count)]
        files = [""] * len(images)
        for i in range(count):
            files[i::count] = results_of(images[i::count], make_folder(os.path.join(folder, str(i))))
        written += files
        start = time.monotonic()
        # Each worker has images of its own. pure=False: those that were drawn before are drawn again.
        futures = [client.submit(draw, path, file, workers=[workers[i % count]], pure=False) for i, (path, file) in enumerate(zip(images, files))]
        results = dict(outcomes(client, futures, images, options.timeout, set(workers[:count])))
        seconds = time.monotonic() - start
        alone = alone or seconds
        print(f"{count} worker{'s' * (count > 1)}: {len(images)} images in {seconds:.2f} s, {len(images) / seconds:.1f} images a second, "
              f"efficiency {100 * alone / seconds:.0f} %")
    return [(path, file, *results[place]) for place, (path, file) in enumerate(zip(images, files))]


def connect(to_close, cluster, workers, seconds):
    """Ends the program if there aren't as many workers within that time: without one, it would wait for ever."""
    try:
        client = to_close.enter_context(Client(cluster, timeout=seconds))
    except (OSError, ValueError, asyncio.TimeoutError) as e:  # ValueError: that is no address
        sys.exit(f"dask-images: the scheduler {cluster} can't be reached: {e}")
    try:
        client.wait_for_workers(workers, timeout=seconds)
    except (OSError, asyncio.TimeoutError):
        found = len(client.scheduler_info()["workers"])
        sys.exit(f"dask-images: after {seconds:g} s there are {found} of {workers} workers")
    return client


def work(options, paths):
    """With a cluster. Returns the exit status."""
    if options.kill and len(paths) < 2:
        sys.exit("dask-images: --kill needs two images, or there is no middle")
    try:
        first_device()  # this process compares; without a driver, workers would fail as well
    except RuntimeError as e:
        sys.exit(f"dask-images: {e}")
    written = []
    try:
        with contextlib.ExitStack() as to_close:
            cluster = options.scheduler or to_close.enter_context(LocalCluster(n_workers=options.workers, threads_per_worker=1))
            client = connect(to_close, cluster, 1 if options.scheduler else options.workers, options.timeout)
            results = draw_all(client, paths, options, written)
            if not options.scheduler:
                # A worker may have died. Dask complains of one that ends while it starts.
                with contextlib.suppress(OSError, asyncio.TimeoutError):
                    client.wait_for_workers(options.workers, timeout=options.timeout)
    finally:
        remove_unfinished(set(written))
    return compare(results, options)


def draw_all(client, paths, options, written):
    drawn = make_folder(os.path.abspath("drawn"))
    try:
        try:
            client.register_worker_plugin(OpenCL(options.workers))
        except RuntimeError as e:
            sys.exit(f"dask-images: a worker can't begin: {e}")
        sharing = sum(client.run(has_shared_device).values())
        if sharing:
            print(f"dask-images: --workers {options.workers} is more than the device has compute units: {sharing} workers have the whole "
                  "device each", file=sys.stderr)
        return (print_scaling if options.scaling else run)(client, paths, drawn, options, written)
    except (CancelledError, asyncio.TimeoutError, OSError):
        give_up("the scheduler is lost")


def compare(results, options):
    """With those of one process. Returns the exit status."""
    missing = sorted({why for _, _, _, why in results if why})
    for why in missing:
        print(f"dask-images: {why}", file=sys.stderr)
    results = [(path, file, worker) for path, file, worker, why in results if not why]
    if not results:
        return 1
    alone = Pipeline(0, 1)
    try:
        right = all(np.array_equal(load(file), alone.run(load(path))) for path, file, _ in results)
    except (cl.Error, MemoryError) as e:
        sys.exit(f"dask-images: this process can't compare: {e}")
    print("the results are", "those of one process" if right else "WRONG")
    if not options.scaling:
        try:
            sheet("dask-images.png", [(file, worker) for _, file, worker in results])
        except OSError as e:
            sys.exit(f"dask-images: dask-images.png can't be written: {e.strerror}")
        print("image: dask-images.png")
    return 0 if right and not missing else 1


def at_least_one(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too few")
    return number


def seconds(text):
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no time to wait")
    return number


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", nargs="?", help=f"of images ({', '.join(ENDINGS)}); by default some are made")
    options.add_argument("--scheduler", help="of a cluster that runs already; its workers see this folder")
    options.add_argument("--workers", type=at_least_one, default=2, help="on a host, or on the same of its processors")
    options.add_argument("--timeout", type=seconds, default=60, help="seconds to wait for the scheduler and workers; 60")
    options.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    options.add_argument("--scaling", action="store_true")
    parser, options = options, options.parse_args()
    if options.kill and options.scaling:
        parser.error("--kill and --scaling don't go together")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what is to be removed then is, too
    if not options.folder:
        try:
            made = tempfile.TemporaryDirectory(prefix="dask-images-", dir=".")
        except OSError as e:
            sys.exit(f"dask-images: there can't be a folder of images here: {e.strerror}")
        with made:
            return work(options, make_images(os.path.abspath(made.name)))
    if not os.path.isdir(options.folder):
        sys.exit(f"dask-images: there is no folder {options.folder}")
    if os.path.realpath(options.folder) == os.path.realpath("drawn"):
        sys.exit("dask-images: the folder `drawn` is for the results")
    names = sorted(n for n in os.listdir(options.folder) if os.path.isfile(os.path.join(options.folder, n)))
    paths = [os.path.abspath(os.path.join(options.folder, n)) for n in names if n.lower().endswith(ENDINGS)]
    if len(paths) < len(names):
        print(f"dask-images: {len(names) - len(paths)} of {len(names)} files are left out, which don't end in {', '.join(ENDINGS)}",
              file=sys.stderr)
    if not paths:
        sys.exit(f"dask-images: there are no images in {options.folder}")
    return work(options, paths)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("dask-images: interrupted")
