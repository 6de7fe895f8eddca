/**
 * The driver's resource manager: its client, what it makes, and what of the card every open shares.
 */
@NullMarked
package io.sluice.channel.nvidia.rm;

import org.jspecify.annotations.NullMarked;
