/** The system calls by which a process restricts itself: Landlock, seccomp, capabilities, exec. */
@NullMarked
package io.sluice.abi.sandbox;

import org.jspecify.annotations.NullMarked;
