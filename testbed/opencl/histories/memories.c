/* Buffers and images of random histories, and the commands that move what they hold: see history.h. */
#include "history.h"

#define MAPS 6

struct map {
	int memory;
	struct access access;
	unsigned char *at;
	size_t row, rows, pitch;
	bool is_new; /* what was there is not: all of it must be written */
};

static struct map maps[MAPS];
static int made_so_far;

static const cl_image_format formats[] = { { CL_RGBA, CL_UNORM_INT8 }, { CL_R, CL_FLOAT }, { CL_RGBA, CL_UNSIGNED_INT16 } };
static const size_t pixel_bytes[] = { 4, 4, 8 };

/* ---- memory ------------------------------------------------------------------------------------- */

bool may(const struct memory *m, size_t from, size_t bytes, bool writes)
{
	const struct access a = { m->storage, m->origin + from, bytes, writes };

	for (int i = 0; i < MAPS; i++)
		if (maps[i].at && touches(&a, &maps[i].access))
			return false;
	return true;
}

static struct memory *memory_add(int world, cl_mem o)
{
	struct memory *m = PICK(memories, !it->o);

	*m = (struct memory){ .o = o, .world = world, .number = ++made_so_far, .storage = made_so_far, .format = -1 };
	return m;
}

static bool is_full(void)
{
	return !PICK(memories, !it->o);
}

void make_buffer(void)
{
	static const cl_mem_flags access[] = { 0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY };
	static const cl_mem_flags places[] = { 0, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
					       CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR };
	static const cl_mem_flags from_host[] = { 0, 0, 0, 0, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS };
	cl_mem_flags place = places[below(COUNT(places))];
	cl_mem_flags flags = access[below(COUNT(access))] | place | from_host[below(COUNT(from_host))];
	size_t size = chance(3) ? LARGE : (1 + below(32)) * UNITS;
	int world = (int)below(WORLDS);
	/* That of CL_MEM_USE_HOST_PTR is there until the end. */
	char *host = place & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) ? aligned_alloc(UNITS, size) : NULL;
	struct memory *m;
	cl_mem o;

	if (is_full())
		return;
	if (host)
		fill_bytes(host, size, (uint32_t)now);
	o = MAKE(at("buffer"), clCreateBuffer(worlds[world], flags, size, host, &error));
	m = memory_add(world, o);
	m->size = size;
	m->flags = flags ? flags : CL_MEM_READ_WRITE;
	if (place & CL_MEM_USE_HOST_PTR)
		m->host = host;
	else
		free(host);
	if (!host) {
		static const char zeros[UNITS];
		struct queue *q = a_queue(world);

		MUST(clEnqueueFillBuffer(q->o, o, zeros, UNITS, 0, size, 0, NULL, NULL));
		finish((int)(q - queues));
	}
}

void make_part(void)
{
	struct memory *parent = PICK(memories, it->o && it->format < 0 && !it->is_part);
	struct memory *m;
	cl_buffer_region region;
	cl_mem o;

	if (is_full() || !parent)
		return;
	region.origin = below((unsigned)(parent->size / UNITS)) * UNITS;
	region.size = 1 + below((unsigned)(parent->size - region.origin));
	o = MAKE(at("part"), clCreateSubBuffer(parent->o, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	m = memory_add(parent->world, o);
	m->storage = parent->storage;
	m->origin = region.origin;
	m->size = region.size;
	m->flags = parent->flags;
	m->host = parent->host ? parent->host + region.origin : NULL;
	m->is_part = true;
}

void make_image(void)
{
	const cl_image_desc shape = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = EDGE, .image_height = EDGE };
	static unsigned char bytes[EDGE * EDGE * 8];
	int world = (int)below(WORLDS), format = (int)below(COUNT(formats));
	struct memory *m;
	cl_mem o;

	if (is_full())
		return;
	/* Small numbers, also as floats. */
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 4 == 3 ? 0x3f : (unsigned char)below(256);
	o = MAKE(at("image"), clCreateImage(worlds[world], CL_MEM_COPY_HOST_PTR, &formats[format], &shape, bytes, &error));
	m = memory_add(world, o);
	m->size = EDGE * EDGE * pixel_bytes[format];
	m->flags = CL_MEM_READ_WRITE;
	m->format = format;
}

void release_memory(void)
{
	struct memory *m = PICK(memories, it->o);

	if (!m)
		return;
	if (chance(30)) {
		SAY(at("memory"), clRetainMemObject(m->o));
		m->retained++;
		return;
	}
	for (int i = 0; i < MAPS; i++)
		if (maps[i].at && maps[i].memory == m - memories)
			return;
	SAY(at("memory"), clReleaseMemObject(m->o));
	if (m->retained-- == 0)
		m->o = NULL;
}

/* ---- transfers ---------------------------------------------------------------------------------- */

bool host_may(const struct memory *m, bool writes)
{
	return !(m->flags & (CL_MEM_HOST_NO_ACCESS | (writes ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY)));
}

static struct memory *a_buffer(size_t *from, size_t *bytes, bool writes)
{
	struct memory *m = PICK(memories, it->o && it->format < 0);

	if (!m)
		return NULL;
	*from = below((unsigned)m->size);
	*bytes = 1 + below((unsigned)(m->size - *from));
	return may(m, *from, *bytes, writes) ? m : NULL;
}

static unsigned char *host_memory(struct command *c, size_t bytes, bool reads)
{
	c->host = malloc(bytes);
	c->bytes = bytes;
	c->reads = reads;
	fill_bytes(c->host, bytes, (uint32_t)now);
	return c->host;
}

void move_buffer(void)
{
	bool writes = chance(50), blocking;
	size_t from, bytes;
	struct memory *m = a_buffer(&from, &bytes, writes);
	struct command *c;
	struct queue *q;
	cl_int answer;

	if (!m)
		return;
	q = a_queue(m->world);
	c = begin(q, writes ? "write" : "read");
	if (!host_may(m, writes))
		c->wants = false;
	use(c, m, from, bytes, writes);
	host_memory(c, bytes, !writes);
	blocking = waits_are_known(c, true);
	answer = writes ? SAY(at("write"), clEnqueueWriteBuffer(q->o, m->o, blocking, from, bytes, c->host, WAITS, EVENT(c))) :
			  SAY(at("read"), clEnqueueReadBuffer(q->o, m->o, blocking, from, bytes, c->host, WAITS, EVENT(c)));
	enqueued(c, answer, blocking);
}

/* Pitches of 0 stand for none; those of 0 as well that are too small now and then. */
static void a_pitch(const size_t *region, size_t *row, size_t *slice)
{
	*row = chance(40) ? 0 : region[0] + below(9);
	*slice = chance(40) ? 0 : (*row ? *row : region[0]) * (region[1] + below(3));
	if (chance(3))
		*slice = 1;
}

void move_rectangle(void)
{
	size_t region[3] = { 1 + below(40), 1 + below(4), 1 + below(3) }, there[3] = { below(20), below(3), below(2) };
	size_t here[3] = { below(8), below(2), below(2) }, row, slice, host_row, host_slice, from, bytes;
	bool writes = chance(50), blocking;
	struct memory *m = a_buffer(&from, &bytes, writes);
	struct command *c;
	struct queue *q;
	cl_int answer;

	if (!m || !host_may(m, writes) || !may(m, 0, m->size, writes))
		return;
	a_pitch(region, &row, &slice);
	a_pitch(region, &host_row, &host_slice);
	q = a_queue(m->world);
	c = begin(q, writes ? "write rectangle" : "read rectangle");
	use(c, m, 0, m->size, writes);
	host_memory(c, 4096, !writes);
	blocking = waits_are_known(c, true);
	answer = writes ? SAY(at("write"), clEnqueueWriteBufferRect(q->o, m->o, blocking, there, here, region, row, slice, host_row,
								    host_slice, c->host, WAITS, EVENT(c))) :
			  SAY(at("read"), clEnqueueReadBufferRect(q->o, m->o, blocking, there, here, region, row, slice, host_row,
								  host_slice, c->host, WAITS, EVENT(c)));
	enqueued(c, answer, blocking);
}

void fill_buffer(void)
{
	static const size_t patterns[] = { 1, 2, 4, 8, 16, 32, 64, 128, 3 };
	struct memory *m = PICK(memories, it->o && it->format < 0);
	size_t pattern = patterns[below(COUNT(patterns))], from, bytes;
	unsigned char with[128];
	struct command *c;
	struct queue *q;

	if (!m || m->size < 2 * pattern)
		return;
	from = below((unsigned)(m->size / pattern)) * pattern;
	bytes = (1 + below((unsigned)((m->size - from) / pattern))) * pattern - chance(3);
	if (from + bytes > m->size || !may(m, from, bytes, true))
		return;
	fill_bytes(with, sizeof(with), (uint32_t)now);
	q = a_queue(m->world);
	c = begin(q, "fill");
	use(c, m, from, bytes, true);
	waits_are_known(c, false);
	enqueued(c, SAY(at("fill"), clEnqueueFillBuffer(q->o, m->o, with, pattern, from, bytes, WAITS, EVENT(c))), false);
}

void copy_buffer(void)
{
	size_t from, bytes, to;
	struct memory *a = a_buffer(&from, &bytes, false), *b = PICK(memories, it->o && it->format < 0);
	struct command *c;
	struct queue *q;

	if (!a || b->world != a->world || b->size <= bytes)
		return;
	to = below((unsigned)(b->size - bytes));
	/* PoCL lets parts of one buffer overlap. */
	if (!may(b, to, bytes, true) || (a->storage == b->storage && a != b))
		return;
	q = a_queue(a->world);
	c = begin(q, "copy");
	use(c, a, from, bytes, false);
	use(c, b, to, bytes, true);
	waits_are_known(c, false);
	enqueued(c, SAY(at("copy"), clEnqueueCopyBuffer(q->o, a->o, b->o, from, to, bytes, WAITS, EVENT(c))), false);
}

void copy_rectangle(void)
{
	size_t region[3] = { 1 + below(30), 1 + below(4), 1 + below(2) }, there[3] = { below(20), below(3), 0 };
	size_t here[3] = { below(8), below(2), below(2) }, row, slice, to_row, to_slice, from, bytes;
	struct memory *a = a_buffer(&from, &bytes, false), *b = PICK(memories, it->o && it->format < 0);
	struct command *c;
	struct queue *q;

	/* PoCL 3.1 does not survive sub-buffers. */
	if (!a || b->world != a->world || a == b || a->is_part || b->is_part || !may(a, 0, a->size, false) || !may(b, 0, b->size, true))
		return;
	a_pitch(region, &row, &slice);
	a_pitch(region, &to_row, &to_slice);
	q = a_queue(a->world);
	c = begin(q, "copy rectangle");
	use(c, a, 0, a->size, false);
	use(c, b, 0, b->size, true);
	waits_are_known(c, false);
	enqueued(c, SAY(at("copy"), clEnqueueCopyBufferRect(q->o, a->o, b->o, there, here, region, row, slice, to_row, to_slice, WAITS,
							    EVENT(c))), false);
}

void migrate(void)
{
	struct memory *m = PICK(memories, it->o);
	struct command *c;
	struct queue *q;

	if (!m || !may(m, 0, m->size, true))
		return;
	q = a_queue(m->world);
	c = begin(q, "migrate");
	use(c, m, 0, m->size, true);
	waits_are_known(c, false);
	enqueued(c, SAY(at("migrate"), clEnqueueMigrateMemObjects(q->o, 1, &m->o, chance(50) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, WAITS,
								  EVENT(c))), false);
}

/* ---- images ------------------------------------------------------------------------------------- */

static void a_region(size_t *origin, size_t *region)
{
	origin[0] = below(EDGE), origin[1] = below(EDGE), origin[2] = 0;
	region[0] = 1 + below((unsigned)(EDGE - origin[0])), region[1] = 1 + below((unsigned)(EDGE - origin[1])), region[2] = 1;
}

void move_image(void)
{
	struct memory *m = PICK(memories, it->o && it->format >= 0);
	bool writes = chance(50), blocking;
	size_t origin[3], region[3], pitch;
	struct command *c;
	struct queue *q;
	cl_int answer;

	if (!m || !may(m, 0, m->size, writes))
		return;
	a_region(origin, region);
	pitch = chance(50) ? 0 : (region[0] + below(3)) * pixel_bytes[m->format];
	q = a_queue(m->world);
	c = begin(q, writes ? "write image" : "read image");
	use(c, m, 0, m->size, writes);
	host_memory(c, (EDGE + 3) * EDGE * 8, !writes);
	blocking = waits_are_known(c, true);
	answer = writes ? SAY(at("write"), clEnqueueWriteImage(q->o, m->o, blocking, origin, region, pitch, 0, c->host, WAITS, EVENT(c))) :
			  SAY(at("read"), clEnqueueReadImage(q->o, m->o, blocking, origin, region, pitch, 0, c->host, WAITS, EVENT(c)));
	enqueued(c, answer, blocking);
}

void fill_image(void)
{
	struct memory *m = PICK(memories, it->o && it->format >= 0);
	const cl_float colour[4] = { 0.25f, 0.5f, 0.75f, 1 };
	const cl_uint numbers[4] = { 1, 22, 333, 4444 };
	size_t origin[3], region[3];
	struct command *c;
	struct queue *q;

	if (!m || !may(m, 0, m->size, true))
		return;
	a_region(origin, region);
	q = a_queue(m->world);
	c = begin(q, "fill image");
	use(c, m, 0, m->size, true);
	waits_are_known(c, false);
	enqueued(c, SAY(at("fill"), clEnqueueFillImage(q->o, m->o, m->format == 2 ? (const void *)numbers : colour, origin, region, WAITS,
						       EVENT(c))), false);
}

/* Between images, or an image and a buffer. */
void copy_image(void)
{
	struct memory *a = PICK(memories, it->o && it->format >= 0), *b = PICK(memories, it->o && it != a);
	const size_t zero[3] = { 0 };
	size_t origin[3], region[3];
	struct command *c;
	struct queue *q;
	cl_int answer;

	/* PoCL 3.1 does not survive sub-buffers. */
	if (!a || !b || a->world != b->world || b->is_part || !may(a, 0, a->size, true) || !may(b, 0, b->size, true))
		return;
	a_region(origin, region);
	q = a_queue(a->world);
	c = begin(q, "copy image");
	use(c, a, 0, a->size, true);
	use(c, b, 0, b->size, true);
	waits_are_known(c, false);
	if (b->format >= 0)
		answer = SAY(at("copy"), clEnqueueCopyImage(q->o, a->o, b->o, origin, zero, region, WAITS, EVENT(c)));
	else if (chance(50))
		answer = SAY(at("copy"), clEnqueueCopyImageToBuffer(q->o, a->o, b->o, origin, region, below(99), WAITS, EVENT(c)));
	else
		answer = SAY(at("copy"), clEnqueueCopyBufferToImage(q->o, b->o, a->o, below(99), origin, region, WAITS, EVENT(c)));
	enqueued(c, answer, false);
}

/* ---- maps --------------------------------------------------------------------------------------- */

static void end_map(struct map *map)
{
	struct memory *m = &memories[map->memory];
	struct queue *q = a_queue(m->world);
	struct command *c = begin(q, "unmap");
	unsigned char *to = map->at;

	if (map->access.writes)
		for (size_t row = 0; row < map->rows; row++)
			fill_bytes(map->at + row * map->pitch, map->row - !map->is_new, (uint32_t)now);
	c->access[c->accesses++] = map->access;
	waits_are_known(c, false);
	map->at = NULL;
	enqueued(c, SAY(at("unmap"), clEnqueueUnmapMemObject(q->o, m->o, to, WAITS, EVENT(c))), false);
}

/* What was asked for is mapped. */
static void mapped(struct map *map, struct command *c, bool blocking)
{
	enqueued(c, error, blocking);
	if (error != CL_SUCCESS) {
		map->at = NULL;
		return;
	}
	if (!blocking && c->event) {
		open_gates(c->gates);
		SAY(at("map"), clWaitForEvents(1, &c->event));
		settle(c);
	} else if (!blocking) {
		finish(c->queue);
	}
	for (size_t row = 0; !map->is_new && row < map->rows; row++)
		say_checksum(at("mapped"), map->at + row * map->pitch, map->row);
	if (memories[map->memory].host && memories[map->memory].format < 0)
		say_number(at("in the application's memory"), (char *)map->at - memories[map->memory].host);
}

static cl_map_flags map_flags(void)
{
	static const cl_map_flags ways[] = { CL_MAP_READ, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
					     CL_MAP_WRITE_INVALIDATE_REGION };

	return ways[below(COUNT(ways))];
}

void map_buffer(void)
{
	cl_map_flags flags = map_flags();
	bool writes = !(flags & CL_MAP_READ) || flags & CL_MAP_WRITE, blocking;
	size_t from, bytes;
	struct memory *m = a_buffer(&from, &bytes, writes);
	struct map *map = PICK(maps, !it->at);
	struct command *c;
	struct queue *q;

	if (!m || !map)
		return;
	q = a_queue(m->world);
	c = begin(q, "map");
	use(c, m, from, bytes, writes);
	*map = (struct map){ .memory = (int)(m - memories), .access = c->access[0], .row = bytes, .rows = 1 };
	blocking = waits_are_known(c, true);
	map->at = MAKE(at("map"), clEnqueueMapBuffer(q->o, m->o, blocking, flags, from, bytes, WAITS, EVENT(c), &error));
	map->is_new = flags & CL_MAP_WRITE_INVALIDATE_REGION;
	mapped(map, c, blocking);
}

void map_image(void)
{
	struct memory *m = PICK(memories, it->o && it->format >= 0);
	struct map *map = PICK(maps, !it->at);
	cl_map_flags flags = map_flags();
	bool writes = !(flags & CL_MAP_READ) || flags & CL_MAP_WRITE, blocking;
	size_t origin[3], region[3], pitch = 0;
	struct command *c;
	struct queue *q;

	if (!m || !map || !may(m, 0, m->size, writes))
		return;
	a_region(origin, region);
	q = a_queue(m->world);
	c = begin(q, "map image");
	use(c, m, 0, m->size, writes);
	*map = (struct map){ .memory = (int)(m - memories), .access = c->access[0], .rows = region[1] };
	map->row = region[0] * pixel_bytes[m->format];
	blocking = waits_are_known(c, true);
	map->at = MAKE(at("map"), clEnqueueMapImage(q->o, m->o, blocking, flags, origin, region, &pitch, NULL, WAITS, EVENT(c), &error));
	map->pitch = pitch;
	map->is_new = flags & CL_MAP_WRITE_INVALIDATE_REGION;
	mapped(map, c, blocking);
}

void end_some_map(void)
{
	struct map *map = PICK(maps, it->at);

	if (map)
		end_map(map);
}

void end_maps(void)
{
	for (int i = 0; i < MAPS; i++)
		if (maps[i].at)
			end_map(&maps[i]);
}

/* ---- contents ----------------------------------------------------------------------------------- */

void look_at_all(void)
{
	static unsigned char bytes[LARGE];
	const size_t zero[3] = { 0 }, whole[3] = { EDGE, EDGE, 1 };

	finish_all();
	for (struct memory *m = memories; m < memories + MEMORIES; m++) {
		cl_command_queue queue;

		if (!m->o || !may(m, 0, m->size, false) || !host_may(m, false))
			continue;
		queue = a_queue(m->world)->o;
		if (m->format < 0)
			SAY(at("contents"), clEnqueueReadBuffer(queue, m->o, CL_TRUE, 0, m->size, bytes, 0, NULL, NULL));
		else
			SAY(at("contents"), clEnqueueReadImage(queue, m->o, CL_TRUE, zero, whole, 0, 0, bytes, 0, NULL, NULL));
		say_checksum(at("contents"), bytes, m->size);
	}
}
