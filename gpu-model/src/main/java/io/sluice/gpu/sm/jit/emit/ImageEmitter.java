package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.SurfaceForm;
import io.sluice.gpu.sm.isa.TextureForm;
import io.sluice.gpu.sm.texture.SurfaceUnit;
import io.sluice.gpu.sm.texture.TextureUnit;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;

/** The emitter of calls of the texture unit and of the surface unit. */
final class ImageEmitter {
  private static final ClassDesc CONTEXT = HostClass.of(LaneContext.class);
  private static final ClassDesc TEXTURES = HostClass.of(TextureUnit.class);
  private static final ClassDesc SURFACES = HostClass.of(SurfaceUnit.class);
  private static final int WORD_BYTES = 4;

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;

  ImageEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands) {
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  void emit(Opcode opcode, Instruction i, int pc) {
    code.loadConstant(pc).istore(lane.at());
    switch (opcode) {
      case SULD -> load(i);
      case SUST -> store(i);
      case SUST_P -> storeSample(i);
      default -> texture(opcode, i);
    }
  }

  private void texture(Opcode opcode, Instruction i) {
    textures();
    operands.word(i);
    int coordinates = TextureForm.coordinates(opcode, i);
    for (int n = 0; n < TextureForm.COORDINATES; n++) {
      lane.pushRegister(n < coordinates ? part(i.src1(), n) : Instruction.RZ);
    }
    operands.callOn(TextureUnit.class, "execute", "(JIII)V");
    int mask = TextureForm.mask(i.word());
    for (int component = 0, n = 0; component < TextureForm.COMPONENTS; component++) {
      if ((mask >>> component & 1) != 0) {
        textures();
        code.loadConstant(component);
        operands.callOn(TextureUnit.class, "result", "(I)I");
        lane.popRegister(part(i.dst(), n));
        n++;
      }
    }
  }

  private void textures() {
    code.aload(0).getfield(CONTEXT, "textures", TEXTURES);
  }

  private void surfaces() {
    code.aload(0).getfield(CONTEXT, "surfaces", SURFACES);
  }

  private void load(Instruction i) {
    int found = locate(i);
    for (int done = 0; done < AccessSize.bytes(i.accessSize()); done += WORD_BYTES) {
      surfaces();
      operands.word(i);
      code.lload(found).loadConstant(done);
      operands.callOn(SurfaceUnit.class, "load", "(JJI)I");
      lane.popRegister(part(i.dst(), done / WORD_BYTES));
    }
  }

  private void store(Instruction i) {
    int found = locate(i);
    for (int done = 0; done < AccessSize.bytes(i.accessSize()); done += WORD_BYTES) {
      surfaces();
      operands.word(i);
      code.lload(found).loadConstant(done);
      lane.pushRegister(part(i.dst(), done / WORD_BYTES));
      operands.callOn(SurfaceUnit.class, "store", "(JJII)V");
    }
  }

  private void storeSample(Instruction i) {
    int found = locate(i);
    for (int n = 0; n < SurfaceForm.COMPONENTS; n++) {
      surfaces();
      operands.word(i);
      code.lload(found).loadConstant(n);
      boolean named = n < SurfaceForm.components(i.word());
      lane.pushRegister(named ? part(i.dst(), n) : Instruction.RZ);
      operands.callOn(SurfaceUnit.class, "storeComponent", "(JJII)V");
    }
  }

  /** Stores the address of an access in a local variable. Returns which. */
  private int locate(Instruction i) {
    int found = code.allocateLocal(TypeKind.LONG);
    surfaces();
    operands.word(i);
    lane.pushRegister(i.src1());
    boolean lines = SurfaceForm.dimensions(i.word()) > 1;
    lane.pushRegister(lines ? part(i.src1(), 1) : Instruction.RZ);
    operands.callOn(SurfaceUnit.class, "locate", "(JII)J");
    code.lstore(found);
    return found;
  }

  /** A register of a row of them; all of RZ's are RZ. */
  private static int part(int register, int n) {
    return Math.min(Instruction.RZ, register + n);
  }
}
