/*
 * Another doorbell in the place of one that the program has mapped, when the relay moves the program
 * to another card. A thread of ours waits for it at a socket of its own: the program's may all be
 * waiting for an answer then, with the lock of all state.
 */
#include "library.h"
#include "link.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DOORBELLS 64 /* libcuda maps one for each context and card */
#define STACK_BYTES 65536

static struct doorbell {
	void *address;
	size_t length;
	int protection;
	uint32_t number; /* of the relay's file */
} doorbells[DOORBELLS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the doorbells; taken last */
static atomic_int watched = -1;

struct search {
	const struct doorbell *doorbell;
	bool found;
};

/* Whether the page is a device's still: the program may have unmapped it, and have something else there. */
static void look(void *context, const struct vma *vma)
{
	struct search *s = context;
	uint64_t start = (uint64_t)s->doorbell->address;

	if (vma->start <= start && vma->end >= start + s->doorbell->length && strncmp(vma->name, "/dev/", 5) == 0)
		s->found = true;
}

static bool is_mapped(const struct doorbell *doorbell)
{
	static char text[MAPS_ROOM];
	struct search s = { doorbell, false };

	return maps_walk(text, sizeof(text), look, &s) == 0 && s.found;
}

/* 0, or an errno. */
static uint32_t replace(uint32_t number, int fd, uint64_t offset)
{
	uint32_t error = 0;
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count && !error; i++) {
		const struct doorbell *d = &doorbells[i];

		if (d->number == number && is_mapped(d) &&
		    syscall(SYS_mmap, d->address, d->length, d->protection, MAP_SHARED | MAP_FIXED, fd, offset) < 0)
			error = (uint32_t)errno;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

static void *watch(void *unused)
{
	struct relay_reply message;
	union relay_head answer;
	int link, fd;

	(void)unused;
	while ((link = atomic_load(&watched)) >= 0) {
		fd = -1;
		if (socket_receive(link, &message, sizeof(message), &fd))
			break;
		memset(&answer, 0, sizeof(answer));
		answer.reply.bytes = sizeof(answer);
		answer.reply.value = message.value;
		answer.reply.error = fd < 0 ? EBADF : replace(message.file, fd, message.address);
		if (fd >= 0)
			syscall(SYS_close, fd);
		if (link != atomic_load(&watched) || socket_send(link, &answer.request, -1))
			break;
	}
	return NULL;
}

static bool start(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error = pthread_attr_init(&attributes);

	if (error)
		return false;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	error = pthread_create(&thread, &attributes, watch, NULL); /* signals are held back, and stay so in it */
	pthread_attr_destroy(&attributes);
	return error == 0;
}

static void begin_locked(void)
{
	int received;

	link_begin_locked(RELAY_WATCH, 0);
	if (link_call_locked(0, -1, &received) || received < 0)
		return;
	atomic_store(&watched, link_move_locked(received, FILE_WATCH));
	if (start())
		return;
	received = atomic_exchange(&watched, -1);
	file_set_locked(received, FILE_NOT_OURS, 0, 0);
	syscall(SYS_close, received);
}

/* Those that are not mapped any more make room. */
static void make_room(void)
{
	unsigned i, left = 0;

	for (i = 0; i < count; i++)
		if (is_mapped(&doorbells[i]))
			doorbells[left++] = doorbells[i];
	count = left;
}

void doorbell_mapped_locked(uint32_t number, void *address, size_t length, int protection)
{
	const struct doorbell made = { address, length, protection, number };

	if (!(protection & PROT_WRITE))
		return;
	pthread_mutex_lock(&lock);
	if (count == DOORBELLS)
		make_room();
	if (count < DOORBELLS)
		doorbells[count++] = made;
	pthread_mutex_unlock(&lock);
	if (atomic_load(&watched) < 0)
		begin_locked();
}

void doorbell_lost_locked(void)
{
	atomic_store(&watched, -1);
}

void doorbell_drop_locked(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	int link = atomic_exchange(&watched, -1);

	if (link >= 0)
		syscall(SYS_close, link);
	lock = fresh;
	count = 0;
}
