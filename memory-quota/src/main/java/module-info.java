/** Pure policy of memory shares. */
module io.sluice.quota {
  requires static org.jspecify;

  exports io.sluice.quota;
}
