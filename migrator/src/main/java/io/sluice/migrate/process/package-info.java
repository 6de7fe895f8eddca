/** Processes that use a guest: they stay where they are, and their daemon changes. */
@NullMarked
package io.sluice.migrate.process;

import org.jspecify.annotations.NullMarked;
