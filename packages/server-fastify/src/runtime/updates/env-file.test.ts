import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withVariables, writeEnvFile } from './env-file.ts';

describe('withVariables', () => {
  it('changes the values of the variables and no other byte', () => {
    const before = '# keys\r\nA=1\r\nexport KEY = "old" # why\r\n\r\nOTHER_KEY=x\r\nKEYS=2';
    expect(withVariables(before, { KEY: 'new' })).toBe(
      '# keys\r\nA=1\r\nexport KEY = new # why\r\n\r\nOTHER_KEY=x\r\nKEYS=2',
    );
  });

  it('adds missing variables at the end, each on its own line', () => {
    expect(withVariables('A=1', { KEY: 'new' })).toBe('A=1\nKEY=new\n');
    expect(withVariables('', { KEY: 'new', B: '2' })).toBe('KEY=new\nB=2\n');
  });

  it('changes every line that sets the variable, since readers disagree on which one counts', () => {
    expect(withVariables('KEY=a\nKEY=b\n', { KEY: 'new' })).toBe('KEY=new\nKEY=new\n');
  });

  it('does not change the inside of a value that spans several lines', () => {
    const before = 'PEM="-----\nKEY=inside\n-----"\n#KEY=comment\nKEY=\n';
    expect(withVariables(before, { KEY: 'new' })).toBe('PEM="-----\nKEY=inside\n-----"\n#KEY=comment\nKEY=new\n');
  });
});

describe('writeEnvFile', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'halyard-env-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('creates a file that only its owner can read, and leaves no other file', async () => {
    await writeFile(join(directory, '.env'), 'A=1\n', { mode: 0o644 });
    await writeEnvFile(directory, { KEY: 'new' });
    expect(await readFile(join(directory, '.env'), 'utf8')).toBe('A=1\nKEY=new\n');
    const { mode } = await stat(join(directory, '.env'));
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['.env']);
  });

  it('refuses a link and does not change its target', async () => {
    const target = join(directory, 'target');
    await writeFile(target, 'A=1\n');
    await symlink(target, join(directory, '.env'));
    await expect(writeEnvFile(directory, { KEY: 'new' })).rejects.toMatchObject({ code: 'ENV_FILE_REFUSED' });
    expect(await readFile(target, 'utf8')).toBe('A=1\n');
    const link = await lstat(join(directory, '.env'));
    expect(link.isSymbolicLink()).toBe(true);
  });

  it('loses nothing when several writes run at the same time', async () => {
    await Promise.all(['A', 'B', 'C', 'D'].map((name) => writeEnvFile(directory, { [name]: '1' })));
    expect(await readFile(join(directory, '.env'), 'utf8')).toBe('A=1\nB=1\nC=1\nD=1\n');
  });
});
