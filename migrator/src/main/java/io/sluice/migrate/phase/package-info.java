/** The phases of a migration, as data. */
@NullMarked
package io.sluice.migrate.phase;

import org.jspecify.annotations.NullMarked;
