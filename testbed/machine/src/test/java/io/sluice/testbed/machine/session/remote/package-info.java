/** OpenCL sessions that live at another daemon than their applications. */
@NullMarked
package io.sluice.testbed.machine.session.remote;

import org.jspecify.annotations.NullMarked;
