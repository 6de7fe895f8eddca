/** GPU event to channel to guest to eventfd. */
module io.sluice.interrupt {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires io.sluice.abi;
  requires io.sluice.channel;
  requires org.slf4j;

  exports io.sluice.interrupt;
}
