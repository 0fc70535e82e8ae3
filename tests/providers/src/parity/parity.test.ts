import * as sdk from 'ai';
import * as oldestSdk from 'ai-oldest';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Difference, differencesBetween } from './differences.ts';
import { isListedBy, type KnownDifference, knownDifferences, type SdkVersion } from './known-differences.ts';
import type { Mode } from './parity-script.ts';
import { providerNames } from './providers.ts';
import { type ParityCase, runScript } from './run-script.ts';
import { runWithAgent } from './run-with-agent.ts';
import { runWithSdk } from './run-with-sdk.ts';
import { scripts } from './scripts.ts';

const modes: readonly Mode[] = ['generate', 'stream'];

/** Every script with every provider whose format supports it, without and with streaming. */
const cases: readonly ParityCase[] = scripts.flatMap((script) =>
  (script.providers ?? providerNames).flatMap((provider) =>
    (script.modes ?? modes).map((mode) => ({ script, provider, mode })),
  ),
);

const version: SdkVersion = sdk.streamText === oldestSdk.streamText ? 'oldest' : 'newest';

describe(`an agent and the ${version} supported AI SDK`, () => {
  const differences = new Map<ParityCase, readonly Difference[]>();
  beforeAll(async () => {
    for (const parityCase of cases) {
      const ofSdk = await runScript(parityCase, runWithSdk);
      const ofAgent = await runScript(parityCase, runWithAgent);
      differences.set(parityCase, differencesBetween(ofSdk, ofAgent));
    }
  }, 600_000);

  it.each(cases.map((parityCase) => ({ ...parityCase, parityCase, name: parityCase.script.name })))(
    '$provider, $mode: $name',
    ({ parityCase }) => {
      const unlisted = (differences.get(parityCase) ?? []).filter(
        (difference) => !knownDifferences.some((known) => isListedBy(known, difference, parityCase)),
      );

      expect(unlisted).toEqual([]);
    },
  );

  it.each(listed('intended'))('still differs as intended: $name', (known) => {
    expect(occurrencesOf(known)).not.toEqual([]);
  });

  it.fails.each(listed('fault'))('has this fault no more: $name', (known) => {
    expect(occurrencesOf(known)).toEqual([]);
  });

  function occurrencesOf(known: KnownDifference) {
    return cases.flatMap((parityCase) =>
      (differences.get(parityCase) ?? [])
        .filter((difference) => isListedBy(known, difference, parityCase))
        .map((difference) => ({ ...parityCase, script: parityCase.script.name, ...difference })),
    );
  }
});

function listed(kind: KnownDifference['kind']): readonly KnownDifference[] {
  return knownDifferences.filter((known) => known.kind === kind && (known.version ?? version) === version);
}
