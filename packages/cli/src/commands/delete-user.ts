import { isCancel, text } from '@clack/prompts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withProgress } from '../progress.ts';
import { callServer, type ServerFlags } from '../server.ts';
import { counted, plain, print, style } from '../terminal.ts';

export interface DeleteFlags extends ServerFlags {
  readonly yes?: boolean;
}

interface Deleted {
  readonly conversations: number;
  readonly messages: number;
  readonly executions: number;
}

/** Deletes all data of a user, after a person has typed the id. */
export async function deleteUser(userId: string, { url, yes = false }: DeleteFlags): Promise<number> {
  if (!yes) await confirm(userId, url);
  const path = `/api/memory/users/${encodeURIComponent(userId)}`;
  const title = `Deleting the data of ${plain(userId)}`;
  const { conversations, executions, messages } = await withProgress(title, async () => {
    const reply = await callServer({ url }, path, { credentials: 'user', method: 'DELETE' });
    const { data } = (await reply.json()) as { readonly data: Deleted };
    return data;
  });
  const parts = [
    counted(conversations, 'conversation'),
    counted(messages, 'message'),
    counted(executions, 'execution'),
  ].join(', ');
  print(`${style('✓', 'green')} Deleted: ${parts}`);
  print('Backups, and logs and traces that you have exported, still contain the data of this user.');
  return exitCodes.ok;
}

async function confirm(userId: string, url: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('Deleting needs a confirmation, and there is no terminal to ask in.', {
      exitCode: exitCodes.usage,
      fix: 'Pass --yes',
    });
  }
  const shown = plain(userId);
  const typed = await text({
    message: `This deletes all conversations, working memory, executions and traces of ${shown} on ${url}. It cannot be undone. Type ${shown} to delete them.`,
    validate: (value) => (value === userId ? undefined : `Type ${shown}, or press Ctrl+C to keep the data.`),
    output: process.stderr,
  });
  if (isCancel(typed)) throw new CliError('Nothing was deleted.', { exitCode: exitCodes.interrupted });
}
