package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;
import io.sluice.vdevice.GuestDevice;

/**
 * The request that a guest's processors write to each page that its GPU may have written. It is
 * made by the engine's thread, and passed on by the worker's, which also looks for the answer; an
 * answer to one that was made again meanwhile is none.
 */
final class TouchRequest {
  /**
   * @param number of the request; 0 for none
   * @param code what the guest is to answer, once it was asked
   */
  private record At(TouchStage stage, int number, int code)
      implements StateMachine.State<TouchStage> {}

  private final GuestDevice device;
  private final StateMachine<TouchStage, At> state;

  TouchRequest(GuestDevice device) {
    this.device = device;
    state = new StateMachine<>("touch of " + device.name(), new At(TouchStage.UNASKED, 0, 0));
  }

  /**
   * Makes the request, anew if it was made before.
   *
   * @return its number, for {@link #passOn}
   */
  synchronized int make() {
    int number = state.state().number() + 1;
    state.enter(new At(TouchStage.WANTED, number, 0), "the GPU has drained");
    return number;
  }

  /** Asks the guest. */
  void passOn(int number) {
    int code = device.memory().askToTouch();
    synchronized (this) {
      if (state.state().number() == number) {
        TouchStage next = code == 0 ? TouchStage.IMPOSSIBLE : TouchStage.ASKED;
        state.enter(new At(next, number, code), "passed on");
      }
    }
  }

  /** Looks for the guest's answer; whether it came just now. */
  boolean look() {
    At asked = state.state();
    if (asked.stage() != TouchStage.ASKED || !device.memory().hasTouched(asked.code())) {
      return false;
    }
    synchronized (this) {
      return state.state().equals(asked)
          && state.enterIfLegal(new At(TouchStage.TOUCHED, asked.number(), 0), "answered");
    }
  }

  /** Whether the guest has done what it was asked last. */
  boolean isDone() {
    return state.stage() == TouchStage.TOUCHED;
  }

  /** Whether the guest could not be asked last. */
  boolean isImpossible() {
    return state.stage() == TouchStage.IMPOSSIBLE;
  }
}
