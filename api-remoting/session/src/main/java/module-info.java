/** Sessions of remoted APIs: what an application has made through an API, and its ring. */
module io.sluice.remoting.session {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires org.slf4j;
  requires transitive io.sluice.abi;

  exports io.sluice.remoting.park;
  exports io.sluice.remoting.relay;
  exports io.sluice.remoting.session;
  exports io.sluice.remoting.state;
  exports io.sluice.remoting.turns;
}
