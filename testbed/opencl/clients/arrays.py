"""A client of PyOpenCL: a scan, a reduction, elementwise arithmetic, and a map of memory of the host."""
import hashlib

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel


def main():
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    numbers = (np.arange(100000, dtype=np.int64) * 7919 % 10007).astype(np.int32)
    there = cla.to_device(queue, numbers)

    scan = GenericScanKernel(context, np.int32, arguments="__global int *a", input_expr="a[i]", scan_expr="a+b",
                             neutral="0", output_statement="a[i] = item;")
    scan(there)
    print("scanned:", bool((there.get() == np.cumsum(numbers, dtype=np.int32)).all()))

    total = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*3",
                            arguments="__global int *x")
    there = cla.to_device(queue, numbers)
    print("reduced:", int(total(there).get()) == int(numbers.astype(np.int64).sum() * 3))

    twice = ElementwiseKernel(context, "float *a, float b, float *c", "c[i] = a[i] * b + i", "twice")
    floats = cla.to_device(queue, np.linspace(0, 1, 4096, dtype=np.float32))
    result = cla.empty_like(floats)
    twice(floats, np.float32(2.5), result)
    print("computed:", hashlib.sha256(result.get().tobytes()).hexdigest())

    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, 65536)
    mapped, _ = cl.enqueue_map_buffer(queue, memory, cl.map_flags.WRITE, 0, (16384,), np.uint32)
    with mapped.base:
        mapped[:] = np.arange(16384, dtype=np.uint32) ** 2
    back = np.empty(16384, dtype=np.uint32)
    cl.enqueue_copy(queue, back, memory)
    print("mapped:", hashlib.sha256(back.tobytes()).hexdigest())


main()
