package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls of a session that name objects which another session beside it has by these indices. */
final class ForeignIndexTest {
  private static final int RELEASE = 5; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_BUFFER = 8;
  private static final int CREATE_SUB_BUFFER = 9;
  private static final int CREATE_PROGRAM = 20;
  private static final int BUILD_PROGRAM = 24;
  private static final int CREATE_KERNEL = 30;
  private static final int SET_ARGUMENT = 37;
  private static final int LAUNCH = 40;
  private static final int READ_BUFFER = 41;
  private static final int WRITE_BUFFER = 42;
  private static final int COPY_BUFFER = 45;
  private static final int FINISH = 59;
  private static final int CREATE_USER_EVENT = 60;
  private static final int SET_USER_EVENT_STATUS = 61;
  private static final int EVENT_STATUS = 63;
  private static final int QUEUE = 4; // kinds
  private static final int MEM = 5;
  private static final int PROGRAM = 7;
  private static final int KERNEL = 8;
  private static final int EVENT = 9;
  private static final int MEMORY = 2; // an argument

  private static final int QUEUED = 3; // CL/cl.h, as those below
  private static final int READ_WRITE = 1;
  private static final int INVALID_CONTEXT = -34;
  private static final int INVALID_COMMAND_QUEUE = -36;
  private static final int INVALID_MEM_OBJECT = -38;
  private static final int INVALID_PROGRAM = -44;
  private static final int INVALID_KERNEL = -48;
  private static final int INVALID_EVENT = -58;

  private static final int OWN = 1; // an index that both have
  private static final int FOREIGN = 77; // one that the victim alone has, of each kind
  private static final long FROM = 0x70000;
  private static final long BACK = 0x78000;
  private static final int BYTES = 4096;

  @SuppressWarnings("NullAway.Init")
  private LocalSession victim;

  @SuppressWarnings("NullAway.Init")
  private LocalSession stranger;

  @BeforeEach
  void make() throws Exception {
    victim = LocalSession.open();
    begin(victim, FOREIGN, 5);
    stranger = LocalSession.open();
    begin(stranger, OWN, 9);
  }

  @AfterEach
  void stop() throws Exception {
    if (stranger != null) {
      stranger.close();
    }
    if (victim != null) {
      victim.close();
    }
  }

  /** Makes an object of each kind, by one index, and a buffer of equal numbers. */
  private static void begin(LocalSession session, int index, int number) throws Exception {
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      session.memory().set(ValueLayout.JAVA_INT, FROM + at, number);
    }
    session.does(CREATE_CONTEXT, index, 1, 1);
    session.does(CREATE_QUEUE, index, index, 1, 0);
    session.does(CREATE_BUFFER, index, index, READ_WRITE, BYTES, FROM, BYTES);
    long[] source = session.text("kernel void k(global uint *a) { a[get_global_id(0)] += 1; }");
    session.does(CREATE_PROGRAM, index, index, source[0], source[1]);
    session.does(BUILD_PROGRAM, index, 1, 1, 0);
    session.value(CREATE_KERNEL, index, index, 1, 'k');
    session.does(SET_ARGUMENT, index, 0, MEMORY, index, 0);
    session.does(CREATE_USER_EVENT, index, index);
  }

  private static void launch(LocalSession session, int index) throws Exception {
    session.post(LAUNCH, index, index, 0, 1, BYTES / Integer.BYTES, 0, 0, 0);
    session.does(FINISH, index);
  }

  private static void requireAll(LocalSession session, int index, int number) throws Exception {
    session.does(READ_BUFFER, index, index, 0, BACK, BYTES, 0, 0);
    for (int at = 0; at < BYTES; at += Integer.BYTES) {
      assertThat(session.word(BACK + at)).isEqualTo(number);
    }
  }

  /** Number, status and words of each call. */
  static List<long[]> foreignCalls() {
    return List.of(
        new long[] {CREATE_QUEUE, INVALID_CONTEXT, 2, FOREIGN, 1, 0},
        new long[] {CREATE_BUFFER, INVALID_CONTEXT, 2, FOREIGN, READ_WRITE, BYTES, 0, 0},
        new long[] {CREATE_SUB_BUFFER, INVALID_MEM_OBJECT, 2, FOREIGN, READ_WRITE, 0, BYTES},
        new long[] {BUILD_PROGRAM, INVALID_PROGRAM, FOREIGN, 1, 1, 0},
        new long[] {CREATE_KERNEL, INVALID_PROGRAM, 2, FOREIGN, 1, 'k'},
        new long[] {SET_ARGUMENT, INVALID_KERNEL, FOREIGN, 0, MEMORY, OWN, 0},
        new long[] {LAUNCH, INVALID_COMMAND_QUEUE, FOREIGN, OWN, 0, 1, 1, 0, 0, 0},
        new long[] {LAUNCH, INVALID_KERNEL, OWN, FOREIGN, 0, 1, 1, 0, 0, 0},
        new long[] {READ_BUFFER, INVALID_MEM_OBJECT, OWN, FOREIGN, 0, BACK, BYTES, 0, 0},
        new long[] {READ_BUFFER, INVALID_EVENT, OWN, OWN, 0, BACK, BYTES, 1, FOREIGN, 0},
        new long[] {WRITE_BUFFER, INVALID_MEM_OBJECT, OWN, FOREIGN, 0, FROM, BYTES, 0, 0},
        new long[] {COPY_BUFFER, INVALID_MEM_OBJECT, OWN, FOREIGN, OWN, 0, 0, BYTES, 0, 0},
        new long[] {FINISH, INVALID_COMMAND_QUEUE, FOREIGN},
        new long[] {SET_USER_EVENT_STATUS, INVALID_EVENT, FOREIGN, 0},
        new long[] {EVENT_STATUS, INVALID_EVENT, FOREIGN});
  }

  @ParameterizedTest
  @MethodSource("foreignCalls")
  void call_namingAnotherSessionsObject_isRefusedAndBothGoOn(long[] call) throws Exception {
    long[] words = Arrays.copyOfRange(call, 2, call.length);

    assertThat(stranger.status((int) call[0], words)).isEqualTo((int) call[1]);

    launch(victim, FOREIGN);
    requireAll(victim, FOREIGN, 6);
    assertThat(victim.value(EVENT_STATUS, FOREIGN)).isBetween(1L, (long) QUEUED);
    launch(stranger, OWN);
    requireAll(stranger, OWN, 10);
  }

  @Test
  void release_ofAnotherSessionsObjects_takesNothingFromIt() throws Exception {
    for (int kind : List.of(QUEUE, MEM, PROGRAM, KERNEL, EVENT)) {
      stranger.post(RELEASE, kind, FOREIGN);
    }
    requireAll(stranger, OWN, 9);

    launch(victim, FOREIGN);
    requireAll(victim, FOREIGN, 6);
  }
}
