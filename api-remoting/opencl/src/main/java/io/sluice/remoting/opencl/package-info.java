/**
 * OpenCL sessions: calls of api-remoting/spec/opencl.calls, executed by the OpenCL library of this
 * host. What the application may see at once it was told by its own side; what fails here later
 * becomes the status of an event or of the queue's next finish.
 */
@NullMarked
package io.sluice.remoting.opencl;

import org.jspecify.annotations.NullMarked;
