/** The session host: the process in which a guest's API sessions live. */
module io.sluice.remoting.host {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.remoting.control;
  requires io.sluice.remoting.opencl;
  requires io.sluice.remoting.session;

  exports io.sluice.remoting.host;
}
