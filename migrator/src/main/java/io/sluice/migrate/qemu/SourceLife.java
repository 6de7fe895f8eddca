package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;

/** The states of a {@link QemuSource}, each with what it must know. */
sealed interface SourceLife extends StateMachine.State<SourceStage> {
  /** {@link SourceStage#OPEN}. */
  record Open() implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.OPEN;
    }
  }

  /** {@link SourceStage#COPYING}. */
  record Copying() implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.COPYING;
    }
  }

  /**
   * {@link SourceStage#GIVEN_UP}.
   *
   * @param why in QEMU's words
   */
  record GivenUp(String why) implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.GIVEN_UP;
    }
  }

  /**
   * {@link SourceStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.FAILED;
    }
  }

  /**
   * {@link SourceStage#UNDOING}.
   *
   * @param thread that does it
   */
  record Undoing(Thread thread) implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.UNDOING;
    }
  }

  /**
   * {@link SourceStage#SETTLED}.
   *
   * @param thread that has it go on
   */
  record Settled(Thread thread) implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.SETTLED;
    }
  }

  /** {@link SourceStage#WENT_ON}. */
  record WentOn() implements SourceLife {
    @Override
    public SourceStage stage() {
      return SourceStage.WENT_ON;
    }
  }
}
