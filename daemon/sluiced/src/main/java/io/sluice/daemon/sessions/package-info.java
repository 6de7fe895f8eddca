/**
 * The session hosts of guests: processes that the daemon starts, watches, asks and ends, and in
 * which sessions of APIs live.
 */
@NullMarked
package io.sluice.daemon.sessions;

import org.jspecify.annotations.NullMarked;
