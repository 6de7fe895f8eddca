package io.sluice.remoting.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.Order.Serve;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lines of the control link. */
final class ControlCodecTest {
  private static final SessionReport REPORT =
      new SessionReport(
          7,
          4121,
          1000,
          "opencl",
          "PoCL: CPU",
          Map.of("context", 1L, "buffer", 3L),
          4096,
          12,
          7_000_000,
          99,
          Map.of("binaries", "programs are made of binaries: 2"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "{\"do\":\"list\",\"id\":1} x",
        "{\"do\":\"list\",\"id\":1}{\"do\":\"list\",\"id\":2}",
        "{\"do\":\"list\"}",
        "{\"do\":\"list\",\"id\":0}",
        "{\"do\":\"list\",\"id\":-1}",
        "{\"do\":\"list\",\"id\":1.5}",
        "{\"do\":\"list\",\"id\":\"1\"}",
        "{\"do\":\"list\",\"id\":99999999999999999999}",
        "{\"do\":\"list\",\"id\":1,\"id\":2}",
        "{\"do\":\"list\",\"id\":1,\"more\":1}",
        "{\"do\":\"list\",\"id\":true}",
        "{\"do\":\"dance\",\"id\":1}",
        "{\"id\":1}",
        "{\"do\":\"limit\",\"id\":1,\"sessions\":0,\"memory\":1}",
        "{\"do\":\"limit\",\"id\":1,\"sessions\":1025,\"memory\":1}",
        "{\"do\":\"limit\",\"id\":1,\"sessions\":1,\"memory\":-1}",
        "{\"do\":\"end\",\"id\":1,\"session\":0}",
        "{\"do\":\"serve\",\"guest\":\"a\\u0007\",\"sessions\":1,\"memory\":1,\"first\":1}",
        "{\"do\":\"serve\",\"guest\":\"a\",\"sessions\":1,\"memory\":1,\"first\":0}",
        "{\"do\":\"stand\",\"guest\":\"a\",\"sessions\":1,\"memory\":1,\"host\":0}",
        "{\"do\":\"stand\",\"guest\":\"a\",\"sessions\":1,\"memory\":1,\"host\":64}",
        "{\"do\":\"relay\",\"id\":1,\"session\":1,\"pid\":-1,\"uid\":1,\"since\":1}",
        "{\"do\":\"relay\",\"id\":1,\"session\":1}",
        "{\"do\":\"park\",\"id\":1,\"session\":1,\"pid\":1,\"uid\":1,\"since\":1}",
        "{\"do\":\"unpark\",\"id\":1,\"session\":1}",
        "{\"do\":\"unpark\",\"id\":1,\"session\":0,\"key\":\"a\"}",
        "{\"do\":\"mirror\",\"id\":1,\"session\":0}",
        "{\"do\":\"try\",\"id\":1,\"session\":0}",
        "{\"do\":\"trial\",\"id\":0}",
        "{\"do\":\"trial\",\"id\":1,\"session\":1}",
        "{\"do\":\"mirror\",\"id\":1,\"session\":1,\"pid\":1}",
        "{\"do\":{\"a\":{\"b\":{\"c\":{\"d\":1}}}}}",
        "{\"do\":\"list\",\"id\":1",
      })
  void readOrder_notOne_isRefused(String line) {
    assertThatThrownBy(() -> ControlCodec.readOrder(line)).isInstanceOf(LinkException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"tell\":\"opened\",\"session\":1,\"pid\":-1}",
        "{\"tell\":\"opened\",\"session\":0,\"pid\":1}",
        "{\"tell\":\"ended\",\"session\":1}",
        "{\"tell\":\"ended\",\"session\":1,\"reason\":\"\\u001b[2J\"}",
        "{\"tell\":\"serving\",\"sandbox\":\"x\",\"devices\":\"y\"}",
        "{\"tell\":\"serving\",\"sandbox\":\"x\",\"devices\":[1]}",
        "{\"tell\":\"serving\",\"sandbox\":\"x\",\"devices\":[\"y\"]}",
        "{\"tell\":\"serving\",\"sandbox\":\"x\",\"devices\":[\"y\"],\"turns\":1}",
        "{\"tell\":\"turns\",\"device\":1}",
        "{\"tell\":\"left\",\"id\":1,\"error\":\"\",\"obstacles\":[],\"sent\":0,\"stopped\":0,"
            + "\"pages\":[{\"segment\":64,\"offset\":0,\"bytes\":4096}]}",
        "{\"tell\":\"left\",\"id\":1,\"error\":\"\",\"obstacles\":[],\"sent\":0,\"stopped\":0,"
            + "\"pages\":[{\"segment\":0,\"offset\":-1,\"bytes\":4096}]}",
        "{\"tell\":\"sessions\",\"id\":1,\"sessions\":{}}",
        "{\"tell\":\"sessions\",\"id\":1,\"sessions\":[1]}",
        "{\"tell\":\"sessions\",\"id\":1,\"sessions\":[{\"number\":1}]}",
        "{\"do\":\"list\",\"id\":1}",
      })
  void readMessage_notOne_isRefused(String line) {
    assertThatThrownBy(() -> ControlCodec.readMessage(line)).isInstanceOf(LinkException.class);
  }

  @Test
  void readMessage_textThatIsTooLong_isRefused() {
    String line = "{\"tell\":\"ended\",\"session\":1,\"reason\":\"" + "x".repeat(257) + "\"}";

    assertThatThrownBy(() -> ControlCodec.readMessage(line)).isInstanceOf(LinkException.class);
  }

  @Test
  void readMessage_moreSessionsThanThereMayBe_isRefused() {
    String line = ControlCodec.write(new Sessions(1, java.util.Collections.nCopies(1025, REPORT)));

    assertThatThrownBy(() -> ControlCodec.readMessage(line)).isInstanceOf(LinkException.class);
  }

  /** Each of them would be a map before anything is checked. */
  @Test
  void readMessage_moreTokensThanAReportMayHave_isRefusedBeforeItIsAllRead() {
    String line = "{\"tell\":\"turns\",\"a\":[{}" + ",{}".repeat(Fields.MAX_TOKENS / 2) + "]}";

    assertThatThrownBy(() -> ControlCodec.readMessage(line))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("not JSON")
        .hasMessageContaining("Token");
  }

  @Test
  void readMessage_asMuchAsAReportMayHave_isTaken() throws LinkException {
    Map<String, Long> objects =
        IntStream.range(0, ControlCodec.MAX_KINDS)
            .boxed()
            .collect(Collectors.toMap(i -> "k" + "x".repeat(i), i -> Long.MAX_VALUE));
    Map<String, String> ties =
        IntStream.range(0, ControlCodec.MAX_TIES)
            .boxed()
            .collect(Collectors.toMap(i -> "t" + "x".repeat(i), i -> "why"));
    SessionReport report =
        new SessionReport(Long.MAX_VALUE, 1, 1, "a", "d", objects, 1, 1, 1, 1, ties);
    Sessions all =
        new Sessions(1, java.util.Collections.nCopies(SessionLimits.MAX_SESSIONS, report));

    assertThat(ControlCodec.readMessage(ControlCodec.write(all))).isEqualTo(all);
  }

  @Test
  void readMessage_kindOfObjectThatIsNoWord_isRefused() {
    SessionReport report =
        new SessionReport(1, 1, 1, "", "", Map.of("Not a kind", 1L), 0, 0, 0, 0, Map.of());
    String line = ControlCodec.write(new Sessions(1, List.of(report)));

    assertThatThrownBy(() -> ControlCodec.readMessage(line)).isInstanceOf(LinkException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "\"none\"",
        "{\"binaries\":1}",
        "{\"Not a name\":\"why\"}",
        "{\"binaries\":\"\\u001b[2J\"}",
        "{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\"}",
      })
  void readMessage_tiesThatAreNone_isRefused(String ties) throws LinkException {
    String line = ControlCodec.write(new Sessions(1, List.of(REPORT)));
    String other =
        line.replaceFirst("\"ties\":\\{[^}]*}", "\"ties\":" + Matcher.quoteReplacement(ties));

    assertThat(other).isNotEqualTo(line);
    assertThat(ControlCodec.readMessage(line)).isEqualTo(new Sessions(1, List.of(REPORT)));
    assertThatThrownBy(() -> ControlCodec.readMessage(other)).isInstanceOf(LinkException.class);
  }

  static Stream<Order> orders() {
    SessionLimits limits = new SessionLimits(64, 4L << 30);
    return Stream.of(
        new Serve("web-01", limits, 17),
        new Order.Stand("web-01", limits, 63),
        new ListSessions(1),
        new LimitSessions(2, limits),
        new Order.OpenShared(4, 1, false, 1, List.of(new MemoryPiece(0, 4096, 8192))),
        new Order.OpenShared(5, 1, true, 8, List.of(new MemoryPiece(7, 0, 4096))),
        new Order.Leave(6, 7, false),
        new Order.Leave(6, 7, true),
        new Order.Part(6, 7),
        new Order.Near(6, 7, 1, 2, List.of(new MemoryPiece(1, 0, 4096))),
        new Order.TakeNumber(6),
        new Order.EndTrial(9, 7),
        new Order.Trial(8),
        new Order.Relay(9, 7, 4121, 1000, 99),
        new Order.Mirror(10, 7),
        new Order.Arrive(13, 7, 4121, 1000, 99, false),
        new Order.Arrive(13, 7, 4121, 1000, 99, true),
        new Order.Park(11, 7, 4121, 1000, 99, "a key"),
        new Order.Unpark(12, 7, "a key"),
        new Order.Approach(7, 7),
        new Order.Halt(7, 7),
        new Order.GoOn(8, 7),
        new EndSession(3, Long.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("orders")
  void readOrder_whatWasWritten_isTheSame(Order order) throws LinkException {
    assertThat(ControlCodec.readOrder(ControlCodec.write(order))).isEqualTo(order);
  }

  static Stream<HostMessage> messages() {
    return Stream.of(
        new Serving("landlock 7, seccomp", List.of("PoCL: CPU", "other"), List.of("processors")),
        new HostMessage.Turns(),
        new Opened(1, 4121),
        new Ended(1, "its application left"),
        new Done(5, "there is no such session"),
        HostMessage.Left.not(6, "it cannot be moved as it is", List.of("program 3 is of binaries")),
        new HostMessage.Left(7, "", List.of(), 1 << 20, 5, List.of(new SegmentPages(63, 0, 4096))),
        new Sessions(6, List.of(REPORT)),
        new Sessions(6, java.util.Collections.nCopies(1024, REPORT)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readMessage_whatWasWritten_isTheSame(HostMessage message) throws LinkException {
    assertThat(ControlCodec.readMessage(ControlCodec.write(message))).isEqualTo(message);
  }

  @Test
  void write_textOfALibrary_isMadeFitting() throws LinkException {
    String line = ControlCodec.write(new Ended(1, "a\nb\u001b" + "x".repeat(300)));

    assertThat(line).doesNotContain("\n");
    assertThat(ControlCodec.readMessage(line)).isEqualTo(new Ended(1, "a b " + "x".repeat(252)));
  }
}
