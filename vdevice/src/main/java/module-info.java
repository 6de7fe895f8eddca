/** The virtual PCI device, served over vfio-user. */
module io.sluice.vdevice {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.channel;
  requires io.sluice.interrupt;
  requires org.slf4j;
  requires transitive com.google.common;
  requires tools.jackson.core;

  exports io.sluice.vdevice;
  exports io.sluice.vdevice.dma;
  exports io.sluice.vdevice.session;
  exports io.sluice.vdevice.state;
}
