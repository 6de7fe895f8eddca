/** Moving GPU memory while it changes: what was written, and the frames that carry it. */
@NullMarked
package io.sluice.migrate.memory;

import org.jspecify.annotations.NullMarked;
