import { InvalidInputError } from '@halyard/contracts';
import { andThen, createWorkflow } from '@halyard/core';

/** What an execution does before its version is replaced. */
export interface UpgradeInput {
  /** It suspends. */
  readonly asks?: boolean;
  /** Its sub-workflow suspends. */
  readonly asksBelow?: boolean;
  /** It sleeps. */
  readonly napMs?: number;
  readonly fails?: boolean;
  /** It is running when its process is killed. */
  readonly works?: boolean;
}

/** The step bodies that ran in this process. */
export const ran: string[] = [];

/** Resolves when the step that never ends has started. */
export const working: PromiseWithResolvers<void> = Promise.withResolvers<void>();

/** Contains characters that PostgreSQL cannot store as text. */
export const oddText = 'nul \u0000, half a pair \ud83d, ünïcödé';

const anything = { type: 'object' } as const;

/** A workflow with every kind of recorded data. @param isOld whether this is the process that will be killed. */
export function upgradeWorkflow({ isOld }: { readonly isOld: boolean }) {
  const delivery = createWorkflow({ id: 'delivery', purpose: '', input: anything, resumeSchema: anything }).andThen({
    id: 'choose-slot',
    execute: ({ data, resumeData, suspend }) => {
      ran.push('choose-slot');
      const options = data as UpgradeInput;
      if (options.asksBelow && resumeData === undefined) return suspend('when are you at home?', { odd: oddText });
      return { ...options, slot: resumeData ?? null };
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
        const options = input as UpgradeInput;
        if (options.asks && resumeData === undefined) return suspend('needs approval', { odd: oddText });
        if (options.fails) throw new InvalidInputError('it failed');
        if (options.works && isOld) {
          working.resolve();
          await new Promise(() => {});
        }
        return { ...options, by: resumeData ?? null };
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
