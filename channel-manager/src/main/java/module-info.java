/** The Gpu SPI, its backends, and the life cycle of channels. */
module io.sluice.channel {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires transitive io.sluice.quota;
  requires org.slf4j;
  requires transitive com.google.common;

  exports io.sluice.channel;
  exports io.sluice.channel.guest;
  exports io.sluice.channel.nvidia;
  exports io.sluice.channel.nvidia.relay;
  exports io.sluice.channel.nvidia.relay.card;
  exports io.sluice.channel.nvidia.relay.link;
  exports io.sluice.channel.nvidia.submit;
  exports io.sluice.channel.nvidia.time to
      io.sluice.testbed.machine;
  exports io.sluice.channel.policy;
  exports io.sluice.channel.pscnv;
  exports io.sluice.channel.record;
  exports io.sluice.channel.state;
}
