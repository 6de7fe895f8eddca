/** Policy among guests: quotas of video memory, the watchdog. */
@NullMarked
package io.sluice.channel.policy;

import org.jspecify.annotations.NullMarked;
