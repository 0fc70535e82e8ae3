import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { Step } from './definition/step.ts';
import { andDoUntil } from './steps/and-do-until.ts';
import { andThen } from './steps/and-then.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

describe('a rewind to a round of a loop inside another one', () => {
  it.each([
    ['outer', 'inner'],
    ['all-lines', 'lines'],
    ['a.b', 'b'],
    ['x', 'xx'],
  ])('runs the later rounds of both again: %s, %s', async (outer, inner) => {
    const log: number[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Number() })
        .andDoUntil({
          id: outer,
          condition: ({ data }) => data >= 6,
          step: andDoUntil({ id: inner, condition: ({ data }) => data % 2 === 0, step: logged(log) }),
        })
        .andThen({ id: 'ask', execute: ({ data, resumeData, suspend }) => Number(resumeData ?? suspend('ask', data)) }),
    );
    const { executionId: id } = await kit.run(0);
    expect(log.splice(0)).toEqual([1, 2, 3, 4, 5, 6]);
    await kit.resume(id, null, 'add:1:0');
    expect(log.splice(0)).toEqual([3, 4, 5, 6]);
    await kit.resume(id, null, 'add:1:1');
    expect(log).toEqual([4, 5, 6]);
  });

  it('runs the later rounds of a sub-workflow again, if a loop around it has the same id', async () => {
    const log: number[] = [];
    const child = createWorkflow({ id: 'child', input: Type.Number() })
      .andDoUntil({ id: 'loop', condition: ({ data }) => data % 2 === 0, step: logged(log) })
      .andThen({ id: 'ask', execute: ({ data, resumeData, suspend }) => Number(resumeData ?? suspend('ask', data)) });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Number() }).andDoUntil({
        id: 'loop',
        condition: () => true,
        step: andWorkflow({ id: 'sub', workflow: child }),
      }),
      child,
    );
    const { executionId: id } = await kit.run(0);
    expect(log.splice(0)).toEqual([1, 2]);
    const [row] = await kit.children(id);
    await kit.resume(row?.id ?? '', null, 'add:0');
    expect(log).toEqual([1, 2]);
  });
});

function logged(log: number[]): Step<number, number> {
  return andThen({
    id: 'add',
    execute: ({ data }: { readonly data: number }) => {
      log.push(data + 1);
      return data + 1;
    },
  });
}
