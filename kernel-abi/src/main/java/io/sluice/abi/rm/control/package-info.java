/** The parameters of RM's control commands. */
@NullMarked
package io.sluice.abi.rm.control;

import org.jspecify.annotations.NullMarked;
