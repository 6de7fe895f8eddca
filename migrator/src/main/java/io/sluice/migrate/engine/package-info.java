/** The migration engine: the source's side and the destination's. */
@NullMarked
package io.sluice.migrate.engine;

import org.jspecify.annotations.NullMarked;
