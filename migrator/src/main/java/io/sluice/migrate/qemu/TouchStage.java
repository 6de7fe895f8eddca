package io.sluice.migrate.qemu;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/** The stages of a {@link TouchRequest}, which may be made again at any time. */
enum TouchStage implements Stage<TouchStage> {
  /** Nothing was asked. */
  UNASKED,
  /** It is to be asked. */
  WANTED,
  /** The guest was asked. */
  ASKED,
  /** It has done it. */
  TOUCHED,
  /** It cannot be asked. */
  IMPOSSIBLE;

  @Override
  public ImmutableSet<TouchStage> next() {
    return switch (this) {
      case UNASKED, TOUCHED, IMPOSSIBLE -> immutableEnumSet(WANTED);
      case WANTED -> immutableEnumSet(WANTED, ASKED, IMPOSSIBLE);
      case ASKED -> immutableEnumSet(WANTED, TOUCHED);
    };
  }
}
