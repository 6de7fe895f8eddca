package io.sluice.migrate.session;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.vdevice.session.ApiSessions.Standing;
import io.sluice.vdevice.session.CarriedSession;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A session of a machine that moves away, which has been begun. The worker has it halt, the
 * engine's thread looks whether it fails, either has it stay.
 */
final class LeavingSession {
  /** One that ends fails first, and is gone a moment later. */
  static final long ENDING_NS = 2_000_000_000L;

  /**
   * The stages of one session.
   *
   * <pre>
   *  BEGUN ──► NEAR ──► HALTED; BEGUN ──► HALTED
   *  each ──► FAILED; each of these ──► STAYING
   * </pre>
   */
  enum MoveStage implements Stage<MoveStage> {
    /** Its state goes to the destination. */
    BEGUN,
    /** It was told that its machine is near its stop. */
    NEAR,
    /** It was told to stand still. */
    HALTED,
    /** It does not move, or is at its end. */
    FAILED,
    /** It was told that it goes on here. */
    STAYING;

    @Override
    public ImmutableSet<MoveStage> next() {
      return switch (this) {
        case BEGUN -> immutableEnumSet(NEAR, HALTED, FAILED, STAYING);
        case NEAR -> immutableEnumSet(HALTED, FAILED, STAYING);
        case HALTED -> immutableEnumSet(FAILED, STAYING);
        case FAILED -> immutableEnumSet(STAYING);
        case STAYING -> ImmutableSet.of();
      };
    }
  }

  /** The states, each with what it must know. */
  private sealed interface MoveState extends StateMachine.State<MoveStage> {
    /**
     * {@link MoveStage#FAILED}.
     *
     * @param sinceNs when that was seen first
     */
    record Failed(long sinceNs) implements MoveState {
      @Override
      public MoveStage stage() {
        return MoveStage.FAILED;
      }
    }

    /** Any other. */
    record At(MoveStage stage) implements MoveState {}
  }

  private final CompletableFuture<Standing> standing;
  private final Optional<String> place;
  private final StateMachine<MoveStage, MoveState> life;
  private final Set<Integer> told = new HashSet<>(Set.of(0)); // segments; of the worker
  private volatile CarriedSession session; // as it was seen last
  private volatile CompletableFuture<?> prepared = new CompletableFuture<>();

  /**
   * @param standing done when it stands still
   */
  LeavingSession(CarriedSession session, CompletableFuture<Standing> standing) {
    this(session, standing, Optional.empty());
  }

  /**
   * @param standing done when it stands still
   * @param place where it stays, if its near end alone leaves
   */
  LeavingSession(
      CarriedSession session, CompletableFuture<Standing> standing, Optional<String> place) {
    this.session = session;
    this.place = place;
    this.standing = standing;
    life = new StateMachine<>("session " + session.handle(), new MoveState.At(MoveStage.BEGUN));
  }

  CarriedSession session() {
    return session;
  }

  /** Where it stays, if its near end alone leaves. */
  Optional<String> place() {
    return place;
  }

  /** By when it stands still, and what it says then. */
  CompletableFuture<Standing> standing() {
    return standing;
  }

  boolean isStanding() {
    return standing.isDone() && !standing.isCompletedExceptionally();
  }

  /** Whether nothing that takes long keeps it from its stop, or it does not move. */
  boolean isPrepared() {
    return prepared.isDone() || standing.isDone();
  }

  boolean isGone() {
    return session.session().isGone();
  }

  /** Why it does not move; empty while it may be that it just ends. */
  Optional<String> failure(long nowNs) {
    return life.state() instanceof MoveState.Failed(long sinceNs)
            && nowNs - sinceNs > ENDING_NS
            && !isGone()
        ? Optional.of(String.valueOf(standing.exceptionNow().getMessage()))
        : Optional.empty();
  }

  // ---- steps ----

  /** It may have more segments than before; false when that one is another session. */
  boolean see(CarriedSession now) {
    boolean same = session.session() == now.session();
    if (same) {
      session = now;
    }
    return same;
  }

  /** Counts a segment as told to the destination; whether it is yet to be told. */
  boolean markTold(int segment) {
    return !standing.isCompletedExceptionally() && told.add(segment);
  }

  /** Looks whether it has failed. */
  void look(long nowNs) {
    if (standing.isCompletedExceptionally() && !isGone()) {
      boolean _ = life.enterIfLegal(new MoveState.Failed(nowNs), "it does not move");
    }
  }

  /** Its machine is near its stop. */
  void approach() {
    if (life.enterIfLegal(new MoveState.At(MoveStage.NEAR), "its machine is near its stop")) {
      prepared = session.session().approach();
    }
  }

  /** Its machine is about to stop. */
  void halt() {
    if (life.enterIfLegal(new MoveState.At(MoveStage.HALTED), "its machine is about to stop")) {
      session.session().halt();
    }
  }

  /** It goes on here. */
  void stay() {
    if (life.enterIfLegal(new MoveState.At(MoveStage.STAYING), "its machine does not move")) {
      session.session().stay();
    }
  }
}
