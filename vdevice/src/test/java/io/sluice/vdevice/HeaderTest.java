package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static io.sluice.vdevice.RawClient.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.Held;
import io.sluice.vdevice.protocol.Command;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.MessageReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every message has in common: sizes, flags, numbers, descriptors, pieces, order. */
final class HeaderTest extends ServerTest {
  private static final byte[] GET_INFO = body(16, 0, 0, 0);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16 + Limits.MAX_BODY_BYTES + 1, Integer.MAX_VALUE, -1})
  void header_impossibleSize_einvalAndClosed(int size) {
    client.sendRaw(header(5, 4, size, 0, 0));
    try (RawClient.Message reply = client.receive()) {
      assertThat(reply.errno()).isEqualTo(Errno.EINVAL.number());
      assertThat(reply.id()).isEqualTo(5);
    }
    assertThat(client.isClosed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 19, 20, 255, 0xffff})
  void header_unknownCommand_enosys(int command) {
    refused(Errno.ENOSYS, command, new byte[40]);
  }

  @ParameterizedTest
  @ValueSource(ints = {11, 12})
  void header_commandOfTheServer_einval(int command) {
    refused(Errno.EINVAL, command, new byte[16]);
  }

  @Test
  void header_removedCommand_eopnotsupp() {
    refused(Errno.EOPNOTSUPP, 14, new byte[8]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x2, 0xf, 0x20, 0x40, 0x80000000})
  void header_unknownFlags_einval(int flags) {
    int id = client.send(4, flags, GET_INFO);
    try (RawClient.Message reply = client.receive()) {
      assertThat(reply.id()).isEqualTo(id);
      assertThat(reply.errno()).isEqualTo(Errno.EINVAL.number());
    }
    assertGoesOn();
  }

  @Test
  void header_unsolicitedReply_isDroppedNotAnswered() {
    client.send(11, 1, new byte[16]);
    client.send(4, 1, new byte[0]);
    assertGoesOn();
  }

  @ParameterizedTest
  @CsvSource({"4, 16", "13, 0", "9, 16", "7, 16", "3, 24"})
  void header_strayDescriptor_einval(int command, int bytes) {
    try (Fd stray = kernel.memfdCreate("stray", 4096)) {
      refused(Errno.EINVAL, command, new byte[bytes], stray);
    }
  }

  @Test
  void header_moreDescriptorsThanAnyCommandTakes_closesThemAll() {
    List<Fd> many = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      many.add(kernel.eventfd(0, 0));
    }
    refused(Errno.EINVAL, 2, new byte[32], many.toArray(new Fd[0]));
    many.forEach(Fd::close);
  }

  @Test
  void header_descriptorsInTheMiddleOfABody_leakNothing() {
    Map<Integer, String> open = Held.now().fds();
    try (Fd stray = kernel.eventfd(0, 0)) {
      client.sendRaw(body(header(1, 4, 32, 0, 0), 16));
      client.sendRaw(body(0, 0, 0), stray);
      client.receive().close();
    }
    // The server closes what came with a message after its reply, before it takes the next one.
    assertGoesOn();
    assertThat(Held.now().fds()).isEqualTo(open);
  }

  /** As many with each byte would be all that the daemon may have, before the message is whole. */
  @Test
  void header_descriptorsWithEachByteOfABody_endTheConnectionAndLeakNothing() {
    Map<Integer, String> open = Held.now().fds();
    List<Fd> many = new ArrayList<>();
    for (int i = 0; i < Kernel.MAX_MESSAGE_FDS; i++) {
      many.add(kernel.eventfd(0, 0));
    }
    client.sendRaw(header(1, 4, 32, 0, 0));
    for (int i = 0; i < 16; i++) {
      try {
        client.sendRaw(new byte[1], many.toArray(new Fd[0]));
      } catch (SyscallException _) {
        break; // it has ended
      }
    }
    // The first ones may come with the header, which is then refused.
    assertThat(client.isClosedAfterAReply()).isTrue();
    many.forEach(Fd::close);
    await().untilAsserted(() -> assertThat(Held.now().fds()).hasSizeLessThanOrEqualTo(open.size()));
  }

  @Test
  void header_noReplyOfARefusedCommand_staysSilent() {
    client.send(200, RawClient.NO_REPLY, new byte[8]);
    client.send(2, RawClient.NO_REPLY, new byte[3]);
    client.send(9, RawClient.NO_REPLY, body(0L, 77, 4));
    assertGoesOn();
  }

  @Test
  void header_noReplyOfAGoodCommand_staysSilent() {
    client.send(4, RawClient.NO_REPLY, GET_INFO);
    client.send(9, RawClient.NO_REPLY, body(0L, 0, 4));
    client.send(13, RawClient.NO_REPLY, new byte[0]);
    assertGoesOn();
  }

  @Test
  void header_inSinglePieces_isAssembled() {
    byte[] message = body(header(9, 4, 32, 0, 0), GET_INFO);
    for (byte piece : message) {
      client.sendRaw(new byte[] {piece});
    }
    try (RawClient.Message reply = client.receive()) {
      assertThat(reply.isError()).isFalse();
      assertThat(reply.id()).isEqualTo(9);
    }
  }

  @Test
  void header_manyMessagesInOneSend_areAnsweredInOrder() {
    byte[] one = body(header(1, 4, 32, 0, 0), GET_INFO);
    byte[] two = body(header(2, 99, 17, 0, 0), new byte[1]);
    byte[] three = body(header(3, 9, 32, 0, 0), 0L, 0, 4);
    client.sendRaw(body(one, two, three));
    for (int id = 1; id <= 3; id++) {
      try (RawClient.Message reply = client.receive()) {
        assertThat(reply.id()).isEqualTo(id);
        assertThat(reply.isError()).isEqualTo(id == 2);
      }
    }
  }

  /** The kernel hands out the descriptors of the next message to who reads too far. */
  @Test
  void header_descriptorOfAPipelinedMessage_belongsToThatMessage() {
    try (Fd memory = kernel.memfdCreate("ram", 1 << 20)) {
      client.send(3, 0, body(24, 0, 0L, 4096L));
      client.send(2, 0, body(32, 3, 0L, 0L, 1L << 20), memory);
      client.send(3, 0, body(24, 0, 1L << 40, 4096L));
      for (int i = 0; i < 3; i++) {
        try (RawClient.Message reply = client.receive()) {
          assertThat(reply.isError()).isFalse();
        }
      }
    }
    assertThat(gpu.last().regions).containsExactly("offset=0 size=1048576 writable=true");
  }

  /** What is received ahead of a message never takes the descriptors of another. */
  @Test
  void commands_thatTakeDescriptors_areNotShorterThanWhatIsReceivedAhead() {
    for (Command command : Command.values()) {
      if (command.maxFds() > 0) {
        assertThat(command.allowsBody(MessageReader.AHEAD - 16 - 1)).as("%s", command).isFalse();
      }
    }
  }

  /** The short messages are received with the beginning of the one behind them. */
  @Test
  void header_descriptorBehindShortMessages_belongsToItsOwn() {
    for (long i = 0; i < 20; i++) {
      try (Fd memory = kernel.memfdCreate("ram", 1 << 20)) {
        client.send(13, 0, new byte[0]);
        client.send(13, 0, new byte[0]);
        client.send(2, 0, body(32, 3, 0L, i << 20, 1L << 20), memory);
        client.send(16, 0, body(8, 1 << 17 | 7));
        client.send(2, 0, body(32, 3, 0L, i << 20 | 1L << 40, 1L << 20), memory);
        client.send(9, 0, body(0L, 0, 4));
        for (int n = 0; n < 6; n++) {
          try (RawClient.Message reply = client.receive()) {
            assertThat(reply.isError()).as("message %d", n).isFalse();
          }
        }
      }
    }
    assertThat(gpu.last().regions).hasSize(40);
  }

  @Test
  void header_shortMessagesInOneSend_areAnsweredInOrder() {
    List<byte[]> parts = new ArrayList<>();
    for (int id = 1; id <= 50; id++) {
      parts.add(id % 3 == 0 ? body(header(id, 9, 32, 0, 0), 0L, 0, 4) : header(id, 13, 16, 0, 0));
    }
    client.sendRaw(body(parts.toArray()));
    for (int id = 1; id <= 50; id++) {
      try (RawClient.Message reply = client.receive()) {
        assertThat(reply.id()).isEqualTo(id);
        assertThat(reply.isError()).isFalse();
      }
    }
  }

  @Test
  void peer_thatClosesInTheMiddleOfAHeader_isForgotten() {
    client.sendRaw(new byte[7]);
  }

  @Test
  void peer_thatClosesInTheMiddleOfABody_isForgotten() {
    try (Fd memory = kernel.memfdCreate("ram", 4096)) {
      client.sendRaw(body(header(1, 2, 48, 0, 0), new byte[5]), memory);
    }
  }
}
