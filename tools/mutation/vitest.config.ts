import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The tests of one part, in their order, as `run-mutation.ts` passes them. */
const patterns: readonly string[] = JSON.parse(process.env['MUTATION_TESTS'] ?? '[]');
const include = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());

/** Runs the files in the order of the list, so that the fast ones notice a change first. */
class ListedOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const positionOf = ({ moduleId }: TestSpecification): number =>
      include.findIndex((file) => moduleId.endsWith(`/${file}`));
    return Promise.resolve(files.toSorted((one, other) => positionOf(one) - positionOf(other)));
  }
}

export default defineConfig({
  root,
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  // A test that is slow on a busy machine has not noticed the change. Stryker limits the time of each change.
  test: { include, testTimeout: 15_000, sequence: { sequencer: ListedOrder } },
});
