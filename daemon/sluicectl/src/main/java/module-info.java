/** The operator's command line. */
module io.sluice.sluicectl {
  requires static org.jspecify;
  requires io.sluice.management;
  requires jdk.unsupported; // signals
  requires info.picocli;
  requires tools.jackson.core;

  exports io.sluice.sluicectl;

  opens io.sluice.sluicectl to
      info.picocli;
}
