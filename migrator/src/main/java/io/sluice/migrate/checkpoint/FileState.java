package io.sluice.migrate.checkpoint;

import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.phase.StateMachine;
import org.jspecify.annotations.Nullable;

/** The states of a {@link CheckpointWriter}, each with what it must know. */
sealed interface FileState extends StateMachine.State<FileStage> {
  /** {@link FileStage#TAKING}. */
  record Taking() implements FileState {}

  /**
   * {@link FileStage#ENDING}.
   *
   * @param last section, which closes the file
   * @param passes over video memory that are in it then
   */
  record Ending(Section last, int passes) implements FileState {}

  /** {@link FileStage#WHOLE}. */
  record Whole() implements FileState {}

  /** {@link FileStage#COMMITTED}. */
  record Committed() implements FileState {}

  /** {@link FileStage#COMPLETE}. */
  record Complete() implements FileState {}

  /** {@link FileStage#FAILED}. */
  record Failed(RefusedException why) implements FileState {}

  /**
   * {@link FileStage#GONE}.
   *
   * @param why it failed; null when it was not wanted
   */
  record Gone(@Nullable RefusedException why) implements FileState {}

  @Override
  default FileStage stage() {
    return switch (this) {
      case Taking _ -> FileStage.TAKING;
      case Ending _ -> FileStage.ENDING;
      case Whole _ -> FileStage.WHOLE;
      case Committed _ -> FileStage.COMMITTED;
      case Complete _ -> FileStage.COMPLETE;
      case Failed _ -> FileStage.FAILED;
      case Gone _ -> FileStage.GONE;
    };
  }
}
