package io.sluice.vdevice;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.FuzzInput;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes and descriptors on the socket, cut into writes as the input says, headers included: the
 * server refuses or ends the connection, and then nothing is left.
 */
final class MessageStreamFuzzTest extends ServerTest {
  private static final int MAX_WRITES = 32;

  @Override
  boolean negotiates() {
    return false;
  }

  /** The descriptors and the length of each write, then its bytes. */
  static Stream<byte[]> streams() {
    byte[] version = RawClient.version(0, 0, RawClient.QEMU_VERSION_DATA);
    byte[] hello = message(1, version);
    byte[] map = message(2, RawClient.body(32, 3, 0L, 0x10000L, 0x10000L));
    byte[] info = message(4, RawClient.body(16, 0, 0, 0));
    byte[] irqs = message(8, RawClient.body(20, 0x24, 2, 0, 1));
    return Stream.of(
        write(0, hello),
        join(write(0, hello), write(1, map), write(0, info)),
        join(write(0, hello), write(2, irqs), write(0, message(13, new byte[0]))),
        join(write(0, hello), write(3, info)),
        write(0, RawClient.header(1, 1, 15, 0, 0)),
        write(1, RawClient.header(1, 9, -1, 0x10, 0)));
  }

  private static byte[] message(int command, byte[] body) {
    return RawClient.body(RawClient.header(7, command, 16 + body.length, 0, 0), body);
  }

  private static byte[] write(int fds, byte[] bytes) {
    return RawClient.body(new byte[] {(byte) fds}, (short) bytes.length, bytes);
  }

  private static byte[] join(byte[]... parts) {
    return RawClient.body((Object[]) parts);
  }

  @MethodSource("streams")
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void stream(byte[] input) {
    FuzzInput choices = new FuzzInput(input);
    try (Fd memory = kernel.memfdCreate("some", 0x20000);
        Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      Fd[][] some = {{}, {memory}, {event}, {memory, event, memory}};
      for (int i = 0; i < MAX_WRITES && !choices.isEmpty(); i++) {
        Fd[] fds = some[choices.nextInt(some.length)];
        byte[] bytes = choices.take(choices.nextInt(1 << 16));
        if (bytes.length > 0) {
          client.sendRaw(bytes, fds);
        }
      }
    } catch (SyscallException _) {
      // The server has ended the connection.
    }
  }
}
