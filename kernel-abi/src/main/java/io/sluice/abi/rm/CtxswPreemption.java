package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS}: block of GR_SET_CTXSW_PREEMPTION_MODE.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  flags                     in: which modes
 * 0x04      4  hChannel                  in: channel
 * 0x08      4  gfxpPreemptMode           in
 * 0x0c      4  cilpPreemptMode           in
 * 0x10      4  grRouteFlags              in: 0
 * 0x18      8  grRoute                   in: 0
 * </pre>
 *
 * <p>32 bytes. Source: ctrl2080gr.h.
 */
public final class CtxswPreemption {
  /** {@link #flags}: {@link #computeMode} is to be set. */
  public static final int FLAGS_CILP_SET = 1;

  /** {@link #computeMode}: at the end of thread blocks. */
  public static final int COMPUTE_CTA = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("hChannel"),
              Layouts.U32.withName("gfxpPreemptMode"),
              Layouts.U32.withName("cilpPreemptMode"),
              Layouts.U32.withName("grRouteFlags"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("grRoute"))
          .withName("NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle H_CHANNEL = LAYOUT.varHandle(PathElement.groupElement("hChannel"));

  private static final VarHandle GRAPHICS_MODE =
      LAYOUT.varHandle(PathElement.groupElement("gfxpPreemptMode"));

  private static final VarHandle COMPUTE_MODE =
      LAYOUT.varHandle(PathElement.groupElement("cilpPreemptMode"));

  private static final VarHandle ROUTE_FLAGS =
      LAYOUT.varHandle(PathElement.groupElement("grRouteFlags"));

  private static final VarHandle ROUTE = LAYOUT.varHandle(PathElement.groupElement("grRoute"));

  private CtxswPreemption() {}

  /** {@code flags}, in: which modes. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code hChannel}, in: channel. */
  public static int hChannel(MemorySegment segment) {
    return (int) H_CHANNEL.get(segment, 0L);
  }

  /** Sets {@link #hChannel}. */
  public static void hChannel(MemorySegment segment, int value) {
    H_CHANNEL.set(segment, 0L, value);
  }

  /** {@code gfxpPreemptMode}, in. */
  public static int graphicsMode(MemorySegment segment) {
    return (int) GRAPHICS_MODE.get(segment, 0L);
  }

  /** Sets {@link #graphicsMode}. */
  public static void graphicsMode(MemorySegment segment, int value) {
    GRAPHICS_MODE.set(segment, 0L, value);
  }

  /** {@code cilpPreemptMode}, in. */
  public static int computeMode(MemorySegment segment) {
    return (int) COMPUTE_MODE.get(segment, 0L);
  }

  /** Sets {@link #computeMode}. */
  public static void computeMode(MemorySegment segment, int value) {
    COMPUTE_MODE.set(segment, 0L, value);
  }

  /** {@code grRouteFlags}, in: 0. */
  public static int routeFlags(MemorySegment segment) {
    return (int) ROUTE_FLAGS.get(segment, 0L);
  }

  /** Sets {@link #routeFlags}. */
  public static void routeFlags(MemorySegment segment, int value) {
    ROUTE_FLAGS.set(segment, 0L, value);
  }

  /** {@code grRoute}, in: 0. */
  public static long route(MemorySegment segment) {
    return (long) ROUTE.get(segment, 0L);
  }

  /** Sets {@link #route}. */
  public static void route(MemorySegment segment, long value) {
    ROUTE.set(segment, 0L, value);
  }
}
