/** The daemon: composition root, configuration, JMX. */
module io.sluice.daemon {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.management;
  requires transitive io.sluice.abi;
  requires io.sluice.gpu;
  requires io.sluice.quota;
  requires io.sluice.channel;
  requires io.sluice.interrupt;
  requires io.sluice.vdevice;
  requires io.sluice.migrate;
  requires io.sluice.remoting.control;
  requires transitive com.google.common;
  requires org.slf4j;
  requires ch.qos.logback.classic;
  requires ch.qos.logback.core;
  requires info.picocli;
  requires org.tomlj;

  exports io.sluice.daemon;
  exports io.sluice.daemon.config;
  exports io.sluice.daemon.relay to
      io.sluice.testbed.machine;

  opens io.sluice.daemon to
      info.picocli;
}
