package io.sluice.testbed.workloads;

import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.memory.Window;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.testbed.workloads.asm.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A multiprocessor's surroundings without a channel: one range of GPU addresses with code, constant
 * banks and buffers, as a driver would lay them out.
 */
public final class Device implements Translator, AutoCloseable {
  /** First GPU address. */
  public static final long BASE = 0x2000_0000L;

  /** Where the shared window is. */
  public static final long SHARED_WINDOW = 0x0100_0000L;

  /** Where the local window is. */
  public static final long LOCAL_WINDOW = 0x0200_0000L;

  private static final long PAGE_BYTES = 4096;
  private static final int PAGE_NOT_PRESENT = 2;
  private static final int BANK_BYTES = 0x1000;
  private static final int STACK_POINTER = 0x00fffc40;
  private static final int STACK_POINTER_OFFSET = 0x100;
  private static final int LOCAL_WARPS = 48 * 4;
  private static final int LANES = 32;
  private static final int LAUNCH_ARGUMENT = 0x1000;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Map<String, Long> addresses = new HashMap<>();
  private final Map<Kernel, Long> programs = new HashMap<>();
  private final long bank0;
  private final long bank1;
  private long used;
  private ImageBindings images = ImageBindings.NONE;
  private int gridId;

  /**
   * @param bytes how much memory there is
   */
  public Device(long bytes) {
    memory = arena.allocate((bytes + PAGE_BYTES - 1) & -PAGE_BYTES, PAGE_BYTES);
    bank0 = allocate(BANK_BYTES);
    bank1 = allocate(BANK_BYTES);
    store(bank1 + STACK_POINTER_OFFSET, STACK_POINTER);
  }

  /** A device with room for a workload. */
  public static Device of(Workload workload) {
    long bytes = 1 << 20;
    for (Workload.Buffer buffer : workload.buffers()) {
      bytes += 4L * buffer.words().length + PAGE_BYTES;
    }
    Device device = new Device(bytes);
    workload.buffers().forEach(device::add);
    workload.texture().ifPresent(device::bind);
    return device;
  }

  /** Gives memory an address; it starts on a page of its own. */
  public long allocate(long bytes) {
    long offset = used;
    used = (used + bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    if (used > memory.byteSize()) {
      throw new IllegalArgumentException("the device is full, bytes=" + bytes);
    }
    return BASE + offset;
  }

  /** Adds a buffer. */
  public void add(Workload.Buffer buffer) {
    long address = allocate(4L * buffer.words().length);
    addresses.put(buffer.name(), address);
    MemorySegment.copy(
        buffer.words(), 0, memory, ValueLayout.JAVA_INT, address - BASE, buffer.words().length);
  }

  /** The words of a buffer. */
  public int[] read(String buffer, int words) {
    int[] copy = new int[words];
    long offset = address(buffer) - BASE;
    MemorySegment.copy(memory, ValueLayout.JAVA_INT, offset, copy, 0, words);
    return copy;
  }

  /** Where a buffer is. */
  public long address(String buffer) {
    Long address = addresses.get(buffer);
    if (address == null) {
      throw new IllegalArgumentException("no such buffer, name=" + buffer);
    }
    return address;
  }

  /** Stores a word. */
  public void store(long address, int word) {
    memory.set(ValueLayout.JAVA_INT, address - BASE, word);
  }

  /** The word at an address. */
  public int load(long address) {
    return memory.get(ValueLayout.JAVA_INT, address - BASE);
  }

  /**
   * Runs the launches of a workload, one after the other.
   *
   * @param run executes a grid
   * @return how the last one that ran ended
   */
  public GridOutcome run(Workload workload, Function<Grid, GridOutcome> run) {
    GridOutcome outcome = new GridOutcome.Completed();
    for (Workload.Launch launch : workload.launches()) {
      outcome = run.apply(prepare(launch));
      if (!(outcome instanceof GridOutcome.Completed)) {
        return outcome;
      }
    }
    return outcome;
  }

  /** Puts the program and its parameters in place, as a driver does. */
  public Grid prepare(Workload.Launch launch) {
    Kernel kernel = launch.kernel();
    Long known = programs.get(kernel);
    long program = known == null ? load(kernel) : known;
    int[] head = {
      (int) SHARED_WINDOW,
      (int) LOCAL_WINDOW,
      launch.blockX(),
      launch.blockY(),
      1,
      launch.gridX(),
      launch.gridY(),
      1
    };
    for (int i = 0; i < head.length; i++) {
      store(bank0 + 4L * i, head[i]);
    }
    for (int i = 0; i < kernel.parameters().size(); i++) {
      long place = bank0 + kernel.parameters().get(i).offset();
      switch (launch.arguments().get(i)) {
        case Workload.Argument.Word word -> store(place, word.value());
        case Workload.Argument.Address address -> {
          store(place, (int) address(address.buffer()));
          store(place + 4, (int) (address(address.buffer()) >>> 32));
        }
      }
    }
    return grid(launch, program);
  }

  private long load(Kernel kernel) {
    long program = allocate(8L * kernel.words().size());
    for (int i = 0; i < kernel.words().size(); i++) {
      memory.set(ValueLayout.JAVA_LONG, program - BASE + 8L * i, kernel.words().get(i));
    }
    programs.put(kernel, program);
    return program;
  }

  /** Binds a texture and its sampler to slot 0, for all launches after. */
  private void bind(Workload.Texture texture) {
    int[] pools = TextureWords.pools(texture, address(texture.buffer()));
    long samplers = allocate(4L * pools.length);
    for (int i = 0; i < pools.length; i++) {
      store(samplers + 4L * i, pools[i]);
    }
    long headers = samplers + ImageBindings.ENTRY_BYTES;
    images =
        new ImageBindings(
            new ImageBindings.Pool(headers, 0),
            new ImageBindings.Pool(samplers, 0),
            Map.of(0, 0),
            Map.of(0, 0),
            false,
            List.of());
  }

  private Grid grid(Workload.Launch launch, long program) {
    Kernel kernel = launch.kernel();
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(bank0, BANK_BYTES));
    banks.set(1, new Grid.Bank(bank1, BANK_BYTES));
    return new Grid(
        launch.gridX(),
        launch.gridY(),
        1,
        launch.blockX(),
        launch.blockY(),
        1,
        Math.max(2, kernel.registers()),
        kernel.barriers(),
        (kernel.sharedBytes() + 0x7f) & -0x80,
        local(kernel),
        kernel.stackBytes(),
        program,
        0,
        SHARED_WINDOW,
        LOCAL_WINDOW,
        ++gridId,
        LAUNCH_ARGUMENT,
        banks,
        images);
  }

  private Grid.Local local(Kernel kernel) {
    if (kernel.localBytes() == 0) {
      return Grid.Local.NONE;
    }
    int positive = (kernel.localBytes() + 15) & -16;
    long perWarp = (long) positive * LANES;
    Long known = addresses.get("local memory");
    long address = known == null ? allocate(perWarp * LOCAL_WARPS) : known;
    addresses.put("local memory", address);
    return new Grid.Local(address, perWarp * LOCAL_WARPS, perWarp, positive, 0);
  }

  @Override
  public void translate(long address, boolean write, Window window) {
    long offset = address - BASE;
    if (offset < 0 || offset >= memory.byteSize()) {
      throw new MemoryFault(address, write, PAGE_NOT_PRESENT);
    }
    long first = write ? offset & -PAGE_BYTES : 0;
    window.set(memory, first, BASE + first, write ? PAGE_BYTES : memory.byteSize());
  }

  @Override
  public void close() {
    arena.close();
  }
}
