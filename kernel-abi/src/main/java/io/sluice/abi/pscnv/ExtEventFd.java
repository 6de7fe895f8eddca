package io.sluice.abi.pscnv;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_event_fd}: argument of EVENT_FD.
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtEventFd {
  private static final Struct S = Struct.aligned("sluice_ext_event_fd");
  public static final S32 FD =
      S.s32("fd", "out: an eventfd, the caller's own; readable while records wait");
  public static final StructLayout LAYOUT = S.pad(4).layout();

  private ExtEventFd() {}
}
