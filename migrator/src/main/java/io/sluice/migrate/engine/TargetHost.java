package io.sluice.migrate.engine;

import io.sluice.migrate.machine.TargetMachine;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The destination's daemon, as a migration that comes in needs it. One thread calls it. */
public interface TargetHost {
  /**
   * What is against a guest that may be about to come, each with its remedy. Looks only: nothing is
   * made, opened or reserved.
   */
  List<Reason> objections(MoveQuestion question);

  /**
   * Looks whether there is room for a guest, and makes what will receive it.
   *
   * @throws io.sluice.abi.RefusedException with the remedy when there is none
   */
  TargetMachine admit(Offer offer);

  /** The empty guest, once something is attached to it; asked again until there is one. */
  Optional<MappedGuest> guest();

  /**
   * It is about to come: what {@link #commit} can have done beforehand is, while the guest still
   * runs elsewhere.
   *
   * @throws io.sluice.abi.RefusedException when {@link #commit} could not be done either: the guest
   *     does not come
   */
  default void prepareCommit(Offer offer) {}

  /**
   * Writes down durably that the guest is this side's. When this returns a daemon that starts anew
   * knows it; only then does the guest run. Called again when it has thrown anything else than a
   * refusal: nobody knows then whether it is written.
   *
   * @throws io.sluice.abi.RefusedException when it cannot be written, and is not
   */
  void commit(Offer offer);

  /**
   * Whether {@link #commit} was done for an attempt. One that is not is from now on never done: a
   * session that still waits for its COMMIT is discarded first.
   *
   * @throws io.sluice.abi.RefusedException when that cannot be told: whoever asks is not answered
   */
  boolean isCommitted(UUID id);

  /** The guest runs. */
  void running(Offer offer);

  /** It came to nothing: what was made is taken away. */
  void discard(Reason why);
}
