package io.sluice.management;

import java.util.Map;
import javax.management.OperationsException;

/** One guest. */
public interface GuestMXBean {
  /** Its name. */
  String getName();

  /** Identity that survives a restart of the daemon. */
  String getUuid();

  /** {@code waiting} for a client, or {@code running}. */
  String getState();

  /** Name of its GPU. */
  String getGpu();

  /** Where a machine or process attaches. */
  String getSocketPath();

  /** Where the monitor of its machine is looked for, if it is a machine. */
  String getQmpPath();

  /** Process id of the attached client; 0 when there is none. */
  int getClientPid();

  /** User id of the attached client; -1 when there is none. */
  int getClientUid();

  /** Program name of the attached client; empty when there is none. */
  String getClientName();

  /** Video memory it holds, bytes. */
  long getMemoryUsedBytes();

  /** Video memory it may hold, bytes. */
  long getMemoryLimitBytes();

  /** Most channels it may have. */
  int getMaxChannels();

  /** Its channels by id. */
  Map<Integer, ChannelStatus> getChannels();

  /**
   * Ends a channel: what it was given and has not been executed never is, and the guest is told.
   * Its other channels go on. Refused when it has no such channel, or one that has ended.
   *
   * @param id the guest's id of it
   */
  void killChannel(int id) throws OperationsException;

  /** What passed between it and the daemon, since the daemon started. */
  GuestCounters getCounters();
}
