package io.sluice.daemon;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.check.HostCheck;
import io.sluice.daemon.config.ConfigError;
import io.sluice.daemon.config.ConfigException;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.CreatedGuests;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.QuotaStore;
import io.sluice.daemon.runtime.LogSetup;
import io.sluice.daemon.runtime.Privileges;
import io.sluice.daemon.runtime.ServiceManager;
import io.sluice.daemon.runtime.Version;
import io.sluice.management.HostCheckView;
import io.sluice.management.Problem;
import io.sluice.management.Setting;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The program {@code sluiced}. */
@Command(
    name = "sluiced",
    description = "Gives the channels of a GPU to virtual machines.",
    versionProvider = Sluiced.DaemonVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped when asked to, or the configuration is right",
      "1:could not start",
      "2:wrong arguments",
      "78:the configuration is wrong",
      "143:stopped by SIGTERM"
    })
public final class Sluiced implements Callable<Integer> {
  private static final Path DEFAULT_FILE = Path.of("/etc/sluice/sluice.toml");
  private static final int FAILED = 1;
  private static final int CONFIGURATION = 78; // EX_CONFIG of sysexits(3)

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "Configuration file; conf.d/*.toml beside it are read too."
              + " Default: /etc/sluice/sluice.toml, if it exists.")
  private @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a setting, such as gpu.embedded.vram=512MiB.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--check-config",
      description =
          "Checks the configuration, and what it needs of this host: groups, certificates,"
              + " directories, devices, limits, KVM and QEMU. Exits.")
  private boolean check;

  @Option(
      names = "--print-config",
      description = "Prints every setting with its value and where that comes from, and exits.")
  private boolean print;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Prints this and exits.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Prints the version and exits.")
  private boolean version;

  @Spec private @Nullable CommandSpec spec;

  private Sluiced() {}

  /** Runs the daemon until it is asked to stop. */
  public static void main(String[] arguments) {
    try {
      Privileges.ofThisProcess().reduce();
    } catch (OperationsException e) {
      System.err.print(rendered(e));
      System.exit(FAILED);
    }
    // RMI would otherwise ask for a full collection once an hour, and for the host's name.
    System.setProperty("sun.rmi.dgc.server.gcInterval", Long.toString(Long.MAX_VALUE - 1));
    System.setProperty("java.rmi.server.hostname", "localhost");
    System.exit(commandLine().execute(arguments));
  }

  /** The command line, for tests. */
  static CommandLine commandLine() {
    return new CommandLine(new Sluiced());
  }

  @Override
  public Integer call() throws InterruptedException {
    DaemonConfig config;
    try {
      config = load();
      if (check) {
        loadRemembered(config);
      }
    } catch (ConfigException e) {
      return wrong(e);
    }
    if (print) {
      for (Setting setting : config.settings()) {
        out().printf("%s = \"%s\"  # %s%n", setting.key(), setting.value(), setting.source());
      }
    }
    int found = check ? look(config) : 0;
    out().flush();
    return print || check ? found : serve(config);
  }

  /** What the text says is right: so is what it needs of this host, unless it is said here. */
  private int look(DaemonConfig config) {
    // Or libraries that are asked about certificates would tell all they do.
    LogSetup.install(config.logLevel(), config.logFormat(), System.getenv());
    List<HostCheckView> found = HostCheck.of(config, RealKernel.create().hostLimits()).run();
    boolean right = true;
    for (HostCheckView view : found) {
      if (!view.result().equals(HostCheckView.OK)) {
        boolean failure = view.result().equals(HostCheckView.FAILURE);
        right &= !failure;
        err().println((failure ? "error: " : "warning: ") + view.subject() + ": " + view.found());
        err().println("  fix:   " + view.remedy());
      }
    }
    err().flush();
    if (right) {
      out()
          .println(
              "configuration is right: " + (config.file() == null ? "defaults" : config.file()));
    }
    return right ? 0 : CONFIGURATION;
  }

  private DaemonConfig load() throws ConfigException {
    ConfigLoader loader = new ConfigLoader(System.getenv(), settings);
    Path chosen = file;
    return chosen == null ? loader.loadIfThere(DEFAULT_FILE) : loader.load(chosen);
  }

  /** What was made or changed at run time must go together with the configuration, too. */
  private static void loadRemembered(DaemonConfig config) throws ConfigException {
    ImmutableList<GuestSettings> _ = new CreatedGuests(config.stateDir()).load(config);
    new QuotaStore(config.stateDir()).load();
  }

  private int serve(DaemonConfig config) throws InterruptedException {
    LogSetup.install(config.logLevel(), config.logFormat(), System.getenv());
    Kernel kernel = RealKernel.create();
    ServiceManager manager = new ServiceManager(kernel, System.getenv());
    SluicedInstance instance;
    try {
      instance =
          SluicedInstance.start(
              config, this::load, kernel, ManagementFactory.getPlatformMBeanServer());
    } catch (ConfigException e) {
      return wrong(e);
    } catch (OperationsException e) {
      err().print(rendered(e));
      err().flush();
      return FAILED;
    }
    Thread hook = Thread.ofPlatform().name("sluice-stop").unstarted(() -> stop(instance, manager));
    Runtime.getRuntime().addShutdownHook(hook);
    manager.ready("serving at " + config.controlSocket());
    awaitStop(instance, manager);
    stop(instance, manager);
    return 0;
  }

  /** The watchdog hears nothing from a daemon whose GPU stands still, and ends it. */
  private static void awaitStop(SluicedInstance instance, ServiceManager manager)
      throws InterruptedException {
    Optional<Duration> interval = manager.watchdog();
    if (interval.isEmpty()) {
      instance.awaitStop();
      return;
    }
    while (!instance.awaitStop(interval.get())) {
      if (instance.lookForProgress()) {
        manager.alive();
      }
    }
  }

  private static void stop(SluicedInstance instance, ServiceManager manager) {
    manager.stopping();
    instance.close();
  }

  private static String rendered(OperationsException e) {
    return Problem.parse(e.getMessage())
        .map(Problem::render)
        .orElseGet(() -> "error: " + e.getMessage() + "\n");
  }

  private int wrong(ConfigException e) {
    for (ConfigError error : e.errors()) {
      err().println("error: " + error);
    }
    err().flush();
    return CONFIGURATION;
  }

  private PrintWriter out() {
    return line().getOut();
  }

  private PrintWriter err() {
    return line().getErr();
  }

  private CommandLine line() {
    CommandSpec filled = spec;
    if (filled == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return filled.commandLine();
  }

  /** The text of {@code --version}. */
  static final class DaemonVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"sluiced " + Version.get()};
    }
  }
}
