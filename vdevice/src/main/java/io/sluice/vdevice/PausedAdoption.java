package io.sluice.vdevice;

import io.sluice.channel.guest.Guest;

/** A client that was taken over and is paused still. */
final class PausedAdoption implements Adoption {
  private final Seat seat;
  private final Seat.Occupant client;
  private final DeviceSession session;

  PausedAdoption(Seat seat, Seat.Occupant client, DeviceSession session) {
    this.seat = seat;
    this.client = client;
    this.session = session;
  }

  @Override
  public Guest guest() {
    return session.guest();
  }

  @Override
  public void serve() {
    session.resume();
    seat.resume(client);
  }

  @Override
  public void discard() {
    seat.releasePaused(client);
  }
}
