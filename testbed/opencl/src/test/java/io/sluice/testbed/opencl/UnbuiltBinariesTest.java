package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Programs of binaries that are not built when their session moves; PoCL does not give them back.
 */
final class UnbuiltBinariesTest {
  private static final int RELEASE = 5; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_PROGRAM = 20;
  private static final int CREATE_PROGRAM_WITH_BINARIES = 21;
  private static final int BUILD_PROGRAM = 24;
  private static final int PROGRAM_INFO = 27;
  private static final int CREATE_KERNEL = 30;
  private static final int PROGRAM = 7; // its kind

  private static final int PROGRAM_BINARIES = 0x1166; // CL/cl.h
  private static final int FROM_SOURCE = 1; // indices
  private static final int OF_BINARIES = 2;
  private static final long ANSWER = 0x70000;
  private static final long BINARIES = ANSWER + Long.BYTES; // behind the size of the one
  private static final long MOST = 0x70000;
  private static final long STATUS = 0xe0000;

  @SuppressWarnings("NullAway.Init")
  private LocalSession session;

  @BeforeEach
  void make() throws Exception {
    session = LocalSession.open();
    session.does(CREATE_CONTEXT, 1, 1, 1);
    long[] source = session.text("kernel void k(global uint *a, uint b) { a[0] += b; }");
    session.does(CREATE_PROGRAM, FROM_SOURCE, 1, source[0], source[1]);
    session.does(BUILD_PROGRAM, FROM_SOURCE, 1, 1, 0);
    long answered = session.value(PROGRAM_INFO, FROM_SOURCE, PROGRAM_BINARIES, ANSWER, MOST);
    long bytes = answered - Long.BYTES;
    session.value(
        CREATE_PROGRAM_WITH_BINARIES,
        OF_BINARIES,
        1,
        1,
        1,
        1,
        bytes,
        BINARIES,
        bytes,
        STATUS,
        Integer.BYTES);
    session.post(RELEASE, PROGRAM, FROM_SOURCE);
    session.memory().asSlice(BINARIES, bytes).fill((byte) 0); // the application's, as ever
  }

  @AfterEach
  void stop() throws Exception {
    if (session != null) {
      session.close();
    }
  }

  private long argumentsOfItsKernel() throws Exception {
    session.does(BUILD_PROGRAM, OF_BINARIES, 1, 1, 0);
    return session.value(CREATE_KERNEL, 1, OF_BINARIES, 1, 'k');
  }

  @Test
  void program_whoseSessionMovesBeforeItIsBuilt_isBuiltThere() throws Exception {
    session.move();
    assertThat(argumentsOfItsKernel()).isEqualTo(2);
  }

  @Test
  void program_whoseSessionMovesOnceItIsBuilt_hasItsKernelThere() throws Exception {
    assertThat(argumentsOfItsKernel()).isEqualTo(2);
    session.move();
    assertThat(session.value(CREATE_KERNEL, 2, OF_BINARIES, 1, 'k')).isEqualTo(2);
  }
}
