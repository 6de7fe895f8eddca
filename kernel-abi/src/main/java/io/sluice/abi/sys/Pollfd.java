package io.sluice.abi.sys;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import java.lang.foreign.StructLayout;

/**
 * {@code struct pollfd}: one descriptor of a poll.
 *
 * <p>8 bytes. Source: poll.h.
 */
final class Pollfd {
  private static final Struct S = Struct.aligned("pollfd");
  static final S32 FD = S.s32("fd", "descriptor; negative ones are skipped");
  static final U16 EVENTS = S.u16("events", "wanted");
  static final U16 REVENTS = S.u16("revents", "out: ready");
  static final StructLayout LAYOUT = S.layout();
  static final long SIZE = LAYOUT.byteSize();

  private Pollfd() {}
}
