package io.sluice.gpu.engine;

/** The outcome of a method. */
public enum Outcome {
  /** It is finished. */
  DONE,
  /** It goes on: the engine is called again before the channel's next word. */
  PENDING,
  /** It goes on by itself: the channel gives way to others, and the engine is asked again. */
  RUNNING,
  /** It waits for memory to change: the channel gives way to others. */
  BLOCKED,
  /** It is finished and asks to let other channels run. */
  YIELD,
  /** It ended the channel. */
  FAULT
}
