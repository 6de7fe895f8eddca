/*
 * A user who owns nothing and pretends to be CUDA programs: calls of the link that must be refused, each with
 * its answer; messages that are none, each of which must end that session alone; words of the relay's that he
 * writes, messages that change while they are read; memory that was wanted and comes wrong, late, twice or
 * never; files, pieces of memory and sessions until there are no more; sessions without end; processes that are
 * killed in the middle of anything; noise. A session of his that is open all the time must go on, and so must
 * another user's programs, by the library and on channels.
 *
 *	pretender [SECONDS [SEED]]
 *
 * Started as root, as nobody of whom it runs; it opens the channels' node to everybody.
 */
#define _GNU_SOURCE
#include "neighbour.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CHANNELS "/dev/dri/card0" /* of a machine without a display */
#define USER 1002
#define MOST_SESSIONS 64
#define MOST_FILES 256
#define PIECES 15 /* pages of a segment that cannot be of few pieces */
#define GIB (1ull << 30)
#define USUAL_BYTES (16ull << 20) /* of a segment, where the relay has the choice */
#define NOISY 3 /* processes */
#define KILLED 12
#define CHANGED 6 /* sessions */

#define RM(nr, bytes) (0xc0004600u | (uint32_t)(bytes) << 16 | (nr))

static int seconds = 3;

/* ---- what must be refused ------------------------------------------------------------------------ */

static void links(struct program *s)
{
	expect("OPEN of no node", ENOENT, open_node(s, "nvidia77"));
	expect("OPEN of a file elsewhere", ENOENT, open_node(s, "../etc/passwd"));
	expect("OPEN of nothing", ENOENT, open_node(s, ""));
	expect("CLOSE of no file", EBADF, close_file(s, 77));
	expect("CLOSE of file 0", EBADF, close_file(s, 0));
	expect("IOCTL of no file", EBADF, call(s, 77, RM(0x29, 16), (uint8_t[16]){ 0 }, 16));
	expect("MAP of no file", EBADF, map(s, 77, 0, PAGE));
	expect("RESERVE of nothing", EINVAL, reserve(s, 0));
	expect("RESERVE of less", EINVAL, reserve(s, ~0ull));
	expect("RESERVE of all addresses", EINVAL, reserve(s, 1ull << 63));
	expect("RESERVE of too much", ENOMEM, reserve(s, GIB + 1));
	expect("RESERVE of all that addresses reach", ENOMEM, reserve(s, ~0ull >> 1));
	expect("RELEASE of what is not there", EINVAL, release(s, 1, 0));
	expect("RELEASE of the doorbell", EINVAL, release(s, RELAY_NO_FILE, 0));
	expect("RELEASE of segment 0", EINVAL, release(s, 0, SESSION_MESSAGE));
	expect("a segment that nobody wants", EINVAL, segment(s, 1, PAGE));
}

static void calls(struct program *s)
{
	uint32_t control, card, uvm, words[16] = { 0xc1d0ffff, 0xc1d0ffff, 0xc1d0ffff, 0 };

	must("nvidiactl", open_node(s, "nvidiactl"));
	control = s->reply.file;
	must("nvidia0", open_node(s, "nvidia0"));
	card = s->reply.file;
	must("nvidia-uvm", open_node(s, "nvidia-uvm"));
	uvm = s->reply.file;
	expect("no escape of RM's", EINVAL, call(s, control, RM(0x55, 16), words, 16));
	expect("an escape of another length", EINVAL, call(s, control, RM(0x29, 24), words, 24));
	expect("an argument of another length", EINVAL, call(s, control, RM(0x29, 16), words, 24));
	expect("a terminal's call", EINVAL, call(s, control, 0x5401, words, 16));
	expect("no command of UVM's", EINVAL, call(s, uvm, 0x7777, words, 16));
	expect("REGISTER_FD of itself", EPERM, call(s, card, RM(0xc9, 4), &(uint32_t){ card }, 4));
	expect("REGISTER_FD of no file", EPERM, call(s, card, RM(0xc9, 4), &(uint32_t){ 77 }, 4));
	expect("FREE of another's client is answered", 0, call(s, control, RM(0x29, 16), words, 16));
	expect_true("as RM would, with a status", words[3] != 0);
	expect("MAP of what nothing prepared", EINVAL, map(s, card, 0, PAGE));
	expect("MAP of UVM's nothing", EINVAL, map(s, uvm, 1 << 20, PAGE));
	expect("MAP of all addresses", EINVAL, map(s, uvm, ~0ull << 12, ~0ull << 12));
}

static void files(struct program *s)
{
	int count = 3, ret;

	while ((ret = open_node(s, "nvidia0")) == 0 && count <= MOST_FILES)
		count++;
	expect("one file more than there may be", EMFILE, ret);
	expect_true("as many as there may be", count == MOST_FILES);
}

static void refusals(void)
{
	struct program s = program_open();

	links(&s);
	calls(&s);
	files(&s);
	expect("it goes on after all that", 0, close_file(&s, 1));
	program_close(&s);
}

/* ---- messages that are none ----------------------------------------------------------------------- */

enum before { RAW, GREETED, FILED };

/* With words behind the header; a length of 0 is the right one. */
static void lie(const char *name, enum before before, struct relay_request request, uint32_t bytes,
		const uint32_t *body)
{
	struct program s = before == RAW ? program_raw() : program_open();

	if (before == FILED)
		must("nvidiactl", open_node(&s, "nvidiactl"));
	put(&s, request, body, bytes);
	if (request.bytes)
		*word(&s.session, SESSION_MESSAGE) = request.bytes;
	ring(&s);
	expect(name, ENDED, await(&s, LOOKS));
	expect_true("and it has no segment any more", segment(&s, 1, PAGE) != 0);
	program_close(&s);
}

static void lengths(void)
{
	static const uint32_t wrong[] = { 1, 24, 31, 33, 36, RELAY_MOST_BYTES + 8, 1u << 31, ~7u, ~0u };
	struct program s = program_open();
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(name, sizeof(name), "a message of %u bytes", wrong[i]);
		lie(name, GREETED, (struct relay_request){ wrong[i], RELAY_OPEN, 0, 0, 0, 0 }, 0, NULL);
	}
	memset(s.session.memory + SESSION_MESSAGE, 0, sizeof(struct relay_request));
	ring(&s);
	expect("a message of nothing", ENDED, await(&s, LOOKS));
	program_close(&s);
}

static void lies(void)
{
	static const uint32_t text[16] = { 0x41414141, 0x41414141 };
	static const uint32_t zeros[18];

	lengths();
	lie("a greeting of no version", RAW, (struct relay_request){ .op = RELAY_HELLO }, 0, NULL);
	lie("a greeting of another", RAW, (struct relay_request){ .op = RELAY_HELLO, .argument = 2 }, 0, NULL);
	lie("OPEN without a greeting", RAW, (struct relay_request){ .op = RELAY_OPEN }, 8, zeros);
	lie("MEMORY without a greeting", RAW, (struct relay_request){ .op = RELAY_MEMORY }, 0, NULL);
	lie("RESERVE without a greeting", RAW, (struct relay_request){ .op = RELAY_RESERVE, .length = PAGE }, 0, NULL);
	lie("a greeting again", GREETED, (struct relay_request){ .op = RELAY_HELLO, .argument = 1 }, 0, NULL);
	lie("memory that nobody wants", GREETED, (struct relay_request){ .op = RELAY_MEMORY }, 0, NULL);
	lie("no operation", GREETED, (struct relay_request){ .op = 0 }, 0, NULL);
	lie("operation 9", GREETED, (struct relay_request){ .op = 9 }, 0, NULL);
	lie("a negative operation", GREETED, (struct relay_request){ .op = ~0u }, 0, NULL);
	lie("OPEN without a name", GREETED, (struct relay_request){ .op = RELAY_OPEN }, 0, NULL);
	lie("a name without an end", GREETED, (struct relay_request){ .op = RELAY_OPEN }, 8, text);
	lie("a name that is too long", GREETED, (struct relay_request){ .op = RELAY_OPEN }, 72, zeros);
	lie("IOCTL without blocks", FILED, (struct relay_request){ .op = RELAY_IOCTL, .file = 1 }, 0, NULL);
	lie("IOCTL with nine blocks", FILED, (struct relay_request){ .op = RELAY_IOCTL, .file = 1, .length = 9 }, 40,
	    zeros);
	lie("IOCTL with all blocks", FILED,
	    (struct relay_request){ .op = RELAY_IOCTL, .file = 1, .length = 0xffffffffu }, 40, zeros);
	lie("a block longer than its message", FILED,
	    (struct relay_request){ .op = RELAY_IOCTL, .file = 1, .length = 1 }, 16, text);
	lie("more than the blocks", FILED, (struct relay_request){ .op = RELAY_IOCTL, .file = 1, .length = 1 }, 64,
	    zeros);
	lie("blocks without lengths", FILED, (struct relay_request){ .op = RELAY_IOCTL, .file = 1, .length = 8 }, 8,
	    zeros);
	lie("MAP without an offset", FILED, (struct relay_request){ .op = RELAY_MAP, .file = 1, .length = PAGE }, 0,
	    NULL);
	lie("MAP with two offsets", FILED, (struct relay_request){ .op = RELAY_MAP, .file = 1, .length = PAGE }, 16,
	    zeros);
}

/* ---- words that are the relay's, and words that change -------------------------------------------- */

/* A request whose number is not the next. */
static int counted(struct program *s, uint32_t number)
{
	put(s, (struct relay_request){ .op = RELAY_OPEN }, "nvidia0", 8);
	__atomic_store_n(word(&s->session, SESSION_REQUESTS), number, __ATOMIC_SEQ_CST);
	api_ring(s->session.fd);
	return await(s, LOOKS);
}

static void words(void)
{
	struct program s = program_open();
	uint32_t i;

	*word(&s.session, SESSION_WANTED) = 5;
	*word(&s.session, SESSION_WANTED_BYTES) = ~0u;
	*word(&s.session, SESSION_WANTED_BYTES + 4) = ~0u;
	for (i = 0; i < SESSION_MOST_EVENTS; i++)
		*word(&s.session, SESSION_EVENTS + 4 * i) = next_random();
	expect("a segment that the program wants itself", EINVAL, segment(&s, 5, PAGE));
	expect("words of the relay's do not matter to it", 0, open_node(&s, "nvidiactl"));
	s.replies = 0xdead;
	__atomic_store_n(word(&s.session, SESSION_REPLIES), 0xdead, __ATOMIC_SEQ_CST);
	expect("nor does what it counts", 0, close_file(&s, s.reply.file));
	expect("requests that are counted in leaps", 0, counted(&s, 0x7fffffff));
	expect("backwards", 0, counted(&s, 3));
	expect("and below nothing", 0, counted(&s, ~0u));
	expect("are one each", 0, open_node(&s, "nvidiactl"));
	program_close(&s);
}

struct changer {
	struct program *s;
	uint32_t stop;
};

/* The words of a message, right and wrong, as fast as they can be written. */
static void *change(void *argument)
{
	static const uint32_t bytes[] = { 88, 0, 88, ~0u, 88, RELAY_MOST_BYTES, 88, 32 };
	static const uint32_t ops[] = { RELAY_OPEN, 9, RELAY_OPEN, RELAY_MEMORY };
	struct changer *c = argument;
	uint32_t i;

	for (i = 0; !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE); i++) {
		*(volatile uint32_t *)word(&c->s->session, SESSION_MESSAGE) = bytes[i % 8];
		*(volatile uint32_t *)word(&c->s->session, SESSION_MESSAGE + 4) = ops[i / 8 % 4];
	}
	return NULL;
}

static void changes(void)
{
	int sessions, rounds, ret, answered = 0, ended = 0;

	for (sessions = 0; sessions < CHANGED; sessions++) {
		struct program s = program_open();
		struct changer c = { &s, 0 };
		pthread_t thread;

		must("thread", -pthread_create(&thread, NULL, change, &c));
		for (rounds = 0; rounds < 100; rounds++) {
			ret = open_node(&s, "nvidia77");
			if (ret == -ENDED || ret == -ETIMEDOUT)
				break;
			answered++;
		}
		ended += ret == -ENDED;
		__atomic_store_n(&c.stop, 1, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
		expect_true("a message that changes is answered, or the last", ret != -ETIMEDOUT);
		program_close(&s);
	}
	printf("of messages that change %d were answered, %d the last\n", answered, ended);
}

/* ---- memory that is wanted ------------------------------------------------------------------------ */

static void not_given(void)
{
	struct program s = program_open();

	expect("a reservation", -WANTS, reserve(&s, PAGE));
	expect_true("wants a segment", wants(&s, 1, USUAL_BYTES));
	expect("another one", EINVAL, segment(&s, 2, USUAL_BYTES));
	expect("a shorter one", EINVAL, segment(&s, 1, USUAL_BYTES / 2));
	expect("a longer one", EINVAL, segment(&s, 1, 2 * USUAL_BYTES));
	expect("one of nothing", EINVAL, segment(&s, 1, 0));
	expect("one of all there is", EINVAL, segment(&s, 1, 1ull << 40));
	expect("the program has none", -WANTS, says(&s, ENOMEM));
	expect_true("so it wants a small one", wants(&s, 1, PAGE));
	expect("the large one is late", EINVAL, segment(&s, 1, USUAL_BYTES));
	expect("the program says that it is there", ENOMEM, says(&s, 0));
	expect("the small one is late", EINVAL, segment(&s, 1, PAGE));
	expect("a reservation again", -WANTS, reserve(&s, PAGE));
	expect("what is wanted", 0, segment(&s, 1, USUAL_BYTES));
	expect("twice", EBUSY, segment(&s, 1, USUAL_BYTES));
	expect("the program says that it is not there", -WANTS, says(&s, ENOMEM));
	expect_true("so it wants another", wants(&s, 2, PAGE));
	expect("that is not there either", ENOMEM, says(&s, ENOMEM));
	expect("the first is used", 0, reserve(&s, PAGE));
	expect_true("from its begin", s.reply.file == 1 && s.reply.address == 0);
	expect("and given back", 0, release(&s, 1, 0));
	expect("once", EINVAL, release(&s, 1, 0));
	program_close(&s);
}

/* Returns a session that never answers. */
static struct program not_answered(void)
{
	struct program s = program_open();
	int ret;

	expect("memory is wanted", -WANTS, reserve(&s, PAGE));
	ret = open_node(&s, "nvidiactl");
	/* Less may be wanted, and then there is none, while it is being ended. */
	expect_true("something else is said, which is the last", ret == -ENDED || ret == -ENOMEM || ret == WANTS);
	expect_true("it has ended", await_end(&s.session) != 0);
	program_close(&s);
	s = program_open();
	expect("memory is wanted from who leaves", -WANTS, reserve(&s, PAGE));
	program_close(&s);
	s = program_open();
	expect("memory is wanted from who gives it and leaves", -WANTS, reserve(&s, PAGE));
	expect("it is given", 0, segment(&s, 1, USUAL_BYTES));
	program_close(&s);
	s = program_open();
	expect("memory is wanted from who says nothing", -WANTS, reserve(&s, PAGE));
	return s;
}

/* ---- all there is --------------------------------------------------------------------------------- */

/* Many pieces for little memory, where there is some: the large segments are declined. */
static int take_pieces(struct program *s)
{
	int count = 0, ret;

	while ((ret = reserve(s, PIECES * PAGE)) == WANTS) {
		ret = says(s, ENOMEM);
		if (ret != WANTS)
			break;
		ret = segment(s, look(s, SESSION_WANTED), wanted_bytes(s));
		if (says(s, -ret))
			break;
		count++;
	}
	return count;
}

static int take_files(struct program *s)
{
	int count = 0;

	while (count < MOST_FILES && open_node(s, "nvidia0") == 0)
		count++;
	return count;
}

static void too_many(struct program *beside)
{
	static struct program taken[MOST_SESSIONS + 1];
	int opened = 0, files = 0, pieces = 0, ret = 0, i;

	while (opened <= MOST_SESSIONS && ret != -EDQUOT) {
		ret = open_once(&taken[opened]);
		if (ret == -EAGAIN)
			pause_ms(LOOK_MS);
		else if (ret == 0)
			must("a greeting", greet(&taken[opened++], RELAY_VERSION));
		else
			break;
	}
	expect("sessions until there may be no more", EDQUOT, ret);
	for (i = 0; i < opened; i++)
		files += take_files(&taken[i]);
	printf("of all there is: %d sessions, %d files\n", opened, files);
	expect_true("another user works beside them", has_neighbour('w'));
	for (i = 0; i < opened; i++)
		pieces += take_pieces(&taken[i]);
	printf("of all there is: %d pieces of memory\n", pieces);
	expect_true("another user works beside all that", has_neighbour('w'));
	expect_true("the session beside, too", works_on(beside));
	while (opened > 0)
		program_close(&taken[--opened]);
}

/* ---- processes ------------------------------------------------------------------------------------ */

static pid_t start(void (*part)(uint64_t until), uint64_t until, int number)
{
	pid_t child = fork();

	must("fork", result(child));
	if (child == 0) {
		failures = 0;
		seed += (uint32_t)number * 7919u + 1;
		part(until);
		_exit(failures != 0);
	}
	return child;
}

static void flooding(uint64_t until)
{
	struct program s;

	while (now_ms() < until)
		if (open_once(&s) == 0)
			program_close(&s);
}

/*
 * Sessions as fast as they can be had: another user's begins at its first try, but for one now and then where the
 * host is late to let go of others. Without a share of his own none would.
 */
static void flood(void)
{
	uint64_t until = now_ms() + 1000u * (uint64_t)seconds;
	pid_t pids[NOISY];
	int i, rounds = 0, began = 0;

	for (i = 0; i < NOISY; i++)
		pids[i] = start(flooding, until, i);
	while (now_ms() < until) {
		pause_ms(next_random() % 200);
		began += has_neighbour('b');
		rounds++;
	}
	printf("while sessions come without end another user began %d of %d\n", began, rounds);
	expect_true("another user begins while sessions come without end", rounds > 0 && 2 * began >= rounds);
	for (i = 0; i < NOISY; i++)
		waitpid(pids[i], NULL, 0);
}

static void working(uint64_t until)
{
	while (now_ms() < until) {
		struct program s = program_open();
		int rounds = 20;

		while (rounds-- > 0) {
			if (open_node(&s, "nvidia0"))
				break;
			if (reserve(&s, (1 + next_random() % 4) * PAGE) == WANTS &&
			    says(&s, -segment(&s, look(&s, SESSION_WANTED), wanted_bytes(&s))) != 0)
				break;
		}
		program_close(&s);
	}
}

static void killed(void)
{
	int i;

	for (i = 0; i < KILLED; i++) {
		pid_t pid = start(working, ~0ull, i);

		pause_ms(next_random() % 300);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* ---- noise ---------------------------------------------------------------------------------------- */

static void noise_message(struct program *s)
{
	static const uint32_t requests[] = { RM(0x29, 16), RM(0x2a, 32), RM(0x2b, 48), RM(0x27, 56), RM(0x4e, 56),
					     RM(0xc9, 4),  RM(0xce, 16), RM(0xcf, 16), 0x30000001, 17 };
	struct relay_request r = {
		.op = next_random() % 8 ? 2 + next_random() % 7 : next_random(),
		.file = next_random() % 4,
		.argument = next_random() % 4 ? requests[next_random() % 10] : next_random() % 64,
		.address = next_random() % 2 ? next_random() % 8 * PAGE : (uint64_t)next_random() << 32,
		.length = next_random() % 4 ? 1 + next_random() % 3 : (uint64_t)next_random() << next_random() % 33,
	};
	uint32_t body[64], bytes = next_random() % 32 * 8, i;

	for (i = 0; i < 64; i++)
		body[i] = next_random() % 3 ? next_random() % 64 : next_random();
	if (next_random() % 4 == 0)
		strcpy((char *)body, next_random() % 2 ? "nvidiactl" : "nvidia0");
	if (bytes)
		body[bytes / 4 - 1] = 0;
	put(s, r, body, bytes);
}

static void noise(struct program *s)
{
	noise_message(s);
	if (next_random() % 8 == 0)
		*word(&s->session, next_random() % SESSION_MESSAGE & ~3u) = next_random();
	ring(s);
	if (next_random() % 8 == 0)
		return; /* on top of it */
	if (await(s, 1) == WANTS && next_random() % 4)
		says(s, next_random() % 4 ? -segment(s, look(s, SESSION_WANTED), wanted_bytes(s)) : 0);
	if (next_random() % 8 == 0)
		segment(s, next_random() % 66, PAGE * (next_random() % 300));
	if (next_random() % 8 == 0) {
		int fd = api_event(s->session.fd, SESSION_EVENTS + 4 * (next_random() % SESSION_MOST_EVENTS), 0);

		if (fd >= 0)
			close(fd);
	}
}

static void make_noise(uint64_t until)
{
	while (now_ms() < until) {
		struct program s = next_random() % 8 ? program_open() : program_raw();
		int rounds = 1 + (int)(next_random() % 40);

		while (rounds-- > 0 && look(&s, SESSION_STATE) == 0)
			noise(&s);
		program_close(&s);
	}
}

/* Processes that make noise until they are killed, one to its end. */
static void crowd(void)
{
	uint64_t until = now_ms() + 1000u * (uint64_t)seconds;
	pid_t pids[NOISY];
	int i, status = 1, rounds = 0;
	bool ok = true;

	for (i = 0; i < NOISY; i++)
		pids[i] = start(make_noise, i == 0 ? until : ~0ull, i);
	do
		ok = has_neighbour('w');
	while (ok && ++rounds && now_ms() < until);
	waitpid(pids[0], &status, 0);
	for (i = 1; i < NOISY; i++)
		kill(pids[i], SIGKILL);
	for (i = 1; i < NOISY; i++)
		waitpid(pids[i], NULL, 0);
	printf("%d rounds of another user beside noise\n", rounds);
	expect_true("noise", WIFEXITED(status) && WEXITSTATUS(status) == 0);
	expect_true("another user works beside noise", ok);
}

int main(int argc, char **argv)
{
	struct program beside, silent;
	pid_t other;

	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 0) | 1;
	printf("seed: %u\n", seed);
	fflush(stdout);
	must("chmod", result(chmod(CHANNELS, 0666)));
	must("pipe", pipe(orders) || pipe(answers) ? -errno : 0);
	other = fork();
	must("fork", result(other));
	if (other == 0)
		neighbour();
	close(orders[0]);
	close(answers[1]);
	become(USER);
	beside = program_open();
	expect_true("another user works", has_neighbour('w'));
	refusals();
	lies();
	words();
	changes();
	not_given();
	silent = not_answered();
	expect_true("the session beside all that", works_on(&beside));
	too_many(&beside);
	flood();
	killed();
	crowd();
	expect("memory that is wanted long after", 0, segment(&silent, 1, USUAL_BYTES));
	expect("it is used", 0, says(&silent, 0));
	program_close(&silent);
	expect_true("the session beside all that", works_on(&beside));
	program_close(&beside);
	expect_true("another user works at the end", has_neighbour('w'));
	close(orders[1]);
	waitpid(other, NULL, 0);
	return report("pretender");
}
