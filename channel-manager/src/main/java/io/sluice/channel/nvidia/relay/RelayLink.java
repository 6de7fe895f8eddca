package io.sluice.channel.nvidia.relay;

import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The connection of a program: one request at a time, which is answered in the buffer that it came
 * in.
 */
final class RelayLink {
  private static final long HEADER = RelayRequest.SIZE;
  private static final long SPIN_NS = 60_000;
  private static final short[] WANTED = {Kernel.POLLIN};

  private final Kernel kernel;
  private final LongSupplier clock;
  private final Fd connection;
  private final FdList descriptors = new FdList();
  private final MemorySegment buffer;

  private final List<Fd> watched;
  private final short[] ready = new short[1];
  private boolean answered;
  private int bytes; // of the request that was received

  RelayLink(Kernel kernel, LongSupplier clock, Fd connection, Arena arena) {
    this.kernel = kernel;
    this.clock = clock;
    this.connection = connection;
    watched = List.of(connection);
    buffer = arena.allocate(RelayRequest.MAX_BYTES, 8);
  }

  /** Waits for a request; false when the program has left. */
  boolean receive() throws RelayProtocolException {
    descriptors.closeAll();
    awaitSoon();
    long had = 0;
    bytes = (int) HEADER;
    while (had < bytes) {
      // Whoever sends ahead of the answer breaks the protocol, so that nothing is kept of it.
      long got = kernel.recvmsg(connection, buffer.asSlice(had), descriptors);
      if (got <= 0) {
        return false;
      }
      had += got;
      if (had >= HEADER) {
        bytes = length();
      }
      if (had > bytes || descriptors.size() > 1 || descriptors.hasSocket(kernel)) {
        throw new RelayProtocolException("a request with more than it says");
      }
    }
    return true;
  }

  /**
   * Looks for the next request for a while before the thread sleeps: a program that has begun to
   * call mostly goes on, and would wait for it to awake.
   */
  private void awaitSoon() {
    if (!answered) {
      return;
    }
    long until = clock.getAsLong() + SPIN_NS;
    while (kernel.pollNs(watched, WANTED, ready, 0) == 0 && clock.getAsLong() - until < 0) {
      Thread.onSpinWait();
    }
  }

  private int length() throws RelayProtocolException {
    long said = RelayRequest.BYTES.get(buffer);
    if (said < HEADER || said > RelayRequest.MAX_BYTES || said % 8 != 0) {
      throw new RelayProtocolException("bytes=" + said);
    }
    return (int) said;
  }

  MemorySegment header() {
    return buffer.asSlice(0, HEADER);
  }

  MemorySegment body() {
    return buffer.asSlice(HEADER, bytes - HEADER);
  }

  /** The room for a body that is longer than the request's. */
  MemorySegment room() {
    return buffer.asSlice(HEADER);
  }

  /** The descriptors that came along: at most one, and whoever takes it owns it. */
  FdList descriptors() {
    return descriptors;
  }

  /** Closes what came and nobody took. */
  void close() {
    descriptors.closeAll();
  }

  /** Answers with an error. */
  void fail(int errno) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.ERROR.set(buffer, errno);
    send(0, List.of());
  }

  /**
   * Answers.
   *
   * @param file number of a file, or 0
   * @param value what a call returns, or 0
   * @param address an offset, or 0
   * @param body bytes of the body, which is in the buffer
   * @param along goes with it; stays the caller's
   */
  void reply(int file, int value, long address, long body, List<Fd> along) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.FILE.setBits(buffer, file);
    RelayReply.VALUE.setBits(buffer, value);
    RelayReply.ADDRESS.set(buffer, address);
    send(body, along);
  }

  private void send(long body, List<Fd> along) {
    RelayReply.BYTES.set(buffer, HEADER + body);
    answered = true;
    kernel.sendmsg(connection, buffer.asSlice(0, HEADER + body), along);
  }
}
