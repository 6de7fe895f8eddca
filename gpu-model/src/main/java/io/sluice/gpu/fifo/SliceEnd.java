package io.sluice.gpu.fifo;

/** Why a channel stopped executing. */
enum SliceEnd {
  /** Nothing more to do. */
  IDLE,
  /** There is more: the slice is used up, or it asked to let others run. */
  READY,
  /** An acquire waits for memory to change. */
  BLOCKED,
  /** The channel ended. */
  DEAD
}
