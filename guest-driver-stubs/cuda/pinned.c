/*
 * Memory of the program that RM pins. RM pins the pages of the process that calls it, which is the
 * relay; so the pages must be a memory file's, which both have mapped, or a session's, of which the
 * relay reserves a piece. Pages that are not are copied into one, which is then mapped in their place.
 * Stores of other threads meanwhile may be lost.
 */
#include "pinned.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ull
#define FILES 4096
#define PIECES 64
#define CHUNK (16ull << 20) /* how much lies in memory twice */
#define NAME "sluice-pinned."
#define MAPPED_NAME "/memfd:" NAME

static struct pinned pinned[FILES];
static uint64_t last_number;

struct piece {
	uint64_t start;
	uint64_t end;
	int protection;
};

/* What is mapped in a range. */
struct range {
	uint64_t first;
	uint64_t end;
	uint64_t at; /* known up to here */
	struct pinned *file; /* the one piece all of it is of, in one row, or NULL */
	uint64_t offset;
	unsigned pieces;
	struct piece piece[PIECES];
	int protection; /* of all pieces together */
	bool shared;
	int error;
};

/* The segment at an offset of the session's file. */
static uint32_t segment_at(uint64_t offset)
{
	return (uint32_t)((offset & ~SESSION_MAP_INHERIT) >> SESSION_MAP_SHIFT);
}

static bool is_of_session(const struct vma *vma)
{
	const char *name = session_name_locked();

	return *name && strcmp(vma->name, name) == 0;
}

static struct pinned *pinned_of_session(uint64_t offset)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number && pinned[i].fd < 0 && offset >= pinned[i].first &&
		    offset - pinned[i].first < pinned[i].bytes)
			return &pinned[i];
	return NULL;
}

struct pinned *pinned_of(const struct vma *vma)
{
	uint64_t number;
	int i;

	if (is_of_session(vma))
		return pinned_of_session(vma->offset);
	if (strncmp(vma->name, MAPPED_NAME, sizeof(MAPPED_NAME) - 1) != 0)
		return NULL;
	number = strtoull(vma->name + sizeof(MAPPED_NAME) - 1, NULL, 10);
	for (i = 0; number && i < FILES; i++)
		if (pinned[i].number == number)
			return &pinned[i];
	return NULL;
}

int pinned_fd(const struct pinned *p)
{
	return p->fd >= 0 ? p->fd : session_file_locked();
}

bool pinned_any(void)
{
	return last_number != 0;
}

static bool is_of_driver(const struct vma *vma, const struct pinned *file)
{
	return strncmp(vma->name, "/dev/nvidia", 11) == 0 || (!file && is_of_session(vma));
}

static void look(void *context, const struct vma *vma)
{
	struct range *r = context;
	struct pinned *file = pinned_of(vma);
	uint64_t offset, end;

	if (file)
		file->seen = true;
	if (vma->end <= r->first || vma->start >= r->end || r->error)
		return;
	if (vma->start > r->at || !(vma->protection & PROT_READ) || is_of_driver(vma, file))
		r->error = -EFAULT;
	else if (r->pieces == PIECES)
		r->error = -ENOMEM;
	if (r->error)
		return;
	end = vma->end < r->end ? vma->end : r->end;
	offset = vma->offset + (r->at - vma->start);
	if (r->pieces == 0) {
		r->file = vma->shared ? file : NULL;
		r->offset = offset;
	} else if (file != r->file || !vma->shared || offset != r->offset + (r->at - r->first)) {
		r->file = NULL;
	}
	r->piece[r->pieces++] = (struct piece){ r->at, end, vma->protection };
	r->protection |= vma->protection;
	r->shared |= file ? file->shared : vma->shared; /* a piece of ours is mapped shared in any case */
	r->at = end;
}

static void close_file(struct pinned *p)
{
	if (p->fd >= 0) {
		file_set_locked(p->fd, FILE_NOT_OURS, 0, 0);
		syscall(SYS_close, p->fd);
	}
	p->number = 0;
}

/* It is mapped nowhere any more. */
static void forget(struct pinned *p)
{
	union relay_head head = { .request = { .op = RELAY_RELEASE } };

	if (p->fd < 0) {
		head.request.file = segment_at(p->first);
		head.request.address = p->first & SESSION_MAP_MASK;
		link_ask_locked(&head);
	}
	close_file(p);
}

void pinned_forget_all(void)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number)
			close_file(&pinned[i]);
}

void pinned_lost_locked(int fd)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number && pinned[i].fd == fd)
			pinned[i].number = 0;
}

/* Looks at the range; pieces that are mapped nowhere any more are given back. */
static int look_at(struct range *r)
{
	int error, i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number)
			pinned[i].seen = false;
	error = maps_walk_locked(look, r);
	if (error)
		return error;
	for (i = 0; i < FILES; i++)
		if (pinned[i].number && !pinned[i].seen)
			forget(&pinned[i]);
	if (r->error)
		return r->error;
	return r->at < r->end ? -EFAULT : 0;
}

/* A memory file. */
static int create(uint64_t number, uint64_t bytes, struct pinned *p)
{
	char name[40];
	long fd;
	int error;

	snprintf(name, sizeof(name), NAME "%llu", (unsigned long long)number);
	fd = syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_ftruncate, fd, bytes) || syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		error = -errno;
		syscall(SYS_close, fd);
		return error;
	}
	p->fd = link_move_locked((int)fd, FILE_MEMORY);
	return 0;
}

/*
 * A piece of the session's memory. The child of a fork has it, too, until it has a copy: it may run
 * on it.
 */
static int reserve(uint64_t bytes, struct pinned *p)
{
	union relay_head head = { .request = { .op = RELAY_RESERVE, .length = bytes } };
	int error = link_ask_locked(&head);

	if (error)
		return error;
	if (head.reply.file == 0 || head.reply.file >= SESSION_SEGMENTS || head.reply.address > SESSION_MAP_MASK ||
	    head.reply.address % PAGE)
		return -EPROTO;
	p->fd = -1;
	p->first = SESSION_MAP_INHERIT | (uint64_t)head.reply.file << SESSION_MAP_SHIFT | head.reply.address;
	return 0;
}

static int make(const struct range *r, struct pinned **result)
{
	struct pinned fresh = { .number = last_number + 1, .bytes = r->end - r->first, .shared = r->shared,
				.seen = true };
	struct pinned *p = pinned;
	int error;

	while (p < pinned + FILES && p->number)
		p++;
	if (p == pinned + FILES)
		return -ENOMEM;
	error = session_file_locked() >= 0 ? reserve(fresh.bytes, &fresh) :
					     create(fresh.number, fresh.bytes, &fresh);
	if (error)
		return error;
	last_number = fresh.number;
	*p = fresh;
	*result = p;
	return 0;
}

static int replace_chunk(const struct range *r, const struct pinned *p, uint64_t start, uint64_t bytes)
{
	const uint64_t offset = p->first + (start - r->first);
	long aside = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, pinned_fd(p),
			     offset);
	int error;

	if (aside == -1)
		return -errno;
	error = pinned_replace(p, (void *)aside, start, bytes, r->protection, offset);
	syscall(SYS_munmap, aside, bytes);
	return error;
}

static int replace(const struct range *r, const struct pinned *p)
{
	uint64_t at, bytes;
	unsigned i;
	int error = 0;

	for (at = r->first; !error && at < r->end; at += bytes) {
		bytes = r->end - at < CHUNK ? r->end - at : CHUNK;
		error = replace_chunk(r, p, at, bytes);
	}
	for (i = 0; i < r->pieces; i++)
		if (r->piece[i].protection != r->protection)
			syscall(SYS_mprotect, r->piece[i].start, r->piece[i].end - r->piece[i].start,
				r->piece[i].protection);
	return error;
}

int pinned_place_locked(uint64_t address, uint64_t bytes, struct pinned_place *place)
{
	struct range r = { .first = address & ~(PAGE - 1) };
	int error;

	if (!bytes || __builtin_add_overflow(address, bytes, &r.end) || r.end > UINT64_MAX - PAGE)
		return -EINVAL;
	r.end = (r.end + PAGE - 1) & ~(PAGE - 1);
	r.at = r.first;
	error = look_at(&r);
	if (error)
		return error;
	if (!r.file) {
		error = make(&r, &r.file);
		if (!error)
			error = replace(&r, r.file);
		if (error)
			return error;
		r.offset = r.file->first;
	}
	place->fd = r.file->fd;
	place->segment = segment_at(r.offset);
	place->offset = r.offset & SESSION_MAP_MASK;
	return 0;
}
