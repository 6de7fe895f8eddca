package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.memory.Window;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * The window of a site as local variables of a segment's method: so that HotSpot keeps it in
 * machine registers while lanes and loops go on. In a loop they are read again whenever the site's
 * window may have changed: after an access that was not in it, and after a poll.
 */
final class WindowLocals {
  private static final ClassDesc MEMORY = HostClass.of(LaneMemory.class);
  private static final ClassDesc WINDOW = HostClass.of(Window.class);
  private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
  private static final MethodTypeDesc OF_SITE = MethodTypeDesc.of(WINDOW, ConstantDescs.CD_int);

  private final CodeBuilder code;
  private final int memory;
  private final int site;
  private final int window;
  private final int segment;
  private final int start;
  private final int length;
  private final int delta;

  /**
   * @param memory the local variable with the lanes' memory
   * @param site the site's number
   */
  WindowLocals(CodeBuilder code, int memory, int site) {
    this.code = code;
    this.memory = memory;
    this.site = site;
    this.window = code.allocateLocal(TypeKind.REFERENCE);
    this.segment = code.allocateLocal(TypeKind.REFERENCE);
    this.start = code.allocateLocal(TypeKind.LONG);
    this.length = code.allocateLocal(TypeKind.LONG);
    this.delta = code.allocateLocal(TypeKind.LONG);
  }

  int site() {
    return site;
  }

  /** Reads the site's window. */
  void read() {
    code.aload(memory).loadConstant(site).invokevirtual(MEMORY, "window", OF_SITE).astore(window);
    code.aload(window).getfield(WINDOW, "segment", SEGMENT).astore(segment);
    code.aload(window).getfield(WINDOW, "start", ConstantDescs.CD_long).lstore(start);
    code.aload(window).getfield(WINDOW, "length", ConstantDescs.CD_long).lstore(length);
    code.aload(window).getfield(WINDOW, "delta", ConstantDescs.CD_long).lstore(delta);
  }

  /** Pushes 1 if an address is in the window and aligned, otherwise 0. */
  void pushContains(int address, int bytes) {
    code.lload(address).lload(start).lload(length).loadConstant(bytes - 1L);
    code.invokestatic(WINDOW, "contains", MethodTypeDesc.ofDescriptor("(JJJJ)Z"));
  }

  /** Pushes what an access of the window needs: the host memory and the offset in it. */
  void pushPlace(int address, int offset) {
    code.aload(segment).lload(address).lload(delta).ladd();
    if (offset != 0) {
      code.loadConstant((long) offset).ladd();
    }
  }
}
