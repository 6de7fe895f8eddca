package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import org.junit.jupiter.api.Test;

/** Why a migration was given up, made from an error and read back. */
final class ReasonTest {
  private static final RefusedException ERROR =
      new RefusedException("SLU-MEM-001", Errno.ENOMEM, "no room, bytes=1", "Free some.");

  @Test
  void of_anError_saysItsCodeOnlyOnce() {
    Reason reason = Reason.of(ERROR);
    assertThat(reason.what()).isEqualTo("no room, bytes=1");
    assertThat(reason.code()).isEqualTo("SLU-MEM-001");
    assertThat(reason.remedy()).isEqualTo("Free some.");
  }

  @Test
  void of_anErrorMadeFromAReason_isThatReason() {
    Reason reason = Reason.of(ERROR);
    RefusedException again =
        new RefusedException(reason.code(), Errno.EPROTO, reason.what(), reason.remedy());
    assertThat(Reason.of(again)).isEqualTo(reason);
    assertThat(again).hasMessage("no room, bytes=1 [SLU-MEM-001]");
  }

  /** By having none a side knows of its own copy that it is complete. */
  @Test
  void decode_withoutCode_hasOne() {
    Reason decoded = Reason.decode(new Reason("", "the copy is complete", "Go on.").encode());
    assertThat(decoded).isEqualTo(new Reason("SLU-MIG-029", "the copy is complete", "Go on."));
  }

  @Test
  void decode_whatWasEncoded_isTheSame() {
    Reason reason = Reason.of(ERROR);
    assertThat(Reason.decode(reason.encode())).isEqualTo(reason);
  }
}
