/** The backend that drives a current NVIDIA GPU through its resource manager (RM). */
@NullMarked
package io.sluice.channel.nvidia;

import org.jspecify.annotations.NullMarked;
