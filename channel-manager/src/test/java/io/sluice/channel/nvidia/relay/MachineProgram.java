package io.sluice.channel.nvidia.relay;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.relay.RelaySession;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A program in a machine: its end of a session, whose memory is of memory files. */
final class MachineProgram extends TestProgram {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  final MachinePort port;
  final MemorySegment shared;

  /** Segments that it has given, by their indexes. */
  final Map<Integer, MemorySegment> segments = new TreeMap<>();

  /** How many segments it gives from now on; then it says that it has no memory. */
  int gives = Integer.MAX_VALUE;

  /** Has it answer what is wanted with a request of another kind. */
  boolean answersWrongly;

  /** Has it leave where a segment is wanted. */
  boolean leaves;

  private final Kernel kernel;
  private final Fd doorbell;
  private final Fd notify;
  private final List<AutoCloseable> mine = new ArrayList<>();
  private int requests;
  private int replies;

  MachineProgram(Kernel kernel, Fd none) {
    super(kernel, none);
    this.kernel = kernel;
    doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
    notify = kernel.eventfd(0, Kernel.NONBLOCK);
    List<Mapping> both = share(GuestAbi.API_SEGMENT_LEAST);
    shared = both.get(0).segment();
    port = new MachinePort(kernel, both.get(1), kernel.dup(doorbell), kernel.dup(notify));
  }

  /** The same memory twice: for the program, and for the relay, which closes it. */
  private List<Mapping> share(long bytes) {
    try (Fd file = kernel.memfdCreate("machine", bytes)) {
      Mapping own = kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      mine.add(own);
      return List.of(own, kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE));
    }
  }

  /** Gives a segment; false when the relay does not want it. */
  boolean give(int index, long bytes) {
    List<Mapping> both = share(bytes);
    if (!port.add(index, both.get(1))) {
      both.get(1).close();
      return false;
    }
    segments.put(index, both.get(0).segment());
    return true;
  }

  MemorySegment segment(int index) {
    return Objects.requireNonNull(segments.get(index));
  }

  /** Counts a request, as it stands there. */
  void ring() {
    requests++;
    WORD.setRelease(shared, RelaySession.REQUESTS, requests);
    kernel.signal(doorbell);
  }

  private void write(MemorySegment message) {
    MemorySegment.copy(message, 0, shared, RelaySession.MESSAGE, message.byteSize());
    ring();
  }

  @Override
  Answer exchange(Arena arena, MemorySegment message, List<Fd> along) {
    write(message);
    await();
    while (shared.get(ValueLayout.JAVA_INT, RelaySession.WANTED) != 0) {
      if (leaves) {
        port.stop();
        throw new AssertionError("it has left");
      }
      grant();
      await();
    }
    long bytes = shared.get(ValueLayout.JAVA_INT, RelaySession.MESSAGE);
    return answer(shared.asSlice(RelaySession.MESSAGE, RelayRequest.MAX_BYTES), bytes, List.of());
  }

  /** Gives what is wanted, or says that it does not. */
  void grant() {
    MemorySegment message = MemorySegment.ofArray(new long[(int) RelayRequest.SIZE / 8]);
    RelayRequest.BYTES.set(message, RelayRequest.SIZE);
    RelayRequest.OP.setBits(message, answersWrongly ? RelayRequest.CLOSE : RelayRequest.MEMORY);
    int index = shared.get(ValueLayout.JAVA_INT, RelaySession.WANTED);
    long bytes = shared.get(ValueLayout.JAVA_LONG, RelaySession.WANTED_BYTES);
    boolean given = gives-- > 0 && give(index, bytes);
    RelayRequest.ARGUMENT.setBits(message, given ? 0 : 12);
    write(message);
  }

  /** Waits for the relay to count. */
  void await() {
    short[] wanted = {Kernel.POLLIN};
    while ((int) WORD.getAcquire(shared, RelaySession.REPLIES) == replies) {
      if (port.isOver()) {
        throw new AssertionError("the relay has ended the session");
      }
      int _ = kernel.pollNs(List.of(notify), wanted, new short[1], 20_000_000);
      long _ = kernel.drain(notify);
    }
    replies++;
  }

  /** A count of an event. */
  int event(int number) {
    return (int) WORD.getAcquire(shared, RelaySession.EVENTS + 4L * (number - 1));
  }

  Answer reserve(long bytes) {
    return ask(RelayRequest.RESERVE, 0, 0, 0, bytes, new byte[0], List.of());
  }

  Answer release(int segment, long offset) {
    return ask(RelayRequest.RELEASE, segment, 0, offset, 0, new byte[0], List.of());
  }

  /** The bytes of a reply's header, for who looks at it itself. */
  int error() {
    return RelayReply.ERROR.bits(shared.asSlice(RelaySession.MESSAGE, RelayReply.SIZE));
  }

  @Override
  public void close() {
    port.stop();
    for (AutoCloseable each : mine) {
      try {
        each.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    doorbell.close();
    notify.close();
    super.close();
  }
}
