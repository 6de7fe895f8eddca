/** Migration and checkpoint. */
module io.sluice.migrate {
  requires static org.jspecify;
}
