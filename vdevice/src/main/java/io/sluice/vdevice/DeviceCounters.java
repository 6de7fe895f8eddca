package io.sluice.vdevice;

import com.google.common.collect.ImmutableMap;
import io.sluice.vdevice.protocol.Command;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counts of a device since its server started, over all its connections.
 *
 * @param connections clients that were accepted
 * @param connectionsRefused clients that came while another was attached
 * @param messages messages received
 * @param messagesRefused messages answered with an error, or dropped
 * @param messagesByCommand messages received, by the protocol's name of the command
 * @param calls hypercalls executed
 * @param callsRefused hypercalls that ended with an error
 * @param interrupts interrupts that reached an eventfd
 * @param eventsLost events dropped because the guest's queue was full
 * @param dmaMaps DMA maps now
 */
public record DeviceCounters(
    long connections,
    long connectionsRefused,
    long messages,
    long messagesRefused,
    ImmutableMap<String, Long> messagesByCommand,
    long calls,
    long callsRefused,
    long interrupts,
    long eventsLost,
    int dmaMaps) {

  /** The numbers as they run. Each is written by one thread at a time and read by any. */
  static final class Live {
    private static final int CONNECTIONS = 0;
    private static final int CONNECTIONS_REFUSED = 1;
    private static final int MESSAGES = 2;
    private static final int MESSAGES_REFUSED = 3;
    private static final int CALLS = 4;
    private static final int CALLS_REFUSED = 5;
    private static final int INTERRUPTS = 6;
    private static final int EVENTS_LOST = 7;
    private static final int FIRST_COMMAND = 8;

    private final AtomicLongArray numbers =
        new AtomicLongArray(FIRST_COMMAND + Command.values().length);

    private void count(int index) {
      add(index, 1);
    }

    private void add(int index, long more) {
      numbers.setOpaque(index, numbers.getPlain(index) + more);
    }

    void connection() {
      count(CONNECTIONS);
    }

    void connectionRefused() {
      count(CONNECTIONS_REFUSED);
    }

    void message() {
      count(MESSAGES);
    }

    void refused() {
      count(MESSAGES_REFUSED);
    }

    void command(Command command) {
      count(FIRST_COMMAND + command.ordinal());
    }

    void call(boolean refused) {
      count(CALLS);
      if (refused) {
        count(CALLS_REFUSED);
      }
    }

    /** A connection ended; what its own parts counted is added to what all counted. */
    void ended(long interrupts, long eventsLost) {
      add(INTERRUPTS, interrupts);
      add(EVENTS_LOST, eventsLost);
    }

    /**
     * @param interrupts of the connection's vectors
     * @param eventsLost of the connection's event queue
     * @param dmaMaps of the connection
     */
    DeviceCounters snapshot(long interrupts, long eventsLost, int dmaMaps) {
      ImmutableMap.Builder<String, Long> byCommand = ImmutableMap.builder();
      for (Command command : Command.values()) {
        long count = numbers.getOpaque(FIRST_COMMAND + command.ordinal());
        if (count != 0) {
          byCommand.put(command.name(), count);
        }
      }
      return new DeviceCounters(
          numbers.getOpaque(CONNECTIONS),
          numbers.getOpaque(CONNECTIONS_REFUSED),
          numbers.getOpaque(MESSAGES),
          numbers.getOpaque(MESSAGES_REFUSED),
          byCommand.buildOrThrow(),
          numbers.getOpaque(CALLS),
          numbers.getOpaque(CALLS_REFUSED),
          numbers.getOpaque(INTERRUPTS) + interrupts,
          numbers.getOpaque(EVENTS_LOST) + eventsLost,
          dmaMaps);
    }
  }
}
