package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_rm_api_version_t}: argument of CHECK_VERSION_STR.
 *
 * <p>72 bytes. Source: nv-ioctl.h.
 */
public final class NvVersion {
  /** {@link #CMD}: fails unless the caller names the driver's version. */
  public static final int STRICT = 0;

  /** {@link #CMD}: like STRICT, but for the last part. */
  public static final int RELAXED = '1';

  /** {@link #CMD}: asks the version. */
  public static final int QUERY = '2';

  private static final Struct S = Struct.aligned("nv_ioctl_rm_api_version_t");
  public static final U32 CMD = S.u32("cmd", "in: STRICT, RELAXED or QUERY");
  public static final Elements<U8> VERSION_STRING =
      S.unused32("reply", "out: 1 when the driver has answered")
          .bytes("versionString", 64, "in of STRICT; out: version, NUL-terminated");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private NvVersion() {}
}
