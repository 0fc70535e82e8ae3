import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { createServer } from '../../create-server.ts';
import { AgentInput } from '../../routes/agents/schemas.ts';
import { bodyValidators } from './validators.ts';

it('compiles a named schema once, and a different schema with the same name separately', () => {
  const named = Type.Object({ size: Type.Number() }, { $id: 'TestedSize' });
  const one = bodyValidators.of(Type.Object({ one: named }));
  const list = bodyValidators.of(Type.Object({ list: Type.Array(named) }));
  expect([one({ one: { size: 1 } }), one({ one: { size: '1' } })]).toEqual([true, false]);
  expect(one.errors).toMatchObject([{ instancePath: '/one/size', keyword: 'type' }]);
  expect([list({ list: [{ size: 1 }] }), list({ list: [{}] })]).toEqual([true, false]);

  expect(bodyValidators.of(Type.Object({ same: { ...named } }))({ same: { size: 2 } })).toBe(true);
  const other = bodyValidators.of(Type.Object({ other: Type.Object({ size: Type.String() }, { $id: 'TestedSize' }) }));
  expect([other({ other: { size: 'L' } }), other({ other: { size: 2 } })]).toEqual([true, false]);
});

it('compiles the largest schema shortly after the server has begun to listen', async () => {
  const compiled = vi.spyOn(bodyValidators, 'of');
  const server = await createServer({ host: '127.0.0.1', port: 0, logger: { level: 'silent' } });
  await server.listen();
  expect(compiled).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(compiled).toHaveBeenCalledWith(AgentInput), { timeout: 10_000 });
  await server.close();
  compiled.mockRestore();
});
