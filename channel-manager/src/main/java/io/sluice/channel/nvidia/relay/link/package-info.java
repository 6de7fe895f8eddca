/**
 * The ways by which programs reach the relay, and the memory that both have: a socket with memory
 * files for processes, a session of the guest's driver for programs in machines.
 */
@NullMarked
package io.sluice.channel.nvidia.relay.link;

import org.jspecify.annotations.NullMarked;
