/* What commands of a random history wait for, and what is known of them: see history.h. */
#include "history.h"

struct setup s;
cl_context worlds[WORLDS];
struct queue queues[QUEUES];
struct memory memories[MEMORIES];
struct command commands[COMMANDS];
struct gate gates[GATES];
cl_event waits[MOST_WAITS];
cl_uint wait_count;
int now;

static uint64_t random_state;

/* ---- chance ------------------------------------------------------------------------------------- */

void begin_chance(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 1;
}

unsigned below(unsigned bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 33) % bound;
}

bool chance(unsigned percent)
{
	return below(100) < percent;
}

const char *at(const char *what)
{
	static char label[80];

	snprintf(label, sizeof(label), "%d %s", now, what);
	return label;
}

/* ---- what commands wait for --------------------------------------------------------------------- */

bool touches(const struct access *a, const struct access *b)
{
	return a->storage == b->storage && (a->writes || b->writes) && a->from < b->from + b->bytes && b->from < a->from + a->bytes;
}

void settle(struct command *c)
{
	c->runs = false;
	c->gates = 0;
	c->accesses = 0;
	if (c->event)
		say_event(at(c->what), c->event);
	else
		c->used = false;
	if (c->reads)
		say_checksum(at(c->what), c->host, c->bytes);
	free(c->host);
	c->host = NULL;
	c->reads = false;
}

void open_gates(unsigned which)
{
	for (int i = 0; i < GATES; i++) {
		if (!(which & 1u << i) || !gates[i].pending)
			continue;
		SAY(at("gate opens"), clSetUserEventStatus(gates[i].o, CL_COMPLETE));
		gates[i].pending = false;
		for (int k = 0; k < QUEUES; k++) {
			queues[k].last &= ~(1u << i);
			queues[k].all &= ~(1u << i);
		}
		for (int k = 0; k < COMMANDS; k++)
			commands[k].gates &= ~(1u << i);
	}
}

void finish(int queue)
{
	open_gates(queues[queue].all);
	SAY(at("finish"), clFinish(queues[queue].o));
	for (int i = 0; i < COMMANDS; i++)
		if (commands[i].runs && commands[i].queue == queue)
			settle(&commands[i]);
}

void finish_all(void)
{
	for (int i = 0; i < QUEUES; i++)
		finish(i);
	/* Of queues that are released. */
	for (struct command *c = commands; c < commands + COMMANDS; c++)
		if (c->runs) {
			SAY(at("event"), clWaitForEvents(1, &c->event));
			settle(c);
		}
}

void release_event(struct command *c)
{
	SAY(at("event"), clReleaseEvent(c->event));
	c->event = NULL;
	if (!c->runs)
		c->used = false;
}

struct command *begin(const struct queue *q, const char *what)
{
	struct command *c = PICK(commands, !it->used);

	if (!c) {
		finish_all();
		for (int i = 0; i < COMMANDS; i++)
			if (commands[i].used)
				release_event(&commands[i]);
		c = &commands[0];
	}
	*c = (struct command){ .what = what, .queue = (int)(q - queues), .world = q->world, .wants = chance(85) };
	wait_count = 0;
	return c;
}

void use(struct command *c, const struct memory *m, size_t from, size_t bytes, bool writes)
{
	c->access[c->accesses++] = (struct access){ m->storage, m->origin + from, bytes, writes };
}

static void wait_for(struct command *c, struct command *other)
{
	if (other->runs && other->queue != c->queue && other->queue < QUEUES)
		SAY(at("flush"), clFlush(queues[other->queue].o));
	c->gates |= other->gates;
	waits[wait_count++] = other->event;
}

/* Whether the queue has a command run after another one. */
static bool is_behind(const struct command *c, const struct command *other)
{
	const struct queue *q = &queues[c->queue];

	return c->queue == other->queue && (q->ordered || (q->has_order && other->epoch < q->epoch));
}

void wait_for_some(struct command *c)
{
	for (unsigned count = below(4); count > 0; count--) {
		struct command *other = PICK(commands, it->used && it->event && it->world == c->world);
		struct gate *gate = PICK(gates, it->o && it->world == c->world);

		if (other && chance(80)) {
			wait_for(c, other);
		} else if (gate && chance(50)) {
			c->gates |= gate->pending ? 1u << (gate - gates) : 0;
			waits[wait_count++] = gate->o;
		}
	}
	/* More than fit in one message of a session. */
	if (wait_count > 0 && chance(2))
		for (cl_uint few = wait_count; wait_count < 1100; wait_count++)
			waits[wait_count] = waits[wait_count % few];
}

bool waits_are_known(struct command *c, bool may_block)
{
	const struct queue *q = &queues[c->queue];
	bool blocking = may_block && chance(35);

	for (struct command *other = commands; other < commands + COMMANDS; other++) {
		bool conflict = false;

		for (int i = 0; other->runs && i < c->accesses; i++)
			for (int k = 0; k < other->accesses; k++)
				conflict |= touches(&c->access[i], &other->access[k]);
		if (!conflict || is_behind(c, other))
			continue;
		if (other->event)
			wait_for(c, other);
		else
			finish(other->queue);
	}
	if (chance(40))
		wait_for_some(c);
	c->gates |= q->ordered ? q->all : q->last;
	/* PoCL 3.1 waits for all of the queue then. */
	if (blocking) {
		open_gates(c->gates | q->all);
		c->gates = 0;
	}
	c->epoch = q->epoch;
	return blocking;
}

void enqueued(struct command *c, cl_int answer, bool blocking)
{
	struct queue *q = &queues[c->queue];

	c->used = c->runs = answer == CL_SUCCESS;
	if (!c->used) {
		free(c->host);
		return;
	}
	q->all |= c->gates;
	if (blocking)
		settle(c);
}

struct queue *a_queue(int world)
{
	return PICK(queues, it->o && it->world == world);
}

