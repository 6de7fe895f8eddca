/** Signals to peers that can make them last. */
@NullMarked
package io.sluice.abi.signal;

import org.jspecify.annotations.NullMarked;
