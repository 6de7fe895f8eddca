/*
 * The table of calls and nodes that the relay sends at the beginning.
 */
#include "library.h"

#include <errno.h>
#include <string.h>

#define BODY_BYTES (RELAY_MOST_BYTES - sizeof(struct relay_reply))
#define DEVICES "/dev/"

static struct relay_shape shape[BODY_BYTES / sizeof(struct relay_shape)];
static struct relay_node node[BODY_BYTES / sizeof(struct relay_node)];
static uint32_t shapes, nodes;

int shapes_read_locked(const uint8_t *body, uint32_t bytes)
{
	struct relay_hello head;
	uint32_t i;

	shapes = nodes = 0;
	if (bytes < sizeof(head))
		return -EPROTO;
	memcpy(&head, body, sizeof(head));
	if (sizeof(head) + (uint64_t)head.shapes * sizeof(*shape) + (uint64_t)head.nodes * sizeof(*node) != bytes)
		return -EPROTO;
	memcpy(shape, body + sizeof(head), head.shapes * sizeof(*shape));
	memcpy(node, body + sizeof(head) + head.shapes * sizeof(*shape), head.nodes * sizeof(*node));
	for (i = 0; i < head.nodes; i++)
		node[i].name[sizeof(node[i].name) - 1] = 0;
	shapes = head.shapes;
	nodes = head.nodes;
	return 0;
}

const struct relay_shape *shape_next_locked(const struct relay_shape *after, uint32_t kind, uint32_t key)
{
	const struct relay_shape *next = after ? after + 1 : shape;

	for (; next < shape + shapes; next++)
		if (next->kind == kind && next->key == key)
			return next;
	return NULL;
}

const char *node_name(const char *path)
{
	if (!path || strncmp(path, DEVICES "nvidia", sizeof(DEVICES "nvidia") - 1) != 0)
		return NULL;
	return path + sizeof(DEVICES) - 1;
}

int node_find_locked(const char *name)
{
	uint32_t i;

	for (i = 0; i < nodes; i++)
		if (strcmp(node[i].name, name) == 0)
			return (int)i;
	return -ENOENT;
}

const struct relay_node *node_at_locked(unsigned index)
{
	return &node[index];
}
