// Tries what a session host may and may not do, and prints each with its errno, 0 when it worked.
// With a second argument it leaves out what could change the machine if it worked.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void say(const char *name, long result) {
  printf("%s %d\n", name, result < 0 ? errno : 0);
}

static void try_open(const char *name, const char *path, int flags) {
  int fd = open(path, flags, 0600);
  say(name, fd);
  if (fd >= 0) close(fd);
}

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv) {
  char path[4096], own[4096];
  char *end = getenv("PROBE_STRANGER");
  int stranger = end ? atoi(end) : 1;
  int readable = 0;
  char word[8];
  struct iovec local = {word, 8}, remote = {word, 8};
  struct rlimit limit;
  struct f_owner_ex owner = {F_OWNER_PID, stranger};
  pthread_t thread;
  int pair[2], ends[2];
  if (argc < 2) return 2;

  say("socket-unix", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  say("socket-inet", syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  say("socketpair", syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair));
  say("socketpair-packets", syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET, 0, pair));
  say("connect", syscall(SYS_connect, -1, NULL, 0));
  say("bind", syscall(SYS_bind, -1, NULL, 0));
  say("listen", syscall(SYS_listen, -1, 0));
  say("ptrace", syscall(SYS_ptrace, PTRACE_SEIZE, stranger, 0, 0));
  say("process-vm-readv", syscall(SYS_process_vm_readv, stranger, &local, 1, &remote, 1, 0));
  say("process-vm-writev", syscall(SYS_process_vm_writev, stranger, &local, 1, &remote, 1, 0));
  say("pidfd-open", syscall(SYS_pidfd_open, stranger, 0));
  say("pidfd-getfd", syscall(SYS_pidfd_getfd, -1, 0, 0));
  say("kill", kill(stranger, 0));
  say("tgkill", syscall(SYS_tgkill, stranger, stranger, 0));
  say("prlimit", syscall(SYS_prlimit64, stranger, RLIMIT_NOFILE, NULL, &limit));
  say("prlimit-own", syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit));
  say("affinity", syscall(SYS_sched_setaffinity, stranger, 0, NULL));
  say("scheduler", syscall(SYS_sched_setscheduler, stranger, 99, NULL));
  say("scheduler-parameters", syscall(SYS_sched_setparam, stranger, NULL));
  say("scheduler-attributes", syscall(SYS_sched_setattr, stranger, NULL, 0));
  say("migrate-pages", syscall(SYS_migrate_pages, stranger, 0, NULL, NULL));
  say("move-pages", syscall(SYS_move_pages, stranger, 0, NULL, NULL, NULL, 0));
  if (pipe(ends)) return 3;
  say("flags-own", fcntl(ends[0], F_GETFL));
  say("set-owner", fcntl(ends[0], F_SETOWN, stranger));
  say("set-owner-ex", fcntl(ends[0], F_SETOWN_EX, &owner));
  say("set-signal", fcntl(ends[0], F_SETSIG, SIGKILL));
  say("ioctl-own", ioctl(ends[0], FIONREAD, &readable));
  say("set-socket-owner", ioctl(-1, 0x8901, &stranger)); // FIOSETOWN
  say("set-socket-group", ioctl(-1, 0x8902, &stranger)); // SIOCSPGRP
  say("shmget", syscall(SYS_shmget, IPC_PRIVATE, 4096, 0600));
  if (argc == 2) { // without the sandbox these might succeed
    say("priority", syscall(SYS_setpriority, PRIO_PROCESS, stranger, 0));
    say("io-priority", syscall(SYS_ioprio_set, 1, stranger, 0));
    say("shmat", syscall(SYS_shmat, -1, NULL, 0));
    say("shmctl", syscall(SYS_shmctl, -1, 0, NULL));
    say("semop", syscall(SYS_semop, -1, NULL, 0));
    say("msgsnd", syscall(SYS_msgsnd, -1, NULL, 0, 0));
    say("mount", syscall(SYS_mount, "none", argv[1], "tmpfs", 0, NULL));
    say("open-tree", syscall(428, -100, "/", 0));
    say("unshare", syscall(SYS_unshare, CLONE_NEWUSER));
    say("setns", syscall(SYS_setns, -1, 0));
    say("clone-namespace", syscall(SYS_clone, CLONE_NEWNET | SIGCHLD, NULL, NULL, NULL, NULL));
    say("clone3", syscall(435, NULL, 0));
    say("bpf", syscall(SYS_bpf, 0, NULL, 0));
    say("perf", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    say("keyctl", syscall(SYS_keyctl, 0, -1, 0));
    say("userfaultfd", syscall(SYS_userfaultfd, 0));
    say("io-uring", syscall(425, 1, NULL));
    say("kexec", syscall(SYS_kexec_load, 0, 0, NULL, 0));
    say("module", syscall(SYS_init_module, NULL, 0, ""));
    say("handle", syscall(SYS_open_by_handle_at, -1, NULL, 0));
    say("setsid", syscall(SYS_setsid));
    say("x32", syscall(0x40000000 + SYS_getpid));
  }
  say("setpgid", syscall(SYS_setpgid, 0, 0));

  try_open("read-etc", "/etc/passwd", O_RDONLY);
  try_open("read-stranger", "/proc/1/status", O_RDONLY);
  try_open("write-tmp", "/tmp/sluice-probe", O_WRONLY | O_CREAT);
  try_open("write-shm", "/dev/shm/sluice-probe", O_WRONLY | O_CREAT);
  unlink("/tmp/sluice-probe");
  unlink("/dev/shm/sluice-probe");
  snprintf(own, sizeof own, "/proc/%d/maps", getpid());
  try_open("read-own", own, O_RDONLY);
  try_open("read-usr", "/usr/bin/env", O_RDONLY);
  try_open("read-processors", "/sys/devices/system/cpu/online", O_RDONLY);
  try_open("write-usr", "/usr/bin/env", O_WRONLY);
  try_open("write-null", "/dev/null", O_WRONLY);
  snprintf(path, sizeof path, "%s/file", argv[1]);
  try_open("write-cache", path, O_WRONLY | O_CREAT);
  say("chmod", chmod(path, 0755));
  snprintf(own, sizeof own, "%s/other", argv[1]);
  say("rename-cache", rename(path, own));
  say("remove-cache", unlink(own));
  snprintf(path, sizeof path, "%s/fifo", argv[1]);
  say("fifo-cache", mkfifo(path, 0600));
  unlink(path);
  errno = pthread_create(&thread, NULL, nothing, NULL);
  say("thread", errno ? -1 : 0);
  say("run-usr", system("/usr/bin/env true > /dev/null") == 0 ? 0 : -1);
  execl(argv[1], argv[1], NULL);
  say("run-directory", -1);
  snprintf(path, sizeof path, "%s/program", argv[1]);
  execl(path, path, NULL);
  say("run-cache", -1);
  return 0;
}
