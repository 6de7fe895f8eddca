package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;

/** An application's end of a session, as simple as can be. */
final class TestApplication implements AutoCloseable {
  static final long BYTES = RingLayout.ARENA + (64 << 10);

  private final Kernel kernel;
  private final Fd socket;
  private final Fd file;
  private final Fd doorbell;
  private final Mapping mapping;
  private int head;

  /**
   * @param socket is closed with this
   */
  TestApplication(Kernel kernel, Fd socket) {
    this.kernel = kernel;
    this.socket = socket;
    file = sealed(kernel, BYTES);
    doorbell = kernel.eventfd(0, Kernel.NONBLOCK);
    mapping = kernel.mmap(file, 0, BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  static Fd sealed(Kernel kernel, long bytes) {
    Fd file = kernel.memfdCreate("session", bytes);
    kernel.addSeals(file, Kernel.F_SEAL_GROW | Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_SEAL);
    return file;
  }

  MemorySegment memory() {
    return mapping.segment();
  }

  /** Says hello as it should be; the errno that came back. */
  int hello() {
    return hello(Hello.MAGIC, 9, BYTES, List.of(file, doorbell));
  }

  int hello(int magic, int api, long bytes, List<Fd> fds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(Hello.BYTES, 8);
      message.set(ValueLayout.JAVA_INT, 0, magic);
      message.set(ValueLayout.JAVA_SHORT, 4, (short) Hello.VERSION);
      message.set(ValueLayout.JAVA_SHORT, 6, (short) api);
      message.set(ValueLayout.JAVA_LONG, 8, bytes);
      kernel.sendmsg(socket, message, fds);
      FdList none = new FdList();
      assertThat(kernel.recvmsg(socket, message, none)).isEqualTo(Hello.BYTES);
      return message.get(ValueLayout.JAVA_SHORT, 6);
    }
  }

  /** Registers a segment; the result. */
  long segment(int index, Fd segment, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(Hello.BYTES, 8);
      message.set(ValueLayout.JAVA_INT, 0, 1);
      message.set(ValueLayout.JAVA_INT, 4, index);
      message.set(ValueLayout.JAVA_LONG, 8, bytes);
      kernel.sendmsg(socket, message, List.of(segment));
      assertThat(kernel.recvmsg(socket, message, new FdList())).isEqualTo(Hello.BYTES);
      return message.get(ValueLayout.JAVA_LONG, 8);
    }
  }

  /** Writes a message. */
  void post(int call, int slotPlusOne, long... parameters) {
    int bytes = RingLayout.HEADER_BYTES + 8 * parameters.length;
    long at = RingLayout.RING + (head & RingLayout.RING_BYTES - 1);
    memory().set(ValueLayout.JAVA_INT, at, bytes);
    memory().set(ValueLayout.JAVA_SHORT, at + 4, (short) call);
    memory().set(ValueLayout.JAVA_SHORT, at + 6, (short) 0);
    memory().set(ValueLayout.JAVA_INT, at + 8, slotPlusOne);
    memory().set(ValueLayout.JAVA_INT, at + 12, 0);
    for (int i = 0; i < parameters.length; i++) {
      memory().set(ValueLayout.JAVA_LONG, at + 16 + 8L * i, parameters[i]);
    }
    head += bytes;
    publish(head);
  }

  /** Writes the head, and rings if the host sleeps. */
  void publish(int value) {
    RingLayout.WORD.setVolatile(memory(), RingLayout.SUBMIT_HEAD, value);
    if ((int) RingLayout.WORD.getAndSet(memory(), RingLayout.HOST_SLEEPING, 0) != 0) {
      kernel.signal(doorbell);
    }
  }

  /** Calls and waits; the status. */
  int call(int call, long... parameters) {
    long answer = RingLayout.ANSWERS;
    RingLayout.WORD.setVolatile(memory(), answer, 0);
    post(call, 1, parameters);
    await()
        .atMost(Duration.ofMinutes(2))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() ->
            (int) RingLayout.WORD.getAcquire(memory(), answer) == 1
                || (int) RingLayout.WORD.getAcquire(memory(), RingLayout.STATE) != 0);
    int state = (int) RingLayout.WORD.getAcquire(memory(), RingLayout.STATE);
    return state != 0 ? state : memory().get(ValueLayout.JAVA_INT, answer + 4);
  }

  /** Value 0 of the last answer. */
  long value() {
    return memory().get(ValueLayout.JAVA_LONG, RingLayout.ANSWERS + 8);
  }

  /** Waits for the session's end; its errno. */
  int end() {
    await()
        .atMost(Duration.ofMinutes(2))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> (int) RingLayout.WORD.getAcquire(memory(), RingLayout.STATE) != 0);
    return (int) RingLayout.WORD.getAcquire(memory(), RingLayout.STATE);
  }

  /** What it is connected by. */
  Fd socket() {
    return socket;
  }

  Fd doorbell() {
    return doorbell;
  }

  Fd file() {
    return file;
  }

  @Override
  public void close() {
    socket.close();
    mapping.close();
    file.close();
    doorbell.close();
  }
}
