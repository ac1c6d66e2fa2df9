"""Compile `entries` to WebAssembly: python -m notebooks.browser.compile_kernel [PLACE].

numba compiles the functions to LLVM code; with another target and data layout, LLVM makes an object
file of it, and a linker a module that imports nothing. ``requirements/linker.lock`` has the linker,
which ``make wasm`` installs in a folder of its own.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KERNEL = Path(__file__).with_name("kernel.wasm")
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128"
#: numba leaves its code as it is, the same on every processor; it is optimized for the browser.
SETTINGS = {
    "NUMBA_OPT": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "ignore",
}
FLAGS = "--no-entry --strip-all --export=__heap_base --initial-memory=131072".split()

#: The part of numba's runtime that the kernels need. `take` hands out memory beyond all that was
#: handed out before; `release` takes back what lies beyond a place, as the page does before a run.
RUNTIME = """
@__heap_base = external global i8
@top = internal global i32 0

define void @release(i32 %to) {
  store i32 %to, ptr @top
  ret void
}

define ptr @take(i64 %size) {
  %last = load i32, ptr @top
  %first = icmp eq i32 %last, 0
  %from = select i1 %first, i32 ptrtoint (ptr @__heap_base to i32), i32 %last
  %begin = zext i32 %from to i64
  %more = add i64 %begin, 63
  %aligned = and i64 %more, -64
  %beyond = add i64 %aligned, %size
  %large = icmp ugt i64 %beyond, 4294967295
  br i1 %large, label %none, label %small
small:
  %place = trunc i64 %aligned to i32
  %end = trunc i64 %beyond to i32
  store i32 %end, ptr @top
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %room = shl i32 %pages, 16
  %fits = icmp ule i32 %end, %room
  br i1 %fits, label %done, label %grow
grow:
  %lacking = sub i32 %end, %room
  %rounded = add i32 %lacking, 65535
  %wanted = lshr i32 %rounded, 16
  %was = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %wanted)
  %failed = icmp eq i32 %was, -1
  br i1 %failed, label %none, label %done
none:
  ret ptr null
done:
  %at = inttoptr i32 %place to ptr
  ret ptr %at
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %whole = add i64 %size, 64
  %info = call ptr @take(i64 %whole)
  %failed = icmp eq ptr %info, null
  br i1 %failed, label %none, label %done
none:
  ret ptr null
done:
  %data = getelementptr i8, ptr %info, i32 64
  store { i64, ptr, ptr, ptr, i64 } { i64 1, ptr null, ptr null, ptr null, i64 0 }, ptr %info
  %place = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 3
  store ptr %data, ptr %place
  ret ptr %info
}

define ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) {
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %info
}

define void @NRT_MemInfo_call_dtor(ptr %info) {
  ret void
}

declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
"""


def signatures() -> dict:
    """Return the types of each entry's arguments, by name."""
    from numba import types

    column, flags = types.CPointer(types.int64), types.CPointer(types.bool_)
    n = machine = types.int64
    return {
        "simulate": (*[column] * 5, flags, column, n, machine, types.bool_),
        "draw": (column, column, types.CPointer(types.uint64), n, types.float64),
        "measure": (*[column] * 4, flags, types.CPointer(types.float64), n, types.bool_),
        "observe": (*[column] * 4, flags, column, flags, column, n, machine),
        "reserve": (*[column] * 6, n, machine, n, n, n),
    }


def code() -> dict[str, str]:
    """Return numba's LLVM code of each entry, by name."""
    from numba import njit

    from notebooks.browser import entries

    texts = {}
    for name, signature in signatures().items():
        plain = getattr(entries, name).py_func
        function = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(plain)
        function.compile(signature)
        [compiled] = function.overloads.values()
        text = function.inspect_llvm(function.signatures[0])
        texts[name] = re.sub(
            rf'@"?{re.escape(compiled.fndesc.llvm_func_name)}"?\(', f"@{name}(", text
        )
    return texts


def object_file(texts) -> bytes:
    """Return the code of all entries as one object file for the browser, optimized."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    whole = llvm.parse_assembly(_retargeted(RUNTIME, machine))
    for text in texts.values():
        whole.link_in(llvm.parse_assembly(_retargeted(text, machine)))
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in exported() else "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(whole, passes)
    return machine.emit_object(whole)


def exported() -> list[str]:
    """Return the names of the functions that the page calls."""
    return [*signatures(), "release", "take"]


def _retargeted(text, machine):
    head = f'target triple = "{TRIPLE}"\ntarget datalayout = "{machine.target_data}"\n'
    text = re.sub(r"^(target (triple|datalayout)|source_filename) .*$", "", text, flags=re.M)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"|"probe-stack"="[^"]*"', "", text)
    return head + re.sub(r"= common( local_unnamed_addr)? global", "= internal global", text)


def compile_kernel(place=KERNEL) -> None:
    """Compile and link the module and write it to a path."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "kernel.o")
        whole.write_bytes(object_file(code()))
        exports = [f"--export={name}" for name in exported()]
        linker = [sys.executable, "-m", "ziglang", "wasm-ld"]
        subprocess.run([*linker, *FLAGS, *exports, whole, "-o", place], check=True)
    Path(place).chmod(0o644)
    print(f"{place}: {Path(place).stat().st_size:,} bytes")


def main(*arguments) -> int:
    """Compile in a process with `SETTINGS`, and return an exit code."""
    if importlib.util.find_spec("ziglang") is None:
        lock = "requirements/linker.lock"
        print(f"no linker: install the packages of {lock}, or run make wasm", file=sys.stderr)
        return 1
    if SETTINGS.items() <= os.environ.items():
        compile_kernel(*arguments)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        settings = os.environ | SETTINGS | {"NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-m", "notebooks.browser.compile_kernel", *arguments]
        return subprocess.run(command, env=settings).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
