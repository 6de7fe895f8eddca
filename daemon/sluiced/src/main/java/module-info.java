/** The daemon: composition root, configuration, JMX. */
module io.sluice.daemon {
  requires static org.jspecify;
  requires transitive io.sluice.management;
  requires io.sluice.abi;
  requires io.sluice.gpu;
  requires io.sluice.quota;
  requires io.sluice.channel;
  requires io.sluice.interrupt;
  requires io.sluice.vdevice;
  requires org.slf4j;
}
