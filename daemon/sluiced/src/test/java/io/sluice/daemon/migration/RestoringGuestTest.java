package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.TargetMachine;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A guest that is made of a file, and is given up. */
final class RestoringGuestTest {
  private static final int TIMES = 2_000;
  private static final Reason WHY = new Reason("SLU-MIG-020", "cancelled", "");

  /** Nothing has come yet, so that none is asked anything. */
  private static final class NoMachine implements TargetMachine {
    @Override
    public ByteBuffer prepare(ByteBuffer source) {
      throw new AssertionError("not asked of it");
    }

    @Override
    public MachineProgress progress() {
      throw new AssertionError("not asked of it");
    }

    @Override
    public boolean restore(List<ByteBuffer> device) {
      throw new AssertionError("not asked of it");
    }

    @Override
    public void resume() {}

    @Override
    public void abort() {}

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }

  private static RestoringGuest restoring() {
    return new RestoringGuest(
        "web",
        new UUID(1, 2),
        new RestoringGuest.CheckpointFile("file:web", 1),
        _ -> Optional.empty(),
        () -> 0,
        _ -> {});
  }

  private static CheckpointRestore restore(MappedGuest guest) {
    PeerScript empty = new PeerScript();
    empty.close(); // one that goes on finds that
    return new CheckpointRestore(empty, guest, new NoMachine(), () -> 0, (_, _) -> {});
  }

  /** Whichever of the two comes first, whoever gives it up is heard. */
  @Test
  void abort_whileItIsBegun_isNotLost() throws Exception {
    try (MovedGuest made = new MovedGuest();
        MappedGuest mapped = made.map()) {
      AtomicReference<RestoringGuest> shared = new AtomicReference<>(restoring());
      AtomicInteger round = new AtomicInteger();
      AtomicInteger given = new AtomicInteger();
      Thread operator =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                for (int i = 1; i <= TIMES; i++) {
                  while (round.get() != i) {
                    Thread.onSpinWait();
                  }
                  boolean _ = Objects.requireNonNull(shared.get()).abort(WHY);
                  given.set(i);
                }
              });
      int lost = 0;
      for (int i = 1; i <= TIMES; i++) {
        RestoringGuest guest = restoring();
        CheckpointRestore restore = restore(mapped);
        shared.set(guest);
        round.set(i);
        for (int n = i % 64; n > 0; n--) {
          Thread.onSpinWait();
        }
        guest.begun(restore);
        while (given.get() != i) {
          Thread.onSpinWait();
        }
        if (!restore.run().equals(Optional.of(WHY))) {
          lost++;
        }
      }
      operator.join();
      assertThat(lost).isZero();
    }
  }
}
