import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { copyEmbeddedTemplate } from '../packages/memory-postgres/src/testing/embedded-template.ts';

it('serves at once, also while the console is being built, and ends with everything it started', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-dev-'));
  await copyEmbeddedTemplate(dataDir);
  const script = fileURLToPath(new URL('dev.ts', import.meta.url));
  const dev = spawn(process.execPath, [script, '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    dev.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const origin = await expect
      .poll(() => /Start page +(http:\S+?)\/\n/.exec(output)?.[1], { timeout: 200_000 })
      .toBeDefined()
      .then(() => /Start page +(http:\S+?)\/\n/.exec(output)?.[1] ?? '');
    // Either the console, or the page that waits for it.
    const page = await fetch(`${origin}/console`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>');

    dev.kill('SIGTERM');
    await once(dev, 'exit');
    await expect(fetch(origin)).rejects.toThrow('fetch failed');
  } finally {
    dev.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
});
