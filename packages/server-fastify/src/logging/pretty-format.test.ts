import { expect, it } from 'vitest';
import { findPrettyFormat } from './pretty-format.ts';

async function pretty(line: object, messageKey?: string): Promise<string | undefined> {
  const format = await findPrettyFormat({ colorize: false, messageKey });
  return format?.(`${JSON.stringify(line)}\n`);
}

it('shows the level, the message, and each field', async () => {
  const line = { level: 30, pid: 1, hostname: 'h', status: 404, tags: ['a'], msg: 'answered' };
  expect(await pretty(line)).toBe('INFO: answered\n    status: 404\n    tags: [\n      "a"\n    ]\n');
});

it('reads the message from the field of the app', async () => {
  expect(await pretty({ level: 40, message: 'late' }, 'message')).toBe('WARN: late\n');
});

it('does not let texts send commands to the terminal', async () => {
  const text = 'a\u001B[2J\u009B\u0007\u0000\r\u007Fb';
  const err = { type: text, message: text, stack: text, code: text };
  const shown = await pretty({ level: 30, msg: text, err, note: text, [text]: { [text]: [text] } });
  expect(shown).toContain('a[2Jb');
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
});

it('does not let a text look like another line', async () => {
  const msg = 'Hello\n[03:04:05.006] ERROR: forged';
  expect(await pretty({ level: 30, msg })).toBe('INFO: Hello\n    [03:04:05.006] ERROR: forged\n');
});
