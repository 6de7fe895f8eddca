package io.sluice.channel.nvidia.time;

/**
 * The CUDA programs of a guest, as far as their time on the graphics engine goes. What they wait
 * for cannot be seen from outside. Any thread.
 */
public interface ProgramTime {
  /** What is charged. */
  TimeUse use();

  /** Whether there are none any more, and never will be. */
  boolean isOver();

  /** Whether they have channels on the graphics engine. */
  boolean mayCompute();

  /** Whether one of these is the channel that RM has under a number. */
  boolean has(int number);
}
