/*
 * A user who owns nothing and pretends to be a CUDA program, without its library: messages that are none, each
 * of which must end that session alone; requests that must be refused, after which the session goes on; memory that
 * the relay wants and gets late, twice, of another length, or not at all; all the sessions that he may have, beside
 * which another user gets one; noise, in messages and words that change while they are read, and processes killed in the
 * middle of anything. A session that is open all the time must go on.
 *
 *	pretender [SECONDS [SEED]]
 *
 * Started as root, as nobody of whom it runs.
 */
#include "lies.h"

#include <signal.h>
#include <stdlib.h>

#define USER 1002
#define NEIGHBOUR 1003
#define NOISY 3 /* processes */
#define MOST_OF_A_USER (SLUICE_MAX_API_SESSIONS / 4 * 3)

/* docs/relay-protocol.md */
#define VERSION 1
#define MESSAGE_BYTES 65536
#define SEGMENT_BYTES (16u << 20)
#define MOST_BYTES (1ull << 30)
#define AT_REQUESTS 0x40
#define AT_REPLIES 0x80
#define AT_WANTED 0x84
#define AT_WANTED_BYTES 0x88
#define AT_EVENTS 0x200
#define AT_MESSAGE 0x1000

enum op { HELLO = 1, OPEN, CLOSE, IOCTL, MAP, MEMORY, RESERVE, RELEASE };

struct request {
	uint32_t bytes;
	uint32_t op;
	uint32_t file;
	uint32_t argument;
	uint64_t address;
	uint64_t length;
	uint8_t body[64];
};

struct reply {
	uint32_t bytes;
	uint32_t error;
	uint32_t file;
	uint32_t value;
	uint64_t address;
	uint64_t length;
};

#define HEADER ((uint32_t)sizeof(struct reply))

static int seconds = 3;

/* ---- messages ----------------------------------------------------------------------------------- */

static uint32_t counted(const struct session *s, uint32_t at)
{
	return __atomic_load_n(word(s, at), __ATOMIC_ACQUIRE);
}

/* Counts a request, and waits for what comes; a negative errno when the session has ended. */
static int turn(const struct session *s)
{
	uint32_t before = counted(s, AT_REPLIES);
	int looks;

	__atomic_add_fetch(word(s, AT_REQUESTS), 1, __ATOMIC_RELEASE);
	api_ring(s->fd);
	for (looks = 0; looks < LOOKS && counted(s, AT_REPLIES) == before && state(s) == 0; looks++)
		api_wait(s->fd, AT_REPLIES, before, LOOK_MS);
	if (counted(s, AT_REPLIES) != before)
		return 0;
	return state(s) ? -(int)state(s) : -ETIMEDOUT;
}

static int send(const struct session *s, const struct request *request)
{
	memcpy(s->memory + AT_MESSAGE, request, sizeof(*request));
	return turn(s);
}

/* The errno of the reply, or with which the session has ended. */
static int answer(const struct session *s, int ret, struct reply *reply)
{
	if (ret)
		return ret;
	memcpy(reply, s->memory + AT_MESSAGE, sizeof(*reply));
	return -(int)reply->error;
}

static int ask(const struct session *s, const struct request *request, struct reply *reply)
{
	return answer(s, send(s, request), reply);
}

static struct session begin(void)
{
	struct request hello = { .bytes = HEADER, .op = HELLO, .argument = VERSION };
	struct session s = session_open(SLUICE_API_CUDA);
	struct reply reply;

	must("hello", ask(&s, &hello, &reply));
	return s;
}

/* A file of the control node. */
static int open_control(const struct session *s, uint32_t *file)
{
	struct request request = { .bytes = HEADER + 16, .op = OPEN, .body = "nvidiactl" };
	struct reply reply;
	int ret = ask(s, &request, &reply);

	*file = reply.file;
	return ret;
}

static void works(const char *who, const struct session *s)
{
	struct request request = { .bytes = HEADER, .op = CLOSE };
	struct reply reply;

	expect(who, 0, open_control(s, &request.file));
	expect(who, 0, ask(s, &request, &reply));
}

/* ---- what is no message ------------------------------------------------------------------------- */

static void lie(const char *name, bool greeted, struct request request)
{
	struct session s = greeted ? begin() : session_open(SLUICE_API_CUDA);

	expect(name, EPIPE, send(&s, &request));
	session_close(&s);
}

static void lies(void)
{
	lie("a message of nothing", false, (struct request){ .op = HELLO });
	lie("a message shorter than its header", false, (struct request){ .bytes = 24, .op = HELLO });
	lie("a message of an odd length", false, (struct request){ .bytes = 36, .op = HELLO });
	lie("a message that is too long", false, (struct request){ .bytes = MESSAGE_BYTES + 8, .op = HELLO });
	lie("a message without end", false, (struct request){ .bytes = ~7u, .op = HELLO });
	lie("another version", false, (struct request){ .bytes = HEADER, .op = HELLO, .argument = VERSION + 1 });
	lie("a file before the beginning", false, (struct request){ .bytes = HEADER + 16, .op = OPEN, .body = "nvidiactl" });
	lie("hello again", true, (struct request){ .bytes = HEADER, .op = HELLO, .argument = VERSION });
	lie("an operation that is none", true, (struct request){ .bytes = HEADER, .op = 0 });
	lie("an operation that is not there", true, (struct request){ .bytes = HEADER, .op = 9 });
	lie("a negative operation", true, (struct request){ .bytes = HEADER, .op = ~0u });
	lie("memory that nobody wants", true, (struct request){ .bytes = HEADER, .op = MEMORY });
	lie("a name of nothing", true, (struct request){ .bytes = HEADER, .op = OPEN });
	lie("a name without an end", true,
	    (struct request){ .bytes = HEADER + 8, .op = OPEN, .body = { 'n', 'v', 'i', 'd', 'i', 'a', 'c', 't' } });
	lie("a name that is too long", true, (struct request){ .bytes = HEADER + 4096, .op = OPEN, .body = "nvidiactl" });
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void refused(const struct session *s, const char *name, int expected, struct request request)
{
	struct reply reply;

	expect(name, expected, ask(s, &request, &reply));
}

static void refusals(void)
{
	struct session s = begin();
	struct request blocks = { .bytes = HEADER + 16, .op = IOCTL, .length = 9 };
	uint32_t file;

	refused(&s, "no such node", ENOENT, (struct request){ .bytes = HEADER + 16, .op = OPEN, .body = "nvidia77" });
	refused(&s, "another file", ENOENT, (struct request){ .bytes = HEADER + 16, .op = OPEN, .body = "../etc/passwd" });
	refused(&s, "close of no file", EBADF, (struct request){ .bytes = HEADER, .op = CLOSE, .file = 77 });
	refused(&s, "map of no file", EBADF, (struct request){ .bytes = HEADER + 8, .op = MAP, .file = ~0u });
	refused(&s, "a call of no file", EBADF, (struct request){ .bytes = HEADER + 8, .op = IOCTL, .file = 1u << 31 });
	refused(&s, "nothing is reserved", EINVAL, (struct request){ .bytes = HEADER, .op = RESERVE });
	refused(&s, "less than nothing", EINVAL, (struct request){ .bytes = HEADER, .op = RESERVE, .length = ~0ull });
	refused(&s, "more than there may be", ENOMEM,
		(struct request){ .bytes = HEADER, .op = RESERVE, .length = MOST_BYTES + 1 });
	refused(&s, "far more", ENOMEM, (struct request){ .bytes = HEADER, .op = RESERVE, .length = ~0ull >> 1 });
	refused(&s, "release of nothing", EINVAL, (struct request){ .bytes = HEADER, .op = RELEASE, .file = 1 });
	expect("a file", 0, open_control(&s, &file));
	refused(&s, "map of what nothing prepared", EINVAL,
		(struct request){ .bytes = HEADER + 8, .op = MAP, .file = file, .length = PAGE });
	works("after all that", &s);
	blocks.file = file;
	expect("nine blocks", EPIPE, send(&s, &blocks));
	session_close(&s);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static uint64_t wanted_bytes(const struct session *s)
{
	uint64_t bytes;

	memcpy(&bytes, s->memory + AT_WANTED_BYTES, sizeof(bytes));
	return bytes;
}

/* Says what has come of the memory that is wanted; the errno of the reply, 0 when more is wanted. */
static int say(const struct session *s, uint32_t error, struct reply *reply)
{
	struct request memory = { .bytes = HEADER, .op = MEMORY, .argument = error };
	int ret = send(s, &memory);

	return ret || counted(s, AT_WANTED) ? ret : answer(s, 0, reply);
}

static int reserve(const struct session *s, uint64_t bytes)
{
	struct request request = { .bytes = HEADER, .op = RESERVE, .length = bytes };

	return send(s, &request);
}

static void none_is_given(const char *name, uint32_t error)
{
	struct session s = begin();
	struct reply reply;

	must("reserve", reserve(&s, PAGE));
	expect_true("memory is wanted", counted(&s, AT_WANTED) == 1 && wanted_bytes(&s) == SEGMENT_BYTES);
	must("none comes", say(&s, error, &reply));
	expect_true("less is wanted", counted(&s, AT_WANTED) == 1 && wanted_bytes(&s) == PAGE);
	expect(name, ENOMEM, say(&s, error, &reply));
	works("without it", &s);
	session_close(&s);
}

static void memory(void)
{
	struct session s = begin();
	struct request nothing = { .bytes = HEADER + 16, .op = OPEN, .body = "nvidiactl" };
	struct reply reply;
	int given = 0, ret;

	expect("memory before it is wanted", EINVAL, api_segment(s.fd, 1, SEGMENT_BYTES, 0));
	must("reserve", reserve(&s, PAGE));
	expect("another segment", EINVAL, api_segment(s.fd, 2, SEGMENT_BYTES, 0));
	expect("more than is wanted", EINVAL, api_segment(s.fd, 1, SEGMENT_BYTES + PAGE, 0));
	expect("less", EINVAL, api_segment(s.fd, 1, PAGE, 0));
	/* What it writes there does not count. */
	*word(&s, AT_WANTED) = 2;
	expect("a segment that it wants itself", EINVAL, api_segment(s.fd, 2, SEGMENT_BYTES, 0));
	*word(&s, AT_WANTED) = 1;
	expect("the segment", 0, api_segment(s.fd, 1, SEGMENT_BYTES, 0));
	expect("the segment again", EBUSY, api_segment(s.fd, 1, SEGMENT_BYTES, 0));
	expect("it is reserved", 0, say(&s, 0, &reply));
	refused(&s, "release of another page", EINVAL,
		(struct request){ .bytes = HEADER, .op = RELEASE, .file = reply.file, .address = reply.address + PAGE });
	refused(&s, "release", 0,
		(struct request){ .bytes = HEADER, .op = RELEASE, .file = reply.file, .address = reply.address });
	refused(&s, "release again", EINVAL,
		(struct request){ .bytes = HEADER, .op = RELEASE, .file = reply.file, .address = reply.address });

	/* As much as there is: more than what is wanted last is never asked for. */
	for (ret = 0; ret == 0 && given < SLUICE_MAX_API_SEGMENTS; ) {
		ret = reserve(&s, SEGMENT_BYTES);
		while (ret == 0 && counted(&s, AT_WANTED)) {
			int no = -api_segment(s.fd, counted(&s, AT_WANTED), wanted_bytes(&s), 0);

			given += no == 0;
			ret = say(&s, (uint32_t)no, &reply);
		}
		if (ret == 0)
			ret = answer(&s, 0, &reply);
	}
	expect("as much as there is", ENOMEM, ret);
	expect_true("there was some", given > 0 && given < SLUICE_MAX_API_SEGMENTS);
	works("with all of it", &s);
	session_close(&s);

	none_is_given("none is given", ENOMEM);
	none_is_given("none is given, and that is not said", 0);
	s = begin();
	must("reserve", reserve(&s, PAGE));
	must("another request instead", send(&s, &nothing));
	expect("which ends it", EPIPE, -(int)await_end(&s));
	session_close(&s);
	s = begin();
	must("reserve", reserve(&s, PAGE)); /* and leaves */
	session_close(&s);
}

/* ---- too many ----------------------------------------------------------------------------------- */

/* Another user, who begins when he is told to. */
static pid_t neighbour_start(int *told)
{
	int ends[2];
	char letter;
	pid_t child;

	must("pipe", result(pipe(ends)));
	child = fork();
	must("fork", result(child));
	if (child == 0) {
		struct session s;

		close(ends[1]);
		if (read(ends[0], &letter, 1) != 1)
			_exit(1);
		become(NEIGHBOUR);
		s = begin();
		works("the neighbour", &s);
		session_close(&s);
		_exit(failures != 0);
	}
	close(ends[0]);
	*told = ends[1];
	return child;
}

/* One of them is open already. */
static void too_many(pid_t neighbour, int told)
{
	int fds[SLUICE_MAX_API_SESSIONS];
	int opened = 0, ret = 0, status = 1, looks = 0;

	while (ret == 0 && opened < SLUICE_MAX_API_SESSIONS) {
		fds[opened] = device();
		while ((ret = api_open(fds[opened], SLUICE_API_CUDA, FIRST_BYTES, 0)) == -EAGAIN && looks++ < LOOKS)
			look_again(); /* they come too fast */
		opened++;
	}
	expect("sessions until there may be no more", EDQUOT, ret);
	expect_true("as many as one user may have", opened == MOST_OF_A_USER);
	expect_true("the neighbour is told", write(told, "", 1) == 1);
	expect_true("a program of another user", waitpid(neighbour, &status, 0) == neighbour && status == 0);
	while (opened > 0)
		close(fds[--opened]);
}

/* ---- noise -------------------------------------------------------------------------------------- */

static struct request any_request(void)
{
	struct request request = {
		.bytes = HEADER + 8 * (next_random() % 9),
		.op = next_random() % 10,
		.file = next_random() % 4,
		.argument = next_random() % 3 ? 0xc0204600 | next_random() % 256 : next_random(),
		.address = next_random() % 2 ? 0 : (uint64_t)next_random() << (next_random() % 32),
		.length = next_random() % 4 ? next_random() % 9 : (uint64_t)next_random() << (next_random() % 32),
	};
	uint32_t i;

	for (i = 0; i < sizeof(request.body); i++)
		request.body[i] = next_random() % 2 ? 0 : (uint8_t)next_random();
	if (request.op == OPEN && next_random() % 4)
		strcpy((char *)request.body, next_random() % 2 ? "nvidiactl" : "nvidia-uvm");
	return request;
}

/* Words of both sides, and the message, while it is read. */
static void noise(const struct session *s)
{
	static const uint32_t words[] = { AT_REPLIES, AT_WANTED, AT_WANTED_BYTES, SLUICE_API_STATE, AT_EVENTS };
	struct request request = any_request();
	int rounds = (int)(next_random() % 64);

	memcpy(s->memory + AT_MESSAGE, &request, sizeof(request));
	__atomic_add_fetch(word(s, AT_REQUESTS), next_random() % 8 ? 1 : next_random(), __ATOMIC_RELEASE);
	api_ring(s->fd);
	while (rounds-- > 0)
		*word(s, AT_MESSAGE + 4 * (next_random() % 16)) = next_random() % 2 ? next_random() % 64 : next_random();
	if (next_random() % 4 == 0)
		*word(s, words[next_random() % (sizeof(words) / sizeof(words[0]))]) = next_random() % 3;
	if (next_random() % 4 == 0)
		api_segment(s->fd, 1 + next_random() % 3, next_random() % 2 ? SEGMENT_BYTES : PAGE, 0);
	if (next_random() % 8 == 0)
		api_event(s->fd, AT_EVENTS + 4 * (next_random() % 64), 0);
}

static void make_noise(uint64_t until)
{
	while (now_ms() < until) {
		pid_t child = fork(); /* events that it makes are gone with it */

		if (child == 0) {
			struct session s = next_random() % 8 ? begin() : session_open(SLUICE_API_CUDA);
			int rounds = 1 + (int)(next_random() % 50);

			while (rounds-- > 0)
				noise(&s);
			if (next_random() % 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		must("fork", result(child));
		next_random();
		waitpid(child, NULL, 0);
	}
}

/* Processes that make noise until they are killed, some at once. */
static void crowd(void)
{
	uint64_t until = now_ms() + 1000u * (uint64_t)seconds;
	pid_t pids[NOISY];
	int i, status;

	for (i = 0; i < NOISY; i++) {
		pids[i] = fork();
		must("fork", result(pids[i]));
		if (pids[i] == 0) {
			setpgid(0, 0);
			seed += (uint32_t)i * 7919u + 1;
			make_noise(i == 0 ? until : ~0ull);
			_exit(0);
		}
		setpgid(pids[i], pids[i]);
	}
	waitpid(pids[0], &status, 0);
	for (i = 1; i < NOISY; i++)
		kill(-pids[i], SIGKILL);
	for (i = 1; i < NOISY; i++)
		waitpid(pids[i], NULL, 0);
	expect_true("noise", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	struct session beside;
	pid_t neighbour;
	int told;

	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 0) | 1;
	neighbour = neighbour_start(&told);
	become(USER);
	printf("seed: %u\n", seed);
	beside = begin();
	lies();
	refusals();
	works("the session beside lies", &beside);
	memory();
	works("the session beside memory", &beside);
	too_many(neighbour, told);
	works("the session beside many", &beside);
	crowd();
	works("the session beside noise", &beside);
	session_close(&beside);
	return report("pretender");
}
