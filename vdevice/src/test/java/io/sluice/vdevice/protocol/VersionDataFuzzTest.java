package io.sluice.vdevice.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Version data of a client: abilities within what the server sends, or EINVAL. */
final class VersionDataFuzzTest {
  static Stream<byte[]> json() {
    return Stream.concat(
        Stream.of(
            VersionData.reply(ClientCapabilities.DEFAULT),
            VersionData.reply(new ClientCapabilities(16, 4096, true))),
        Stream.of(
                "{}\0",
                "{\"capabilities\":{\"max_msg_fds\":16,\"pgsizes\":4096,\"max_dma_maps\":65535,"
                    + "\"max_data_xfer_size\":1048576,\"migration\":{\"pgsize\":4096},"
                    + "\"write_multiple\":true}}\0",
                "{\"other\":[[1.5e3,null,\"\\u00e9\"]],\"capabilities\":{\"max_msg_fds\":0}}\0")
            .map(text -> text.getBytes(StandardCharsets.UTF_8)));
  }

  @MethodSource("json")
  @FuzzTest
  void json(byte[] data) {
    ClientCapabilities first;
    try {
      first = VersionData.parse(data);
    } catch (RefusedException e) {
      assertThat(e.errno().name()).isEqualTo("EINVAL");
      return;
    }
    assertThat(first.maxMessageFds()).isBetween(0, Limits.MAX_MESSAGE_FDS);
    assertThat(first.maxDataBytes()).isBetween(1, Limits.MAX_DATA_BYTES);
    assertThat(VersionData.parse(data)).isEqualTo(first);
    byte[] reply = VersionData.reply(first);
    assertThat(reply.length).isLessThanOrEqualTo(194);
    assertThat(VersionData.parse(reply).writeMultiple()).isEqualTo(first.writeMultiple());
  }
}
