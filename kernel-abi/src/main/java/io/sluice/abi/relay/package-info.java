/** The messages between a CUDA program's library and the relay; docs/relay-protocol.md. */
@NullMarked
package io.sluice.abi.relay;

import org.jspecify.annotations.NullMarked;
