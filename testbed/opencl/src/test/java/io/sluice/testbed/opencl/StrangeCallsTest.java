package io.sluice.testbed.opencl;

import static io.sluice.testbed.opencl.RelayRig.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls that an application's own side never makes, and whose values a library does not survive:
 * PoCL ends its process at some of them, which is this one here.
 */
final class StrangeCallsTest {
  private static final int MINUTES = 2;
  private static final int CREATE_CONTEXT = 6;
  private static final int CREATE_QUEUE = 7;
  private static final int CREATE_IMAGE = 10;
  private static final int CREATE_PROGRAM = 20;
  private static final int COMPILE_PROGRAM = 25;
  private static final int LINK_PROGRAM = 26;
  private static final int WRITE_IMAGE = 49;
  private static final long PLACE = 0x60000; // in the session's memory
  private static final int INVALID_QUEUE_PROPERTIES = -35; // CL/cl.h, as those below
  private static final int INVALID_VALUE = -30;
  private static final int INVALID_PROGRAM = -44;
  private static final int LINES = 0x10f5; // an array of images of one dimension
  private static final int IMAGE = 0x10f1;
  private static final int RGBA = 0x10b5;
  private static final int UNORM_INT8 = 0x10d2;
  private static final int QUEUE_PROPERTIES = 0x1093;
  private static final int QUEUE_SIZE = 0x1094;
  private static final int OUT_OF_ORDER = 1;
  private static final int PROFILING = 1 << 1;
  private static final int ON_DEVICE = 1 << 2;
  private static final StateItem.Root PLATFORM =
      new StateItem.Root(new StateItem.Entity(1, 1, 1, false), "platform");
  private static final StateItem.Root DEVICE =
      new StateItem.Root(new StateItem.Entity(2, 1, 2, false), "a test");

  @SuppressWarnings("NullAway.Init")
  private RelayRig rig;

  @BeforeEach
  void make() {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    rig = new RelayRig();
  }

  @AfterEach
  void stop() {
    if (rig != null) {
      rig.close();
    }
  }

  /** Lists of properties, their count first, of which no queue of the host comes. */
  static List<long[]> strangeQueues() {
    return List.of(
        new long[] {2, QUEUE_PROPERTIES, OUT_OF_ORDER | ON_DEVICE},
        new long[] {2, QUEUE_PROPERTIES, -1},
        new long[] {2, QUEUE_SIZE, 4096},
        new long[] {4, QUEUE_PROPERTIES, 0, QUEUE_PROPERTIES, OUT_OF_ORDER | ON_DEVICE},
        new long[] {1, QUEUE_PROPERTIES});
  }

  @ParameterizedTest
  @MethodSource("strangeQueues")
  void createQueue_thatIsNotOfTheHost_isRefusedAndTheSessionGoesOn(long[] properties)
      throws Exception {
    List<Fd> pair = rig.kernel.socketpair();
    try (StateLink near = new StateLink(rig.kernel, pair.get(0));
        StateLink far = new StateLink(rig.kernel, pair.get(1))) {
      CompletableFuture<Void> served = rig.serve(far);
      RelayRig.begin(
          near, RelayRig.HEAD, RelayRig.SEGMENT, PLATFORM, DEVICE, new StateItem.Prepared());

      assertThat(status(near, call(CREATE_CONTEXT, 1, 1, 1, 1))).as("a context").isZero();
      assertThat(status(near, call(CREATE_QUEUE, 1, with(new long[] {1, 1, 1}, properties))))
          .isEqualTo(INVALID_QUEUE_PROPERTIES);
      assertThat(status(near, call(CREATE_QUEUE, 1, 1, 1, 1, 2, QUEUE_PROPERTIES, PROFILING)))
          .as("a queue")
          .isZero();
      near.end();

      served.get(MINUTES, TimeUnit.MINUTES);
    }
  }

  /** Shapes whose pitches no memory holds that is given, the bytes of what is first. */
  static List<long[]> strangeImages() {
    return List.of(
        new long[] {LINES, 16, 0, 0, 1, 65536, 0, 64},
        new long[] {LINES, 16, 0, 0, 8, 65536, 64, 512},
        new long[] {IMAGE, 16384, 1, 0, 0, 4, 0, 65536},
        new long[] {IMAGE, 16384, 1, 0, 0, 4, 0, 0},
        new long[] {IMAGE, 16, 8, 0, 0, 65536, 0, 0});
  }

  @ParameterizedTest
  @MethodSource("strangeImages")
  void createImage_withPitchesBeyondItsMemory_isRefusedAndTheSessionGoesOn(long[] shape)
      throws Exception {
    List<Fd> pair = rig.kernel.socketpair();
    try (StateLink near = new StateLink(rig.kernel, pair.get(0));
        StateLink far = new StateLink(rig.kernel, pair.get(1))) {
      CompletableFuture<Void> served = rig.serve(far);
      beginWithContext(near);

      assertThat(status(near, image(shape))).isEqualTo(INVALID_VALUE);
      assertThat(status(near, image(LINES, 16, 0, 0, 8, 0, 0, 512))).as("an image").isZero();
      assertThat(status(near, writeImage(65536, 64))).isEqualTo(INVALID_VALUE);
      near.end();

      served.get(MINUTES, TimeUnit.MINUTES);
    }
  }

  private static byte[] image(long... shape) {
    long[] first = {1, 1, 0, RGBA, UNORM_INT8, 7};
    long bytes = shape[7];
    long[] then = {0, bytes == 0 ? 0 : PLACE, bytes};
    return call(CREATE_IMAGE, 1, with(with(first, Arrays.copyOf(shape, 7)), then));
  }

  private static byte[] writeImage(long row, long slice) {
    return call(WRITE_IMAGE, 1, 1, 1, 8, 0, 0, 0, 16, 8, 1, row, slice, PLACE, 512, 0, 0);
  }

  @Test
  void linkProgram_indexThatALinkHasInWork_isRefusedAndTheSessionGoesOn() throws Exception {
    byte[] source = "kernel void k() {}".getBytes(StandardCharsets.US_ASCII);
    byte[] link = call(LINK_PROGRAM, 1, 2, 1, 1, 1, 0, 1, 1);
    List<Fd> pair = rig.kernel.socketpair();
    try (StateLink near = new StateLink(rig.kernel, pair.get(0));
        StateLink far = new StateLink(rig.kernel, pair.get(1))) {
      CompletableFuture<Void> served = rig.serve(far);
      beginWithContext(near);
      near.write(new StateItem.Bytes(0, PLACE, source));
      assertThat(status(near, call(CREATE_PROGRAM, 1, 1, 1, PLACE, source.length))).isZero();
      assertThat(status(near, call(COMPILE_PROGRAM, 1, 1, 1, 1, 0, 0, 0))).isZero();

      near.write(new StateItem.Sent(1, List.of(), link));
      near.write(new StateItem.Sent(2, List.of(), link));
      byte[] again = call(CREATE_PROGRAM, 1, 2, 1, PLACE, source.length);
      near.write(new StateItem.Sent(3, List.of(), again));
      near.flush();

      List<Integer> statuses = List.of(nextStatus(near), nextStatus(near), nextStatus(near));
      assertThat(statuses).containsExactlyInAnyOrder(0, INVALID_PROGRAM, INVALID_PROGRAM);
      assertThat(status(near, call(CREATE_PROGRAM, 1, 3, 1, PLACE, source.length))).isZero();
      near.end();

      served.get(MINUTES, TimeUnit.MINUTES);
    }
  }

  private static void beginWithContext(StateLink near) throws StateException {
    RelayRig.begin(
        near, RelayRig.HEAD, RelayRig.SEGMENT, PLATFORM, DEVICE, new StateItem.Prepared());
    assertThat(status(near, call(CREATE_CONTEXT, 1, 1, 1, 1))).as("a context").isZero();
    assertThat(status(near, call(CREATE_QUEUE, 1, 1, 1, 1, 0))).as("a queue").isZero();
  }

  private static long[] with(long[] first, long[] then) {
    return LongStream.concat(LongStream.of(first), LongStream.of(then)).toArray();
  }

  private static int status(StateLink near, byte[] call) throws StateException {
    near.write(new StateItem.Sent(1, List.of(), call));
    near.flush();
    return nextStatus(near);
  }

  private static int nextStatus(StateLink near) throws StateException {
    return RelayRig.next(near) instanceof StateItem.Answered answered ? answered.status() : 1;
  }
}
