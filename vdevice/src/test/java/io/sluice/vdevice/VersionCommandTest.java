package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static io.sluice.vdevice.RawClient.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.vdevice.protocol.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** VERSION: what does not negotiate is answered and disconnected. */
final class VersionCommandTest extends ServerTest {
  @Override
  boolean negotiates() {
    return false;
  }

  private void refusedAndClosed(byte[] body, Fd... fds) {
    try (RawClient.Message reply = client.call(1, body, fds)) {
      assertThat(reply.isError()).isTrue();
      assertThat(reply.errno()).isEqualTo(Errno.EINVAL.number());
    }
    assertThat(client.isClosed()).isTrue();
  }

  static Stream<String> badVersionData() {
    return Stream.of(
        "{", // no NUL either
        "\0",
        "{}\0{}\0",
        "{}",
        "[]\0",
        "{\0",
        "{\"capabilities\":3}\0",
        "{\"capabilities\":{\"max_msg_fds\":\"16\"}}\0",
        "{\"capabilities\":{\"max_msg_fds\":-1}}\0",
        "{\"capabilities\":{\"max_msg_fds\":99999999999999999999}}\0",
        "{\"capabilities\":{\"max_data_xfer_size\":0}}\0",
        "{\"capabilities\":{\"max_data_xfer_size\":1.5}}\0",
        "{\"capabilities\":{\"pgsizes\":65536}}\0",
        "{\"capabilities\":{\"write_multiple\":1}}\0",
        "{\"capabilities\":{\"migration\":{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{}}}}}}}}}\0",
        "{\"" + "x".repeat(100) + "\":1}\0",
        "{\"x\":[" + "1,".repeat(600) + "1]}\0",
        "{\"x\":\"\u0001\"}\0");
  }

  @ParameterizedTest
  @MethodSource("badVersionData")
  void version_badData_einvalAndClosed(String data) {
    refusedAndClosed(version(0, 0, data));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 0xffff})
  void version_otherMajor_einvalAndClosed(int major) {
    refusedAndClosed(version(major, 0, "{}\0"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void version_tooShort_einvalAndClosed(int bytes) {
    refusedAndClosed(new byte[bytes]);
  }

  @Test
  void version_tooLong_einvalAndClosed() {
    refusedAndClosed(new byte[4 + Limits.MAX_VERSION_BYTES + 1]);
  }

  @Test
  void version_withDescriptor_einvalClosedAndNothingLeaks() {
    try (Fd stray = kernel.eventfd(0, 0)) {
      refusedAndClosed(version(0, 0, "{}\0"), stray);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8, 9, 10, 13, 16, 18})
  void anyCommand_beforeVersion_einvalAndClosed(int command) {
    try (RawClient.Message reply = client.call(command, new byte[32])) {
      assertThat(reply.errno()).isEqualTo(Errno.EINVAL.number());
    }
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void version_twice_einvalAndGoesOn() {
    client.negotiate();
    refused(Errno.EINVAL, 1, version(0, 0, "{}\0"));
  }

  @Test
  void version_withoutData_negotiatesDefaults() {
    ByteBuffer reply = client.ok(1, body((short) 0, (short) 0));
    assertThat(text(reply)).doesNotContain("write_multiple");
    assertGoesOn();
  }

  @Test
  void version_higherMinor_answersOurs() {
    ByteBuffer reply = client.ok(1, version(0, 7, "{}\0"));
    assertThat(reply.getShort(0)).isZero();
    assertThat(reply.getShort(2)).isZero();
  }

  @Test
  void version_unknownCapabilities_areSkipped() {
    client.ok(
        1,
        version(
            0,
            0,
            "{\"a\":[1,{\"b\":2}],\"capabilities\":{\"twin_socket\":{\"supported\":true}}}\0"));
    assertGoesOn();
  }

  @Test
  void version_asQemuSendsIt_replyFitsItsBuffer() {
    byte[] request = version(0, 0, RawClient.QEMU_VERSION_DATA);
    ByteBuffer reply = client.ok(1, request);
    assertThat(reply.capacity()).isLessThanOrEqualTo(4 + 194).isLessThanOrEqualTo(request.length);
    assertThat(reply.get(reply.capacity() - 1)).isZero();
    assertThat(text(reply))
        .isEqualTo(
            "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":262144,"
                + "\"max_dma_maps\":4094,\"pgsizes\":4096,\"write_multiple\":true}}");
  }

  private static String text(ByteBuffer reply) {
    byte[] json = new byte[reply.capacity() - 5];
    reply.get(4, json);
    return new String(json, StandardCharsets.US_ASCII);
  }
}
