/** Checkpoints: a migration whose other end is a file. */
@NullMarked
package io.sluice.migrate.checkpoint;

import org.jspecify.annotations.NullMarked;
