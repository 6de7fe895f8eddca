package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pieces of large transfers, of which the session's thread copies all but the first itself, and
 * what else may come between them: moves, releases, the session's end, places that are not there.
 */
final class DirectCopiesTest {
  private static final int RELEASE = 5; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_BUFFER = 8;
  private static final int READ_BUFFER = 41;
  private static final int WRITE_BUFFER = 42;
  private static final int COPY_BUFFER = 45;
  private static final int FINISH = 59;
  private static final int EVENT_STATUS = 63;

  private static final int CONTEXT = 3; // kinds
  private static final int QUEUE = 4;
  private static final int MEMORY = 5;

  private static final int COMPLETE = 0; // CL/cl.h, as those below
  private static final int INVALID_VALUE = -30;
  private static final int INVALID_MEM_OBJECT = -38;
  private static final int READ_WRITE = 1;

  private static final int OTHER = 2; // an index
  private static final int EVENT = 1; // another
  private static final long FROM = 0x80000;
  private static final long BACK = 0xc0000;
  private static final int PIECE = 0x10000;
  private static final int PIECES = 4;

  @SuppressWarnings("NullAway.Init")
  private LocalSession session;

  @BeforeEach
  void make() throws Exception {
    session = LocalSession.open();
    session.does(CREATE_CONTEXT, 1, 1, 1);
    for (int index : new int[] {1, OTHER}) {
      session.does(CREATE_QUEUE, index, 1, 1, 0);
      session.does(CREATE_BUFFER, index, 1, READ_WRITE, PIECES * PIECE, 0, 0);
    }
    byte[] bytes = new byte[PIECES * PIECE];
    new Random(1).nextBytes(bytes);
    memory(FROM).copyFrom(MemorySegment.ofArray(bytes));
  }

  @AfterEach
  void stop() throws Exception {
    if (session != null) {
      session.close();
    }
  }

  private MemorySegment memory(long at) {
    return session.memory().asSlice(at, PIECES * PIECE);
  }

  private void writePieces(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      session.does(WRITE_BUFFER, 1, 1, i * PIECE, FROM + i * PIECE, PIECE, 0, 0);
    }
  }

  private void readPieces(int queue) throws Exception {
    memory(BACK).fill((byte) 0);
    for (int i = 0; i < PIECES; i++) {
      session.does(READ_BUFFER, queue, 1, i * PIECE, BACK + i * PIECE, PIECE, 0, 0);
    }
  }

  private void assertAllThere() {
    assertThat(memory(BACK).mismatch(memory(FROM))).isEqualTo(-1);
  }

  @Test
  void write_inPieces_isReadByAnyQueue() throws Exception {
    writePieces(0, PIECES);
    readPieces(1);
    assertAllThere();

    writePieces(0, PIECES);
    readPieces(OTHER);
    assertAllThere();
  }

  @Test
  void copy_byAnotherQueue_takesWhatWasWritten() throws Exception {
    writePieces(0, PIECES);
    session.does(COPY_BUFFER, OTHER, 1, OTHER, 0, 0, PIECES * PIECE, 0, 0);

    memory(BACK).fill((byte) 0);
    session.does(READ_BUFFER, OTHER, OTHER, 0, BACK, PIECES * PIECE, 0, 0);

    assertAllThere();
  }

  @Test
  void write_ofLessOrWithAnEventBetweenPieces_isInItsPlace() throws Exception {
    writePieces(0, 2);
    memory(FROM).set(ValueLayout.JAVA_INT, 100, 77);
    session.does(WRITE_BUFFER, 1, 1, 100, FROM + 100, 4, 0, 0);
    session.does(WRITE_BUFFER, 1, 1, 2 * PIECE, FROM + 2 * PIECE, PIECE, 0, EVENT);
    writePieces(3, PIECES);

    assertThat(session.value(EVENT_STATUS, EVENT)).isEqualTo(COMPLETE);
    readPieces(1);
    assertAllThere();
  }

  @Test
  void move_betweenPieces_takesThemAlong() throws Exception {
    writePieces(0, 3);

    session.move();

    writePieces(3, PIECES);
    readPieces(1);
    assertAllThere();
  }

  @Test
  void release_ofBufferQueueAndContextBetweenPieces_leavesTheOthers() throws Exception {
    writePieces(0, 2);
    session.does(RELEASE, MEMORY, 1);
    assertThat(session.status(WRITE_BUFFER, 1, 1, 0, FROM, PIECE, 0, 0))
        .isEqualTo(INVALID_MEM_OBJECT);
    session.does(CREATE_BUFFER, 1, 1, READ_WRITE, PIECES * PIECE, 0, 0);

    writePieces(0, 2);
    session.does(RELEASE, QUEUE, 1);
    session.does(CREATE_QUEUE, 1, 1, 1, 0);
    writePieces(0, 2);
    session.does(RELEASE, CONTEXT, 1);

    writePieces(2, PIECES);
    readPieces(OTHER);
    assertAllThere();
  }

  @Test
  void end_betweenPieces_ends() throws Exception {
    writePieces(0, 3);

    session.end();

    assertThat(session.session().chargedBytes()).isZero();
  }

  @Test
  void pieces_notInTheBuffer_areRefusedAndChangeNothing() throws Exception {
    writePieces(0, PIECES);
    long[] wrong = {
      PIECES * PIECE, (PIECES - 1) * PIECE + 1, -PIECE, Long.MIN_VALUE, Long.MAX_VALUE
    };
    for (long offset : wrong) {
      assertThat(session.status(WRITE_BUFFER, 1, 1, offset, FROM, PIECE, 0, 0))
          .isEqualTo(INVALID_VALUE);
      session.does(READ_BUFFER, 1, 1, 0, BACK, PIECE, 0, 0);
      assertThat(session.status(READ_BUFFER, 1, 1, offset, BACK, PIECE, 0, 0))
          .isEqualTo(INVALID_VALUE);
    }
    session.does(FINISH, 1);

    readPieces(1);
    assertAllThere();
  }
}
