import { run } from './run.ts';

/** A command of a document, and the comment behind it. */
export interface ShellCommand {
  readonly text: string;
  readonly comment: string;
}

/**
 * The commands of a shell block. A backslash at the end of a line continues the command on the next
 * line.
 */
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

/**
 * Sends a request of a document to the server at `url`. Its answer must be a success, and contain
 * what the comment says. @returns the answer.
 */
export async function checkAnswer(command: ShellCommand, url: string, folder: string): Promise<string> {
  const answer = await run('bash', ['-c', command.text.replaceAll('localhost:3141', url)], folder);
  if (answer.includes('"success":false')) throw new Error(`${command.text}\n${answer}`);
  for (const phrase of expectedPhrases(command)) {
    if (!answer.includes(phrase)) throw new Error(`${command.text}\nThe answer lacks "${phrase}": ${answer}`);
  }
  return answer;
}

/**
 * Compares the lines that a document prints with the answer to its request: each must occur, in
 * this order. `…` stands for anything.
 */
export function checkPrinted(lines: readonly string[], answer: string): void {
  const pattern = lines.map((line) => line.split('…').map(escaped).join('.*')).join('\n[^]*');
  if (!new RegExp(pattern).test(answer))
    throw new Error(`The document prints\n${lines.join('\n')}\nbut the answer is\n${answer}`);
}

/**
 * The phrases that the output of a command must contain, from its comment: those after the colon,
 * as in `status: suspended, needs approval`.
 */
function expectedPhrases({ comment }: ShellCommand): readonly string[] {
  const [, phrases] = /:\s*(.+)$/.exec(comment) ?? [];
  return phrases?.split(', ') ?? [];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
