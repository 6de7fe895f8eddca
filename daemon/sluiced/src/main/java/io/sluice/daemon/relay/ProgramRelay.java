package io.sluice.daemon.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.channel.nvidia.relay.Relay;
import java.util.List;

/** A guest's relay, as its door uses it. */
public interface ProgramRelay extends AutoCloseable {
  /** Serves a program until it leaves or is sent away; closes its connection. */
  void serve(Fd connection);

  /** The programs there are. */
  List<ProgramStatus> programs();

  /** Ends a program; false when there is none of that number. */
  boolean end(long number);

  /** Sends all programs away and takes no more. */
  @Override
  void close();

  /** That of a GPU. */
  static ProgramRelay of(Relay relay) {
    return new ProgramRelay() {
      @Override
      public void serve(Fd connection) {
        relay.serve(connection);
      }

      @Override
      public List<ProgramStatus> programs() {
        return relay.programs();
      }

      @Override
      public boolean end(long number) {
        return relay.end(number);
      }

      @Override
      public void close() {
        relay.close();
      }
    };
  }
}
