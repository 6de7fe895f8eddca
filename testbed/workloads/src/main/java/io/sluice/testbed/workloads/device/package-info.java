/** Workloads on a GPU behind a channel: by pushbuffers, as a guest would. */
@NullMarked
package io.sluice.testbed.workloads.device;

import org.jspecify.annotations.NullMarked;
