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
@Description("The daemon: what it is, what it holds, and what can be asked of it as a whole.")
public interface DaemonMXBean {
  @Description("Version of the program, such as 0.1.0.")
  String getVersion();

  @Description("Process id.")
  long getPid();

  @Description("Name of the user it runs as.")
  String getUser();

  @Description("The word running, or stopping.")
  String getState();

  @Description("When it started, since 1970.")
  long getStartTimeMs();

  @Description("How long ago it started.")
  long getUptimeMs();

  @Description("The configuration file it read; empty when it runs on defaults.")
  String getConfigFile();

  @Description("Directory of the guests' sockets.")
  String getRunDir();

  @Description("Least severe level that is logged: error warn info debug trace.")
  String getLogLevel();

  @Description("Changes the level at once, until the next restart.")
  void setLogLevel(@Description("error, warn, info, debug or trace") String level)
      throws OperationsException;

  @Description("The GPUs by name.")
  Map<String, GpuStatus> getGpus();

  @Description("The guests by name.")
  Map<String, GuestStatus> getGuests();

  @Description("What each guest may have of its GPU, and what it has, by the guest's name.")
  Map<String, QuotaStatus> getQuotas();

  @Description("Every setting with its effective value and where that comes from.")
  List<Setting> getConfiguration();

  @Description(
      "Reads the configuration anew, and the certificates. What can change under running guests takes effect at once, the rest with the next start; the answer has every difference. Refused as a whole when the configuration is wrong: nothing has changed then.")
  List<ReloadedSetting> reload() throws OperationsException;

  @Description(
      "Looks at what the daemon needs of its host: groups, directories, certificates, devices, limits, KVM, QEMU, the monitors of its machines. Nothing is changed.")
  List<HostCheckView> checkHost();

  @Description("Creates a guest and its socket. It is remembered over restarts.")
  void createGuest(
      @Description("1 to 63 of a-z A-Z 0-9 . _ -, beginning with a letter or digit") String name,
      @Description("a GPU by name; empty for the only one") String gpu,
      @Description("most video memory it may hold; 0 for all of the GPU's") long vramLimitBytes)
      throws OperationsException;

  @Description(
      "Creates a guest for a machine whose monitor is somewhere else than beside the socket.")
  void createGuest(
      @Description("1 to 63 of a-z A-Z 0-9 . _ -, beginning with a letter or digit") String name,
      @Description("a GPU by name; empty for the only one") String gpu,
      @Description("most video memory it may hold; 0 for all of the GPU's") long vramLimitBytes,
      @Description("where the machine's QMP socket is, absolute; empty for the default")
          String qmpPath)
      throws OperationsException;

  @Description(
      "Creates a guest with a quota of its own, which it has from its first moment. What does not fit is refused with the numbers, and nothing is created then. It is remembered over restarts.")
  void createGuest(
      @Description("1 to 63 of a-z A-Z 0-9 . _ -, beginning with a letter or digit") String name,
      @Description("a GPU by name; empty for the only one") String gpu,
      @Description("where the machine's QMP socket is, absolute; empty for the default")
          String qmpPath,
      @Description("video memory it always gets; null for none") @Nullable Long minimumBytes,
      @Description("its part of what is shared, 1 to 1024; null for 1") @Nullable Integer weight,
      @Description("most video memory it ever gets; null for all of the GPU's")
          @Nullable Long limitBytes,
      @Description("out-of-memory or system-memory; null for the default")
          @Nullable String beyondShare,
      @Description("how long a command may last while another guest waits; null for the default")
          @Nullable Long killTimeoutMs)
      throws OperationsException;

  @Description(
      "Creates a guest with what another one may have: GPU, limits, OpenCL and CUDA as it was made, and its quota as it is now. It is remembered over restarts. Nothing of the other's memory or channels is copied.")
  void cloneGuest(
      @Description("name of the other") String guest,
      @Description("1 to 63 of a-z A-Z 0-9 . _ -, beginning with a letter or digit") String name,
      @Description("where the machine's QMP socket is, absolute; empty for the default")
          String qmpPath)
      throws OperationsException;

  @Description("Destroys a guest that was created at run time, and everything it holds.")
  void destroyGuest(
      @Description("its name") String name,
      @Description("also when a machine or process is attached, which loses its GPU") boolean force)
      throws OperationsException;

  @Description(
      "Changes a guest's quota, at once and over restarts. What does not fit is refused with the numbers, and nothing has changed then. When it returns the guests' memory has moved where the change wants it, unless that takes longer than 2 s: then it goes on.")
  void setQuota(
      @Description("its name") String guest,
      @Description("video memory it always gets; null leaves it as it is")
          @Nullable Long minimumBytes,
      @Description("its part of what is shared, 1 to 1024; null leaves it as it is")
          @Nullable Integer weight,
      @Description(
              "most video memory it ever gets, all of the GPU's for no limit; null leaves it as it is")
          @Nullable Long limitBytes,
      @Description("out-of-memory or system-memory; null leaves it as it is")
          @Nullable String beyondShare,
      @Description("how long a command may last while another guest waits; null leaves it as it is")
          @Nullable Long killTimeoutMs)
      throws OperationsException;

  @Description("The same, with the changes as one text.")
  default void setQuota(
      @Description("its name") String guest,
      @Description(
              "what is to be changed, by the options of sluicectl quota set, such as vram-min=64MiB,weight=3,vram-limit=none")
          String changes)
      throws OperationsException {
    GuestStatus status = getGuests().get(guest);
    GpuStatus gpu = status == null ? null : getGpus().get(status.gpu());
    OptionsText.changeQuota(this, guest, changes, gpu == null ? 0 : gpu.vramBytes());
  }

  @Description("Gives a guest the quota that the configuration, or its creation, says.")
  void resetQuota(@Description("its name") String guest) throws OperationsException;

  @Description("Begins an orderly stop; returns at once. Whoever uses a GPU loses it.")
  void shutdown();

  @Description("The same, unless a guest's GPU is in use.")
  void shutdown(@Description("also when a GPU is in use") boolean force) throws OperationsException;
}
