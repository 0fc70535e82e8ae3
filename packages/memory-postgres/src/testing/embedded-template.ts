import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { silentLogger } from '@halyard/contracts';
import type { DatabaseOpener } from '../connection/database.ts';
import { embeddedOpener } from '../connection/embedded/open-embedded.ts';
import { createPostgresStorage } from '../postgres-storage.ts';
import { migrations } from '../storage-migrations.ts';

const templates = join(import.meta.dirname, '../../../../node_modules/.cache/halyard-embedded');

/**
 * Opens an embedded database for tests in a directory of its own, which is deleted when the
 * database is closed.
 */
export async function embeddedForTests(): Promise<DatabaseOpener> {
  const dataDir = mkdtempSync(join(tmpdir(), 'halyard-embedded-'));
  await copyEmbeddedTemplate(dataDir);
  const opener = embeddedOpener(dataDir);
  const open: DatabaseOpener['open'] = async (signal) => {
    // A busy machine may be silent for longer than a database that has failed.
    const { probing: _probing, ...opened } = await opener.open(signal);
    const close = async (): Promise<void> => {
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    };
    return { ...opened, close };
  };
  // A busy machine does not reach this limit.
  return { ...opener, open, openTimeoutMs: 600_000 };
}

/**
 * Copies an empty database with all tables into the directory of a storage. Creating a database
 * takes seconds of computing, and the migrations take another one.
 */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  const pglite = readFileSync(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')));
  const key = createHash('sha256').update(pglite).update(migrations.sql()).digest('hex').slice(0, 16);
  const template = join(templates, key);
  if (!existsSync(template)) await createTemplate(template);
  cpSync(template, dataDir, { recursive: true });
}

/**
 * Creates the template under another name first: a test run that is stopped leaves none, or a whole
 * one.
 */
async function createTemplate(template: string): Promise<void> {
  mkdirSync(templates, { recursive: true });
  // Templates of other migrations are not used any more.
  for (const name of readdirSync(templates)) {
    if (!name.startsWith(basename(template))) rmSync(join(templates, name), { recursive: true, force: true });
  }
  const dataDir = mkdtempSync(`${template}-`);
  const storage = createPostgresStorage({ dataDir, logger: silentLogger });
  await storage.opened?.();
  await storage.close();
  try {
    renameSync(dataDir, template);
  } catch (error) {
    // Another process has created it in the meantime.
    if (!existsSync(template)) throw error;
    rmSync(dataDir, { recursive: true, force: true });
  }
}
