/**
 * The control link: JSON objects, one a line, in both directions between the daemon and a session
 * host, and the descriptors that go with them.
 */
@NullMarked
package io.sluice.remoting.control;

import org.jspecify.annotations.NullMarked;
