import { describe, expect, it } from 'vitest';
import { prettyLine } from './pretty-line.ts';

const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();

describe('prettyLine', () => {
  it('shows the local time, the level and the message, then each field', () => {
    const line = { level: 30, time, pid: 1, hostname: 'h', method: 'GET', status: 404, tags: ['a'], msg: 'answered' };

    expect(prettyLine(JSON.stringify(line))).toBe(
      `[03:04:05.006] INFO: answered\n    method: "GET"\n    status: 404\n    tags: [\n      "a"\n    ]\n`,
    );
  });

  it('shows an error as its stack and its own fields', () => {
    const err = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at a (b.js:1:2)', code: 'E1' };

    expect(prettyLine(JSON.stringify({ level: 50, err, msg: 'failed' }))).toBe(
      `ERROR: failed\n    err: Error: boom\n        at a (b.js:1:2)\n        code: "E1"\n`,
    );
  });

  it('reads the message from the field of the app, and levels that are names', () => {
    expect(prettyLine('{"level":"warn","message":"late"}', { messageKey: 'message' })).toBe('WARN: late\n');
  });

  it('does not let texts send commands to the terminal', () => {
    const line = { level: 30, msg: 'a\u001B[2Jb\u009Bc', err: { message: '', stack: '\u0007' }, note: '\u0000\u009B' };

    expect(prettyLine(JSON.stringify(line))).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('does not let a text look like another line', () => {
    const msg = 'Hello\n[03:04:05.006] ERROR: forged';

    expect(prettyLine(JSON.stringify({ level: 30, msg }))).toBe('INFO: Hello\n    [03:04:05.006] ERROR: forged\n');
  });

  it('leaves a line that is not JSON as it is', () => {
    expect(prettyLine('plain text\n')).toBe('plain text\n');
  });
});
