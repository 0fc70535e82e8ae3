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

  it.each(['development', 'production'])(
    'has one JSON object per line where it is not a terminal, in %s',
    async (environment) => {
      const lines = (await printed(environment)).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line) as Line)).toContainEqual(
        expect.objectContaining({ msg: 'written', agentId: 'a', headers: { authorization: '[redacted]' } }),
      );
    },
  );
});
