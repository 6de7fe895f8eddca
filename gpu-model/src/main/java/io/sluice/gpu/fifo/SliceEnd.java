package io.sluice.gpu.fifo;

/** The reason for which a channel stopped executing. */
enum SliceEnd {
  /** Nothing more to do. */
  IDLE,
  /** There is more: the slice is used up. */
  READY,
  /** There is more, but it asked to let others run first. */
  YIELDED,
  /** An acquire waits for memory to change. */
  BLOCKED,
  /** The channel ended. */
  DEAD
}
