/** The control link between the daemon and a session host; both ends share this module. */
module io.sluice.remoting.control {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires tools.jackson.core;

  exports io.sluice.remoting.control;
}
