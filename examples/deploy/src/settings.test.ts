import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
const complete = {
  DATABASE_URL: 'postgres://127.0.0.1/halyard',
  HALYARD_SECRET: first,
  JWT_SECRET: first,
  SERVICE_CONSOLE_ACCESS_KEY: second,
};

let files = 0;
function fileWith(text: string): string {
  const file = join(folder, `secret-${(files += 1)}`);
  writeFileSync(file, text);
  return file;
}

it('names everything that is missing, at once', () => {
  expect(() => readSettings({ LOG_LEVEL: 'loud' })).toThrow(
    'The settings are not complete: set DATABASE_URL or DATABASE_URL_FILE; set HALYARD_SECRET or HALYARD_SECRET_FILE; set JWT_SECRET or JWT_SECRET_FILE; set SERVICE_CONSOLE_ACCESS_KEY or SERVICE_CONSOLE_ACCESS_KEY_FILE; LOG_LEVEL must be one of fatal, error, warn, info, debug, trace',
  );
});

it('reads a secret from a file, without the line break at its end', () => {
  const { SERVICE_CONSOLE_ACCESS_KEY: _key, ...others } = complete;
  const settings = readSettings({ ...others, SERVICE_CONSOLE_ACCESS_KEY_FILE: fileWith(`${second}\n`) });
  expect(settings.consoleKey).toBe(second);
});

it('reads one secret per line, so that a secret can be replaced', () => {
  const { HALYARD_SECRET: _secret, ...others } = complete;
  expect(readSettings({ ...others, HALYARD_SECRET_FILE: fileWith(`${first}\n\n${second}\n`) }).secrets).toEqual([
    first,
    second,
  ]);
});

it.each([
  [{}, 0],
  [{ SHUTDOWN_DELAY_MS: '0' }, 0],
  [{ SHUTDOWN_DELAY_MS: '20000' }, 20_000],
])('reads the delay of the shutdown, of which 0 is the default: %j', (changed, expected) => {
  expect(readSettings({ ...complete, ...changed }).shutdownDelayMs).toBe(expected);
});

it.each([
  ['a short secret', { JWT_SECRET: `${first}\nshort` }, 'each secret in JWT_SECRET must have at least 32 bytes'],
  ['two console keys', { SERVICE_CONSOLE_ACCESS_KEY: `${first}\n${second}` }, 'ACCESS_KEY must be one secret'],
  ['a variable and a file', { JWT_SECRET_FILE: '/dev/null' }, 'set JWT_SECRET or JWT_SECRET_FILE, not both'],
  ['a file that is not there', { OPENAI_API_KEY_FILE: '/nowhere' }, 'OPENAI_API_KEY_FILE cannot be read (ENOENT)'],
  ['no number of connections', { MAX_CONNECTIONS: '1e3' }, 'MAX_CONNECTIONS must be a whole number from 1 to 9999'],
  ['no connections', { MAX_CONNECTIONS: '0' }, 'MAX_CONNECTIONS must be a whole number from 1 to 9999'],
  ['an endless delay', { SHUTDOWN_DELAY_MS: '60001' }, 'SHUTDOWN_DELAY_MS must be a whole number from 0 to 60000'],
  ['an unclear yes', { AUTO_MIGRATE: 'yes' }, 'AUTO_MIGRATE must be one of true, false'],
])('refuses %s, without showing the value', (_mistake, changed, says) => {
  const read = (): unknown => readSettings({ ...complete, ...changed });
  expect(read).toThrow(says);
  expect(read).not.toThrow(first);
});
