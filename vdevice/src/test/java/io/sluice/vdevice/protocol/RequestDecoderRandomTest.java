package io.sluice.vdevice.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.RefusedException;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The decoder by itself: whatever the bytes, it gives a request or a refusal. */
@ExtendWith(Seeds.class)
final class RequestDecoderRandomTest {
  private static final List<Command> DECODED =
      List.copyOf(
          EnumSet.complementOf(
              EnumSet.of(Command.REGION_READ, Command.REGION_WRITE, Command.REGION_WRITE_MULTI)));

  private final MemorySegment body = MemorySegment.ofArray(new byte[Limits.MAX_BODY_BYTES]);

  @Test
  void decode_randomBytes_isARequestOrARefusal(RandomGenerator random) {
    int requests = 0;
    for (int i = 0; i < 50_000; i++) {
      Command command = DECODED.get(random.nextInt(DECODED.size()));
      int bytes = random.nextInt(128);
      if (!command.allowsBody(bytes)) {
        continue;
      }
      for (int at = 0; at < bytes; at++) {
        // Mostly small words, as they are met: sizes, flags, indexes.
        boolean small = at % 4 != 0 || random.nextInt(4) == 0;
        byte value = (byte) (small ? 0 : random.nextInt(64));
        body.set(
            ValueLayout.JAVA_BYTE, at, random.nextInt(8) == 0 ? (byte) random.nextInt() : value);
      }
      try {
        RequestDecoder.decode(command, body, bytes, random.nextInt(3));
        requests++;
      } catch (RefusedException e) {
        assertThat(e.errno()).isNotNull();
      }
    }
    assertThat(requests).as("some must get through, or this tests nothing").isGreaterThan(20);
  }
}
