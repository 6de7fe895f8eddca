/* Objects, their references and indices: see objects.h. */
#include "objects.h"

#include <stdlib.h>

uint32_t index_take(struct session *s, uint32_t kind)
{
	struct indices *t = &s->indices[kind];
	uint32_t index = 0;

	pthread_mutex_lock(&s->index_lock);
	if (t->free_count)
		index = t->free[--t->free_count];
	else if (t->next <= t->most)
		index = t->next++;
	pthread_mutex_unlock(&s->index_lock);
	return index;
}

static void index_give(struct session *s, uint32_t kind, uint32_t index)
{
	struct indices *t = &s->indices[kind];

	pthread_mutex_lock(&s->index_lock);
	if (!t->free)
		t->free = malloc(t->most * sizeof(*t->free));
	if (t->free)
		t->free[t->free_count++] = index;
	pthread_mutex_unlock(&s->index_lock);
}

void index_release(struct session *s, uint32_t kind, uint32_t index)
{
	struct call_release call = { .kind = kind, .index = index };

	call_release(s, &call, NULL);
	index_give(s, kind, index);
}

/* Notes which object has an index. Without memory for the notes none is found. */
static void index_names(struct session *s, uint32_t kind, uint32_t index, const void *object)
{
	struct indices *t = &s->indices[kind];

	if (kind != KIND_MEM && kind != KIND_SAMPLER)
		return;
	pthread_mutex_lock(&s->index_lock);
	if (!t->object)
		t->object = calloc(t->most + 1, sizeof(*t->object));
	if (t->object)
		t->object[index] = object;
	pthread_mutex_unlock(&s->index_lock);
}

const struct object *object_find(struct session *s, uint32_t kind, const void *address)
{
	const struct indices *t = &s->indices[kind];
	const struct object *found = NULL;
	uint32_t i;

	pthread_mutex_lock(&s->index_lock);
	for (i = 1; t->object && address && !found && i < t->next; i++)
		if (t->object[i] == address)
			found = address;
	pthread_mutex_unlock(&s->index_lock);
	return found;
}

void *object_new(struct session *s, uint32_t kind, size_t bytes, void (*destroy)(struct object *))
{
	struct object *o = calloc(1, bytes);

	if (!o)
		return NULL;
	o->index = index_take(s, kind);
	if (o->index == 0) {
		free(o);
		return NULL;
	}
	index_names(s, kind, o->index, o);
	o->dispatch = &sluice_dispatch;
	o->magic = OBJECT_MAGIC + kind;
	o->kind = kind;
	o->references = 1;
	o->session = s;
	o->destroy = destroy;
	return o;
}

void object_discard(void *object)
{
	struct object *o = object;

	index_names(o->session, o->kind, o->index, NULL);
	index_give(o->session, o->kind, o->index);
	o->magic = 0;
	free(o);
}

void object_retain(void *object)
{
	__atomic_fetch_add(&((struct object *)object)->references, 1, __ATOMIC_RELAXED);
}

void object_release(void *object)
{
	struct object *o = object;

	if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) != 0 || !o->destroy)
		return;
	o->destroy(o);
	/* The host has an object of every kind's but those of a session that is another process's. */
	index_names(o->session, o->kind, o->index, NULL);
	if (o->session == session_current())
		index_release(o->session, o->kind, o->index);
	o->magic = 0;
	free(o);
}

void object_hold(void *object)
{
	__atomic_fetch_add(&((struct object *)object)->implicit, 1, __ATOMIC_RELAXED);
	object_retain(object);
}

bool object_hold_live(void *object)
{
	struct object *o = object;
	uint32_t references = __atomic_load_n(&o->references, __ATOMIC_RELAXED);

	while (references > 0)
		if (__atomic_compare_exchange_n(&o->references, &references, references + 1, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&o->implicit, 1, __ATOMIC_RELAXED);
			return true;
		}
	return false;
}

void object_drop(void *object)
{
	if (!object)
		return;
	__atomic_fetch_sub(&((struct object *)object)->implicit, 1, __ATOMIC_RELAXED);
	object_release(object);
}

cl_uint object_references(const void *object)
{
	const struct object *o = object;

	return __atomic_load_n(&o->references, __ATOMIC_RELAXED) -
	       __atomic_load_n(&o->implicit, __ATOMIC_RELAXED);
}

bool callback_add(struct callback **list, void (*function)(void), void *data)
{
	struct callback *c = malloc(sizeof(*c));

	if (!c)
		return false;
	c->function = function;
	c->data = data;
	c->next = __atomic_load_n(list, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(list, &c->next, c, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return true;
}

void *list_copy(const void *list, size_t item, size_t *bytes)
{
	static const uint8_t zeros[16];
	const uint8_t *at = list;
	void *copy;

	*bytes = 0;
	if (!list)
		return NULL;
	/* Keys and values in turn; a key of 0 ends it. */
	while (memcmp(at, zeros, item) != 0)
		at += 2 * item;
	at += item;
	*bytes = (size_t)(at - (const uint8_t *)list);
	copy = malloc(*bytes);
	if (copy)
		memcpy(copy, list, *bytes);
	else
		*bytes = 0;
	return copy;
}
