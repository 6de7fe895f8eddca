package io.sluice.remoting.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The control link over a real pair of sockets. */
final class ControlLinkTest {
  private final Kernel kernel = RealKernel.create();
  private final List<Fd> pair = kernel.socketpair();
  private final ControlLink link = new ControlLink(kernel, pair.get(0));
  private final Fd other = pair.get(1);

  @AfterEach
  void close() {
    link.close();
    other.close();
  }

  private void send(String text, Fd... fds) {
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      kernel.sendmsg(other, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), List.of(fds));
    }
  }

  @Test
  void receive_notUtf8_isRefused() {
    send("\u00ff\n");

    assertThatThrownBy(link::receive).isInstanceOf(LinkException.class);
  }

  @Test
  void receive_endWithinALine_isTheEnd() throws LinkException {
    send("half");
    kernel.shutdown(other);

    assertThat(link.receive()).isEmpty();
  }

  @Test
  void refuseDescriptors_someCame_closesThem() throws LinkException {
    try (Fd passed = kernel.eventfd(0, 0)) {
      send("a\n", passed);
    }
    assertThat(link.receive()).hasValue("a");

    assertThatThrownBy(link::refuseDescriptors).isInstanceOf(LinkException.class);
  }

  @Test
  void takeDescriptor_noneOrTwo_isRefused() throws LinkException {
    send("a\n");
    assertThat(link.receive()).hasValue("a");
    assertThatThrownBy(link::takeDescriptor).isInstanceOf(LinkException.class);

    try (Fd passed = kernel.eventfd(0, 0)) {
      send("b\n", passed, passed);
    }
    assertThat(link.receive()).hasValue("b");
    assertThatThrownBy(link::takeDescriptor).isInstanceOf(LinkException.class);
  }

  @Test
  void send_toOneThatDoesNotRead_endsTheLink() {
    try (Fd end = kernel.dup(pair.get(0));
        ControlLink impatient = new ControlLink(kernel, end, Duration.ofMillis(20))) {
      String line = "x".repeat(ControlLink.MAX_LINE);

      assertThatThrownBy(() -> impatient.send(line, List.of()))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.ETIMEDOUT)).isTrue());
      assertThatThrownBy(() -> impatient.send("y", List.of())).isInstanceOf(SyscallException.class);
    }
  }

  @Test
  void send_lineLongerThanTheSocketHolds_isWhole() throws Exception {
    String line = "x".repeat(1 << 20);
    try (ControlLink reader = new ControlLink(kernel, kernel.dup(other))) {
      Thread sender = Thread.ofPlatform().start(() -> link.send(line, List.of()));

      assertThat(reader.receive()).hasValue(line);
      sender.join();
    }
  }

  @Test
  void receive_linesInPieces_areWhole() throws LinkException {
    send("on");
    send("e\ntwo\nthr");
    assertThat(link.receive()).hasValue("one");
    assertThat(link.receive()).hasValue("two");
    send("ee\n");
    assertThat(link.receive()).hasValue("three");
  }

  @Test
  void takeDescriptor_ofItsLine_isTheFile() throws LinkException {
    try (Fd passed = kernel.eventfd(5, 0)) {
      send("a\n", passed);
    }
    assertThat(link.receive()).hasValue("a");

    try (Fd taken = link.takeDescriptor()) {
      assertThat(kernel.drain(taken)).isEqualTo(5);
    }
  }

  @Test
  void takeDescriptor_ofALineBehindOthers_isTheFile() throws LinkException {
    send("a\nb\n");
    try (Fd passed = kernel.eventfd(5, 0)) {
      send("c\n", passed); // comes in one read with those before
    }
    send("d\n");

    assertThat(link.receive()).hasValue("a");
    link.refuseDescriptors();
    assertThat(link.receive()).hasValue("b");
    link.refuseDescriptors();
    assertThat(link.receive()).hasValue("c");
    try (Fd taken = link.takeDescriptor()) {
      assertThat(kernel.drain(taken)).isEqualTo(5);
    }
    assertThat(link.receive()).hasValue("d");
    link.refuseDescriptors();
  }

  @Test
  void takeDescriptor_ofALineInPieces_isTheFile() throws LinkException {
    send("a\n");
    try (Fd passed = kernel.eventfd(5, 0)) {
      send("begi", passed);
    }
    send("n\nb\n");

    assertThat(link.receive()).hasValue("a");
    link.refuseDescriptors();
    assertThat(link.receive()).hasValue("begin");
    try (Fd taken = link.takeDescriptor()) {
      assertThat(kernel.drain(taken)).isEqualTo(5);
    }
    assertThat(link.receive()).hasValue("b");
    link.refuseDescriptors();
  }

  @Test
  void receive_descriptorsWithEveryPieceOfALine_isRefusedSoon() {
    try (Fd passed = kernel.eventfd(0, 0)) {
      for (int i = 0; i <= Kernel.MAX_MESSAGE_FDS; i++) {
        send("x", passed);
      }
    }
    send("\n");

    assertThatThrownBy(link::receive).isInstanceOf(LinkException.class);
  }

  @Test
  void end_whoReceives_isWoken() throws Exception {
    Thread receiver = Thread.ofPlatform().start(link::end);

    assertThat(link.receive()).isEmpty();
    receiver.join();
  }

  @Test
  void send_afterTheEnd_fails() {
    other.close();

    assertThatThrownBy(() -> link.send("x", List.of())).isInstanceOf(SyscallException.class);
  }
}
