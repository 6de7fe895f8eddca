/* Threads share a queue in order: a large read finds the bytes of one command, however many write meanwhile. */
#include "check.h"

#include <pthread.h>

#define BYTES (4u << 20)
#define READS 40

struct writer {
	const struct setup *s;
	cl_mem memory;
	int number;
};

static bool ends; /* atomic */

static bool is_whole(const unsigned char *bytes)
{
	return memcmp(bytes, bytes + 1, BYTES - 1) == 0;
}

/* Fills, writes that are waited for and writes that are not, by the writer's number. */
static void *write_on(void *given)
{
	struct writer *w = given;
	unsigned char *bytes = malloc(BYTES), value;
	int i;

	for (i = w->number; !__atomic_load_n(&ends, __ATOMIC_SEQ_CST); i++) {
		value = (unsigned char)i;
		memset(bytes, value, BYTES);
		if (w->number == 0)
			MUST(clEnqueueFillBuffer(w->s->queue, w->memory, &value, 1, 0, BYTES, 0, NULL, NULL));
		else
			MUST(clEnqueueWriteBuffer(w->s->queue, w->memory, w->number % 2, 0, BYTES, bytes, 0, NULL,
						  NULL));
		if (i % 3 == 0 || w->number == 2)
			MUST(clFinish(w->s->queue));
	}
	free(bytes);
	return NULL;
}

int main(void)
{
	struct setup s = set_up();
	cl_mem memory = NEED(clCreateBuffer(s.context, 0, BYTES, NULL, &error));
	static unsigned char bytes[BYTES];
	struct writer writers[3];
	pthread_t threads[COUNT(writers)];
	int whole = 0;

	MUST(clEnqueueWriteBuffer(s.queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
	for (int i = 0; i < (int)COUNT(writers); i++) {
		writers[i] = (struct writer){ .s = &s, .memory = memory, .number = i };
		pthread_create(&threads[i], NULL, write_on, &writers[i]);
	}
	for (int i = 0; i < READS; i++) {
		MUST(clEnqueueReadBuffer(s.queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
		whole += is_whole(bytes);
	}
	__atomic_store_n(&ends, true, __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	say_number("reads of one command's bytes", whole);
	MUST(clReleaseMemObject(memory));
	tear_down(&s);
	return 0;
}
