/* A program that ends without releasing anything, with a map, a gate that is shut, and work that waits behind it. */
#include "check.h"
#include <unistd.h>

int main(void)
{
	struct setup s = set_up();
	cl_mem buffer = buffer_of(&s, 65536, 1), waiting = buffer_of(&s, 65536, 2);
	cl_event gate = NEED(clCreateUserEvent(s.context, &error));
	cl_command_queue queue = NEED(clCreateCommandQueue(s.context, s.device, 0, &error));
	char *at = MAKE("left mapped", clEnqueueMapBuffer(s.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 65536, 0, NULL, NULL, &error));

	memset(at, 1, 65536);
	SAY("left waiting", clEnqueueCopyBuffer(queue, buffer, waiting, 0, 0, 65536, 1, &gate, NULL));
	SAY("queue", clFlush(queue));
	say_text("leaves", "now");
	_exit(3);
}
