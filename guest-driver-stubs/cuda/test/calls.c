/*
 * Calls of NVIDIA's driver as a CUDA program makes them, one line each: what came of it. For tests
 * with the library preloaded and a relay whose driver is made up:
 *
 *	calls [SECTION...]	files rm control uvm map event share pinned fork threads limits work; all of them without
 *	calls hold		as work, then waits for the end of its input, and calls once more
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define RM(nr, bytes) (0xc0004600u | (uint32_t)(bytes) << 16 | (nr))
#define UVM_INITIALIZE 0x30000001u
#define CLIENT 0xc1d00001u
#define DEVICE 0x5c000001u
#define PAGE 4096

struct alloc {
	uint32_t root, parent, object, class;
	uint64_t params, rights;
	uint32_t params_size, flags, status, pad;
};

struct control {
	uint32_t client, object, command, flags;
	uint64_t params;
	uint32_t params_size, status;
};

struct memory {
	uint32_t root, parent, object, class;
	uint32_t flags, pad;
	uint64_t address, last;
	uint32_t status, pad2;
	int32_t fd, pad3;
};

_Static_assert(sizeof(struct alloc) == 48, "RM_ALLOC");
_Static_assert(sizeof(struct control) == 32, "RM_CONTROL");
_Static_assert(sizeof(struct memory) == 56, "RM_ALLOC_MEMORY");

static const char *error_of(long result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static int open_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	printf("open %s: %s\n", path, error_of(fd));
	return fd;
}

static long alloc(int fd, uint32_t class, uint32_t object, void *params, struct alloc *a)
{
	*a = (struct alloc){ .root = CLIENT, .parent = CLIENT, .object = object, .class = class,
			     .params = (uintptr_t)params };
	return ioctl(fd, RM(0x2b, sizeof(*a)), a);
}

static void print_stat(const char *what, int result, const struct stat *st)
{
	if (result)
		printf("%s: %s\n", what, error_of(result));
	else
		printf("%s: mode %o device %u:%u\n", what, st->st_mode, major(st->st_rdev), minor(st->st_rdev));
}

static void files(void)
{
	struct stat st;
	int fd = open_node("/dev/nvidiactl");

	print_stat("stat nvidiactl", stat("/dev/nvidiactl", &st), &st);
	print_stat("lstat nvidia0", lstat("/dev/nvidia0", &st), &st);
	print_stat("fstat nvidiactl", fstat(fd, &st), &st);
	print_stat("stat nvidia77", stat("/dev/nvidia77", &st), &st);
	printf("access nvidia-uvm: %s\n", error_of(access("/dev/nvidia-uvm", R_OK | W_OK)));
	printf("access nvidia77: %s\n", error_of(access("/dev/nvidia77", F_OK)));
	printf("close-on-exec: %d\n", fcntl(fd, F_GETFD));
	printf("close: %s\n", error_of(close(fd)));
	printf("close again: %s\n", error_of(close(fd)));
	open_node("/dev/nvidia77");
	fd = open("/dev/null", O_RDONLY);
	printf("open /dev/null: %s\n", error_of(fd));
	close(fd);
}

static void rm(void)
{
	struct {
		uint32_t command, reply;
		char version[64];
	} v = { .command = '2' };
	int fd = open_node("/dev/nvidiactl");
	uint32_t device[14] = { [1] = CLIENT }; /* hClientShare */
	uint32_t client = 0;
	struct alloc a;
	long result;

	result = ioctl(fd, RM(0xd2, sizeof(v)), &v);
	printf("version: %s reply %u %.63s\n", error_of(result), v.reply, v.version);
	result = alloc(fd, 0, 0, &client, &a);
	printf("alloc 0x0: %s status 0x%x object 0x%x own pointer %d\n", error_of(result), a.status, a.object,
	       a.params == (uintptr_t)&client);
	result = alloc(fd, 0x80, DEVICE, device, &a);
	printf("alloc 0x80: %s status 0x%x object 0x%x own pointer %d\n", error_of(result), a.status, a.object,
	       a.params == (uintptr_t)device);
	result = alloc(fd, 0xc661, DEVICE + 1, NULL, &a);
	printf("alloc without parameters: %s status 0x%x\n", error_of(result), a.status);
	printf("not RM's: %s\n", error_of(ioctl(fd, 0x5401, device)));
	close(fd);
}

/* The driver's version strings: three pointers in the parameters. */
static void control(void)
{
	char text[3][64] = { "", "", "" };
	struct {
		uint32_t bytes, pad;
		uint64_t pointer[3];
		uint32_t changelist, official;
	} p = { .bytes = sizeof(text[0]) };
	struct control c = { .client = CLIENT, .object = CLIENT, .command = 0x101, .params = (uintptr_t)&p,
			     .params_size = sizeof(p) };
	int fd = open_node("/dev/nvidiactl"), i, own = 1;
	long result;

	for (i = 0; i < 3; i++)
		p.pointer[i] = (uintptr_t)text[i];
	result = ioctl(fd, RM(0x2a, sizeof(c)), &c);
	for (i = 0; i < 3; i++)
		own &= p.pointer[i] == (uintptr_t)text[i];
	printf("control 0x101: %s status 0x%x own pointers %d\n", error_of(result), c.status,
	       own && c.params == (uintptr_t)&p);
	for (i = 0; i < 3; i++)
		printf("string %d: %.63s\n", i, text[i]);
	c.params = 0;
	c.params_size = 0;
	result = ioctl(fd, RM(0x2a, sizeof(c)), &c);
	printf("control without parameters: %s\n", error_of(result));
	close(fd);
}

static void uvm(void)
{
	struct {
		uint64_t flags;
		uint32_t status, pad;
	} p = { .status = 0xffff };
	int fd = open_node("/dev/nvidia-uvm");
	long result = ioctl(fd, UVM_INITIALIZE, &p);

	printf("uvm initialize: %s status 0x%x\n", error_of(result), p.status);
	printf("uvm unknown: %s\n", error_of(ioctl(fd, 0x7abc, &p)));
	close(fd);
}

static void map(void)
{
	int fd = open_node("/dev/nvidia0");
	volatile uint32_t *word;

	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (word == MAP_FAILED) {
		printf("mmap: %s\n", strerrorname_np(errno));
	} else {
		printf("mmap: ok word 0x%x\n", word[0]);
		word[0] = 0x600d;
		printf("written: 0x%x\n", word[0]);
		printf("munmap: %s\n", error_of(munmap((void *)word, PAGE)));
	}
	close(fd);
}

/* A file that waits for an event becomes the driver's own. */
static void event(void)
{
	struct {
		uint32_t client, device;
		int32_t fd;
		uint32_t status;
	} p = { CLIENT, DEVICE, 0, 0xffff };
	int fd = open_node("/dev/nvidia0");
	struct pollfd wait = { .fd = fd, .events = POLLIN | POLLPRI };
	long result;

	p.fd = fd;
	result = ioctl(fd, RM(0xce, sizeof(p)), &p);
	printf("event: %s status 0x%x own descriptor %d close-on-exec %d\n", error_of(result), p.status,
	       p.fd == fd, fcntl(fd, F_GETFD));
	printf("poll: %d\n", poll(&wait, 1, 100));
	printf("still the relay's: %s\n", error_of(ioctl(fd, RM(0xce, sizeof(p)), &p)));
	close(fd);
}

static void share(void)
{
	int fd = open_node("/dev/nvidiactl"), copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 50);
	uint32_t client = 0;
	struct alloc a;

	printf("dup: %s\n", error_of(copy));
	printf("F_DUPFD_CLOEXEC: %s %d\n", error_of(high), high);
	printf("dup2: %d\n", dup2(fd, 60) == 60);
	close(fd);
	close(high);
	printf("on the copy: %s\n", error_of(alloc(copy, 0, 0, &client, &a)));
	close(copy);
	printf("on the last: %s\n", error_of(alloc(60, 0, 0, &client, &a)));
	fd = open("/dev/null", O_RDONLY);
	dup2(fd, 60);
	printf("replaced: %s\n", error_of(alloc(60, 0, 0, &client, &a)));
	close(60);
	close(fd);
}

static void pin(int fd, const char *what, uint8_t *memory, size_t bytes)
{
	struct memory m = { .root = CLIENT, .parent = DEVICE, .object = DEVICE + 2, .class = 0x71,
			    .flags = 0x40001010, .address = (uintptr_t)memory, .last = bytes - 1, .fd = -1 };
	size_t i, wrong = 0;
	long result;

	for (i = 0; i < bytes; i++)
		memory[i] = (uint8_t)(i * 7 + i / 256);
	result = ioctl(fd, RM(0x27, sizeof(m)), &m);
	for (i = 0; i < bytes; i++)
		wrong += memory[i] != (uint8_t)(i * 7 + i / 256);
	printf("pin %s: %s status 0x%x wrong %zu own address %d\n", what, error_of(result), m.status, wrong,
	       m.address == (uintptr_t)memory);
}

static void pinned(void)
{
	int fd = open_node("/dev/nvidia0");
	uint8_t stack[3 * PAGE], *heap = malloc(5 * PAGE + 100), *shared;
	int file = memfd_create("program", 0);

	pin(fd, "heap", heap + 50, 5 * PAGE);
	pin(fd, "heap again", heap + 50, 5 * PAGE);
	pin(fd, "a part", heap + 50 + PAGE, PAGE);
	pin(fd, "stack", stack + 10, 2 * PAGE);
	shared = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pin(fd, "shared", shared, 8 * PAGE);
	if (ftruncate(file, 4 * PAGE))
		perror("ftruncate");
	/* two mappings in one range */
	mmap(shared + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
	pin(fd, "two mappings", shared, 8 * PAGE);
	munmap(shared + 4 * PAGE, PAGE);
	{
		struct memory m = { .class = 0x71, .address = (uintptr_t)shared, .last = 8 * PAGE - 1, .fd = -1 };

		printf("pin a hole: %s\n", error_of(ioctl(fd, RM(0x27, sizeof(m)), &m)));
	}
	munmap(shared, 8 * PAGE);
	close(file);
	close(fd);
	free(heap);
}

/* The stack that what is called from here runs on. */
static void pin_stack(int fd)
{
	struct memory m = { .root = CLIENT, .parent = DEVICE, .object = DEVICE + 2, .class = 0x71,
			    .address = (uintptr_t)__builtin_frame_address(0) - 3 * PAGE, .last = 3 * PAGE - 1,
			    .fd = -1 };

	printf("pin the stack: %s\n", error_of(ioctl(fd, RM(0x27, sizeof(m)), &m)));
}

static void forks(void)
{
	int fd = open_node("/dev/nvidiactl"), status = 0;
	uint8_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int local = 1;
	uint32_t client = 0;
	struct alloc a;
	pid_t child;

	pin(fd, "before the fork", memory, PAGE);
	pin_stack(fd);
	memory[0] = 1;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child: its memory %d\n", memory[0]);
		memory[0] = 2;
		local = 2;
		printf("child: the parent's file: %s\n", error_of(alloc(fd, 0, 0, &client, &a)));
		close(fd);
		fd = open_node("/dev/nvidiactl");
		printf("child: its own file: %s\n", error_of(alloc(fd, 0, 0, &client, &a)));
		fflush(stdout);
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("child ended: %d\n", WEXITSTATUS(status));
	printf("parent: its memory %d, its stack %d\n", memory[0], local);
	printf("parent: %s\n", error_of(alloc(fd, 0, 0, &client, &a)));
	close(fd);
}

static void *call_often(void *argument)
{
	long good = 0;
	int i;

	for (i = 0; i < 100; i++) {
		int fd = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
		uint32_t client = 0;
		struct alloc a;

		good += alloc(fd, 0, 0, &client, &a) == 0;
		close(fd);
	}
	(void)argument;
	return (void *)good;
}

static void threads(void)
{
	pthread_t thread[4];
	long good = 0;
	void *part;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, call_often, NULL);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &part);
		good += (long)part;
	}
	printf("threads: %ld of 400\n", good);
}

static void limits(void)
{
	int fd = open_node("/dev/nvidiactl");
	void *large = calloc(1, 70000);
	struct control c = { .client = CLIENT, .object = CLIENT, .command = 0x202, .params = (uintptr_t)large };
	uint32_t nested[10] = { 0xffffffff };

	c.params_size = 65536 - 32 - 8 - 32;
	printf("largest: %s\n", error_of(ioctl(fd, RM(0x2a, sizeof(c)), &c)));
	c.params_size++;
	printf("too large: %s\n", error_of(ioctl(fd, RM(0x2a, sizeof(c)), &c)));
	c.params_size = 0xffffffff;
	printf("much too large: %s\n", error_of(ioctl(fd, RM(0x2a, sizeof(c)), &c)));
	c.command = 0x101;
	c.params = (uintptr_t)nested;
	c.params_size = sizeof(nested);
	nested[2] = 8;
	printf("nested too large: %s\n", error_of(ioctl(fd, RM(0x2a, sizeof(c)), &c)));
	free(large);
	close(fd);
}

static long put(int fd, uint32_t client, uint32_t class, uint32_t object, void *params)
{
	struct alloc a = { .root = client, .parent = class == 0x80 ? client : DEVICE, .object = object,
			   .class = class, .params = (uintptr_t)params };

	return ioctl(fd, RM(0x2b, sizeof(a)), &a) ? -1 : (long)a.status;
}

/* What RM_MAP_MEMORY takes. */
struct mapping {
	uint32_t client, device, memory, pad;
	uint64_t offset, length, address;
	uint32_t status, flags;
	int32_t fd, pad2;
};

/* Memory of RM's, whose first byte the driver has written. */
static void work_memory(int control, int card, uint32_t client)
{
	struct mapping m = { .client = client, .device = DEVICE, .memory = DEVICE + 3, .length = 3 * PAGE,
			     .fd = card };
	uint64_t wanted[16] = { [8] = 3 * PAGE };
	long status = put(control, client, 0x3e, DEVICE + 3, wanted);
	volatile uint8_t *bytes;

	printf("memory: status 0x%lx\n", status);
	status = ioctl(control, RM(0x4e, sizeof(m)), &m);
	printf("mapping: %s status 0x%x\n", error_of(status), m.status);
	bytes = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, card, 0);
	if (bytes == MAP_FAILED)
		printf("mapped: %s\n", strerrorname_np(errno));
	else
		printf("mapped: first %u last %u\n", bytes[0], bytes[3 * PAGE - 1]);
}

/* Memory of ours, whose first byte the driver adds 1 to. */
static void work_pinned(int card, uint32_t client)
{
	const size_t bytes = 20 << 20; /* more than a segment has otherwise */
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct memory m = { .root = client, .parent = DEVICE, .object = DEVICE + 4, .class = 0x71,
			    .flags = 0x40001010, .address = (uintptr_t)memory, .last = bytes - 1, .fd = -1 };
	long result;

	memset(memory, 7, bytes);
	result = ioctl(card, RM(0x27, sizeof(m)), &m);
	printf("pinned: %s status 0x%x first %u last %u\n", error_of(result), m.status, memory[0],
	       memory[bytes - 1]);
}

/* An event that the driver has told of when it returns. */
static void work_event(uint32_t client)
{
	struct {
		uint32_t client, device;
		int32_t fd;
		uint32_t status;
	} p = { client, DEVICE, open_node("/dev/nvidia0"), 0xffff };
	struct pollfd wait = { .fd = p.fd, .events = POLLIN | POLLPRI };
	long result = ioctl(p.fd, RM(0xce, sizeof(p)), &p);

	printf("event: %s status 0x%x\n", error_of(result), p.status);
	printf("told: %d\n", poll(&wait, 1, 60000));
	result = ioctl(p.fd, RM(0xcf, sizeof(p)), &p);
	printf("no event: %s status 0x%x\n", error_of(result), p.status);
}

/* A client of its own, and what a program has by it, which nothing frees; returns the file. */
static int work_begin(void)
{
	int control = open_node("/dev/nvidiactl"), card = open_node("/dev/nvidia0");
	uint32_t client = 0, device[14] = { 0 };
	struct alloc a;

	alloc(control, 0, 0, &client, &a);
	client = a.object;
	printf("device: status 0x%lx\n", put(control, client, 0x80, DEVICE, device));
	printf("tied: %s\n", error_of(ioctl(card, RM(0xc9, sizeof(control)), &control)));
	work_memory(control, card, client);
	work_pinned(card, client);
	work_event(client);
	return control;
}

static void work(void)
{
	work_begin();
}

static void hold(void)
{
	int control = work_begin();
	uint32_t client = 0;
	struct alloc a;
	char byte;

	printf("holds\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	printf("afterwards: %s\n", error_of(alloc(control, 0, 0, &client, &a)));
}

/* Rings a doorbell until there is another one in its place; one that was unmapped is left alone. */
static void doorbell(void)
{
	int control = open_node("/dev/nvidiactl"), card = open_node("/dev/nvidia0"), i;
	uint32_t client = 0, device[14] = { 0 };
	uint8_t usermode[2] = { 1, 0 };
	struct mapping m = { .device = DEVICE, .memory = DEVICE + 1, .length = PAGE, .fd = card };
	volatile uint32_t *rung, *left;
	struct alloc a;

	alloc(control, 0, 0, &client, &a);
	client = m.client = a.object;
	printf("device: status 0x%lx\n", put(control, client, 0x80, DEVICE, device));
	printf("doorbell: status 0x%lx\n", put(control, client, 0xc661, DEVICE + 1, usermode));
	printf("mapping: %s status 0x%x\n", error_of(ioctl(control, RM(0x4e, sizeof(m)), &m)), m.status);
	rung = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, card, 0);
	left = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, card, 0);
	if (rung == MAP_FAILED || left == MAP_FAILED) {
		printf("mapped: %s\n", strerrorname_np(errno));
		return;
	}
	*rung = 7;
	mmap((void *)left, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
	*left = 8;
	printf("rings\n");
	fflush(stdout);
	for (i = 0; i < 60000 && *rung == 7; i++)
		usleep(1000);
	printf("another doorbell: %d, and of what was unmapped %u\n", *rung == 0, *left);
}

static const struct {
	const char *name;
	void (*run)(void);
} sections[] = {
	{ "files", files }, { "rm", rm }, { "control", control }, { "uvm", uvm }, { "map", map }, { "event", event },
	{ "share", share }, { "pinned", pinned }, { "fork", forks }, { "threads", threads }, { "limits", limits },
	{ "work", work },   { "hold", hold },	{ "doorbell", doorbell },
};

int main(int count, char **names)
{
	size_t i;
	int n;

	for (i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		bool wanted = count == 1 && sections[i].run != hold && sections[i].run != doorbell;

		for (n = 1; n < count; n++)
			wanted |= strcmp(names[n], sections[i].name) == 0;
		if (!wanted)
			continue;
		printf("-- %s\n", sections[i].name);
		sections[i].run();
		fflush(stdout);
	}
	return 0;
}
