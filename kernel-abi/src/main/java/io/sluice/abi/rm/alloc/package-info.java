/** The parameters with which objects of RM's classes are made. */
@NullMarked
package io.sluice.abi.rm.alloc;

import org.jspecify.annotations.NullMarked;
