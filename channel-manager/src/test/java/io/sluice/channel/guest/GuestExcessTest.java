package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guests that touch video memory which they never allocated. */
final class GuestExcessTest {
  private static final int SWEEPS = 200; // of 8 ms: more than a second

  private final GpuRig rig = new GpuRig();
  private final GpuRig.HeardEvents heard = new GpuRig.HeardEvents();
  private final Guest guest = rig.attach("g", heard);

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  @Test
  void excess_touchedTwice_isTakenBackAndToldEachTime() {
    MemorySegment aperture = rig.map(guest.vramAperture().orElseThrow());
    for (int i = 0; i < 2; i++) {
      aperture.asSlice(1 << 20, 8192).fill((byte) 1);
      aSecondPasses();
      guest.dispatchEvents();
    }

    assertThat(heard.heard).containsExactly("excess 8192", "excess 8192");
    assertThat(aperture.get(ValueLayout.JAVA_BYTE, 1 << 20)).isZero();
  }

  @Test
  void excess_ofAnotherGuest_isNotTold() {
    Guest other = rig.attach("other");
    rig.map(other.vramAperture().orElseThrow()).fill((byte) 1);
    aSecondPasses();
    guest.dispatchEvents();

    assertThat(heard.heard).isEmpty();
  }

  private void aSecondPasses() {
    for (int i = 0; i < SWEEPS; i++) {
      rig.run();
    }
  }
}
