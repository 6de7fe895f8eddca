package io.sluice.vdevice;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.guest.Guest;
import java.util.ArrayList;
import java.util.List;

/** A client that is paused and that another daemon is about to take. */
final class PausedHandover implements Handover {
  private final Seat seat;
  private final Seat.Occupant client;
  private final DeviceSession session;
  private final byte[] state;
  private final ImmutableList<Fd> files;

  PausedHandover(Seat seat, Seat.PausedClient paused) {
    this.seat = seat;
    client = paused.occupant();
    session = paused.session();
    List<Fd> all = new ArrayList<>();
    all.add(client.socket);
    session.held().hold();
    state = session.record(all).encode();
    files = ImmutableList.copyOf(all);
    session.guest().giveAway(true);
  }

  @Override
  public Guest guest() {
    return session.guest();
  }

  @Override
  public byte[] state() {
    return state.clone();
  }

  @Override
  public ImmutableList<Fd> files() {
    return files;
  }

  @Override
  public void cancel() {
    session.guest().giveAway(false);
    session.held().release();
    seat.resume(client);
  }

  @Override
  public void complete() {
    seat.releasePaused(client);
  }
}
