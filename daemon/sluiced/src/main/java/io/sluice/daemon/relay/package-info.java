/** CUDA programs of guests: the doors at which they come in, and what an operator sees of them. */
@NullMarked
package io.sluice.daemon.relay;

import org.jspecify.annotations.NullMarked;
