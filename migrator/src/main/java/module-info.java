/** Migration and checkpoint. */
module io.sluice.migrate {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.channel;
  requires transitive com.google.common;

  exports io.sluice.migrate.link;
  exports io.sluice.migrate.machine;
}
