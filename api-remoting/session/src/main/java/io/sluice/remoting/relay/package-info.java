/**
 * Sessions that live on another host than their application: the end that is near to it, and the
 * one that is far.
 */
@NullMarked
package io.sluice.remoting.relay;

import org.jspecify.annotations.NullMarked;
