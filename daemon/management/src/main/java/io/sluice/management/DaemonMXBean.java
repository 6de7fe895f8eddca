package io.sluice.management;

import java.util.List;
import java.util.Map;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * The daemon: what it is, what it holds, and what can be asked of it as a whole.
 *
 * <p>Counts are totals since the start, never rates. Operations that are refused throw {@link
 * OperationsException} with the text of a {@link Problem}: a class every JMX client has.
 */
public interface DaemonMXBean {
  /** Version of the program, such as {@code 0.1.0}. */
  String getVersion();

  /** Process id. */
  long getPid();

  /** Name of the user it runs as. */
  String getUser();

  /** {@code running} or {@code stopping}. */
  String getState();

  /** When it started, milliseconds since 1970. */
  long getStartTimeMs();

  /** Milliseconds since it started. */
  long getUptimeMs();

  /** The configuration file it read; empty when it runs on defaults. */
  String getConfigFile();

  /** Directory of the guests' sockets. */
  String getRunDir();

  /** Least severe level that is logged: {@code error warn info debug trace}. */
  String getLogLevel();

  /** Changes the level at once, until the next restart. */
  void setLogLevel(String level) throws OperationsException;

  /** The GPUs by name. */
  Map<String, GpuStatus> getGpus();

  /** The guests by name. */
  Map<String, GuestStatus> getGuests();

  /** What each guest may have of its GPU, and what it has, by the guest's name. */
  Map<String, QuotaStatus> getQuotas();

  /** Every setting with its effective value and where that comes from. */
  List<Setting> getConfiguration();

  /**
   * Creates a guest and its socket. It is remembered over restarts.
   *
   * @param name 1 to 63 of {@code a-z A-Z 0-9 . _ -}, beginning with a letter or digit
   * @param gpu a GPU by name; empty for the only one
   * @param vramLimitBytes most video memory it may hold; 0 for all of the GPU's
   */
  void createGuest(String name, String gpu, long vramLimitBytes) throws OperationsException;

  /**
   * The same for a machine whose monitor is somewhere else than beside the guest's socket.
   *
   * @param qmpPath where the machine's QMP socket is, absolute; empty for the default
   */
  void createGuest(String name, String gpu, long vramLimitBytes, String qmpPath)
      throws OperationsException;

  /**
   * Destroys a guest that was created at run time, and everything it holds.
   *
   * @param force also when a machine or process is attached, which loses its GPU
   */
  void destroyGuest(String name, boolean force) throws OperationsException;

  /**
   * Changes a guest's quota, at once and over restarts. What does not fit is refused with the
   * numbers, and nothing has changed then. When it returns the guests' memory has moved where the
   * change wants it, unless that takes longer than 2 s: then it goes on.
   *
   * @param guest its name
   * @param minimumBytes video memory it always gets; null leaves it as it is
   * @param weight its part of what is shared, 1 to 1024; null leaves it as it is
   * @param limitBytes most video memory it ever gets, all of the GPU's for no limit; null leaves it
   *     as it is
   * @param beyondShare {@link QuotaStatus#OUT_OF_MEMORY} or {@link QuotaStatus#SYSTEM_MEMORY}; null
   *     leaves it as it is
   * @param killTimeoutMs how long a command may last while another guest waits; null leaves it as
   *     it is
   */
  void setQuota(
      String guest,
      @Nullable Long minimumBytes,
      @Nullable Integer weight,
      @Nullable Long limitBytes,
      @Nullable String beyondShare,
      @Nullable Long killTimeoutMs)
      throws OperationsException;

  /** Gives a guest the quota that the configuration, or its creation, says. */
  void resetQuota(String guest) throws OperationsException;

  /** Begins an orderly stop; returns at once. */
  void shutdown();
}
