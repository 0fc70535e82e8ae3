import { describe, expect, it } from 'vitest';
import { findPrettyFormat } from './pretty-format.ts';

async function pretty(line: object, messageKey?: string): Promise<string | undefined> {
  const format = await findPrettyFormat({ colorize: false, messageKey });
  return format?.(`${JSON.stringify(line)}\n`);
}

it('shows the level, the message, and each field', async () => {
  const line = { level: 30, pid: 1, hostname: 'h', status: 404, tags: ['a'], msg: 'answered' };
  expect(await pretty(line)).toBe('INFO: answered\n    status: 404\n    tags: [\n      "a"\n    ]\n');
});

describe('the line of an answered request', () => {
  const request = {
    level: 30,
    requestId: 'r1',
    method: 'POST',
    route: '/agents/:id/text',
    url: '/agents/support/text',
    status: 200,
    durationMs: 406.6,
    remoteAddress: '127.0.0.1',
    agentId: 'support',
    userId: 'ada',
    msg: 'request answered',
  };

  it('is one line', async () => {
    expect(await pretty(request)).toBe('INFO: POST /agents/support/text 200 407 ms agent=support user=ada\n');
  });

  it('cannot be forged by an id', async () => {
    const userId = 'a\nERROR: b\u001B[2J';
    expect(await pretty({ ...request, userId })).toMatch(/^INFO: [^\n]*user=a\n {4}ERROR: b\[2J\n$/);
  });

  it('is not shown for the reads of the console', async () => {
    expect(await pretty({ ...request, method: 'GET', client: 'console' })).toBe('');
  });

  it('has all fields if the reply was cut', async () => {
    expect(await pretty({ ...request, err: { type: 'Error', message: 'cut', stack: 'Error: cut' } })).toContain(
      'requestId: "r1"',
    );
  });
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
