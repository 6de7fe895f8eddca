package io.sluice.migrate.qemu;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a machine that is to move away, on this side of its monitor. How far QEMU is with
 * it QEMU says.
 *
 * <pre>
 *  OPEN ──► COPYING ──► GIVEN_UP ──► FAILED
 *   │          │  └────────┊────────► │
 *   └──────────┴───► UNDOING ◄────────┘
 *                       └──► SETTLED ──► WENT_ON
 * </pre>
 */
enum QemuSourceStage implements Stage<QemuSourceStage> {
  /** Its monitor is ours; nothing was asked yet. */
  OPEN,
  /** QEMU migrates it; it may be held back, and go on. */
  COPYING,
  /** QEMU says that it gives up; what failed here may yet be known better. */
  GIVEN_UP,
  /** Something could not be done here. */
  FAILED,
  /** It is to go on; what was begun may yet write guest memory. */
  UNDOING,
  /** Nothing that was begun writes guest memory any more. */
  SETTLED,
  /** It goes on, or cannot be made to. */
  WENT_ON;

  @Override
  public ImmutableSet<QemuSourceStage> next() {
    return switch (this) {
      case OPEN -> immutableEnumSet(COPYING, UNDOING);
      case COPYING -> immutableEnumSet(COPYING, GIVEN_UP, FAILED, UNDOING);
      case GIVEN_UP -> immutableEnumSet(FAILED, UNDOING);
      case FAILED -> immutableEnumSet(UNDOING);
      case UNDOING -> immutableEnumSet(SETTLED);
      case SETTLED -> immutableEnumSet(WENT_ON);
      case WENT_ON -> ImmutableSet.of();
    };
  }
}
