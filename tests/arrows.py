#!/usr/bin/env python3
"""Fails when one folder depends on another that it must not know.

A folder may depend on itself, on include/weft, and on what MAY lists for it. This is checked twice:

  * includes: the text of every .c .h .cpp .def below icd, include and lib. An include names a file by its path below lib/.
  * calls: with --objects BUILD the symbols of the built objects. An include doesn't show a call whose prototype stands in a
    lower folder's header; `nm` does. Every source must have been built. A header declares no function that another folder
    defines. Files of one folder must not call each other in a circle, except for those that CIRCLES lists with a reason.
    What MAY lists must be used, by an include or a call.

Other rules, read from the includes:

  * CL/*.h only in icd, lib/runtime, lib/tools and include/weft/cl_ext_weft.h;
  * hwloc only in lib/scheduler/topology.c; LLVM, Clang and lld headers only in lib/compiler;
  * icd/api.def, the list of entry points, is open to all;
  * C++ only as *.cpp of lib/compiler/bridge and its folder clang;
  * a struct, function or variable of a header has function pointers only if POINTERS lists it with a reason;
  * what names a processor (its headers, macros, registers, instructions, models, LLVM's intrinsics for it) only in folders
    called arch.

usage: arrows.py SOURCE_ROOT [--objects BUILD] | arrows.py --self-test
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def below(prefix, *names):
    return {prefix + "/" + n for n in names}


# Folder -> folders that it may depend on. base and base/arch may be used by all, base/fault, base/text and
# base/trace by all outside of base, compiler/arch by all of weftc; a folder may always use itself and
# include/weft.
MAY = {
    "include": set(),
    "base": {"base/arch", "base/libc"},
    "base/arch": set(),
    "base/libc": set(),  # what C libraries differ in: for everybody
    "base/fault": {"base", "base/arch"},  # guarded calls, behind include/weft/fault.h: for everybody but base
    "base/text": {"base"},  # reads text that others have made: for everybody but base
    "base/trace": {"base", "base/text"},  # the timeline, behind include/weft/trace.h: likewise
    "scheduler": set(),
    "kernel-builtins": set(),
    # weftc. What a stage takes and leaves is in compiler/compiler.h, which all of weftc may include.
    "compiler": set(),
    "compiler/bridge": set(),
    "compiler/bridge/clang": below("compiler", "bridge"),
    "compiler/arch": below("compiler", "bridge"),
    "compiler/ir": below("compiler", "bridge"),
    "compiler/ir/passes": below("compiler", "ir", "bridge"),
    "compiler/frontend": below("compiler", "ir", "bridge/clang", "bridge"),
    "compiler/spirv": below("compiler", "frontend", "ir"),
    "compiler/link": below("compiler", "ir", "bridge"),
    "compiler/checker": below("compiler", "checker/races", "ir", "bridge"),
    "compiler/checker/races": below("compiler", "checker", "ir", "bridge"),
    "compiler/prepare": below("compiler", "checker", "ir/passes", "link", "ir", "bridge"),
    "compiler/regions": below("compiler", "ir", "bridge"),
    "compiler/shapes": below("compiler", "ir", "bridge"),
    "compiler/vectorize/access": below("compiler", "shapes", "ir", "bridge"),
    "compiler/vectorize/legalize": below("compiler", "vectorize/access", "shapes", "ir/passes", "ir", "bridge"),
    "compiler/vectorize/cost": below("compiler", "vectorize/legalize", "vectorize/access", "shapes", "ir"),
    "compiler/vectorize/emit": below("compiler", "vectorize/legalize", "vectorize/access", "shapes", "ir", "bridge"),
    "compiler/vectorize": below("compiler", "vectorize/emit", "vectorize/cost", "vectorize/legalize", "vectorize/access",
                                "shapes", "prepare", "ir", "bridge"),
    "compiler/workitem_loops": below("compiler", "ir", "bridge"),
    "compiler/codegen": below("compiler", "ir/passes", "ir", "bridge"),
    "compiler/driver": below("compiler", "frontend", "spirv", "link", "checker", "prepare", "regions", "vectorize",
                             "workitem_loops", "codegen", "ir", "bridge"),
    "compiler/pack": below("compiler", "bridge"),
    # libweft.so.
    "runtime/core": {"scheduler"},
    "runtime/compiler": {"scheduler"},
    "runtime/perf": set(),
    "runtime/device": {"scheduler"} | below("runtime", "checker", "core"),
    "runtime/command": {"scheduler"} | below("runtime", "checker", "device", "core"),
    "runtime/memory": {"scheduler"} | below("runtime", "checker", "command", "device", "core"),
    "runtime/checker": set(),
    "runtime/image": below("runtime", "memory", "device", "core"),
    "runtime/code": {"scheduler"} | below("runtime", "checker", "command", "compiler", "perf", "device", "core"),
    "runtime/program": below("runtime", "checker", "code", "compiler", "device", "core", "memory", "image"),
    "runtime/launch": {"scheduler"} | below("runtime", "checker", "program", "code", "image", "memory", "command", "device", "core"),
    "runtime/command_buffer": {"scheduler"} | below("runtime", "launch", "program", "code", "memory", "command", "device", "core"),
    "runtime/check": below("runtime", "checker", "program", "image", "memory", "command", "device", "core"),
    # Rows of queries: the file that includes them includes what they need.
    "runtime/info": below("runtime", "core"),
    "runtime/api": {"scheduler"} | below("runtime", "check", "checker", "info", "command_buffer", "launch", "program", "code", "image",
                                         "memory", "compiler", "command", "device", "core"),
    # The table of all kinds of objects, above all of them.
    "runtime": below("runtime", "command_buffer", "program", "image", "memory", "command", "device", "core"),
    "icd": below("runtime", "api", "device"),
    # The command `weft`: it uses the driver as programs do, through its table of functions.
    "tools": set(),
}
# Of a folder that may be used, the only files that may be called: (who, whom) -> files.
ONLY = {
    ("compiler/vectorize", "compiler/prepare"): {"swap_dimensions.c"},
}
# Names that anybody may use, wherever they are defined, and why.
EXCEPTIONS = {
    "weft_dispatch_in_use",  # icd/dispatch.c: likewise
    "weft_dispatch",  # icd/dispatch.c: the first word of every object is its address (cl_khr_icd)
    "weft_kinds",  # runtime/kinds.c: what each kind of object does when it goes; core declares it, and knows no kind
}
# Headers that every folder of a component may include: what its stages hand to each other.
OPEN = {"lib/compiler/compiler.h": "compiler", "icd/api.def": ""}
# Structs, functions and variables of headers that have function pointers, and why a pointer is right there. A
# pointer hides who is called: no other rule sees it.
POINTERS = {
    "weft_clone": "clone(2), as the C library declares it: what the new process runs",
    # An upper folder says what is to be done. The lower one does it at the right time, and knows nothing of
    # what it is.
    "weft_task": "what a task runs: the scheduler knows no commands",
    "weft_range_rules": "until when a waiting thread takes part in a range: the waiter's condition is its own",
    "weft_callback": "what runs on the callback thread",
    "weft_misuse_set_leaks": "who counts the objects that are left: checker/ knows no objects",
    "weft_kind": "what each kind of object does when it goes: kinds.c fills the table, core/ knows no kind",
    "weft_command": "what a command does when it runs, can run and has run: command/ knows no launches and transfers",
    "weft_replay_ops": "what a recorded launch does before and after each replay: command_buffer/ doesn't know what is recorded",
    "weft_command_kernel_name": "a launch's name in the timeline: command/ knows no kernels, launch/ gives the function",
    "weft_order": "what is compared once a launch has its place in the order: checker/ knows no launches",
    "weft_waiting": "what goes on when the last child of a command is complete",
    "weft_compile_job": "what is to be compiled: the queue knows no builds and kernels",
    "weft_private_thread": "what a thread with its own descriptor table runs",
    "weft_variables_ops": "what launches do with variables of a build: initializing and finalizing runs kernels, and code/ can't launch",
    "weftc_vec_callees": "how a called function is vectorized: legalize/ collects the functions, vectorize/ attempts them",
    "weft_bridge_source": "who notes the files that Clang has read: bridge/ knows no requests",
    "weft_program_names": "which libraries are loaded: a test answers in place of the dynamic linker",
    "weft_config_handler": "what is done with a file's settings and mistakes: the parser knows neither tables nor the log",
    "weft_command_buffer_remap": "the check of a launch on a new device: api/ gives check/'s function, since command_buffer/ is below check/",
    "weft_semaphore_watch_start": "hands waits over: the thread that watches knows no queues, semaphore.c knows them and starts it",
    "weft_compile_queue_conclude": "makes a job's result known under the queue's lock: the queue knows no results",
    "weft_compile_queue_give_up": "decides under the queue's lock whether a job is given up: the queue knows no builds",
    "weft_at_fork": "what each file does with its own locks and threads when the process forks: base/ knows none of them",
    "weft_bridge_on_failure": "how the process ends when LLVM fails: driver/ answers its client, bridge/ knows no clients",
    "weft_bridge_internalize": "which definitions stay visible: the stage knows, bridge/ goes through the module",
    # Runs a function of the caller in a certain way: it returns before the call does.
    "weft_fault_call": "a function whose faults end the call",
    "weft_fault_call_kernel": "a kernel whose faults end the call",
    "weft_arch_enter": "a function on a stack and in a context that the processor's file sets up",
    "weft_arch_on_stack": "the signal handler, on a stack that the processor's file sets up",
    "weft_sched_wait": "whether a waiting thread may go on: the scheduler knows no commands",
    "weft_sched_call_when_idle": "what an idle pool thread does for another component: the scheduler knows no memory",
    "weft_sched_call_aside": "the same, at once",
    "weft_thread_start": "a thread's main function, as pthread_create takes it",
    "weft_private_files_call": "a function that runs with the private descriptor table",
    "weft_private_files_call_silently": "a function that runs with the private descriptor table, where standard error is closed",
    "weft_private_fd_table_call": "a function that runs on a thread with its own descriptor table",
    "weft_child": "what runs in a child process of the command `weft`, and who takes its lines",
    "weft_private_thread_run": "a function that runs on a thread with its own descriptor table",
    "weft_spawn_parent_start": "what the process does that becomes the compilers' parent",
    "weftc_replace_instructions": "what a pass makes of an instruction: the helper goes through a function's instructions",
    "weftc_run_on_big_stack": "a function that runs on a thread with a large stack",
    # Functions of the application.
    "weft_notify": "pfn_notify of clCreateContext",
    "weft_context_create": "pfn_notify of clCreateContext",
    "weft_context_add_destructor": "pfn_notify of clSetContextDestructorCallback",
    "weft_mem_add_destructor": "pfn_notify of clSetMemObjectDestructorCallback",
    "weft_event_add_callback": "pfn_notify of clSetEventCallback",
    "weft_program_callback": "pfn_notify of clSetProgramReleaseCallback",
    "weft_program_add_release_callback": "pfn_notify of clSetProgramReleaseCallback",
    "weft_build_job": "pfn_notify of clBuildProgram",
    "weft_build_order": "pfn_notify of clBuildProgram",
    "weft_native_enqueue": "user_func of clEnqueueNativeKernel",
    "weft_enqueue_svm_free": "pfn_free_func of clEnqueueSVMFree",
    # One table for each processor or program that implements the functions.
    "weftc_target_ops": "what compilers of processors differ in: compiler/arch",
    "weft_kernel_info": "the ABI of generated code: the entry point of a kernel",
    "weft_kernel_host": "the ABI of generated code (include/weft/kernel_abi.h): what a kernel may ask of the runtime",
}
# Files of one folder that call each other in a circle, and why that is right.
CIRCLES = [
    # A kernel that runs enqueues launches, and the launch that ends starts them; variables are initialized by
    # launches too.
    ({"runtime/launch/device_enqueue.c", "runtime/launch/ndrange.c", "runtime/launch/program_variables.c",
      "runtime/launch/run_range.c"}, "launches make launches"),
    # The threads of a domain take work from the pool, and the pool starts threads when there is work. Who
    # takes part in a range calls others to it. An idle thread makes the call that idle_call.c keeps for
    # later.
    ({"scheduler/aside_call.c", "scheduler/domain.c", "scheduler/idle.c", "scheduler/idle_call.c",
      "scheduler/placement.c", "scheduler/pool.c", "scheduler/pool_threads.c", "scheduler/range.c", "scheduler/thread.c"},
     "threads and work start each other"),
    # What a shared folder lacks may be there of another compiler, whose name is an entry, too.
    ({"runtime/compiler/cache_identity.c", "runtime/compiler/disk_cache.c"}, "a folder's entries, one of which names its compiler"),
    # The handler asks how a call was entered, and entering installs the handler.
    ({"base/fault/guarded_call.c", "base/fault/signal.c"}, "a call and the handler that ends it"),
]
PROCESSOR = re.compile(
    r"<(?:cpuid|\w*intrin|arm_\w+|asm/\w+)\.h>"  # headers
    r"|\b__(?:x86_64|amd64|i386|aarch64|arm|riscv|powerpc\w*|s390x|loongarch\w*)(?:_\w+)?(?:__)?\b"  # macros of families
    r"|\b__(?:SSE|AVX|BMI|FMA|F16C|LZCNT|POPCNT|ADX|ARM_|VSX|ALTIVEC)\w*\b"  # macros of features
    r"|\bllvm\.(?:x86|aarch64|arm|riscv|ppc)\.|\b__builtin_(?:ia32|cpu|aarch64|arm|riscv)_|\b_mm\d*_\w+"  # instructions
    r"|\b(?:__asm__|__asm|asm)\b\s*(?:(?:volatile|__volatile__|goto)\s*)*\(\s*\"(?!weft)[^\"]"  # text of instructions: no empty barrier, no symbol's name
    r"|\bREG_[A-Z]{2,3}\d*\b(?<!REG_EXTENDED)(?<!REG_ICASE)|\buc_mcontext\b|\bgregs\b|\b__?f?pregs\["  # registers of a signal's context
    r"|\"(?:[-+](?:avx|sse|bmi|fma|f16c|neon|sve)\w*"  # names of features
    r"|x86[-_]64(?:-v\d)?|znver\d|skylake[\w-]*|haswell|icelake[\w-]*|sapphirerapids|neoverse-\w+|cortex-\w+|apple-m\d)\"")  # and models
SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cc", ".cxx", ".def", ".in")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def folder_of(path):
    """The folder, as MAY names it, of a path relative to the root; None: outside of icd, include and lib."""
    if path.startswith("include/weft/"):
        return "include"
    if path.startswith("icd/"):
        return "icd"
    if path.startswith("lib/kernel-builtins/"):
        return "kernel-builtins"
    return os.path.dirname(path)[4:] if path.startswith("lib/") else None


def resolve(root, source, name):
    """The file that an include names, relative to the root, or None for a header of somebody else's."""
    for c in (os.path.join("include", name), os.path.join("lib", name), os.path.join(os.path.dirname(source), name)):
        c = os.path.normpath(c)
        if not c.startswith("..") and os.path.isfile(os.path.join(root, c)):
            return c
    return None


def allowed(folder, other):
    if other == "compiler/arch" and folder.startswith("compiler/") and not re.match("compiler/(bridge|pack)", folder):
        return True
    if other in ("base/fault", "base/text", "base/trace") and not folder.startswith("base"):
        return True
    return other in (folder, "include", "base", "base/arch", "base/libc") or other in MAY.get(folder, ())


def check_include(root, source, quote, name):
    """A sentence on what is wrong with this include, or None."""
    folder = folder_of(source)
    component = folder.split("/")[0]
    target = resolve(root, source, name)
    if target is None or (quote == "<" and not name.startswith("weft/")):
        if name.startswith("CL/") and component not in ("icd", "runtime", "tools") and source != "include/weft/cl_ext_weft.h":
            return "OpenCL headers belong to icd, runtime and tools"
        if name.startswith("hwloc") and source != "lib/scheduler/topology.c":
            return "only lib/scheduler/topology.c may include hwloc"
        if re.match(r"(llvm|llvm-c|clang|clang-c|lld|polly|spirv-tools|LLVMSPIRVLib)/", name) and component != "compiler":
            return "LLVM belongs to lib/compiler"
        return None
    if target == "include/weft/cl_ext_weft.h" and component in ("base", "scheduler", "compiler"):
        return "it brings in CL/cl.h, which this folder must not see"
    other = folder_of(target)
    if other is None:
        return "%s is a test's" % target if target.startswith("tests/") else None
    if folder not in MAY:
        return "%s is no folder that tests/arrows.py knows; say in MAY what it may depend on" % folder
    if target in OPEN and (component == OPEN[target] or not OPEN[target]):
        return None
    return None if allowed(folder, other) else "%s must not depend on %s" % (folder, other)


# A function pointer, by its declarator: (*name)(, (CL_CALLBACK *const name[2])(, (*)(, and a function that
# returns one.
POINTER = re.compile(r"\(\s*(?:\w+\s+)?\*\s*(?:const\s+)?\w*(?:\s*\[[^\]]*\]|\s*\([^()]*\))*\s*\)\s*\(")
# A typedef of a function or of a pointer to one, and its name.
POINTER_TYPE = re.compile(r"typedef\b[^{};]*?\(\s*(?:\w+\s+)?\*\s*(\w+)\s*\)\s*\(")
FUNCTION_TYPE = re.compile(r"typedef\b[^{};()]*?\b(\w+)\s*\(")


def declarations_of(content):
    """The declarations of a header's top level: pairs of what stands before the first brace, and what stands in braces."""
    content = re.sub(r"/\*.*?\*/|//[^\n]*", " ", content, flags=re.S)
    content = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", content, flags=re.M)
    content = re.sub(r'\bextern\s*"C"\s*\{', "", content)
    head, body, depth, found = "", "", 0, []
    for c in content:
        if c == "{":
            depth += 1
        elif c == "}":
            depth = max(depth - 1, 0)  # the end of extern "C" has no partner
        if depth or c == "}":
            body += c
        else:
            head += c
        # A function ends with its body, everything else with a semicolon.
        if depth == 0 and (c == ";" or (c == "}" and head.rstrip().endswith(")"))):
            found.append((" ".join(head.split()), body))
            head, body = "", ""
    return found


def function_types_of(content):
    """(names of types that are pointers to functions, names of types that are functions)"""
    pointers, functions = set(), set()
    for head, _ in declarations_of(content):
        pointer, function = POINTER_TYPE.match(head), FUNCTION_TYPE.match(head)
        if pointer:
            pointers.add(pointer.group(1))
        elif function:
            functions.add(function.group(1))
    return pointers, functions


def pointers_of(content, pointers=frozenset(), functions=frozenset()):
    """The structs, functions and variables of a header that have function pointers: as members, as parameters, themselves.
    pointers, functions: names of types, as function_types_of gives them."""
    named = re.compile(r"\b(?:%s)\b" % "|".join(sorted(pointers | functions) or ["(?!)"]))
    found = set()
    for head, body in declarations_of(content):
        tag = re.match(r"(?:typedef |static |extern |const )*(?:struct|union)\s*(\w*)", head)
        if body and tag and "(" not in head.split(";")[0].split("=")[0]:
            if POINTER.search(body) or named.search(body):
                found.add(tag.group(1) or head.split()[-1].rstrip(";"))
            continue
        if head.startswith("typedef"):
            continue
        if re.match(r"(?:extern )?(?:%s) \w+;" % ("|".join(sorted(functions)) or "(?!)"), head):
            continue  # a function, declared by its type
        if POINTER.search(head) or named.search(head):
            name = re.search(r"(\w+)\s*\(", head) or re.search(r"(\w+)(?:\[[^\]]*\])*\s*[;=]", head)
            variable = re.match(r"[^(]*\(\s*(?:\w+\s+)?\*\s*(?:const\s+)?(\w+)(?:\[[^\]]*\]|\([^()]*\))*\s*\)\s*\(", head)
            found.add(variable.group(1) if variable else name.group(1))
    return found


def headers_of(root):
    """{path: content} of the headers of icd, include and lib. Headers of kernels' code count no more than the code."""
    found = {}
    for top in ("icd", "include", "lib"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for f in sorted(files):
                path = os.path.relpath(os.path.join(directory, f), root)
                if f.endswith(".h") and not path.startswith("lib/kernel-builtins/"):
                    with open(os.path.join(root, path), encoding="utf-8") as text:
                        found[path] = text.read()
    return found


def check_pointers(root):
    problems, seen, pointers, functions = [], set(), set(), set()
    headers = headers_of(root)
    for content in headers.values():
        more_pointers, more_functions = function_types_of(content)
        pointers |= more_pointers
        functions |= more_functions
    for path, content in sorted(headers.items()):
        for name in sorted(pointers_of(content, pointers, functions)):
            seen.add(name)
            if name not in POINTERS:
                problems.append("%s: %s has a function pointer; if that is right, POINTERS says why" % (path, name))
    problems += ["POINTERS lists %s, which has no function pointer (any more)" % name for name in sorted(set(POINTERS) - seen)]
    return problems


def files_of(root):
    """The files whose text the rules are about, relative to the root."""
    found = []
    for top in ("icd", "include", "lib"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            found += [os.path.relpath(os.path.join(directory, f), root) for f in sorted(files) if f.endswith(SUFFIXES)]
    return [path for path in found if folder_of(path) is not None]


def check_tree(root):
    problems, count = [], 0
    for path in files_of(root):
        if path.endswith((".cpp", ".cc", ".cxx", ".hpp")) and not re.match(r"lib/compiler/bridge/(?:clang/)?[^/]*\.cpp$", path):
            problems.append("%s: C++ lives in lib/compiler/bridge only" % path)
        count += 1
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
            content = text.read()
        named = PROCESSOR.search(re.sub(r"//[^\n]*", "", content))
        if named and "/arch/" not in path:
            problems.append("%s: %s names a processor, which belongs to an arch folder" % (path, named.group(0)))
        for m in INCLUDE.finditer(content):
            reason = check_include(root, path, m.group(1), m.group(2))
            if reason:
                line = content.count("\n", 0, m.start()) + 1
                problems.append("%s:%d: #include %s: %s" % (path, line, m.group(2), reason))
    return count, problems


def objects_of(root, build):
    """{source path: object path} of what the build has made of icd and lib. Objects whose source is gone don't count."""
    found = {}
    for directory, _, files in os.walk(build):
        m = re.match(r"(icd|lib/[a-z]+)/CMakeFiles/[^/]+\.dir(/.*)?$", os.path.relpath(directory, build))
        if not m:
            continue
        for f in files:
            if f.endswith((".c.o", ".cpp.o")):
                source = os.path.normpath(os.path.join(m.group(1), (m.group(2) or "").lstrip("/"), f[:-2]))
                if folder_of(source) in MAY and os.path.isfile(os.path.join(root, source)):
                    found[source] = os.path.join(directory, f)
    return found


def nm_lines(paths):
    """(object path, name, kind) of each symbol. One nm reads many objects: a process for each takes longer than its work."""
    for at in range(0, len(paths), 200):
        out = subprocess.run(["nm", "-A", "-P", *paths[at:at + 200]], stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in out.splitlines():
            path, rest = line.split(": ", 1)
            yield (path, *rest.split()[:2])


def symbols_of(objects):
    """For each source: the names of global symbols that it defines, and those that it takes from elsewhere."""
    sources = {path: source for source, path in objects.items()}
    defined, wanted = {source: set() for source in objects}, {source: set() for source in objects}
    for path, name, kind in nm_lines(sorted(sources)):
        source = sources[path]
        if kind in "Uwv":
            wanted[source].add(name)
        elif kind.isupper() and not (kind in "WV" and name.startswith("_Z")):  # those are C++ templates of LLVM's headers
            defined[source].add(name)
    return defined, wanted


def calls_between(defined, wanted):
    """{(source, other source): a symbol}; the two programs, weftc and libweft.so, have some names in common. Of a name that
    several files define, the caller's component is meant, and in it each file that defines it."""
    owners = {}
    for source, names in defined.items():
        for n in names:
            owners.setdefault(n, []).append(source)
    calls = {}
    for source, names in wanted.items():
        for n in sorted(names):
            those = owners.get(n, [])
            near = [o for o in those if o.split("/")[:2] == source.split("/")[:2]] or those
            for o in near:
                calls.setdefault((source, o), n)
    return calls


def circles_of(calls):
    """Sets of files of one folder that call each other in a circle (strongly connected components, after Tarjan)."""
    graph = {}
    for a, b in calls:
        if folder_of(a) == folder_of(b) and a != b:
            graph.setdefault(a, []).append(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            circle = set()
            while True:
                w = stack.pop()
                circle.add(w)
                if w == v:
                    break
            if len(circle) > 1:
                found.append(circle)

    sys.setrecursionlimit(10000)
    for v in sorted(graph):
        if v not in index:
            visit(v)
    return found


def check_calls(calls):
    problems = []
    for (source, other), name in sorted(calls.items()):
        a, b = folder_of(source), folder_of(other)
        if name in EXCEPTIONS:
            continue
        if not allowed(a, b):
            problems.append("%s: calls %s of %s: %s must not depend on %s" % (source, name, other, a, b))
        elif (a, b) in ONLY and os.path.basename(other) not in ONLY[a, b]:
            problems.append("%s: calls %s of %s: of %s only %s may be called" % (source, name, other, b, ", ".join(sorted(ONLY[a, b]))))
    known = [({"lib/" + f for f in files}, reason) for files, reason in CIRCLES]
    seen = []
    for circle in circles_of(calls):
        if not any(circle == files for files, _ in known):
            example = ["%s -> %s (%s)" % (a, os.path.basename(b), n) for (a, b), n in sorted(calls.items()) if a in circle and b in circle and a != b]
            problems.append("a circle of calls: %s: %s" % (" ".join(sorted(circle)), "; ".join(example[:8])))
        seen.append(circle)
    for files, _ in known:
        if files not in seen:
            problems.append("CIRCLES lists %s, which is no circle (any more)" % " ".join(sorted(files)))
    return problems


# A prototype: a name of ours that an opening bracket follows, in a line that doesn't begin inside of a
# function.
PROTOTYPE = re.compile(r"^(?!static\b|#|return\b)[A-Za-z][\w *]*?\b(weftc?_\w+)\(", re.M)


def check_prototypes(root, defined):
    """A header declares only functions that its own folder defines: else it hides a call of another folder."""
    problems = []
    owners = {}
    for source, names in defined.items():
        for name in names:
            owners.setdefault(name, []).append(source)
    for top in ("icd", "lib"):
        for directory, _, files in os.walk(os.path.join(root, top)):
            for f in sorted(files):
                path = os.path.relpath(os.path.join(directory, f), root)
                if not f.endswith(".h") or path in OPEN:
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as text:
                    content = re.sub(r"//[^\n]*", "", text.read())
                for m in PROTOTYPE.finditer(content):
                    those = owners.get(m.group(1), [])
                    if those and m.group(1) not in EXCEPTIONS and folder_of(path) not in map(folder_of, those):
                        problems.append("%s: declares %s, which %s defines" % (path, m.group(1), those[0]))
    return problems


def check_built(root, objects):
    """Every source has its object. A build has the files of one family of processors."""
    problems = []
    for path in files_of(root):
        if path.endswith((".c", ".cpp")) and not path.startswith(("lib/base/arch/", "lib/kernel-builtins/")) and path not in objects:
            problems.append("%s: this build has no object of it; build everything first" % path)
    return problems


def check_used(root, calls):
    """What MAY lists is used: an edge that nobody needs would let the next wrong call through."""
    used = {(folder_of(a), folder_of(b)) for (a, b), name in calls.items() if name not in EXCEPTIONS}
    for path in files_of(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as text:
            targets = [resolve(root, path, m.group(2)) for m in INCLUDE.finditer(text.read())]
        used |= {(folder_of(path), folder_of(t)) for t in targets if t and t not in OPEN}
    return ["MAY lists that %s may use %s, and it doesn't (any more)" % (folder, other)
            for folder in sorted(MAY) for other in sorted(MAY[folder]) if (folder, other) not in used]


def check_objects(root, build):
    objects = objects_of(root, build)
    defined, wanted = symbols_of(objects)
    calls = calls_between(defined, wanted)
    problems = check_built(root, objects) + check_calls(calls) + check_prototypes(root, defined) + check_used(root, calls)
    return len(objects), problems


def self_test():
    """Builds a small tree with one rule broken at a time, and expects that exactly this is found."""
    good = {
        "include/weft/scheduler.h": "", "include/weft/cl_ext_weft.h": "#include <CL/cl.h>\n",
        "lib/base/base.h": '#include "weft/scheduler.h"\n', "lib/base/a.c": '#include "base/base.h"\n#include <stdio.h>\n',
        "lib/scheduler/pool.c": '#include "base/base.h"\n', "lib/scheduler/topology.c": "#include <hwloc.h>\n",
        "lib/runtime/core/object.h": '#include <CL/cl.h>\n#include "base/base.h"\n', "lib/runtime/core/object.c": "",
        "lib/runtime/command/command.c": '#include "runtime/core/object.h"\n',
        "lib/runtime/check/enqueue.c": '#include "runtime/core/object.h"\n',
        "lib/runtime/api/queue.c": '#include "runtime/check/check.h"\n', "lib/runtime/kinds.c": '#include "runtime/core/object.h"\n',
        "lib/runtime/check/check.h": "", "lib/compiler/ir/front.c": '#include <llvm-c/Core.h>\n#include "compiler/compiler.h"\n',
        "lib/compiler/compiler.h": "", "lib/compiler/bridge/clang/clang.cpp": '#include "clang/Frontend/X.h"\n',
        "icd/table.c": '#include "runtime/device/platform.h"\n#include "api.def"\n', "icd/api.def": "",
        # What names no processor: an empty barrier, a symbol's name, options of regcomp, a comment.
        "lib/base/b.c": '__asm__ volatile("" ::: "memory");\nint f(int) __asm__("weft.f");\nint g = REG_EXTENDED; // __AVX__\n',
    }
    bad = [
        ("lib/base/a.c", "#include <CL/cl.h>"), ("lib/base/a.c", '#include "scheduler/s.h"'),
        ("lib/base/a.c", '#include "weft/cl_ext_weft.h"'), ("lib/base/a.c", "#include <hwloc.h>"),
        ("lib/scheduler/pool.c", "# include <hwloc.h>"), ("lib/scheduler/pool.c", '#include "runtime/core/object.h"'),
        ("lib/scheduler/pool.c", '#include "compiler/ir/c.h"'), ("lib/compiler/ir/front.c", '#include "scheduler/s.h"'),
        ("lib/compiler/ir/front.c", "  #include <CL/cl.h>"), ("lib/compiler/ir/front.c", '#include "compiler/link/link.h"'),
        ("lib/runtime/command/command.c", '#include "runtime/api/api.h"'),
        ("lib/runtime/command/command.c", '#include "runtime/check/check.h"'),
        ("lib/runtime/command/command.c", '#include "runtime/launch/launch.h"'),
        ("lib/runtime/command/command.c", '#include "compiler/compiler.h"'),
        ("lib/runtime/command/command.c", "#include <llvm-c/Core.h>"),
        ("lib/runtime/check/enqueue.c", '#include "../api/api.h"'), ("lib/runtime/core/object.c", '#include "../../../icd/icd.h"'),
        ("lib/base/a.c", "#include <immintrin.h>"), ("lib/compiler/ir/front.c", "#if defined(__x86_64__)"),
        ("lib/compiler/ir/front.c", 'call("llvm.x86.avx2.permd");'), ("lib/compiler/ir/front.c", 'is("znver4")'),
        ("lib/compiler/ir/front.c", 'cpu = "x86-64-v3";'), ("lib/compiler/ir/front.c", 'add("+avx512f");'),
        ("lib/base/a.c", "#ifdef __AVX512F__"), ("lib/base/a.c", "#ifdef __SSE2__"), ("lib/base/a.c", "#ifdef __riscv"),
        ("lib/base/a.c", "#if __riscv_xlen == 64"), ("lib/base/a.c", "#ifdef __ARM_FEATURE_SVE"), ("lib/base/a.c", "#include <arm_neon.h>"),
        ("lib/base/a.c", "x = uc->uc_mcontext.pc;"), ("lib/base/a.c", "x = mc->gregs[16];"), ("lib/base/a.c", "x = c[REG_RIP];"),
        ("lib/base/a.c", 'asm("mfence");'), ("lib/base/a.c", '__asm__ volatile("pause" ::: "memory");'),
        ("lib/base/a.c", 'asm volatile goto(\n"jmp %l0" :::: out);'), ("lib/runtime/x.cpp", ""), ("lib/attic/x.c", '#include "base/base.h"'),
    ]
    headers = {"lib/scheduler/s.h": "", "lib/compiler/ir/c.h": "", "lib/compiler/link/link.h": "", "lib/runtime/api/api.h": "",
               "lib/runtime/launch/launch.h": "", "lib/runtime/device/platform.h": "", "icd/icd.h": ""}

    def build(files):
        root = tempfile.mkdtemp()
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
        return root

    failures = 0
    for path, line in [(None, None)] + bad:
        files = dict(good, **headers)
        if path:
            files[path] = files.get(path, "") + line + "\n"
        root = build(files)
        _, problems = check_tree(root)
        shutil.rmtree(root)
        if len(problems) != (1 if path else 0):
            failures += 1
            print("self-test: %s in %s gave %s" % (line, path, problems))
    # Calls: (who, whom) and how many problems that makes.
    for pairs, expected in (
            ([("lib/runtime/api/queue.c", "lib/runtime/check/queue.c"), ("lib/runtime/check/queue.c", "lib/base/buf.c")], 0),
            ([("lib/runtime/launch/ndrange.c", "lib/runtime/check/queue.c")], 1),
            ([("lib/runtime/launch/ndrange.c", "lib/base/fault/signal.c"), ("lib/base/fault/signal.c", "lib/base/buf.c")], 0),
            ([("lib/base/buf.c", "lib/base/fault/signal.c")], 1),
            ([("lib/compiler/vectorize/vectorize.c", "lib/compiler/prepare/swap_dimensions.c")], 0),
            ([("lib/compiler/vectorize/vectorize.c", "lib/compiler/prepare/inline.c")], 1),
            ([("lib/runtime/core/a.c", "lib/runtime/core/b.c"), ("lib/runtime/core/b.c", "lib/runtime/core/c.c")], 0),
            ([("lib/runtime/core/a.c", "lib/runtime/core/b.c"), ("lib/runtime/core/b.c", "lib/runtime/core/a.c")], 1)):
        found = [p for p in check_calls({pair: "f" for pair in pairs}) if "any more" not in p]
        if len(found) != expected:
            failures += 1
            print("self-test: calls %s gave %s" % (pairs, found))
    # Headers, and what in them has function pointers.
    for content, expected in (
            ("struct a {\n    int (*run)(void);\n};\n", {"a"}), ("struct a\n{\n    int (*run)(void);\n};\n", {"a"}),
            ("struct a {\n    int n;\n};\nvoid f(int x,\n       void (*g)(void));\n", {"f"}), ("void f(void (*)(int));\n", {"f"}),
            ("struct a {\n    int n;\n};\nstruct b {\n    bool (*const f[2])(int);\n};\n", {"b"}),
            ("typedef int (*t)(void);\nstruct a {\n    t run;\n};\n", {"a"}), ("typedef int t(int);\nvoid f(t *g);\nt h;\n", {"f"}),
            ("typedef struct {\n    int (*run)(void);\n} a;\n", {"a"}), ("extern int (*hook)(void);\n", {"hook"}),
            ("typedef int t(int);\nextern t *hook;\n", {"hook"}), ("int f(int *x, int (*g)(int));\n", {"f"}),
            ("void f(void(CL_CALLBACK *g)(int), int n);\n", {"f"}), ("int (*f(int x))(int);\n", {"f"}),
            ('extern "C" {\n// int (*f)(void);\n#define F(x) int (*x)(void);\nstruct a {\n    int n;\n};\n}\nint f(int (*a)[4]);\n', set()),
            ("static inline int f(int x) {\n    return ((char *)(&x))[0];\n}\nint g(void (*h)(int));\n", {"g"})):
        if pointers_of(content, *function_types_of(content)) != expected:
            failures += 1
            print("self-test: %r gave %s" % (content, pointers_of(content, *function_types_of(content))))
    root = build({"lib/base/a.h": "typedef int t(void);\n", "lib/base/b.h": "struct a {\n    t *run;\n};\n"})
    if [p for p in check_pointers(root) if "any more" not in p] == [] or len(check_pointers(root)) != len(POINTERS) + 1:
        failures += 1
        print("self-test: a struct with a function pointer isn't found")
    shutil.rmtree(root)
    return failures + self_test_objects(build)


def self_test_objects(build):
    """The rules that read objects. nm's output is replaced by lines of the same kind."""
    failures = 0

    def expect(what, found, expected):
        nonlocal failures
        if found != expected:
            failures += 1
            print("self-test: %s: %s instead of %s" % (what, found, expected))

    global nm_lines
    lines_of_nm = nm_lines
    a, b, c = "lib/base/a.c", "lib/base/b.c", "lib/runtime/core/c.c"
    nm_lines = lambda paths: [("a.o", "weft_weak", "W"), ("a.o", "_ZN4llvm1xE", "W"), ("b.o", "weft_weak", "T"), ("b.o", "weft_static", "t"),
                              ("c.o", "weft_weak", "U"), ("c.o", "weft_maybe", "w"), ("a.o", "weft_maybe", "T")]
    defined, wanted = symbols_of({a: "a.o", b: "b.o", c: "c.o"})
    nm_lines = lines_of_nm
    expect("weak definitions", defined, {a: {"weft_weak", "weft_maybe"}, b: {"weft_weak"}, c: set()})
    expect("weak uses", wanted, {a: set(), b: set(), c: {"weft_weak", "weft_maybe"}})
    expect("all owners of a name", sorted(calls_between(defined, wanted)), [(c, a), (c, b)])
    root = build({a: "", b: "", "lib/base/arch/x86_64.c": "", "lib/base/a.h": "void weft_f(void);\n"})
    expect("a source without an object", len(check_built(root, {a: "a.o"})), 1)
    expect("a whole build", check_built(root, {a: "a.o", b: "b.o"}), [])
    expect("a prototype of one's own", check_prototypes(root, {a: {"weft_f"}, c: {"weft_f"}}), [])
    expect("a prototype of another folder", len(check_prototypes(root, {c: {"weft_f"}})), 1)
    shutil.rmtree(root)
    edges = sum(len(others) for others in MAY.values())
    root = build({"lib/runtime/check/check.h": "", "lib/runtime/api/queue.c": '#include "runtime/check/check.h"\n'})
    expect("edges that are used by nothing", len(check_used(root, {})), edges - 1)
    expect("an edge that a call uses", len(check_used(root, {("lib/runtime/api/a.c", "lib/runtime/core/a.c"): "weft_f"})), edges - 2)
    shutil.rmtree(root)
    if shutil.which("nm") and shutil.which("cc"):
        root = build({"a.c": "int weft_f(void);\nint weft_g(void) { return weft_f(); }\n", "b.c": "__attribute__((weak)) int weft_f(void) { return 0; }\n"})
        paths = [os.path.join(root, name) for name in ("a", "b")]
        for path in paths:
            subprocess.run(["cc", "-c", "-o", path + ".o", path + ".c"], check=True)
        defined, wanted = symbols_of({"lib/base/a.c": paths[0] + ".o", "lib/base/b.c": paths[1] + ".o"})
        expect("symbols that nm reads", (defined, wanted),
               ({"lib/base/a.c": {"weft_g"}, "lib/base/b.c": {"weft_f"}}, {"lib/base/a.c": {"weft_f"}, "lib/base/b.c": set()}))
        shutil.rmtree(root)
    return failures


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        sys.exit(1 if self_test() else 0)
    if len(arguments) == 1:
        count, problems = check_tree(arguments[0])
        problems += check_pointers(arguments[0])
        kept = "%d files include only what they may" % count
    elif len(arguments) == 3 and arguments[1] == "--objects":
        if not shutil.which("nm"):
            print("skip: nm is not installed")
            sys.exit(77)
        count, problems = check_objects(arguments[0], arguments[2])
        kept = "%d objects call only what they may" % count
    else:
        sys.exit(__doc__)
    print("\n".join(problems) if problems else kept)
    sys.exit(1 if problems or count == 0 else 0)


if __name__ == "__main__":
    main()
