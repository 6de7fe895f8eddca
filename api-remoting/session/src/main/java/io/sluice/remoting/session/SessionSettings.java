package io.sluice.remoting.session;

import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.turns.DeviceTurns;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * The settings that all sessions of a session host have in common.
 *
 * @param apis those that are served, by number
 * @param mostSharedBytes of memory that one application may register
 * @param account of the guest whose sessions they are
 * @param turns of that guest at devices
 * @param threads of sessions, one each
 * @param workers for what takes long, such as building a program
 * @param nanoTime a clock that does not go back
 */
public record SessionSettings(
    Kernel kernel,
    Map<Integer, RemotedApi> apis,
    long mostSharedBytes,
    MemoryAccount account,
    DeviceTurns turns,
    ThreadFactory threads,
    Executor workers,
    LongSupplier nanoTime) {
  /** Copies the map. */
  public SessionSettings {
    apis = Map.copyOf(apis);
  }
}
