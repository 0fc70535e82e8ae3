import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownershipCases } from './ownership-cases.ts';
import { violations } from './violations.ts';
import { openWorld, type World } from './world.ts';

/** Beyond `ownership-matrix.full.ts`, which claims in the fields in which routes accept a user. */
describe('no user can access the data of another by claiming to be them in any field', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it.each(ownershipCases.map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const))(
    '%s',
    async (_, ask) => {
      expect(await violations(world, ask)).toEqual([]);
    },
  );
});
