/* Device memory and copies: see compute.h. Copies pass through two buffers that take turns: the
 * processor fills or empties one while the GPU works on the other. */
#include "compute_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COPY_WORDS 256
#define MAX_COPY_BYTES (1ull << 30) /* of one command */
#define SCRATCH_OFFSET 32u          /* of the fence page: a report that nobody reads */

/* ---- allocations ------------------------------------------------------------------------------- */

/* Index of the first allocation above an address. */
static uint32_t above(const struct slc_context *ctx, uint64_t address)
{
	uint32_t low = 0, high = ctx->allocation_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (ctx->allocation[middle].address > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct allocation *allocation_of(const struct slc_context *ctx, uint64_t address)
{
	uint32_t i = above(ctx, address);

	return i && address - ctx->allocation[i - 1].address < ctx->allocation[i - 1].bytes ?
		       &ctx->allocation[i - 1] :
		       NULL;
}

static int room_for_one(struct slc_context *ctx)
{
	uint32_t capacity = ctx->allocation_capacity ? 2 * ctx->allocation_capacity : 16;
	struct allocation *larger;

	if (ctx->allocation_count == SLC_MAX_ALLOCATIONS)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, 0, "%u allocations already",
				ctx->allocation_count);
	if (ctx->allocation_count < ctx->allocation_capacity)
		return SLC_OK;
	larger = realloc(ctx->allocation, capacity * sizeof(*larger));
	if (!larger)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for a list");
	ctx->allocation = larger;
	ctx->allocation_capacity = capacity;
	return SLC_OK;
}

int slc_memory_alloc(struct slc_context *ctx, uint64_t bytes, uint64_t *address)
{
	struct allocation a = { 0 };
	uint32_t at;
	int ret;

	*address = 0;
	if (bytes == 0)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "0 bytes of memory");
	ret = slc_check_channel(ctx);
	if (ret == SLC_OK)
		ret = room_for_one(ctx);
	if (ret == SLC_OK)
		ret = slc_buffer_new(ctx, SLUICE_VRAM, bytes, &a);
	if (ret)
		return ret;
	at = above(ctx, a.address);
	memmove(ctx->allocation + at + 1, ctx->allocation + at,
		(ctx->allocation_count - at) * sizeof(a));
	ctx->allocation[at] = a;
	ctx->allocation_count++;
	*address = a.address;
	return SLC_OK;
}

int slc_memory_free(struct slc_context *ctx, uint64_t address)
{
	struct allocation *a = allocation_of(ctx, address);
	int ret;

	if (!a || a->address != address)
		return slc_fail(ctx, SLC_INVALID_ADDRESS, 0, "nothing was allocated at %#llx",
				(unsigned long long)address);
	ret = slc_synchronize(ctx);
	if (ret && ret != SLC_CHANNEL_ENDED)
		return ret;
	slc_references_unbind(ctx, a->address, a->bytes);
	slc_buffer_free(ctx, a);
	ctx->allocation_count--;
	memmove(a, a + 1, (size_t)(ctx->allocation + ctx->allocation_count - a) * sizeof(*a));
	return SLC_OK;
}

int slc_check_range(struct slc_context *ctx, uint64_t address, uint64_t bytes)
{
	const struct allocation *a = allocation_of(ctx, address);

	bool inside = a && bytes <= a->bytes - (address - a->address);

	if (!inside && !slc_is_variable(ctx, address, bytes))
		return slc_fail(ctx, SLC_INVALID_ADDRESS, 0,
				"%llu bytes at %#llx are not in one allocation or variable",
				(unsigned long long)bytes, (unsigned long long)address);
	return slc_check_channel(ctx);
}

/* ---- copies ------------------------------------------------------------------------------------ */

static int submit_copy(struct slc_context *ctx, uint64_t to, uint64_t from, uint64_t bytes,
		       uint32_t *fence)
{
	uint32_t words[COPY_WORDS];
	struct sluice_words w = { .word = words, .capacity = COPY_WORDS };
	struct sluice_report scratch = { ctx->ch.fence_address + SCRATCH_OFFSET, 0 };

	sluice_build_membar(&w);
	sluice_build_m2mf_copy(&w, to, from, bytes, scratch);
	return slc_submit_fenced(ctx, &w, fence);
}

static int bounce_wait(struct slc_context *ctx, struct bounce *b)
{
	return b->fence ? slc_wait_fence(ctx, b->fence) : SLC_OK;
}

int slc_store(struct slc_context *ctx, uint64_t to, const void *from, uint64_t bytes)
{
	uint64_t done, part;
	uint32_t turn = 0;
	int ret = SLC_OK;

	for (done = 0; ret == SLC_OK && done < bytes; done += part, turn++) {
		struct bounce *b = &ctx->bounce[turn % BOUNCES];

		part = bytes - done < BOUNCE_BYTES ? bytes - done : BOUNCE_BYTES;
		ret = bounce_wait(ctx, b);
		if (ret == SLC_OK) {
			memcpy(b->memory.bo.map, (const char *)from + done, part);
			ret = submit_copy(ctx, to + done, b->memory.address, part, &b->fence);
		}
	}
	return ret;
}

int slc_copy_to_device(struct slc_context *ctx, uint64_t to, const void *from, uint64_t bytes)
{
	int ret = bytes ? slc_check_range(ctx, to, bytes) : SLC_OK;

	return ret ? ret : slc_store(ctx, to, from, bytes);
}

int slc_copy_to_host(struct slc_context *ctx, void *to, uint64_t from, uint64_t bytes)
{
	uint64_t asked = 0, done = 0, part;
	uint32_t turn = 0;
	int ret = bytes ? slc_check_range(ctx, from, bytes) : SLC_OK;

	/* Ahead by one buffer: while this one is emptied, the GPU fills the next. */
	while (ret == SLC_OK && done < bytes) {
		struct bounce *b = &ctx->bounce[turn % BOUNCES];

		if (asked < bytes && asked - done < BOUNCES * (uint64_t)BOUNCE_BYTES) {
			b = &ctx->bounce[asked / BOUNCE_BYTES % BOUNCES];
			part = bytes - asked < BOUNCE_BYTES ? bytes - asked : BOUNCE_BYTES;
			ret = bounce_wait(ctx, b);
			if (ret == SLC_OK)
				ret = submit_copy(ctx, b->memory.address, from + asked, part,
						  &b->fence);
			asked += part;
			continue;
		}
		part = bytes - done < BOUNCE_BYTES ? bytes - done : BOUNCE_BYTES;
		ret = bounce_wait(ctx, b);
		if (ret == SLC_OK)
			memcpy((char *)to + done, b->memory.bo.map, part);
		done += part;
		turn++;
	}
	return ret;
}

int slc_copy_on_device(struct slc_context *ctx, uint64_t to, uint64_t from, uint64_t bytes)
{
	uint32_t fence;
	uint64_t part;
	int ret = bytes ? slc_check_range(ctx, to, bytes) : SLC_OK;

	if (ret == SLC_OK && bytes)
		ret = slc_check_range(ctx, from, bytes);
	for (; ret == SLC_OK && bytes; bytes -= part, to += part, from += part) {
		part = bytes < MAX_COPY_BYTES ? bytes : MAX_COPY_BYTES;
		ret = submit_copy(ctx, to, from, part, &fence);
	}
	return ret;
}
