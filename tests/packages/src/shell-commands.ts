/** A command of a document, and the comment behind it. */
export interface ShellCommand {
  readonly text: string;
  readonly comment: string;
}

/** The commands of a shell block. A backslash at the end of a line continues the command on the next line. */
export function shellCommands(lines: readonly string[]): readonly ShellCommand[] {
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [text = '', comment = ''] = line.split(/\s+# /, 2);
      return text.trim() === '' ? [] : [{ text: text.trim(), comment: comment.trim() }];
    });
}

/** What the answer to a command must contain, by its comment: the phrases after the colon, as in `status: suspended, needs approval`. */
export function expectedPhrases({ comment }: ShellCommand): readonly string[] {
  const [, phrases] = /:\s*(.+)$/.exec(comment) ?? [];
  return phrases?.split(', ') ?? [];
}
