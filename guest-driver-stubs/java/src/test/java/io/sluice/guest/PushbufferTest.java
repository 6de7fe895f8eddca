package io.sluice.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import org.junit.jupiter.api.Test;

/** The words against streams known from outside. */
final class PushbufferTest {
  @Test
  void methods_setReference_isTheSmokeTestsWord() {
    assertThat(new Pushbuffer().reference(0xDEADBEEF).toArray())
        .containsExactly(0x20010014, 0xDEADBEEF);
  }

  @Test
  void bindEngines_firstWords_areGdevs() {
    assertThat(new Pushbuffer().bindEngines().toArray())
        .startsWith(0x20014000, 0x9039, 0x20012000, 0x90c0);
  }

  /** The copy of Gdev's stream, whose fence words we send as a host semaphore instead. */
  @Test
  void copyM2mf_linesAndRest_areGdevs() {
    assertThat(
            new Pushbuffer()
                .copyM2mf(new GpuVa(0x20300000), new GpuVa(0x20500000), 0x3123)
                .toArray())
        .containsExactly(
            0x2002408e,
            0x00000000,
            0x20500000,
            0x200640c3,
            0x00000000,
            0x20300000,
            0x00001000,
            0x00001000,
            0x00001000,
            0x00000003,
            0x200140c0,
            0x00100110,
            0x2002408e,
            0x00000000,
            0x20503000,
            0x200640c3,
            0x00000000,
            0x20303000,
            0x00000123,
            0x00000123,
            0x00000123,
            0x00000001,
            0x200140c0,
            0x00100110);
  }

  @Test
  void release_fourBytes_namesAddressPayloadAndOperation() {
    assertThat(new Pushbuffer().release(new GpuVa(0x1_2345_6780L), 7).toArray())
        .containsExactly(0x20040004, 0x1, 0x23456780, 7, 0x01000002);
  }
}
