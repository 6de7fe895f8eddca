package io.sluice.migrate.engine;

import io.sluice.migrate.machine.TargetMachine;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * A destination where somebody is attached to an empty guest already, and where whoever drives
 * decides alone, as with a file: no other side could ever ask what became of it, and no record is
 * kept.
 *
 * @param attached what becomes the guest that comes
 * @param machine makes what uses it, or refuses the offer
 */
public record AttachedHost(MappedGuest attached, Function<Offer, TargetMachine> machine)
    implements TargetHost {
  @Override
  public List<Reason> objections(MoveQuestion question) {
    return List.of();
  }

  @Override
  public TargetMachine admit(Offer offer) {
    return machine.apply(offer);
  }

  @Override
  public Optional<MappedGuest> guest() {
    return Optional.of(attached);
  }

  @Override
  public void commit(Offer offer) {}

  @Override
  public boolean isCommitted(UUID id) {
    return false;
  }

  @Override
  public void running(Offer offer) {}

  @Override
  public void discard(Reason why) {}
}
