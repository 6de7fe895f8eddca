/** A guest of a GPU: its buffers, address spaces, channels, events, and its move. */
@NullMarked
package io.sluice.channel.guest;

import org.jspecify.annotations.NullMarked;
