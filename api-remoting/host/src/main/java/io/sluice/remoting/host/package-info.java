/**
 * The session host: one process a guest, started by the daemon, confined by itself before it takes
 * a byte of the guest's. {@link io.sluice.remoting.host.SessionHost} confines and becomes {@link
 * io.sluice.remoting.host.ConfinedHost}, which serves.
 */
@NullMarked
package io.sluice.remoting.host;

import org.jspecify.annotations.NullMarked;
