package io.sluice.channel.nvidia.relay.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.fakes.LingeringFd;
import io.sluice.testbed.fakes.TestCustody;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Descriptors that a program sends: whoever serves it must not be who closes them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SocketLinkTest {
  private final Kernel kernel = RealKernel.create();
  private final Arena arena = Arena.ofShared();
  private final TestCustody custody = new TestCustody();
  private final List<Fd> ends = kernel.socketpair();
  private final Fd program = ends.get(1);
  private final SocketLink link =
      new SocketLink(kernel, System::nanoTime, ends.get(0), custody, arena);

  @AfterEach
  void close() {
    link.close();
    custody.close();
    ends.forEach(Fd::close);
    arena.close();
  }

  private void send(MemorySegment message, Fd along) {
    kernel.sendmsg(program, message, List.of(along));
  }

  private MemorySegment request() {
    MemorySegment request = arena.allocate(RelayRequest.SIZE, 8);
    RelayRequest.BYTES.set(request, RelayRequest.SIZE);
    return request;
  }

  /** A program's end of the way by which it takes other doorbells. */
  private Fd watch() {
    link.replyWatch();
    MemorySegment reply = arena.allocate(RelayReply.SIZE, 8);
    FdList came = new FdList();
    assertThat(kernel.recvmsg(program, reply, came)).isEqualTo(RelayReply.SIZE);
    return came.take();
  }

  @Test
  void receive_socketThatLingers_isTheCustodys() throws Exception {
    try (LingeringFd lingering = new LingeringFd(kernel)) {
      send(request(), lingering.fd());
      lingering.giveUp();

      assertThatThrownBy(() -> link.receive(() -> false))
          .isInstanceOf(RelayProtocolException.class)
          .hasMessageContaining("more than it says");
      link.close();

      assertThat(custody.waiting()).isEqualTo(1);
    }
  }

  @Test
  void sendAway_whoeverSendsHearsIt() {
    link.sendAway();
    assertThatThrownBy(() -> kernel.sendmsg(program, request(), List.of()))
        .isInstanceOf(SyscallException.class);
  }

  @Test
  void sendAway_afterItsEnd_touchesNoConnection() {
    link.close();
    link.sendAway();
    kernel.sendmsg(program, request(), List.of());
    ends.getFirst().close();
    link.sendAway();
  }

  @Test
  void receive_descriptorWhileTooManyWait_endsTheProgram() throws Exception {
    custody.fill();
    try (Fd event = kernel.eventfd(0, 0)) {
      send(request(), event);
    }
    assertThatThrownBy(() -> link.receive(() -> false))
        .isInstanceOf(RelayProtocolException.class)
        .hasMessageContaining("too many descriptors cannot be closed");
    assertThat(custody.waiting()).isZero();
  }

  /** Whether a message brings any, and how many, shows only when they have come. */
  @Test
  void receive_anyMessageWhileTooManyWait_endsTheProgram() throws Exception {
    custody.fill();
    kernel.sendmsg(program, request(), List.of());
    assertThatThrownBy(() -> link.receive(() -> false))
        .isInstanceOf(RelayProtocolException.class)
        .hasMessageContaining("too many descriptors cannot be closed");
  }

  /** Each leaves the former one, in which something may be under way. */
  @Test
  void replyWatch_whileTooManyWait_emfile() {
    custody.fill();
    assertThatThrownBy(link::replyWatch)
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.is(Errno.EMFILE)).isTrue());
  }

  @Test
  void moveDoorbell_acknowledgementWithASocketThatLingers_isTheCustodys() throws Exception {
    try (Fd end = watch();
        LingeringFd lingering = new LingeringFd(kernel);
        Fd doorbell = kernel.eventfd(0, 0)) {
      MemorySegment acknowledgement = arena.allocate(RelayReply.LAYOUT);
      RelayReply.VALUE.setBits(acknowledgement, 1);
      kernel.sendmsg(end, acknowledgement, List.of(lingering.fd()));
      lingering.giveUp();

      link.moveDoorbell(7, doorbell, System.nanoTime() + TimeUnit.MINUTES.toNanos(1));

      assertThat(custody.waiting()).isEqualTo(1);
    }
  }

  /** What nobody has received is closed with the socket. */
  @Test
  void close_doorbellsWayWithASocketThatLingers_isTheCustodys() throws Exception {
    try (Fd end = watch();
        LingeringFd lingering = new LingeringFd(kernel)) {
      kernel.sendmsg(end, arena.allocate(1), List.of(lingering.fd()));
      lingering.giveUp();

      link.close();

      assertThat(custody.waiting()).isEqualTo(1);
    }
  }
}
