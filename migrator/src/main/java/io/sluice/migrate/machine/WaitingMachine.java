package io.sluice.migrate.machine;

/**
 * A machine, or process, that copies nothing by itself, and so waits until it may stop: there is
 * nothing to hold back, and no stream.
 *
 * @param machine that is let stop
 */
record WaitingMachine(SourceMachine machine) implements LiveMachine {
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
  public void allowShortStop(long bytesPerSecond) {
    machine.allowStop();
  }

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
    return machine.progress().bytesSent();
  }

  @Override
  public void limitQueue(long bytes) {}
}
