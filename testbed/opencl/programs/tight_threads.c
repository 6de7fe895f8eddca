/*
 * Threads with more bytes on their way than a session can be given memory for: who finds none waits for the others. And
 * who waits so for a map keeps nobody from ending another of the same buffer.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_OF_A_FILE (33u << 20) /* what is shared with a session is in files */
#define THREADS 12
#define ROUNDS 3
#define ROW 8192u
#define ROWS 1024u
#define HALF (20u << 20)
#define BEGUN_US 100000 /* until the other thread waits; right without it, too */

struct reader {
	const struct setup *s;
	cl_mem memory;
	uint64_t sum;
	int right;
};

/* All but the last byte of each row, which cannot pass in pieces. */
static void *read_rows(void *given)
{
	static const size_t origin[3], region[3] = { ROW - 1, ROWS, 1 };
	struct reader *r = given;
	unsigned char *bytes = calloc(ROWS, ROW);

	for (int i = 0; i < ROUNDS; i++) {
		MUST(clEnqueueReadBufferRect(r->s->queue, r->memory, CL_TRUE, origin, origin, region, ROW, 0, ROW, 0,
					     bytes, 0, NULL, NULL));
		r->right += checksum(bytes, ROW - 1) == r->sum;
		MUST(clEnqueueWriteBuffer(r->s->queue, r->memory, CL_FALSE, 0, ROW - 1, bytes, 0, NULL, NULL));
		MUST(clFinish(r->s->queue));
	}
	free(bytes);
	return NULL;
}

static void transfers(const struct setup *s)
{
	cl_mem memory = buffer_of(s, ROW * ROWS, 1);
	struct reader readers[THREADS];
	pthread_t threads[THREADS];
	unsigned char row[ROW];
	int right = 0;

	MUST(clEnqueueReadBuffer(s->queue, memory, CL_TRUE, 0, ROW, row, 0, NULL, NULL));
	for (int i = 0; i < THREADS; i++) {
		readers[i] = (struct reader){ .s = s, .memory = memory, .sum = checksum(row, ROW - 1) };
		pthread_create(&threads[i], NULL, read_rows, &readers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		right += readers[i].right;
	}
	say_number("reads that were right", right);
	MUST(clReleaseMemObject(memory));
}

static void *map_half(void *given)
{
	struct reader *r = given;
	void *at = NEED(clEnqueueMapBuffer(r->s->queue, r->memory, CL_TRUE, CL_MAP_READ, HALF, HALF, 0, NULL, NULL,
					   &error));

	MUST(clEnqueueUnmapMemObject(r->s->queue, r->memory, at, 0, NULL, NULL));
	r->right++;
	return NULL;
}

/* Both halves of a buffer, of which one has room, while a command waits that has some, too. */
static void maps(const struct setup *s)
{
	cl_mem memory = NEED(clCreateBuffer(s->context, 0, 2 * HALF, NULL, &error));
	struct reader r = { .s = s, .memory = memory };
	cl_command_queue other = NEED(clCreateCommandQueue(s->context, s->device, 0, &error));
	cl_event gate = NEED(clCreateUserEvent(s->context, &error));
	cl_uint word = 1;
	pthread_t thread;
	void *at;

	MUST(clEnqueueWriteBuffer(other, memory, CL_FALSE, 0, sizeof(word), &word, 1, &gate, NULL));
	at = NEED(clEnqueueMapBuffer(s->queue, memory, CL_TRUE, CL_MAP_READ, 0, HALF, 0, NULL, NULL, &error));
	pthread_create(&thread, NULL, map_half, &r);
	usleep(BEGUN_US);
	MUST(clEnqueueUnmapMemObject(s->queue, memory, at, 0, NULL, NULL));
	pthread_join(thread, NULL);
	say_number("maps of the other half", r.right);
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clFinish(other));
	MUST(clReleaseEvent(gate));
	MUST(clReleaseCommandQueue(other));
	MUST(clReleaseMemObject(memory));
}

int main(void)
{
	const struct rlimit most = { MOST_OF_A_FILE, MOST_OF_A_FILE };
	struct setup s;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
	s = set_up();
	transfers(&s);
	maps(&s);
	tear_down(&s);
	return 0;
}
