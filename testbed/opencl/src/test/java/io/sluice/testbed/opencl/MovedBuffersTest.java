package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contents of more buffers than are read and written together, while their session moves. */
final class MovedBuffersTest {
  private static final int RELEASE = 5; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_BUFFER = 8;
  private static final int CREATE_SUB_BUFFER = 9;
  private static final int READ_BUFFER = 41;
  private static final int WRITE_BUFFER = 42;
  private static final int MEM = 5;

  private static final int READ_WRITE = 1; // CL/cl.h
  private static final long FROM = 0x70000;
  private static final long BACK = 0x78000;
  private static final int BYTES = 4096;
  private static final int BUFFERS = 600;

  @SuppressWarnings("NullAway.Init")
  private LocalSession session;

  @BeforeEach
  void make() throws Exception {
    session = LocalSession.open();
    for (int context = 1; context <= 2; context++) {
      session.does(CREATE_CONTEXT, context, 1, 1);
      session.does(CREATE_QUEUE, context, context, 1, 0);
    }
    for (int buffer = 1; buffer <= BUFFERS; buffer++) {
      fill(buffer);
      session.does(CREATE_BUFFER, buffer, context(buffer), READ_WRITE, BYTES, FROM, BYTES);
    }
  }

  @AfterEach
  void stop() throws Exception {
    if (session != null) {
      session.close();
    }
  }

  private static int context(int buffer) {
    return 1 + buffer % 3 / 2;
  }

  private void fill(int value) {
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      session.memory().set(ValueLayout.JAVA_INT, FROM + at, value * 1000 + at);
    }
  }

  private void requireFilled(int buffer, int value) throws Exception {
    session.does(READ_BUFFER, context(buffer), buffer, 0, BACK, BYTES, 0, 0);
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      assertThat(session.word(BACK + at)).as("buffer %s", buffer).isEqualTo(value * 1000 + at);
    }
  }

  @Test
  void session_whoseStreamEndsWithinItsContents_goesOnAndCanMove() throws Exception {
    session.moveInVain();

    requireFilled(1, 1);
    fill(7);
    session.does(WRITE_BUFFER, context(BUFFERS), BUFFERS, 0, FROM, BYTES, 0, 0);
    session.move();
    for (int buffer = 1; buffer < BUFFERS; buffer++) {
      requireFilled(buffer, buffer);
    }
    requireFilled(BUFFERS, 7);
  }

  @Test
  void buffer_thatIsReleasedAndNeeded_movesWithItsPart() throws Exception {
    session.does(CREATE_SUB_BUFFER, BUFFERS + 1, 1, READ_WRITE, 0, BYTES);
    session.post(RELEASE, MEM, 1);

    session.move();

    requireFilled(BUFFERS + 1, 1);
    for (int buffer = 2; buffer <= BUFFERS; buffer++) {
      requireFilled(buffer, buffer);
    }
  }
}
