package io.sluice.testbed.opencl;

import static io.sluice.testbed.opencl.RelayRig.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.Arrival;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Objects of a session that is asked whether it could come, as another implementation may have them
 * and this host's has not: each is refused by what it is, and the others are made.
 */
final class RefusedObjectsTest {
  private static final int MINUTES = 5;

  private static final int CREATE_CONTEXT = 6; // api-remoting/spec/opencl.calls, as those below
  private static final int CREATE_BUFFER = 8;
  private static final int CREATE_SUB_BUFFER = 9;
  private static final int CREATE_IMAGE = 10;
  private static final int CREATE_PROGRAM = 20;
  private static final int CREATE_PROGRAM_WITH_BINARIES = 21;
  private static final int CREATE_PROGRAM_WITH_IL = 22;
  private static final int BUILD_PROGRAM = 24;
  private static final int DEVICE = 2; // kinds
  private static final int CONTEXT = 3;
  private static final int MEM = 5;
  private static final int PROGRAM = 7;

  private static final int READ_WRITE = 1; // CL/cl.h, as those below
  private static final int IMAGE_2D = 0x10f1;
  private static final int RGB = 0x10b4;
  private static final int RGBA = 0x10b5;
  private static final int UNORM_INT8 = 0x10d2;
  private static final int UNORM_SHORT_555 = 0x10d5;

  private static final long PLACE = 0x70000;
  private static final int ONE = 1; // every object's context, and the index of the first of a kind

  @SuppressWarnings("NullAway.Init")
  private RelayRig rig;

  @SuppressWarnings("NullAway.Init")
  private StateLink here;

  @SuppressWarnings("NullAway.Init")
  private CompletableFuture<Void> asked;

  private final List<StateItem> items = new ArrayList<>();
  private long serial;

  @BeforeEach
  void begin() {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    rig = new RelayRig(Long.MAX_VALUE);
    List<Fd> pair = rig.kernel.socketpair();
    here = new StateLink(rig.kernel, pair.get(0));
    asked = CompletableFuture.runAsync(() -> answer(pair.get(1)), rig.workers);
    items.add(new StateItem.Head(1, StateItem.ApplicationPlace.MOVING_MACHINE, "another make"));
    items.add(RelayRig.SEGMENT);
    items.add(new StateItem.Root(new StateItem.Entity(DEVICE, 1, ++serial, false), "a device"));
    add(CONTEXT, new byte[0], List.of(serial), CREATE_CONTEXT, ONE, 1, 1);
  }

  @AfterEach
  void stop() throws Exception {
    if (rig != null) {
      here.close();
      asked.get(MINUTES, TimeUnit.MINUTES);
      rig.close();
    }
  }

  /** Is the host that is asked. */
  private void answer(Fd socket) {
    try (StateLink there = new StateLink(rig.kernel, socket);
        Arrival arrival = Arrival.onTrial(rig.settings, there)) {
      assertThatThrownBy(arrival::awaitStay).isInstanceOf(StateException.class);
    } catch (StateException lost) {
      throw new AssertionError(lost);
    }
  }

  /** Adds an object, whose index is the first of the words; its serial. */
  private long add(int kind, byte[] payload, List<Long> named, int number, long... words) {
    long made = ++serial;
    items.add(
        new StateItem.Made(
            List.of(new StateItem.Entity(kind, (int) words[0], made, false)),
            new StateItem.KeptCall(number, made, call(number, 0, words), named),
            payload));
    return made;
  }

  private long addMem(int number, long... words) {
    return add(MEM, new byte[0], List.of(2L), number, words);
  }

  private void addImage(int index, int order, int type, long width, long height) {
    long[] fixed = {index, ONE, READ_WRITE, order, type, 7};
    long[] shape = {IMAGE_2D, width, height, 0, 0, 0, 0, 0, 0, 0}; // no parent, nothing initial
    long _ =
        addMem(
            CREATE_IMAGE, LongStream.concat(LongStream.of(fixed), LongStream.of(shape)).toArray());
  }

  /** What the host says about all that was added. */
  private StateItem said() throws StateException {
    items.add(new StateItem.Prepared());
    for (StateItem item : items) {
      here.write(item);
    }
    here.flush();
    StateItem said = RelayRig.next(here);
    here.end();
    return said;
  }

  private static StateItem refused(String... reasons) {
    return new StateItem.Refused(List.of(reasons));
  }

  /** Requires one reason. PoCL 3.1 says of all images that it has not: CL_INVALID_OPERATION. */
  private void requireRefused(String pattern) throws StateException {
    assertThat(said())
        .isInstanceOfSatisfying(
            StateItem.Refused.class,
            said -> assertThat(said.reasons()).singleElement().asString().matches(pattern));
  }

  @Test
  void session_allOfWhichIsHadHere_isNotRefused() throws Exception {
    long _ = addMem(CREATE_BUFFER, 1, ONE, READ_WRITE, 64, 0, 0);
    addImage(2, RGBA, UNORM_INT8, 8, 4);
    assertThat(said()).isEqualTo(new StateItem.Ready());
  }

  @Test
  void image_ofAFormatThatIsNotHadHere_isNamedWithItsFormat() throws Exception {
    addImage(1, RGBA, UNORM_INT8, 8, 4);
    addImage(2, RGB, UNORM_SHORT_555, 8, 4);
    requireRefused(
        "mem 2 cannot be made here, CL_(IMAGE_FORMAT_NOT_SUPPORTED|INVALID_OPERATION):"
            + " a 2D image of 8 x 4, CL_RGB, CL_UNORM_SHORT_555");
  }

  @Test
  void image_largerThanAnyHere_isNamedWithItsSize() throws Exception {
    addImage(1, RGBA, UNORM_INT8, 1 << 24, 2);
    requireRefused(
        "mem 1 cannot be made here, CL_(INVALID_IMAGE_SIZE|INVALID_OPERATION):"
            + " a 2D image of 16777216 x 2, CL_RGBA, CL_UNORM_INT8");
  }

  @Test
  void buffer_largerThanAnyHere_isNamedWithItsSizeAndItsPartIsNot() throws Exception {
    long buffer = addMem(CREATE_BUFFER, 3, ONE, READ_WRITE, 1L << 60, 0, 0);
    long _ =
        add(MEM, new byte[0], List.of(buffer), CREATE_SUB_BUFFER, 4, 3, READ_WRITE, 0, 1L << 59);
    assertThat(said())
        .isEqualTo(
            refused(
                "mem 3 cannot be made here, CL_INVALID_BUFFER_SIZE: a buffer of "
                    + (1L << 60)
                    + " bytes"));
  }

  @Test
  void program_ofIlThatIsNotTakenHere_isNamedAsOne() throws Exception {
    byte[] il = {'n', 'o', 'n', 'e'};
    long _ = add(PROGRAM, il, List.of(2L), CREATE_PROGRAM_WITH_IL, 5, ONE, PLACE, il.length);
    requireRefused("program 5 cannot be made here, CL_INVALID_\\w+: a program of IL");
  }

  @Test
  void program_ofAnothersBinaries_isNamedAsOne() throws Exception {
    long _ =
        add(
            PROGRAM,
            new byte[] {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'b'},
            List.of(2L, 1L),
            CREATE_PROGRAM_WITH_BINARIES,
            5,
            ONE,
            1,
            1,
            1,
            1,
            PLACE,
            1,
            PLACE,
            4);
    assertThat(said())
        .isEqualTo(refused("program 5 is made of binaries of another implementation"));
  }

  @Test
  void program_thatDoesNotBuildHere_isNamedWithTheError() throws Exception {
    byte[] source = "kernel void k() { not_here(); }".getBytes(StandardCharsets.US_ASCII);
    long program = add(PROGRAM, source, List.of(2L), CREATE_PROGRAM, 6, ONE, PLACE, source.length);
    items.add(
        new StateItem.Changed(
            program,
            new StateItem.KeptCall(
                BUILD_PROGRAM, ++serial, call(BUILD_PROGRAM, 0, 6, 1, 1, 0), List.of(program, 1L)),
            0));
    assertThat(said())
        .isEqualTo(refused("program 6 cannot be changed here as it was, CL_BUILD_PROGRAM_FAILURE"));
  }
}
