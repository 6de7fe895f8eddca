package io.sluice.migrate.session;

import io.sluice.migrate.machine.LiveMachine;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A machine that notes what it is told, and is where the test says. */
final class NotedMachine implements SourceMachine, LiveMachine {
  final List<String> told = new ArrayList<>();
  State state = State.COPYING;
  boolean still = true;
  boolean settled = true;

  /** Having it go on fails. */
  boolean abortFails;

  @Override
  public List<Blocker> blockers() {
    return List.of();
  }

  @Override
  public ByteBuffer describe() {
    return ByteBuffer.allocate(0);
  }

  @Override
  public LiveMachine live() {
    return this;
  }

  @Override
  public void start(ByteBuffer target) {
    told.add("start");
  }

  @Override
  public void allowShortStop(long bytesPerSecond) {
    told.add("allowShortStop");
  }

  @Override
  public void allowStop() {
    told.add("allowStop");
  }

  @Override
  public void forceStop() {
    told.add("forceStop");
  }

  @Override
  public MachineProgress progress() {
    return MachineProgress.of(state);
  }

  @Override
  public boolean redirty(List<PageRange> pages) {
    told.add("redirty " + pages.size());
    return true;
  }

  @Override
  public boolean holdStill() {
    return still;
  }

  @Override
  public List<ByteBuffer> save() {
    return List.of();
  }

  @Override
  public void switchOver() {
    told.add("switchOver");
  }

  @Override
  public void abort() {
    if (abortFails) {
      throw new OutOfMemoryError("by the test");
    }
    told.add("abort");
  }

  @Override
  public boolean isSettled() {
    return settled;
  }

  @Override
  public void finish() {
    told.add("finish");
  }

  @Override
  public boolean canStandBy() {
    return false;
  }

  @Override
  public long passes() {
    return 0;
  }

  @Override
  public void keepBack(long bytes, long stepBytes) {}

  @Override
  public void holdBack() {}

  @Override
  public void goOn() {}

  @Override
  public void askToTouch() {}

  @Override
  public boolean hasTouched() {
    return false;
  }

  @Override
  public boolean cannotTouch() {
    return true;
  }

  @Override
  public long bytesQueued() {
    return 0;
  }

  @Override
  public long bytesCarried() {
    return 0;
  }

  @Override
  public void limitQueue(long bytes) {}

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public void close() {
    told.add("close");
  }
}
