package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Maps of buffers in the session's memory that wait for the application, or whose ends do, while
 * the session moves: each is made once, and ended once.
 */
final class MovedMapsTest {
  private static final int CREATE_CONTEXT = 6; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_MAPPED_BUFFER = 14;
  private static final int READ_BUFFER = 41;
  private static final int MAP_BUFFER = 56;
  private static final int UNMAP_BUFFER = 57;
  private static final int FINISH = 59;
  private static final int CREATE_USER_EVENT = 60;
  private static final int SET_USER_EVENT_STATUS = 61;
  private static final int EVENT_STATUS = 63;

  private static final int COMPLETE = 0; // CL/cl.h, as those below
  private static final int INVALID_VALUE = -30;
  private static final int READ_WRITE = 1;
  private static final int MAP_READ = 1;
  private static final int MAP_WRITE = 2;

  private static final int USER_EVENT = 1; // indices
  private static final int EVENT = 2;
  private static final int OTHER_USER_EVENT = 3;
  private static final long STORAGE = 0x70000;
  private static final long BACK = 0x78000;
  private static final int BYTES = 8192;
  private static final int PART = 4096; // where the second half begins

  @SuppressWarnings("NullAway.Init")
  private LocalSession session;

  @BeforeEach
  void make() throws Exception {
    session = LocalSession.open();
    session.does(CREATE_CONTEXT, 1, 1, 1);
    session.does(CREATE_QUEUE, 1, 1, 1, 0);
    session.does(CREATE_MAPPED_BUFFER, 1, 1, READ_WRITE, STORAGE, BYTES);
    session.does(CREATE_USER_EVENT, USER_EVENT, 1);
  }

  @AfterEach
  void stop() throws Exception {
    if (session != null) {
      session.close();
    }
  }

  private void map(long flags, long offset) throws Exception {
    session.does(MAP_BUFFER, 1, 1, flags, offset, PART, 0, 0);
  }

  /** The application writes where it has a map. */
  private void write(long offset, int value) {
    session.memory().set(ValueLayout.JAVA_INT, STORAGE + offset, value);
  }

  private int inBuffer(long offset) throws Exception {
    session.does(READ_BUFFER, 1, 1, offset, BACK, 4, 0, 0);
    return session.word(BACK);
  }

  private void set() throws Exception {
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, COMPLETE);
    session.does(FINISH, 1);
  }

  @Test
  void unmap_thatWaits_endsItsMapAfterAMove() throws Exception {
    map(MAP_WRITE, 0);
    map(MAP_READ, PART);
    session.post(UNMAP_BUFFER, 1, 1, 0, 1, USER_EVENT, EVENT);
    session.post(UNMAP_BUFFER, 1, 1, PART, 0, 0);
    write(0, 77);

    session.move();

    assertThat(session.value(EVENT_STATUS, EVENT)).isPositive();
    set();
    assertThat(session.value(EVENT_STATUS, EVENT)).isEqualTo(COMPLETE);
    assertThat(inBuffer(0)).isEqualTo(77);
    assertThat(session.status(UNMAP_BUFFER, 1, 1, 0, 0, 0)).isEqualTo(INVALID_VALUE);
    assertThat(session.status(UNMAP_BUFFER, 1, 1, PART, 0, 0)).isEqualTo(INVALID_VALUE);
  }

  @Test
  void map_thatWaits_isMadeOnceByAMove() throws Exception {
    session.post(MAP_BUFFER, 1, 1, MAP_WRITE, 0, PART, 1, USER_EVENT, EVENT);

    session.move();

    set();
    assertThat(session.value(EVENT_STATUS, EVENT)).isEqualTo(COMPLETE);
    write(0, 77);
    session.does(UNMAP_BUFFER, 1, 1, 0, 0, 0);
    assertThat(inBuffer(0)).isEqualTo(77);
    assertThat(session.status(UNMAP_BUFFER, 1, 1, 0, 0, 0)).isEqualTo(INVALID_VALUE);
  }

  @Test
  void unmap_thatWaitsForMoreThanItsMapDid_endsThatAfterAMove() throws Exception {
    session.does(CREATE_USER_EVENT, OTHER_USER_EVENT, 1);
    session.post(MAP_BUFFER, 1, 1, MAP_WRITE, 0, PART, 1, USER_EVENT, 0);
    session.post(UNMAP_BUFFER, 1, 1, 0, 1, OTHER_USER_EVENT, EVENT);
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, COMPLETE);
    write(0, 77);

    session.move();

    session.does(SET_USER_EVENT_STATUS, OTHER_USER_EVENT, COMPLETE);
    session.does(FINISH, 1);
    assertThat(session.value(EVENT_STATUS, EVENT)).isEqualTo(COMPLETE);
    assertThat(inBuffer(0)).isEqualTo(77);
  }

  @Test
  void map_thatIsThere_isEndedAfterAMove() throws Exception {
    map(MAP_WRITE, PART);
    session.post(MAP_BUFFER, 1, 1, MAP_READ, PART, PART, 1, USER_EVENT, 0);
    session.post(UNMAP_BUFFER, 1, 1, PART, 0, 0);
    write(PART, 78);

    session.move();

    session.does(CREATE_QUEUE, 2, 1, 1, 0);
    session.does(UNMAP_BUFFER, 2, 1, PART, 0, 0);
    set();
    assertThat(inBuffer(PART)).isEqualTo(78);
    assertThat(session.status(UNMAP_BUFFER, 1, 1, PART, 0, 0)).isEqualTo(INVALID_VALUE);
  }
}
