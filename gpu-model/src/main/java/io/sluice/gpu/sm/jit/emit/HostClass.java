package io.sluice.gpu.sm.jit.emit;

import java.lang.constant.ClassDesc;

/** The name of a class of ours, as generated code writes it. */
public final class HostClass {
  private HostClass() {}

  /** Returns a class's name. */
  public static ClassDesc of(Class<?> type) {
    return ClassDesc.ofDescriptor(type.descriptorString());
  }
}
