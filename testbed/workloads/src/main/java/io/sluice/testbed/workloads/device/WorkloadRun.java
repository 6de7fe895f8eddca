package io.sluice.testbed.workloads.device;

import io.sluice.abi.GpuVa;
import io.sluice.guest.BufferRequest;
import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.workloads.TextureWords;
import io.sluice.testbed.workloads.Workload;
import io.sluice.testbed.workloads.asm.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * A workload on a GPU: set-up allocates and binds, then work is words of pushbuffers and no call.
 * Used by one thread.
 */
public final class WorkloadRun {
  private static final int STAGING_BYTES = 1 << 20;
  private static final int ALIGNMENT = 256;
  private static final int BANK_1_BYTES = 0x200;
  private static final int POOL_BYTES = 2 * 4 * TextureWords.ENTRY_WORDS;

  private final Workload workload;
  private final ComputePort port;
  private final List<Workload.Launch> launches;
  private final Map<String, ComputePort.Memory> buffers = new HashMap<>();
  private final Map<Kernel, LaunchWords.Place> places = new HashMap<>();
  private final List<Code> code = new ArrayList<>();
  private final ComputePort.Memory staging;
  private final Optional<GpuVa> pools;
  private final Pushbuffer words = new Pushbuffer();

  private record Code(Kernel kernel, ComputePort.Memory memory) {}

  /** Allocates all that the workload needs. */
  public WorkloadRun(Workload workload, ComputePort port) {
    this.workload = workload;
    this.port = port;
    this.launches = workload.launches();
    List<Kernel> kernels = launches.stream().map(Workload.Launch::kernel).distinct().toList();
    List<BufferRequest> wanted = new ArrayList<>();
    wanted.add(BufferRequest.process(STAGING_BYTES));
    wanted.add(BufferRequest.video(BANK_1_BYTES));
    workload.buffers().forEach(b -> wanted.add(BufferRequest.video(4L * b.words().length)));
    kernels.forEach(k -> wanted.add(BufferRequest.video(codeBytes(k) + bankBytes(k))));
    workload.texture().ifPresent(_ -> wanted.add(BufferRequest.video(POOL_BYTES)));
    Iterator<ComputePort.Memory> memories = port.allocate(wanted).iterator();
    this.staging = memories.next();
    long bank1 = memories.next().address().value();
    workload.buffers().forEach(buffer -> buffers.put(buffer.name(), memories.next()));
    kernels.forEach(kernel -> place(kernel, memories.next(), bank1));
    this.pools = workload.texture().map(_ -> memories.next().address());
  }

  private static int codeBytes(Kernel kernel) {
    return roundUp(8 * kernel.words().size());
  }

  private static int bankBytes(Kernel kernel) {
    return roundUp(Kernel.PARAMETER_BASE + kernel.parameterBytes());
  }

  private void place(Kernel kernel, ComputePort.Memory memory, long bank1) {
    code.add(new Code(kernel, memory));
    long address = memory.address().value();
    places.put(
        kernel,
        new LaunchWords.Place(
            address, address + codeBytes(kernel), bankBytes(kernel), bank1, BANK_1_BYTES));
  }

  private static int roundUp(int bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Sets the channel up, and brings programs and input to the GPU. */
  public void upload() {
    words.clear();
    port.run(LaunchWords.setUp(words.bindEngines()));
    for (Code c : code) {
      long[] program = c.kernel.words().stream().mapToLong(Long::longValue).toArray();
      copyIn(MemorySegment.ofArray(program), c.memory.address());
    }
    for (Workload.Buffer buffer : workload.buffers()) {
      copyIn(MemorySegment.ofArray(buffer.words()), memory(buffer.name()).address());
    }
    workload.texture().ifPresent(this::bind);
  }

  private void bind(Workload.Texture texture) {
    GpuVa place = pools.orElseThrow();
    int[] entries = TextureWords.pools(texture, memory(texture.buffer()).address().value());
    copyIn(MemorySegment.ofArray(entries), place);
    words.clear();
    LaunchWords.bindTexture(words, place.value());
    port.run(words);
  }

  /** Number of launches. */
  public int launches() {
    return launches.size();
  }

  /** Launches everything and waits for the end. */
  public void execute() {
    words.clear();
    for (Workload.Launch launch : launches) {
      append(launch);
      if (words.length() > STAGING_BYTES / 16) {
        port.run(words);
        words.clear();
      }
    }
    port.run(words);
  }

  /**
   * As {@link #execute}, and waits after each launch.
   *
   * @param done is told how many are done
   */
  public void execute(IntConsumer done) {
    for (int i = 0; i < launches.size(); i++) {
      words.clear();
      append(launches.get(i));
      port.run(words);
      done.accept(i + 1);
    }
  }

  private void append(Workload.Launch launch) {
    LaunchWords.Place place = places.get(launch.kernel());
    if (place == null) {
      throw new IllegalStateException("no place for a kernel, name=" + launch.kernel().name());
    }
    LaunchWords.launch(
        words,
        launch.kernel(),
        place,
        new int[] {launch.gridX(), launch.gridY()},
        new int[] {launch.blockX(), launch.blockY()},
        parameters(launch));
  }

  private int[] parameters(Workload.Launch launch) {
    List<Kernel.Parameter> parameters = launch.kernel().parameters();
    int[] packed = new int[(launch.kernel().parameterBytes() + 3) / 4];
    for (int i = 0; i < parameters.size(); i++) {
      int at = (parameters.get(i).offset() - Kernel.PARAMETER_BASE) / 4;
      switch (launch.arguments().get(i)) {
        case Workload.Argument.Word word -> packed[at] = word.value();
        case Workload.Argument.Address address -> {
          long value = memory(address.buffer()).address().value();
          packed[at] = (int) value;
          packed[at + 1] = (int) (value >>> 32);
        }
      }
    }
    return packed;
  }

  /** Brings the results back and compares them. */
  public boolean verify() {
    return workload.expected().stream().allMatch(this::isRight);
  }

  private boolean isRight(Workload.Expected expected) {
    return expected.firstWrong(read(expected.buffer(), expected.words().length)) == -1;
  }

  /** Brings a buffer's words back. */
  public int[] read(String buffer, int count) {
    int[] result = new int[count];
    copyOut(memory(buffer).address(), MemorySegment.ofArray(result));
    return result;
  }

  private ComputePort.Memory memory(String buffer) {
    ComputePort.Memory memory = buffers.get(buffer);
    if (memory == null) {
      throw new IllegalArgumentException("no such buffer, name=" + buffer);
    }
    return memory;
  }

  private void copyIn(MemorySegment from, GpuVa to) {
    for (long done = 0; done < from.byteSize(); done += STAGING_BYTES) {
      long part = Math.min(STAGING_BYTES, from.byteSize() - done);
      MemorySegment.copy(
          from, ValueLayout.JAVA_BYTE, done, staging.bytes(), ValueLayout.JAVA_BYTE, 0, part);
      words.clear();
      port.run(words.copyM2mf(staging.address(), new GpuVa(to.value() + done), part));
    }
  }

  private void copyOut(GpuVa from, MemorySegment to) {
    for (long done = 0; done < to.byteSize(); done += STAGING_BYTES) {
      long part = Math.min(STAGING_BYTES, to.byteSize() - done);
      words.clear();
      port.run(words.copyM2mf(new GpuVa(from.value() + done), staging.address(), part));
      MemorySegment.copy(
          staging.bytes(), ValueLayout.JAVA_BYTE, 0, to, ValueLayout.JAVA_BYTE, done, part);
    }
  }
}
