/** Tests of every backend of the {@link io.sluice.channel.Gpu} SPI, whatever its GPU is. */
@NullMarked
package io.sluice.testbed.conformance.spi;

import org.jspecify.annotations.NullMarked;
