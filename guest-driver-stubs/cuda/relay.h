/*
 * Messages between the library and the relay: docs/relay-protocol.md.
 */
#ifndef SLUICE_CUDA_RELAY_H
#define SLUICE_CUDA_RELAY_H

#include <stdint.h>

#define RELAY_VERSION 1
#define RELAY_MOST_BYTES 65536 /* of a message, header included */
#define RELAY_NO_FILE 0xffffffffu

enum relay_op {
	RELAY_HELLO = 1,
	RELAY_OPEN = 2,
	RELAY_CLOSE = 3,
	RELAY_IOCTL = 4,
	RELAY_MAP = 5,
	/* of a session only */
	RELAY_MEMORY = 6,
	RELAY_RESERVE = 7,
	RELAY_RELEASE = 8,
	/* of a socket only */
	RELAY_WATCH = 9,
};

struct relay_request {
	uint32_t bytes;
	uint32_t op;
	uint32_t file;
	uint32_t argument;
	uint64_t address;
	uint64_t length;
};

struct relay_reply {
	uint32_t bytes;
	uint32_t error;
	uint32_t file;
	uint32_t value;
	uint64_t address;
	uint64_t length;
};

/* The body of HELLO's reply begins so; the shapes and the nodes follow. */
struct relay_hello {
	uint32_t shapes;
	uint32_t nodes;
};

enum relay_shape_kind {
	SHAPE_UVM = 1,
	SHAPE_CLASS = 2,
	SHAPE_NESTED = 3,
	SHAPE_FD_RM = 4,
	SHAPE_FD_CLASS = 5,
	SHAPE_FD_UVM = 6,
};

struct relay_shape {
	uint32_t kind;
	uint32_t key;
	uint32_t bytes;
	uint32_t offset;
	uint32_t count;
	uint32_t element;
};

enum relay_node_kind {
	NODE_RM = 1,
	NODE_UVM = 2,
	NODE_OTHER = 3,
};

struct relay_node {
	char name[48];
	uint32_t kind;
	uint32_t major;
	uint32_t minor;
	uint32_t mode;
};

/* RM's request words, and where its arguments have what the library looks at. */
#define RM_MAGIC 'F'
#define RM_ALLOC_MEMORY 0x27
#define RM_CONTROL 0x2a
#define RM_ALLOC 0x2b

#define RM_ALLOC_CLASS 12
#define RM_ALLOC_POINTER 16
#define RM_ALLOC_RIGHTS 24 /* in 48 bytes */
#define RM_ALLOC_SIZE_48 32
#define RM_ALLOC_SIZE_32 24

#define RM_CONTROL_COMMAND 8
#define RM_CONTROL_POINTER 16
#define RM_CONTROL_SIZE 24
#define RM_CONTROL_BYTES 32

#define RM_MEMORY_CLASS 12
#define RM_MEMORY_POINTER 24
#define RM_MEMORY_LAST 32
#define RM_MEMORY_BYTES 56
#define RM_CLASS_OS_DESCRIPTOR 0x71

_Static_assert(sizeof(struct relay_request) == 32, "header of a request");
_Static_assert(sizeof(struct relay_reply) == 32, "header of a reply");
_Static_assert(sizeof(struct relay_hello) == 8, "begin of HELLO's reply");
_Static_assert(sizeof(struct relay_shape) == 24, "shape");
_Static_assert(sizeof(struct relay_node) == 64, "node");

#endif
