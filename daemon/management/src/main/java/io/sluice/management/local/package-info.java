/**
 * JMX over a UNIX socket, without a listener on any network.
 *
 * <p>The remote protocol is RMI, as the JMX specification asks for; only its sockets are ours. A
 * connection begins with a greeting of the server:
 *
 * <pre>
 *  0       8 bytes  "SLUICEJ1"
 *  8       u8       status: 0 welcome, 1 not permitted
 *  9       u24      length of what follows, big-endian, at most 65536
 *  12      bytes    welcome: the serialized RMIServer stub; not permitted: who you are, UTF-8
 * </pre>
 *
 * <p>From there on it is a JRMP stream, or the client closes because the stub was all it wanted.
 * The greeting replaces the RMI registry, and tells a refused client why. The server speaks first,
 * so that a client which says nothing cannot hold up the accept loop.
 */
@NullMarked
package io.sluice.management.local;

import org.jspecify.annotations.NullMarked;
