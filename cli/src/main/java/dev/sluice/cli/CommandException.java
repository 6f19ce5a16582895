package dev.sluice.cli;

/** A command that cannot do its work; the message is one line for the person who gave it. */
final class CommandException extends Exception {
  private static final long serialVersionUID = 1;

  CommandException(String message) {
    super(message, null, false, false);
  }
}
