/**
 * A session is what one application process has made through an API. Its library writes calls into
 * a ring of memory that it shares with the session host; this package is the host's end: link,
 * memory, ring, answers, tables of objects, and the records by which a session can be made again.
 * It knows no API by name.
 *
 * <p>The application is hostile: a message is copied once, then read; every index, size and place
 * is checked against this session alone; what breaks the protocol ends the session.
 */
@NullMarked
package io.sluice.remoting.session;

import org.jspecify.annotations.NullMarked;
