/**
 * The card that a program is on: the driver's calls about it, what its guest has of it, and the
 * names by which the program knows it.
 */
@NullMarked
package io.sluice.channel.nvidia.relay.card;

import org.jspecify.annotations.NullMarked;
