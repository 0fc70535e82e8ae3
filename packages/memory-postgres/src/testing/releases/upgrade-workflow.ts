import { InvalidInputError } from '@halyard/contracts';
import { andThen, createWorkflow } from '@halyard/core';

/** What an execution of it comes to, before its version is replaced. */
export interface UpgradeInput {
  /** It waits for an answer. */
  readonly asks?: boolean;
  /** Its sub-workflow waits for an answer. */
  readonly asksBelow?: boolean;
  /** It sleeps. */
  readonly napMs?: number;
  readonly fails?: boolean;
  /** It is at work when its process ends. */
  readonly works?: boolean;
}

/** Bodies that ran in this process. */
export const ran: string[] = [];

/** Resolves when the step that never ends has begun; where it is not to end, nothing comes of it. */
export const working: PromiseWithResolvers<void> = Promise.withResolvers<void>();

/** No database holds all of it. */
export const oddText = 'nul \u0000, half a pair \ud83d, ünïcödé';

const anything = { type: 'object' } as const;

/** A bit of everything that is recorded. `isOld`: the process that is about to end. */
export function upgradeWorkflow({ isOld }: { readonly isOld: boolean }) {
  const delivery = createWorkflow({ id: 'delivery', purpose: '', input: anything, resumeSchema: anything }).andThen({
    id: 'choose-slot',
    execute: ({ data, resumeData, suspend }) => {
      ran.push('choose-slot');
      const wishes = data as UpgradeInput;
      if (wishes.asksBelow && resumeData === undefined) return suspend('when are you at home?', { odd: oddText });
      return { ...wishes, slot: resumeData ?? null };
    },
  });
  return createWorkflow({ id: 'upgrade', purpose: '', input: anything, resumeSchema: anything })
    .andThen({
      id: 'price',
      execute: ({ data, setWorkflowState }) => {
        ran.push('price');
        setWorkflowState({ priced: oddText });
        return { ...(data as UpgradeInput), total: 7 };
      },
    })
    .andForEach({
      id: 'lines',
      items: () => [1, 2, 3],
      concurrency: 3,
      step: andThen({
        id: 'check',
        execute: ({ data }: { data: number }) => {
          ran.push('check');
          return data * 2;
        },
      }),
    })
    .andThen({
      id: 'approve',
      execute: async ({ input, resumeData, suspend }) => {
        ran.push('approve');
        const wishes = input as UpgradeInput;
        if (wishes.asks && resumeData === undefined) return suspend('needs approval', { odd: oddText });
        if (wishes.fails) throw new InvalidInputError('it failed');
        if (wishes.works && isOld) {
          working.resolve();
          await new Promise(() => {});
        }
        return { ...wishes, by: resumeData ?? null };
      },
    })
    .andSleep({ id: 'nap', durationMs: ({ input }) => (input as UpgradeInput).napMs ?? 0 })
    .andWorkflow({ id: 'deliver', workflow: delivery })
    .andThen({
      id: 'ship',
      execute: ({ data, workflowState }) => {
        ran.push('ship');
        return { shipped: true, data, state: workflowState };
      },
    });
}
