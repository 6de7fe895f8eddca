package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_version}: body of VERSION; NUL-terminated JSON follows.
 *
 * <p>4 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_VERSION".
 */
public final class VersionMessage {
  private static final Struct S = Struct.packed("vfio_user_version");
  public static final U16 MAJOR = S.u16("major", "incompatible changes");
  public static final U16 MINOR = S.u16("minor", "additions");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private VersionMessage() {}
}
