/* Transfers with times of more bytes than a session can be given memory for: they have less exact times, and all their bytes. */
#include "check.h"
#include <signal.h>
#include <sys/resource.h>

#define BYTES (34u << 20)
#define MOST_OF_A_FILE (33u << 20) /* what is shared with a session is in files */

int main(void)
{
	const struct rlimit most = { MOST_OF_A_FILE, MOST_OF_A_FILE };
	struct setup s;
	cl_event event;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
	s = set_up_with(CL_QUEUE_PROFILING_ENABLE);

	cl_mem mem = NEED(clCreateBuffer(s.context, 0, BYTES, NULL, &error));
	unsigned char *bytes = malloc(BYTES);

	fill_bytes(bytes, BYTES, 1);
	MUST(clEnqueueWriteBuffer(s.queue, mem, CL_TRUE, 0, BYTES, bytes, 0, NULL, &event));
	say_event("written", event);
	MUST(clReleaseEvent(event));
	memset(bytes, 0, BYTES);
	MUST(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, BYTES, bytes, 0, NULL, &event));
	say_event("read", event);
	MUST(clReleaseEvent(event));
	say_checksum("all of it", bytes, BYTES);
	MUST(clReleaseMemObject(mem));
	free(bytes);
	tear_down(&s);
	return 0;
}
