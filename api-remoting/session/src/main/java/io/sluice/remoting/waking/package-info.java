/** The sleep of a session's thread: who wakes it, and how long it sleeps when nobody may. */
@NullMarked
package io.sluice.remoting.waking;

import org.jspecify.annotations.NullMarked;
