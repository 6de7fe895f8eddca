package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import io.sluice.testbed.workloads.cubin.CubinFile;
import io.sluice.testbed.workloads.cubin.CubinFile.Relocation;
import io.sluice.testbed.workloads.cubin.CubinFile.Slot;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Textures and surfaces of the C library, by name, in a process guest of a real daemon process. The
 * cubin is as nvcc makes it: symbols of NVIDIA's types that are in no section, and for each kernel
 * records of the slots in which its instructions look for them; or relocations of the slots.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TextureProcessTest {
  private static final String GUEST = "guest";

  private static final String KERNELS =
      """
      .kernel fetch
      .param 8 out
        S2R R2, SR_TID.X
        IADD R8, R2, -1
        TLD R4, R8, 5, 1D, 0xf
        SHL R3, R2, 4
        IADD R8.CC, R3, %out
        IADD.X R9, RZ, %out+4
        ST.E.128 [R8], R4
        EXIT

      .kernel sample
      .param 8 at
      .param 8 out
        S2R R2, SR_TID.X
        SHL R3, R2, 3
        IADD R4.CC, R3, %at
        IADD.X R5, RZ, %at+4
        LD.E.64 R6, [R4]
        TEX R8, R6, 0, 0, 2D, 0xf
        SHL R3, R2, 4
        IADD R4.CC, R3, %out
        IADD.X R5, RZ, %out+4
        ST.E.128 [R4], R8
        EXIT

      .kernel layers
      .param 8 at
      .param 8 out
        S2R R2, SR_TID.X
        SHL R3, R2, 3
        IADD R4.CC, R3, %at
        IADD.X R5, RZ, %at+4
        LD.E.64 R14, [R4]
        LOP.AND R8, R2, 3
        MOV R9, R14
        MOV R10, R15
        TEX R4, R8, 9, 1, ARRAY_2D, 0xf
        SHL R3, R2, 4
        IADD R8.CC, R3, %out
        IADD.X R9, RZ, %out+4
        ST.E.128 [R8], R4
        EXIT

      .kernel called
      .param 8 at
      .param 8 out
        S2R R2, SR_TID.X
        SHL R3, R2, 3
        IADD R4.CC, R3, %at
        IADD.X R5, RZ, %at+4
        LD.E.64 R6, [R4]
        CAL 0
        SHL R3, R2, 4
        IADD R4.CC, R3, %out
        IADD.X R5, RZ, %out+4
        ST.E.128 [R4], R8
        EXIT

      .kernel move
        S2R R2, SR_TID.X
        SHL R2, R2, 2
        S2R R3, SR_CTAID.X
        SULD.32.2D.TRAP R4, 6, R2
        SUST.32.2D.TRAP 0, R2, R4
        EXIT
      """;

  /** In all slots zero: the loader says which. */
  private static final String READ =
      """
      .kernel read
        TEX R8, R6, 0, 0, 2D, 0xf
        RET
      """;

  private static final long CALL_AT = 40;
  private static final long STORE_AT = 32;
  private static final int R_TEXTURE_SLOT = 19;
  private static final int R_SAMPLER_SLOT = 20;
  private static final int R_SURFACE_SLOT = 21;
  private static final int R_RELATIVE_26 = 40;

  private DaemonProcess daemon;
  private LibraryCheck check;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    check = LibraryCheck.build(temporary, "texture_check");
    daemon = DaemonProcess.start(temporary, List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  private static byte[] cubin() {
    List<Kernel> kernels = Assembler.assemble(KERNELS);
    CubinFile cubin = new CubinFile(true);
    int texels = cubin.addImage("texels", CubinFile.TEXTURE);
    int picture = cubin.addImage("picture", CubinFile.TEXTURE);
    int from = cubin.addImage("from", CubinFile.SURFACE);
    int to = cubin.addImage("to", CubinFile.SURFACE);
    cubin.addKernel(kernels.get(0), new Slot(texels, 5));
    cubin.addKernel(kernels.get(1), new Slot(picture, 0));
    cubin.addKernel(kernels.get(2), new Slot(picture, 9));
    int called = cubin.addKernel(kernels.get(3));
    int move = cubin.addKernel(kernels.get(4), new Slot(from, 6));
    int read = cubin.addCode("read", Assembler.assemble(READ).getFirst().words(), 0);
    int function = cubin.addSymbol("read", CubinFile.FUNCTION, read, 0, 16);
    cubin.addRelocationsWithAddends(
        ".rela.text.called", called, new Relocation(CALL_AT, R_RELATIVE_26, function, 0));
    cubin.addRelocations(
        ".rel.text.read",
        read,
        new Relocation(0, R_TEXTURE_SLOT, picture, 0),
        new Relocation(0, R_SAMPLER_SLOT, picture, 0));
    cubin.addRelocations(".rel.text.move", move, new Relocation(STORE_AT, R_SURFACE_SLOT, to, 0));
    return cubin.write();
  }

  @Test
  void texturesAndSurfaces_areFoundByNameBoundAndRead() throws Exception {
    SanitizedProgram.Result result = check.run(daemon.socket(GUEST), cubin());

    assertThat(result.text()).doesNotContain("FAILED").endsWith("texture_check: ok\n");
    assertThat(result.status()).isZero();
  }
}
