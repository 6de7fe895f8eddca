/* Destructor callbacks of memory: in which order, and not before the object goes. */
#include "check.h"

#include <sys/mman.h>

static _Atomic int called;

static void CL_CALLBACK gone(cl_mem mem, void *which)
{
	(void)mem;
	say_text("gone", which);
	called++;
}

static void wait_for(int many)
{
	while (called < many)
		;
}

static void wrong(cl_mem buffer)
{
	SAY("NULL", clSetMemObjectDestructorCallback(NULL, gone, NULL));
	SAY("no function", clSetMemObjectDestructorCallback(buffer, NULL, NULL));
}

struct storage {
	void *memory;
	cl_event told;
	_Atomic int early;
	_Atomic bool may_go;
};

static void CL_CALLBACK unmap(cl_mem mem, void *user)
{
	struct storage *storage = user;

	(void)mem;
	storage->early += !storage->may_go;
	munmap(storage->memory, 4096);
	clSetUserEventStatus(storage->told, CL_COMPLETE);
}

/* An object is given up before the commands that use it have run: its storage is needed until then. */
static void in_use(const struct setup *s, cl_command_queue_properties properties)
{
	static struct storage storage;
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, properties, &error));
	cl_event gate = NEED(clCreateUserEvent(s->context, &error)), mapped;
	cl_mem buffer;
	void *at;

	storage.memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	storage.told = NEED(clCreateUserEvent(s->context, &error));
	storage.may_go = false;
	buffer = NEED(clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, 4096, storage.memory, &error));
	SAY("in use", clSetMemObjectDestructorCallback(buffer, unmap, &storage));
	at = MAKE("behind the gate", clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 4096, 1, &gate, &mapped, &error));
	SAY("behind the map", clEnqueueUnmapMemObject(queue, buffer, at, 1, &mapped, NULL));
	SAY("in use", clReleaseMemObject(buffer));
	storage.may_go = true;
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("queue", clFinish(queue));
	SAY("told", clWaitForEvents(1, &storage.told));
	say_number("gone before its commands ran", storage.early);
	MUST(clReleaseEvent(mapped));
	MUST(clReleaseEvent(storage.told));
	MUST(clReleaseEvent(gate));
	MUST(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct setup s = set_up();
	cl_mem buffer = buffer_of(&s, 4096, 1), part;
	cl_buffer_region region = { 0, 1024 };

	wrong(buffer);
	SAY("first", clSetMemObjectDestructorCallback(buffer, gone, "first"));
	SAY("second", clSetMemObjectDestructorCallback(buffer, gone, "second"));
	SAY("third", clSetMemObjectDestructorCallback(buffer, gone, "third"));
	SAY("once more", clRetainMemObject(buffer));
	SAY("once less", clReleaseMemObject(buffer));
	say_number("called", called);
	part = NEED(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	SAY("part", clSetMemObjectDestructorCallback(part, gone, "part"));
	SAY("queue", clFinish(s.queue));
	SAY("part", clReleaseMemObject(part));
	wait_for(1);
	SAY("buffer", clReleaseMemObject(buffer));
	wait_for(4);
	say_number("called", called);
	in_use(&s, 0);
	in_use(&s, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	tear_down(&s);
	return 0;
}
