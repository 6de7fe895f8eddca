package io.sluice.management;

import java.util.List;
import java.util.Map;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/** Sessions of APIs, and the processes in which they live. */
@Description("Sessions of APIs, and the processes in which they live.")
public interface SessionsMXBean {
  @Description("The session hosts by the names of the guests that have one.")
  Map<String, SessionHostStatus> getHosts();

  @Description("The sessions there are now; each session host is asked.")
  List<SessionStatus> list(@Description("name of a guest; empty for all") String guest)
      throws OperationsException;

  @Description(
      "Moves a session to another session host of its guest, here or on another host, while its"
          + " application runs, or finds out what would be in the way. It returns when that is done.")
  SessionMove move(
      @Description("name of its guest") String guest,
      @Description("its number") long session,
      @Description("default, the name of another implementation, or HOST:PORT of another daemon")
          String to,
      @Description("whether it stays in any case") boolean checkOnly)
      throws OperationsException;

  @Description(
      "Writes a session to a file and has its application wait: its objects are in the file and"
          + " nowhere else until it is restored. It returns when that is done.")
  SessionMove checkpoint(
      @Description("name of its guest") String guest,
      @Description("its number") long session,
      @Description("the file's whole path; an earlier one of a session is replaced") String file)
      throws OperationsException;

  @Description(
      "Makes a session again that waits in a file, whereupon its application goes on. It returns"
          + " when that is done; the file stays.")
  SessionMove restore(
      @Description("name of its guest") String guest,
      @Description("its number") long session,
      @Description("the file's whole path") String file,
      @Description("default, or the name of another implementation") String to)
      throws OperationsException;

  @Description("Gives up a session's move, if that can be: it goes on where it is.")
  void stay(@Description("name of its guest") String guest, @Description("its number") long session)
      throws OperationsException;

  @Description("Ends a session: what it has is given back, and its application's calls fail.")
  void end(@Description("name of its guest") String guest, @Description("its number") long session)
      throws OperationsException;

  @Description(
      "Limits the sessions of a guest until the daemon's next start; what is beyond stays.")
  void limit(
      @Description("name of the guest") String guest,
      @Description("most sessions at one time, 1 to 1024; null leaves it")
          @Nullable Integer sessions,
      @Description("most memory of their objects; null leaves it") @Nullable Long memoryBytes)
      throws OperationsException;
}
