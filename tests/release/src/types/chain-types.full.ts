import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-chain-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});

afterAll(() => rm(folder, { recursive: true }));

/** Typical steps: each kind of data flow, based on the output of the previous step. */
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

/**
 * The number of type instantiations for a chain of `length` steps: a measure of the compiler's work
 * that does not depend on the machine.
 */
async function countInstantiations(length: number): Promise<number> {
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

it('type-checks a chain in time that grows little more than its length', async () => {
  const [none, half, whole] = [
    await countInstantiations(0),
    await countInstantiations(25),
    await countInstantiations(50),
  ];
  expect(half).toBeGreaterThan(none);
  // Twice the length, and in each step a list of the outputs before it. Four would be quadratic.
  expect((whole - none) / (half - none)).toBeLessThan(3.2);
}, 120_000);
