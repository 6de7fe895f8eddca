/** The GPU as the rest of Sluice sees it: the SPI that the backends implement. */
@NullMarked
package io.sluice.channel;

import org.jspecify.annotations.NullMarked;
