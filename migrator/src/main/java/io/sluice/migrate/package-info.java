/** Migration and checkpoint of guests; nothing is implemented yet. */
@NullMarked
package io.sluice.migrate;

import org.jspecify.annotations.NullMarked;
