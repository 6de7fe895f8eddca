/* Destructor callbacks of memory: in which order, and not before the object goes. */
#include "check.h"

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
	tear_down(&s);
	return 0;
}
