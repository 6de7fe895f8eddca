/** The operator's command line. */
module io.sluice.sluicectl {
  requires static org.jspecify;
  requires io.sluice.management;
  requires info.picocli;
  requires tools.jackson.core;
}
