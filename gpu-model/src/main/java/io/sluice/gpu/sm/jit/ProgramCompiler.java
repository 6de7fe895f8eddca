package io.sluice.gpu.sm.jit;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import io.sluice.gpu.sm.jit.emit.CompiledCode;
import io.sluice.gpu.sm.jit.emit.HostClass;
import io.sluice.gpu.sm.jit.emit.LaneContext;
import io.sluice.gpu.sm.jit.emit.OperandPool;
import io.sluice.gpu.sm.jit.emit.SegmentEmitter;
import io.sluice.gpu.sm.jit.plan.Liveness;
import io.sluice.gpu.sm.jit.plan.Planner;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.UniformChain;
import io.sluice.gpu.sm.warp.Warp;
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
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * The compiler of programs to bytecode: a class for each part, with a method for each segment.
 * HotSpot compiles no method of more than {@value #MAX_METHOD_BYTES} bytes, so segments are made
 * short enough, and what chooses among them goes by groups.
 */
final class ProgramCompiler {
  /** Most bytes of a method. */
  static final int MAX_METHOD_BYTES = 8000;

  private static final int MOST_INSTRUCTIONS = 128;

  /** Segments among which one method chooses: each takes 11 bytes. */
  private static final int GROUP = 256;

  private static final ClassDesc CLASS = ClassDesc.of("io.sluice.gpu.sm.jit.CompiledProgram$Code");
  private static final ClassDesc CODE = HostClass.of(CompiledCode.class);
  private static final ClassDesc CONTEXT = HostClass.of(LaneContext.class);
  private static final ClassDesc WARP = HostClass.of(Warp.class);
  private static final ClassDesc CHAIN = HostClass.of(UniformChain.class);
  private static final MethodTypeDesc IS_UNIFORM = MethodTypeDesc.ofDescriptor("([III)Z");
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_int, CD_int, CONTEXT, WARP, CD_int);
  private static final MethodTypeDesc SEGMENT = MethodTypeDesc.of(CD_int, CONTEXT, WARP, CD_int);
  private static final int PUBLIC = ClassFile.ACC_PUBLIC;
  private static final int STATIC = ClassFile.ACC_STATIC;

  private ProgramCompiler() {}

  /**
   * The bytecode of a part.
   *
   * @param plan its steps
   * @param pool its constants and sites
   * @param bytes the class
   */
  @SuppressWarnings("ArrayRecordComponent") // Passed on, never compared.
  record Bytecode(Planner plan, OperandPool pool, Liveness liveness, byte[] bytes) {}

  /**
   * Compiles what can be seen of a program from its start.
   *
   * @param start offset of its first instruction
   */
  static CompiledProgram compile(ProgramImage image, int start, CompileBudget budget) {
    Bytecode bytecode = bytecode(image, 0);
    boolean begins = image.instructions().containsKey(start);
    long readFirst = begins ? bytecode.liveness.registersBefore(start) : -1;
    return new CompiledProgram(part(image, bytecode), readFirst, budget);
  }

  /**
   * Compiles another part.
   *
   * @param sites how many the others have
   */
  static CompiledPart part(ProgramImage image, int sites) {
    return part(image, bytecode(image, sites));
  }

  private static CompiledPart part(ProgramImage image, Bytecode made) {
    byte[] bytes = made.bytes;
    return new CompiledPart(image, made.plan, made.pool, define(bytes), bytes.length);
  }

  /** Makes the class of a part, none of whose methods is too long. */
  static Bytecode bytecode(ProgramImage image, int sites) {
    Liveness liveness = new Liveness(image);
    for (int longest = MOST_INSTRUCTIONS; longest > 0; longest /= 2) {
      Planner plan = new Planner(image, longest).plan();
      OperandPool pool = new OperandPool(sites);
      byte[] bytes = build(plan.segments(), pool, liveness);
      if (longestMethod(bytes) <= MAX_METHOD_BYTES) {
        return new Bytecode(plan, pool, liveness, bytes);
      }
    }
    throw new AssertionError("one instruction makes too long a method");
  }

  private static byte[] build(List<Segment> segments, OperandPool pool, Liveness liveness) {
    return ClassFile.of()
        .build(
            CLASS,
            type -> {
              type.withFlags(AccessFlag.FINAL, AccessFlag.SUPER).withSuperclass(CODE);
              type.withMethodBody(INIT_NAME, MTD_void, 0, ProgramCompiler::constructor);
              int groups = (segments.size() + GROUP - 1) / GROUP;
              type.withMethodBody("run", RUN, PUBLIC, code -> chooseGroup(code, groups));
              for (int n = 0; n < groups; n++) {
                int first = n * GROUP;
                int end = Math.min(first + GROUP, segments.size());
                type.withMethodBody(
                    groupName(n), RUN, STATIC, code -> chooseSegment(code, first, end));
              }
              for (int n = 0; n < segments.size(); n++) {
                Segment segment = segments.get(n);
                pool.nextSegment();
                Optional<UniformChain> chain = UniformChain.of(segment);
                String uniform = "uniform" + n;
                type.withMethodBody(
                    name(n),
                    SEGMENT,
                    STATIC,
                    code -> {
                      chain.ifPresent(c -> runUniform(code, c, uniform));
                      new SegmentEmitter(code, segment, pool, liveness).emit();
                    });
                chain.ifPresent(c ->
                    type.withMethodBody(
                        uniform,
                        SEGMENT,
                        STATIC,
                        code -> new SegmentEmitter(code, segment, pool, liveness).emit(c)));
              }
            });
  }

  /**
   * Returns what another method does, if registers are the same in all lanes that it is run for.
   */
  private static void runUniform(CodeBuilder code, UniformChain chain, String uniform) {
    Label different = code.newLabel();
    for (int register : chain.inputs()) {
      code.aload(1).getfield(WARP, "registers", CD_int.arrayType());
      code.loadConstant(register).iload(2);
      code.invokestatic(CHAIN, "isUniform", IS_UNIFORM).ifeq(different);
    }
    code.aload(0).aload(1).iload(2).invokestatic(CLASS, uniform, SEGMENT).ireturn();
    code.labelBinding(different);
  }

  private static String groupName(int group) {
    return "group" + group;
  }

  private static String name(int segment) {
    return "segment" + segment;
  }

  private static void constructor(CodeBuilder code) {
    code.aload(0).invokespecial(CODE, INIT_NAME, MTD_void).return_();
  }

  /** The number of the segment, without its lowest bits, is that of the group. */
  private static void chooseGroup(CodeBuilder code, int groups) {
    code.iload(1).loadConstant(Integer.numberOfTrailingZeros(GROUP)).iushr();
    choose(
        code,
        0,
        groups,
        n -> {
          code.iload(1).aload(2).aload(3).iload(4);
          code.invokestatic(CLASS, groupName(n), RUN).ireturn();
        });
  }

  private static void chooseSegment(CodeBuilder code, int first, int end) {
    code.iload(0);
    choose(
        code,
        first,
        end,
        n -> {
          code.aload(1).aload(2).iload(3);
          code.invokestatic(CLASS, name(n), SEGMENT).ireturn();
        });
  }

  /** Goes by the number on the stack. */
  private static void choose(CodeBuilder code, int first, int end, IntConsumer then) {
    Label none = code.newLabel();
    List<SwitchCase> cases = new ArrayList<>();
    for (int n = first; n < end; n++) {
      cases.add(SwitchCase.of(n, code.newLabel()));
    }
    code.tableswitch(first, Math.max(first, end - 1), none, cases);
    for (SwitchCase each : cases) {
      code.labelBinding(each.target());
      then.accept(each.caseValue());
    }
    code.labelBinding(none);
    code.new_(ClassDesc.of("java.lang.AssertionError")).dup();
    code.invokespecial(
        ClassDesc.of("java.lang.AssertionError"), INIT_NAME, MethodTypeDesc.of(CD_void));
    code.athrow();
  }

  /** Bytes of the longest method of a class. */
  static int longestMethod(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    int longest = 0;
    for (MethodModel method : model.methods()) {
      longest = Math.max(longest, ((CodeAttribute) method.code().orElseThrow()).codeLength());
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
