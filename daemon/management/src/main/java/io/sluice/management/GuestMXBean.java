package io.sluice.management;

import java.util.Map;
import javax.management.OperationsException;

/** One guest. */
@Description("One guest.")
public interface GuestMXBean {
  @Description("Its name.")
  String getName();

  @Description("Identity that survives a restart of the daemon.")
  String getUuid();

  @Description(
      "The word waiting (for a client), attached (a machine that boots, or waits to be moved to), running, suspended, or undecided.")
  String getState();

  @Description("Name of its GPU.")
  String getGpu();

  @Description("Where a machine or process attaches.")
  String getSocketPath();

  @Description("Where the monitor of its machine is looked for, if it is a machine.")
  String getQmpPath();

  @Description("Process id of the attached client; 0 when there is none.")
  int getClientPid();

  @Description("User id of the attached client; -1 when there is none.")
  int getClientUid();

  @Description("Program name of the attached client; empty when there is none.")
  String getClientName();

  @Description("Video memory it holds.")
  long getMemoryUsedBytes();

  @Description("Video memory it may hold.")
  long getMemoryLimitBytes();

  @Description("Most channels it may have.")
  int getMaxChannels();

  @Description("Its channels by id.")
  Map<Integer, ChannelStatus> getChannels();

  @Description(
      "Its tables: buffers, extents (pieces of its memory in buffers), handles (of buffers), mappings (of buffers in address spaces), regions (ranges of its memory that the GPU knows), spaces (address spaces). Waits for nothing that the guest has begun.")
  Map<String, TableStatus> getTables();

  @Description(
      "Ends a channel: what it was given and has not been executed never is, and the guest is told. Its other channels go on. Refused when it has no such channel, or one that has ended.")
  void killChannel(@Description("the guest's id of it") int id) throws OperationsException;

  @Description(
      "Throws the client out, and waits until everything it held is given back; the guest and its socket stay. A machine loses its GPU. Refused while the guest moves.")
  void detach() throws OperationsException;

  @Description(
      "Suspends all channels of the guest, and those that it makes meanwhile; what it has stays where it is. Refused while it moves; a suspended guest cannot be moved.")
  void suspend() throws OperationsException;

  @Description("Lets a suspended guest's channels go on.")
  void resume() throws OperationsException;

  @Description("What passed between it and the daemon, since the daemon started.")
  GuestCounters getCounters();
}
