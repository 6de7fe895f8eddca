package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.remoting.session.ApiState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Queues that an application releases while they have work: what uses the session's memory runs to
 * its end before that memory goes, and before contents are taken for what they will be.
 */
final class ReleasedQueueTest {
  private static final int MINUTES = 5;

  private static final int RELEASE = 5; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_MAPPED_BUFFER = 14;
  private static final int CREATE_PROGRAM = 20;
  private static final int BUILD_PROGRAM = 24;
  private static final int CREATE_KERNEL = 30;
  private static final int SET_ARGUMENT = 37;
  private static final int LAUNCH = 40;
  private static final int MARKER = 55;
  private static final int FINISH = 59;
  private static final int CREATE_USER_EVENT = 60;
  private static final int SET_USER_EVENT_STATUS = 61;
  private static final int EVENT_STATUS = 63;
  private static final int QUEUE = 4; // its kind
  private static final int MOST_QUEUES = 1024;
  private static final int VALUE = 1; // an argument
  private static final int MEMORY = 2;

  private static final int COMPLETE = 0; // CL/cl.h, as those below
  private static final int OUT_OF_RESOURCES = -5;
  private static final int READ_WRITE = 1;
  private static final int FAILURE = -1; // that an application chooses

  private static final int KERNEL_EVENT = 1; // indices
  private static final int USER_EVENT = 2;
  private static final int MARKER_EVENT = 3; // kept: PoCL 3.1 uses one that has failed later
  private static final long STORAGE = 0x70000;
  private static final long STEPS = 1L << 30; // a second or so
  private static final String SOURCE =
      """
      kernel void slow(global uint *out, uint steps) {
        uint x = 1;
        for (uint i = 0; i < steps; i++) {
          x = x * 1664525u + (1013904223u ^ i);
        }
        out[0] = x | 1;
      }
      """;

  @SuppressWarnings("NullAway.Init")
  private LocalSession session;

  @BeforeEach
  void make() throws Exception {
    session = LocalSession.open();
    session.does(CREATE_CONTEXT, 1, 1, 1);
    session.does(CREATE_QUEUE, 1, 1, 1, 0);
    session.does(CREATE_USER_EVENT, USER_EVENT, 1);
  }

  @AfterEach
  void stop() throws Exception {
    if (session != null) {
      session.close();
    }
  }

  /** Queues a kernel that takes long and then writes to the session's memory. */
  private void launchSlow(long... waits) throws Exception {
    long[] source = session.text(SOURCE);
    session.does(CREATE_MAPPED_BUFFER, 1, 1, READ_WRITE, STORAGE, 4096);
    session.does(CREATE_PROGRAM, 1, 1, source[0], source[1]);
    session.does(BUILD_PROGRAM, 1, 1, 1, 0);
    session.value(CREATE_KERNEL, 1, 1, 4, 'w' << 24 | 'o' << 16 | 'l' << 8 | 's');
    session.does(SET_ARGUMENT, 1, 0, MEMORY, 1, 0);
    session.does(SET_ARGUMENT, 1, 1, VALUE, 0, 4, STEPS);
    session.post(
        LAUNCH,
        Stream.of(new long[] {1, 1, 0, 1, 1, 0, waits.length}, waits, new long[] {KERNEL_EVENT})
            .flatMapToLong(LongStream::of)
            .toArray());
  }

  /**
   * Whether the kernel has run; one that has not is waited for, since its memory is about to go.
   */
  private boolean hasRun() {
    boolean now = session.word(STORAGE) != 0;
    await().atMost(Duration.ofMinutes(MINUTES)).until(() -> session.word(STORAGE) != 0);
    return now;
  }

  @Test
  void close_commandsOfAReleasedQueueRun_waitsForThem() throws Exception {
    launchSlow();
    session.does(RELEASE, QUEUE, 1);

    session.end();

    assertThat(hasRun()).isTrue();
  }

  @Test
  void close_commandsBeforeOneThatFailedRun_waitsForThem() throws Exception {
    launchSlow();
    session.post(MARKER, 1, 0, 1, USER_EVENT, MARKER_EVENT);
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, FAILURE);
    session.does(RELEASE, QUEUE, 1);
    session.does(CREATE_QUEUE, 1, 1, 1, 0);

    session.end();

    assertThat(hasRun()).isTrue();
  }

  /**
   * PoCL 3.1 fails the marker at once, and ends this process where it is gone before the kernel.
   */
  @Test
  void setUserEventStatus_markerBehindAKernelThatRunsFails_staysUntilThatHasRun() throws Exception {
    launchSlow();
    session.post(MARKER, 1, 0, 1, USER_EVENT, 0);
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, FAILURE);

    boolean ranBefore = session.word(STORAGE) != 0;
    await()
        .atMost(Duration.ofMinutes(MINUTES))
        .until(() -> session.value(EVENT_STATUS, KERNEL_EVENT) == COMPLETE);

    assertThat(ranBefore).as("the kernel takes long enough").isFalse();
    assertThat(hasRun()).isTrue();
    session.does(CREATE_USER_EVENT, MARKER_EVENT, 1);
  }

  @Test
  void finish_commandBehindAKernelThatRunsHasFailed_waitsForTheKernel() throws Exception {
    launchSlow();
    session.post(MARKER, 1, 0, 1, USER_EVENT, 0);
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, FAILURE);

    int _ = session.status(FINISH, 1);

    assertThat(hasRun()).isTrue();
    session.does(CREATE_USER_EVENT, MARKER_EVENT, 1);
  }

  @Test
  void close_commandsOfAReleasedQueueWaitForTheApplication_failsThem() throws Exception {
    launchSlow(USER_EVENT);
    session.does(RELEASE, QUEUE, 1);

    session.end();

    assertThat(session.word(STORAGE)).isZero();
  }

  @Test
  void whenAllHaveRun_commandsOfAReleasedQueueRun_waitsForThem() throws Exception {
    launchSlow();
    session.does(RELEASE, QUEUE, 1);

    haveAllRun();

    assertThat(hasRun()).isTrue();
    assertThat(session.value(EVENT_STATUS, KERNEL_EVENT)).isEqualTo(COMPLETE);
  }

  @Test
  void whenAllHaveRun_commandsBeforeOneThatFailedRun_waitsForThem() throws Exception {
    launchSlow();
    session.post(MARKER, 1, 0, 1, USER_EVENT, MARKER_EVENT);
    session.does(SET_USER_EVENT_STATUS, USER_EVENT, FAILURE);

    haveAllRun();

    assertThat(hasRun()).isTrue();
  }

  @Test
  void whenAllHaveRun_commandsOfAReleasedQueueWaitForTheApplication_doesNotWait() throws Exception {
    launchSlow(USER_EVENT);
    session.does(RELEASE, QUEUE, 1);

    haveAllRun();

    assertThat(session.value(EVENT_STATUS, KERNEL_EVENT)).isNotEqualTo(COMPLETE);
  }

  /** Waits until all commands have run, as a move does. */
  private void haveAllRun() throws Exception {
    CompletableFuture<Boolean> all = new CompletableFuture<>();
    boolean _ =
        session
            .session()
            .ask(() -> {
              ApiState state = session.session().execution().state().orElseThrow();
              return state.whenAllHaveRun(() -> all.complete(true));
            })
            .get(MINUTES, TimeUnit.MINUTES);
    boolean _ = all.get(MINUTES, TimeUnit.MINUTES);
  }

  @Test
  void createQueue_releasedOnesHaveWork_countsThem() throws Exception {
    int status = 0;
    int released = 0;
    for (; status == 0 && released < MOST_QUEUES; released++) {
      session.post(MARKER, 1, 0, 1, USER_EVENT, 0);
      session.does(RELEASE, QUEUE, 1);
      status = session.status(CREATE_QUEUE, 1, 1, 1, 0);
    }
    assertThat(status).isEqualTo(OUT_OF_RESOURCES);
    assertThat(released).isEqualTo(MOST_QUEUES);

    session.does(SET_USER_EVENT_STATUS, USER_EVENT, COMPLETE);

    await()
        .atMost(Duration.ofMinutes(MINUTES))
        .until(() -> session.status(CREATE_QUEUE, 1, 1, 1, 0) == 0);
  }
}
