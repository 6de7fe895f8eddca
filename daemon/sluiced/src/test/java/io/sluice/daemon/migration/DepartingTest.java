package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.machine.PausedMachine;
import io.sluice.testbed.checks.StandIn;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guests that would leave when there is no thread left for that. */
final class DepartingTest {
  private static final String FAILED = "it cannot";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private Path dir;
  private final MovedGuest moved = new MovedGuest();
  private final PeerScript link = new PeerScript();
  private final List<MemorySegment> mapped = new ArrayList<>();
  private final Kernel kernel =
      StandIn.of(
          Kernel.class,
          RealKernel.create(),
          call -> {
            Object result = call.pass();
            if (result instanceof Mapping made) {
              mapped.add(made.segment());
            }
            return result;
          });
  private boolean threadsAreLeft;
  private Departing departing;

  @BeforeEach
  void make() throws Exception {
    departing = new Departing(NoGuests.of(dir, System::nanoTime), this::thread);
  }

  @AfterEach
  void close() {
    moved.close();
  }

  private Thread thread(Runnable work) {
    if (!threadsAreLeft) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    return Thread.ofPlatform().daemon().unstarted(work);
  }

  private static final class NoMachine extends PausedMachine {
    @Override
    public boolean handsMemoryOver() {
      return true;
    }

    @Override
    public List<ByteBuffer> save() {
      return List.of();
    }

    @Override
    public void poll() {}

    @Override
    protected void goOn(boolean stood) {}
  }

  private OutgoingMigration migration() {
    return new OutgoingMigration(
        moved.guest,
        moved.parts(MappedGuest.of(moved.guest, kernel), new NoMachine(), link),
        MigrationSettings.DEFAULT,
        System::nanoTime,
        new Random(1),
        () -> null,
        _ -> {});
  }

  private static RestoringGuest restore(UUID id) {
    return new RestoringGuest(
        "web",
        id,
        new RestoringGuest.CheckpointFile("file:web", 1),
        _ -> Optional.empty(),
        System::nanoTime,
        _ -> {});
  }

  @Test
  void begin_noThreadIsLeft_guestIsNotBusyAndNothingOfItIsKept() {
    assertThatThrownBy(() -> departing.begin(FAILED, moved.guest, this::migration, link))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(departing.isMoving("web")).isFalse();
    assertThat(departing.all()).isEmpty();
    assertThat(link.failure()).isPresent();
    assertThat(mapped).isNotEmpty().noneMatch(memory -> memory.scope().isAlive());
  }

  @Test
  void beginOfARestore_noThreadIsLeft_theLastOneIsStillKnown() throws Exception {
    threadsAreLeft = true;
    RestoringGuest first = restore(new UUID(1, 2));
    assertThat(departing.begin(FAILED, "web", first)).isEqualTo(first.id());
    first.awaitOver(PATIENCE);
    threadsAreLeft = false;
    assertThatThrownBy(() -> departing.begin(FAILED, "web", restore(new UUID(3, 4))))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(departing.isMoving("web")).isFalse();
    assertThat(departing.restores()).containsExactly(first);
    assertThat(departing.former()).isEmpty();
  }
}
