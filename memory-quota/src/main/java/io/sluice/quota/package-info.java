/** Policy of memory shares between guests; no policy beyond the accounting records exists yet. */
@NullMarked
package io.sluice.quota;

import org.jspecify.annotations.NullMarked;
