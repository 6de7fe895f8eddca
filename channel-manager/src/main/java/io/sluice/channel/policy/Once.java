package io.sluice.channel.policy;

/** A step that runs the first time only. */
final class Once implements Runnable {
  private final Runnable action;
  private boolean ran;

  Once(Runnable action) {
    this.action = action;
  }

  @Override
  public void run() {
    if (!ran) {
      ran = true;
      action.run();
    }
  }
}
