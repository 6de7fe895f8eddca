/** The Gpu SPI, channel life cycle and state records. */
@NullMarked
package io.sluice.channel;

import org.jspecify.annotations.NullMarked;
