package io.sluice.migrate.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.Tables;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The tables of a client's streams, and the words of an engine that come out of turn. */
final class LinkStagesTest {
  private final SavingLink saving = new SavingLink();
  private final ResumingLink resuming = new ResumingLink();

  private static void send(MigrationLink link, FrameType type) {
    assertThat(link.send(MigrationLink.CONTROL, Frame.of(type))).isTrue();
  }

  private static @Nullable FrameType poll(MigrationLink link) {
    Frame frame = link.poll(MigrationLink.CONTROL);
    return frame == null ? null : frame.type();
  }

  // ---- what a client fetches ----

  @Test
  void saving_everyPair_oneWayOnly() {
    Tables.requireEqual(
        SavingLinkStage.class,
        ImmutableSetMultimap.of(
            "BEGUN", "OFFERED",
            "OFFERED", "ANSWERED",
            "ANSWERED", "COMPLETE"));
  }

  @Test
  void saving_offer_isAnsweredOnceAndNotBefore() {
    assertThat(poll(saving)).isNull();
    send(saving, FrameType.HEARTBEAT);
    assertThat(poll(saving)).isNull();
    send(saving, FrameType.OFFER);
    assertThat(saving.poll(1)).isNull();
    assertThat(poll(saving)).isEqualTo(FrameType.ACCEPT);
    assertThat(poll(saving)).isNull();
  }

  @Test
  void saving_secondOffer_isABug() {
    send(saving, FrameType.OFFER);
    assertThatThrownBy(() -> send(saving, FrameType.OFFER)).isInstanceOf(AssertionError.class);
    assertThat(poll(saving)).isEqualTo(FrameType.ACCEPT);
    assertThatThrownBy(() -> send(saving, FrameType.OFFER)).isInstanceOf(AssertionError.class);
  }

  @Test
  void saving_endBeforeTheAnswerOrTwice_isABugAndPutsNothing() {
    assertThatThrownBy(saving::complete).isInstanceOf(AssertionError.class);
    send(saving, FrameType.OFFER);
    assertThatThrownBy(saving::complete).isInstanceOf(AssertionError.class);
    assertThat(poll(saving)).isEqualTo(FrameType.ACCEPT);
    assertThat(saving.isComplete()).isFalse();
    saving.complete();
    assertThat(saving.isComplete()).isTrue();
    long waiting = saving.statistics().bytesQueued();
    assertThatThrownBy(saving::complete).isInstanceOf(AssertionError.class);
    assertThat(saving.statistics().bytesQueued()).isEqualTo(waiting);
  }

  // ---- what a client brings ----

  @Test
  void resuming_everyPair_builtBeforeTheEndOrAfter() {
    Tables.requireEqual(
        ResumingLinkStage.class,
        ImmutableSetMultimap.<String, String>builder()
            .put("EMPTY", "COMING")
            .putAll("COMING", "BUILT", "ENDED")
            .put("BUILT", "WHOLE")
            .put("ENDED", "WHOLE")
            .put("WHOLE", "COMMITTING")
            .put("COMMITTING", "COMMITTED")
            .build());
  }

  @Test
  void resuming_everyStage_isEndedAndBuiltAsItsWaySays() {
    for (ResumingLinkStage stage : ResumingLinkStage.values()) {
      boolean both = stage.compareTo(ResumingLinkStage.WHOLE) >= 0;
      assertThat(stage.isEnded()).isEqualTo(both || stage == ResumingLinkStage.ENDED);
      assertThat(stage.isBuilt()).isEqualTo(both || stage == ResumingLinkStage.BUILT);
    }
  }

  private void feed(Section section) {
    ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
    section.write(bytes);
    resuming.feed(MemorySegment.ofArray(bytes.array()));
  }

  private static Section end() {
    ByteBuffer count = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return new Section(DeviceStream.END, DeviceStream.VERSION, count.putLong(1).array());
  }

  @Test
  void resuming_builtBeforeTheEnd_isCommittedOnce() {
    feed(DeviceStream.head());
    send(resuming, FrameType.READY);
    assertThat(resuming.isReady()).isTrue();
    assertThat(resuming.isComplete()).isFalse();
    feed(end());
    assertThat(resuming.isComplete()).isTrue();
    assertCommitsOnce();
  }

  @Test
  void resuming_builtAfterTheEnd_isCommittedOnce() {
    feed(DeviceStream.head());
    feed(end());
    assertThat(resuming.isComplete()).isTrue();
    assertThat(resuming.isReady()).isFalse();
    send(resuming, FrameType.READY);
    assertThat(resuming.isReady()).isTrue();
    assertCommitsOnce();
  }

  private void assertCommitsOnce() {
    assertThat(poll(resuming)).isNull();
    resuming.commit();
    assertThat(resuming.poll(1)).isNull();
    assertThat(poll(resuming)).isEqualTo(FrameType.COMMIT);
    assertThat(poll(resuming)).isNull();
    assertThatThrownBy(resuming::commit).isInstanceOf(AssertionError.class);
    assertThat(resuming.isReady() && resuming.isComplete()).isTrue();
  }

  @Test
  void resuming_commitOfWhatIsNotWhole_isABug() {
    assertThatThrownBy(resuming::commit).isInstanceOf(AssertionError.class);
    feed(DeviceStream.head());
    assertThatThrownBy(resuming::commit).isInstanceOf(AssertionError.class);
    send(resuming, FrameType.READY);
    assertThatThrownBy(resuming::commit).isInstanceOf(AssertionError.class);
    assertThat(poll(resuming)).isNull();
  }

  @Test
  void resuming_builtOfNothingOrTwice_isABug() {
    assertThatThrownBy(() -> send(resuming, FrameType.READY)).isInstanceOf(AssertionError.class);
    feed(DeviceStream.head());
    send(resuming, FrameType.READY);
    assertThatThrownBy(() -> send(resuming, FrameType.READY)).isInstanceOf(AssertionError.class);
  }

  /** The client's bytes are no bug of ours. */
  @Test
  void resuming_bytesOutOfTurn_areRefused() {
    assertThatThrownBy(() -> feed(end())).isInstanceOf(RefusedException.class);
    feed(DeviceStream.head());
    assertThatThrownBy(() -> feed(DeviceStream.head())).isInstanceOf(RefusedException.class);
    feed(end());
    assertThatThrownBy(() -> feed(end())).isInstanceOf(RefusedException.class);
    send(resuming, FrameType.READY);
    assertThatThrownBy(() -> feed(end())).isInstanceOf(RefusedException.class);
  }
}
