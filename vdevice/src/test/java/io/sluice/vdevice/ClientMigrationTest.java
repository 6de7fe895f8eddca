package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.Capability;
import io.sluice.vdevice.state.StateTransfers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * VFIO's migration protocol over the socket, before an engine that writes down what it is asked.
 */
final class ClientMigrationTest extends ServerTest {
  private static final int GET = 1 << 16;
  private static final int SET = 1 << 17;
  private static final int PROBE = 1 << 18;
  private static final int MIGRATION = 1;
  private static final int STATE = 2;
  private static final int ERROR = 0;
  private static final int STOP = 1;
  private static final int RUNNING = 2;
  private static final int STOP_COPY = 3;
  private static final int RESUMING = 4;
  private static final int PRE_COPY = 6;

  /** What the engine was asked, in order. */
  private final List<String> asked = new ArrayList<>();

  private final byte[] state = {1, 2, 3, 4, 5};
  private boolean isBusy;
  private boolean failsToSave;

  @Override
  Optional<StateTransfers> transfers() {
    return Optional.of(new Recording());
  }

  /** Gives the bytes of {@link #state}, and takes no others. */
  private final class Recording implements StateTransfers {
    @Override
    public void admit(Device device) {
      if (isBusy) {
        throw new RefusedException("SLU-TEST-001", Errno.EBUSY, "busy", "");
      }
    }

    @Override
    public StateOutput save(Device device) {
      if (failsToSave) {
        throw new RefusedException("SLU-TEST-002", Errno.ENOMEM, "no room", "");
      }
      asked.add("save");
      return new StateOutput() {
        private int given;
        private boolean stopped;

        @Override
        public void stopped() {
          asked.add("stopped");
          stopped = true;
        }

        @Override
        public int read(MemorySegment into) {
          int there = stopped ? state.length : 2;
          int some = (int) Math.min(there - given, into.byteSize());
          MemorySegment.copy(state, given, into, ValueLayout.JAVA_BYTE, 0, some);
          given += some;
          return some;
        }

        @Override
        public void close() {
          asked.add("saved");
        }
      };
    }

    @Override
    public StateInput resume(Device device) {
      asked.add("resume");
      return new StateInput() {
        private final ByteBuffer received = ByteBuffer.allocate(state.length);

        @Override
        public void write(MemorySegment from) {
          if (from.byteSize() > received.remaining()) {
            throw new RefusedException("SLU-TEST-003", Errno.EPROTO, "too many", "");
          }
          received.put(from.asByteBuffer());
        }

        @Override
        public void finish() {
          if (!received.flip().equals(ByteBuffer.wrap(state))) {
            throw new RefusedException("SLU-TEST-004", Errno.EPROTO, "others", "");
          }
          asked.add("built");
        }

        @Override
        public void run() {
          asked.add("run");
          device.releaseRestored();
        }

        @Override
        public void close() {
          asked.add("resumed");
        }
      };
    }
  }

  private void set(int state) {
    ByteBuffer reply = client.ok(16, body(16, SET | STATE, state, -1));
    assertThat(reply.getInt(0)).isEqualTo(16);
    assertThat(reply.getInt(8)).isEqualTo(state);
    assertThat(reply.getInt(12)).isEqualTo(-1);
  }

  private int state() {
    return client.ok(16, body(16, GET | STATE)).getInt(8);
  }

  private byte[] read(int bytes) {
    ByteBuffer reply = client.ok(17, body(8 + bytes, bytes));
    byte[] data = new byte[reply.getInt(4)];
    assertThat(reply.getInt(0)).isEqualTo(8 + data.length);
    reply.position(8).get(data);
    assertThat(reply.hasRemaining()).isFalse();
    return data;
  }

  private void write(byte... data) {
    assertThat(client.ok(18, body(8 + data.length, data.length, data)).remaining()).isZero();
  }

  /** Brings the device to a state from RUNNING. */
  private void bring(int wanted) {
    if (wanted == ERROR) {
      set(RESUMING);
      refused(Errno.EPROTO, 16, body(16, SET | STATE, STOP, -1));
    } else {
      set(wanted);
    }
    assertThat(state()).isEqualTo(wanted);
    asked.clear();
  }

  // ---- what is refused ----

  static Stream<Arguments> statesAndNoStates() {
    return IntStream.of(ERROR, STOP, RUNNING, STOP_COPY, RESUMING, PRE_COPY)
        .boxed()
        .flatMap(from -> Stream.of(ERROR, 5, 7, 8, -1).map(to -> Arguments.of(from, to)));
  }

  @ParameterizedTest
  @MethodSource("statesAndNoStates")
  void set_whatIsNoStateToAskFor_einvalAndNothingChanges(int from, int to) {
    bring(from);
    refused(Errno.EINVAL, 16, body(16, SET | STATE, to, -1));
    assertThat(state()).isEqualTo(from);
    assertThat(asked).isEmpty();
  }

  @Test
  void set_fromStopCopyToPreCopy_einvalAndNothingChanges() {
    bring(STOP_COPY);
    refused(Errno.EINVAL, 16, body(16, SET | STATE, PRE_COPY, -1));
    assertThat(state()).isEqualTo(STOP_COPY);
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {STOP, RUNNING, STOP_COPY, RESUMING, PRE_COPY})
  void set_fromError_einvalUntilReset(int to) {
    bring(ERROR);
    refused(Errno.EINVAL, 16, body(16, SET | STATE, to, -1));
    assertThat(state()).isEqualTo(ERROR);
    client.ok(13, new byte[0]);
    assertThat(state()).isEqualTo(RUNNING);
    set(to);
    assertThat(state()).isEqualTo(to);
  }

  @Test
  void set_wrongLengthOrRoom_einval() {
    refused(Errno.EINVAL, 16, body(16, SET | STATE));
    refused(Errno.EINVAL, 16, body(16, SET | STATE, STOP));
    refused(Errno.EINVAL, 16, body(20, SET | STATE, STOP, -1, 0));
    refused(Errno.EINVAL, 16, body(15, SET | STATE, STOP, -1));
    refused(Errno.EINVAL, 16, body(15, GET | STATE));
    refused(Errno.EINVAL, 16, body(15, GET | MIGRATION));
    refused(Errno.EINVAL, 16, body(16, SET | MIGRATION, 0L));
    refused(Errno.EINVAL, 16, body(16, PROBE | SET | MIGRATION));
    refused(Errno.EINVAL, 16, body(16, PROBE | GET | SET | MIGRATION));
    assertThat(state()).isEqualTo(RUNNING);
  }

  @ParameterizedTest
  @ValueSource(ints = {ERROR, STOP, RUNNING, RESUMING})
  void read_inStatesThatDoNotSave_einval(int at) {
    bring(at);
    refused(Errno.EINVAL, 17, body(8 + 16, 16));
    assertThat(state()).isEqualTo(at);
  }

  @ParameterizedTest
  @ValueSource(ints = {ERROR, STOP, RUNNING, STOP_COPY, PRE_COPY})
  void write_inStatesThatDoNotResume_einval(int at) {
    bring(at);
    refused(Errno.EINVAL, 18, body(8 + 4, 4, 0));
    assertThat(state()).isEqualTo(at);
  }

  @Test
  void set_whileSomebodyElseMovesTheDevice_ebusy() {
    isBusy = true;
    refused(Errno.EBUSY, 16, body(16, SET | STATE, STOP, -1));
    refused(Errno.EBUSY, 16, body(16, SET | STATE, PRE_COPY, -1));
    refused(Errno.EBUSY, 16, body(24, SET | 6, 4096L, 0, 0));
    set(RUNNING);
    isBusy = false;
    set(STOP);
  }

  @Test
  void set_engineFailsOnTheSecondArc_staysAfterTheFirst() {
    failsToSave = true;
    refused(Errno.ENOMEM, 16, body(16, SET | STATE, STOP_COPY, -1));
    assertThat(state()).isEqualTo(STOP);
    failsToSave = false;
    set(STOP_COPY);
  }

  @Test
  void write_dataOfNoDevice_refusedAndLeavingLeadsToError() {
    set(RESUMING);
    write((byte) 1, (byte) 2);
    refused(Errno.EPROTO, 18, body(8 + 8, 8, 0L));
    assertThat(state()).isEqualTo(RESUMING);
    refused(Errno.EPROTO, 16, body(16, SET | STATE, RUNNING, -1));
    assertThat(state()).isEqualTo(ERROR);
    assertThat(asked).containsExactly("resume", "resumed");
  }

  // ---- what is offered ----

  @Test
  void feature_migration_offersStopCopyAndPreCopy() {
    ByteBuffer reply = client.ok(16, body(16, GET | MIGRATION));
    assertThat(reply.remaining()).isEqualTo(16);
    assertThat(reply.getInt(0)).isEqualTo(16);
    assertThat(reply.getInt(4)).isEqualTo(GET | MIGRATION);
    assertThat(reply.getLong(8)).isEqualTo(1 | 4);
  }

  @Test
  void feature_probed_answersWithTheRequest() {
    assertThat(client.ok(16, body(8, PROBE | GET | MIGRATION)).remaining()).isEqualTo(8);
    assertThat(client.ok(16, body(8, PROBE | GET | SET | STATE)).getInt(4))
        .isEqualTo(PROBE | GET | SET | STATE);
    assertThat(state()).isEqualTo(RUNNING);
  }

  static Stream<Arguments> pairs() {
    return IntStream.of(STOP, RUNNING, STOP_COPY, PRE_COPY)
        .boxed()
        .flatMap(from ->
            Stream.of(STOP, RUNNING, STOP_COPY, RESUMING, PRE_COPY)
                .map(to -> Arguments.of(from, to)))
        .filter(pair -> !(pair.get()[0].equals(STOP_COPY) && pair.get()[1].equals(PRE_COPY)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void set_everyOtherPair_getsThere(int from, int to) {
    bring(from);
    set(to);
    assertThat(state()).isEqualTo(to);
    assertGoesOn();
  }

  @ParameterizedTest
  @ValueSource(ints = {STOP, RUNNING, STOP_COPY, RESUMING, PRE_COPY})
  void set_fromResumingWithAllData_getsThere(int to) {
    bring(RESUMING);
    if (to != RESUMING) {
      write(state);
    }
    set(to);
    assertThat(state()).isEqualTo(to);
  }

  @ParameterizedTest
  @ValueSource(ints = {ERROR, STOP, RUNNING, STOP_COPY, RESUMING, PRE_COPY})
  void reset_inEveryState_runs(int at) {
    bring(at);
    client.ok(13, new byte[0]);
    assertThat(state()).isEqualTo(RUNNING);
  }

  @Test
  void data_preCopyThenStopCopy_isOneStreamInAnyPieces() {
    set(PRE_COPY);
    assertThat(read(16)).containsExactly(1, 2); // fewer than asked: none now
    assertThat(read(16)).isEmpty();
    set(STOP_COPY);
    assertThat(read(2)).containsExactly(3, 4);
    assertThat(read(2)).containsExactly(5);
    assertThat(read(2)).isEmpty();
    assertThat(asked).containsExactly("save", "stopped");
    set(RUNNING);
    assertThat(asked).containsExactly("save", "stopped", "saved");
  }

  @Test
  void data_writtenInPieces_runsWhenAskedTo() {
    set(RESUMING);
    write((byte) 1, (byte) 2);
    write();
    write((byte) 3, (byte) 4, (byte) 5);
    set(STOP);
    assertThat(asked).containsExactly("resume", "built");
    set(RUNNING);
    assertThat(asked).containsExactly("resume", "built", "run", "resumed");
  }

  @Test
  void set_fromPreCopyToRunning_endsTheTransfer() {
    set(PRE_COPY);
    set(RUNNING);
    set(PRE_COPY);
    assertThat(read(1)).containsExactly(1);
    assertThat(asked).containsExactly("save", "saved", "save");
  }

  /** Without it a client learns nothing that is not so. */
  static final class NotOffered extends ServerTest {
    @Override
    Capability[] missingCapabilities() {
      return new Capability[] {Capability.STATE_SAVE, Capability.DIRTY_TRACKING};
    }

    @Override
    Optional<StateTransfers> transfers() {
      throw new AssertionError("a GPU that cannot give its state away was asked for it");
    }

    @ParameterizedTest
    @ValueSource(ints = {GET | MIGRATION, GET | STATE, SET | 6, SET | 7, GET | 8})
    void feature_gpuThatCannot_enotty(int flags) {
      refused(Errno.ENOTTY, 16, body(64, flags, 0L, 0L, 0L));
    }
  }
}
