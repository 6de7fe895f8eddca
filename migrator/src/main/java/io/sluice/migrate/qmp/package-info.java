/**
 * The machine monitor of a guest: QEMU over QMP. What a daemon asks of it: to stop and go on, to
 * migrate, and how its memory is laid out.
 */
@NullMarked
package io.sluice.migrate.qmp;

import org.jspecify.annotations.NullMarked;
