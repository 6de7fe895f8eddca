package io.sluice.migrate.checkpoint;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a checkpoint's file that is being written.
 *
 * <pre>
 *  TAKING ──► ENDING ──► WHOLE ──► COMMITTED ──► COMPLETE
 *   │ └─────────┴─┬────────┴───────────┘  │ the disk is full, say
 *   │             └─────► FAILED ◄────────┘
 *   │ closed before it was wanted ▼
 *   └──────────────────────────► GONE
 * </pre>
 */
enum FileStage implements Stage<FileStage> {
  /** What the source sends is written. */
  TAKING,
  /** The guest's state has come; pages, or the machine's stream, may be behind it. */
  ENDING,
  /** All is in it but for its end. */
  WHOLE,
  /** The source says that it is wanted. */
  COMMITTED,
  /** It has its name. */
  COMPLETE,
  /** It could not be written. */
  FAILED,
  /** It was closed, and there is no file. */
  GONE;

  @Override
  public ImmutableSet<FileStage> next() {
    return switch (this) {
      case TAKING -> immutableEnumSet(ENDING, FAILED, GONE);
      case ENDING -> immutableEnumSet(WHOLE, FAILED, GONE);
      case WHOLE -> immutableEnumSet(COMMITTED, FAILED, GONE);
      case COMMITTED -> immutableEnumSet(COMPLETE, FAILED);
      case FAILED -> immutableEnumSet(GONE);
      case COMPLETE, GONE -> ImmutableSet.of();
    };
  }
}
