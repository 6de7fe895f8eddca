package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;
import io.sluice.vdevice.machine.PciAddress;
import java.util.OptionalLong;

/** The states of a {@link QemuTarget}, each with what it must know. */
sealed interface TargetLife extends StateMachine.State<TargetStage> {
  /** {@link TargetStage#OPEN}. */
  record Open() implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.OPEN;
    }
  }

  /** {@link TargetStage#EXPECTING}. */
  record Expecting() implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.EXPECTING;
    }
  }

  /**
   * {@link TargetStage#RECEIVING}.
   *
   * @param address of the source's function
   * @param configuration where the source's configuration space is, if it says
   */
  record Receiving(PciAddress address, OptionalLong configuration) implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.RECEIVING;
    }
  }

  /** {@link TargetStage#RESTORING}. */
  record Restoring() implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.RESTORING;
    }
  }

  /** {@link TargetStage#RESTORED}. */
  record Restored() implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.RESTORED;
    }
  }

  /** {@link TargetStage#RUNNING}. */
  record Running() implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.RUNNING;
    }
  }

  /**
   * {@link TargetStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.FAILED;
    }
  }

  /**
   * {@link TargetStage#ENDING}.
   *
   * @param thread that ends it
   */
  record Ending(Thread thread) implements TargetLife {
    @Override
    public TargetStage stage() {
      return TargetStage.ENDING;
    }
  }
}
