package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.relay.RelaySession;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The link of a program in a machine: messages stand in memory that both have, and so does all that
 * the program shares with the GPU. What the program writes is copied once, then looked at.
 */
public final class MachineLink implements ProgramLink {
  /** Most memory of a session's segments, as the guest's driver has it. */
  static final long MOST_BYTES = 1L << 30;

  /** What a segment has at least: many objects are small. */
  static final long SEGMENT_BYTES = 16L << 20;

  private static final long HEADER = RelayRequest.SIZE;
  private static final long SPIN_NS = 60_000;

  /** Between looks at events while the program calls without a pause. */
  private static final long LOOK_NS = 500_000;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final Kernel kernel;
  private final LongSupplier clock;
  private final MachinePort port;
  private final ProgramTurn turn;
  private final MemorySegment shared;
  private final MemorySegment buffer;
  private final MemorySegment granted; // the header of what came while memory was wanted
  private final SegmentSpace space = new SegmentSpace();
  private final ReservedPieces reserved = new ReservedPieces(space);
  private final WakingFiles events;
  private int requests;
  private int replies;
  private boolean answered;
  private long looked; // at events, by the clock
  private int next = 1; // index of the next segment

  /**
   * @param clock nanoseconds
   * @param port is closed by whoever serves it
   * @param turn which the program has during its calls
   * @param arena of the thread that serves it
   */
  public MachineLink(
      Kernel kernel, LongSupplier clock, MachinePort port, ProgramTurn turn, Arena arena) {
    this.kernel = kernel;
    this.clock = clock;
    this.port = port;
    this.turn = turn;
    shared = port.first();
    events = new WakingFiles(shared);
    buffer = arena.allocate(RelayRequest.MAX_BYTES, 8);
    granted = arena.allocate(RelayRequest.SIZE, 8);
  }

  @Override
  public boolean receive(IdleWork work) throws RelayProtocolException {
    if (!await(work)) {
      return false;
    }
    MemorySegment message = shared.asSlice(RelaySession.MESSAGE, RelayRequest.MAX_BYTES);
    long said = RelayRequest.BYTES.get(message);
    if (said < HEADER || said > RelayRequest.MAX_BYTES || said % 8 != 0) {
      throw new RelayProtocolException("bytes=" + said);
    }
    MemorySegment.copy(message, 0, buffer, 0, said);
    RelayRequest.BYTES.set(buffer, said); // as it was checked
    return true;
  }

  /** Waits until the program counts one more request; false when it has left. */
  private boolean await(IdleWork work) {
    awaitSoon();
    while (!port.isStopped()) {
      if (hasRequest()) {
        requests = counted();
        tellWithoutSleep();
        return true;
      }
      sleep(work.run() ? IDLE_NS : -1);
    }
    return false;
  }

  private int counted() {
    return (int) WORD.getAcquire(shared, RelaySession.REQUESTS);
  }

  private boolean hasRequest() {
    return counted() != requests;
  }

  /** Looks for the next request for a while: a program that has begun to call mostly goes on. */
  private void awaitSoon() {
    if (!answered || !Spinners.tryEnter()) {
      return;
    }
    try {
      long until = clock.getAsLong() + SPIN_NS;
      while (!hasRequest() && !port.isStopped() && clock.getAsLong() - until < 0) {
        Thread.onSpinWait();
      }
    } finally {
      Spinners.leave();
    }
  }

  private void sleep(long atMostNs) {
    List<Fd> watched = new ArrayList<>(List.of(port.doorbell(), port.wake()));
    watched.addAll(events.files());
    short[] ready = look(watched, atMostNs);
    if (ready[0] != 0) {
      long _ = kernel.drain(port.doorbell());
    }
    tell(Arrays.copyOfRange(ready, 2, ready.length));
  }

  /** A program that calls without a pause has threads that wait for events, too. */
  private void tellWithoutSleep() {
    List<Fd> files = clock.getAsLong() - looked < LOOK_NS ? List.of() : events.files();
    if (!files.isEmpty()) {
      tell(look(files, 0));
    }
  }

  private short[] look(List<Fd> watched, long timeoutNs) {
    short[] wanted = new short[watched.size()];
    short[] ready = new short[watched.size()];
    Arrays.fill(wanted, Kernel.POLLIN);
    int _ = kernel.pollNs(watched, wanted, ready, timeoutNs);
    looked = clock.getAsLong();
    return ready;
  }

  private void tell(short[] ready) {
    if (events.tell(ready)) {
      port.tell();
    }
  }

  @Override
  public MemorySegment header() {
    return buffer.asSlice(0, HEADER);
  }

  @Override
  public MemorySegment body() {
    return buffer.asSlice(HEADER, RelayRequest.BYTES.get(buffer) - HEADER);
  }

  @Override
  public MemorySegment room() {
    return buffer.asSlice(HEADER);
  }

  @Override
  public long blocks() {
    return RelayRequest.LENGTH.get(buffer) & 0xffff_ffffL;
  }

  private int broughtSegment() {
    return (int) (RelayRequest.LENGTH.get(buffer) >>> 32);
  }

  @Override
  public void fail(int errno) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.ERROR.set(buffer, errno);
    send(0);
  }

  @Override
  public void reply(int file, int value, long body) {
    reply(file, value, 0, body);
  }

  @Override
  public boolean mayWake() {
    return events.hasRoom();
  }

  @Override
  public void replyWaking(int value, long body, Fd driver) {
    int number = events.add(driver);
    reply(number, value, Integer.toUnsignedLong(events.count(number)), body);
  }

  @Override
  public void replyMap(MapTarget target, long offset) {
    switch (target.backing()) {
      case MachinePages pages ->
          reply(pages.place().segment(), 0, pages.place().offset() + target.offset() + offset, 0);
      case DriverPage _ -> reply(RelaySession.DOORBELL, 0, 0, 0);
      case FilePages _ -> throw new IllegalStateException("pages of another link");
    }
  }

  private void reply(int file, int value, long address, long body) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.FILE.setBits(buffer, file);
    RelayReply.VALUE.setBits(buffer, value);
    RelayReply.ADDRESS.set(buffer, address);
    send(body);
  }

  private void send(long body) {
    RelayReply.BYTES.set(buffer, HEADER + body);
    MemorySegment.copy(buffer, 0, shared, RelaySession.MESSAGE, HEADER + body);
    shared.set(ValueLayout.JAVA_INT, RelaySession.WANTED, 0);
    count();
  }

  private void count() {
    answered = true;
    replies++;
    WORD.setRelease(shared, RelaySession.REPLIES, replies);
    port.tell();
  }

  // ---- memory ----

  @Override
  public HostPages blank(long bytes, Runnable released) throws Denial {
    SegmentSpace.SpaceRange place = take(bytes);
    space.clear(place);
    return new MachinePages(
        place,
        space.memory(place),
        () -> {
          space.giveBack(place);
          released.run();
        });
  }

  private SegmentSpace.SpaceRange take(long bytes) throws Denial {
    Optional<SegmentSpace.SpaceRange> place = space.take(bytes);
    if (place.isPresent()) {
      return place.get();
    }
    // A segment for more than this; where the machine has not so much in a row, for this alone.
    if ((bytes < SEGMENT_BYTES && grow(SEGMENT_BYTES)) || grow(bytes)) {
      return space.take(bytes).orElseThrow();
    }
    throw new Denial(RmStatus.NO_MEMORY, "more memory than the program's machine gives");
  }

  private boolean grow(long bytes) {
    int index = next;
    if (index >= GuestAbi.MAX_API_SEGMENTS || bytes > MOST_BYTES - space.bytes()) {
      return false;
    }
    port.want(index, bytes);
    shared.set(ValueLayout.JAVA_LONG, RelaySession.WANTED_BYTES, bytes);
    shared.set(ValueLayout.JAVA_INT, RelaySession.WANTED, index);
    count();
    // However long the program takes: who moves its memory does not wait for it.
    boolean came = turn.aside(this::awaitGrant);
    port.want(0, 0);
    Optional<Mapping> segment = port.segment(index);
    if (segment.isPresent()) {
      next++; // the machine has it under this index, whatever the program says of it
      space.add(index, segment.get().segment());
    }
    return came && segment.isPresent();
  }

  /** Whether the program says that the segment is there. */
  private boolean awaitGrant() {
    if (!await(IdleWork.NONE)) {
      return false;
    }
    MemorySegment.copy(shared, RelaySession.MESSAGE, granted, 0, RelayRequest.SIZE);
    if (RelayRequest.OP.bits(granted) != RelayRequest.MEMORY) {
      port.stop(); // it does not speak the protocol
      return false;
    }
    return RelayRequest.ARGUMENT.bits(granted) == 0;
  }

  @Override
  public boolean hasBrought() {
    return broughtSegment() != 0;
  }

  @Override
  public HostPages brought(long bytes, Runnable released) throws Denial {
    long offset = RelayRequest.ADDRESS.get(buffer);
    if (offset < 0 || offset % Kernel.PAGE_BYTES != 0 || bytes > Long.MAX_VALUE - offset) {
      throw new Denial(RmStatus.INVALID_ADDRESS, "pages at no page");
    }
    SegmentSpace.SpaceRange part = new SegmentSpace.SpaceRange(broughtSegment(), offset, bytes);
    Runnable unpin =
        reserved
            .pin(part)
            .orElseThrow(() ->
                new Denial(RmStatus.INVALID_ADDRESS, "pages that the program has not reserved"));
    return new MachinePages(
        part,
        space.memory(part),
        () -> {
          unpin.run();
          released.run();
        });
  }

  @Override
  public boolean serve(int op) {
    switch (op) {
      case RelayRequest.RESERVE -> reserve();
      case RelayRequest.RELEASE -> release();
      default -> {
        return false;
      }
    }
    return true;
  }

  private void reserve() {
    long bytes = RelayRequest.LENGTH.get(buffer);
    if (bytes <= 0 || bytes > MOST_BYTES || reserved.isFull()) {
      fail((bytes <= 0 ? Errno.EINVAL : Errno.ENOMEM).number());
      return;
    }
    turn.take();
    try {
      SegmentSpace.SpaceRange place = take(bytes + Kernel.PAGE_BYTES - 1 & -Kernel.PAGE_BYTES);
      reserved.add(place);
      reply(place.segment(), 0, place.offset(), 0);
    } catch (Denial _) {
      fail(Errno.ENOMEM.number());
    } finally {
      turn.giveBack();
    }
  }

  private void release() {
    if (reserved.release(RelayRequest.FILE.bits(buffer), RelayRequest.ADDRESS.get(buffer))) {
      reply(0, 0, 0, 0);
    } else {
      fail(Errno.EINVAL.number());
    }
  }

  @Override
  public void replyWatch() throws RelayProtocolException {
    throw new RelayProtocolException("another doorbell in a machine");
  }

  @Override
  public boolean takesDoorbells() {
    return false;
  }

  /** The page that a machine rings is its device's. */
  @Override
  public void moveDoorbell(int file, Fd doorbell, long until) throws Denial {
    throw new Denial(RmStatus.NOT_SUPPORTED, "a machine has the doorbell of its own card");
  }

  @Override
  public boolean isGone() {
    return port.isStopped();
  }

  @Override
  public void sendAway() {
    port.stop();
  }

  @Override
  public void close() {
    // Its memory is the port's.
  }
}
