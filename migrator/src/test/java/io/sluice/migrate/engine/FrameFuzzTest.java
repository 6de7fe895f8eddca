package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.RecordCodec;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.testbed.checks.FuzzInput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of a peer: refused, or read and written again they are the same. */
final class FrameFuzzTest {
  private static final int MAX_STATE_FRAMES = 32;
  private static final List<FrameType> READ =
      List.of(FrameType.OFFER, FrameType.CHECK, FrameType.CHECKED, FrameType.ABORT);
  private static final int SUM_OFFSET = 4;

  private static Offer anOffer() {
    ByteBuffer machine = ByteBuffer.wrap(new byte[] {1, 2, 3});
    return new Offer(1, 1, new UUID(3, 4), "web-01", 0xc0, 1 << 20, 4096, 1 << 20, 2, machine);
  }

  /** The number of a type in {@link #READ}, and the payload. */
  static Stream<byte[]> frames() {
    MoveQuestion question =
        new MoveQuestion(anOffer(), true, ImmutableSet.of("DOORBELL"), RecordCodec.written(false));
    Reason reason = new Reason("SLU-MIG-001", "it is \u00fcber", "Wait.");
    return Stream.of(
            anOffer().encode(),
            question.encode(),
            new MoveAnswer(ImmutableList.of(reason, reason)).encode(),
            reason.encode())
        .map(frame -> {
          byte[] seed = new byte[1 + frame.payload().remaining()];
          seed[0] = (byte) READ.indexOf(frame.type());
          frame.reader().get(seed, 1, seed.length - 1);
          return seed;
        });
  }

  @MethodSource("frames")
  @FuzzTest
  void frame(byte[] input) {
    if (input.length == 0) {
      return;
    }
    FrameType type = READ.get((input[0] & 0xff) % READ.size());
    Frame frame = Frame.of(type, ByteBuffer.wrap(Arrays.copyOfRange(input, 1, input.length)));
    try {
      switch (type) {
        case OFFER -> {
          Offer offer = Offer.decode(frame);
          assertThat(Offer.decode(offer.encode())).isEqualTo(offer);
          assertThat(Offer.SPOKEN.agreed(offer.spoken())).isNotNull();
        }
        case CHECK -> {
          MoveQuestion question = MoveQuestion.decode(frame);
          assertThat(MoveQuestion.decode(question.encode())).isEqualTo(question);
          assertToldAlike(MoveAnswer.to(question, List.of()));
        }
        case CHECKED -> assertToldAlike(MoveAnswer.decode(frame));
        default -> {
          Reason reason = Reason.decode(frame);
          assertThat(Reason.decode(reason.encode()).code()).isEqualTo(reason.code());
        }
      }
    } catch (RefusedException e) {
      assertThat(e.errno().name()).isEqualTo("EPROTO");
    }
  }

  /** Long texts are cut as they are written, and only then. */
  private static void assertToldAlike(MoveAnswer answer) {
    MoveAnswer told = MoveAnswer.decode(answer.encode());
    assertThat(told.objections()).hasSameSizeAs(answer.objections());
    assertThat(MoveAnswer.decode(told.encode())).isEqualTo(told);
  }

  /** Frames of state, each as long as its first two bytes say. */
  static Stream<byte[]> states() {
    StateFrames.Writer writer = new StateFrames.Writer();
    writer.records(new byte[100]);
    writer.controlPage(3, ByteBuffer.wrap(new byte[ControlWordsCopy.BYTES]));
    writer.device(ByteBuffer.wrap(new byte[50]));
    ByteBuffer all = ByteBuffer.allocate(1 << 16).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (Frame frame : writer.finish(2)) {
      all.put((byte) (frame.type() == FrameType.STATE ? 0 : 1));
      all.putShort((short) frame.payload().remaining()).put(frame.reader());
    }
    byte[] seed = Arrays.copyOf(all.array(), all.position());
    return Stream.of(seed, Arrays.copyOf(seed, seed.length - 20));
  }

  @MethodSource("states")
  @FuzzTest
  void state(byte[] input) {
    FuzzInput in = new FuzzInput(input);
    StateFrames.Reader reader = new StateFrames.Reader();
    long stateBytes = 0;
    try {
      for (int i = 0; i < MAX_STATE_FRAMES && !in.isEmpty(); i++) {
        boolean isState = in.nextInt(2) == 0;
        ByteBuffer payload = ByteBuffer.wrap(in.take(in.nextInt(1 << 16)));
        if (isState) {
          reader.state(Frame.of(FrameType.STATE, payload));
          stateBytes += payload.remaining();
        } else {
          reader.restore(Frame.of(FrameType.RESTORE, payload));
          assertThat(reader.isComplete()).isTrue();
        }
      }
    } catch (RefusedException e) {
      assertThat(e.errno().name()).isEqualTo("EPROTO");
    }
    assertThat(reader.records().remaining()).isLessThanOrEqualTo((int) stateBytes + SUM_OFFSET);
    reader
        .controlPages()
        .forEach(page -> assertThat(page.words().remaining()).isEqualTo(ControlWordsCopy.BYTES));
  }
}
