/** Migration and checkpoint. */
module io.sluice.migrate {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.channel;
  requires transitive com.google.common;
  requires transitive io.sluice.vdevice;
  requires org.slf4j;
  requires io.netty.common;
  requires io.netty.buffer;
  requires io.netty.transport;
  requires io.netty.codec;
  requires io.netty.handler;
  requires io.netty.tcnative.classes.openssl;
  requires io.netty.internal.tcnative.openssl.linux.x86_64;
  requires com.github.luben.zstd_jni;
  requires tools.jackson.core;

  exports io.sluice.migrate.checkpoint;
  exports io.sluice.migrate.engine;
  exports io.sluice.migrate.link;
  exports io.sluice.migrate.machine;
  exports io.sluice.migrate.memory;
  exports io.sluice.migrate.phase;
  exports io.sluice.migrate.process;
  exports io.sluice.migrate.qemu;
  exports io.sluice.migrate.qmp;
  exports io.sluice.migrate.report;
  exports io.sluice.migrate.session;
  exports io.sluice.migrate.vfio;
  exports io.sluice.migrate.wire;
}
