/* A program of a few hundred bytes that takes its compiler all memory. Prints "builds", then how that ended. */
#include "../programs/check.h"

static const char text[] =
	"#define A 1,1,1,1,1,1,1,1,1,1\n"
	"#define B A,A,A,A,A,A,A,A,A,A\n"
	"#define C B,B,B,B,B,B,B,B,B,B\n"
	"#define D C,C,C,C,C,C,C,C,C,C\n"
	"#define E D,D,D,D,D,D,D,D,D,D\n"
	"#define F E,E,E,E,E,E,E,E,E,E\n"
	"#define G F,F,F,F,F,F,F,F,F,F\n"
	"#define H G,G,G,G,G,G,G,G,G,G\n"
	"constant int ones[] = { H };\n"
	"kernel void pick(global int *out) { out[0] = ones[out[1]]; }\n";

int main(void)
{
	struct setup s = set_up();
	const char *sources[] = { text };
	cl_program program = NEED(clCreateProgramWithSource(s.context, 1, sources, NULL, &error));

	printf("builds\n");
	fflush(stdout);
	printf("build: %s\n", error_name(clBuildProgram(program, 1, &s.device, NULL, NULL, NULL)));
	return 0;
}
