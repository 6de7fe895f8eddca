package io.sluice.gpu.sm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles programs to bytecode: a class for each, with a method for each segment. HotSpot compiles
 * no method of more than {@value #MAX_METHOD_BYTES} bytes, so segments are made short enough.
 */
final class ProgramCompiler {
  /** Most bytes of a method. */
  static final int MAX_METHOD_BYTES = 8000;

  private static final int MOST_INSTRUCTIONS = 128;
  private static final ClassDesc CLASS = ClassDesc.of("io.sluice.gpu.sm.CompiledProgram$Code");
  private static final ClassDesc CODE = ClassDesc.of("io.sluice.gpu.sm.CompiledCode");
  private static final ClassDesc CONTEXT = ClassDesc.of("io.sluice.gpu.sm.LaneContext");
  private static final ClassDesc WARP = ClassDesc.of("io.sluice.gpu.sm.Warp");
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_int, CD_int, CONTEXT, WARP, CD_int);
  private static final MethodTypeDesc SEGMENT = MethodTypeDesc.of(CD_int, CONTEXT, WARP, CD_int);
  private static final int PUBLIC = ClassFile.ACC_PUBLIC;
  private static final int STATIC = ClassFile.ACC_STATIC;

  private ProgramCompiler() {}

  /**
   * Compiles what can be seen of a program.
   *
   * @param start offset of its first instruction
   */
  static CompiledProgram compile(ProgramImage image, int start) {
    Liveness liveness = new Liveness(image);
    for (int longest = MOST_INSTRUCTIONS; ; longest /= 2) {
      Planner plan = new Planner(image, longest).plan();
      OperandPool pool = new OperandPool();
      byte[] bytes = build(plan.segments(), pool, liveness);
      if (longestMethod(bytes) <= MAX_METHOD_BYTES) {
        long readFirst =
            image.instructions().containsKey(start) ? liveness.registersBefore(start) : -1;
        return new CompiledProgram(image, plan, pool, define(bytes), readFirst);
      }
    }
  }

  private static byte[] build(List<Segment> segments, OperandPool pool, Liveness liveness) {
    return ClassFile.of()
        .build(
            CLASS,
            type -> {
              type.withFlags(AccessFlag.FINAL, AccessFlag.SUPER).withSuperclass(CODE);
              type.withMethodBody(INIT_NAME, MTD_void, 0, ProgramCompiler::constructor);
              type.withMethodBody("run", RUN, PUBLIC, code -> dispatch(code, segments.size()));
              for (int n = 0; n < segments.size(); n++) {
                Segment segment = segments.get(n);
                type.withMethodBody(
                    name(n),
                    SEGMENT,
                    STATIC,
                    code -> new SegmentEmitter(code, segment, pool, liveness).emit());
              }
            });
  }

  private static String name(int segment) {
    return "segment" + segment;
  }

  private static void constructor(CodeBuilder code) {
    code.aload(0).invokespecial(CODE, INIT_NAME, MTD_void).return_();
  }

  private static void dispatch(CodeBuilder code, int segments) {
    Label none = code.newLabel();
    List<SwitchCase> cases = new ArrayList<>();
    for (int n = 0; n < segments; n++) {
      cases.add(SwitchCase.of(n, code.newLabel()));
    }
    code.iload(1).tableswitch(0, Math.max(0, segments - 1), none, cases);
    for (int n = 0; n < segments; n++) {
      code.labelBinding(cases.get(n).target());
      code.aload(2).aload(3).iload(4).invokestatic(CLASS, name(n), SEGMENT).ireturn();
    }
    code.labelBinding(none);
    code.new_(ClassDesc.of("java.lang.AssertionError")).dup();
    code.invokespecial(
        ClassDesc.of("java.lang.AssertionError"), INIT_NAME, MethodTypeDesc.of(CD_void));
    code.athrow();
  }

  /** Bytes of the longest segment's method. */
  private static int longestMethod(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    int longest = 0;
    for (MethodModel method : model.methods()) {
      boolean segment = !method.methodName().equalsString("run");
      int length = ((CodeAttribute) method.code().orElseThrow()).codeLength();
      longest = segment ? Math.max(longest, length) : longest;
    }
    return longest;
  }

  private static CompiledCode define(byte[] bytes) {
    try {
      MethodHandles.Lookup type = MethodHandles.lookup().defineHiddenClass(bytes, true);
      return (CompiledCode) type.lookupClass().getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a compiled program cannot be loaded", e);
    }
  }
}
