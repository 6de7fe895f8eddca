package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * DEVICE_FEATURE, MIG_DATA_READ, MIG_DATA_WRITE where migration is not offered; the log of writes.
 */
final class FeatureCommandsTest extends ServerTest {
  private static final int GET = 1 << 16;
  private static final int SET = 1 << 17;
  private static final int PROBE = 1 << 18;

  // ---- DEVICE_FEATURE ----

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 7, 8 + 4097})
  void feature_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 16, new byte[bytes]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7})
  void feature_argszTooSmall_einval(int argsz) {
    refused(Errno.EINVAL, 16, body(argsz, GET | 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, GET | SET | 1, 1 << 19 | GET | 1, 0x80000000 | PROBE})
  void feature_badFlags_einval(int flags) {
    refused(Errno.EINVAL, 16, body(16, flags, 0L));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        GET | 1,
        SET | 2,
        GET | 2,
        PROBE | 1,
        PROBE | GET | SET | 2,
        GET | 3,
        GET | 9,
        GET | 0xffff
      })
  void feature_thatIsNotOffered_enotty(int flags) {
    refused(Errno.ENOTTY, 16, body(16, flags, 0L));
  }

  // ---- the log of writes ----

  private void start() {
    assertThat(client.ok(16, body(24, SET | 6, 65536L, 0, 0)).getLong(8)).isEqualTo(4096);
  }

  static Stream<Arguments> badStarts() {
    return Stream.of(
        Arguments.of((Object) body(24, SET | 6)),
        Arguments.of((Object) body(24, SET | 6, 4096L)),
        Arguments.of((Object) body(24, SET | 6, 4096L, 1, 0)),
        Arguments.of((Object) body(64, SET | 6, 4096L, 0, 0, 0L, 4096L)),
        Arguments.of((Object) body(40, SET | 6, 4096L, -1, 0, 0L, 4096L)),
        Arguments.of((Object) body(39, SET | 6, 4096L, 1, 0, 0L, 4096L)),
        Arguments.of((Object) body(40, SET | 6, 4096L, 1, 0, 0L, 0L)),
        Arguments.of((Object) body(40, SET | 6, 4096L, 1, 0, -4096L, 8192L)),
        Arguments.of((Object) body(24, SET | 6, 0L, 0, 0)),
        Arguments.of((Object) body(24, SET | 6, 4097L, 0, 0)),
        Arguments.of((Object) body(24, SET | 6, Long.MIN_VALUE, 0, 0)),
        Arguments.of((Object) body(24, GET | 6, 4096L, 0, 0)));
  }

  @ParameterizedTest
  @MethodSource("badStarts")
  void loggingStart_whatIsNoRequest_einval(byte[] request) {
    refused(Errno.EINVAL, 16, request);
    start(); // it had not begun
  }

  @Test
  void loggingStart_twice_einval() {
    start();
    refused(Errno.EINVAL, 16, body(24, SET | 6, 4096L, 0, 0));
    client.ok(16, body(8, SET | 7));
    start();
  }

  @Test
  void loggingStop_notBegun_isNothing() {
    client.ok(16, body(8, SET | 7));
  }

  @Test
  void loggingReport_notBegun_einval() {
    refused(Errno.EINVAL, 16, body(64, GET | 8, 0L, 4096L, 4096L));
  }

  static Stream<Arguments> badReports() {
    return Stream.of(
        Arguments.of((Object) body(64, GET | 8, 0L, 4096L)),
        Arguments.of((Object) body(64, GET | 8, 0L, 4096L, 4096L, 0L)),
        Arguments.of((Object) body(39, GET | 8, 0L, 4096L, 4096L)),
        Arguments.of((Object) body(64, GET | 8, 0L, 0L, 4096L)),
        Arguments.of((Object) body(64, GET | 8, -1L, 2L, 4096L)),
        Arguments.of((Object) body(64, GET | 8, 0L, 4096L, 0L)),
        Arguments.of((Object) body(64, GET | 8, 0L, 4096L, 12288L)),
        Arguments.of((Object) body(-1, GET | 8, 0L, -1L, 4096L)),
        Arguments.of((Object) body(-1, GET | 8, 0L, 4096L * (8 * 262112 + 1), 4096L)),
        Arguments.of((Object) body(-1, GET | 8, 0L, Long.MIN_VALUE + 4096, 1L)),
        Arguments.of((Object) body(-1, GET | 8, 0L, -4096L, 1L)),
        Arguments.of((Object) body(64, SET | 8, 0L, 4096L, 4096L)));
  }

  @ParameterizedTest
  @MethodSource("badReports")
  void loggingReport_whatIsNoRequest_einval(byte[] request) {
    start();
    refused(Errno.EINVAL, 16, request);
  }

  @Test
  void loggingReport_asMuchAsThereCanBe_zeros() {
    start();
    ByteBuffer reply = client.ok(16, body(-1, GET | 8, 0L, 4096L * 8 * 262112, 4096L));
    assertThat(reply.remaining()).isEqualTo(8 + 24 + 262112);
    reply.position(32);
    while (reply.hasRemaining()) {
      assertThat(reply.get()).isZero();
    }
  }

  @Test
  void loggingReport_pagesOfAnySize_oneWordAtLeast() {
    start();
    for (long page : new long[] {1, 512, 4096, 1L << 40, 1L << 62}) {
      assertThat(client.ok(16, body(64, GET | 8, 4096L, 64L, page)).remaining()).isEqualTo(40);
    }
  }

  // ---- MIG_DATA_READ ----

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 9, 16})
  void migDataRead_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 17, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({"7, 0", "8, 0x40001", "8, -1"})
  void migDataRead_badSizes_einval(int argsz, String size) {
    refused(Errno.EINVAL, 17, body(argsz, Integer.decode(size)));
  }

  @Test
  void migDataRead_wellFormed_eopnotsupp() {
    refused(Errno.EOPNOTSUPP, 17, body(8 + 4096, 4096));
  }

  // ---- MIG_DATA_WRITE ----

  @ParameterizedTest
  @ValueSource(ints = {0, 7})
  void migDataWrite_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 18, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({"7, 8", "16, 7", "16, 9", "16, -1", "16, 0x40001"})
  void migDataWrite_badSizes_einval(int argsz, String size) {
    refused(Errno.EINVAL, 18, body(argsz, Integer.decode(size), 0L));
  }

  @Test
  void migDataWrite_wellFormed_eopnotsupp() {
    refused(Errno.EOPNOTSUPP, 18, body(16, 8, 0L));
  }
}
