import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-chain-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});

afterAll(() => rm(folder, { recursive: true }));

/** Steps as people write them: each kind of data flow, on what the step before gave. */
const steps: readonly ((id: string) => string)[] = [
  (id) => `.andThen({ id: '${id}', execute: async ({ data }) => ({ ...data, ${id}: 1, at: new Date() }) })`,
  (id) => `.andTap({ id: '${id}', execute: ({ data, workflowState }) => [data.id, workflowState] })`,
  (id) =>
    `.andWhen({ id: '${id}', condition: ({ data }) => data.id === '', step: andThen({ id: '${id}a', execute: ({ data }) => data }) })`,
  (id) =>
    `.andAll({ id: '${id}', steps: [andThen({ id: '${id}a', execute: ({ data }) => data }), andThen({ id: '${id}b', execute: ({ data }) => data.id })] })
     .andMap({ id: '${id}c', map: { id: ({ data }) => data[1], all: ({ data }) => data[0] } })
     .andThen({ id: '${id}d', execute: ({ data }) => data.all })`,
  (id) =>
    `.andRace({ id: '${id}', steps: [andThen({ id: '${id}a', execute: ({ data }) => data }), andThen({ id: '${id}b', execute: ({ data }) => data })] })`,
];

/** How many types the compiler works out for a chain of so many steps: a measure of its work that is the same on each machine. */
async function workOf(length: number): Promise<number> {
  const chain = Array.from({ length }, (_, index) => steps[index % steps.length]?.(`s${index}`)).join('\n');
  const file = join(folder, `chain-${length}.ts`);
  await writeFile(
    file,
    `import { andThen, createWorkflow } from '${root}/packages/core/src/index.ts';
    export const chain = createWorkflow({ id: 'w' }).andThen({ id: 'first', execute: () => ({ id: 'x' }) })\n${chain};`,
  );
  return compile(file);
}

async function compile(file: string): Promise<number> {
  const config = `${file}.json`;
  await writeFile(
    config,
    JSON.stringify({
      extends: `${root}/tsconfig.json`,
      compilerOptions: {
        rewriteRelativeImportExtensions: false,
        allowImportingTsExtensions: true,
        typeRoots: [`${root}/node_modules/@types`],
      },
      files: [file],
      include: [],
      exclude: [],
    }),
  );
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), [
    '-p',
    config,
    '--extendedDiagnostics',
  ]);
  return Number(/^Instantiations:\s+(\d+)/mu.exec(stdout)?.[1]);
}

it('checks the types of a chain in time that grows with its length, not faster', async () => {
  const [none, half, whole] = [await workOf(0), await workOf(25), await workOf(50)];
  expect(half).toBeGreaterThan(none);
  expect((whole - none) / (half - none)).toBeLessThan(3);
});
