/*
 * An ioctl on a file of the relay's: the program's memory as blocks to the relay, and back.
 *
 * The program's memory is read and written as it is: where natively a bad pointer gives EFAULT, the
 * program gets SIGSEGV.
 */
#include "library.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCKS 32
#define KEPT 64
#define BODY_BYTES (RELAY_MOST_BYTES - (uint32_t)sizeof(struct relay_request))

struct call {
	uint8_t *body;
	uint32_t used; /* of the body */
	uint32_t blocks;
	struct {
		void *memory; /* the program's */
		uint32_t at; /* in the body */
		uint32_t bytes;
	} block[BLOCKS];
	uint32_t kept; /* fields that are the program's own again afterwards */
	struct {
		uint32_t at;
		uint32_t bytes;
		uint64_t value;
	} keep[KEPT];
	struct pinned_place pinned;
};

static uint32_t u32_at(const void *memory, uint32_t offset)
{
	uint32_t value;

	memcpy(&value, (const uint8_t *)memory + offset, sizeof(value));
	return value;
}

static uint64_t u64_at(const void *memory, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)memory + offset, sizeof(value));
	return value;
}

/* Where a block lies in the body. */
static uint8_t *block_of(const struct call *c, uint32_t block)
{
	return c->body + c->block[block].at;
}

static bool has(const struct call *c, uint32_t block, uint64_t offset, uint32_t bytes)
{
	return offset + bytes <= c->block[block].bytes;
}

/* So many blocks will come: their lengths stand before them. */
static int begin(struct call *c, uint32_t blocks)
{
	if (blocks > BLOCKS)
		return -EINVAL;
	c->used = (blocks * (uint32_t)sizeof(uint32_t) + 7) & ~7u;
	memset(c->body, 0, c->used);
	return 0;
}

static int add(struct call *c, void *memory, uint64_t bytes)
{
	uint32_t i = c->blocks, length;

	if (!memory)
		bytes = 0;
	if (bytes > BODY_BYTES - c->used)
		return -EINVAL;
	length = (uint32_t)bytes;
	c->block[i].memory = memory;
	c->block[i].at = c->used;
	c->block[i].bytes = length;
	memcpy(c->body + i * sizeof(length), &length, sizeof(length));
	if (length)
		memcpy(c->body + c->used, memory, length);
	c->used += length;
	while (c->used % 8)
		c->body[c->used++] = 0;
	c->blocks++;
	return 0;
}

static int keep(struct call *c, uint32_t block, uint32_t offset, uint32_t bytes)
{
	uint32_t i = c->kept;

	if (i == KEPT)
		return -EINVAL;
	c->keep[i].at = c->block[block].at + offset;
	c->keep[i].bytes = bytes;
	c->keep[i].value = 0;
	memcpy(&c->keep[i].value, c->body + c->keep[i].at, bytes);
	c->kept++;
	return 0;
}

/* The descriptors in a block become the relay's numbers. */
static int put_files(struct call *c, uint32_t block, uint32_t kind, uint32_t key)
{
	const struct relay_shape *shape = NULL;
	const struct file *file;
	uint32_t number;
	int error;

	while ((shape = shape_next_locked(shape, kind, key))) {
		if (!has(c, block, shape->offset, sizeof(number)))
			continue;
		error = keep(c, block, shape->offset, sizeof(number));
		if (error)
			return error;
		file = file_locked((int)u32_at(block_of(c, block), shape->offset));
		number = file ? file->number : RELAY_NO_FILE;
		memcpy(block_of(c, block) + shape->offset, &number, sizeof(number));
	}
	return 0;
}

static uint32_t count_nested(uint32_t command)
{
	const struct relay_shape *shape = NULL;
	uint32_t count = 0;

	while ((shape = shape_next_locked(shape, SHAPE_NESTED, command)))
		count++;
	return count;
}

/* What the pointer at a shape's place in block 1 points to; nothing where the block is too short for it. */
static int add_nested(struct call *c, const struct relay_shape *shape)
{
	uint64_t bytes;
	int error;

	if (!has(c, 1, shape->offset, sizeof(uint64_t)) || !has(c, 1, shape->count, sizeof(uint32_t)))
		return add(c, NULL, 0);
	if (__builtin_mul_overflow((uint64_t)u32_at(block_of(c, 1), shape->count), shape->element, &bytes))
		return -EINVAL;
	error = keep(c, 1, shape->offset, sizeof(uint64_t));
	if (error)
		return error;
	return add(c, (void *)u64_at(block_of(c, 1), shape->offset), bytes);
}

static int put_control(struct call *c, void *argument, uint32_t bytes)
{
	const uint32_t command = u32_at(argument, RM_CONTROL_COMMAND);
	const struct relay_shape *shape = NULL;
	int error = begin(c, 2 + count_nested(command));

	if (!error)
		error = add(c, argument, bytes);
	if (!error)
		error = keep(c, 0, RM_CONTROL_POINTER, sizeof(uint64_t));
	if (!error)
		error = add(c, (void *)u64_at(block_of(c, 0), RM_CONTROL_POINTER),
			    u32_at(block_of(c, 0), RM_CONTROL_SIZE));
	while (!error && (shape = shape_next_locked(shape, SHAPE_NESTED, command)))
		error = add_nested(c, shape);
	return error;
}

static int put_alloc(struct call *c, void *argument, uint32_t bytes)
{
	const struct relay_shape *shape;
	uint32_t class, params;
	int error = begin(c, 2);

	if (!error)
		error = add(c, argument, bytes);
	if (error)
		return error;
	class = u32_at(block_of(c, 0), RM_ALLOC_CLASS);
	params = u32_at(block_of(c, 0), bytes == 48 ? RM_ALLOC_SIZE_48 : RM_ALLOC_SIZE_32);
	shape = shape_next_locked(NULL, SHAPE_CLASS, class);
	if (shape)
		params = shape->bytes;
	error = keep(c, 0, RM_ALLOC_POINTER, sizeof(uint64_t));
	if (!error && bytes == 48)
		error = keep(c, 0, RM_ALLOC_RIGHTS, sizeof(uint64_t));
	if (!error)
		error = add(c, (void *)u64_at(block_of(c, 0), RM_ALLOC_POINTER), params);
	return error ? error : put_files(c, 1, SHAPE_FD_CLASS, class);
}

/* Memory that RM pins. */
static int put_pinned(struct call *c)
{
	const uint64_t address = u64_at(block_of(c, 0), RM_MEMORY_POINTER);
	const uint64_t last = u64_at(block_of(c, 0), RM_MEMORY_LAST);
	int error;

	if (last == UINT64_MAX)
		return -EINVAL;
	error = pinned_place_locked(address, last + 1, &c->pinned);
	if (error)
		return error;
	return keep(c, 0, RM_MEMORY_POINTER, sizeof(uint64_t));
}

static int put_rm(struct call *c, uint32_t request, void *argument)
{
	const uint32_t nr = request & 0xff, bytes = request >> 16 & 0x3fff;
	int error;

	if (!argument && bytes)
		return -EFAULT;
	if (nr == RM_CONTROL && bytes == RM_CONTROL_BYTES) {
		error = put_control(c, argument, bytes);
	} else if (nr == RM_ALLOC && (bytes == 32 || bytes == 48)) {
		error = put_alloc(c, argument, bytes);
	} else {
		error = begin(c, 1);
		if (!error)
			error = add(c, argument, bytes);
		if (!error && nr == RM_ALLOC_MEMORY && bytes == RM_MEMORY_BYTES &&
		    u32_at(block_of(c, 0), RM_MEMORY_CLASS) == RM_CLASS_OS_DESCRIPTOR)
			error = put_pinned(c);
	}
	return error ? error : put_files(c, 0, SHAPE_FD_RM, nr);
}

static int put_uvm(struct call *c, uint32_t request, void *argument)
{
	const struct relay_shape *shape = shape_next_locked(NULL, SHAPE_UVM, request);
	int error;

	if (!shape)
		return -EINVAL;
	if (!argument && shape->bytes)
		return -EFAULT;
	error = begin(c, 1);
	if (!error)
		error = add(c, argument, shape->bytes);
	return error ? error : put_files(c, 0, SHAPE_FD_UVM, request);
}

/* The reply's blocks are in the place of the request's. What did not change is not written. */
static void take_back(struct call *c)
{
	uint32_t i;

	for (i = 0; i < c->kept; i++)
		memcpy(c->body + c->keep[i].at, &c->keep[i].value, c->keep[i].bytes);
	for (i = 0; i < c->blocks; i++)
		if (c->block[i].bytes && memcmp(c->block[i].memory, block_of(c, i), c->block[i].bytes) != 0)
			memcpy(c->block[i].memory, block_of(c, i), c->block[i].bytes);
}

static bool is_like_request(const struct call *c, uint32_t body_bytes)
{
	uint32_t i;

	if (body_bytes != c->used)
		return false;
	for (i = 0; i < c->blocks; i++)
		if (u32_at(c->body, i * (uint32_t)sizeof(uint32_t)) != c->block[i].bytes)
			return false;
	return true;
}

/* A file that waits for events becomes what wakes the program, where the reply brings that. */
static int take_event(uint32_t number, const struct relay_reply *reply, int received)
{
	if (session_file_locked() >= 0 && reply->file)
		received = session_event_locked(reply->file, (uint32_t)reply->address);
	else if (received < 0)
		return 0;
	if (received < 0)
		return received;
	file_replace_locked(number, received);
	syscall(SYS_close, received);
	return 0;
}

static long make(struct call *c, uint32_t number, uint32_t request, struct relay_message *m)
{
	uint32_t body_bytes;
	int received;
	long error;

	m->request.argument = request;
	m->request.address = c->pinned.offset;
	m->request.length = c->blocks | (uint64_t)c->pinned.segment << 32;
	error = link_call_locked(c->used, c->pinned.fd, &received);
	if (error)
		return error;
	body_bytes = m->reply.bytes - (uint32_t)sizeof(m->reply);
	error = take_event(number, &m->reply, received);
	if (body_bytes && !is_like_request(c, body_bytes)) {
		link_end_locked("its reply has other blocks than the request");
		return -EIO;
	}
	if (body_bytes)
		take_back(c);
	return error ? error : (int32_t)m->reply.value;
}

/* Requests that the kernel answers on any file. */
static bool is_of_any_file(uint32_t request)
{
	return request == FIOCLEX || request == FIONCLEX || request == FIONBIO || request == FIOASYNC;
}

long call_locked(int fd, const struct file *file, uint32_t request, void *argument)
{
	const uint32_t kind = node_at_locked(file->node)->kind, number = file->number;
	struct call c = { .pinned = { .fd = -1 } };
	struct relay_message *m;
	int error;

	if (is_of_any_file(request))
		return relay_errno(syscall(SYS_ioctl, fd, request, argument));
	if (kind != NODE_UVM && (kind != NODE_RM || (request >> 8 & 0xff) != RM_MAGIC))
		return -ENOTTY;
	m = link_begin_locked(RELAY_IOCTL, number);
	c.body = m->body;
	error = kind == NODE_UVM ? put_uvm(&c, request, argument) : put_rm(&c, request, argument);
	return error ? error : make(&c, number, request, m);
}
