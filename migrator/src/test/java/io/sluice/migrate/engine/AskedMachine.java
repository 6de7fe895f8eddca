package io.sluice.migrate.engine;

import io.sluice.migrate.machine.LiveMachine;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A machine that notes what it is asked, and has left what the test says. */
final class AskedMachine implements SourceMachine, LiveMachine {
  final List<String> asked = new ArrayList<>();
  State state = State.COPYING;
  long sent;
  long queued;
  long queueLimit;
  boolean touched;
  boolean dumb;
  boolean prepared = true;
  boolean standsBy; // when asked to
  long kept;
  long step;
  long passes;
  private long left;

  void has(long bytes) {
    left = bytes;
  }

  @Override
  public List<Blocker> blockers() {
    return List.of();
  }

  @Override
  public ByteBuffer describe() {
    return ByteBuffer.allocate(0);
  }

  @Override
  public void start(ByteBuffer target) {}

  @Override
  public LiveMachine live() {
    return this;
  }

  @Override
  public long bytesCarried() {
    return sent;
  }

  @Override
  public void goOn() {
    asked.add("goOn");
  }

  @Override
  public void holdBack() {
    asked.add("holdBack");
  }

  @Override
  public boolean canStandBy() {
    return standsBy;
  }

  @Override
  public long passes() {
    return passes;
  }

  @Override
  public void keepBack(long bytes, long stepBytes) {
    kept = bytes;
    step = stepBytes;
  }

  @Override
  public void approachStop() {
    asked.add("approachStop");
  }

  @Override
  public boolean isStopPrepared() {
    return prepared;
  }

  @Override
  public void askToTouch() {
    asked.add("askToTouch");
    touched = false;
  }

  @Override
  public boolean cannotTouch() {
    return dumb;
  }

  @Override
  public boolean hasTouched() {
    return touched;
  }

  @Override
  public void allowShortStop(long bytesPerSecond) {
    asked.add("allowShortStop " + bytesPerSecond);
  }

  @Override
  public void allowStop() {
    asked.add("allowStop");
  }

  @Override
  public void forceStop() {
    asked.add("forceStop");
  }

  @Override
  public long bytesQueued() {
    return queued;
  }

  @Override
  public void limitQueue(long bytes) {
    queueLimit = bytes;
  }

  @Override
  public MachineProgress progress() {
    return new MachineProgress(state, 0, sent, left, 0, "");
  }

  @Override
  public boolean redirty(List<PageRange> pages) {
    throw new AssertionError("not asked of it");
  }

  @Override
  public List<ByteBuffer> save() {
    throw new AssertionError("not asked of it");
  }

  @Override
  public void switchOver() {
    throw new AssertionError("not asked of it");
  }

  @Override
  public void abort() {
    throw new AssertionError("not asked of it");
  }

  @Override
  public void finish() {
    throw new AssertionError("not asked of it");
  }

  @Override
  public void setWaker(Runnable waker) {}

  @Override
  public void close() {}
}
