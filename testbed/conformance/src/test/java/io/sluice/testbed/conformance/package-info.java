/** What a real GPU must do behind the {@link io.sluice.channel.Gpu} SPI. */
@NullMarked
package io.sluice.testbed.conformance;

import org.jspecify.annotations.NullMarked;
