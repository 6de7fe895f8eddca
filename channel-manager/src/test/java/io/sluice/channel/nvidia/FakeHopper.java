package io.sluice.channel.nvidia;

import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.testbed.checks.StandIn;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Executes the channels of a {@link FakeRm} on a thread: ring entries, host semaphores, copies, and
 * the one grid that the backend launches itself, by what it means. It looks at GP_PUT without being
 * rung. A copy before the class was bound, or of an address where nothing is, ends the channel.
 */
final class FakeHopper implements AutoCloseable {
  private static final int MMU_FAULT = 31;
  private static final int ILLEGAL = 32;
  private static final int INVALIDATED = 0;
  private static final int COMPUTE = 1;
  private static final int SEND_PCAS_ADDRESS = 0x2b4;
  private static final int SEND_PCAS = 0x2c0;
  private static final int LAUNCH = 3;

  /** Where sm_90's parameters stand in constant bank 0. */
  private static final int PARAMETERS = 0x210;

  private static final VarHandle U32 = Layouts.U32.varHandle();
  private static final VarHandle U64 = Layouts.U64.varHandle();

  private volatile long availableBytes = Long.MAX_VALUE;
  private final FakeRm rm;
  private final Thread thread;
  private final Map<Integer, State> states = new HashMap<>();
  private final List<MemorySegment> clocks = new CopyOnWriteArrayList<>();
  private volatile boolean stopping;
  private volatile boolean halted;
  private volatile long copyNsPerMib;

  /** What the GPU remembers of a channel between entries. */
  private static final class State {
    final Set<Integer> bound = new HashSet<>();
    final Map<Integer, Integer> methods = new HashMap<>();
    int get;

    /** What USERD says: with one that waits an entry behind it is fetched. */
    int fetched;

    boolean dead;
    int word;
  }

  /** A channel waits for a semaphore; the entry is taken up again later. */
  private static final class Waits extends RuntimeException {
    private static final long serialVersionUID = 1;

    Waits() {
      super(null, null, false, false);
    }
  }

  private static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int xid;

    Fault(int xid) {
      super("xid " + xid, null, false, false);
      this.xid = xid;
    }
  }

  private final long startNs = System.nanoTime();
  private final AtomicLong passedNs = new AtomicLong();
  private volatile int slowness = 1;

  FakeHopper(FakeRm rm) {
    this.rm = rm;
    thread = new Thread(this::run, "fake-hopper");
    thread.setDaemon(true);
  }

  /** Has the host have as much memory left. */
  void setAvailableBytes(long bytes) {
    availableBytes = bytes;
  }

  /**
   * A kernel that tells the GPU of pages that are about to be punched, and gives mapped pages of
   * device nodes a clock. Starts the GPU.
   */
  Kernel start(Kernel real) {
    Map<Long, List<Mapped>> byInode = new HashMap<>();
    thread.start();
    return StandIn.of(
        Kernel.class,
        real,
        call -> {
          if (call.is("punchHole")) {
            Fd fd = call.argument(0, Fd.class);
            for (Mapped mapped : byInode.getOrDefault(real.fstat(fd).inode(), List.of())) {
              mapped.page(call.argument(1, Long.class)).ifPresent(rm::aboutToPunch);
            }
          }
          if (call.is("availableBytes")) {
            return availableBytes;
          }
          Object result = call.pass();
          if (result instanceof Mapping mapping) {
            Fd fd = call.argument(0, Fd.class);
            if (rm.isCard(fd)) {
              clocks.add(mapping.segment());
              tick(); // nobody sees a clock that does not go yet
            }
            byInode
                .computeIfAbsent(real.fstat(fd).inode(), _ -> new CopyOnWriteArrayList<>())
                .add(new Mapped(call.argument(1, Long.class), mapping.segment()));
          }
          return result;
        });
  }

  private record Mapped(long offset, MemorySegment segment) {
    Optional<MemorySegment> page(long at) {
      long within = at - offset;
      boolean inside = within >= 0 && within < segment.byteSize() && segment.scope().isAlive();
      return inside ? Optional.of(segment.asSlice(within, 4096)) : Optional.empty();
    }
  }

  private void run() {
    while (!stopping) {
      tick();
      boolean worked = false;
      synchronized (rm) {
        for (FakeRm.Running channel : rm.running()) {
          worked |= channel.on() && !halted && step(channel);
        }
      }
      if (!worked) {
        Thread.yield();
      }
    }
  }

  /** From now on a second of the card's clock takes a quarter of an hour, but for {@link #pass}. */
  void slowClock() {
    slowness = 1000;
  }

  /** Time goes by at once. */
  void pass(long ns) {
    passedNs.addAndGet(ns);
    tick();
  }

  /** Whether no channel does anything. */
  void setHalted(boolean now) {
    halted = now;
  }

  /** How much time each MiB that is copied takes. */
  void slowCopies(long nsPerMib) {
    copyNsPerMib = nsPerMib;
  }

  private void tick() {
    long now = startNs + (System.nanoTime() - startNs) / slowness + passedNs.get();
    for (MemorySegment clock : clocks) {
      try {
        U64.setOpaque(clock, UsermodePage.TIME_LOW, now); // both halves at once
      } catch (IllegalStateException unmapped) {
        clocks.remove(clock);
      }
    }
  }

  /** One entry, if there is one. */
  private boolean step(FakeRm.Running channel) {
    State state = states.computeIfAbsent(channel.handle(), _ -> new State());
    int put = (int) U32.getAcquire(channel.userd(), (long) GuestAbi.USERD_GP_PUT);
    if (state.dead || state.get == put) {
      return false;
    }
    try {
      long entry = (long) U64.getAcquire(at(channel, channel.ring() + state.get * 8L), 0L);
      int words = (int) (entry >>> 42);
      if (words > 0) {
        execute(channel, state, at(channel, entry & (1L << 40) - 4), words);
      }
      state.word = 0;
      state.get = (state.get + 1) & (channel.entries() - 1);
      rm.waiting.remove(channel.handle());
      fetch(channel, state, put, 0);
      return true;
    } catch (Waits e) {
      rm.waiting.add(channel.handle());
      fetch(channel, state, put, 2);
      return false;
    } catch (Fault e) {
      state.dead = true;
      rm.fail(channel, e.xid);
      return false;
    }
  }

  /** GP_GET counts what was fetched, and never goes back. */
  private static void fetch(FakeRm.Running channel, State state, int put, int ahead) {
    int mask = channel.entries() - 1;
    int wanted = Math.min(ahead, (put - state.get) & mask);
    if (wanted > ((state.fetched - state.get) & mask) || ((state.fetched - state.get) & mask) > 2) {
      state.fetched = (state.get + wanted) & mask;
    }
    U32.setRelease(channel.userd(), (long) GuestAbi.USERD_GP_GET, state.fetched);
  }

  private MemorySegment at(FakeRm.Running channel, long address) {
    @Nullable MemorySegment found = rm.at(channel.client(), channel.space(), address);
    if (found == null) {
      throw new Fault(MMU_FAULT);
    }
    return found;
  }

  private void execute(FakeRm.Running channel, State state, MemorySegment pushbuffer, int words) {
    int at = state.word;
    while (at < words) {
      int header = pushbuffer.get(Layouts.U32, at * 4L);
      int count = header >>> 16 & 0x1fff;
      int subchannel = header >>> 13 & 7;
      int method = (header & 0xfff) << 2;
      for (int i = 0; i < count; i++) {
        int value = pushbuffer.get(Layouts.U32, (at + 1 + i) * 4L);
        state.methods.put(subchannel << 16 | method + i * 4, value);
        method(channel, state, subchannel, method + i * 4, value);
      }
      at += 1 + count;
      state.word = at;
    }
  }

  private void method(FakeRm.Running channel, State state, int subchannel, int method, int value) {
    if (method == HopperMethods.SET_OBJECT) {
      state.bound.add(subchannel);
    } else if (subchannel == HopperMethods.SUBCHANNEL_HOST
        && method == HopperMethods.SEM_ADDR_LO + 16) {
      semaphore(channel, state, value);
    } else if (subchannel == HopperMethods.SUBCHANNEL_COPY
        && method == HopperMethods.COPY_LAUNCH_DMA) {
      if (!state.bound.contains(subchannel)) {
        throw new Fault(ILLEGAL);
      }
      if ((value & HopperMethods.LAUNCH_REMAP) != 0) {
        clear(channel, state);
      } else {
        copy(channel, state);
      }
    } else if (subchannel == COMPUTE && method == SEND_PCAS && value == LAUNCH) {
      if (!state.bound.contains(subchannel)) {
        throw new Fault(ILLEGAL);
      }
      long qmd = (long) state.methods.getOrDefault(COMPUTE << 16 | SEND_PCAS_ADDRESS, 0) << 8;
      fingerprints(channel, at(channel, Integer.toUnsignedLong((int) (qmd >>> 8)) << 8));
    }
  }

  /** What page_fingerprint.cu computes. */
  private void fingerprints(FakeRm.Running channel, MemorySegment qmd) {
    // Bits 1567 to 1536 and 1586 to 1568: where constant bank 0 is, in units of 64 bytes.
    long high = qmd.get(Layouts.U32, 196) & 0x7_ffff;
    long constants = (high << 32 | Integer.toUnsignedLong(qmd.get(Layouts.U32, 192))) << 6;
    MemorySegment parameters = at(channel, constants).asSlice(PARAMETERS);
    long pages = parameters.get(Layouts.U64, 0);
    int count = parameters.get(Layouts.U32, 8);
    MemorySegment key = at(channel, parameters.get(Layouts.U64, 16));
    MemorySegment out = at(channel, parameters.get(Layouts.U64, 24));
    for (int page = 0; page < count; page++) {
      MemorySegment words = at(channel, pages + page * 4096L);
      long lowSum = 0;
      long highSum = 0;
      for (long i = 0; i < 4096; i += 16) {
        long a = words.get(Layouts.U64, i) + key.get(Layouts.U64, i);
        long b = words.get(Layouts.U64, i + 8) + key.get(Layouts.U64, i + 8);
        lowSum += a * b;
        highSum += Math.unsignedMultiplyHigh(a, b);
      }
      out.set(Layouts.U64, page * 16L, lowSum);
      out.set(Layouts.U64, page * 16L + 8, highSum);
    }
  }

  private void semaphore(FakeRm.Running channel, State state, int execute) {
    MemorySegment where =
        at(channel, wide(state, 0, HopperMethods.SEM_ADDR_LO + 4, HopperMethods.SEM_ADDR_LO));
    long payload = wide(state, 0, HopperMethods.SEM_ADDR_LO + 12, HopperMethods.SEM_ADDR_LO + 8);
    boolean wideWord = (execute & HopperMethods.SEM_PAYLOAD_64) != 0;
    switch (execute & 7) {
      case HopperMethods.SEM_RELEASE -> {
        if (wideWord) {
          U64.setRelease(where, 0L, payload);
        } else {
          U32.setRelease(where, 0L, (int) payload);
        }
      }
      case HopperMethods.SEM_REDUCTION -> {
        int _ = (int) U32.getAndAdd(where, 0L, (int) payload);
      }
      case HopperMethods.SEM_ACQUIRE -> {
        if ((long) U64.getAcquire(where, 0L) != payload) {
          throw new Waits();
        }
      }
      default -> throw new Fault(ILLEGAL);
    }
  }

  private void copy(FakeRm.Running channel, State state) {
    int copy = HopperMethods.SUBCHANNEL_COPY;
    int base = HopperMethods.COPY_OFFSET_IN_UPPER;
    long from = wide(state, copy, base, base + 4);
    long to = wide(state, copy, base + 8, base + 12);
    long left =
        Integer.toUnsignedLong(
            state.methods.getOrDefault(copy << 16 | HopperMethods.COPY_LINE_LENGTH, INVALIDATED));
    rm.copied.merge(channel.engine(), left, Long::sum);
    while (left > 0) {
      MemorySegment source = at(channel, from);
      MemorySegment target = at(channel, to);
      long piece = Math.min(left, Math.min(source.byteSize(), target.byteSize()));
      MemorySegment.copy(source, 0, target, 0, piece / 2);
      if (copyNsPerMib > 0) {
        pass((piece >> 20) * copyNsPerMib);
      }
      MemorySegment.copy(source, piece / 2, target, piece / 2, piece - piece / 2);
      from += piece;
      to += piece;
      left -= piece;
    }
  }

  private void clear(FakeRm.Running channel, State state) {
    int copy = HopperMethods.SUBCHANNEL_COPY;
    int remap = HopperMethods.COPY_REMAP_CONST_A;
    int constant = state.methods.getOrDefault(copy << 16 | remap, 1);
    int components = state.methods.getOrDefault(copy << 16 | remap + 8, 0);
    if (constant != 0 || components != HopperMethods.REMAP_ONE_WORD) {
      throw new Fault(ILLEGAL);
    }
    int base = HopperMethods.COPY_OFFSET_OUT_UPPER;
    long to = wide(state, copy, base, base + 4);
    long words =
        Integer.toUnsignedLong(
            state.methods.getOrDefault(copy << 16 | HopperMethods.COPY_LINE_LENGTH, INVALIDATED));
    at(channel, to).asSlice(0, words * 4).fill((byte) 0);
  }

  private static long wide(State state, int subchannel, int high, int low) {
    return (long) state.methods.getOrDefault(subchannel << 16 | high, INVALIDATED) << 32
        | Integer.toUnsignedLong(state.methods.getOrDefault(subchannel << 16 | low, INVALIDATED));
  }

  @Override
  public void close() {
    synchronized (rm) {
      stopping = true;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
