package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import io.sluice.testbed.workloads.cubin.CubinFile;
import io.sluice.testbed.workloads.cubin.CubinFile.Relocation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Modules of the C library in a process guest of a real daemon process: variables and constants
 * that the host fills, addresses and calls that are relocated, cubins of both widths.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ModuleProcessTest {
  private static final String GUEST = "guest";
  private static final int THREADS = 32;

  /** out[t] = f(table[t]), and their sum; the addresses are the loader's. */
  private static final String WIDE =
      """
      .kernel k
      .param 8 out
        S2R R2, SR_TID.X
        SHL R3, R2, 2
        MOV32I R4, 0                   // table
        MOV32I R5, 0
        IADD R4.CC, R4, R3
        IADD.X R5, R5, RZ
        LD.E R6, [R4]
        CAL 0
        IADD R8.CC, R3, %out
        IADD.X R9, RZ, %out+4
        ST.E [R8], R6
        MOV R10, c[0xe][0x8]           // sum
        MOV R11, c[0xe][0xc]
        RED.E.ADD [R10], R6
        EXIT
      """;

  private static final String NARROW =
      """
      .kernel k
      .param 4 out
        S2R R2, SR_TID.X
        SHL R3, R2, 2
        MOV32I R4, 0                   // table
        IADD R4, R4, R3
        LD R6, [R4]
        CAL 0
        IADD R8, R3, %out
        ST [R8], R6
        MOV R10, c[0xe][0x8]           // sum
        RED.ADD [R10], R6
        EXIT
      """;

  private static final String FUNCTION =
      """
      .kernel f
        IMUL R6, R6, c[0x2][0x4]
        RET
      """;

  private static final int R_32 = 1;
  private static final int R_64 = 2;
  private static final int R_ABS32_26 = 5;
  private static final int R_LO_26 = 10;
  private static final int R_HI_26 = 11;
  private static final int R_RELATIVE_26 = 40;

  private DaemonProcess daemon;
  private LibraryCheck check;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    check = LibraryCheck.build(temporary, "module_check");
    daemon = DaemonProcess.start(temporary, List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  private static int table(int thread) {
    return 3 * thread + 1;
  }

  private static byte[] cubin(boolean wide) {
    Kernel kernel = Assembler.assemble(wide ? WIDE : NARROW).getFirst();
    CubinFile cubin = new CubinFile(wide);
    int text = cubin.addKernel(kernel);
    int function = cubin.addCode("f", Assembler.assemble(FUNCTION).getFirst().words(), 0);
    ByteBuffer table = ByteBuffer.allocate(4 * THREADS).order(ByteOrder.LITTLE_ENDIAN);
    IntStream.range(0, THREADS).forEach(t -> table.putInt(table(t)));
    int data = cubin.addBytes(".nv.global.init", table.array(), 4);
    int zeros = cubin.addZeros(".nv.global", 64, 64);
    int constants = cubin.addBytes(".nv.constant2", new byte[8], 4);
    int addresses = cubin.addBytes(".nv.constant14", new byte[16], 8);
    int f = cubin.addSymbol("f", CubinFile.FUNCTION, function, 0, 16);
    int t = cubin.addSymbol("table", CubinFile.OBJECT, data, 0, 4 * THREADS);
    int sum = cubin.addSymbol("sum", CubinFile.OBJECT, zeros, 32, 4);
    cubin.addSymbol("factor", CubinFile.OBJECT, constants, 4, 4);
    Relocation sumAddress = new Relocation(8, wide ? R_64 : R_32, sum, 0);
    cubin.addRelocations(".rel.nv.constant14", addresses, sumAddress);
    if (wide) {
      cubin.addRelocations(
          ".rel.text.k",
          text,
          new Relocation(16, R_LO_26, t, 0),
          new Relocation(24, R_HI_26, t, 0));
      cubin.addRelocationsWithAddends(
          ".rela.text.k", text, new Relocation(56, R_RELATIVE_26, f, 0));
    } else {
      cubin.addRelocations(".rel.text.k", text, new Relocation(16, R_ABS32_26, t, 0));
      cubin.addRelocationsWithAddends(
          ".rela.text.k", text, new Relocation(40, R_RELATIVE_26, f, 0));
    }
    return cubin.write();
  }

  private static String expected(int factor) {
    String results =
        IntStream.range(0, THREADS)
            .mapToObj(t -> " " + factor * table(t))
            .collect(Collectors.joining());
    int sum = IntStream.range(0, THREADS).map(t -> factor * table(t)).sum();
    return "factor %d sum %d:%s\n".formatted(factor, sum, results);
  }

  private void assertRuns(byte[] file) throws IOException, InterruptedException {
    SanitizedProgram.Result result = check.run(daemon.socket(GUEST), file, "7");

    assertThat(result).isEqualTo(new SanitizedProgram.Result(0, expected(7) + expected(1)));
  }

  @Test
  void module_of64Bits_isLinkedAndFilled() throws Exception {
    assertRuns(cubin(true));
  }

  @Test
  void module_of32Bits_isLinkedAndFilled() throws Exception {
    assertRuns(cubin(false));
  }

  @Test
  void module_inAFatBinary_isFound() throws Exception {
    assertRuns(CubinFile.fat(List.of(30, 20), List.of(new byte[] {1, 2, 3}, cubin(true))));
  }
}
