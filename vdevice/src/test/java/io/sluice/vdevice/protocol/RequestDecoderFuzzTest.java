package io.sluice.vdevice.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.RefusedException;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A body of any command with any number of descriptors: a request that stays within the limits, or
 * a refusal with a code.
 */
final class RequestDecoderFuzzTest {
  private static final Command[] COMMANDS = Command.values();

  private final byte[] buffer = new byte[Limits.MAX_BODY_BYTES];

  /** The command, the descriptors, the body. */
  static Stream<byte[]> bodies() {
    return Stream.of(
        seed(Command.DMA_MAP, 1, 32, 0, 0, 0, 3, 0, 0, 0),
        seed(Command.DMA_UNMAP, 0, 24, 0, 0, 0, 2),
        seed(Command.DEVICE_GET_REGION_INFO, 0, 32, 0, 0, 0, 0, 0, 0, 0, 1),
        seed(Command.DEVICE_SET_IRQS, 1, 20, 0, 0, 0, 0x24, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1),
        seed(Command.DEVICE_FEATURE, 0, 8, 0, 0, 0, 1, 0, 1),
        seed(Command.MIG_DATA_READ, 0, 40, 0, 0, 0, 32),
        seed(Command.MIG_DATA_WRITE, 0, 9, 0, 0, 0, 1, 0, 0, 0, 77),
        seed(Command.DEVICE_RESET, 0));
  }

  private static byte[] seed(Command command, int fds, int... start) {
    byte[] seed = new byte[2 + (command == Command.MIG_DATA_WRITE ? start.length : 32)];
    seed[0] = (byte) command.ordinal();
    seed[1] = (byte) fds;
    for (int i = 0; i < start.length; i++) {
      seed[2 + i] = (byte) start[i];
    }
    return seed;
  }

  @MethodSource("bodies")
  @FuzzTest
  void body(byte[] input) {
    if (input.length < 2) {
      return;
    }
    Command command = COMMANDS[(input[0] & 0xff) % COMMANDS.length];
    int fds = (input[1] & 0xff) % (command.maxFds() + 1);
    int bytes = input.length - 2;
    switch (command) {
      case REGION_READ, REGION_WRITE, REGION_WRITE_MULTI -> {
        return;
      }
      default -> {}
    }
    if (!command.allowsBody(bytes)) {
      return;
    }
    // As a connection has it: longer than the message, with an older one behind.
    System.arraycopy(input, 2, buffer, 0, bytes);
    MemorySegment body = MemorySegment.ofArray(buffer);
    try {
      Request request = RequestDecoder.decode(command, body, bytes, fds);
      assertBounded(request, bytes);
      assertThat(RequestDecoder.decode(command, body, bytes, fds).toString())
          .isEqualTo(request.toString());
    } catch (RefusedException e) {
      assertThat(e.errno()).isNotNull();
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  private static void assertBounded(Request request, int bytes) {
    switch (request) {
      case Request.SetIrqs irqs -> {
        assertThat(irqs.start()).isBetween(0, Limits.MAX_VECTORS);
        assertThat(irqs.count()).isBetween(0, Limits.MAX_VECTORS);
        assertThat(irqs.selected() >>> irqs.count()).isZero();
      }
      case Request.DeviceFeature feature -> assertThat(feature.data().byteSize()).isLessThan(bytes);
      case Request.MigrationRead read ->
          assertThat(read.sizeBytes()).isBetween(0, Limits.MAX_DATA_BYTES);
      case Request.MigrationWrite write -> assertThat(write.data().byteSize()).isLessThan(bytes);
      case Request.Version version ->
          assertThat(version.capabilities().maxMessageFds()).isBetween(0, Limits.MAX_MESSAGE_FDS);
      default -> {}
    }
  }
}
