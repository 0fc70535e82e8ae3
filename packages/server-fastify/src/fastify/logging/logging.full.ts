import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

type Line = Record<string, unknown>;

describe('the standard output', () => {
  const entry = new URL('../../index.ts', import.meta.url);
  const script = `import { createServer } from ${JSON.stringify(entry.href)};
    const server = await createServer({ logger: { level: 'info' }, enableSwaggerUI: false, secret: 'x'.repeat(32) });
    server.app.log.info({ agentId: 'a', headers: { authorization: 'secret' } }, 'written');
    await server.close();`;

  async function printed(environment: string): Promise<string> {
    const args = ['--conditions=@halyard/source', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, NODE_ENV: environment },
    });
    return stdout;
  }

  it('is formatted for reading in development', async () => {
    const lines = (await printed('development')).split('\n');
    const at = lines.findIndex((line) => /^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*: .*written/.test(line));
    expect(lines.slice(at + 1, at + 5).map((line) => line.trim())).toEqual([
      'agentId: "a"',
      'headers: {',
      '"authorization": "[redacted]"',
      '}',
    ]);
  });

  it('has one JSON object per line in production', async () => {
    const lines = (await printed('production')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Line)).toContainEqual(
      expect.objectContaining({ msg: 'written', agentId: 'a', headers: { authorization: '[redacted]' } }),
    );
  });
});
