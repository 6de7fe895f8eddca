package io.sluice.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts refusals. */
public final class Refusals {
  private Refusals() {}

  public static void assertRefused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
  }
}
