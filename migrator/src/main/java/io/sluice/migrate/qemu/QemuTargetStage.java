package io.sluice.migrate.qemu;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a machine that receives another one, on this side of its monitor. How far QEMU is
 * with it QEMU says.
 *
 * <pre>
 *  OPEN ──► EXPECTING ──► RECEIVING ──► RESTORING ──► RESTORED ──► RUNNING
 *   │           │             │           │  └─► FAILED ◄─┤
 *   └───────────┴─────────────┴───► ENDING ◄───────┴──────┘
 * </pre>
 */
enum QemuTargetStage implements Stage<QemuTargetStage> {
  /** Its monitor is ours; nothing was asked yet. */
  OPEN,
  /** It waits for another one, and so is ours to end. */
  EXPECTING,
  /** QEMU receives. */
  RECEIVING,
  /** The device is made what it was. */
  RESTORING,
  /** The device is what it was; the processors stand still. */
  RESTORED,
  /** It runs. */
  RUNNING,
  /** Something could not be done here. */
  FAILED,
  /** It ends. */
  ENDING;

  @Override
  public ImmutableSet<QemuTargetStage> next() {
    return switch (this) {
      case OPEN -> immutableEnumSet(EXPECTING, ENDING);
      case EXPECTING -> immutableEnumSet(RECEIVING, ENDING);
      case RECEIVING -> immutableEnumSet(RECEIVING, RESTORING, ENDING);
      case RESTORING -> immutableEnumSet(RESTORED, FAILED, ENDING);
      case RESTORED -> immutableEnumSet(RUNNING, FAILED, ENDING);
      case FAILED -> immutableEnumSet(ENDING);
      case RUNNING, ENDING -> ImmutableSet.of();
    };
  }
}
