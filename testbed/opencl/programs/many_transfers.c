/* More large transfers at once than a session has places for answers; each thread has a queue with one other. */
#include "check.h"
#include <pthread.h>

#define THREADS 40
#define ROUNDS 4
#define BYTES (3u << 20)

struct mover {
	const struct setup *s;
	cl_command_queue queue;
	unsigned int seed;
	int right;
};

static void *move(void *given)
{
	struct mover *m = given;
	cl_mem memory = NEED(clCreateBuffer(m->s->context, 0, BYTES, NULL, &error));
	unsigned char *bytes = malloc(BYTES), *back = malloc(BYTES);

	for (unsigned int i = 0; i < ROUNDS; i++) {
		fill_bytes(bytes, BYTES, m->seed + i);
		MUST(clEnqueueWriteBuffer(m->queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
		MUST(clEnqueueReadBuffer(m->queue, memory, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
		m->right += memcmp(bytes, back, BYTES) == 0;
	}
	free(bytes);
	free(back);
	MUST(clReleaseMemObject(memory));
	return NULL;
}

int main(void)
{
	struct setup s = set_up();
	struct mover movers[THREADS];
	pthread_t threads[THREADS];
	int right = 0;

	for (int i = 0; i < THREADS; i++) {
		movers[i] = (struct mover){ .s = &s, .seed = 100u * i };
		movers[i].queue = i % 2 ? movers[i - 1].queue :
					  NEED(clCreateCommandQueue(s.context, s.device, 0, &error));
		pthread_create(&threads[i], NULL, move, &movers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		right += movers[i].right;
	}
	for (int i = 0; i < THREADS; i += 2)
		MUST(clReleaseCommandQueue(movers[i].queue));
	say_number("transfers that were right", right);
	tear_down(&s);
	return 0;
}
