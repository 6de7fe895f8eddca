package io.sluice.testbed.workloads.device;

import io.sluice.abi.GpuVa;
import io.sluice.guest.BufferRequest;
import io.sluice.guest.Pushbuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A channel with its address space, as a program sees it: a guest's, or one on the bare backend.
 */
public interface ComputePort {
  /**
   * Memory that is mapped for the GPU and for us.
   *
   * @param address where the GPU sees it
   * @param bytes where we do
   */
  record Memory(GpuVa address, MemorySegment bytes) {}

  /**
   * Allocates and maps memory of several kinds, in order; a port that pays for each wait waits
   * once.
   */
  default List<Memory> allocate(List<BufferRequest> requests) {
    return requests.stream()
        .map(request ->
            switch (request.kind()) {
              case VIDEO -> video(request.sizeBytes());
              case PROCESS -> system(request.sizeBytes());
            })
        .toList();
  }

  /** Allocates and maps system memory. */
  Memory system(long bytes);

  /** Allocates and maps video memory. */
  Memory video(long bytes);

  /** Submits words and waits until they and all before are done. */
  void run(Pushbuffer words);
}
