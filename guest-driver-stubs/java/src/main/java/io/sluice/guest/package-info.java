/** Attaches a process as a guest over vfio-user and submits work to its channels. */
@NullMarked
package io.sluice.guest;

import org.jspecify.annotations.NullMarked;
