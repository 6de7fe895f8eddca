package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;

import io.sluice.abi.sys.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DEVICE_FEATURE, MIG_DATA_READ, MIG_DATA_WRITE: well-formed, and not offered. */
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
        SET | 6,
        SET | 7,
        GET | 8,
        GET | 0xffff
      })
  void feature_ofAnyKind_enotty(int flags) {
    refused(Errno.ENOTTY, 16, body(16, flags, 0L));
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
