import { Type } from '@sinclair/typebox';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AgentInput } from '../../api/routes/agents/schemas.ts';
import { serve } from '../../testing/serve.ts';
import { bodySchemas } from './compile-schemas.ts';

it('compiles a named schema once, and a different schema with the same name separately', () => {
  const named = Type.Object({ size: Type.Number() }, { $id: 'TestedSize' });
  const one = bodySchemas.compile(Type.Object({ one: named }));
  const list = bodySchemas.compile(Type.Object({ list: Type.Array(named) }));
  expect([one({ one: { size: 1 } }), one({ one: { size: '1' } })]).toEqual([true, false]);
  expect(one.errors).toMatchObject([{ instancePath: '/one/size', keyword: 'type' }]);
  expect([list({ list: [{ size: 1 }] }), list({ list: [{}] })]).toEqual([true, false]);

  expect(bodySchemas.compile(Type.Object({ same: { ...named } }))({ same: { size: 2 } })).toBe(true);
  const other = bodySchemas.compile(
    Type.Object({ other: Type.Object({ size: Type.String() }, { $id: 'TestedSize' }) }),
  );
  expect([other({ other: { size: 'L' } }), other({ other: { size: 2 } })]).toEqual([true, false]);
});

it('compiles the largest schema shortly after the server has begun to listen', async () => {
  const compiled = vi.spyOn(bodySchemas, 'compile');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
    compiled.mockRestore();
  });
  const server = await serve();
  expect(compiled).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(compiled).toHaveBeenCalledWith(AgentInput);
  vi.useRealTimers();
  await server.close();
});
