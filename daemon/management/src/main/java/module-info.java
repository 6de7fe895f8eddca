/**
 * The daemon as an operator sees it through JMX, and the UNIX socket it travels by. Both ends,
 * {@code sluiced} and {@code sluicectl}, share this module.
 */
module io.sluice.management {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive java.management;
  requires java.management.rmi;
  requires java.rmi;
  requires jdk.net;

  exports io.sluice.management;
  exports io.sluice.management.local;
}
