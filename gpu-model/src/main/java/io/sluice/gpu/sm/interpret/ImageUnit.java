package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.SurfaceForm;
import io.sluice.gpu.sm.isa.TextureForm;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.texture.SurfaceUnit;
import io.sluice.gpu.sm.texture.TextureUnit;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.Warp;

/** Textures and surfaces of one lane. */
final class ImageUnit {
  private static final int WORD_BYTES = 4;

  private final TextureUnit textures;
  private final SurfaceUnit surfaces;

  ImageUnit(Grid grid, GlobalMemory memory) {
    this.textures = new TextureUnit(grid, memory);
    this.surfaces = new SurfaceUnit(grid, memory);
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case SULD -> load(i, w, lane);
      case SUST -> store(i, w, lane);
      case SUST_P -> storeSample(i, w, lane);
      default -> texture(opcode, i, w, lane);
    }
  }

  private void texture(Opcode opcode, Instruction i, Warp w, int lane) {
    int coordinates = TextureForm.coordinates(opcode, i);
    textures.execute(
        i.word(),
        w.get(i.src1(), lane),
        coordinates > 1 ? w.get(part(i.src1(), 1), lane) : 0,
        coordinates > 2 ? w.get(part(i.src1(), 2), lane) : 0);
    int mask = TextureForm.mask(i.word());
    for (int component = 0, n = 0; component < TextureForm.COMPONENTS; component++) {
      if ((mask >>> component & 1) != 0) {
        w.set(part(i.dst(), n), lane, textures.result(component));
        n++;
      }
    }
  }

  private void load(Instruction i, Warp w, int lane) {
    long found = locate(i, w, lane);
    for (int done = 0; done < AccessSize.bytes(i.accessSize()); done += WORD_BYTES) {
      int value = surfaces.load(i.word(), found, done);
      w.set(part(i.dst(), done / WORD_BYTES), lane, value);
    }
  }

  private void store(Instruction i, Warp w, int lane) {
    long found = locate(i, w, lane);
    for (int done = 0; done < AccessSize.bytes(i.accessSize()); done += WORD_BYTES) {
      int value = w.get(part(i.dst(), done / WORD_BYTES), lane);
      surfaces.store(i.word(), found, done, value);
    }
  }

  private void storeSample(Instruction i, Warp w, int lane) {
    long found = locate(i, w, lane);
    for (int n = 0; n < SurfaceForm.COMPONENTS; n++) {
      boolean named = n < SurfaceForm.components(i.word());
      int value = named ? w.get(part(i.dst(), n), lane) : 0;
      surfaces.storeComponent(i.word(), found, n, value);
    }
  }

  private long locate(Instruction i, Warp w, int lane) {
    boolean lines = SurfaceForm.dimensions(i.word()) > 1;
    int y = lines ? w.get(part(i.src1(), 1), lane) : 0;
    return surfaces.locate(i.word(), w.get(i.src1(), lane), y);
  }

  /** A register of a row of them; all of RZ's are RZ. */
  private static int part(int register, int n) {
    return Math.min(Instruction.RZ, register + n);
  }
}
