/** The terminal of sluicectl: its keyboard, its signals. */
@NullMarked
package io.sluice.sluicectl.terminal;

import org.jspecify.annotations.NullMarked;
